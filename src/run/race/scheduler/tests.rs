//! Tests of the scheduler in virtual time.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

const STEP: Duration = Duration::from_millis(1);

fn schedule() -> Schedule {
    Schedule {
        first_slice: Duration::from_millis(50),
        growth: 1.5,
        longest_slice: Duration::from_millis(400),
        ..Schedule::default()
    }
}

/// An analysis of the simulated race.
struct Simulated {
    priority: u32,
    /// Milliseconds between safe points; `None` if it never reaches one.
    gap: Option<u32>,
    /// The time with a permit after which it ends.
    work: Duration,
    since_safe_point: u32,
    blocked: bool,
    permit: bool,
    finished: bool,
    permit_time: Duration,
    /// The time at which it lost its permit.
    without_since: Duration,
    longest_wait: Duration,
    had_permit: bool,
}

impl Simulated {
    fn new(priority: u32, gap: Option<u32>) -> Self {
        Self {
            priority,
            gap,
            work: Duration::MAX,
            since_safe_point: 0,
            blocked: true,
            permit: false,
            finished: false,
            permit_time: Duration::ZERO,
            without_since: Duration::ZERO,
            longest_wait: Duration::ZERO,
            had_permit: false,
        }
    }

    fn longest_turn(&self) -> Duration {
        schedule().longest_slice * self.priority / NORMAL_PRIORITY
    }
}

/// A race in virtual time.
struct Race {
    permits: usize,
    scheduler: Scheduler,
    analyses: Vec<Simulated>,
    now: Duration,
}

impl Race {
    fn new(permits: usize, analyses: Vec<Simulated>) -> Self {
        let mut scheduler = Scheduler::new(permits, schedule());
        for analysis in &analyses {
            scheduler.add(analysis.priority, Duration::MAX);
        }
        Self {
            permits,
            scheduler,
            analyses,
            now: Duration::ZERO,
        }
    }

    fn apply(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Grant(number) => {
                    let analysis = &mut self.analyses[number];
                    assert!(!analysis.permit && !analysis.finished);
                    let waited = self.now - analysis.without_since;
                    if analysis.had_permit {
                        analysis.longest_wait = analysis.longest_wait.max(waited);
                    }
                    analysis.permit = true;
                    analysis.had_permit = true;
                    analysis.blocked = false;
                }
                Action::Revoke(number) => {
                    let analysis = &mut self.analyses[number];
                    assert!(analysis.permit && !analysis.finished);
                    analysis.permit = false;
                    analysis.without_since = self.now;
                }
                Action::Recall(_) => panic!("nothing was lent"),
            }
        }
    }

    fn step(&mut self) {
        if self.scheduler.next_tick().is_some_and(|at| at <= self.now) || self.now.is_zero() {
            let actions = self.scheduler.tick(self.now);
            self.apply(actions);
        }
        let holders = self
            .analyses
            .iter()
            .filter(|analysis| analysis.permit)
            .count();
        let unfinished = self
            .analyses
            .iter()
            .filter(|analysis| !analysis.finished)
            .count();
        assert_eq!(
            holders,
            self.permits.min(unfinished),
            "no permit is idle, none too many"
        );
        for number in 0..self.analyses.len() {
            let analysis = &mut self.analyses[number];
            if analysis.finished || analysis.blocked {
                assert!(!analysis.permit, "a permit for one that stands still");
                continue;
            }
            if analysis.permit {
                analysis.permit_time += STEP;
            }
            if analysis.permit_time >= analysis.work {
                analysis.finished = true;
                analysis.permit = false;
                let actions = self.scheduler.finish(number, self.now);
                self.apply(actions);
                continue;
            }
            analysis.since_safe_point += 1;
            if analysis
                .gap
                .is_some_and(|gap| analysis.since_safe_point >= gap)
            {
                analysis.since_safe_point = 0;
                analysis.blocked = self.scheduler.safe_point(number);
            }
        }
        self.now += STEP;
    }

    /// Checks the bounds on waiting and shares of the module's comment.
    fn assert_worst_case(&self, from: Duration, permit_time: &[Duration]) {
        let all: Duration = self.analyses.iter().map(Simulated::longest_turn).sum();
        let permits = u32::try_from(self.permits).expect("few");
        for (number, analysis) in self.analyses.iter().enumerate() {
            let longest_turn = analysis.longest_turn();
            // Each turn waited for may end one step later than due.
            let turns = u32::try_from(self.analyses.len()).expect("few");
            let bound = (all - longest_turn) / permits + STEP * turns;
            assert!(
                analysis.longest_wait <= bound,
                "analysis {number} waited {:?}, not {bound:?}",
                analysis.longest_wait
            );
            let had = (analysis.permit_time - permit_time[number]).as_secs_f64();
            let cycle = (longest_turn + bound).as_secs_f64();
            let due = (self.now - from).as_secs_f64() * longest_turn.as_secs_f64() / cycle;
            let slack = 2.0 * longest_turn.as_secs_f64();
            assert!(
                had >= due - slack,
                "analysis {number} had {had} s of {due} s"
            );
        }
    }

    /// Runs until turns have grown, then checks the bounds of the worst case.
    fn check_worst_case(&mut self) {
        let grown = Duration::from_secs(8 * u64::try_from(self.analyses.len()).expect("few"));
        while self.now < grown {
            self.step();
        }
        let permit_time: Vec<Duration> = self
            .analyses
            .iter()
            .map(|analysis| analysis.permit_time)
            .collect();
        let from = self.now;
        while self.now < from + Duration::from_secs(30) {
            self.step();
        }
        self.assert_worst_case(from, &permit_time);
    }
}

#[test]
fn the_worst_case_holds_for_random_safe_points() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    for _ in 0..40 {
        let permits = random.random_range(1..5);
        let number = random.random_range(1..10);
        let analyses = (0..number)
            .map(|_| {
                let gap = match random.random_range(0..3) {
                    0 => None,
                    1 => Some(random.random_range(1..20)),
                    _ => Some(random.random_range(200..3000)),
                };
                Simulated::new(random.random_range(1..=30), gap)
            })
            .collect();
        Race::new(permits, analyses).check_worst_case();
    }
}

#[test]
fn the_worst_case_holds_without_safe_points() {
    for permits in [1, 2, 3] {
        let analyses = (0..7)
            .map(|_| Simulated::new(NORMAL_PRIORITY, None))
            .collect();
        Race::new(permits, analyses).check_worst_case();
    }
}

/// An analysis that needs two turns ends long before seven others have had as much time.
#[test]
fn a_quick_analysis_ends_early() {
    let mut analyses: Vec<Simulated> = (0..8)
        .map(|_| Simulated::new(NORMAL_PRIORITY, None))
        .collect();
    analyses[7].work = Duration::from_millis(100);
    let mut race = Race::new(2, analyses);
    while !race.analyses[7].finished {
        race.step();
    }
    assert!(race.now < Duration::from_millis(600), "{:?}", race.now);
}

#[test]
fn races_with_ends_keep_the_permits_busy() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    for _ in 0..40 {
        let analyses = (0..random.random_range(2..9))
            .map(|_| Simulated {
                work: Duration::from_millis(random.random_range(1..5000)),
                ..Simulated::new(NORMAL_PRIORITY, random.random_bool(0.5).then_some(3))
            })
            .collect::<Vec<_>>();
        let all: Duration = analyses.iter().map(|analysis| analysis.work).sum();
        let mut race = Race::new(random.random_range(1..4), analyses);
        while race.analyses.iter().any(|analysis| !analysis.finished) {
            race.step();
            assert!(race.now <= all + Duration::from_secs(1));
        }
    }
}

fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

#[test]
fn turns_grow_and_follow_the_priority() {
    let mut scheduler = Scheduler::new(1, schedule());
    scheduler.add(NORMAL_PRIORITY, Duration::MAX);
    scheduler.add(2 * NORMAL_PRIORITY, Duration::MAX);
    let mut now = Duration::ZERO;
    let mut turns = Vec::new();
    while turns.len() < 12 {
        scheduler.tick(now);
        let next = scheduler.next_tick().expect("one is waiting");
        turns.push((next - now).as_micros());
        now = next;
    }
    // The analysis with the higher priority begins.
    assert_eq!(
        turns[..6],
        [100_000, 50_000, 150_000, 75_000, 225_000, 112_500]
    );
    assert_eq!(turns[10..], [759_375, 379_687]);
}

#[test]
fn an_analysis_eases_after_its_time() {
    let mut scheduler = Scheduler::new(1, schedule());
    scheduler.add(NORMAL_PRIORITY, Duration::MAX);
    scheduler.add(NORMAL_PRIORITY, ms(100));
    let mut now = Duration::ZERO;
    let mut turns = Vec::new();
    while turns.len() < 8 {
        scheduler.tick(now);
        let next = scheduler.next_tick().expect("one is waiting");
        turns.push((next - now).as_micros());
        now = next;
    }
    assert_eq!(
        turns,
        [
            50_000, 50_000, 75_000, 75_000, 112_500, 28_125, 168_750, 42_187
        ]
    );
}

#[test]
fn an_analysis_that_expects_to_end_soon_waits_for_one_other_turn() {
    let mut scheduler = Scheduler::new(1, schedule());
    let others = [0; 3].map(|_| scheduler.add(NORMAL_PRIORITY, Duration::MAX));
    let promising = scheduler.add(NORMAL_PRIORITY, ms(1));
    let mut now = Duration::ZERO;
    let mut turns = Vec::new();
    while turns.len() < 12 {
        scheduler.favour(promising, turns.len() < 9);
        for action in scheduler.tick(now) {
            if let Action::Grant(number) = action {
                turns.push(number);
            }
        }
        now = scheduler.next_tick().expect("one is waiting");
    }
    let [a, b, c] = others;
    let expected = [
        a, b, c, promising, a, promising, b, promising, c, promising, a, b,
    ];
    assert_eq!(turns, expected);
}

#[test]
fn a_turn_continues_while_no_other_waits() {
    let mut scheduler = Scheduler::new(1, schedule());
    let first = scheduler.add(NORMAL_PRIORITY, Duration::MAX);
    assert_eq!(scheduler.tick(ms(0)), [Action::Grant(first)]);
    assert_eq!(scheduler.next_tick(), None);
    assert!(!scheduler.safe_point(first));
    let second = scheduler.add(NORMAL_PRIORITY, Duration::MAX);
    // The turn of the first one was over long ago.
    let actions = scheduler.tick(ms(1000));
    assert_eq!(actions, [Action::Revoke(first), Action::Grant(second)]);
    assert!(scheduler.may_run(first), "not at a safe point yet");
    assert!(scheduler.safe_point(first));
    assert!(!scheduler.may_run(first));
    assert_eq!(scheduler.finish(second, ms(1001)), [Action::Grant(first)]);
}

#[test]
fn a_certification_keeps_its_permit() {
    let mut scheduler = Scheduler::new(1, schedule());
    let [first, second, third] = [0; 3].map(|_| scheduler.add(NORMAL_PRIORITY, Duration::MAX));
    scheduler.tick(ms(0));
    let actions = scheduler.tick(ms(50));
    assert_eq!(actions, [Action::Revoke(first), Action::Grant(second)]);
    // The overstayer has found an answer.
    let actions = scheduler.certify(first, ms(50));
    assert_eq!(actions, [Action::Grant(first), Action::Revoke(second)]);
    assert_eq!(scheduler.tick(ms(100_000)), [], "it keeps its permit");
    assert_eq!(scheduler.next_tick(), None);
    // The permit goes to the next in the queue, not to the analysis that lost it to the certification.
    assert_eq!(scheduler.finish(first, ms(100_000)), [Action::Grant(third)]);
    // An analysis that has a permit keeps it for its certification.
    assert_eq!(scheduler.certify(third, ms(100_000)), []);
    assert_eq!(scheduler.tick(ms(200_000)), []);
    assert_eq!(
        scheduler.finish(third, ms(200_000)),
        [Action::Grant(second)]
    );
}

/// The others stop, and get their permits back when the quiet times add up to the maximum.
#[test]
fn the_first_moments_of_certifying_are_quiet() {
    let mut scheduler = Scheduler::new(2, schedule());
    let [first, second, third] = [0; 3].map(|_| scheduler.add(NORMAL_PRIORITY, Duration::MAX));
    scheduler.tick(ms(0));
    assert_eq!(scheduler.certify(first, ms(10)), [Action::Revoke(second)]);
    assert_eq!(scheduler.tick(ms(20)), []);
    assert_eq!(
        scheduler.lend(),
        Some(0),
        "a certification may have helpers"
    );
    // The answer did not pass its check.
    scheduler.resume(first, ms(30));
    let actions = scheduler.tick(ms(30));
    assert!(actions.contains(&Action::Grant(third)) && actions.contains(&Action::Recall(0)));
    scheduler.give_back(0, ms(30));
    // The next certification has the rest of the quiet time.
    scheduler.certify(third, ms(1000));
    let end = ms(1000) + MAXIMUM_QUIET_TIME - ms(20);
    assert_eq!(scheduler.next_tick(), Some(end));
    assert_eq!(scheduler.tick(end - ms(1)), []);
    let actions = scheduler.tick(end);
    assert!(matches!(actions[..], [Action::Grant(_)]), "{actions:?}");
    // The quiet time is used up.
    assert_eq!(scheduler.certify(third, ms(2000)), []);
    assert_eq!(scheduler.holders(), 2);
}

#[test]
fn newcomers_do_not_pass_those_that_wait() {
    let mut scheduler = Scheduler::new(1, schedule());
    let first = scheduler.add(NORMAL_PRIORITY, Duration::MAX);
    scheduler.tick(ms(0));
    let second = scheduler.add(NORMAL_PRIORITY, Duration::MAX);
    scheduler.tick(ms(100));
    let third = scheduler.add(100, Duration::MAX);
    assert_eq!(
        scheduler.tick(ms(1000)),
        [Action::Revoke(second), Action::Grant(first)]
    );
    assert_eq!(scheduler.finish(first, ms(1001)), [Action::Grant(third)]);
}

/// An analysis whose answer did not pass its check has no privileges.
#[test]
fn an_analysis_takes_turns_after_a_failed_certification() {
    let mut scheduler = Scheduler::new(1, schedule());
    let [first, second] = [0, 1].map(|_| scheduler.add(NORMAL_PRIORITY, Duration::MAX));
    scheduler.tick(Duration::ZERO);
    assert!(scheduler.may_run(first));
    scheduler.certify(first, Duration::ZERO);
    let late = Duration::from_secs(100);
    assert_eq!(scheduler.tick(late), [], "its permit is not taken away");
    scheduler.resume(first, late);
    assert_eq!(
        scheduler.tick(late),
        [Action::Revoke(first), Action::Grant(second)]
    );
}

/// A resting analysis does not delay others until it is woken.
#[test]
fn a_resting_analysis_has_no_permit() {
    let mut scheduler = Scheduler::new(1, schedule());
    let resting = scheduler.add_resting(NORMAL_PRIORITY);
    let other = scheduler.add(NORMAL_PRIORITY, Duration::MAX);
    assert_eq!(scheduler.tick(Duration::ZERO), [Action::Grant(other)]);
    assert_eq!(scheduler.next_tick(), None, "no analysis waits");
    scheduler.wake(resting);
    scheduler.wake(resting);
    assert!(!scheduler.may_run(resting));
    let later = scheduler.next_tick().expect("the end of a turn");
    let expected = [Action::Revoke(other), Action::Grant(resting)];
    assert_eq!(scheduler.tick(later), expected);
    assert_eq!(scheduler.rest(resting, later), [Action::Grant(other)]);
    assert_eq!(scheduler.next_tick(), None);
}

#[test]
fn only_idle_permits_are_lent() {
    let mut scheduler = Scheduler::new(2, schedule());
    let first = scheduler.add(NORMAL_PRIORITY, Duration::MAX);
    assert_eq!(scheduler.lend(), None, "an analysis waits");
    assert_eq!(scheduler.tick(Duration::ZERO), [Action::Grant(first)]);
    assert_eq!(scheduler.lend(), Some(0));
    assert_eq!(scheduler.lend(), None, "both are in use");
    assert_eq!(scheduler.next_tick(), None);

    // A new analysis gets the permit at once; the helper runs on without one until it ends.
    let second = scheduler.add(NORMAL_PRIORITY, Duration::MAX);
    assert_eq!(scheduler.next_tick(), Some(Duration::ZERO));
    let taken = [Action::Recall(0), Action::Grant(second)];
    assert_eq!(scheduler.tick(STEP), taken);
    assert_eq!(scheduler.finish(second, STEP), []);
    assert_eq!(
        scheduler.lend(),
        Some(1),
        "the other number is not free yet"
    );
    assert_eq!(scheduler.give_back(0, STEP), []);
    assert_eq!(scheduler.lend(), None);
    assert_eq!(scheduler.give_back(1, STEP), []);

    // A certification without a permit takes a lent one before it ends a turn.
    let third = scheduler.add(NORMAL_PRIORITY, Duration::MAX);
    let late = schedule().longest_slice * 4;
    assert_eq!(scheduler.tick(STEP), [Action::Grant(third)]);
    let fourth = scheduler.add(NORMAL_PRIORITY, Duration::MAX);
    scheduler.tick(late);
    let has_lost = |scheduler: &Scheduler, number: usize| scheduler.queue.contains(&number);
    let overstayer = [first, third]
        .into_iter()
        .find(|&one| has_lost(&scheduler, one));
    let overstayer = overstayer.expect("one of the two");
    // One more permit and an empty queue stand for the moment before the overstayer gets its permit again.
    scheduler.permits = 3;
    assert_eq!(scheduler.lend(), None, "the overstayer waits for it");
    scheduler.queue.clear();
    assert_eq!(scheduler.lend(), Some(0));
    assert_eq!(
        scheduler.certify(overstayer, late)[..2],
        [Action::Grant(overstayer), Action::Recall(0)]
    );
    assert_eq!(scheduler.finish(fourth, late), []);
}

/// Under random events, no analysis waits while a permit is lent, and each loan is recalled at most once.
#[test]
fn loans_do_not_delay_analyses() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(13);
    let is_at_work =
        |entry: &Entry| matches!(entry.state, State::Running { .. } | State::Overstaying);
    for _ in 0..300 {
        let permits = random.random_range(1..5);
        let mut scheduler = Scheduler::new(permits, schedule());
        let mut now = Duration::ZERO;
        // The loans that have not ended, each with whether it was recalled.
        let mut loans: Vec<(usize, bool)> = Vec::new();
        let mut analyses = 0;
        let mut lent = 0;
        for _ in 0..200 {
            now += STEP * random.random_range(0..40);
            let number = random.random_range(0..analyses.max(1));
            let mut actions = match random.random_range(0..12) {
                0 if analyses < 7 => {
                    analyses = 1 + scheduler.add(NORMAL_PRIORITY, Duration::MAX);
                    Vec::new()
                }
                1 => scheduler.rest(number, now),
                2 => {
                    scheduler.wake(number);
                    Vec::new()
                }
                3 if scheduler.entries.get(number).is_some_and(is_at_work) => {
                    scheduler.certify(number, now)
                }
                4 => {
                    scheduler.resume(number, now);
                    Vec::new()
                }
                5 => {
                    scheduler.safe_point(number);
                    Vec::new()
                }
                6..=8 if !loans.is_empty() => {
                    let (loan, _) = loans.swap_remove(random.random_range(0..loans.len()));
                    scheduler.give_back(loan, now)
                }
                _ => {
                    if let Some(loan) = scheduler.lend() {
                        let quiet = scheduler.quiet_until.is_some();
                        assert!(quiet || scheduler.queue.is_empty(), "an analysis waits");
                        assert!(loans.iter().all(|&(other, _)| other != loan), "it is lent");
                        loans.push((loan, false));
                        lent += 1;
                    }
                    Vec::new()
                }
            };
            actions.extend(scheduler.tick(now));
            for action in actions {
                if let Action::Recall(recalled) = action {
                    let mut known = loans.iter_mut().filter(|(loan, _)| *loan == recalled);
                    let (_, was_recalled) = known.next().expect("the loan has not ended");
                    assert!(!std::mem::replace(was_recalled, true), "recalled twice");
                }
            }
            let held = loans.iter().filter(|(_, recalled)| !recalled).count();
            let quiet = scheduler.quiet_until.is_some();
            assert!(
                held == 0 || quiet || scheduler.queue.is_empty(),
                "an analysis waits"
            );
            let certifying = scheduler.entries.iter();
            let certifying = certifying.filter(|entry| entry.state == State::Certifying);
            assert!(scheduler.holders() <= permits.max(certifying.count()));
        }
        assert!(lent > 0 || permits == 1);
    }
}

#[test]
fn an_opening_comes_before_turns() {
    let mut scheduler = Scheduler::new(1, schedule());
    let numbers: Vec<usize> = (0..4)
        .map(|_| scheduler.add(NORMAL_PRIORITY, Duration::MAX))
        .collect();
    let [first, second, third, fourth] = numbers[..] else {
        unreachable!()
    };
    // No analysis has the number 9; two successive turns of an analysis make one longer turn.
    let turns = [(third, 4), (9, 7), (second, 2), (second, 3), (third, 1)];
    scheduler.open(turns.map(|(number, time)| (number, ms(time))));
    let mut granted = Vec::new();
    let mut now = Duration::ZERO;
    while granted.len() < 7 {
        for action in scheduler.tick(now) {
            if let Action::Grant(number) = action {
                granted.push((number, now.as_millis() as u64));
            }
            if let Action::Revoke(number) = action {
                scheduler.safe_point(number);
            }
        }
        now = scheduler.next_tick().unwrap_or(now);
    }
    // After the opening, the analyses that have not had a turn are in the queue before those that have.
    let order: Vec<usize> = granted.iter().map(|&(number, _)| number).collect();
    assert_eq!(&order[..3], [third, second, second]);
    assert_eq!(granted[1].1, 4);
    assert_eq!(granted[2].1, 6);
    assert_eq!(order[3], third);
    assert_eq!(granted[3].1, 9);
    assert_eq!(&order[4..6], [first, fourth]);
    assert_eq!(granted[4].1, 10);
}

#[test]
fn an_analysis_that_has_ended_has_no_turn_in_the_opening() {
    let mut scheduler = Scheduler::new(1, schedule());
    let first = scheduler.add(NORMAL_PRIORITY, Duration::MAX);
    let second = scheduler.add(NORMAL_PRIORITY, Duration::MAX);
    scheduler.open([(second, ms(5)), (second, ms(5)), (first, ms(5))]);
    assert_eq!(scheduler.tick(Duration::ZERO), [Action::Grant(second)]);
    assert_eq!(scheduler.finish(second, ms(1)), [Action::Grant(first)]);
}
