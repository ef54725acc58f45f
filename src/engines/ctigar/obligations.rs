//! Proof obligations (\[Bir13\], Algorithms 3, 6 and 7).

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::by_preimage::TraceStep;
use super::cube::{Cube, Literal, State};
use super::frames::Level;
use super::generalise::Consecution;
use super::place_solver::{Post, Query};
use super::queries::StepAnswer;
use super::refine::Source;
use super::system::{Model, PlaceId};
use super::{Ctigar, Stop};
use crate::Context;
use regatta_base::counters::{self, Counter};
use regatta_certify::replay::{Replay, Violation};
use regatta_sharing::ReachedState;
use regatta_term::{Evaluator, Symbol, Value, store};

/// Maximum number of runs from reached states that the replay has not confirmed.
const MAXIMUM_UNCONFIRMED: u32 = 8;

/// A proof obligation: the states are to be excluded. The level of the frame relative to which they are to be excluded is in
/// the queue.
#[derive(Debug)]
pub struct Obligation {
    state: State,
    /// The step from these states to the parent's states, or to an error.
    after: Model,
    parent: Option<usize>,
    /// Whether that step reaches only the parent's abstraction.
    is_spurious: bool,
    /// The number of spurious steps up to the error.
    spurious: u32,
    /// The number of obligations up to the error, including this one.
    depth: u64,
}

impl Obligation {
    /// Creates an obligation for states that are one step away from an error.
    pub fn at_error(state: State, after: Model) -> Self {
        Self {
            state,
            after,
            parent: None,
            is_spurious: false,
            spurious: 0,
            depth: 1,
        }
    }
}

/// The result of processing an obligation.
enum Outcome {
    /// The states are excluded from all frames up to the level.
    Eliminated(Level),
    /// The states have a predecessor in the frame.
    Predecessor(Model),
    /// Only the abstract state has a predecessor.
    Spurious(Model, Cube),
    /// The domain has been refined.
    Refined,
}

/// What ends the work on obligations if the error is reached.
pub enum End {
    /// A trace from the entry to the error.
    Trace(Vec<Model>),
    /// A confirmed violation by a run whose beginning another engine has found.
    Violation(Violation),
}

/// The obligations ordered by level; in a level the most recent one first.
type Queue = BTreeSet<(Level, Reverse<usize>)>;

impl Ctigar<'_> {
    /// HANDLEOBLIGATIONS (Algorithm 6): excludes the states up to the frontier, or returns a trace.
    pub(super) fn handle_obligations(
        &mut self,
        first: Obligation,
        context: &mut Context<'_>,
    ) -> Result<Option<End>, Stop> {
        let mut all = vec![first];
        let mut queue = Queue::from([(self.frontier.before(), Reverse(0))]);
        self.statistics.obligations += 1;
        self.statistics.deepest = self.statistics.deepest.max(1);
        counters::add(Counter::Obligations, 1);
        while let Some(&(level, Reverse(id))) = queue.first() {
            self.take_invariants(context);
            // Lines 4 to 10.
            if all[id].state.at == PlaceId::ENTRY {
                let Some(spurious) = last_spurious(&all, id) else {
                    return Ok(Some(End::Trace(trace(&all, id))));
                };
                self.backtrack_refine(&all, spurious, &mut queue, context)?;
                continue;
            }
            if self.unconfirmed < MAXIMUM_UNCONFIRMED
                && last_spurious(&all, id).is_none()
                && let Some(violation) = self.violation_after_reached(&all, id, context)
            {
                return Ok(Some(End::Violation(violation)));
            }
            let may_be_spurious = all[id].spurious < self.options.max_spurious;
            let state = all[id].state.clone();
            let after = self.to_error(&all, id);
            let eliminated = self.eliminate(&state, &after, level, may_be_spurious, context)?;
            let (model, cube) = match eliminated {
                Outcome::Refined => continue,
                // Lines 19 to 24.
                Outcome::Eliminated(excluded) => {
                    queue.remove(&(level, Reverse(id)));
                    if excluded <= self.frontier {
                        queue.insert((excluded, Reverse(id)));
                    }
                    continue;
                }
                Outcome::Predecessor(model) => (model, None),
                Outcome::Spurious(model, cube) => (model, Some(cube)),
            };
            let post = cube.as_ref().map_or(Post::State(&state), Post::Cube);
            let state = self
                .queries
                .lift(&model, post, &self.domain, &mut self.statistics)?;
            let is_spurious = cube.is_some();
            let depth = all[id].depth + 1;
            self.statistics.deepest = self.statistics.deepest.max(depth);
            all.push(Obligation {
                state,
                after: model,
                parent: Some(id),
                is_spurious,
                spurious: all[id].spurious + u32::from(is_spurious),
                depth,
            });
            self.statistics.obligations += 1;
            counters::add(Counter::Obligations, 1);
            self.statistics.spurious += u64::from(is_spurious);
            // A state that does not reach the parent's states themselves need not be excluded from the previous frame.
            let level = if is_spurious {
                Level(0)
            } else {
                level.before()
            };
            queue.insert((level, Reverse(all.len() - 1)));
        }
        Ok(None)
    }

    /// Looks for a reached state among the obligation's states, from all of which the error is reached with the inputs of the
    /// trace; returns the violation if the replay confirms the run.
    fn violation_after_reached(
        &mut self,
        all: &[Obligation],
        id: usize,
        context: &mut Context<'_>,
    ) -> Option<Violation> {
        let State { at, cells } = &all[id].state;
        let at = self.system.place(*at).at;
        let is_in = |state: &ReachedState| {
            cells.iter().all(|(cell, value)| {
                let contents = match (&cell.index, state.value(cell.symbol)) {
                    (None, contents) => contents,
                    (Some(index), Some(Value::Array(array))) => Some(array.select(index)),
                    (Some(_), _) => None,
                };
                contents == Some(value)
            })
        };
        let state = context.exchange.nearest_reached(at, is_in)?;
        let mut inputs = state.inputs();
        let rest = self.inputs_after(&state, &trace(all, id))?;
        inputs.entries.extend(rest.entries);
        counters::add(Counter::RefutedByStates, 1);
        match (context.confirm)(&inputs) {
            Replay::Confirmed(violation) => Some(violation),
            Replay::NotConfirmed(_) => {
                self.unconfirmed += 1;
                None
            }
        }
    }

    /// The loop over the abstract states of the obligation (Algorithm 6, lines 11 to 18), and ELIMINATEABSTRACTSTATE
    /// (Algorithm 7).
    fn eliminate(
        &mut self,
        state: &State,
        to_error: &[TraceStep],
        level: Level,
        may_be_spurious: bool,
        context: &mut Context<'_>,
    ) -> Result<Outcome, Stop> {
        let mut excluded = None;
        // Each iteration takes an abstract state that the clauses so far do not exclude.
        while let Some(cube) = self.next_abstract_state(state, level.next(), context)? {
            match self.consecution(&cube, level, context)? {
                // Lines 5 to 12 of Algorithm 7.
                Consecution::Inductive(part) => {
                    let up_to = self.generalise_and_exclude(part, level, context)?;
                    excluded = Some(excluded.map_or(up_to, |before: Level| before.min(up_to)));
                }
                Consecution::Broken(model) => {
                    if let Some(model) = self.predecessor(state, level, context)? {
                        return Ok(Outcome::Predecessor(model));
                    }
                    // Lines 13 to 22: there is a spurious transition.
                    if let Some(model) = model
                        && may_be_spurious
                        && model.step.from != PlaceId::ENTRY
                    {
                        return Ok(Outcome::Spurious(model, cube));
                    }
                    return match self.refine(state, to_error, level, context)? {
                        true => Ok(Outcome::Refined),
                        false => Err(Stop::Undecided(
                            "no predicate refines the domain".to_owned(),
                        )),
                    };
                }
            }
        }
        Ok(Outcome::Eliminated(excluded.unwrap_or(level.next())))
    }

    /// Returns an abstract state that intersects the states and is not excluded from the frame (\[Bir13\], section 3.3). It
    /// consists
    /// of the predicates that share a symbol with the states' cells.
    fn next_abstract_state(
        &mut self,
        state: &State,
        level: Level,
        context: &Context<'_>,
    ) -> Result<Option<Cube>, Stop> {
        let found =
            (self.queries).state_in_frame(state, level, &self.frames, &self.domain, context)?;
        let Some(model) = found else {
            return Ok(None);
        };
        self.statistics.abstract_states += 1;
        let symbols: FxHashSet<Symbol> = state.cells.iter().map(|(cell, _)| cell.symbol).collect();
        Ok(Some(self.abstraction(&model, state.at, Some(&symbols))))
    }

    /// Returns the abstract state of the model's state, over the predicates that contain one of the symbols, or over all.
    pub(super) fn abstraction(
        &self,
        model: &Model,
        at: PlaceId,
        symbols: Option<&FxHashSet<Symbol>>,
    ) -> Cube {
        let assignment = |symbol, instance| model.values.get(&(symbol, instance)).cloned();
        let mut evaluator = Evaluator::new(store(), &assignment);
        let mut literals = Vec::new();
        for &predicate in self.domain.at(at) {
            if symbols.is_some_and(|symbols| !self.domain.mentions(predicate, symbols)) {
                continue;
            }
            let positive = Literal {
                predicate,
                is_true: true,
            };
            if let Ok(value) = evaluator.evaluate(self.domain.literal(positive)) {
                let is_true = value == Value::Bool(true);
                literals.push(Literal { predicate, is_true });
            }
        }
        Cube::new(at, literals)
    }

    /// Returns a state of the frame, outside the given states, that has a step into them.
    fn predecessor(
        &mut self,
        state: &State,
        level: Level,
        context: &Context<'_>,
    ) -> Result<Option<Model>, Stop> {
        for step in self.system.incoming(state.at) {
            let query = Query {
                level,
                excluding: Some(Post::State(state)),
                post: Post::State(state),
                frames: &self.frames,
                domain: &self.domain,
            };
            match self.queries.step(step, query, context)? {
                StepAnswer::Blocked(_) => {}
                StepAnswer::Taken(model) => return Ok(Some(model)),
                StepAnswer::Undecided(reason) => return Err(Stop::Undecided(reason)),
            }
        }
        Ok(None)
    }

    /// Returns the steps from the obligation's states to the error, if refinement looks at them.
    fn to_error(&self, all: &[Obligation], id: usize) -> Vec<TraceStep> {
        if self.options.interpolation != Source::Preimages {
            return Vec::new();
        }
        let steps = path(all, id).map(|id| TraceStep {
            model: all[id].after.clone(),
            to: all[id].parent.map(|parent| all[parent].state.clone()),
        });
        steps.collect()
    }

    /// BACKTRACKREFINE (section 3.4): drops the obligations from the spurious step on, and refines the domain such that there is
    /// no such step.
    fn backtrack_refine(
        &mut self,
        all: &[Obligation],
        spurious: usize,
        queue: &mut Queue,
        context: &mut Context<'_>,
    ) -> Result<(), Stop> {
        self.statistics.backtracks += 1;
        queue.retain(|&(_, Reverse(id))| !path(all, id).any(|one| one == spurious));
        let parent = all[spurious].parent;
        let waiting = queue
            .iter()
            .find(|(_, Reverse(id))| Some(*id) == parent)
            .copied();
        if let Some((level, Reverse(id))) = waiting {
            let to_error = self.to_error(all, id);
            self.refine(&all[id].state, &to_error, level, context)?;
        }
        Ok(())
    }
}

/// Returns the obligation and its ancestors.
fn path(all: &[Obligation], id: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(id), |&id| all[id].parent)
}

/// Returns the obligation on the path with the spurious step that is farthest from the error.
fn last_spurious(all: &[Obligation], id: usize) -> Option<usize> {
    path(all, id).find(|&id| all[id].is_spurious)
}

/// Returns the steps from the obligation to the error.
fn trace(all: &[Obligation], id: usize) -> Vec<Model> {
    path(all, id).map(|id| all[id].after.clone()).collect()
}
