//! The decision of each check by itself (`verify --all`), in rounds; and of the property, where a race over all checks together
//! has no answer in its share of the time.
//!
//! A round is a race in a process of its own, on the program in which some of the checks are errors and the others ordinary
//! ends of paths ([`regatta_program::targets`] says why answers about these programs are answers about the program). So
//! no state is carried from one round to the next but the [`Board`]: what is known of each check.
//!
//! 1. A survey ([`crate::survey`]) decides what takes little time.
//! 2. A pass begins with one race over all checks that are open, unless their cones of influence hardly overlap (then with
//!    races over each, or over parts of them). TRUE excludes them all. FALSE is about one check; the race
//!    goes on without it. A race also excludes checks one by one while it goes on; when it has excluded most, another one begins
//!    on the program simplified for the others. UNKNOWN splits the set in two by the sizes of the cones of influence, and so on, until the time of
//!    the pass is used up. A check about which a race of its own ended early, without an answer, is not asked about again.
//! 3. A race over some checks gets the loose slice first ([`Slicing::Loose`]), if that is smaller: what else is in the program,
//!    and may not end, is not in the way of a proof.
//! 4. A race is prolonged while an analysis expects to end soon, and for longer while an answer is being checked: the next race
//!    would begin anew.
//! 5. Each pass has twice the time of the one before. So a check whose proof is easy alone does not wait for those with which it
//!    is hard, and all together get a quarter of the time at least.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use nix::errno::Errno;

use crate::judge::unknown_code::NO_BODY;
use crate::options::{Limits, Question};
use crate::process::supervisor::{Attempt, Outcome, RaceEnd, Remains, Stop, Supervisor};
use crate::record::check::{CheckRow, CheckVerdict};
use crate::record::event::{Event, EventKind, Reporter};
use crate::record::verdict::{Conclusion, ReportedAssumption, Verdict};
use regatta_program::{Slicing, TargetId, TargetSet};

/// Wall time of the first race over all checks, and of the races over parts of them in the same pass together.
const FIRST_TIME: Duration = Duration::from_secs(1);

/// Wall time of the first race over all checks for each of them, if that is longer; the race also has the time that the survey
/// took, which is long where the program is large or the machine is busy. It ends early where it has excluded most.
const FIRST_TIME_PER_CHECK: Duration = Duration::from_millis(20);

/// Maximum share of the time that is left for that race.
const FIRST_SHARE: f64 = 0.3;

/// Minimum wall time of a round, unless less is left.
const MINIMUM_TIME: Duration = Duration::from_millis(250);

/// Minimum wall time of a round in those that it took to read the program, which may be large.
const TIMES_OF_READING: u32 = 2;

/// Minimum wall time of a race over one check that is not repeated with more time if it ends early without an answer.
const FINAL_TIME: Duration = Duration::from_secs(4);

/// Time that is kept for the end of the run.
const RESERVE: Duration = Duration::from_millis(100);

/// The share of the wall time that the second race over all open checks together has, when [`FIRST_TIME`] did not suffice for
/// the first one, nor for parts of them.
const SHARE_TOGETHER: f64 = 0.4;

/// The wall time of that race, and of the races over parts of them together after it, if the time is not limited.
const TIME_TOGETHER: Duration = Duration::from_secs(120);

/// The share of the time of a race over some checks that the race on the loose slice has.
const SHARE_LOOSE: f64 = 0.6;

/// A race in which an analysis expects to end soon may have its time this number of times, and one in which an answer is being
/// checked this number of times.
const PROLONGATION: u32 = 2;
const PROLONGATION_OF_CHECK: u32 = 4;

/// Maximum number of open checks that get races of their own at once, if their cones of influence are apart; more are divided by
/// halves, since a race may decide many easy ones together.
const MAXIMUM_SEPARATE: usize = 8;

/// The cones of influence of several checks are apart if their sizes together are at most this multiple of the size of the
/// program to analyse.
const OVERLAP: f64 = 1.25;

/// Minimum size of the smallest of several cones of influence that are much the same, as a share of the largest one's.
const LIKENESS: f64 = 0.8;

/// Maximum number of edges, for each check, that the program to analyse has besides the largest of such cones.
const EDGES_PER_CHECK: usize = 2;

/// The share of the wall time that is left which a race over all checks has if they depend on much the same: analyses
/// would only lose what they have found out when they begin again.
const SHARE_OF_ONE: f64 = 0.7;

/// Maximum number of open checks that the result names.
const MAXIMUM_NAMED: usize = 5;

/// Gets every event of the rounds.
type Observer<'o> = &'o mut dyn FnMut(&Event);

/// The work of a round's process.
type Race<'r> = &'r dyn Fn(&Attempt, &Reporter) -> RaceEnd;

/// Asks for the event with the list of checks, without deciding any. Returns the outcome if there is no list.
///
/// # Errors
/// When the system refuses a process.
pub fn list(
    supervisor: &mut Supervisor,
    limits: Limits,
    observe: Observer<'_>,
    race: Race<'_>,
) -> Result<Option<Outcome>, Errno> {
    let mut board = Board::default();
    let outcome = board.round(supervisor, limits, &Question::List, observe, race)?;
    Ok(board.program.is_none().then_some(outcome))
}

/// Decides each check by itself, or each of those that are asked about, within the limits, and returns the answer about all of
/// them.
///
/// # Errors
/// When the system refuses a process.
pub fn decide_all(
    supervisor: &mut Supervisor,
    limits: Limits,
    only: Option<TargetSet>,
    observe: Observer<'_>,
    race: Race<'_>,
) -> Result<Outcome, Errno> {
    let mut rounds = Rounds::new(supervisor, limits, race);
    let surveyed = rounds.survey(only, observe)?;
    if let Outcome::Rejected(_) = surveyed {
        return Ok(surveyed);
    }
    if rounds.board.rows.is_empty() {
        // No check can fail, but an operation that is not modelled may be reachable.
        return rounds.whole(observe);
    }
    rounds.decide(observe)?;
    let conclusion = rounds.conclusion();
    let event = Event {
        time: rounds.supervisor.started().elapsed().as_secs_f64(),
        kind: EventKind::Checks {
            program: rounds.board.program.clone().unwrap_or_default(),
            checks: rounds.board.rows.values().cloned().collect(),
        },
    };
    observe(&event);
    Ok(Outcome::Concluded(conclusion))
}

/// Decides the property within the limits. If several checks are left in the program to analyse and a race over all of them
/// together has no answer soon, parts of them are raced over until one is violated or all are excluded.
///
/// # Errors
/// When the system refuses a process.
pub fn decide_property(
    started: Instant,
    limits: Limits,
    observe: Observer<'_>,
    race: Race<'_>,
) -> Result<(Outcome, Option<Remains>), Errno> {
    let mut supervisor = Supervisor::new(started)?;
    let within = |time: Duration| limits.wall.into_iter().chain([time]).min();
    let first = Limits {
        together: Some(FIRST_TIME),
        prolonged: within(FIRST_TIME * PROLONGATION),
        checked: within(FIRST_TIME * PROLONGATION_OF_CHECK),
        ..limits
    };
    let mut has_several = false;
    let mut edges = None;
    let mut reading = Duration::ZERO;
    let mut note = |event: &Event| {
        if let EventKind::Program {
            checks, simplified, ..
        } = &event.kind
        {
            has_several |= *checks > 1;
            edges = Some(simplified.edges);
            reading = Duration::try_from_secs_f64(event.time).unwrap_or_default();
        }
        observe(event);
    };
    let (outcome, remains) = supervisor.run(first, &Question::Property, &mut note, race)?;
    let mut rounds = Rounds::new(&mut supervisor, limits, race);
    rounds.note_stop(&outcome);
    let is_open = match &outcome {
        Outcome::Concluded(conclusion) => matches!(conclusion.verdict, Verdict::Unknown(_)),
        Outcome::Rejected(_) => false,
    };
    if !is_open || !has_several || rounds.end().is_some() {
        return Ok((outcome, Some(remains)));
    }
    remains.collect();
    rounds.board.edges = edges;
    rounds.board.reading = reading;
    rounds.ends_at_violation = true;
    if let rejected @ Outcome::Rejected(_) = rounds.survey(None, observe)? {
        return Ok((rejected, None));
    }
    if rounds.board.rows.is_empty() && !rounds.is_answered() {
        // There was no time to read the program again.
        return Ok((outcome, None));
    }
    if !rounds.board.are_one(&rounds.board.with(CheckVerdict::Open)) {
        rounds.pass(Duration::ZERO, FIRST_TIME, Part::SmallCones, observe)?;
    }
    let together = match limits.wall {
        Some(wall) => wall.mul_f64(SHARE_TOGETHER),
        None => TIME_TOGETHER,
    };
    let open = rounds.board.with(CheckVerdict::Open);
    let together = match rounds.board.are_apart(&open) {
        true => Duration::ZERO,
        false => rounds.time_of_one(&open).unwrap_or(together),
    };
    if open.len() > 1 && !rounds.is_answered() {
        let apart = rounds.time_left().unwrap_or(TIME_TOGETHER);
        rounds.pass(together, apart, Part::LargeCones, observe)?;
    }
    rounds.decide(observe)?;
    Ok((Outcome::Concluded(rounds.conclusion()), None))
}

/// What is known of each check.
#[derive(Default)]
struct Board {
    /// The digest of the program as lowered.
    program: Option<String>,
    /// The number of edges of the largest program to analyse.
    edges: Option<usize>,
    /// The wall time of a round before its race begins.
    reading: Duration,
    rows: BTreeMap<TargetId, CheckRow>,
    /// The assumptions of the exclusions that were told while races went on.
    assumptions: BTreeSet<ReportedAssumption>,
}

impl Board {
    /// Notes what the process of a round tells of checks, and of the largest program to analyse.
    fn note(&mut self, event: &Event) {
        if let EventKind::Excluded {
            analysis,
            checks,
            assumptions,
        } = &event.kind
        {
            let time = Duration::try_from_secs_f64(event.time).unwrap_or_default();
            self.decide(checks, CheckVerdict::Excluded, Some(analysis), time);
            self.assumptions.extend(assumptions.iter().cloned());
        }
        if let EventKind::Program { simplified, .. } = &event.kind {
            self.edges = self.edges.max(Some(simplified.edges));
        }
        let EventKind::Checks { program, checks } = &event.kind else {
            return;
        };
        if self.program.get_or_insert_with(|| program.clone()) != program {
            return;
        }
        for row in checks {
            self.rows.insert(row.target(), row.clone());
        }
    }

    /// Runs a round and waits for its process.
    fn round(
        &mut self,
        supervisor: &mut Supervisor,
        limits: Limits,
        question: &Question,
        observe: Observer<'_>,
        race: Race<'_>,
    ) -> Result<Outcome, Errno> {
        let begin = supervisor.started().elapsed();
        let mut note = |event: &Event| {
            self.note(event);
            if let EventKind::Program { .. } = &event.kind {
                let time = Duration::try_from_secs_f64(event.time).unwrap_or_default();
                self.reading = self.reading.max(time.saturating_sub(begin));
            }
            observe(event);
        };
        let (outcome, remains) = supervisor.run(limits, question, &mut note, race)?;
        Remains::collect(remains);
        Ok(outcome)
    }

    fn with(&self, verdict: CheckVerdict) -> TargetSet {
        let rows = self.rows.iter();
        let rows = rows.filter(|(_, row)| row.verdict == verdict);
        rows.map(|(&target, _)| target).collect()
    }

    fn decide(
        &mut self,
        targets: &TargetSet,
        verdict: CheckVerdict,
        by: Option<&str>,
        time: Duration,
    ) {
        for target in targets.iter() {
            if let Some(row) = self.rows.get_mut(&target) {
                row.decide(verdict, by, time);
            }
        }
    }

    fn leave_open(&mut self, targets: &TargetSet, reason: &str, time: Duration) {
        self.decide(targets, CheckVerdict::Unknown, None, time);
        for target in targets.iter() {
            if let Some(row) = self.rows.get_mut(&target) {
                row.reason = Some(reason.to_owned());
            }
        }
    }

    /// Whether no check is known whose loose slice is no smaller than the exact one, or of no use.
    fn may_have_loose_slice(&self, targets: &TargetSet) -> bool {
        let mut rows = targets.iter().filter_map(|target| self.rows.get(&target));
        !rows.any(|row| row.cone.is_some() && row.loose_cone.is_none())
    }

    /// Notes that the loose slice of the check is of no use, if it is a single one.
    fn give_up_slice(&mut self, targets: &TargetSet) {
        let edges = self.edges.unwrap_or_default();
        let mut targets = targets.iter();
        if let (Some(target), None) = (targets.next(), targets.next())
            && let Some(row) = self.rows.get_mut(&target)
        {
            row.cone.get_or_insert(edges);
            row.loose_cone = None;
        }
    }

    /// Returns the number of edges that are left for the check alone.
    fn cone(&self, target: TargetId) -> Option<usize> {
        let row = self.rows.get(&target)?;
        row.loose_cone.or(row.cone)
    }

    /// Returns the numbers of edges that are left for each check alone, and that of all, if they are known.
    fn cones(&self, targets: &TargetSet) -> Option<(Vec<usize>, usize)> {
        let cones = targets.iter().map(|target| self.cone(target));
        Some((cones.collect::<Option<_>>()?, self.edges?))
    }

    /// Whether these are several checks, and the cones of influence hardly overlap.
    fn are_apart(&self, targets: &TargetSet) -> bool {
        let Some((cones, edges)) = self.cones(targets) else {
            return false;
        };
        let together: usize = cones.iter().sum();
        cones.len() > 1 && together as f64 <= edges as f64 * OVERLAP
    }

    /// Whether the checks depend on much the same, so that a race over some of them has no smaller program than one over all, but for
    /// the edges to the others' errors.
    fn are_one(&self, targets: &TargetSet) -> bool {
        let Some((cones, edges)) = self.cones(targets) else {
            return false;
        };
        let (Some(&least), Some(&most)) = (cones.iter().min(), cones.iter().max()) else {
            return false;
        };
        least as f64 >= most as f64 * LIKENESS && most + EDGES_PER_CHECK * cones.len() >= edges
    }

    /// Divides a set of checks into those that are raced over one after the other, from the last to the first: each by itself,
    /// or two halves. Less than two checks have no parts.
    fn parts(&self, targets: &TargetSet, first: Part) -> Vec<TargetSet> {
        let mut parts = match targets.len() {
            0 | 1 => return Vec::new(),
            2..=MAXIMUM_SEPARATE if self.are_apart(targets) => {
                let sorted = self.by_cone(targets).into_iter();
                sorted
                    .map(|target| TargetSet::from_iter([target]))
                    .collect()
            }
            _ => Vec::from(self.split(targets)),
        };
        if let Part::SmallCones = first {
            parts.reverse();
        }
        parts
    }

    /// Returns the checks, small cones of influence first.
    fn by_cone(&self, targets: &TargetSet) -> Vec<TargetId> {
        let mut sorted: Vec<TargetId> = targets.iter().collect();
        sorted.sort_by_key(|&target| (self.cone(target).unwrap_or(usize::MAX), target));
        sorted
    }

    /// Splits a set of several checks in two, small cones of influence first.
    fn split(&self, targets: &TargetSet) -> [TargetSet; 2] {
        let sorted = self.by_cone(targets);
        let (small, large) = sorted.split_at(sorted.len() / 2);
        [small, large].map(|part| part.iter().copied().collect())
    }
}

/// A part of a set of checks.
#[derive(Copy, Clone)]
enum Part {
    SmallCones,
    LargeCones,
}

impl Part {
    fn other(self) -> Self {
        match self {
            Self::SmallCones => Self::LargeCones,
            Self::LargeCones => Self::SmallCones,
        }
    }
}

/// What a race over some checks leaves open.
struct Raced {
    open: TargetSet,
    /// Why the race ended early without an answer, if it did: more time would change nothing.
    ended_early: Option<String>,
}

struct Rounds<'r> {
    board: Board,
    supervisor: &'r mut Supervisor,
    limits: Limits,
    race: Race<'r>,
    /// The answer about the first check that was found to be violated.
    violation: Option<Conclusion>,
    /// The assumptions of the answers so far.
    assumptions: BTreeSet<ReportedAssumption>,
    /// What an error needs that no file defines.
    missing: Option<String>,
    /// The wall time of the survey.
    survey_time: Duration,
    /// Why no further round is possible.
    stopped: Option<String>,
    /// Whether a violated check is the answer, so that the others are of no interest.
    ends_at_violation: bool,
}

impl<'r> Rounds<'r> {
    fn new(supervisor: &'r mut Supervisor, limits: Limits, race: Race<'r>) -> Self {
        Self {
            board: Board::default(),
            supervisor,
            limits,
            race,
            violation: None,
            assumptions: BTreeSet::new(),
            missing: None,
            survey_time: Duration::ZERO,
            stopped: None,
            ends_at_violation: false,
        }
    }

    /// Whether nothing else is to be found out.
    fn is_answered(&self) -> bool {
        self.ends_at_violation && self.violation.is_some()
    }

    fn elapsed(&self) -> Duration {
        self.supervisor.started().elapsed()
    }

    /// Returns the wall time that is left, if it is limited.
    fn time_left(&self) -> Option<Duration> {
        let wall = self.limits.wall?;
        Some(wall.saturating_sub(RESERVE).saturating_sub(self.elapsed()))
    }

    /// Returns the wall time of a race over several checks that depend on much the same.
    fn time_of_one(&self, open: &TargetSet) -> Option<Duration> {
        let left = self.time_left()?;
        self.board.are_one(open).then(|| left.mul_f64(SHARE_OF_ONE))
    }

    /// Returns the limits of a round that may take so long.
    fn limits_of(&self, time: Duration) -> Limits {
        let time = time
            .max(MINIMUM_TIME)
            .max(self.board.reading * TIMES_OF_READING);
        let until = |time: Duration| {
            let time = self.time_left().map_or(time, |left| left.min(time));
            self.elapsed().checked_add(time)
        };
        Limits {
            wall: until(time),
            prolonged: until(time.saturating_mul(PROLONGATION)),
            checked: until(time.saturating_mul(PROLONGATION_OF_CHECK)),
            ..self.limits
        }
    }

    fn round(
        &mut self,
        limits: Limits,
        question: &Question,
        observe: Observer<'_>,
    ) -> Result<Outcome, Errno> {
        let outcome = self
            .board
            .round(self.supervisor, limits, question, observe, self.race)?;
        self.note_stop(&outcome);
        Ok(outcome)
    }

    /// Notes whether the race with this outcome was stopped for a reason that ends the run.
    fn note_stop(&mut self, outcome: &Outcome) {
        let spent = self.supervisor.spent();
        if let Outcome::Concluded(conclusion) = outcome
            && let Verdict::Unknown(reason) = &conclusion.verdict
            && (self.supervisor.stop() == Some(Stop::Interrupt)
                || self.limits.cpu.is_some_and(|most| spent >= most))
        {
            self.stopped = Some(reason.clone());
        }
    }

    fn survey(&mut self, only: Option<TargetSet>, observe: Observer<'_>) -> Result<Outcome, Errno> {
        let begin = self.elapsed();
        let question = Question::Survey { only };
        let outcome = self.round(self.limits, &question, observe)?;
        self.survey_time = self.elapsed().saturating_sub(begin);
        if let Outcome::Concluded(conclusion) = &outcome
            && let Verdict::False(_) = conclusion.verdict
        {
            self.violation = Some(conclusion.clone());
        } else if let Outcome::Concluded(conclusion) = &outcome {
            self.assumptions
                .extend(conclusion.assumptions.iter().cloned());
        }
        Ok(outcome)
    }

    /// Decides the program as a whole.
    fn whole(&mut self, observe: Observer<'_>) -> Result<Outcome, Errno> {
        if let Some(reason) = &self.stopped {
            return Ok(Outcome::Concluded(Conclusion::unknown(reason.clone())));
        }
        self.round(self.limits, &Question::Property, observe)
    }

    /// Decides the checks that are open, as far as the limits allow.
    fn decide(&mut self, observe: Observer<'_>) -> Result<(), Errno> {
        let open = u32::try_from(self.board.with(CheckVerdict::Open).len()).unwrap_or(u32::MAX);
        let wanted = FIRST_TIME_PER_CHECK.saturating_mul(open);
        let wanted = match self.ends_at_violation {
            // A race over all of them has had its time.
            true => Duration::ZERO,
            false => wanted.max(self.survey_time),
        };
        let share = self.time_left().map(|left| left.mul_f64(FIRST_SHARE));
        let mut budget = FIRST_TIME.max(share.map_or(wanted, |share| share.min(wanted)));
        let mut first = Part::SmallCones;
        loop {
            let open = self.board.with(CheckVerdict::Open);
            if open.is_empty() || self.is_answered() {
                return Ok(());
            }
            if let Some(reason) = self.end() {
                let time = self.elapsed();
                self.board.leave_open(&open, &reason, time);
                return Ok(());
            }
            let is_alone = open.len() == 1;
            let is_sliced = self.board.may_have_loose_slice(&open);
            let time = match self.time_left() {
                // Nothing else is to be done.
                Some(left) if is_alone => left,
                None if is_alone && !is_sliced => Duration::MAX,
                _ => budget,
            };
            let together = match self.board.are_apart(&open) {
                true => Duration::ZERO,
                false => self.time_of_one(&open).unwrap_or_default().max(time),
            };
            self.pass(together, time, first, observe)?;
            budget = budget.saturating_mul(2);
            // What had no time in this pass comes first in the next one.
            first = first.other();
        }
    }

    /// Returns why there can be no further round, if there can be none.
    fn end(&self) -> Option<String> {
        let is_late = self.time_left() == Some(Duration::ZERO);
        let late = is_late.then(|| "time limit".to_owned());
        self.stopped.clone().or(late)
    }

    /// Races over all open checks together for a time, which may be zero, and over parts of them for another time in all.
    fn pass(
        &mut self,
        together: Duration,
        apart: Duration,
        first: Part,
        observe: Observer<'_>,
    ) -> Result<(), Errno> {
        let mut left = apart;
        let mut is_whole = !together.is_zero();
        let open = self.board.with(CheckVerdict::Open);
        let mut queue = match together.is_zero() {
            true => self.board.parts(&open, first),
            false => vec![open],
        };
        while let Some(set) = queue.pop() {
            if self.end().is_some() || left.is_zero() || self.is_answered() {
                return Ok(());
            }
            let time = match is_whole {
                true => together,
                false => left / (queue.len() as u32 + 1),
            };
            let begin = self.elapsed();
            let rest = self.race(&set, time, observe)?;
            let taken = self.elapsed().saturating_sub(begin);
            let is_answered = rest.len() < set.len();
            if is_answered {
                queue.extend((!rest.is_empty()).then_some(rest));
                continue;
            }
            if !std::mem::take(&mut is_whole) {
                left = left.saturating_sub(taken);
            }
            if set.len() > 1 {
                queue.extend(self.board.parts(&set, first));
            }
        }
        Ok(())
    }

    /// Races over the checks for a time, and returns those that are left open. The loose slice comes first.
    fn race(
        &mut self,
        set: &TargetSet,
        time: Duration,
        observe: Observer<'_>,
    ) -> Result<TargetSet, Errno> {
        let mut time = time;
        if self.board.may_have_loose_slice(set) {
            let begin = self.elapsed();
            let share = time.mul_f64(SHARE_LOOSE);
            let raced = self.race_on(Slicing::Loose, set, share, observe)?;
            if raced.open.len() < set.len() || self.end().is_some() {
                return Ok(raced.open);
            }
            if raced.ended_early.is_some() {
                self.board.give_up_slice(set);
            }
            // A prolonged race does not shorten the next one.
            let rest = time.saturating_sub(self.elapsed().saturating_sub(begin));
            time = rest.max(time.mul_f64(1.0 - SHARE_LOOSE));
        }
        let raced = self.race_on(Slicing::Exact, set, time, observe)?;
        if set.len() == 1
            && let Some(reason) = &raced.ended_early
        {
            let time = self.elapsed();
            self.board.leave_open(set, reason, time);
        }
        Ok(raced.open)
    }

    /// Races over the checks on such a slice for a time.
    fn race_on(
        &mut self,
        slicing: Slicing,
        set: &TargetSet,
        time: Duration,
        observe: Observer<'_>,
    ) -> Result<Raced, Errno> {
        let limits = self.limits_of(time);
        let question = Question::Targets {
            asked: set.clone(),
            program: self.board.program.clone().unwrap_or_default(),
            slicing,
        };
        let begin = self.elapsed();
        let conclusion = match self.round(limits, &question, observe)? {
            Outcome::Concluded(conclusion) => conclusion,
            Outcome::Rejected(_) => Conclusion::unknown("the program cannot be read again"),
        };
        let taken = self.elapsed().saturating_sub(begin);
        let ended_early = match &conclusion.verdict {
            // Analyses give up early when they have little time.
            Verdict::Unknown(reason) if time >= FINAL_TIME && taken < time / 2 => {
                Some(reason.clone())
            }
            _ => None,
        };
        Ok(Raced {
            open: self.note_answer(set, conclusion),
            ended_early,
        })
    }

    /// Notes the answer about the set, and returns the checks that it leaves open.
    fn note_answer(&mut self, set: &TargetSet, conclusion: Conclusion) -> TargetSet {
        let time = self.elapsed();
        // Some may have been excluded while the race went on.
        let set = &set.intersection(&self.board.with(CheckVerdict::Open));
        let about = conclusion.targets.clone().unwrap_or_default();
        let about = about.intersection(set);
        let by = conclusion.analysis.as_deref();
        match &conclusion.verdict {
            Verdict::True => {
                self.board.decide(&about, CheckVerdict::Excluded, by, time);
                self.assumptions.extend(conclusion.assumptions);
            }
            Verdict::False(_) => {
                self.board.decide(&about, CheckVerdict::Violated, by, time);
                if !about.is_empty() {
                    self.violation.get_or_insert(conclusion);
                }
            }
            Verdict::Unknown(reason) => {
                if reason.contains(NO_BODY) {
                    self.missing.get_or_insert_with(|| reason.clone());
                }
                return set.clone();
            }
        }
        set.difference(&about)
    }

    /// Returns the answer about all checks.
    fn conclusion(&mut self) -> Conclusion {
        let open =
            [CheckVerdict::Open, CheckVerdict::Unknown].map(|verdict| self.board.with(verdict));
        let violated = !self.board.with(CheckVerdict::Violated).is_empty();
        if let Some(violation) = self.violation.take() {
            return Conclusion {
                targets: None,
                ..violation
            };
        }
        if self.board.rows.is_empty() {
            return Conclusion::unknown("it is not known what the checks are");
        }
        let open: Vec<&CheckRow> = open
            .iter()
            .flat_map(TargetSet::iter)
            .filter_map(|target| self.board.rows.get(&target))
            .collect();
        if violated || !open.is_empty() {
            let missing = self.missing.iter().map(|missing| format!("; {missing}"));
            return Conclusion::unknown(name_open(&open) + &missing.collect::<String>());
        }
        let mut by: Vec<&str> = Vec::new();
        for name in self.board.rows.values().filter_map(|row| row.by.as_deref()) {
            if !by.contains(&name) {
                by.push(name);
            }
        }
        self.assumptions.append(&mut self.board.assumptions);
        Conclusion {
            assumptions: std::mem::take(&mut self.assumptions).into_iter().collect(),
            ..Conclusion::proved(&by.join(", "))
        }
    }
}

/// Names the checks that are open.
fn name_open(open: &[&CheckRow]) -> String {
    let named = open.iter().take(MAXIMUM_NAMED);
    let mut names: Vec<String> = named
        .map(|row| format!("{} at {}", row.number, row.place))
        .collect();
    if open.len() > MAXIMUM_NAMED {
        names.push(format!("and {} more", open.len() - MAXIMUM_NAMED));
    }
    let noun = match open.len() {
        1 => "check",
        _ => "checks",
    };
    format!("not decided: {noun} {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_proved_of_checks_that_are_not_known() {
        let mut supervisor = Supervisor::new(Instant::now()).unwrap();
        let race = |_: &Attempt, _: &Reporter| -> RaceEnd { unreachable!("no round is run") };
        let mut rounds = Rounds::new(&mut supervisor, Limits::default(), &race);
        let verdict = rounds.conclusion().verdict;
        assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict}");
    }
}
