//! The largest inductive subset of candidates (Flanagan and Leino, Houdini, an Annotation Assistant for ESC/Java, FME
//! 2001), and proofs by such sets.
//!
//! A candidate stays as long as every block into its cut point leads to states that satisfy it, from states that satisfy
//! the candidates and the proved invariants where the block starts. A solver's model of a block that breaks some of them
//! refutes these at once. What is left when no block breaks any is 1-inductive.
//!
//! * This file: the largest inductive subset; [`consecution`]: the questions; [`worklist`]: the blocks that are to be asked
//!   about, which several threads may do; [`proof`]: proofs by inductive sets.

mod consecution;
mod proof;
#[cfg(test)]
mod tests;
mod worklist;

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

pub use self::consecution::{BRISK, Consecution, Means, Patience};
use self::consecution::{IMPATIENT, PATIENT, Recipe};
use self::worklist::Worklist;
use super::samples::Samples;
use super::{Candidate, Proved, Publisher, Snapshot, by_place};
use crate::analysis::{CancellationToken, Context};
use crate::program::InlinedLocation;
use crate::program::block::{Block, Blocks};
use crate::solver::Solver;
use crate::workers::queue::Queue;
use crate::workers::{Helper, Scope, Workers};

/// How long one thread works before others are asked to help: it takes some 10 ms until they can.
const ALONE: Duration = Duration::from_millis(60);

/// Finds inductive subsets of candidates over one program.
pub struct Houdini {
    /// What the calling thread asks.
    own: Consecution,
    /// All blocks between cut points.
    all: Arc<[Block]>,
    workers: Workers,
    /// How long the calling thread works before others are asked to help.
    alone: Duration,
    begin: Instant,
}

/// A state that a model reaches at a cut point and that refutes candidates there.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The cut point.
    pub at: InlinedLocation,
    /// The state, as a row of the place's samples, if there are such.
    pub row: Option<Vec<i128>>,
}

impl Houdini {
    /// Over the program of the blocks, which must have no recursion.
    pub fn new(
        blocks: &Arc<Blocks>,
        solver: Box<dyn Solver>,
        token: &CancellationToken,
        workers: &Workers,
    ) -> Self {
        let points = blocks.cut_points();
        let all = points.iter().flat_map(|&at| blocks.from(at).to_vec());
        Self {
            all: all.collect(),
            own: Consecution::new(blocks, solver, token, PATIENT),
            workers: workers.clone(),
            alone: ALONE,
            begin: Instant::now(),
        }
    }

    /// The same, for candidates that are dropped rather than waited for.
    pub fn impatient(mut self) -> Self {
        self.own.patience = IMPATIENT;
        self
    }

    /// Gives candidates that are dropped rather than waited for so many times the usual time, within bounds.
    pub fn set_impatience(&mut self, factor: u32) {
        self.own.patience = IMPATIENT.times(factor);
    }

    /// By what candidates are shown from now on.
    pub fn set_means(&mut self, means: Means) {
        self.own.means = means;
    }

    /// Publishes the largest inductive subset of the candidates, and says what of it is new. `observe` is told what
    /// refutes the others.
    pub fn publish(
        &mut self,
        candidates: &[Candidate],
        samples: &Samples,
        context: &Context<'_>,
        observe: &mut (dyn FnMut(Refutation) + Send),
    ) -> Vec<Candidate> {
        let snapshot = context.exchange.snapshot();
        let candidates = candidates.iter().copied();
        let candidates = candidates.filter(|one| !context.exchange.is_refuted(one));
        let batch = self.inductive_subset(
            &candidates.collect::<Vec<_>>(),
            &snapshot,
            samples,
            &|_| Publisher::clone(context.exchange.publisher()),
            context.safe_point,
            observe,
        );
        let Some(batch) = batch else {
            return Vec::new();
        };
        let known = snapshot.candidates();
        let mut new = batch.invariants().to_vec();
        new.retain(|one| !known.contains(one));
        if new.is_empty() || context.exchange.publish(batch).is_none() {
            return Vec::new();
        }
        new
    }

    /// The largest subset of the candidates that is inductive relative to what is proved, as far as the solver can tell
    /// in short queries; `None` if that is empty, or when cancelled. `observe` is told what refutes the others.
    pub fn inductive_subset(
        &mut self,
        candidates: &[Candidate],
        proved: &Snapshot,
        samples: &Samples,
        publisher: &dyn Fn(&Candidate) -> Publisher,
        safe_point: &dyn Fn() -> Duration,
        observe: &mut (dyn FnMut(Refutation) + Send),
    ) -> Option<Proved> {
        // Elsewhere there is no block to break them, nor is there where the program begins, in any state.
        let inlined = self.own.blocks.inlined();
        let (cut_points, entry) = (inlined.cut_points(), inlined.entry());
        let at_cut_points = candidates.iter().copied();
        let at_cut_points =
            at_cut_points.filter(|one| cut_points.contains(one.at.location) && one.at != entry);
        let worklist = Worklist::new(&self.all, by_place(at_cut_points), proved.by_place());
        let queue = Queue::new(worklist);
        let task = Task {
            queue: &queue,
            samples,
            observe: &Mutex::new(observe),
            recipe: &self.own.recipe(),
        };
        let (own, alone) = (&mut self.own, self.alone);
        let begin = Instant::now();
        self.workers.scope(|scope| {
            let mut between = || {
                safe_point();
                if begin.elapsed() >= alone {
                    task.have_others_help(scope);
                }
            };
            task.work(own, None, &mut between);
        });
        let worklist = queue.finish().ok()?;
        let invariants: Vec<Candidate> = worklist
            .into_inductive()
            .into_iter()
            .flat_map(|(at, formulas)| Candidate::each(at, formulas))
            .collect();
        let relies_on = proved.batches().map(|(id, _)| id).collect();
        (!invariants.is_empty()).then(|| Proved::new(invariants, 1, relies_on, publisher))
    }
}

/// What the threads of one run have in common.
#[derive(Copy, Clone)]
struct Task<'t, 'b> {
    queue: &'t Queue<Worklist<'b>>,
    samples: &'t Samples,
    observe: &'t Mutex<&'t mut (dyn FnMut(Refutation) + Send)>,
    recipe: &'t Recipe,
}

impl<'t, 'b: 't> Task<'t, 'b> {
    /// One thread's work. A helper does not wait for what others may leave.
    fn work(
        self,
        consecution: &mut Consecution,
        helper: Option<&Helper<'_>>,
        between: &mut dyn FnMut(),
    ) {
        while !helper.is_some_and(Helper::is_wanted_back) {
            between();
            if consecution.token.is_cancelled() {
                self.queue.stop();
            }
            let Some((question, turn)) = self.queue.next(helper.is_none()) else {
                break;
            };
            let held = consecution.holding(
                question.block,
                &question.assumed,
                question.goals,
                self.samples,
                &mut |refutation| (self.observe.lock())(refutation),
            );
            // What was cut off is no answer: the turn ends without one.
            if !consecution.token.is_cancelled() {
                turn.done(|worklist| worklist.answer(question.block, &held));
            }
        }
    }

    /// Hires one more, if there is something to do.
    fn have_others_help(self, scope: &Scope<'_, 't>) {
        if self.queue.look(Worklist::has_work) {
            scope.hire(move |_, helper| {
                if let Ok(mut consecution) = self.recipe.make() {
                    self.work(&mut consecution, Some(helper), &mut || {});
                }
            });
        }
    }
}
