//! SPACER at work beside the source that is asked first: on a helper's thread, with terms of its own.
//!
//! Most sequences are answered by the first source in no time. So the search begins only after a while, and is given up
//! when its result is of no use any more.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::super::z3::fixedpoint::Fixedpoints;
use super::super::{CheckLimit, Interrupt};
use super::core::CoreSequence;
use crate::term::{Arena, Exporter, PortableTerms, TermId};

/// How long the first source has the question for itself.
const DELAY: Duration = Duration::from_millis(20);
/// How long it may take to pose it.
const POSING: Duration = Duration::from_secs(1);

/// Terms, and which of them are the definitions of the states.
type Definitions = (PortableTerms, Vec<u32>);

/// A search for definitions of the states of a sequence.
#[derive(Default)]
pub(super) struct Search {
    state: Mutex<State>,
    changed: Condvar,
}

/// What is searched for.
struct Question {
    terms: PortableTerms,
    /// Places of the conjuncts of each formula, and of the variables of each state.
    formulas: Vec<Vec<u32>>,
    cuts: Vec<Vec<u32>>,
    limit: CheckLimit,
}

#[derive(Default)]
struct State {
    question: Option<Question>,
    is_stopped: bool,
    at_work: Option<Arc<dyn Interrupt>>,
    found: Option<Result<Definitions, String>>,
}

impl Search {
    /// Says what is to be searched for: definitions for the core, within the limit. Once there is somebody who searches.
    pub fn pose(&self, arena: &Arena, core: &CoreSequence, limit: CheckLimit) {
        let mut exporter = Exporter::new(arena);
        let mut add = |terms: &[TermId]| terms.iter().map(|&term| exporter.add(term)).collect();
        let formulas = core.formulas.iter().map(|formula| add(formula)).collect();
        let cuts = core.cuts().iter().map(|cut| add(cut)).collect();
        self.state.lock().question = Some(Question {
            terms: exporter.finish(),
            formulas,
            cuts,
            limit,
        });
        self.changed.notify_all();
    }

    /// Searches, in the calling thread, for what has been asked after a while.
    pub fn run(&self) {
        let mut state = self.state.lock();
        let is_coming = |state: &mut State| state.question.is_none() && !state.is_stopped;
        self.changed.wait_while_for(&mut state, is_coming, POSING);
        let is_wanted = |state: &mut State| !state.is_stopped;
        self.changed.wait_while_for(&mut state, is_wanted, DELAY);
        let question = state.question.take();
        let Some(question) = question.filter(|_| !state.is_stopped) else {
            return;
        };
        let solver = Fixedpoints::new();
        state.at_work = solver.as_ref().ok().map(Fixedpoints::interrupter);
        drop(state);
        let found = solver.and_then(|mut solver| question.definitions(&mut solver));
        let mut state = self.state.lock();
        state.at_work = None;
        state.found = Some(found);
    }

    /// Lets a search that has begun go on, and no other begin.
    pub fn begin_no_more(&self) {
        let mut state = self.state.lock();
        state.is_stopped |= state.at_work.is_none();
        self.changed.notify_all();
    }

    /// What was found, as terms of the arena, if the search has come to an end.
    pub fn found(&self, arena: &Arena) -> Option<Result<Vec<TermId>, String>> {
        let found = self.state.lock().found.take()?;
        Some(found.and_then(|(terms, places)| {
            let terms = terms.import(arena).ok_or("the terms are damaged")?;
            Ok(places
                .into_iter()
                .map(|place| terms[place as usize])
                .collect())
        }))
    }
}

impl Question {
    fn definitions(&self, solver: &mut Fixedpoints) -> Result<Definitions, String> {
        let arena = Arena::new();
        let terms = self.terms.import(&arena).ok_or("the terms are damaged")?;
        let term = |&place: &u32| terms[place as usize];
        let of = |lists: &[Vec<u32>]| -> Vec<Vec<TermId>> {
            let lists = lists.iter();
            lists.map(|list| list.iter().map(term).collect()).collect()
        };
        let (formulas, cuts) = (of(&self.formulas), of(&self.cuts));
        let definitions = solver.solve(&arena, &formulas, &cuts, self.limit)?;
        let mut exporter = Exporter::new(&arena);
        let places = definitions
            .into_iter()
            .map(|term| exporter.add(term))
            .collect();
        Ok((exporter.finish(), places))
    }
}

impl Interrupt for Search {
    fn interrupt(&self) {
        let mut state = self.state.lock();
        state.is_stopped = true;
        self.changed.notify_all();
        if let Some(solver) = &state.at_work {
            solver.interrupt();
        }
    }
}
