//! Who may run when there are more analyses than cores: the rules, without threads and clocks.
//!
//! There are P permits, one a core. An analysis that has one runs for its turn; then it loses the permit, if others are
//! waiting, and goes to the end of their queue. It may not notice at once, deep in a solver's query, and nothing waits
//! for that: the next one starts in any case, and the *overstayer* runs on, with a lower priority of the operating
//! system where that can be taken back. As soon as it comes to a safe point, it stops there. When its turn comes, it
//! has a permit again, whether it has been to a safe point or not. So a query may be longer than any turn.
//!
//! There may be an opening: turns that are given first, in a fixed order. Who has none waits until they are over; what has
//! an answer soon, and is known to, need not wait for anybody.
//!
//! Turns begin short and grow, so that what is quick wins quickly, and what is slow is not interrupted often. A turn is
//! as long as the schedule says, times the analysis's priority over [`NORMAL`]. Who has the higher priority begins. What
//! finds soon what it finds may ease: after some running time, its turns are a quarter as long ([`EASED`]). A
//! certification has a permit at once and as long as it takes: somebody else loses his. The first moments of certifying are
//! *quiet*: nobody else has a permit, for nearly all that is certified is the end, and two cores that are one core's threads
//! slow each other down ([`QUIET`]). Who has nothing to do for a while
//! rests, and stands at the end of the queue again when it is woken. A permit that nobody wants may be lent to a helper of
//! an analysis ([`regatta_base::workers`]), who has to give it back before anybody's turn ends for the sake of others.
//!
//! # The worst case
//! Let A analyses have longest turns L(i), and let there be no certification.
//! * **Waiting.** From losing its permit to the next one, X waits at most Σ L(i) / P over the other analyses. For the queue
//!   is first in, first out: before X only those run that hold a permit or stand before it, each for one turn at most,
//!   and no permit is idle while X waits. That the others never come to a safe point changes nothing.
//! * **Share.** So X has its permit for at least L(X) in any L(X) + Σ L(i) / P once its turns have grown: with equal
//!   priorities, it has P / (A + P - 1) of a core or more, and an answer that X finds alone in time T comes after about
//!   T (A + P - 1) / P at the latest.
//! * **Beside it** there are at most A - P overstayers. Where their priority cannot be lowered, they compete with the
//!   permits' holders for the cores as the operating system has it: no holder has less than P / A of a core.
//!
//! A certification of length C adds C to the waiting at most, and all together add [`QUIET`] where there are several permits.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use super::config::Schedule;

/// The priority with which a turn is as long as the schedule says.
pub const NORMAL: u32 = 10;

/// The turns of an analysis that has eased are shorter by this factor.
pub const EASED: u32 = 4;

/// So long, all of them together, certifications have the machine for themselves.
pub const QUIET: Duration = Duration::from_millis(60);

/// What the rules ask of the world.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// The analysis has a permit from now on: if it waits, it goes on.
    Grant(usize),
    /// The analysis has none any more: it has to stop at its next safe point.
    Revoke(usize),
    /// What was lent under the number is another's now: the helper has to end as soon as it can.
    Recall(usize),
}

/// What becomes of a place for a helper.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Loan {
    /// It is nobody's.
    Free,
    /// A helper has a permit.
    Lent,
    /// A helper runs though it has none.
    Recalled,
}

/// What an analysis is doing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum State {
    /// It stands at a safe point. In the queue.
    Waiting,
    /// It has a permit, which others may have from the given time on.
    Running { until: Duration },
    /// It runs though it has no permit. In the queue.
    Overstaying,
    /// It has a permit that nobody takes away.
    Certifying,
    /// It wants no permit until it is woken.
    Resting,
    /// It is over.
    Finished,
}

/// An analysis as the scheduler sees it.
#[derive(Clone, Debug)]
struct Entry {
    priority: u32,
    state: State,
    /// Whether it has had a turn.
    begun: bool,
    /// The next turn, before the priority.
    slice: Duration,
    /// How long its turns have been, together.
    used: Duration,
    /// After turns of so long, it eases.
    eases_after: Duration,
}

/// The rules. Times count from any fixed moment, and never go back.
#[derive(Clone, Debug)]
pub struct Scheduler {
    permits: usize,
    schedule: Schedule,
    entries: Vec<Entry>,
    /// Those that want a permit, first come, first served.
    queue: VecDeque<usize>,
    /// The turns that come before those of the queue.
    opening: VecDeque<(usize, Duration)>,
    /// One for each permit.
    loans: Vec<Loan>,
    /// How much of [`QUIET`] is left, and until when it is quiet.
    quiet_left: Duration,
    quiet_until: Option<Duration>,
}

impl Scheduler {
    /// Without analyses.
    pub fn new(permits: usize, schedule: Schedule) -> Self {
        let permits = permits.max(1);
        Self {
            permits,
            schedule,
            entries: Vec::new(),
            queue: VecDeque::new(),
            opening: VecDeque::new(),
            loans: vec![Loan::Free; permits],
            quiet_left: QUIET,
            quiet_until: None,
        }
    }

    /// Adds an analysis, which waits, and returns its number. It has a permit after [`Self::tick`] at the earliest.
    pub fn add(&mut self, priority: u32, eases_after: Duration) -> usize {
        let number = self.entries.len();
        self.entries.push(Entry {
            priority,
            state: State::Waiting,
            begun: false,
            slice: self.schedule.first_slice,
            used: Duration::ZERO,
            eases_after,
        });
        // Newcomers do not pass those that have been here; among newcomers the higher priority goes first.
        let behind = |&other: &usize| {
            let other = &self.entries[other];
            other.begun || other.priority >= priority
        };
        let place = self
            .queue
            .iter()
            .rposition(behind)
            .map_or(0, |last| last + 1);
        self.queue.insert(place, number);
        number
    }

    /// Gives these turns before all others: analyses by their numbers, and how long.
    pub fn open(&mut self, turns: impl IntoIterator<Item = (usize, Duration)>) {
        self.opening.extend(turns);
    }

    /// Adds somebody who wants no permit until it is woken.
    pub fn add_resting(&mut self, priority: u32) -> usize {
        let number = self.add(priority, Duration::MAX);
        self.queue.retain(|&other| other != number);
        self.entries[number].state = State::Resting;
        number
    }

    /// The analysis has nothing to do for now: others may have its permit.
    pub fn rest(&mut self, number: usize, now: Duration) -> Vec<Action> {
        self.stop(number, State::Resting, now)
    }

    /// The analysis has something to do again, and waits for its turn.
    pub fn wake(&mut self, number: usize) {
        if let Some(entry) = self.entries.get_mut(number)
            && entry.state == State::Resting
        {
            entry.state = State::Waiting;
            self.queue.push_back(number);
        }
    }

    /// Hands out free permits, and takes permits away from those whose turn is over, if others are waiting. To be called
    /// at [`Self::next_tick`].
    pub fn tick(&mut self, now: Duration) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.quiet_until.is_some_and(|until| until > now) {
            return actions;
        }
        self.end_quiet(now);
        // Of several that certify together, one may have gone on.
        while self.holders() > self.permits
            && let Some((_, holder)) = self.soonest()
        {
            self.revoke(holder, &mut actions);
        }
        while !self.queue.is_empty() {
            if self.holders() >= self.permits && !self.recall(&mut actions) {
                let Some((until, holder)) = self.soonest() else {
                    break;
                };
                if until > now {
                    break;
                }
                self.revoke(holder, &mut actions);
            }
            self.grant_next(now, &mut actions);
        }
        actions
    }

    /// When [`Self::tick`] has something to do, if nothing else happens.
    pub fn next_tick(&self) -> Option<Duration> {
        if self.queue.is_empty() {
            return None;
        }
        if self.quiet_until.is_some() {
            return self.quiet_until;
        }
        if self.loans.contains(&Loan::Lent) {
            return Some(Duration::ZERO);
        }
        self.soonest().map(|(until, _)| until)
    }

    /// When others may have the analysis's permit, if it has one that is taken away.
    pub fn end_of_turn(&self, number: usize) -> Option<Duration> {
        match self.entries.get(number)?.state {
            State::Running { until } => Some(until),
            _ => None,
        }
    }

    /// The analysis is at a safe point; whether it has to stop there until it is granted a permit.
    pub fn safe_point(&mut self, number: usize) -> bool {
        if let Some(entry) = self.entries.get_mut(number)
            && entry.state == State::Overstaying
        {
            entry.state = State::Waiting;
        }
        !self.may_run(number)
    }

    /// The analysis has an answer, which is checked from now on.
    pub fn certify(&mut self, number: usize, now: Duration) -> Vec<Action> {
        let mut actions = Vec::new();
        let Some(entry) = self.entries.get_mut(number) else {
            return actions;
        };
        let had_none = matches!(entry.state, State::Waiting | State::Overstaying);
        entry.state = State::Certifying;
        if had_none {
            self.queue.retain(|&other| other != number);
            actions.push(Action::Grant(number));
            if self.holders() > self.permits
                && !self.recall(&mut actions)
                && let Some((_, holder)) = self.soonest()
            {
                self.revoke(holder, &mut actions);
            }
        }
        if self.quiet_until.is_none() && !self.quiet_left.is_zero() {
            self.quiet_until = Some(now + self.quiet_left);
            while self.recall(&mut actions) {}
            while let Some((_, holder)) = self.soonest() {
                self.revoke(holder, &mut actions);
            }
        }
        actions
    }

    /// It is quiet no longer; what is left of [`QUIET`] is for later certifications.
    fn end_quiet(&mut self, now: Duration) {
        if let Some(until) = self.quiet_until.take() {
            self.quiet_left = until.saturating_sub(now);
        }
    }

    /// The same, unless others than this one are certifying.
    fn end_quiet_without(&mut self, number: usize, now: Duration) {
        let mut others = self.entries.iter().enumerate();
        if !others.any(|(other, entry)| other != number && entry.state == State::Certifying) {
            self.end_quiet(now);
        }
    }

    /// The analysis's answer did not pass its check, and it goes on: others may have its permit.
    pub fn resume(&mut self, number: usize, now: Duration) {
        self.end_quiet_without(number, now);
        if let Some(entry) = self.entries.get_mut(number)
            && entry.state == State::Certifying
        {
            entry.state = State::Running { until: now };
        }
    }

    /// The analysis is over.
    pub fn finish(&mut self, number: usize, now: Duration) -> Vec<Action> {
        self.stop(number, State::Finished, now)
    }

    fn stop(&mut self, number: usize, state: State, now: Duration) -> Vec<Action> {
        self.end_quiet_without(number, now);
        if let Some(entry) = self.entries.get_mut(number) {
            entry.state = state;
        }
        self.queue.retain(|&other| other != number);
        self.tick(now)
    }

    /// Lends a permit that nobody has or waits for, and returns the loan's number.
    pub fn lend(&mut self) -> Option<usize> {
        // Who certifies may have helpers when it is quiet.
        let is_wanted = self.quiet_until.is_none() && !self.queue.is_empty();
        if is_wanted || self.holders() >= self.permits {
            return None;
        }
        let free = self.loans.iter().position(|&loan| loan == Loan::Free)?;
        self.loans[free] = Loan::Lent;
        Some(free)
    }

    /// The helper has ended.
    pub fn give_back(&mut self, loan: usize, now: Duration) -> Vec<Action> {
        if let Some(loan) = self.loans.get_mut(loan) {
            *loan = Loan::Free;
        }
        self.tick(now)
    }

    /// Ends a loan, if there is one.
    fn recall(&mut self, actions: &mut Vec<Action>) -> bool {
        let Some(lent) = self.loans.iter().position(|&loan| loan == Loan::Lent) else {
            return false;
        };
        self.loans[lent] = Loan::Recalled;
        actions.push(Action::Recall(lent));
        true
    }

    /// Whether the analysis need not stand still.
    pub fn may_run(&self, number: usize) -> bool {
        let state = self.entries.get(number).map(|entry| entry.state);
        state.is_some_and(|state| state != State::Waiting)
    }

    /// The number of permits that are in use.
    fn holders(&self) -> usize {
        let holds =
            |entry: &&Entry| matches!(entry.state, State::Running { .. } | State::Certifying);
        let lent = self.loans.iter().filter(|&&loan| loan == Loan::Lent);
        self.entries.iter().filter(holds).count() + lent.count()
    }

    /// The holder whose turn ends first.
    fn soonest(&self) -> Option<(Duration, usize)> {
        let running = self.entries.iter().enumerate();
        running
            .filter_map(|(number, entry)| match entry.state {
                State::Running { until } => Some((until, number)),
                _ => None,
            })
            .min()
    }

    fn revoke(&mut self, number: usize, actions: &mut Vec<Action>) {
        self.entries[number].state = State::Overstaying;
        self.queue.push_back(number);
        actions.push(Action::Revoke(number));
    }

    /// Gives the next turn of the opening, if there is one left that can be given. A turn of one that runs makes its present
    /// turn longer.
    fn grant_opening(&mut self, now: Duration, actions: &mut Vec<Action>) -> bool {
        while let Some((number, turn)) = self.opening.pop_front() {
            let Some(entry) = self.entries.get_mut(number) else {
                continue;
            };
            match &mut entry.state {
                State::Running { until } => *until += turn,
                State::Waiting | State::Overstaying => {
                    self.queue.retain(|&other| other != number);
                    entry.used += turn;
                    entry.state = State::Running { until: now + turn };
                    entry.begun = true;
                    actions.push(Action::Grant(number));
                    return true;
                }
                State::Certifying | State::Resting | State::Finished => {}
            }
        }
        false
    }

    fn grant_next(&mut self, now: Duration, actions: &mut Vec<Action>) {
        if self.grant_opening(now, actions) {
            return;
        }
        let Some(number) = self.queue.pop_front() else {
            return;
        };
        let entry = &mut self.entries[number];
        let mut turn = entry.slice * entry.priority / NORMAL;
        if entry.used >= entry.eases_after {
            turn /= EASED;
        }
        entry.used += turn;
        entry.state = State::Running { until: now + turn };
        entry.begun = true;
        let grown = entry.slice.mul_f64(self.schedule.growth);
        entry.slice = grown.min(self.schedule.longest_slice).max(entry.slice);
        actions.push(Action::Grant(number));
    }
}
