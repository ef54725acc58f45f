//! The keeper of invariants: offers those of an earlier run, or of an earlier race of this run, to the prover, and keeps those of
//! this one for the next.
//!
//! An edit moves a loop to another line, and the simplifier may move it to another function. A loop of the program to
//! analyse is found by its position among the loops of the program as lowered, and is named by its function there and its number
//! in it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::judge::evidence::Ground;
use crate::record::event::EventKind;
use crate::record::findings::Printer;
use crate::record::kept_invariants::{self, KeptInvariant, KeptPlace};
use crate::record::recorder::Recorder;
use crate::task::Task;
use regatta_certify::certificate::is_any_index;
use regatta_certify::{Certificate, InvariantLocation, ProofStep};
use regatta_program::block::Blocks;
use regatta_program::{
    CallGraph, CutPointKind, CutPoints, FunctionId, InlinedLocation, InlinedProgram, LocationId,
    Program, Span,
};
use regatta_sharing::{Candidate, InvariantStore, Publisher, Snapshot};
use regatta_term::{TermId, conjuncts, free_variables, size, store};

/// For how long invariants are kept.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Until {
    /// For the next run.
    NextRun,
    /// For the next race of this run.
    NextRace,
}

impl Until {
    /// The name under which the invariants of an earlier one are offered.
    fn publisher(self) -> Publisher {
        Publisher::from(match self {
            Self::NextRun => "earlier run",
            Self::NextRace => "earlier race",
        })
    }
}

/// Interval between two writes of the invariants for the next run, and for the next race, before which this one may be ended.
const INTERVAL: Duration = Duration::from_secs(1);
const INTERVAL_IN_RUN: Duration = Duration::from_millis(300);

/// Maximum number of runs in a row that do not prove an invariant before it is forgotten.
const MAXIMUM_MISSES: u32 = 3;

/// Maximum size of a formula that is kept (terms).
const MAXIMUM_SIZE: usize = 300;

/// Maximum number of cut points at which one invariant of an earlier run is tried.
const MAXIMUM_PLACES: usize = 8;

/// The keeper.
pub(super) struct Keeper {
    file: PathBuf,
    until: Until,
    /// Whether the race is about the whole program; a race about some of its checks may prove less.
    is_whole: bool,
    earlier: Vec<Earlier>,
    /// Why the file was of no use.
    refused: Option<String>,
    places: Places,
    told: Mutex<Told>,
}

/// An invariant of an earlier run.
struct Earlier {
    kept: KeptInvariant,
    /// The formula; none if it cannot be one.
    formula: Option<TermId>,
}

/// What has been said and written until now.
#[derive(Default)]
struct Told {
    /// For each invariant of an earlier run, the candidates that it has become.
    offered: Vec<Vec<Candidate>>,
    /// The number of those that are proved again.
    held: Option<usize>,
    /// The version of the store that was written.
    written: Option<u64>,
    has_failed: bool,
}

impl Keeper {
    /// Reads the file of an earlier run.
    pub fn new(file: &Path, until: Until, task: &Task) -> Self {
        let (kept, refused) = match kept_invariants::read(file) {
            Ok(kept) => (kept, None),
            Err(reason) => (Vec::new(), Some(format!("{}: {reason}", file.display()))),
        };
        let earlier = kept.into_iter().map(|kept| Earlier {
            formula: kept.formula(),
            kept,
        });
        Self {
            file: file.to_owned(),
            until,
            is_whole: task.scope.is_none(),
            earlier: earlier.collect(),
            refused,
            places: Places::new(&task.lowered),
            told: Mutex::default(),
        }
    }

    /// The interval between two writes.
    pub fn interval(&self) -> Duration {
        match self.until {
            Until::NextRun => INTERVAL,
            Until::NextRace => INTERVAL_IN_RUN,
        }
    }

    /// Whether there are invariants of an earlier run.
    pub fn has_earlier(&self) -> bool {
        !self.earlier.is_empty()
    }

    /// Offers the invariants of the earlier run where the program still has their loops and variables.
    pub fn offer(&self, invariants: &InvariantStore, blocks: &Blocks) {
        let by_loop = self.cut_points(blocks);
        let offered: Vec<Vec<Candidate>> = self
            .earlier
            .iter()
            .map(|earlier| candidates(earlier, &by_loop, blocks))
            .collect();
        let all: Vec<Candidate> = offered.iter().flatten().copied().collect();
        self.told.lock().offered = offered;
        invariants.offer(&self.until.publisher(), all);
    }

    /// The cut points of the program by the loops that they belong to, with the functions that are called there.
    fn cut_points(&self, blocks: &Blocks) -> ByLoop {
        let inlined = blocks.inlined();
        let mut by_loop = ByLoop::default();
        for at in blocks.cut_points() {
            let place = self
                .places
                .of(inlined, &InvariantLocation::new(inlined, at));
            if let Some(place) = place {
                let of = (place.function, place.number);
                by_loop.entry(of).or_default().push((place.calls, at));
            }
        }
        by_loop
    }

    /// Writes what is proved now, and tells how much of the earlier run's still holds, if there is anything new.
    pub fn keep(
        &self,
        invariants: &InvariantStore,
        inlined: &InlinedProgram,
        recorder: &Recorder,
        proof: Option<&Ground>,
    ) {
        let snapshot = invariants.snapshot();
        let mut told = self.told.lock();
        if told.written == Some(snapshot.version()) && proof.is_none() {
            return;
        }
        told.written = Some(snapshot.version());
        let proved = snapshot.candidates();
        let is_held =
            |candidates: &Vec<Candidate>| candidates.iter().any(|one| proved.contains(one));
        let held = told.offered.iter().filter(|one| is_held(one)).count();
        let is_worth_telling = self.has_earlier() || self.refused.is_some();
        if told.held.replace(held) != Some(held) && is_worth_telling {
            recorder.event(EventKind::EarlierInvariants {
                is_same_run: self.until == Until::NextRace,
                kept: self.earlier.len(),
                placed: told.offered.iter().filter(|one| !one.is_empty()).count(),
                held,
                refused: self.refused.clone(),
            });
        }
        let all = self.all(&snapshot, inlined, proof, told.offered.iter().map(is_held));
        if all.is_empty() || told.has_failed {
            return;
        }
        if let Err(error) = kept_invariants::write(&self.file, &all) {
            told.has_failed = true;
            if self.until == Until::NextRun {
                recorder.event(EventKind::NotWritten {
                    message: format!("{}: {error}", self.file.display()),
                });
            }
        }
    }

    /// What the next run gets: what a proof rests on, what is proved, and what an earlier run has proved and this one has
    /// not, for a while.
    fn all(
        &self,
        snapshot: &Snapshot,
        inlined: &InlinedProgram,
        proof: Option<&Ground>,
        held: impl Iterator<Item = bool>,
    ) -> Vec<KeptInvariant> {
        let program = inlined.program();
        let printer = Printer::new(program);
        let mut known: FxHashSet<(KeptPlace, TermId)> = FxHashSet::default();
        let mut all = Vec::new();
        let of_proof = proof.into_iter().flat_map(|ground| match ground {
            Ground::Proof(certificate, ..) => invariants_of(certificate),
            _ => Vec::new(),
        });
        let shared = snapshot.invariants();
        let shared = shared.map(|(_, one)| (InvariantLocation::new(inlined, one.at), one.formula));
        for (at, formula) in of_proof.chain(shared) {
            let Some(place) = self.places.of(inlined, &at) else {
                continue;
            };
            let function = program.location(at.location).function;
            for part in conjuncts(store(), formula) {
                if is_kept(part) && known.insert((place.clone(), part)) {
                    let text = printer.formula(part, function);
                    all.push(KeptInvariant::new(place.clone(), text, part));
                }
            }
        }
        for (earlier, is_held) in self
            .earlier
            .iter()
            .zip(held.chain(std::iter::repeat(false)))
        {
            let mut kept = earlier.kept.clone();
            kept.misses = match (is_held, self.is_whole) {
                (true, _) => 0,
                (false, true) => kept.misses + 1,
                (false, false) => kept.misses,
            };
            let is_new = earlier
                .formula
                .is_some_and(|formula| known.insert((kept.place.clone(), formula)));
            if is_new && kept.misses <= MAXIMUM_MISSES {
                all.push(kept);
            }
        }
        all
    }
}

/// Cut points by function and number of their loop.
type ByLoop = FxHashMap<(String, u32), Vec<(Vec<String>, InlinedLocation)>>;

/// The candidates of an invariant: where the same functions are called, if there is such a place, else at the loop wherever
/// it is.
fn candidates(earlier: &Earlier, by_loop: &ByLoop, blocks: &Blocks) -> Vec<Candidate> {
    let KeptPlace {
        function,
        number,
        calls,
    } = &earlier.kept.place;
    let Some(formula) = earlier.formula else {
        return Vec::new();
    };
    let found = by_loop.get(&(function.clone(), *number));
    let found = found.map_or(&[][..], Vec::as_slice);
    let has_same = found.iter().any(|(of, _)| of == calls);
    let fitting = found.iter().filter(|(of, _)| !has_same || of == calls);
    fitting
        .map(|&(_, at)| Candidate { at, formula })
        .filter(|candidate| is_over_state(candidate, blocks))
        .take(MAXIMUM_PLACES)
        .collect()
}

/// Checks whether the formula is over variables that the program has and uses there.
fn is_over_state(candidate: &Candidate, blocks: &Blocks) -> bool {
    let state = blocks.state(candidate.at);
    let variables = free_variables(store(), candidate.formula);
    variables.iter().all(|&(symbol, instance)| {
        let variable = blocks.variable(symbol);
        let is_there = variable.is_some_and(|variable| state.binary_search(&variable).is_ok());
        instance == 0 && (is_there || is_any_index(symbol))
    })
}

/// Checks whether a formula is about one state, and not too large.
fn is_kept(formula: TermId) -> bool {
    let is_of_state = |(_, instance): (_, u32)| instance == 0;
    !matches!(formula, TermId::TRUE | TermId::FALSE)
        && size(store(), formula) <= MAXIMUM_SIZE
        && free_variables(store(), formula)
            .into_iter()
            .all(is_of_state)
}

/// The invariants of a proof.
fn invariants_of(certificate: &Certificate) -> Vec<(InvariantLocation, TermId)> {
    let steps = certificate.steps.iter();
    let batches = steps.filter_map(|step| match step {
        ProofStep::Inductive { batch, .. } | ProofStep::Summaries { batch } => Some(batch),
        _ => None,
    });
    batches.flatten().cloned().collect()
}

/// The loops of the source by their positions.
struct Places(FxHashMap<Span, (String, u32)>);

impl Places {
    fn new(lowered: &Program) -> Self {
        let calls = CallGraph::new(lowered);
        let cut_points = CutPoints::new(lowered, &calls);
        let mut of: FxHashMap<FunctionId, Vec<Span>> = FxHashMap::default();
        for (location, kind) in cut_points.iter() {
            if matches!(kind, CutPointKind::LoopHead(_)) {
                let location = lowered.location(location);
                of.entry(location.function).or_default().push(location.span);
            }
        }
        let mut places = FxHashMap::default();
        for (function, mut spans) in of {
            spans.sort_unstable_by_key(|span| (span.file, span.line, span.column));
            spans.dedup();
            for (span, number) in spans.into_iter().zip(0..) {
                places.insert(span, (lowered.function(function).name.clone(), number));
            }
        }
        Self(places)
    }

    /// The loop whose head is there; none if it is no head, or if a recursive function calls it.
    fn of(&self, inlined: &InlinedProgram, at: &InvariantLocation) -> Option<KeptPlace> {
        let is_head = |location: LocationId| {
            let kind = inlined.cut_points().kind(location);
            matches!(kind, Some(CutPointKind::LoopHead(_)))
        };
        let program = inlined.program();
        let location = program.location(at.location);
        let (function, number) = self
            .0
            .get(&location.span)
            .filter(|_| is_head(at.location))?;
        let caller = |call| {
            let caller = program.location(program.edge(call).source).function;
            program.function(caller).name.clone()
        };
        Some(KeptPlace {
            function: function.clone(),
            number: *number,
            calls: at.calls.iter().map(|&call| caller(call)).collect(),
        })
    }
}
