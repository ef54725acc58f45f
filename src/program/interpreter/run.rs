//! A whole run, in slices; loops may be leapt over ([`super::concolic::leap`]).

use super::concolic::leap::Leaper;
use super::input::InputSource;
use super::machine::Machine;
use super::observer::{NoObserver, Observer};
use super::outcome::{Limits, Report};

/// Steps between two looks at the clock and at the memory.
const SLICE: u64 = 1 << 14;

impl Machine<'_> {
    /// Runs the program from its start.
    pub fn run(&mut self, inputs: &mut dyn InputSource, limits: Limits<'_>) -> Report {
        self.run_observed(inputs, limits, &mut NoObserver)
    }

    /// Runs the program from its start, watched. Iterations of a loop that are all alike may be leapt over
    /// ([`super::concolic`]) if the observer does not mind.
    pub fn run_observed<O: Observer>(
        &mut self,
        inputs: &mut dyn InputSource,
        limits: Limits<'_>,
        observer: &mut O,
    ) -> Report {
        self.run_leaping(inputs, limits, observer, Leaper::default())
    }

    pub(super) fn run_leaping<O: Observer>(
        &mut self,
        inputs: &mut dyn InputSource,
        limits: Limits<'_>,
        observer: &mut O,
        mut leaper: Leaper,
    ) -> Report {
        self.reset();
        let mut steps = 0;
        let outcome = loop {
            let end = match O::MAY_MISS_ITERATIONS && leaper.is_due(steps) {
                true => leaper.go_on(self, inputs, limits, &mut steps, observer),
                false => self.go_on(inputs, limits, SLICE, &mut steps, observer),
            };
            if let Some(outcome) = end {
                break outcome;
            }
        };
        self.report(outcome, steps)
    }
}
