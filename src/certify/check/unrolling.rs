//! The check that all paths end, and none in a target.

use std::time::{Duration, Instant};

use super::super::walk::{Frontier, GivenUp, Recursion, Walk};
use super::{Checker, Failure};
use crate::lowered::call_strings::Node;
use crate::queries::query::{Answer, ask, ask_within};
use crate::verification_conditions::What;
use regatta_term::TermId;

impl Checker<'_> {
    /// Checks that all paths end, and none in a target.
    pub(super) fn unrolling(&mut self, bound: u32) -> Result<(), Failure> {
        let mark = self.mark();
        match self.unroll(bound) {
            Err(Failure::Unclear(reason))
                if !self.has_facts && !self.simplified.invariants.is_empty() =>
            {
                // The simplifier's facts may be needed for loops that it has removed.
                self.deadline.left()?;
                self.forget(mark);
                self.confirm_facts().map_err(|_| Failure::Unclear(reason))?;
                self.section(|| format!("All paths end within {bound} steps, by the facts"));
                self.unroll(bound)
            }
            result => result,
        }
    }

    fn unroll(&mut self, bound: u32) -> Result<(), Failure> {
        let cuts = self.cuts.clone();
        let mut walk = self.walk(&cuts, Recursion::Unrolled);
        let mut frontier = Frontier::from([(walk.entry(), walk.arbitrary())]);
        // The program as lowered may have a few more cut points on a path.
        let most = bound.saturating_add(bound / 4).saturating_add(2);
        let mut steps = 0;
        let mut pruning = Pruning::new();
        loop {
            walk.left()?;
            frontier = walk.segment(frontier)?;
            walk.name(&mut frontier);
            pruning.prune(&walk, &mut frontier)?;
            let mut entered = std::mem::take(&mut walk.entered).into_iter();
            if entered.any(|(node, _)| walk.has_target(node)) {
                return Err(Failure::Unclear(
                    "a target in a recursive function".to_owned(),
                ));
            }
            steps += 1;
            if frontier.is_empty() {
                break;
            }
            if steps == bound || steps >= most {
                for (&node, state) in &frontier {
                    walk.label(state.guard, node, What::Reached);
                }
                let alive: Vec<TermId> = frontier.values().map(|state| state.guard).collect();
                // Usually one question is enough.
                let mut all = walk.targets.conditions.clone();
                all.extend(&alive);
                if ask(&walk, &all)? == Answer::Impossible {
                    return Ok(());
                }
                if ask(&walk, &alive)? == Answer::Impossible {
                    break;
                }
            }
            if steps >= most {
                // The two programs count steps differently, so that this need not be an error of the engine.
                return Err(Failure::Unclear(format!(
                    "some path does not end within {most} steps"
                )));
            }
        }
        let goals = std::mem::take(&mut walk.targets);
        if ask(&walk, &goals.conditions)? != Answer::Impossible {
            let over_approximated = walk.over_approximated;
            return Err(self
                .precision(over_approximated)
                .failure("some path ends in a target".to_owned()));
        }
        Ok(())
    }
}

/// Drops unreachable states, so that infeasible activations of recursive functions are not followed. This only saves time:
/// states that are not dropped are followed.
struct Pruning {
    began: Instant,
    /// Whether the last question has dropped a state.
    useful: bool,
    /// Number of states from which on the solver is asked.
    states: usize,
    /// Depth of call strings from which on the solver is asked.
    depth: u32,
}

impl Pruning {
    /// Minimum of [`Self::states`].
    const MINIMUM_STATES: usize = 8;
    /// Minimum of [`Self::depth`].
    const MINIMUM_DEPTH: u32 = 3;

    fn new() -> Self {
        Self {
            began: Instant::now(),
            useful: false,
            states: Self::MINIMUM_STATES,
            depth: Self::MINIMUM_DEPTH,
        }
    }

    fn prune(&mut self, walk: &Walk<'_, '_>, frontier: &mut Frontier) -> Result<(), GivenUp> {
        let depth = |frontier: &Frontier| {
            let depths = frontier.keys().map(|node| walk.stacks.depth(node.stack));
            depths.max().unwrap_or(0)
        };
        let (states, now) = (frontier.len(), depth(frontier));
        if states >= self.states || now >= self.depth {
            // As much time as everything before, since the next question comes only when there are many more states.
            let end = Instant::now() + Duration::from_millis(500).max(self.began.elapsed());
            let mut open: Vec<(Node, TermId)> = frontier
                .iter()
                .map(|(&node, state)| (node, state.guard))
                .filter(|&(_, guard)| guard != TermId::TRUE)
                .collect();
            for &(node, guard) in &open {
                walk.label(guard, node, What::Reached);
            }
            while !open.is_empty() {
                let guards: Vec<TermId> = open.iter().map(|entry| entry.1).collect();
                let left = end.saturating_duration_since(Instant::now());
                match ask_within(walk, &guards, left) {
                    Ok(Answer::Impossible) => {
                        for (node, _) in open.drain(..) {
                            frontier.remove(&node);
                        }
                    }
                    Ok(Answer::Possible(reached)) => {
                        let mut reached = reached.into_iter();
                        let before = open.len();
                        open.retain(|_| !reached.next().unwrap_or(false));
                        if open.len() == before {
                            break;
                        }
                    }
                    Err(_) => {
                        walk.left()?;
                        break;
                    }
                }
            }
            self.useful = frontier.len() < states;
            self.states = 2 * frontier.len();
            self.depth = depth(frontier) + 1 + depth(frontier) / 4;
        }
        if self.useful {
            // After the number of states has shrunk, ask again when it grows.
            let (states, now) = (frontier.len(), depth(frontier));
            self.states = self.states.min(2 * states);
            self.depth = self.depth.min(now + 1 + now / 4);
        }
        self.states = self.states.max(Self::MINIMUM_STATES);
        self.depth = self.depth.max(Self::MINIMUM_DEPTH);
        Ok(())
    }
}
