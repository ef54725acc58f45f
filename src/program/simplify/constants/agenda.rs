//! The order in which an interprocedural analysis visits functions.
//!
//! In a large recursive component, nearly every change of a global reaches nearly every location. An analysis that follows
//! each change at once goes through the component once for every change; one that lets changes gather at a function until it
//! is the function's turn takes many of them along in one visit. Turns go through the call graph like an elevator: from
//! callers to callees as long as one of these has work to do, then from callees to callers, and so on. Within its turn, a
//! function is analysed until it is stable, in a weak topological order of its locations (\[Bou93\]).

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::cfa::EdgeId;

/// A function's place in the order of functions, callers first.
pub(super) type Rank = u32;

/// What remains to be visited.
#[derive(Debug)]
pub(super) struct Agenda {
    /// For each function, by rank, the numbers of the locations to be visited.
    locations: Vec<BinaryHeap<Reverse<u32>>>,
    /// For each function, by rank, its calls whose callee's exit has changed.
    returns: Vec<Vec<EdgeId>>,
    /// The functions with something to be visited, except for the one whose turn it is.
    waiting: BTreeSet<Rank>,
    current: Option<Rank>,
    /// Whether turns go from callers to callees.
    downward: bool,
    /// Marks the locations, by number, to be visited.
    is_queued: Vec<bool>,
    /// Marks the edges in `returns`.
    is_returning: Vec<bool>,
}

/// Work within a function's turn.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// The location with this number has changed.
    Location(u32),
    /// The exit of the call's callee has changed.
    Return(EdgeId),
}

impl Agenda {
    /// Nothing to be visited in a program of that many functions, locations and edges.
    pub fn new(functions: usize, locations: usize, edges: usize) -> Self {
        Self {
            locations: vec![BinaryHeap::new(); functions],
            returns: vec![Vec::new(); functions],
            waiting: BTreeSet::new(),
            current: None,
            downward: true,
            is_queued: vec![false; locations],
            is_returning: vec![false; edges],
        }
    }

    /// The location with this number, of the function, has changed.
    pub fn add_location(&mut self, function: Rank, number: u32) {
        if !std::mem::replace(&mut self.is_queued[number as usize], true) {
            self.locations[function as usize].push(Reverse(number));
            self.wait(function);
        }
    }

    /// The exit of the callee of a call in the function has changed.
    pub fn add_return(&mut self, function: Rank, call: EdgeId) {
        if !std::mem::replace(&mut self.is_returning[call.index()], true) {
            self.returns[function as usize].push(call);
            self.wait(function);
        }
    }

    fn wait(&mut self, function: Rank) {
        if self.current != Some(function) {
            self.waiting.insert(function);
        }
    }

    /// Removes and returns what is to be visited next.
    pub fn next(&mut self) -> Option<Work> {
        loop {
            if let Some(function) = self.current {
                if let Some(call) = self.returns[function as usize].pop() {
                    self.is_returning[call.index()] = false;
                    return Some(Work::Return(call));
                }
                if let Some(Reverse(number)) = self.locations[function as usize].pop() {
                    self.is_queued[number as usize] = false;
                    return Some(Work::Location(number));
                }
            }
            let next = self.next_function()?;
            self.waiting.remove(&next);
            self.current = Some(next);
        }
    }

    /// The function whose turn is next: the nearest one in the direction, or else in the other one.
    fn next_function(&mut self) -> Option<Rank> {
        let from = self.current.unwrap_or(0);
        let below = self.waiting.range(from..).next().copied();
        let above = self.waiting.range(..from).next_back().copied();
        let (ahead, behind) = match self.downward {
            true => (below, above),
            false => (above, below),
        };
        if ahead.is_none() {
            self.downward = !self.downward;
        }
        ahead.or(behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a location of each function, numbered like it, and returns the functions in the order of their turns.
    fn turns(agenda: &mut Agenda, functions: &[Rank]) -> Vec<u32> {
        for &function in functions {
            agenda.add_location(function, function);
        }
        let next = std::iter::from_fn(|| agenda.next());
        next.map(|work| match work {
            Work::Location(number) => number,
            Work::Return(call) => panic!("nothing returns from {call:?}"),
        })
        .collect()
    }

    #[test]
    fn turns_go_down_and_up_again() {
        let mut agenda = Agenda::new(6, 6, 0);
        agenda.add_location(2, 2);
        assert_eq!(agenda.next(), Some(Work::Location(2)));
        assert_eq!(turns(&mut agenda, &[0, 4, 1, 3]), [3, 4, 1, 0]);
        assert_eq!(turns(&mut agenda, &[5, 1]), [1, 5], "upward there is none");
    }

    #[test]
    fn a_function_keeps_its_turn_until_it_is_done() {
        let mut agenda = Agenda::new(2, 6, 1);
        agenda.add_location(0, 1);
        assert_eq!(agenda.next(), Some(Work::Location(1)));
        agenda.add_location(1, 5);
        agenda.add_location(0, 2);
        agenda.add_location(0, 0);
        agenda.add_location(0, 2);
        agenda.add_return(0, EdgeId(0));
        agenda.add_return(0, EdgeId(0));
        let all: Vec<Work> = std::iter::from_fn(|| agenda.next()).collect();
        let at = Work::Location;
        assert_eq!(all, [Work::Return(EdgeId(0)), at(0), at(2), at(5)]);
        agenda.add_location(0, 2);
        assert_eq!(
            agenda.next(),
            Some(at(2)),
            "what was visited can change again"
        );
    }
}
