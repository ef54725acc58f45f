//! The largest inductive subset of candidates (\[FL01\]),
//! and proofs by such sets.
//!
//! A candidate stays as long as every block into its cut point leads to states that satisfy it, from states that
//! satisfy the candidates and the proved invariants at the block's source. A model of a block refutes all candidates
//! that it violates. The candidates that are left when no block violates any are 1-inductive together.
//!
//! * This file: the largest inductive subset; [`consecution`]: the queries; [`worklist`]: the blocks that are to be
//!   checked, by one or several threads; [`proof`]: proofs by inductive sets; [`models`]: models that are kept.

mod consecution;
mod models;
mod proof;
#[cfg(test)]
mod tests;
mod worklist;

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

pub use self::consecution::{Consecution, Means, SHORT_LIMITS};
use self::consecution::{ORDINARY_LIMITS, Recipe, SHORTEST_LIMITS};
use self::models::Models;
pub use self::models::Point;
use self::worklist::Worklist;
use super::samples::Samples;
use crate::{CancellationToken, Context};
use regatta_base::workers::queue::Queue;
use regatta_base::workers::{Helper, Scope, Workers};
use regatta_program::InlinedLocation;
use regatta_program::block::{Block, Blocks};
use regatta_sharing::{Candidate, Proved, Publisher, Snapshot, by_place};
use regatta_solver::Solver;

/// The time that the calling thread works alone before helpers are hired, which takes some 10 ms.
const TIME_BEFORE_HELPERS: Duration = Duration::from_millis(60);

/// Computes inductive subsets of candidates over one program.
pub struct Houdini {
    /// The queries of the calling thread.
    own: Consecution,
    /// All blocks between cut points.
    all: Arc<[Block]>,
    workers: Workers,
    /// The time that the calling thread works alone before helpers are hired.
    time_before_helpers: Duration,
    begin: Instant,
}

/// A state that a model reaches at a cut point and that refutes candidates there.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The cut point.
    pub at: InlinedLocation,
    /// The state, as a row of the location's samples, if these exist.
    pub row: Option<Vec<i128>>,
}

impl Houdini {
    /// Creates the computation for a program without recursion.
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
            own: Consecution::new(blocks, solver, token, ORDINARY_LIMITS),
            workers: workers.clone(),
            time_before_helpers: TIME_BEFORE_HELPERS,
            begin: Instant::now(),
        }
    }

    /// Like [`Self::new`], with the shortest limits of queries, for candidates that are dropped rather than waited for.
    pub fn with_shortest_limits(mut self) -> Self {
        self.own.limits = SHORTEST_LIMITS;
        self
    }

    /// Keeps the models of questions that fail: a later question about the same block that one of them answers is not asked.
    pub fn with_kept_models(mut self) -> Self {
        self.own.models = Some(Models::default());
        self
    }

    /// Sets the shortest limits of queries, multiplied by the factor, within bounds.
    pub fn scale_shortest_limits(&mut self, factor: u32) {
        self.own.limits = SHORTEST_LIMITS.times(factor);
    }

    /// Sets the means by which candidates are proved from now on.
    pub fn set_means(&mut self, means: Means) {
        self.own.means = means;
    }

    /// Publishes the largest inductive subset of the candidates that no reached state violates, and returns the new ones;
    /// `observe` gets refutations.
    pub fn publish(
        &mut self,
        candidates: &[Candidate],
        samples: &Samples,
        context: &Context<'_>,
        observe: &mut (dyn FnMut(Refutation) + Send),
    ) -> Vec<Candidate> {
        let snapshot = context.exchange.snapshot();
        let candidates = candidates.iter().copied();
        let exchange = context.exchange;
        let candidates =
            candidates.filter(|one| !exchange.is_refuted(one) && !exchange.is_violated(one));
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

    /// Returns the largest subset of the candidates that is inductive relative to the proved invariants, as far as
    /// short queries decide; `None` if that is empty, or when cancelled. `observe` gets the refutations of the others.
    pub fn inductive_subset(
        &mut self,
        candidates: &[Candidate],
        proved: &Snapshot,
        samples: &Samples,
        publisher: &dyn Fn(&Candidate) -> Publisher,
        safe_point: &dyn Fn() -> Duration,
        observe: &mut (dyn FnMut(Refutation) + Send),
    ) -> Option<Proved> {
        // Only inner cut points: at other locations no block ends, and at the entry, any state is possible.
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
        let (own, time_before_helpers) = (&mut self.own, self.time_before_helpers);
        let begin = Instant::now();
        self.workers.scope(|scope| {
            let mut between = || {
                safe_point();
                if begin.elapsed() >= time_before_helpers {
                    task.hire_helper(scope);
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

/// The data that the threads of one run share.
#[derive(Copy, Clone)]
struct Task<'t, 'b> {
    queue: &'t Queue<Worklist<'b>>,
    samples: &'t Samples,
    observe: &'t Mutex<&'t mut (dyn FnMut(Refutation) + Send)>,
    recipe: &'t Recipe,
}

impl<'t, 'b: 't> Task<'t, 'b> {
    /// The work of one thread. A helper ends when no work is left, without waiting for new work from others.
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
            // A query that was cut off has no answer: the turn ends without one.
            if !consecution.token.is_cancelled() {
                turn.done(|worklist| worklist.answer(question.block, &held));
            }
        }
    }

    /// Hires one more helper, if there is work.
    fn hire_helper(self, scope: &Scope<'_, 't>) {
        if self.queue.look(Worklist::has_work) {
            scope.hire(move |_, helper| {
                if let Ok(mut consecution) = self.recipe.make() {
                    self.work(&mut consecution, Some(helper), &mut || {});
                }
            });
        }
    }
}
