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

/// Terms, and which of them are the definitions of the states.
type Definitions = (PortableTerms, Vec<u32>);

/// A search for definitions of the states of a sequence.
pub(super) struct Search {
    terms: PortableTerms,
    /// Places of the conjuncts of each formula, and of the variables of each state.
    formulas: Vec<Vec<u32>>,
    cuts: Vec<Vec<u32>>,
    limit: CheckLimit,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_stopped: bool,
    at_work: Option<Arc<dyn Interrupt>>,
    found: Option<Result<Definitions, String>>,
}

impl Search {
    /// For the core, within the limit.
    pub fn new(arena: &Arena, core: &CoreSequence, limit: CheckLimit) -> Arc<Self> {
        let mut exporter = Exporter::new(arena);
        let mut add = |terms: &[TermId]| terms.iter().map(|&term| exporter.add(term)).collect();
        let formulas = core.formulas.iter().map(|formula| add(formula)).collect();
        let cuts = core.cuts().iter().map(|cut| add(cut)).collect();
        Arc::new(Self {
            terms: exporter.finish(),
            formulas,
            cuts,
            limit,
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Searches, in the calling thread.
    pub fn run(&self) {
        let mut state = self.state.lock();
        if !state.is_stopped {
            self.changed.wait_for(&mut state, DELAY);
        }
        if state.is_stopped {
            return;
        }
        let solver = Fixedpoints::new();
        state.at_work = solver.as_ref().ok().map(Fixedpoints::interrupter);
        drop(state);
        let found = solver.and_then(|mut solver| self.definitions(&mut solver));
        let mut state = self.state.lock();
        state.at_work = None;
        state.found = Some(found);
    }

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
