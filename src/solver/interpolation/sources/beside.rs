//! SPACER in parallel to the first source, on a worker thread with its own terms.
//!
//! The first source answers most sequences quickly. So the search begins after a delay and is given up when its result is
//! not needed any more.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::interpolation::core::CoreSequence;
use crate::interpolation::limits::{QUESTION_TIMEOUT, SEARCH_INTERRUPT_INTERVAL};
use crate::z3::fixedpoint::Fixedpoints;
use crate::{CheckLimit, Interrupt};
use regatta_term::{Arena, Exporter, PortableTerms, TermId};

/// Terms, and the indices of the states' definitions among them.
type Definitions = (PortableTerms, Vec<u32>);

/// A search for definitions of the states of a sequence.
pub(in crate::interpolation) struct Search {
    /// Delay before the search begins.
    delay: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

/// The sequence to search definitions for.
struct Question {
    terms: PortableTerms,
    /// Indices of the conjuncts of each formula; below, of the variables of each state.
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
    /// A search that begins after the delay.
    pub fn after(delay: Duration) -> Self {
        Self {
            delay,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Sets the question: definitions for the core, within the limit. To be called once a thread runs the search.
    pub fn pose(&self, arena: &Arena, core: &CoreSequence, limit: CheckLimit) {
        let mut exporter = Exporter::default();
        let mut add = |terms: &[TermId]| {
            terms
                .iter()
                .map(|&term| exporter.add(arena, term))
                .collect()
        };
        let formulas = core.formulas.iter().map(|formula| add(formula)).collect();
        let cuts = core.cuts().iter().map(|cut| add(cut)).collect();
        self.state.lock().question = Some(Question {
            terms: exporter.take(),
            formulas,
            cuts,
            limit,
        });
        self.changed.notify_all();
    }

    /// Runs the search in the calling thread, after the delay.
    pub fn run(&self) {
        // Wakes the waiting thread at the end, whatever the result.
        let _end = AtEnd(self);
        let mut state = self.state.lock();
        let is_coming = |state: &mut State| state.question.is_none() && !state.is_stopped;
        self.changed
            .wait_while_for(&mut state, is_coming, QUESTION_TIMEOUT);
        let is_wanted = |state: &mut State| !state.is_stopped;
        self.changed
            .wait_while_for(&mut state, is_wanted, self.delay);
        let question = state.question.take();
        let Some(question) = question.filter(|_| !state.is_stopped) else {
            return;
        };
        let solver = Fixedpoints::new();
        state.at_work = solver.as_ref().ok().map(Fixedpoints::interrupter);
        drop(state);
        let found = solver.and_then(|mut solver| question.definitions(&mut solver));
        self.state.lock().found = Some(found);
    }

    /// Waits for a search that has begun, and prevents one that has not.
    ///
    /// Z3 loses an interruption between two of its queries; therefore it is repeated.
    pub fn wait(&self) {
        let mut state = self.state.lock();
        state.is_stopped |= state.at_work.is_none();
        self.changed.notify_all();
        while let Some(solver) = state.at_work.clone() {
            if state.is_stopped {
                solver.interrupt();
            }
            self.changed.wait_for(&mut state, SEARCH_INTERRUPT_INTERVAL);
        }
    }

    /// Returns the result as terms of the arena, if the search has ended.
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

/// Marks the end of a search on drop, also by a panic.
struct AtEnd<'s>(&'s Search);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.0.state.lock().at_work = None;
        self.0.changed.notify_all();
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
        let mut exporter = Exporter::default();
        let places = definitions
            .into_iter()
            .map(|term| exporter.add(&arena, term))
            .collect();
        Ok((exporter.take(), places))
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::interpolation::limits::DEFAULT_SEARCH_DELAY;

    /// Counts interruptions.
    #[derive(Default)]
    struct Solver(AtomicUsize);

    impl Interrupt for Solver {
        fn interrupt(&self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// The solver goes on after its first interruptions.
    #[test]
    fn a_search_that_has_missed_an_interruption_is_interrupted_again() {
        let (search, solver) = (
            Search::after(DEFAULT_SEARCH_DELAY),
            Arc::new(Solver::default()),
        );
        search.state.lock().at_work = Some(Arc::<Solver>::clone(&solver));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _end = AtEnd(&search);
                while solver.0.load(Ordering::SeqCst) < 3 {
                    std::thread::yield_now();
                }
            });
            search.interrupt();
            search.wait();
        });
        assert!(search.found(&Arena::new()).is_none());
        search.run();
        assert!(search.state.lock().found.is_none(), "no other begins");
    }
}
