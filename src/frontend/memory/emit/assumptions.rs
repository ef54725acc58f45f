//! The ledger: the assumptions, their places, and the facts that would discharge them.

use super::places::{Base, Spot};
use super::*;
use crate::ir::{BinaryOp, MADE_ENTRY, Place};
use crate::memory::operators::arithmetic::IntegerType;
use crate::memory::placement::cells::FieldKind;
use regatta_program::{Assumption, AssumptionKind, DataModel, Doubt, Operand};
use regatta_term::FloatFormat;

/// Whether an access reads or writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

impl Emitter<'_, '_> {
    /// Notes an assumption at the current position.
    pub fn note_assumption(&mut self, kind: AssumptionKind, what: &str, doubt: Doubt) {
        let Some((location, operations)) = self.body.position() else {
            return;
        };
        let assumption = Assumption {
            kind,
            what: what.to_owned(),
            location,
            operations,
            doubt,
            guards: self.evaluation.guards().to_vec(),
            span: self.body.span,
        };
        self.body.program().assumptions.push(assumption);
    }

    /// Calls `act` under a condition without which C does not evaluate the expression.
    pub fn guarded<T>(&mut self, guard: TermId, act: impl FnOnce(&mut Self) -> T) -> T {
        self.evaluation.begin_guard(guard);
        let result = act(self);
        self.evaluation.end_guard();
        result
    }

    /// Notes the assumption on the layout of bit-fields in their storage units, if the access depends on it: it
    /// accesses bits of a bit-field other than by its name, or a bit-field that is also accessed so.
    pub fn note_bit_field(&mut self, spot: &Spot, bit: i64, bits: u32, place: &Place) {
        if !self.tables.options.all_assumptions {
            return;
        }
        let end = bit + i64::from(bits);
        let first = self.tables.next_field(spot.target, bit, end);
        let Some(located) = first.and_then(|first| self.tables.locate(spot.target, first)) else {
            return;
        };
        let field = &located.plan.field;
        let is_mixed = !matches!(field.kind, FieldKind::Uniform(_));
        let has_bits = field.start.rem_euclid(8) != 0 || field.bits % 8 != 0;
        let depends = match place.bit_field {
            Some(_) => is_mixed,
            None => !is_mixed && has_bits && field.bits < u64::from(bits),
        };
        if depends {
            let what = "bit-fields fill their units from the lowest bit, as gcc lays them out";
            self.note_assumption(AssumptionKind::Layout, what, Doubt::Always);
        }
    }

    /// Notes the assumptions of an arithmetic operator about its operands.
    pub fn note_operator(
        &mut self,
        op: BinaryOp,
        operands: [TermId; 2],
        scalar: ScalarType,
        count: ScalarType,
    ) {
        if !self.tables.options.all_assumptions {
            return;
        }
        let is_arithmetic = matches!(
            op,
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide
        );
        if let ScalarType::Float(FloatFormat::F32 | FloatFormat::F64) = scalar
            && is_arithmetic
            && self.tables.unit.data_model == DataModel::Ilp32
        {
            let what =
                "floating-point results have the precision of their types, as with `-mfpmath=sse`";
            self.note_assumption(AssumptionKind::Layout, what, Doubt::Always);
        }
        let Some(IntegerType { bits, signed }) = self.tables.semantics.integer(scalar) else {
            return;
        };
        if matches!(scalar, ScalarType::Pointer) {
            return;
        }
        let is_own = self.body.span.line != 0;
        let is_checked = signed && self.tables.options.checks_overflow && is_own;
        let [left, right] = operands.map(|term| Operand { term, signed });
        match op {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => {
                let wraps = self.tables.semantics.arithmetic == Arithmetic::BitVector;
                if (wraps && !signed) || bits > 64 || is_checked {
                    return;
                }
                let bounds = if signed {
                    (-1 << (bits - 1), (1 << (bits - 1)) - 1)
                } else {
                    (0, (1 << bits) - 1)
                };
                let sum = |factor| Doubt::SumOutside {
                    constant: 0,
                    parts: vec![(1, left), (factor, right)],
                    bounds,
                };
                let (symbol, doubt) = match op {
                    BinaryOp::Add => ("+", sum(1)),
                    BinaryOp::Subtract => ("-", sum(-1)),
                    _ => (
                        "*",
                        Doubt::ProductOutside {
                            factors: (left, right),
                            bounds,
                        },
                    ),
                };
                let what = if wraps {
                    format!("signed `{symbol}` wraps around where it overflows")
                } else {
                    format!("the result of `{symbol}` is in its type")
                };
                self.note_assumption(AssumptionKind::WrapAround, &what, doubt);
            }
            BinaryOp::Divide | BinaryOp::Remainder => {
                if !(self.tables.options.checks_division && is_own) {
                    let what = "the divisor is not zero";
                    self.note_assumption(AssumptionKind::Defined, what, Doubt::Zero(right.term));
                }
                if signed && !is_checked {
                    self.note_quotient([left.term, right.term], scalar, bits);
                }
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight
                if self.tables.options.checks_shift && is_own => {}
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                let signed = matches!(count, ScalarType::Integer { signed: true, .. });
                let doubt = Doubt::SumOutside {
                    constant: 0,
                    parts: vec![(1, Operand { signed, ..right })],
                    bounds: (0, i128::from(bits) - 1),
                };
                let what = "the shift is by less than the width";
                self.note_assumption(AssumptionKind::Defined, what, doubt);
            }
            _ => {}
        }
    }

    /// What a signed division assumes: that it is not the least number by -1.
    fn note_quotient(&mut self, [left, right]: [TermId; 2], scalar: ScalarType, bits: u8) {
        let constant = |value| self.tables.semantics.constant(value, scalar);
        let by_minus_one = pool().eq(right, constant(-1));
        let least = pool().eq(left, constant(-1 << (bits.min(128) - 1)));
        let overflows = pool().and2(least, by_minus_one);
        if overflows == TermId::FALSE {
            return;
        }
        let zero = pool().ite(by_minus_one, constant(0), constant(1));
        self.guarded(least, |this| {
            let what = "the quotient is in its type";
            this.note_assumption(AssumptionKind::Defined, what, Doubt::Zero(zero));
        });
    }

    /// What the negation of an integer assumes: that it is not the least of its type.
    pub fn note_negation(&mut self, operand: TermId, scalar: ScalarType) {
        let zero = self.tables.semantics.constant(0, scalar);
        let is_integer = matches!(scalar, ScalarType::Integer { .. });
        if is_integer {
            self.note_operator(BinaryOp::Subtract, [zero, operand], scalar, scalar);
        }
    }

    /// Whether the property asks to check the access. Then nothing is assumed of it.
    const fn is_access_checked(&self, spot: &Spot) -> bool {
        let checks = self.tables.options.memory_checks;
        match spot.address.base {
            Base::Object(_) => checks.bounds,
            Base::Value(_) => checks.pointers,
        }
    }

    /// Whether the access is one of the front end, which is valid: in the start function, or a write of the entry that it
    /// made. What the entry reads is asked for by a condition of the user.
    fn is_made(&self, access: Access) -> bool {
        let index = self.body.index;
        let function = &self.tables.unit.functions[index.0 as usize];
        let is_made = index == self.tables.unit.start
            || access == Access::Write && function.name == MADE_ENTRY;
        is_made && self.body.span.line == 0
    }

    /// Notes the assumptions of an access to `bytes` bytes about its address.
    pub fn note_access(&mut self, spot: &Spot, bytes: u64, access: Access) {
        let is_own = self.is_made(access);
        if !is_own && bytes != 0 {
            self.check_access(spot, bytes, access);
        }
        let is_noted = self.tables.options.all_assumptions && !self.is_access_checked(spot);
        if !is_noted || bytes == 0 || is_own {
            return;
        }
        let constant = spot.address.constant;
        let mut parts: Vec<(i128, Operand)> = spot
            .address
            .parts
            .iter()
            .map(|part| {
                let signed = part.kind.signed;
                let term = part.value;
                (part.factor, Operand { term, signed })
            })
            .collect();
        let doubt = match spot.address.base {
            Base::Object(object) => {
                let size = self.tables.unit.objects[object.0 as usize].size;
                let last = i128::from(size) - i128::from(bytes);
                if parts.is_empty() && (0..=last).contains(&constant) {
                    return;
                }
                Doubt::SumOutside {
                    constant,
                    parts,
                    bounds: (0, last),
                }
            }
            Base::Value(term) => {
                let signed = false;
                parts.push((1, Operand { term, signed }));
                Doubt::NotInObject {
                    parts,
                    constant,
                    bytes,
                }
            }
        };
        let what = match access {
            Access::Read => "the read is within an object that exists",
            Access::Write => "the write is within an object that exists",
        };
        self.note_assumption(AssumptionKind::WithinBounds, what, doubt);
    }
}
