//! Loop acceleration: skips iterations of a loop that take the same path.
//!
//! Long runs consist mostly of counting loops. If an iteration changes the registers by constants, then the shadow of one
//! iteration, with the number of preceding iterations as its only input, determines for how many iterations the run
//! takes the same path, provided that the registers' forms after the iteration equal those before it with the next number
//! (by induction). The machine then continues after these iterations (loop acceleration, in the simplest case:
//! \[BIK10\]; the path is the one that is
//! run, as in \[KLW13\]).
//!
//! The iterations must not write memory, read inputs or call recursive functions. If each iteration reads other cells, at
//! equal distances, all these cells must hold the same value.
//!
//! An inner loop is executed again in every iteration of the outer one, which may be too long to be accelerated itself:
//! after a profitable acceleration, the next one is tried as soon as the same loop head is reached.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::affine::Affine;
use super::shadow::{Shadow, ShadowInput};
use crate::interpreter::code::bytecode::{Instruction, Place, Register};
use crate::interpreter::code::executable::Executable;
use crate::interpreter::execution::support::index_mask;
use crate::interpreter::input::InputSource;
use crate::interpreter::limits::{
    ATTEMPT_COST, MAXIMUM_CREDIT, MAXIMUM_ITERATION_EDGES, MAXIMUM_ITERATIONS, MAXIMUM_WAIT,
    MINIMUM_ITERATIONS,
};
use crate::interpreter::observer::{InstructionView, Observer};
use crate::interpreter::outcome::{Limits, Outcome};
use crate::interpreter::state::heap::Heap;
use crate::interpreter::state::integer::Integer;
use crate::interpreter::state::machine::{Frame, Machine};
use regatta_term::domain::IntervalSet;

/// Number of steps before the first attempt, and between attempts that succeed. Shorter runs take all their steps.
pub const STEPS_BEFORE_ACCELERATION: u64 = 1 << 16;

/// The schedule of attempts to accelerate.
#[derive(Clone, Debug)]
pub(in crate::interpreter) struct Accelerator {
    next: u64,
    wait: u64,
    /// The head of a loop that was accelerated profitably and is tried again as soon as it is reached.
    head: Option<usize>,
    /// The number of steps that a sequence of attempts has saved, minus their cost.
    credit: u128,
}

impl Default for Accelerator {
    fn default() -> Self {
        Self {
            next: STEPS_BEFORE_ACCELERATION,
            wait: STEPS_BEFORE_ACCELERATION,
            head: None,
            credit: 0,
        }
    }
}

impl Accelerator {
    /// An accelerator whose first attempt is after `steps` steps.
    #[cfg(test)]
    pub(in crate::interpreter) fn eager(steps: u64) -> Self {
        Self {
            next: steps,
            wait: steps,
            ..Self::default()
        }
    }

    /// Whether an attempt is due after `steps` steps of a run.
    #[inline]
    pub(in crate::interpreter) fn is_due(&self, steps: u64) -> bool {
        steps >= self.next
    }

    /// Continues the run with an attempt to accelerate a loop; returns the outcome if the run ends meanwhile. Skipped
    /// iterations do not count as steps.
    pub(in crate::interpreter) fn go_on<O: Observer>(
        &mut self,
        machine: &mut Machine<'_>,
        inputs: &mut dyn InputSource,
        limits: Limits<'_>,
        steps: &mut u64,
        observer: &mut O,
    ) -> Option<Outcome> {
        let mut attempt = Attempt {
            machine,
            inputs,
            limits,
            steps,
        };
        let result = match self.head {
            Some(head) => attempt.accelerate_at(head, observer),
            None => attempt.accelerate(observer),
        };
        let awaited = self.head.take();
        let skipped = match result {
            Err(outcome) => return Some(outcome),
            Ok(skipped) => skipped,
        };
        self.wait = match (skipped, awaited) {
            (Some(_), _) => STEPS_BEFORE_ACCELERATION.min(self.wait),
            (None, Some(_)) => self.wait,
            (None, None) => MAXIMUM_WAIT.min(self.wait * 2),
        };
        self.next = *steps + self.wait;
        let saved = skipped.map_or(0, |skipped| skipped.saved);
        let credit = MAXIMUM_CREDIT.min(self.credit + saved);
        // If the loop has just been left, the next attempt starts when it is entered again.
        let head = skipped.map(|skipped| skipped.head).or(awaited);
        (self.head, self.credit) = match credit.checked_sub(ATTEMPT_COST) {
            Some(credit) if head.is_some() => (head, credit),
            _ => (None, 0),
        };
        if self.head.is_some() {
            self.next = *steps;
        }
        None
    }
}

/// The iterations of a loop that were skipped.
#[derive(Copy, Clone, Debug)]
struct SkippedIterations {
    head: usize,
    /// The number of steps that they would have taken.
    saved: u128,
}

/// The registers at a loop's head.
struct Snapshot {
    narrow: Vec<u64>,
    wide: Vec<u128>,
    integer: Vec<Integer>,
    frames: Vec<Frame>,
    faults: u64,
}

struct Attempt<'a, 'e, 'l> {
    machine: &'a mut Machine<'e>,
    inputs: &'a mut dyn InputSource,
    limits: Limits<'l>,
    steps: &'a mut u64,
}

impl Attempt<'_, '_, '_> {
    /// Searches for loops, and accelerates one if possible.
    fn accelerate<O: Observer>(
        &mut self,
        observer: &mut O,
    ) -> Result<Option<SkippedIterations>, Outcome> {
        let mut visits: FxHashMap<usize, usize> = FxHashMap::default();
        for _ in 0..MAXIMUM_ITERATION_EDGES {
            self.step(observer)?;
            *visits.entry(self.machine.pc).or_default() += 1;
        }
        // The outermost loop has the fewest visits, the innermost the most.
        let mut heads: Vec<(usize, usize)> = visits
            .into_iter()
            .filter(|(_, visits)| *visits >= 3)
            .map(|(pc, visits)| (visits, pc))
            .collect();
        heads.sort_unstable();
        let outermost = heads.first().map(|(_, pc)| *pc);
        let innermost = heads.last().map(|(_, pc)| *pc);
        for head in outermost.into_iter().chain(innermost) {
            if let Some(skipped) = self.accelerate_at(head, observer)? {
                return Ok(Some(skipped));
            }
        }
        Ok(None)
    }

    fn accelerate_at<O: Observer>(
        &mut self,
        head: usize,
        observer: &mut O,
    ) -> Result<Option<SkippedIterations>, Outcome> {
        if !self.run_to(head, observer)? {
            return Ok(None);
        }
        let first = self.snapshot();
        if !self.run_to(head, observer)? {
            return Ok(None);
        }
        let second = self.snapshot();
        let executable = self.machine.executable;
        let drawn = RefCell::new(Vec::new());
        let Some(shadow) = shadow(executable, &drawn, &first, &second) else {
            return Ok(None);
        };
        let mut iteration = Iteration {
            shadow,
            executable,
            reads: Vec::new(),
            refused: false,
        };
        let before = *self.steps;
        if !self.run_to(head, &mut iteration)? || iteration.refused {
            return Ok(None);
        }
        let third = self.snapshot();
        let Some(last) = iteration.last(&first, &second, &third, &self.machine.heap) else {
            return Ok(None);
        };
        self.move_after(&iteration.shadow, last);
        Ok(Some(SkippedIterations {
            head,
            saved: last.unsigned_abs() * u128::from(*self.steps - before),
        }))
    }

    /// Takes one edge.
    fn step<O: Observer>(&mut self, observer: &mut O) -> Result<(), Outcome> {
        let end = self
            .machine
            .go_on(self.inputs, self.limits, 1, self.steps, observer);
        end.map_or(Ok(()), Err)
    }

    /// Runs until the head is reached; returns whether it is, and no edge is being attempted.
    fn run_to<O: Observer>(&mut self, head: usize, observer: &mut O) -> Result<bool, Outcome> {
        for _ in 0..MAXIMUM_ITERATION_EDGES {
            self.step(observer)?;
            if self.machine.pc == head {
                return Ok(!self.machine.attempt.active && self.machine.attempt.pending.is_empty());
            }
        }
        Ok(false)
    }

    fn snapshot(&self) -> Snapshot {
        let machine = &self.machine;
        Snapshot {
            narrow: machine.narrow.clone(),
            wide: machine.wide.clone(),
            integer: machine.integer.clone(),
            frames: machine.stack.frames.clone(),
            faults: machine.log.fault_count,
        }
    }

    /// Sets the registers to their values after the iteration with the number.
    fn move_after(&mut self, shadow: &Shadow<'_>, number: i128) {
        let value = |form: Affine| form.factor * number + form.offset;
        for (register, to) in self.machine.narrow.iter_mut().enumerate() {
            let form = shadow.form_at(Place::Narrow(register as u32));
            if let Some(form) = form {
                *to = value(form) as u64;
            }
        }
        for (register, to) in self.machine.integer.iter_mut().enumerate() {
            let form = shadow.form_at(Place::Integer(register as u32));
            if let Some(form) = form {
                *to = Integer::from(value(form));
            }
        }
    }
}

/// The shadow at the head, if each register has changed by a constant; its input is the number of preceding iterations.
fn shadow<'s>(
    executable: &'s Executable,
    drawn: &'s RefCell<Vec<super::Drawn>>,
    before: &Snapshot,
    now: &Snapshot,
) -> Option<Shadow<'s>> {
    let mut shadow = Shadow::new(executable, drawn);
    shadow.add(ShadowInput {
        is_narrowed: false,
        value: 0,
        set: IntervalSet::range(0, MAXIMUM_ITERATIONS),
        needed: None,
    });
    let form = |before: i128, now: i128| {
        let change = Affine::input(0).times(now - before)?;
        change.plus(Affine::known(now))
    };
    for (register, (&before, &now)) in before.narrow.iter().zip(&now.narrow).enumerate() {
        if before != now {
            let place = Place::Narrow(register as u32);
            shadow.set(place, form(before.into(), now.into())?);
        }
    }
    for (register, (before, now)) in before.integer.iter().zip(&now.integer).enumerate() {
        if before != now {
            let place = Place::Integer(register as u32);
            let (before, now) = (before.small()?, now.small()?);
            shadow.set(place, form(before.into(), now.into())?);
        }
    }
    Some(shadow)
}

/// A read of cells that depend on the iteration.
struct Read {
    array: Register,
    /// The number of consecutive cells.
    count: u8,
    /// The index of the first cell, as a function of the number of preceding iterations.
    index: Affine,
}

impl Read {
    /// The number of the last iteration, at most `last`, up to which all iterations read the same values as the first one
    /// and within the same object; negative if there is none.
    fn last_equal(&self, last: i128, executable: &Executable, heap: &Heap) -> i128 {
        let memory = &heap.memories[self.array as usize];
        // The check of the first iteration's access has cached the object's range.
        let low = i128::from(memory.low);
        let end = low + i128::from(memory.length);
        let end = end.min(i128::from(index_mask(executable, self.array)) + 1);
        let (_, within) = match (low..=end - i128::from(self.count)).contains(&self.index.offset) {
            true => self
                .index
                .inputs_between(Some(low), Some(end - i128::from(self.count))),
            false => return -1,
        };
        let last = within.map_or(last, |within| last.min(within));
        let (Ok(first), Ok(step), Ok(most)) = (
            u64::try_from(self.index.offset),
            i64::try_from(self.index.factor),
            u64::try_from(last + 1),
        ) else {
            return -1;
        };
        i128::from(memory.cells.equal_reads(first, step, self.count, most)) - 1
    }
}

/// The observer of an iteration.
struct Iteration<'s> {
    shadow: Shadow<'s>,
    executable: &'s Executable,
    /// The reads of cells that depend on the iteration.
    reads: Vec<Read>,
    /// Whether an instruction excludes acceleration.
    refused: bool,
}

impl Observer for Iteration<'_> {
    const FOLLOWS_INSTRUCTIONS: bool = true;

    fn instruction(&mut self, view: &InstructionView<'_>) {
        use Instruction as I;
        let is_recursive = |site: u32| self.executable.calls[site as usize].recursive;
        self.refused |= match *view.instruction {
            I::Store { .. }
            | I::StoreBytes { .. }
            | I::StoreWide { .. }
            | I::StoreInteger { .. }
            | I::Fill { .. }
            | I::FillWide { .. }
            | I::FillInteger { .. }
            | I::CopyArray { .. }
            | I::Havoc { .. }
            | I::HavocWide { .. }
            | I::HavocInteger { .. }
            | I::HavocArray { .. }
            | I::Allocate { .. }
            | I::Free { .. }
            | I::Claim { .. }
            | I::Begin => true,
            I::General { site } => {
                matches!(self.executable.general[site as usize].to, Place::Array(_))
            }
            I::Call { site, .. } => is_recursive(site),
            I::Return { .. } => view.returns_from.is_none_or(is_recursive),
            _ => false,
        };
        if self.refused {
            return;
        }
        match *view.instruction {
            I::Load { to, array, index } => self.load(to, array, index, 1, view),
            I::LoadBytes {
                count,
                to,
                array,
                index,
            } => self.load(to, array, index, count, view),
            _ => self.shadow.instruction(view),
        }
    }
}

impl Iteration<'_> {
    /// Handles a read; all iterations are assumed to read the same value, which [`Self::last`] ensures.
    fn load(
        &mut self,
        to: Register,
        array: Register,
        index: Register,
        count: u8,
        view: &InstructionView<'_>,
    ) {
        let Some(index) = self.shadow.form_at(Place::Narrow(index)) else {
            return self.shadow.instruction(view);
        };
        self.reads.push(Read {
            array,
            count,
            index,
        });
        self.shadow.set(Place::Narrow(to), Affine::known(0));
    }

    /// The number of the last iteration that takes the same path as this one, which has number zero; `None` if the
    /// iterations cannot be skipped.
    fn last(
        &self,
        earlier: &Snapshot,
        before: &Snapshot,
        after: &Snapshot,
        heap: &Heap,
    ) -> Option<i128> {
        let unchanged = before.wide == after.wide
            && before.frames == after.frames
            && before.faults == after.faults;
        let last = self.shadow.inputs[0].set.end_from(0)?;
        if !unchanged || last < MINIMUM_ITERATIONS {
            return None;
        }
        let last = self.reads.iter().try_fold(last, |last, read| {
            let last = read.last_equal(last, self.executable, heap);
            (last >= MINIMUM_ITERATIONS).then_some(last)
        })?;
        // The form after an iteration must be the form before it with the next number.
        let goes_on = |place, [earlier, before, after]: [i128; 3]| {
            let change = before - earlier;
            match self.shadow.form_at(place) {
                None => change == 0 && before == after,
                Some(form) => form.factor == change && form.offset == before + change,
            }
        };
        let narrow = (0..before.narrow.len()).all(|register| {
            let values = [earlier, before, after].map(|at| at.narrow[register].into());
            goes_on(Place::Narrow(register as Register), values)
        });
        let integer = (0..before.integer.len()).all(|register| {
            let place = Place::Integer(register as Register);
            let values = [earlier, before, after].map(|at| &at.integer[register]);
            match values.map(Integer::small) {
                [Some(earlier), Some(before), Some(after)] => {
                    goes_on(place, [earlier, before, after].map(i128::from))
                }
                _ => {
                    self.shadow.form_at(place).is_none()
                        && values.iter().all(|one| *one == values[0])
                }
            }
        });
        (narrow && integer).then_some(last)
    }
}
