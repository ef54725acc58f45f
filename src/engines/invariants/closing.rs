//! The closing check asks which targets the proved invariants exclude by themselves. Which analysis has proved them does not
//! matter.
//!
//! A target is excluded if every path to it from a cut point without another one in between is: no state there satisfies the
//! invariants and the path's condition. It is the step case of induction with k = 1. Engines ask that of
//! what they know, when they come to it; those that only generate invariants, and candidates that the prover proves for
//! others, would be in nobody's proof.
//!
//! For each version of the store, a target costs one question that has another answer than "excluded" at most. The way to the
//! target that it was about is the first to be asked about when there are invariants of a newer batch where it begins, and until
//! then the target costs nothing. The state that goes that way is kept: as long as it satisfies the newer invariants, the answer is
//! the same, and nothing is asked. All questions together have a small share of the wall time.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use super::houdini::{Houdini, Point};
use crate::CancellationToken;
use regatta_base::counters::{self, Counter};
use regatta_certify::certificate::{Certificate, ProofStep, quantified};
use regatta_program::block::Blocks;
use regatta_program::{InlinedLocation, LocationId};
use regatta_sharing::{BatchId, ByPlace, Candidate, Snapshot};
use regatta_term::store;

/// Maximum wall time of a question.
const QUESTION_TIME: Duration = Duration::from_millis(50);

/// The share of the wall time since the first look that looks have, and the time that they have in any case.
const SHARE: f64 = 0.05;
const AT_LEAST: Duration = Duration::from_millis(100);

/// The time that a look has at least.
const LOOK: Duration = Duration::from_millis(10);

/// The error locations that are not reached, with the proof.
#[derive(Debug)]
pub struct Exclusion {
    /// The error locations, in the program to analyse.
    pub errors: BTreeSet<LocationId>,
    /// The proof that none of them is reached; it is of all targets if no other is left.
    pub steps: Vec<ProofStep>,
}

impl Exclusion {
    /// The proof as one of all targets.
    pub fn of_all(self) -> Certificate {
        Certificate::of_all(self.steps)
    }
}

/// Which targets are open and how a look is limited.
pub struct Question<'q> {
    /// The error locations that are open, if each is decided by itself; without them, one that is not excluded decides for all.
    pub open: Option<&'q BTreeSet<LocationId>>,
    /// Whether it has all the time that it needs, since no engine runs beside it.
    pub is_last: bool,
    /// Called between questions, where a pause costs nothing.
    pub safe_point: &'q dyn Fn() -> Duration,
    pub token: &'q CancellationToken,
}

/// The ways to the targets, and what is known of each.
pub struct Closing {
    /// The ways to each error location, the one first that was not excluded last; `None` for edges that are not modelled, after
    /// which any error may come.
    ways: BTreeMap<Option<LocationId>, Vec<Way>>,
    /// Error locations for which the check of the proof did not pass.
    refused: BTreeSet<LocationId>,
    /// The version of the store of which everything has been asked.
    version: Option<u64>,
    begin: Instant,
    /// The wall time of the looks so far.
    spent: Duration,
}

/// A block to a target.
struct Way {
    /// The block's number.
    block: usize,
    source: InlinedLocation,
    state: State,
}

/// What is known of a way.
enum State {
    NotAsked,
    /// No state where these invariants hold is at its beginning and goes this way.
    Excluded(Vec<Candidate>),
    /// It was not excluded.
    Open {
        /// The last batch whose invariants were asked about; `None` where there were none.
        asked: Option<BatchId>,
        /// A state that goes this way, in which these invariants hold, if it is known.
        point: Option<Point>,
    },
}

impl Closing {
    /// Finds the ways to the targets in the program of the prover.
    pub fn new(houdini: &Houdini) -> Self {
        let mut ways: BTreeMap<Option<LocationId>, Vec<Way>> = BTreeMap::new();
        for (block, target) in houdini.ways_to_targets() {
            let source = houdini.source(block);
            ways.entry(target).or_default().push(Way {
                block,
                source,
                state: State::NotAsked,
            });
        }
        Self {
            ways,
            refused: BTreeSet::new(),
            version: None,
            begin: Instant::now(),
            spent: Duration::ZERO,
        }
    }

    /// Returns the time after which there is time for a look at the version of the store; `None` if there is nothing to ask.
    pub fn due_after(&self, version: u64, is_last: bool) -> Option<Duration> {
        if self.version == Some(version) {
            return None;
        }
        let lacking = (self.spent + LOOK).saturating_sub(self.allowed());
        Some(match is_last {
            true => Duration::ZERO,
            false => lacking.div_f64(SHARE),
        })
    }

    fn allowed(&self) -> Duration {
        AT_LEAST + self.begin.elapsed().mul_f64(SHARE)
    }

    /// Leaves these error locations aside, since the check of the proof for them did not pass.
    pub fn refuse(&mut self, errors: impl IntoIterator<Item = LocationId>) {
        self.refused.extend(errors);
    }

    /// Asks which of the open targets the invariants exclude. If not every target is decided by itself, there is no
    /// exclusion but that of all.
    pub fn look(
        &mut self,
        houdini: &mut Houdini,
        snapshot: &Snapshot,
        blocks: &Blocks,
        question: &Question<'_>,
    ) -> Option<Exclusion> {
        let begin = Instant::now();
        let mut turn = Turn {
            question,
            end: (!question.is_last).then(|| begin + self.allowed().saturating_sub(self.spent)),
            waited: Duration::ZERO,
        };
        let excluded = self.ask(houdini, snapshot, &mut turn);
        let time = begin.elapsed().saturating_sub(turn.waited);
        self.spent += time;
        counters::add(Counter::Closing, time.as_micros() as u64);
        if excluded.is_empty() || question.token.is_cancelled() {
            return None;
        }
        let needed = self.needed(&excluded);
        Some(Exclusion {
            errors: excluded,
            steps: proof(houdini, needed, snapshot, blocks),
        })
    }

    /// Returns the open error locations that are excluded: none if one that is not decides for all.
    fn ask(
        &mut self,
        houdini: &mut Houdini,
        snapshot: &Snapshot,
        turn: &mut Turn<'_>,
    ) -> BTreeSet<LocationId> {
        let known = Known {
            by_place: snapshot.by_place(),
            newest: snapshot.newest_by_place(),
            snapshot,
        };
        self.forget_withdrawn(&snapshot.candidates());
        let all: BTreeSet<LocationId> = self.ways.keys().copied().flatten().collect();
        let open = turn.question.open.unwrap_or(&all);
        let is_apart = turn.question.open.is_some();
        let mut excluded = BTreeSet::new();
        // What is not modelled comes first.
        for target in [None].into_iter().chain(open.iter().copied().map(Some)) {
            let is_refused = target.is_some_and(|error| self.refused.contains(&error));
            // An error location to which no way leads is not reached.
            let ways = self
                .ways
                .get_mut(&target)
                .map_or(&mut [][..], Vec::as_mut_slice);
            let is_excluded = match is_refused {
                true => Some(false),
                false => known.exclude_all(ways, houdini, turn),
            };
            match (is_excluded, target) {
                (Some(true), Some(error)) => _ = excluded.insert(error),
                (Some(true), None) => {}
                (Some(false), Some(_)) if is_apart => {}
                (Some(false), _) => {
                    excluded.clear();
                    break;
                }
                // The rest is left to the next look.
                (None, _) if is_apart => return excluded,
                (None, _) => return BTreeSet::new(),
            }
        }
        self.version = Some(snapshot.version());
        excluded
    }

    /// Forgets what rests on invariants that have been withdrawn, and that proofs with them did not pass.
    fn forget_withdrawn(&mut self, proved: &FxHashSet<Candidate>) {
        for way in self.ways.values_mut().flatten() {
            if let State::Excluded(needed) = &way.state
                && !needed.iter().all(|one| proved.contains(one))
            {
                way.state = State::NotAsked;
                self.refused.clear();
            }
        }
    }

    /// Returns the invariants that the exclusions need.
    fn needed(&self, excluded: &BTreeSet<LocationId>) -> Vec<Candidate> {
        let targets = [None].into_iter();
        let targets = targets.chain(excluded.iter().copied().map(Some));
        let ways = targets
            .filter_map(|target| self.ways.get(&target))
            .flatten();
        let needed = ways.flat_map(|way| match &way.state {
            State::Excluded(needed) => &needed[..],
            State::NotAsked | State::Open { .. } => &[],
        });
        let needed: FxHashSet<Candidate> = needed.copied().collect();
        let mut needed: Vec<Candidate> = needed.into_iter().collect();
        needed.sort_unstable_by_key(|one| (one.at, one.formula));
        needed
    }
}

/// A look.
struct Turn<'q> {
    question: &'q Question<'q>,
    /// When it ends, if its time is limited; the time that it has waited is added.
    end: Option<Instant>,
    waited: Duration,
}

impl Turn<'_> {
    /// Lets others run if they are to, and returns whether there may be another question.
    fn goes_on(&mut self) -> bool {
        self.waited += (self.question.safe_point)();
        let is_over = |end: Instant| Instant::now() >= end + self.waited;
        !self.question.token.is_cancelled() && !self.end.is_some_and(is_over)
    }
}

/// The invariants of a snapshot.
struct Known<'s> {
    by_place: ByPlace,
    newest: FxHashMap<InlinedLocation, BatchId>,
    snapshot: &'s Snapshot,
}

impl Known<'_> {
    /// Whether the state satisfies the invariants at the place that are newer than the batch.
    fn holds_newer(&self, point: &Point, at: InlinedLocation, than: Option<BatchId>) -> bool {
        let newer = self.snapshot.invariants();
        let mut newer = newer.filter(|(id, one)| Some(*id) > than && one.at == at);
        newer.all(|(_, one)| {
            quantified(one.formula).is_none() && point.satisfies(store(), [one.formula])
        })
    }

    /// Whether all ways are excluded; `None` if there is no time to find out. The first way that is not excluded is moved to the
    /// front, and those after it are not asked about.
    fn exclude_all(
        &self,
        ways: &mut [Way],
        houdini: &mut Houdini,
        turn: &mut Turn<'_>,
    ) -> Option<bool> {
        for number in 0..ways.len() {
            let way = &mut ways[number];
            let newest = self.newest.get(&way.source).copied();
            let is_asked = match &mut way.state {
                State::Excluded(_) => continue,
                State::Open { asked, .. } if newest <= *asked => true,
                State::Open {
                    asked,
                    point: Some(point),
                } if self.holds_newer(point, way.source, *asked) => {
                    *asked = newest;
                    counters::add(Counter::KeptModels, 1);
                    true
                }
                State::Open { .. } | State::NotAsked => false,
            };
            if !is_asked {
                if !turn.goes_on() {
                    return None;
                }
                counters::add(Counter::ClosingQuestions, 1);
                let needed = houdini.excluding(way.block, &self.by_place, QUESTION_TIME);
                way.state = match needed {
                    Ok(needed) => State::Excluded(needed),
                    Err(point) => State::Open {
                        asked: newest,
                        point,
                    },
                };
            }
            if let State::Open { .. } = way.state {
                ways.swap(0, number);
                return Some(false);
            }
        }
        Some(true)
    }
}

/// Returns the proof with the invariants that are needed, and those that these need. Where they are not inductive by
/// themselves, as those of k-induction, the proof has their batches, as they were proved.
fn proof(
    houdini: &mut Houdini,
    needed: Vec<Candidate>,
    snapshot: &Snapshot,
    blocks: &Blocks,
) -> Vec<ProofStep> {
    if needed.is_empty() {
        let relies_on = Vec::new();
        return vec![ProofStep::Safety { k: 1, relies_on }];
    }
    let of: FxHashMap<Candidate, BatchId> =
        snapshot.invariants().map(|(id, one)| (one, id)).collect();
    let batches: BTreeSet<BatchId> = needed
        .iter()
        .filter_map(|one| of.get(one).copied())
        .collect();
    let batches: Vec<BatchId> = batches.into_iter().collect();
    let certificate = houdini.certificate(1, needed, snapshot);
    let certificate =
        certificate.unwrap_or_else(|| snapshot.certificate(1, &batches, &[], blocks.inlined()));
    certificate.steps
}
