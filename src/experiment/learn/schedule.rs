//! Simulates a schedule: the scheduler's rules, applied to analyses with known running times.
//!
//! The simulation assumes that an analysis needs the same time in one turn or in several, that none overstays its
//! turn, and that none helps another.

use super::cases::Case;
use regatta_run::config::{Portfolio, Schedule};

/// A turn of an opening.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Step {
    /// The analysis's number.
    pub analysis: usize,
    /// The length in seconds.
    pub time: f64,
}

/// The parameters of a portfolio's schedule.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub cores: usize,
    /// The lengths of the first turns after the opening, in seconds, by analysis.
    slices: Vec<f64>,
    growth: f64,
    longest: f64,
    /// The analyses by priority.
    queue: Vec<usize>,
    head_start: Vec<Step>,
}

/// Maximum time of a simulated race in seconds, which is also the cost of an unsolved task.
const MAXIMUM_RACE_SECONDS: f64 = 60.0;

impl Rules {
    pub fn new(portfolio: &Portfolio, names: &[String], cores: usize) -> Self {
        let Schedule {
            head_start,
            first_slice,
            growth,
            longest_slice,
        } = portfolio.schedule.clone();
        let analysis = |name: &String| {
            let mut all = portfolio.analyses.iter();
            all.find(|analysis| analysis.name() == name)
        };
        let priorities = names
            .iter()
            .map(|name| analysis(name).map_or(10, |found| found.common.priority));
        let priorities: Vec<u32> = priorities.collect();
        let mut queue: Vec<usize> = (0..names.len()).collect();
        queue.sort_by_key(|&number| std::cmp::Reverse(priorities[number]));
        let first = first_slice.as_secs_f64();
        let solverless = queue
            .iter()
            .filter(|&&number| analysis(&names[number]).is_some_and(|found| !found.has_solver()));
        let time = head_start.as_secs_f64();
        let head_start = solverless.map(|&analysis| Step { analysis, time });
        Self {
            cores: cores.max(1),
            slices: priorities
                .iter()
                .map(|&priority| first * f64::from(priority) / 10.0)
                .collect(),
            growth,
            longest: longest_slice.as_secs_f64(),
            head_start: head_start.filter(|step| step.time > 0.0).collect(),
            queue,
        }
    }

    pub fn analyses(&self) -> usize {
        self.queue.len()
    }

    /// Returns the turns that come first without an opening.
    pub fn head_start(&self) -> Vec<Step> {
        self.head_start.clone()
    }
}

/// Returns the end of the race, in seconds from its begin.
pub(super) fn finish(opening: &[Step], case: &Case, rules: &Rules) -> f64 {
    let mut race = Race {
        case,
        permits: vec![(0.0, usize::MAX); rules.cores],
        used: vec![0.0; rules.analyses()],
        end: MAXIMUM_RACE_SECONDS,
    };
    for step in opening {
        if race.is_over() {
            return race.end;
        }
        race.give(step.analysis, step.time);
    }
    let mut slices = rules.slices.clone();
    while !race.is_over() {
        for &analysis in &rules.queue {
            if race.is_over() {
                break;
            }
            race.give(analysis, slices[analysis]);
            let grown = slices[analysis] * rules.growth;
            slices[analysis] = grown.min(rules.longest).max(slices[analysis]);
        }
    }
    race.end
}

/// A race under simulation.
struct Race<'c> {
    case: &'c Case,
    /// For each permit the time at which it becomes free, and the analysis that has it until then.
    permits: Vec<(f64, usize)>,
    used: Vec<f64>,
    /// The time of the earliest answer so far.
    end: f64,
}

impl Race<'_> {
    /// Checks whether no further turn begins before the answer.
    fn is_over(&self) -> bool {
        self.permits.iter().all(|permit| permit.0 >= self.end)
    }

    fn give(&mut self, analysis: usize, time: f64) {
        let holds = self.permits.iter().position(|permit| permit.1 == analysis);
        let next = (0..self.permits.len())
            .min_by(|&one, &other| self.permits[one].0.total_cmp(&self.permits[other].0));
        let Some(next) = next else { return };
        // An analysis that runs at that time continues on its core.
        let place = match holds {
            Some(own) if self.permits[own].0 > self.permits[next].0 => own,
            _ => next,
        };
        let begin = self.permits[place].0;
        let left = self.case.needs[analysis] - self.used[analysis];
        if left <= time {
            self.end = self.end.min(begin + left.max(0.0));
        }
        self.used[analysis] += time;
        self.permits[place] = (begin + time, analysis);
    }
}
