//! The assumptions that the run of a violation violates.
//!
//! The run is repeated on a copy of the program with a Boolean variable for each assumption, which becomes true where the
//! assumption is violated.

use super::replay::Violation;
use crate::instrumentation::{ghost_variable, has_position, insert_before};
use regatta_program::interpreter::{Executable, Limits, Machine, Outcome, ReplayInputs};
use regatta_program::{Doubt, LocationId, Operand, Operation, Program, VariableId};
use regatta_term::{Build, Pool, Sort, TermId, Value, store};

/// Tells for each of the program's assumptions whether it is relevant (`counts`) and the run violates it; `None` if the
/// repeated run exceeds the limits.
pub fn of_run(
    program: &Program,
    violation: &Violation,
    counts: &[bool],
    limits: Limits<'_>,
) -> Option<Vec<bool>> {
    let mut watched = program.clone();
    let flags = watch(&mut watched, counts);
    let executable = Executable::compile(&watched);
    let mut machine = Machine::new(&executable);
    let mut inputs = ReplayInputs::new(&violation.inputs);
    let report = machine.run(&mut inputs, limits);
    let seen = matches!(report.outcome, Outcome::Error { .. });
    let is_set = |flag| machine.value(flag) == Value::Bool(true);
    let violated = flags.into_iter().map(|flag| flag.is_some_and(is_set));
    seen.then(|| violated.collect())
}

/// Adds a variable for each relevant assumption, which becomes true where the assumption is violated.
fn watch(program: &mut Program, counts: &[bool]) -> Vec<Option<VariableId>> {
    let mut flags = vec![None; program.assumptions.len()];
    let mut places: Vec<(LocationId, usize, Operation)> = Vec::new();
    for (number, assumption) in std::mem::take(&mut program.assumptions).iter().enumerate() {
        if !counts.get(number).is_some_and(|counts| *counts) {
            continue;
        }
        let name = format!("assumption {number} is violated");
        let flag = ghost_variable(program, name, Sort::Bool);
        let symbol = program.variable(flag).symbol;
        flags[number] = Some(flag);
        let guards = assumption.guards.iter().copied();
        let here = store().and(guards.chain([is_violated(&assumption.doubt)]));
        let value = store().or2(store().variable(symbol), here);
        let operation = Operation::Assign {
            target: flag,
            value,
        };
        places.push((assumption.location, assumption.operations, operation));
    }
    // Later operations first, so that the positions of earlier ones stay valid.
    places.sort_by_key(|&(location, operations, _)| (location, std::cmp::Reverse(operations)));
    let outgoing = program.outgoing();
    for place in places.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (location, position) = (place[0].0, place[0].1);
        let operations = place.iter().map(|(_, _, operation)| operation.clone());
        let edges = &outgoing[location.index()];
        if position > 0 {
            for edge in edges {
                let edge = &mut program.edges[edge.index()].operations;
                if has_position(edge, position) {
                    edge.splice(position..position, operations.clone());
                }
            }
        } else if !edges.is_empty() {
            insert_before(program, location, edges, operations.collect());
        }
    }
    debug_assert_eq!(program.validate(), Ok(()));
    flags
}

/// An arithmetic in which sums and products of operands do not overflow.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Arithmetic {
    Integer,
    BitVector,
}

/// Width for sums and products of bit vectors of up to 64 bits (bits).
const WIDE: u8 = 128;

impl Arithmetic {
    /// The arithmetic for the operands, if there is a common one.
    fn of<'o>(operands: impl IntoIterator<Item = &'o Operand>) -> Option<Self> {
        let mut result = None;
        for operand in operands {
            let own = match store().sort(operand.term) {
                Sort::Int => Self::Integer,
                Sort::BitVec(1..=64) => Self::BitVector,
                _ => return None,
            };
            if *result.get_or_insert(own) != own {
                return None;
            }
        }
        Some(result.unwrap_or(Self::Integer))
    }

    fn number(self, operand: Operand) -> TermId {
        match (self, operand.signed) {
            (Self::Integer, _) => operand.term,
            (Self::BitVector, true) => store().sign_resize(operand.term, WIDE),
            (Self::BitVector, false) => store().zero_resize(operand.term, WIDE),
        }
    }

    fn constant(self, value: i128) -> TermId {
        match self {
            Self::Integer => store().int_big(value.into()),
            Self::BitVector => store().bv_signed(WIDE, value),
        }
    }

    fn plus(self, a: TermId, b: TermId) -> TermId {
        match self {
            Self::Integer => store().int_add(a, b),
            Self::BitVector => store().add(a, b),
        }
    }

    fn times(self, a: TermId, b: TermId) -> TermId {
        match self {
            Self::Integer => store().int_mul(a, b),
            Self::BitVector => store().mul(a, b),
        }
    }

    fn sum(self, constant: i128, parts: &[(i128, Operand)]) -> TermId {
        let mut sum = self.constant(constant);
        for &(factor, operand) in parts {
            let part = self.times(self.constant(factor), self.number(operand));
            sum = self.plus(sum, part);
        }
        sum
    }

    fn less(self, left: TermId, right: TermId) -> TermId {
        match self {
            Self::Integer => store().int_lt(left, right),
            Self::BitVector => store().slt(left, right),
        }
    }

    fn outside(self, value: TermId, (low, high): (i128, i128)) -> TermId {
        let (low, high) = (self.constant(low), self.constant(high));
        store().or2(self.less(value, low), self.less(high, value))
    }
}

/// The condition under which the assumption is violated.
fn is_violated(doubt: &Doubt) -> TermId {
    // The interpreter reports accesses outside of all objects itself.
    violation(doubt).unwrap_or(TermId::TRUE)
}

/// When the assumption is violated, as a condition on the values where it is met; `None` if no term says that.
pub(crate) fn violation(doubt: &Doubt) -> Option<TermId> {
    match doubt {
        Doubt::Always | Doubt::NotInObject { .. } => None,
        Doubt::Zero(term) => {
            let zero = store().value(&Value::zero(store().sort(*term)));
            Some(store().eq(*term, zero))
        }
        Doubt::SumOutside {
            constant,
            parts,
            bounds,
        } => {
            let arithmetic = Arithmetic::of(parts.iter().map(|(_, operand)| operand))?;
            Some(arithmetic.outside(arithmetic.sum(*constant, parts), *bounds))
        }
        Doubt::ProductOutside {
            factors: (left, right),
            bounds,
        } => {
            let arithmetic = Arithmetic::of([left, right])?;
            let (left, right) = (arithmetic.number(*left), arithmetic.number(*right));
            Some(arithmetic.outside(arithmetic.times(left, right), *bounds))
        }
    }
}

/// When the accessed bytes are not all within the object with the start and the size, addresses both; `None` if no term
/// says that.
pub(crate) fn is_outside(doubt: &Doubt, start: TermId, size: TermId) -> Option<TermId> {
    let Doubt::NotInObject {
        parts,
        constant,
        bytes,
    } = doubt
    else {
        return None;
    };
    let unsigned = |term| Operand {
        term,
        signed: false,
    };
    let (start, size) = (unsigned(start), unsigned(size));
    let operands = parts.iter().map(|(_, operand)| operand);
    let arithmetic = Arithmetic::of(operands.chain([&start, &size]))?;
    // Relative to the start.
    let mut parts = parts.clone();
    parts.push((-1, start));
    let first = arithmetic.sum(*constant, &parts);
    parts.push((-1, size));
    let beyond = arithmetic.sum(constant.saturating_add((*bytes).into()), &parts);
    let zero = arithmetic.constant(0);
    let is_before = arithmetic.less(first, zero);
    Some(store().or2(is_before, arithmetic.less(zero, beyond)))
}

#[cfg(test)]
mod tests {
    use super::super::replay::{Replay, replay};
    use super::*;
    use regatta_program::interpreter::Journal;
    use regatta_program::{Assumption, AssumptionKind, InputId, ProgramBuilder, Span};

    const WORD: Sort = Sort::BitVec(32);

    /// `x = nondet(); while (i < 3) { i++; x = x + 1 } error`, which wraps around if `x` is large.
    fn counts(start: u128, doubt: impl Fn(Operand) -> Doubt) -> bool {
        let mut b = ProgramBuilder::new();
        let (x, i) = (b.global("x", WORD), b.global("i", WORD));
        let input = b.input("__VERIFIER_nondet_int", WORD);
        b.assign(i, store().bv(32, 0));
        b.havoc(x, input);
        let mut location = b.cursor();
        b.repeat_while(store().ult(b.value(i), store().bv(32, 3)), |b| {
            b.assign(i, store().add(b.value(i), store().bv(32, 1)));
            location = b.cursor();
            b.assign(x, store().add(b.value(x), store().bv(32, 1)));
        });
        b.error_unless(store().boolean(false));
        let operand = Operand {
            term: b.value(x),
            signed: true,
        };
        let mut program = b.finish();
        program.assumptions.push(Assumption {
            kind: AssumptionKind::WrapAround,
            what: "`+` wraps around".to_owned(),
            location,
            operations: 0,
            doubt: doubt(operand),
            guards: Vec::new(),
            span: Span::NONE,
        });
        let alarm = Journal {
            entries: vec![(InputId(0), Value::bit_vec(32, start))],
        };
        let Replay::Confirmed(violation) = replay(&program, &alarm, Limits::default()) else {
            panic!("the error is reached with every input");
        };
        let violated = of_run(&program, &violation, &[true], Limits::default());
        violated.expect("the run ends")[0]
    }

    #[test]
    fn violations_in_any_iteration_count() {
        let one = Operand {
            term: store().bv(32, 1),
            signed: true,
        };
        let bounds = (i128::from(i32::MIN), i128::from(i32::MAX));
        let sum = |x| Doubt::SumOutside {
            constant: 0,
            parts: vec![(1, x), (1, one)],
            bounds,
        };
        let largest = u128::from(i32::MAX as u32);
        for (start, expected) in [(0, false), (largest - 3, false), (largest - 2, true)] {
            assert_eq!(counts(start, sum), expected, "{start}");
        }
        let square = |x| Doubt::ProductOutside {
            factors: (x, x),
            bounds,
        };
        for (start, expected) in [
            (46_338, false),
            (46_339, true),
            (u128::from(u32::MAX), false),
        ] {
            assert_eq!(counts(start, square), expected, "{start}");
        }
        for (start, expected) in [(1, false), (u128::from(u32::MAX), true)] {
            assert_eq!(counts(start, |x| Doubt::Zero(x.term)), expected, "{start}");
        }
        assert!(counts(0, |_| Doubt::Always));
    }
}
