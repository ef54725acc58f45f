//! The rules by which analyses share the cores when there are more analyses than cores, without threads and clocks.
//!
//! There are P permits, one for each core. An analysis with a permit runs for its turn; then it loses the permit, if others are
//! waiting, and goes to the end of their queue. It may not notice at once, deep in a solver's query, but nothing waits
//! for that: the next analysis starts, and the *overstayer* runs on, with a lower priority in the operating
//! system where that can be undone. It stops at its next safe point. When its turn comes, it
//! gets a permit again, whether it has reached a safe point or not. So a query may be longer than any turn.
//!
//! * **Opening.** Turns that are given first, in a fixed order. Analyses without such turns wait until they are over.
//! * **Turns** begin short and grow, so that quick analyses win quickly and slow ones are rarely interrupted. A turn is
//!   as long as the schedule says, times the analysis's priority over [`NORMAL_PRIORITY`]. The highest priority begins.
//! * **Easing.** An analysis that mostly succeeds early may ease: after some running time, its turns are shorter by
//!   [`EASED_DIVISOR`].
//! * **Favour.** An analysis that expects to end soon, by what it has done so far, does not ease, and waits for one other turn
//!   only, until it expects that no longer or has used [`MAXIMUM_FAVOURED_TIME`].
//! * **Certification.** An analysis whose answer is being checked gets a permit at once, for as long as the check takes; another
//!   one loses its permit. During the first moments, the *quiet* time, no other analysis has a permit: almost all answers are
//!   confirmed, and two cores that are hardware threads of one core slow each other down ([`MAXIMUM_QUIET_TIME`]).
//! * **Resting.** An analysis that has nothing to do rests, and goes to the end of the queue when it is woken.
//! * **Loans.** An idle permit may be lent to a helper of an analysis ([`regatta_base::workers`]), which has to give it back
//!   before the turn of any analysis is ended for another one.
//!
//! # The worst case
//! Let A analyses have longest turns L(i), and let there be no certification.
//! * **Waiting.** From losing its permit to the next one, X waits at most Σ L(i) / P over the other analyses. For the queue
//!   is first in, first out: before X only those run that hold a permit or stand before it, each for one turn at most,
//!   and no permit is idle while X waits. Whether the others reach safe points makes no difference.
//! * **Share.** So X has its permit for at least L(X) in any L(X) + Σ L(i) / P once its turns have grown: with equal
//!   priorities, it has P / (A + P - 1) of a core or more, and an answer that X finds alone in time T comes after about
//!   T (A + P - 1) / P at the latest.
//! * **Overstayers.** At most A - P overstayers run beside it. Where their priority cannot be lowered, they compete with the
//!   permits' holders for the cores under the operating system's scheduling: each holder gets at least P / A of a core.
//!
//! Favoured analyses take every second turn at most: they double the waiting of others, for [`MAXIMUM_FAVOURED_TIME`] each at
//! most. A certification of length C adds C to the waiting at most, and all together add [`MAXIMUM_QUIET_TIME`] where there are
//! several permits.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use crate::config::Schedule;

/// The priority at which a turn is as long as the schedule says.
pub const NORMAL_PRIORITY: u32 = 10;

/// Factor by which the turns of an analysis that has eased are shorter.
pub const EASED_DIVISOR: u32 = 4;

/// Maximum time, summed over its turns, during which an analysis is favoured that expects to end soon.
pub const MAXIMUM_FAVOURED_TIME: Duration = Duration::from_secs(20);

/// Maximum time, summed over all certifications, during which no other analysis has a permit.
pub const MAXIMUM_QUIET_TIME: Duration = Duration::from_millis(60);

/// An action that the caller has to carry out.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// The analysis gets a permit: if it waits, it has to continue.
    Grant(usize),
    /// The analysis loses its permit: it has to stop at its next safe point.
    Revoke(usize),
    /// The permit lent under the number is taken back: the helper has to end as soon as it can.
    Recall(usize),
}

/// The state of a loan of a permit to a helper.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Loan {
    /// It is unused.
    Free,
    /// A helper runs with the permit.
    Lent,
    /// A helper still runs after the permit was taken back.
    Recalled,
}

/// The state of an analysis.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum State {
    /// It is stopped at a safe point and is in the queue.
    Waiting,
    /// It has a permit, which may be taken away from the given time on.
    Running { until: Duration },
    /// It runs without a permit and is in the queue.
    Overstaying,
    /// It has a permit that is not taken away.
    Certifying,
    /// It wants no permit until it is woken.
    Resting,
    /// It has ended.
    Finished,
}

/// An analysis as the scheduler sees it.
#[derive(Clone, Debug)]
struct Entry {
    priority: u32,
    state: State,
    /// Whether it has had a turn.
    begun: bool,
    /// The length of the next turn, before it is multiplied by the priority.
    slice: Duration,
    /// The sum of its turns so far.
    used: Duration,
    /// The sum of turns after which it eases.
    eases_after: Duration,
    /// Whether it expects to end soon.
    ends_soon: bool,
    /// The sum of its turns during which it was favoured for that.
    favoured: Duration,
}

impl Entry {
    fn is_favoured(&self) -> bool {
        self.ends_soon && self.favoured < MAXIMUM_FAVOURED_TIME
    }
}

/// The scheduler. Times count from any fixed moment and never decrease.
#[derive(Clone, Debug)]
pub struct Scheduler {
    permits: usize,
    schedule: Schedule,
    entries: Vec<Entry>,
    /// The analyses that want a permit, first in, first out.
    queue: VecDeque<usize>,
    /// The turns that come before those of the queue.
    opening: VecDeque<(usize, Duration)>,
    /// One for each permit.
    loans: Vec<Loan>,
    /// The rest of [`MAXIMUM_QUIET_TIME`], and the end of the present quiet time.
    quiet_left: Duration,
    quiet_until: Option<Duration>,
}

impl Scheduler {
    /// Makes a scheduler without analyses.
    pub fn new(permits: usize, schedule: Schedule) -> Self {
        let permits = permits.max(1);
        Self {
            permits,
            schedule,
            entries: Vec::new(),
            queue: VecDeque::new(),
            opening: VecDeque::new(),
            loans: vec![Loan::Free; permits],
            quiet_left: MAXIMUM_QUIET_TIME,
            quiet_until: None,
        }
    }

    /// Adds a waiting analysis and returns its number. It gets a permit at [`Self::tick`] at the earliest.
    pub fn add(&mut self, priority: u32, eases_after: Duration) -> usize {
        let number = self.entries.len();
        self.entries.push(Entry {
            priority,
            state: State::Waiting,
            begun: false,
            slice: self.schedule.first_slice,
            used: Duration::ZERO,
            eases_after,
            ends_soon: false,
            favoured: Duration::ZERO,
        });
        // New analyses do not pass those that have had a turn; among new ones the higher priority goes first.
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

    /// Sets the turns that come before all others: numbers of analyses with durations.
    pub fn open(&mut self, turns: impl IntoIterator<Item = (usize, Duration)>) {
        self.opening.extend(turns);
    }

    /// Adds an analysis that rests until it is woken.
    pub fn add_resting(&mut self, priority: u32) -> usize {
        let number = self.add(priority, Duration::MAX);
        self.queue.retain(|&other| other != number);
        self.entries[number].state = State::Resting;
        number
    }

    /// Lets the analysis rest, which frees its permit.
    pub fn rest(&mut self, number: usize, now: Duration) -> Vec<Action> {
        self.stop(number, State::Resting, now)
    }

    /// Puts a resting analysis at the end of the queue.
    pub fn wake(&mut self, number: usize) {
        if let Some(entry) = self.entries.get_mut(number)
            && entry.state == State::Resting
        {
            entry.state = State::Waiting;
            self.queue.push_back(number);
        }
    }

    /// Grants free permits, and takes permits away from analyses whose turn is over if others are waiting. To be called
    /// at [`Self::next_tick`].
    pub fn tick(&mut self, now: Duration) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.quiet_until.is_some_and(|until| until > now) {
            return actions;
        }
        self.end_quiet(now);
        // Of several analyses that certified at the same time, one may run on, so that there are too many holders.
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

    /// Returns when [`Self::tick`] has to be called next, if nothing else happens.
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

    /// Returns when the analysis's permit may be taken away, if it has one that may.
    pub fn end_of_turn(&self, number: usize) -> Option<Duration> {
        match self.entries.get(number)?.state {
            State::Running { until } => Some(until),
            _ => None,
        }
    }

    /// Notes that the analysis is at a safe point. Returns whether it has to stop there until it gets a permit.
    pub fn safe_point(&mut self, number: usize) -> bool {
        if let Some(entry) = self.entries.get_mut(number)
            && entry.state == State::Overstaying
        {
            entry.state = State::Waiting;
        }
        !self.may_run(number)
    }

    /// Notes whether the analysis expects to end soon; it counts from its next turn on.
    pub fn favour(&mut self, number: usize, ends_soon: bool) {
        if let Some(entry) = self.entries.get_mut(number) {
            entry.ends_soon = ends_soon;
        }
    }

    /// Gives the analysis a permit for as long as its answer is being checked.
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

    /// Ends the quiet time; the rest of [`MAXIMUM_QUIET_TIME`] is kept for later certifications.
    fn end_quiet(&mut self, now: Duration) {
        if let Some(until) = self.quiet_until.take() {
            self.quiet_left = until.saturating_sub(now);
        }
    }

    /// Ends the quiet time unless another analysis than this one is certifying.
    fn end_quiet_without(&mut self, number: usize, now: Duration) {
        let mut others = self.entries.iter().enumerate();
        if !others.any(|(other, entry)| other != number && entry.state == State::Certifying) {
            self.end_quiet(now);
        }
    }

    /// Lets the analysis run on after its answer did not pass the check: its permit may be taken away.
    pub fn resume(&mut self, number: usize, now: Duration) {
        self.end_quiet_without(number, now);
        if let Some(entry) = self.entries.get_mut(number)
            && entry.state == State::Certifying
        {
            entry.state = State::Running { until: now };
        }
    }

    /// Removes an analysis that has ended.
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

    /// Lends a permit that no analysis has or waits for, and returns the loan's number.
    pub fn lend(&mut self) -> Option<usize> {
        // During the quiet time a certification may have helpers.
        let is_wanted = self.quiet_until.is_none() && !self.queue.is_empty();
        if is_wanted || self.holders() >= self.permits {
            return None;
        }
        let free = self.loans.iter().position(|&loan| loan == Loan::Free)?;
        self.loans[free] = Loan::Lent;
        Some(free)
    }

    /// Ends the loan after the helper has ended.
    pub fn give_back(&mut self, loan: usize, now: Duration) -> Vec<Action> {
        if let Some(loan) = self.loans.get_mut(loan) {
            *loan = Loan::Free;
        }
        self.tick(now)
    }

    /// Takes a lent permit back, if there is one.
    fn recall(&mut self, actions: &mut Vec<Action>) -> bool {
        let Some(lent) = self.loans.iter().position(|&loan| loan == Loan::Lent) else {
            return false;
        };
        self.loans[lent] = Loan::Recalled;
        actions.push(Action::Recall(lent));
        true
    }

    /// Checks whether the analysis need not stop.
    pub fn may_run(&self, number: usize) -> bool {
        let state = self.entries.get(number).map(|entry| entry.state);
        state.is_some_and(|state| state != State::Waiting)
    }

    /// Returns the number of permits in use.
    fn holders(&self) -> usize {
        let holds =
            |entry: &&Entry| matches!(entry.state, State::Running { .. } | State::Certifying);
        let lent = self.loans.iter().filter(|&&loan| loan == Loan::Lent);
        self.entries.iter().filter(holds).count() + lent.count()
    }

    /// Returns the holder of a permit whose turn ends first, with that time.
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
        match self.entries[number].is_favoured() && !self.queue.is_empty() {
            true => self.queue.insert(1, number),
            false => self.queue.push_back(number),
        }
        actions.push(Action::Revoke(number));
    }

    /// Grants the next turn of the opening, if there is one left that can be granted. If its analysis runs already, the turn
    /// prolongs the present one.
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
        let mut turn = entry.slice * entry.priority / NORMAL_PRIORITY;
        if entry.is_favoured() {
            entry.favoured += turn;
        } else if entry.used >= entry.eases_after {
            turn /= EASED_DIVISOR;
        }
        entry.used += turn;
        entry.state = State::Running { until: now + turn };
        entry.begun = true;
        let grown = entry.slice.mul_f64(self.schedule.growth);
        entry.slice = grown.min(self.schedule.longest_slice).max(entry.slice);
        actions.push(Action::Grant(number));
    }
}
