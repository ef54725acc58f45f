//! CPA++ on the composite: the order of expansion, merging, and raised bounds.

use std::rc::Rc;
use std::sync::Arc;

use super::location::Place;
use super::predicate::PredicateCpa;
use super::{Composite, Reached, cpa_plus_plus};
use crate::program::block::Blocks;
use crate::program::{InlinedProgram, Program, ProgramBuilder, VariableId};
use crate::term::{Arena, Build, Sort, TermId, store};

const INT: Sort = Sort::BitVec(32);

struct Run {
    cpa: Composite<PredicateCpa>,
    reached: Reached<Composite<PredicateCpa>>,
}

impl Run {
    fn new(inlined: InlinedProgram) -> Self {
        let blocks = Arc::new(Blocks::new(Arc::new(inlined)));
        let entry = Place::At(blocks.inlined().entry());
        let domain = PredicateCpa::new(Arc::clone(&blocks), Rc::new(Arena::new()));
        let mut cpa = Composite::new(blocks, domain);
        let mut reached = Reached::new();
        let state = cpa.domain.initial(entry, TermId::TRUE);
        let state = cpa.initial(entry, state);
        reached.add(&cpa, state, ());
        Self { cpa, reached }
    }

    fn unroll(&mut self, bound: u32) {
        self.cpa.loop_bound.raise(bound);
        cpa_plus_plus(&mut self.cpa, &mut self.reached, |_| false);
    }

    fn places(&self) -> Vec<(Place, u32)> {
        let states = self.reached.since(0);
        let mut places: Vec<(Place, u32)> = states
            .map(|(_, element)| (element.state.place, element.state.steps))
            .collect();
        places.sort_by_key(|(place, steps)| (*steps, format!("{place:?}")));
        places
    }
}

/// `x = nondet(); if (x & 1) y += x; else { y++; y++ }` and so on; the two branches have different lengths.
fn diamonds(count: u32) -> (Program, VariableId) {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", INT), b.global("y", INT));
    let input = b.input("__VERIFIER_nondet_int", INT);
    b.havoc(x, input);
    for bit in 0..count {
        let masked = store().bvand(b.value(x), store().bv(32, 1 << (bit % 32)));
        let (value, one) = (b.value(y), store().bv(32, 1));
        b.branch(
            store().ne(masked, store().bv(32, 0)),
            |b| b.assign(y, store().add(value, b.value(x))),
            |b| {
                b.assign(y, store().add(value, one));
                b.assign(y, store().add(value, one));
            },
        );
    }
    b.error_unless(store().ne(b.value(y), store().bv(32, 7)));
    (b.finish(), y)
}

#[test]
fn thirty_diamonds_have_one_state_per_location() {
    let (program, _) = diamonds(30);
    let mut run = Run::new(InlinedProgram::edge_by_edge(Arc::new(program)));
    run.unroll(1);
    let places = run.places();
    let mut different = places.clone();
    different.dedup();
    assert_eq!(places, different);
    assert!(places.len() > 120, "all locations: {}", places.len());
    // Block by block there are two states in all.
    let (program, _) = diamonds(30);
    let mut run = Run::new(InlinedProgram::new(Arc::new(program)));
    run.unroll(1);
    assert_eq!(run.places().len(), 2);
}

/// Two nested loops, one with a constant and one with an unknown bound.
fn nested_loops() -> Program {
    let mut b = ProgramBuilder::new();
    let (i, j, n) = (b.global("i", INT), b.global("j", INT), b.global("n", INT));
    let input = b.input("__VERIFIER_nondet_int", INT);
    b.havoc(n, input);
    b.assign(i, store().bv(32, 0));
    let one = store().bv(32, 1);
    b.repeat_while(store().slt(b.value(i), store().bv(32, 3)), |b| {
        b.assign(j, store().bv(32, 0));
        b.repeat_while(store().slt(b.value(j), b.value(n)), |b| {
            b.assign(j, store().add(b.value(j), one));
        });
        b.assign(i, store().add(b.value(i), one));
    });
    b.error_unless(store().ne(b.value(j), store().bv(32, 9)));
    b.finish()
}

#[test]
fn raising_the_bound_continues_the_analysis() {
    let mut at_once = Run::new(InlinedProgram::new(Arc::new(nested_loops())));
    at_once.unroll(12);
    let mut step_by_step = Run::new(InlinedProgram::new(Arc::new(nested_loops())));
    let mut states = 0;
    for bound in 1..=12 {
        step_by_step.unroll(bound);
        assert!(step_by_step.reached.next_number() >= states);
        states = step_by_step.reached.next_number();
    }
    assert_eq!(at_once.places(), step_by_step.places());
    assert_eq!(at_once.cpa.arg.len(), step_by_step.cpa.arg.len());
    let places = at_once.places();
    let mut different = places.clone();
    different.dedup();
    assert_eq!(places, different, "one state a location and step");
}

#[test]
fn infeasible_iterations_are_not_unrolled() {
    let mut b = ProgramBuilder::new();
    let i = b.global("i", INT);
    b.assign(i, store().bv(32, 0));
    b.repeat_while(store().slt(b.value(i), store().bv(32, 100)), |b| {
        b.assign(i, store().add(b.value(i), store().bv(32, 1)));
    });
    b.error_unless(store().eq(b.value(i), store().bv(32, 100)));
    let mut run = Run::new(InlinedProgram::new(Arc::new(b.finish())));
    run.unroll(1000);
    // The entry, 101 states of the head, and possibly the exit; never the error.
    assert!(run.places().len() <= 103);
    assert_eq!(run.reached.waitlist_len(), 0);
    let targets = run.reached.since(0);
    assert_eq!(
        targets.filter(|(_, e)| run.cpa.is_target(&e.state)).count(),
        0
    );
}
