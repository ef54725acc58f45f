//! Concolic execution: a concrete run together with a set of inputs for which it is the same.
//!
//! As in DART \[GKS05\] and CUTE \[SMA05\], a run on chosen inputs also computes the conditions of
//! its path; but without a solver. The conditions are kept as a *box*: a set of intervals for each input, such that
//! all inputs in the box take the same path with the same faults. Values that are affine in one input are tracked exactly
//! (`shadow`); where that is not enough, the input is *concretised*: its set shrinks to the value of the run.
//!
//! The machine executes the compiled program as usual, and the *shadow* observes it, so that the semantics of instructions
//! and faults are not implemented twice. While every input has only one value left, the machine runs without the shadow.
//!
//! | file | content |
//! | --- | --- |
//! | `affine` | values that are affine in one input |
//! | `shadow`, `follow`, `memory` | symbolic values of registers and cells; transfer functions of instructions |
//! | `acceleration` | loop acceleration |

pub(super) mod acceleration;
mod affine;
mod follow;
mod memory;
mod shadow;

use std::cell::RefCell;

use super::code::executable::Executable;
use super::input::{InputSource, Journal};
use super::observer::NoObserver;
use super::outcome::{Limits, Outcome, Report};
use super::state::bit_pattern::value_of_bits;
use super::state::machine::Machine;
use crate::interpreter::limits::UNSHADOWED_STEPS;
use crate::{Input, InputId, InputKind};
use acceleration::Accelerator;
pub use acceleration::STEPS_BEFORE_ACCELERATION;
use regatta_term::domain::IntervalSet;
use regatta_term::{FloatFormat, Sort, Value};
use shadow::Shadow;

/// Least and greatest number of steps between two checks whether the machine may run without the shadow.
const SHADOWED_STEPS: std::ops::Range<u64> = 16..4096;

/// The chosen value of an input.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// A member of the input's domain: a bit pattern, read as unsigned, or an integer.
    pub value: i128,
    /// Whether the input is concretised at once.
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
    /// Its set before it was concretised, if it was.
    pub needed: Option<IntervalSet>,
}

/// A run generalised to a box of inputs: each choice of a value from each input's set gives a run with the same edges,
/// faults and outcome.
#[derive(Clone, Debug)]
pub struct GeneralRun {
    pub report: Report,
    /// The inputs, in order.
    pub inputs: Vec<BoxInput>,
    /// The reason why the box is not valid, if it is not.
    pub given_up: Option<&'static str>,
}

/// An input that was read.
#[derive(Clone, Debug)]
struct Drawn {
    id: InputId,
    value: i128,
    domain: IntervalSet,
    /// Whether the input's set starts with the domain, not with the value alone.
    open: bool,
}

/// The values that an input may have. An array has only one here: a run that reads its cells is given up.
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

/// The value that a member of the domain represents.
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

/// A source that gives chosen values and records them.
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

/// A machine that generalises runs of a program to boxes of inputs.
pub struct ConcolicMachine<'e> {
    machine: Machine<'e>,
    executable: &'e Executable,
}

impl<'e> ConcolicMachine<'e> {
    /// Creates a machine for the program, which must be deterministic ([`Executable::is_deterministic`]).
    pub fn new(executable: &'e Executable) -> Self {
        Self {
            machine: Machine::new(executable),
            executable,
        }
    }

    /// Runs the program from its start. `choose` gets an input's position in the run and its domain; `None` ends the
    /// run with [`Outcome::InputRefused`], as does an input of [`InputKind::Unknown`]. A run that depends on more than
    /// `maximum_needed` inputs is given up.
    pub fn run(
        &mut self,
        choose: &mut dyn FnMut(usize, &IntervalSet) -> Option<Choice>,
        maximum_needed: usize,
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
        let mut slice = SHADOWED_STEPS.start;
        let mut accelerator = Accelerator::default();
        let outcome = loop {
            if shadow.is_idle() && shadow.awaited.is_none() {
                let (free, machine) = (&mut NoObserver, &mut self.machine);
                let end = match accelerator.is_due(steps) {
                    true => accelerator.go_on(machine, &mut NoInputs, limits, &mut steps, free),
                    false => {
                        machine.go_on(&mut NoInputs, limits, UNSHADOWED_STEPS, &mut steps, free)
                    }
                };
                match end {
                    None => continue,
                    // The shadow must observe the input.
                    Some(Outcome::InputRefused) => slice = SHADOWED_STEPS.start,
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
            if shadow.narrowed > maximum_needed && end.is_none() {
                shadow.given_up = Some("a run depends on too many inputs");
            }
            slice = SHADOWED_STEPS.end.min(slice * 2);
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
