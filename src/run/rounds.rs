//! The decision of each check by itself (`verify --all`), in rounds; and of the property, where a race over all checks together
//! has no answer in its share of the time.
//!
//! A round is a race in a process of its own, on the program in which some of the checks are errors and the others ordinary
//! ends of paths ([`regatta_program::targets`] says why answers about these programs are answers about the program). So
//! no state is carried from one round to the next but the [`Board`]: what is known of each check.
//!
//! 1. A survey ([`crate::survey`]) decides what takes little time.
//! 2. A pass begins with one race over all checks that are open. TRUE excludes them all. FALSE is about one check; the race
//!    goes on without it. UNKNOWN splits the set in two by the sizes of the cones of influence, and so on, until the time of
//!    the pass is used up. A check about which a race of its own ended early, without an answer, is not asked about again.
//! 3. Each pass has twice the time of the one before. So a check whose proof is easy alone does not wait for those with which it
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
use regatta_program::{TargetId, TargetSet};

/// Wall time of the first race over all checks, and of the races over parts of them in the same pass together.
const FIRST_TIME: Duration = Duration::from_secs(1);

/// Minimum wall time of a round, unless less is left.
const MINIMUM_TIME: Duration = Duration::from_millis(250);

/// Minimum wall time of a race over one check that is not repeated with more time if it ends early without an answer.
const FINAL_TIME: Duration = Duration::from_secs(4);

/// Time that is kept for the end of the run.
const RESERVE: Duration = Duration::from_millis(100);

/// The share of the wall time that the second race over all open checks together has, when [`FIRST_TIME`] did not suffice for
/// the first one, nor for parts of them.
const SHARE_TOGETHER: f64 = 0.4;

/// The wall time of that race, and of the races over parts of them together after it, if the time is not limited.
const TIME_TOGETHER: Duration = Duration::from_secs(120);

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

/// Decides each check by itself, within the limits, and returns the answer about all.
///
/// # Errors
/// When the system refuses a process.
pub fn decide_all(
    supervisor: &mut Supervisor,
    limits: Limits,
    observe: Observer<'_>,
    race: Race<'_>,
) -> Result<Outcome, Errno> {
    let mut rounds = Rounds::new(supervisor, limits, race);
    let surveyed = rounds.survey(observe)?;
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
    let first = Limits {
        together: Some(FIRST_TIME),
        ..limits
    };
    let mut has_several = false;
    let mut note = |event: &Event| {
        has_several |= matches!(event.kind, EventKind::Program { checks: 2.., .. });
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
    rounds.ends_at_violation = true;
    if let rejected @ Outcome::Rejected(_) = rounds.survey(observe)? {
        return Ok((rejected, None));
    }
    if rounds.board.rows.is_empty() && !rounds.is_answered() {
        // There was no time to read the program again.
        return Ok((outcome, None));
    }
    rounds.pass(Duration::ZERO, FIRST_TIME, Part::SmallCones, observe)?;
    let together = match limits.wall {
        Some(wall) => wall.mul_f64(SHARE_TOGETHER),
        None => TIME_TOGETHER,
    };
    if rounds.board.with(CheckVerdict::Open).len() > 1 && !rounds.is_answered() {
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
    rows: BTreeMap<TargetId, CheckRow>,
}

impl Board {
    /// Notes what the process of a round tells of checks.
    fn note(&mut self, event: &Event) {
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
        let mut note = |event: &Event| {
            self.note(event);
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

    /// Splits a set of several checks in two, small cones of influence first.
    fn split(&self, targets: &TargetSet) -> (TargetSet, TargetSet) {
        let cone = |target: TargetId| {
            let row = self.rows.get(&target);
            row.and_then(|row| row.cone).unwrap_or(usize::MAX)
        };
        let mut sorted: Vec<TargetId> = targets.iter().collect();
        sorted.sort_by_key(|&target| (cone(target), target));
        let (small, large) = sorted.split_at(sorted.len() / 2);
        (
            small.iter().copied().collect(),
            large.iter().copied().collect(),
        )
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

    /// Returns the limits of a round that may take so long.
    fn limits_of(&self, time: Duration) -> Limits {
        let time = time.max(MINIMUM_TIME);
        let time = self.time_left().map_or(time, |left| left.min(time));
        Limits {
            wall: self.elapsed().checked_add(time),
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

    fn survey(&mut self, observe: Observer<'_>) -> Result<Outcome, Errno> {
        let outcome = self.round(self.limits, &Question::Survey, observe)?;
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
        let mut budget = FIRST_TIME;
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
            let time = match open.len() {
                // Nothing else is to be done.
                1 => self.time_left().unwrap_or(Duration::MAX),
                _ => budget,
            };
            self.pass(time, time, first, observe)?;
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
            true => self.parts(&open, first),
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
            let limits = self.limits_of(time);
            let question = Question::Targets {
                asked: set.clone(),
                program: self.board.program.clone().unwrap_or_default(),
            };
            let begin = self.elapsed();
            let conclusion = match self.round(limits, &question, observe)? {
                Outcome::Concluded(conclusion) => conclusion,
                Outcome::Rejected(_) => Conclusion::unknown("the program cannot be read again"),
            };
            let taken = self.elapsed().saturating_sub(begin);
            // Analyses give up early when they have little time.
            let is_final = time >= FINAL_TIME && taken < time / 2;
            let rest = self.note_answer(&set, conclusion, is_final);
            let is_answered = rest.len() < set.len();
            if is_answered {
                queue.extend((!rest.is_empty()).then_some(rest));
                continue;
            }
            if !std::mem::take(&mut is_whole) {
                left = left.saturating_sub(taken);
            }
            if set.len() > 1 {
                queue.extend(self.parts(&set, first));
            }
        }
        Ok(())
    }

    /// Splits a set of checks; the last part is the first to be raced over. Less than two checks have no parts.
    fn parts(&self, set: &TargetSet, first: Part) -> Vec<TargetSet> {
        if set.len() < 2 {
            return Vec::new();
        }
        let (small, large) = self.board.split(set);
        match first {
            Part::SmallCones => vec![large, small],
            Part::LargeCones => vec![small, large],
        }
    }

    /// Notes the answer about the set, and returns the checks that it leaves open. If UNKNOWN is final, more time would change
    /// nothing.
    fn note_answer(
        &mut self,
        set: &TargetSet,
        conclusion: Conclusion,
        is_final: bool,
    ) -> TargetSet {
        let time = self.elapsed();
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
                if set.len() == 1 && is_final {
                    self.board.leave_open(set, reason, time);
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
