//! Concolic execution: a concrete run together with the set of inputs for which it would be the same.
//!
//! As in DART (Godefroid, Klarlund, Sen: DART, PLDI 2005) and CUTE, a run on chosen inputs also computes what its path
//! demands of them; but without a solver. The demands are kept as a *box*: a set of intervals for each input, such that
//! all inputs within take the same path with the same faults. Values that are affine in one input are followed exactly
//! (`shadow`); where that is not enough, the input is *concretised*: its set shrinks to the value of the run.
//!
//! The run is the machine's own on the same compiled program, and its shadow looks on: what is computed, and whether it
//! is a fault, is not implemented twice. While no input has more than one value left, the machine runs alone, at full
//! speed.
//!
//! | file | concept |
//! | --- | --- |
//! | `affine` | values that depend on one input |
//! | `shadow`, `follow`, `memory` | what registers and cells hold; what instructions make of it |
//! | `acceleration` | over iterations of a loop that are all alike |

pub(super) mod acceleration;
mod affine;
mod follow;
mod memory;
mod shadow;

use std::cell::RefCell;

use super::executable::Executable;
use super::input::{InputSource, Journal};
use super::machine::Machine;
use super::observer::NoObserver;
use super::outcome::{Limits, Outcome, Report};
use super::value::value_of_bits;
use crate::program::{Input, InputId, InputKind};
use crate::term::domain::IntervalSet;
use crate::term::{FloatFormat, Sort, Value};
use acceleration::Accelerator;
pub use acceleration::FIRST as FIRST_LEAP;
use shadow::Shadow;

/// Steps between two looks at whether the machine may run alone.
const SHADOWED_SLICES: std::ops::Range<u64> = 16..4096;
/// Steps between two looks at the limits when it does.
const FREE_SLICE: u64 = 1 << 14;

/// The value that an input is to have in a run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// A member of the input's domain: a bit pattern, read as unsigned, or an integer.
    pub value: i128,
    /// Whether the input is to be concretised at once.
    pub concrete: bool,
}

/// An input of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxInput {
    pub id: InputId,
    /// Its value in the run.
    pub value: i128,
    /// Its values in the box.
    pub set: IntervalSet,
    /// What its set was before it was concretised, if it was.
    pub needed: Option<IntervalSet>,
}

/// A run, and what it stands for: each choice of a value from each input's set gives a run with the same edges, faults
/// and outcome.
#[derive(Clone, Debug)]
pub struct GeneralRun {
    pub report: Report,
    /// Its inputs, in order.
    pub inputs: Vec<BoxInput>,
    /// Why the box cannot be relied on, if so.
    pub given_up: Option<&'static str>,
}

/// What was drawn.
#[derive(Clone, Debug)]
struct Drawn {
    id: InputId,
    value: i128,
    domain: IntervalSet,
    /// Whether the domain is what the set starts with.
    open: bool,
}

/// The values that an input may have. An array has just one here: whoever reads its cells is found out.
pub fn domain(input: &Input) -> IntervalSet {
    let patterns = |width: u32| IntervalSet::range(0, (1i128 << width) - 1);
    let without = |nans: [(i128, i128); 2], nan: i128, width| {
        let nans = IntervalSet::range(nans[0].0, nans[0].1)
            .union(&IntervalSet::range(nans[1].0, nans[1].1));
        patterns(width)
            .difference(&nans)
            .union(&IntervalSet::single(nan))
    };
    match input.sort {
        Sort::Bool => patterns(1),
        Sort::BitVec(width @ ..=64) => patterns(width.into()),
        // All NaNs are the same value.
        Sort::Float(FloatFormat::F32) => without(
            [(0x7f80_0001, 0x7fff_ffff), (0xff80_0001, 0xffff_ffff)],
            0x7fc0_0000,
            32,
        ),
        Sort::Float(FloatFormat::F64) => without(
            [
                (0x7ff0_0000_0000_0001, 0x7fff_ffff_ffff_ffff),
                (0xfff0_0000_0000_0001, 0xffff_ffff_ffff_ffff),
            ],
            0x7ff8_0000_0000_0000,
            64,
        ),
        Sort::Array { .. } => IntervalSet::single(0),
        Sort::BitVec(_) | Sort::Float(_) | Sort::Int => IntervalSet::integers(),
    }
}

/// The value that a member of the domain stands for.
pub fn value_of(sort: Sort, member: i128) -> Value {
    match sort {
        Sort::Int => Value::int(member),
        Sort::Array { .. } => Value::zero(sort),
        _ => value_of_bits(sort, member as u128),
    }
}

/// The run's inputs as a journal, with the values that `member` picks.
pub fn journal(
    executable: &Executable,
    inputs: &[BoxInput],
    member: impl Fn(&BoxInput) -> i128,
) -> Journal {
    let value = |input: &BoxInput| {
        let sort = executable.inputs()[input.id.index()].sort;
        (input.id, value_of(sort, member(input)))
    };
    Journal {
        entries: inputs.iter().map(value).collect(),
    }
}

/// Gives chosen values and notes them.
struct ChosenInputs<'s, 'c> {
    choose: &'s mut dyn FnMut(usize, &IntervalSet) -> Option<Choice>,
    drawn: &'c RefCell<Vec<Drawn>>,
}

impl ChosenInputs<'_, '_> {
    fn draw(&mut self, id: InputId, input: &Input) -> Option<i128> {
        if matches!(input.kind, InputKind::Unknown(_)) {
            return None;
        }
        let domain = domain(input);
        let mut drawn = self.drawn.borrow_mut();
        let choice = (self.choose)(drawn.len(), &domain)?;
        drawn.push(Drawn {
            id,
            value: choice.value,
            domain,
            open: !choice.concrete,
        });
        Some(choice.value)
    }
}

impl InputSource for ChosenInputs<'_, '_> {
    fn next(&mut self, id: InputId, input: &Input) -> Option<Value> {
        Some(value_of(input.sort, self.draw(id, input)?))
    }

    fn next_bits(&mut self, id: InputId, input: &Input) -> Option<u64> {
        Some(self.draw(id, input)? as u64)
    }
}

struct NoInputs;

impl InputSource for NoInputs {
    fn next(&mut self, _: InputId, _: &Input) -> Option<Value> {
        None
    }
}

/// Makes general runs of a program.
pub struct ConcolicMachine<'e> {
    machine: Machine<'e>,
    executable: &'e Executable,
}

impl<'e> ConcolicMachine<'e> {
    /// A machine for the program, whose edges must exclude one another ([`Executable::is_deterministic`]).
    pub fn new(executable: &'e Executable) -> Self {
        Self {
            machine: Machine::new(executable),
            executable,
        }
    }

    /// Runs the program from its start. `choose` gets an input's position in the run and its domain; `None` ends the
    /// run with [`Outcome::InputRefused`], as does an input of an unknown value. A run that depends on more inputs than
    /// `most_needed` is given up.
    pub fn run(
        &mut self,
        choose: &mut dyn FnMut(usize, &IntervalSet) -> Option<Choice>,
        most_needed: usize,
        limits: Limits<'_>,
    ) -> GeneralRun {
        let drawn = RefCell::new(Vec::new());
        let mut shadow = Shadow::new(self.executable, &drawn);
        let mut source = ChosenInputs {
            choose,
            drawn: &drawn,
        };
        self.machine.reset();
        let mut steps = 0;
        let mut slice = SHADOWED_SLICES.start;
        let mut accelerator = Accelerator::default();
        let outcome = loop {
            if shadow.is_idle() && shadow.awaited.is_none() {
                let (free, machine) = (&mut NoObserver, &mut self.machine);
                let end = match accelerator.is_due(steps) {
                    true => accelerator.go_on(machine, &mut NoInputs, limits, &mut steps, free),
                    false => machine.go_on(&mut NoInputs, limits, FREE_SLICE, &mut steps, free),
                };
                match end {
                    None => continue,
                    // The shadow has to see it.
                    Some(Outcome::InputRefused) => slice = SHADOWED_SLICES.start,
                    Some(outcome) => break outcome,
                }
            }
            let end = self
                .machine
                .go_on(&mut source, limits, slice, &mut steps, &mut shadow);
            if shadow.awaited.is_some() {
                shadow.receive();
            }
            if !shadow.is_idle() {
                shadow.sweep();
            }
            if shadow.narrowed > most_needed && end.is_none() {
                shadow.given_up = Some("a run depends on too many inputs");
            }
            slice = SHADOWED_SLICES.end.min(slice * 2);
            match end {
                Some(outcome) => break outcome,
                None if shadow.given_up.is_some() => break Outcome::InputRefused,
                None => {}
            }
        };
        let given_up = shadow.given_up;
        let shadowed = std::mem::take(&mut shadow.inputs);
        drop(shadow);
        let inputs = drawn.into_inner().into_iter().zip(shadowed);
        let inputs = inputs.map(|(drawn, input)| BoxInput {
            id: drawn.id,
            value: input.value,
            set: input.set,
            needed: input.needed,
        });
        GeneralRun {
            inputs: inputs.collect(),
            given_up,
            report: self.machine.report(outcome, steps),
        }
    }
}
