//! Loop acceleration: leaps over iterations of a loop that are all alike.
//!
//! Long runs are mostly loops that count. If the registers change in an iteration by constants, then the *shadow* of one
//! iteration, with the number of iterations that have gone before as its only input, tells for how many more the run
//! takes the same path; and if the forms behind the iteration are those before it for the next number, so do all
//! iterations up to there, by induction. The machine then goes on behind them (loop acceleration, in the simplest case:
//! Bozga, Iosif and Konečný, Fast Acceleration of Ultimately Periodic Relations, CAV 2010; the path is the one that is
//! run, as in Kroening, Lewis and Weissenbacher, Under-Approximating Loops in C Programs for Fast Counterexample
//! Detection, CAV 2013).
//!
//! What memory holds, what is drawn from outside, and activations of recursive functions must not change on the way. Cells
//! that each iteration reads a step further must all hold the same.
//!
//! A loop within another one is met again and again, too soon for the outer loop to be one of short iterations: where
//! leaps are long, the next one is tried as soon as its loop comes.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::affine::Affine;
use super::shadow::{Shadow, ShadowInput};
use crate::program::interpreter::bytecode::{Instruction, Place, Register};
use crate::program::interpreter::executable::Executable;
use crate::program::interpreter::heap::Heap;
use crate::program::interpreter::input::InputSource;
use crate::program::interpreter::integer::Integer;
use crate::program::interpreter::machine::{Frame, Machine};
use crate::program::interpreter::observer::{InstructionView, Observer};
use crate::program::interpreter::outcome::{Limits, Outcome};
use crate::program::interpreter::support::index_mask;
use crate::term::domain::IntervalSet;

/// Steps of a run before the first look, and between two that were of use. Shorter runs take all their steps.
pub const FIRST: u64 = 1 << 16;
/// The longest wait, in steps.
const LONGEST: u64 = 1 << 24;
/// Edges that are watched to find loops; no iteration has more.
const WINDOW: usize = 2048;
/// A leap over fewer iterations is none.
const WORTHWHILE: i128 = 16;
/// No loop has more iterations.
const ITERATIONS: i128 = 1 << 62;
/// What it takes to watch for a loop and to leap, in steps that the machine could do meanwhile; and the most steps saved that
/// are remembered: after long leaps some may be short.
const COST: u128 = 1 << 12;
const MOST_CREDIT: u128 = 1 << 18;

/// When to try the next leap.
#[derive(Clone, Debug)]
pub(in crate::program::interpreter) struct Accelerator {
    next: u64,
    wait: u64,
    /// The head of a loop that was leapt over just now, and is worth watching for.
    head: Option<usize>,
    /// How many steps leaps have saved in a row, less what they took.
    credit: u128,
}

impl Default for Accelerator {
    fn default() -> Self {
        Self {
            next: FIRST,
            wait: FIRST,
            head: None,
            credit: 0,
        }
    }
}

impl Accelerator {
    /// One that tries after so few steps.
    #[cfg(test)]
    pub(in crate::program::interpreter) fn eager(steps: u64) -> Self {
        Self {
            next: steps,
            wait: steps,
            ..Self::default()
        }
    }

    /// Whether a run of so many steps should try.
    #[inline]
    pub(in crate::program::interpreter) fn is_due(&self, steps: u64) -> bool {
        steps >= self.next
    }

    /// Goes on with the run, over many iterations of a loop if they are alike; the outcome, if it ends meanwhile. The
    /// iterations that are leapt over are not counted as steps.
    pub(in crate::program::interpreter) fn go_on<O: Observer>(
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
        let leap = match result {
            Err(outcome) => return Some(outcome),
            Ok(leap) => leap,
        };
        self.wait = match (leap, awaited) {
            (Some(_), _) => FIRST.min(self.wait),
            (None, Some(_)) => self.wait,
            (None, None) => LONGEST.min(self.wait * 2),
        };
        self.next = *steps + self.wait;
        let saved = leap.map_or(0, |leap| leap.saved);
        let credit = MOST_CREDIT.min(self.credit + saved);
        // Where the loop was left just now, it is the next attempt that begins at its beginning.
        let head = leap.map(|leap| leap.head).or(awaited);
        (self.head, self.credit) = match credit.checked_sub(COST) {
            Some(credit) if head.is_some() => (head, credit),
            _ => (None, 0),
        };
        if self.head.is_some() {
            self.next = *steps;
        }
        None
    }
}

/// Iterations that were leapt over.
#[derive(Copy, Clone, Debug)]
struct Leap {
    head: usize,
    /// How many steps they would have taken.
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
    /// Leaps if there is a loop for it.
    fn accelerate<O: Observer>(&mut self, observer: &mut O) -> Result<Option<Leap>, Outcome> {
        let mut visits: FxHashMap<usize, usize> = FxHashMap::default();
        for _ in 0..WINDOW {
            self.step(observer)?;
            *visits.entry(self.machine.pc).or_default() += 1;
        }
        // The outermost loop, and the innermost.
        let mut heads: Vec<(usize, usize)> = visits
            .into_iter()
            .filter(|(_, visits)| *visits >= 3)
            .map(|(pc, visits)| (visits, pc))
            .collect();
        heads.sort_unstable();
        let outermost = heads.first().map(|(_, pc)| *pc);
        let innermost = heads.last().map(|(_, pc)| *pc);
        for head in outermost.into_iter().chain(innermost) {
            if let Some(leap) = self.accelerate_at(head, observer)? {
                return Ok(Some(leap));
            }
        }
        Ok(None)
    }

    fn accelerate_at<O: Observer>(
        &mut self,
        head: usize,
        observer: &mut O,
    ) -> Result<Option<Leap>, Outcome> {
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
        self.arrive(&iteration.shadow, last);
        Ok(Some(Leap {
            head,
            saved: last.unsigned_abs() * u128::from(*self.steps - before),
        }))
    }

    /// One edge.
    fn step<O: Observer>(&mut self, observer: &mut O) -> Result<(), Outcome> {
        let end = self
            .machine
            .go_on(self.inputs, self.limits, 1, self.steps, observer);
        end.map_or(Ok(()), Err)
    }

    /// Runs until the head comes, between two edges.
    fn run_to<O: Observer>(&mut self, head: usize, observer: &mut O) -> Result<bool, Outcome> {
        for _ in 0..WINDOW {
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

    /// The state behind the iteration with the number.
    fn arrive(&mut self, shadow: &Shadow<'_>, number: i128) {
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

/// The shadow at the head, if each register has changed by a number; its input is how many iterations have gone before.
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
        set: IntervalSet::range(0, ITERATIONS),
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

/// Cells that an iteration reads.
struct Read {
    array: Register,
    /// How many, side by side.
    count: u8,
    /// The first of them, by the number of iterations that have gone before.
    index: Affine,
}

impl Read {
    /// The number of the last iteration, up to this one, that finds what the first one finds, and in the object where that
    /// one finds it; less than zero if that is not known of any.
    fn last_alike(&self, last: i128, executable: &Executable, heap: &Heap) -> i128 {
        let memory = &heap.memories[self.array as usize];
        // The check of the access that has been made remembers the object's range.
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
        i128::from(memory.cells.alike(first, step, self.count, most)) - 1
    }
}

/// Follows an iteration.
struct Iteration<'s> {
    shadow: Shadow<'s>,
    executable: &'s Executable,
    /// What it reads where another iteration reads other cells.
    reads: Vec<Read>,
    /// Whether it did what cannot be leapt over.
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
    /// All iterations are taken to find the same: [`Self::last`] sees to it.
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

    /// The number of the last iteration that is known to be like this one, which has number zero; `None` if the state
    /// behind it is not the one before the next.
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
        if !unchanged || last < WORTHWHILE {
            return None;
        }
        let last = self.reads.iter().try_fold(last, |last, read| {
            let last = read.last_alike(last, self.executable, heap);
            (last >= WORTHWHILE).then_some(last)
        })?;
        // The form behind an iteration is the one before it for a number more.
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
