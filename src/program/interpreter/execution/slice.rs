//! The execution of a run for a number of steps, within the limits.

use std::time::Instant;

use super::instructions::Stop;
use crate::interpreter::input::InputSource;
use crate::interpreter::observer::Observer;
use crate::interpreter::outcome::{FaultKind, Limits, Outcome, Report};
use crate::interpreter::state::machine::Machine;

impl Machine<'_> {
    /// Continues a run for about `slice` steps, and adds the steps taken to `steps`; returns the outcome if the run ends. A
    /// run that ended with [`Outcome::InputRefused`] may be continued and then asks for the input again.
    pub(in crate::interpreter) fn go_on<O: Observer>(
        &mut self,
        inputs: &mut dyn InputSource,
        limits: Limits<'_>,
        slice: u64,
        steps: &mut u64,
        observer: &mut O,
    ) -> Option<Outcome> {
        let slice = slice.min(limits.steps.saturating_sub(*steps));
        if slice == 0 {
            return Some(Outcome::StepLimit);
        }
        let mut fuel = slice as i64;
        let stop = self.execute(inputs, observer, &mut fuel);
        *steps = steps.saturating_add_signed(slice as i64 - fuel);
        if let Stop::Finished(outcome) = stop {
            return Some(outcome);
        }
        if limits
            .cancelled
            .is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed))
        {
            return Some(Outcome::Cancelled);
        }
        if limits
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Some(Outcome::TimeLimit);
        }
        (self.bytes() > limits.memory).then_some(Outcome::MemoryLimit)
    }

    /// The report of a run that has ended.
    pub(in crate::interpreter) fn report(&mut self, outcome: Outcome, steps: u64) -> Report {
        if self.heap.objects.has_overlap() {
            self.log.fault(self.executable, self.pc, FaultKind::Overlap);
        }
        Report {
            outcome,
            faults: std::mem::take(&mut self.log.faults),
            fault_count: self.log.fault_count,
            inputs: self.log.inputs,
            unknown_inputs: self.log.unknown_inputs,
            memory_fault: self.log.memory_fault.take(),
            steps,
        }
    }
}
