//! The survey of a program's checks, before any race: what takes little time is said of each check by itself.
//!
//! 1. The simplifier may remove the error locations of some checks. They are excluded if that passes the check of proofs, for all of
//!    them or for parts.
//! 2. Simulation runs the program on many inputs. An execution ends at the check that it violates; each check that some
//!    execution ends at is violated.
//! 3. The program simplified for one check alone tells the size of the check's cone of influence, by which
//!    [`crate::rounds`] splits sets of checks, and whether the loose slice is smaller.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::judge::answer::{Judge, Standing};
use crate::judge::{alarm, unknown_code};
use crate::options::RunOptions;
use crate::record::check::{CheckRow, CheckVerdict, checks_of};
use crate::record::event::EventKind;
use crate::record::recorder::Recorder;
use crate::record::verdict::{Conclusion, ReportedAssumption, Verdict};
use crate::task::{Scope, Task, TimeLimit};
use regatta_base::digest::sha256;
use regatta_base::workers::Workers;
use regatta_certify::replay::Violation;
use regatta_certify::{Certificate, ProofStep};
use regatta_engines::simulate::{self, Confirm, Control, ReplayOnLowered, simulate_confirmed};
use regatta_program::dot::to_dot;
use regatta_program::interpreter::{AccessChecks, Journal};
use regatta_program::simplify::{Simplified, simplify, simplify_loosely};
use regatta_program::{LocationId, Program, TargetId, TargetSet};
use regatta_sharing::CancellationToken;

/// The names of the analyses in the table.
const SIMPLIFIER: &str = "simplifier";
const SIMULATION: &str = "simulation";

/// Maximum wall time of simulation, and of finding the cones of influence.
const MAXIMUM_TIME: Duration = Duration::from_millis(300);

/// Maximum wall time of the checks of the simplifier's proofs, if the time is not limited or is long: for any number of checks, and
/// for each, if that is longer.
const CHECK_TIME: Duration = Duration::from_secs(20);
const CHECK_TIME_EACH: Duration = Duration::from_millis(10);

/// Maximum share of the time that is left for them.
const CHECK_SHARE: f64 = 0.25;

/// Maximum number of times that such a set of checks is halved if the check of the proof for it does not pass.
const MAXIMUM_HALVINGS: u32 = 3;

/// Maximum share of the time that is left for simulation, and for finding the cones of influence.
const MAXIMUM_SHARE: f64 = 0.05;

/// Time without new coverage after which simulation ends.
const PATIENCE: Duration = Duration::from_millis(100);

/// Returns the digest of a program as lowered. Two programs with the same digest have the same locations and edges, and
/// their checks have the same numbers.
pub(crate) fn digest(program: &Program) -> String {
    sha256(to_dot(program).as_bytes())
}

/// Tells which checks a program as lowered has, all open.
pub(crate) fn list(program: &Program, recorder: &Recorder) {
    recorder.event(EventKind::Checks {
        program: digest(program),
        checks: checks_of(program),
    });
}

/// Ends a run with an answer: adds the assumptions, for instance.
type End<'s> = &'s dyn Fn(&Judge, &Task, Conclusion) -> Conclusion;

/// The survey of a program as lowered.
pub(crate) struct Survey<'s> {
    /// The checks that are asked about; `None` for all.
    pub only: Option<&'s TargetSet>,
    pub options: &'s RunOptions,
    pub recorder: &'s Recorder,
    pub whole: &'s Program,
    pub time: TimeLimit,
    pub end: End<'s>,
}

impl Survey<'_> {
    /// Tells what is known of each check that is asked about. Returns the answer about the first check that is violated, if there
    /// is one.
    pub fn run(&self) -> Conclusion {
        let program = digest(self.whole);
        let mut rows = checks_of(self.whole);
        rows.retain(|row| self.only.is_none_or(|only| only.contains(row.target())));
        let tell = |rows: &[CheckRow]| {
            self.recorder.event(EventKind::Checks {
                program: program.clone(),
                checks: rows.to_vec(),
            });
        };
        tell(&rows);
        let mut open: TargetSet = rows.iter().map(CheckRow::target).collect();
        let pruned = self.pruned(&open);
        let mut assumptions = BTreeSet::new();
        self.prove(&pruned, &mut |part, assumed| {
            assumptions.extend(assumed);
            self.decide(&mut rows, part, CheckVerdict::Excluded, SIMPLIFIER);
            tell(&rows);
            open = open.difference(part);
        });
        let violations = self.simulate(&open);
        let violated: TargetSet = violations.keys().copied().collect();
        self.decide(&mut rows, &violated, CheckVerdict::Violated, SIMULATION);
        self.find_cones(&mut rows, &open.difference(&violated));
        tell(&rows);
        let first = violations.into_values().next();
        first.unwrap_or_else(|| Conclusion {
            assumptions: assumptions.into_iter().collect(),
            ..Conclusion::unknown("no check is known to be violated")
        })
    }

    fn decide(&self, rows: &mut [CheckRow], decided: &TargetSet, verdict: CheckVerdict, by: &str) {
        let time = self.time.started.elapsed();
        for row in rows {
            if decided.contains(row.target()) {
                row.decide(verdict, Some(by), time);
            }
        }
    }

    /// Returns the end of the time for a part of the survey.
    fn part_end(&self) -> Instant {
        let limit = self.time.limit.map_or(MAXIMUM_TIME, |limit| {
            let left = limit.saturating_sub(self.time.started.elapsed());
            left.mul_f64(MAXIMUM_SHARE).min(MAXIMUM_TIME)
        });
        Instant::now() + limit
    }

    /// Returns the question whether these checks hold, as a task.
    fn task(&self, asked: &TargetSet) -> Option<Task> {
        let lowered = self.whole.restricted_to(asked)?;
        let simplified = simplify(&lowered);
        let mut task = Task::with_simplified(&self.options.task, self.time, lowered, simplified);
        task.scope = Some(Scope {
            asked: asked.clone(),
            targets: self.whole.targets(),
        });
        Some(task)
    }

    /// Returns the checks whose error locations the simplifier removes.
    fn pruned(&self, open: &TargetSet) -> TargetSet {
        let Simplified {
            program, origins, ..
        } = simplify(self.whole);
        let targets = self.whole.targets();
        let errors = program.errors.iter();
        let left: BTreeSet<LocationId> = errors
            .map(|error| origins[error.index()].location)
            .collect();
        let is_left = |target: TargetId| left.contains(&targets[target.0 as usize].location);
        open.iter().filter(|&target| !is_left(target)).collect()
    }

    /// Has the proofs checked that the simplifier excludes the checks, many together; where that does not pass, parts of them.
    /// Hands over the parts that are excluded, with the assumptions.
    fn prove(
        &self,
        pruned: &TargetSet,
        excluded: &mut dyn FnMut(&TargetSet, Vec<ReportedAssumption>),
    ) {
        let count = u32::try_from(pruned.len()).unwrap_or(u32::MAX);
        let most = CHECK_TIME.max(CHECK_TIME_EACH.saturating_mul(count));
        let elapsed = self.time.started.elapsed();
        let budget = self.time.limit.map_or(most, |limit| {
            let left = limit.saturating_sub(elapsed);
            let share = left.mul_f64(CHECK_SHARE).clamp(MAXIMUM_TIME, most);
            share.min(left)
        });
        let end = elapsed + budget;
        let mut parts: Vec<(TargetSet, u32)> = vec![(pruned.clone(), 0)];
        while let Some((part, halvings)) = parts.pop() {
            let left = end.saturating_sub(self.time.started.elapsed());
            if part.is_empty() || left.is_zero() {
                continue;
            }
            let is_divisible = part.len() > 1 && halvings < MAXIMUM_HALVINGS;
            // A part that may be divided leaves time for its halves.
            let shares = parts.len() as u32 + 1 + u32::from(is_divisible);
            if let Some((some, assumptions)) = self.excludes(&part, left / shares) {
                excluded(&some, assumptions);
                // What is left was asked about, unless there was no time for it.
                parts.push((part.difference(&some), MAXIMUM_HALVINGS));
            } else if is_divisible {
                let all: Vec<TargetId> = part.iter().collect();
                let (first, second) = all.split_at(all.len() / 2);
                let halves = [second, first].map(|half| half.iter().copied().collect());
                parts.extend(halves.map(|half| (half, halvings + 1)));
            }
        }
    }

    /// Returns the checks that the simplifier excludes, as far as that passes the check of proofs within the time, and the
    /// assumptions of these exclusions. Returns `None` if no check is excluded.
    fn excludes(
        &self,
        asked: &TargetSet,
        time: Duration,
    ) -> Option<(TargetSet, Vec<ReportedAssumption>)> {
        let mut task = self.task(asked)?;
        task.time.limit = Some(self.time.started.elapsed() + time);
        task.time.checked = None;
        if !task.simplified.is_safe() {
            return None;
        }
        let mut judge = Judge::new(&self.options.judge, self.recorder, false);
        judge.checker.start(self.whole, &task.simplified);
        let certificate = Certificate::of_all(vec![ProofStep::Simplified]);
        let (standing, alone) = (Standing::ProvedInPart, Workers::none());
        let proved = judge.certified(&task, standing, SIMPLIFIER, &certificate, None, &alone)?;
        let ended = (self.end)(&judge, &task, proved);
        let excluded = ended.targets.filter(|_| ended.verdict == Verdict::True)?;
        Some((excluded.intersection(asked), ended.assumptions))
    }

    /// Returns the answers about the checks that executions on many inputs violate.
    fn simulate(&self, open: &TargetSet) -> BTreeMap<TargetId, Conclusion> {
        let end = self.part_end();
        let mut violated = BTreeMap::new();
        let mut open = open.clone();
        while !open.is_empty() && Instant::now() < end {
            let Some(task) = self.task(&open) else {
                break;
            };
            let mut collected = Collected {
                task: &task,
                violations: BTreeMap::new(),
            };
            let options = simulate::Options {
                time: end.saturating_duration_since(Instant::now()),
                patience: Some(PATIENCE),
                accesses: AccessChecks::SingleObjects,
                ..simulate::Options::default()
            };
            let token = CancellationToken::new();
            let program = &task.simplified.program;
            simulate_confirmed(program, &options, Control::new(&token), &mut collected);
            let violations = collected.violations;
            if violations.is_empty() {
                break;
            }
            open = open.difference(&violations.keys().copied().collect());
            let judge = Judge::new(&self.options.judge, self.recorder, false);
            for (target, violation) in violations {
                let conclusion = judge.violated(&task, SIMULATION, &violation);
                let conclusion = unknown_code::withhold(&task, conclusion);
                let reporter = &self.recorder.reporter;
                let examined = alarm::examine(&self.options.alarm, &task, reporter, conclusion);
                let conclusion = (self.end)(&judge, &task, examined);
                if matches!(conclusion.verdict, Verdict::False(_)) {
                    violated.insert(target, conclusion);
                }
            }
        }
        violated
    }

    /// Finds the sizes of the open checks' cones of influence, as many as the time allows.
    fn find_cones(&self, rows: &mut [CheckRow], open: &TargetSet) {
        let end = self.part_end();
        if open.len() < 2 {
            return;
        }
        for row in rows.iter_mut().filter(|row| open.contains(row.target())) {
            if Instant::now() >= end {
                return;
            }
            let alone = TargetSet::from_iter([row.target()]);
            if let Some(restricted) = self.whole.restricted_to(&alone) {
                let cone = simplify(&restricted).program.edges.len();
                let loose_cone = simplify_loosely(&restricted).program.edges.len();
                row.cone = Some(cone);
                row.loose_cone = (loose_cone < cone).then_some(loose_cone);
            }
        }
    }
}

/// Collects a violation of each check, so that simulation goes on.
struct Collected<'t> {
    task: &'t Task,
    violations: BTreeMap<TargetId, Violation>,
}

impl Confirm for Collected<'_> {
    fn alarm(&mut self, inputs: &Journal, steps: u64) -> Result<(), String> {
        let mut replay = ReplayOnLowered::new(&self.task.executable);
        replay.alarm(inputs, steps)?;
        if let (Some(violation), Some(scope)) = (replay.violation, &self.task.scope) {
            for target in scope.at(violation.location).iter() {
                let entry = self.violations.entry(target);
                entry.or_insert_with(|| violation.clone());
            }
        }
        Err("simulation goes on with the other checks".to_owned())
    }

    fn only_run(&mut self, _: u64) -> Result<(), String> {
        Err("only violations are asked for".to_owned())
    }
}
