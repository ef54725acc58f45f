//! A whole run, in slices, with loops accelerated ([`super::concolic::acceleration`]).

use super::concolic::acceleration::Accelerator;
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
        self.run_accelerated(inputs, limits, observer, Accelerator::default())
    }

    pub(super) fn run_accelerated<O: Observer>(
        &mut self,
        inputs: &mut dyn InputSource,
        limits: Limits<'_>,
        observer: &mut O,
        mut accelerator: Accelerator,
    ) -> Report {
        self.reset();
        let mut steps = 0;
        let outcome = loop {
            let end = match O::MAY_MISS_ITERATIONS && accelerator.is_due(steps) {
                true => accelerator.go_on(self, inputs, limits, &mut steps, observer),
                false => self.go_on(inputs, limits, SLICE, &mut steps, observer),
            };
            if let Some(outcome) = end {
                break outcome;
            }
        };
        self.report(outcome, steps)
    }
}
