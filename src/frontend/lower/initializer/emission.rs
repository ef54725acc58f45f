//! Emission: evaluates the expressions of a plan and writes their values.

use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::FxHashSet;

use super::super::sequencing::{Conflict, key};
use super::{Plan, Source, Write};
use crate::ir::{BitField, Expr, Instruction, Padding, Pointer};
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Lvalue, Value, ValueKind};
use crate::lower::{Lowerer, Result};

impl Lowerer<'_> {
    /// Executes a plan on the object at an address.
    pub(in crate::lower) fn emit_initialiser(
        &mut self,
        address: Expr,
        plan: &Plan<'_>,
    ) -> Result<()> {
        let zeroed = self.emit_zeros_and_padding(&address, plan)?;
        // The writes whose values a range repeats.
        let repeated: FxHashSet<usize> = plan
            .writes
            .iter()
            .filter(|write| !write.overridden)
            .filter_map(|write| match write.source {
                Source::Earlier(earlier) => Some(earlier),
                _ => None,
            })
            .collect();
        let first = plan.writes.iter().find_map(|write| match write.source {
            Source::Expression(expression) => Some(expression),
            _ => None,
        });
        let name = first.map_or(0, |first| key(first));
        let span = self.cursor.span();
        if let Some(conflict) = self.conflict_at(name) {
            if repeated.is_empty() && self.emit_in_every_order(&address, plan, &conflict)? {
                self.cursor.set_span(span);
                return Ok(());
            }
            // Elements that are written twice have an order of their own.
            self.or_another_order();
        }
        let mut site = self.sequencing.open_site(name);
        let mut values = rustc_hash::FxHashMap::default();
        let mut written: FxHashSet<u64> = FxHashSet::default();
        for (number, write) in plan.writes.iter().enumerate() {
            if write.overridden && !repeated.contains(&number) {
                if let Source::Expression(expression) = write.source
                    && !matches!(expression.node, ast::Expression::Constant(_))
                {
                    self.cursor.set_span(self.cursor.place_of(expression));
                    self.warn("an overridden initialiser is not evaluated");
                }
                continue;
            }
            let value = match &write.source {
                Source::Expression(expression) => {
                    let start = self.sequencing.open_operand();
                    let mut value = self.written_value(write, expression)?;
                    self.close_operand(&mut site, start, std::slice::from_ref(&value));
                    if self.is_in_start() {
                        self.check_static_constant(&value)?;
                    }
                    if repeated.contains(&number) {
                        if let (ValueKind::Scalar(expr), Some(scalar)) =
                            (&value.kind, self.types.scalar(write.ty))
                        {
                            value = Value::scalar(self.keep(expr.clone(), scalar), value.ty);
                        }
                        values.insert(number, value.clone());
                    }
                    value
                }
                Source::Unit(unit) => {
                    let scalar = self.scalar_type(write.ty)?;
                    Value::scalar(fold::integer(i128::from(*unit), scalar), write.ty)
                }
                Source::Earlier(earlier) => match values.get(earlier) {
                    Some(value) => value.clone(),
                    None => continue,
                },
            };
            if write.overridden {
                // Only the value was needed, for other elements.
                continue;
            }
            let first_time = written.insert(write.bit_offset);
            let skip = zeroed && first_time && is_zero_bits(&value);
            let target = self.write_target(&address, write);
            self.note_constant(&target, &value)?;
            if !skip {
                self.store_value(target, value)?;
            }
        }
        self.close_site(site);
        self.cursor.set_span(span);
        Ok(())
    }

    /// Zeroes the object and its padding as required; returns whether writes of zero can be skipped.
    fn emit_zeros_and_padding(&mut self, address: &Expr, plan: &Plan<'_>) -> Result<bool> {
        let is_static = self.is_in_start();
        let ranges = self.padding(plan)?;
        let has_overlap = self.has_overlap(plan.ty);
        let zeroed = (is_static || self.zero_before(address, plan)?) && !has_overlap;
        if !ranges.is_empty() && (is_static || zeroed || has_overlap) {
            self.emit(Instruction::Padding {
                destination: Pointer::new(address.clone()),
                ranges,
                contents: match is_static {
                    true => Padding::Zero,
                    false => Padding::Undetermined,
                },
            });
        }
        Ok(zeroed)
    }

    /// Evaluates and writes the expressions in every order; returns false if anything else is written.
    fn emit_in_every_order(
        &mut self,
        address: &Expr,
        plan: &Plan<'_>,
        conflict: &Conflict,
    ) -> Result<bool> {
        // An overridden initialiser is not evaluated and hence no operand.
        let in_use = plan.writes.iter().filter(|write| !write.overridden);
        let operands: Option<Vec<(&Write<'_>, &Node<ast::Expression>)>> = in_use
            .map(|write| match write.source {
                Source::Expression(expression) => Some((write, expression)),
                _ => None,
            })
            .collect();
        let Some(operands) = operands else {
            return Ok(false);
        };
        self.in_every_order(conflict, operands.len(), &mut |this, number| {
            let (write, expression) = operands[number];
            let value = this.written_value(write, expression)?;
            let target = this.write_target(address, write);
            this.store_value(target, value)?;
            Ok(Vec::new())
        })?;
        Ok(true)
    }

    /// The value of an expression for a member; arrays stay lvalues. Sets the current position to the expression's.
    fn written_value(
        &mut self,
        write: &Write<'_>,
        expression: &Node<ast::Expression>,
    ) -> Result<Value> {
        let value = self.expression(expression)?;
        self.cursor.set_span(self.cursor.place_of(expression));
        if self.types.is_array(write.ty) {
            return Ok(value);
        }
        self.assignable(value, write.ty)
    }

    fn write_target(&self, address: &Expr, write: &Write<'_>) -> Value {
        let address = self.constant_offset(address.clone(), write.bit_offset / 8);
        Value {
            ty: write.ty,
            kind: ValueKind::Lvalue(Lvalue {
                address,
                bit_field: write.bit_width.map(|bits| BitField {
                    offset: (write.bit_offset % 8) as u8,
                    bits,
                }),
            }),
        }
    }
}

/// Checks whether a value is a constant represented by zero bits only.
fn is_zero_bits(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Scalar(Expr::Integer { value, .. }) => *value == 0,
        ValueKind::Scalar(Expr::Float { bits, .. }) => *bits == 0,
        _ => false,
    }
}
