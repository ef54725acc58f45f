//! A whole run, with loops accelerated ([`crate::interpreter::concolic::acceleration`]).

use crate::interpreter::concolic::acceleration::Accelerator;
use crate::interpreter::input::InputSource;
use crate::interpreter::limits::STEPS_BETWEEN_CHECKS;
use crate::interpreter::observer::{NoObserver, Observer};
use crate::interpreter::outcome::{Limits, Report};
use crate::interpreter::state::machine::Machine;

impl Machine<'_> {
    /// Runs the program from its start.
    pub fn run(&mut self, inputs: &mut dyn InputSource, limits: Limits<'_>) -> Report {
        self.run_observed(inputs, limits, &mut NoObserver)
    }

    /// Runs the program from its start with an observer. Iterations of a loop that take the same path may be skipped
    /// ([`crate::interpreter::concolic`]) if the observer allows it ([`Observer::MAY_MISS_ITERATIONS`]).
    pub fn run_observed<O: Observer>(
        &mut self,
        inputs: &mut dyn InputSource,
        limits: Limits<'_>,
        observer: &mut O,
    ) -> Report {
        self.run_accelerated(inputs, limits, observer, Accelerator::default())
    }

    pub(in crate::interpreter) fn run_accelerated<O: Observer>(
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
                false => self.go_on(inputs, limits, STEPS_BETWEEN_CHECKS, &mut steps, observer),
            };
            if let Some(outcome) = end {
                break outcome;
            }
        };
        self.report(outcome, steps)
    }
}
