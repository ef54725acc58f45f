//! The code that evaluates the expressions of a plan and writes them.

use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::FxHashSet;

use super::super::sequencing::key;
use super::super::value::{Lvalue, Value, ValueKind};
use super::super::{Lowerer, Result, fold};
use super::{Plan, Source, Write};
use crate::frontend::ir::{BitField, Expr, Instruction, Padding, Pointer};
use crate::frontend::types::Type;

impl Lowerer<'_> {
    /// Writes what a plan says to the object at an address.
    pub(in crate::frontend::lower) fn emit_initialiser(
        &mut self,
        address: Expr,
        plan: &Plan<'_>,
    ) -> Result<()> {
        let is_static = self.is_in_start();
        let padding = self.padding(plan)?;
        let zeroed = (is_static || self.zero_before(&address, plan)?) && !self.has_overlap(plan.ty);
        if !padding.is_empty() && (is_static || zeroed || self.has_overlap(plan.ty)) {
            self.emit(Instruction::Padding {
                destination: Pointer::new(address.clone()),
                ranges: padding,
                contents: match is_static {
                    true => Padding::Zero,
                    false => Padding::Undetermined,
                },
            });
        }
        // The values of the writes that a range repeats.
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
        let span = self.span;
        // What is overridden is not evaluated, and no operand.
        let operands: Vec<(&Write<'_>, &Node<ast::Expression>)> = plan
            .writes
            .iter()
            .filter_map(|write| match write.source {
                Source::Expression(expression) if !write.overridden => Some((write, expression)),
                _ => None,
            })
            .collect();
        let in_use = plan.writes.iter().filter(|write| !write.overridden);
        let simple = repeated.is_empty() && operands.len() == in_use.count();
        match self.conflict_at(name) {
            Some(conflict) if simple => {
                self.in_every_order(&conflict, operands.len(), &mut |this, number| {
                    let (write, expression) = operands[number];
                    let value = this.expression(expression)?;
                    this.span = this.place_of(expression);
                    let value = this.assignable_in(value, write.ty)?;
                    let target = this.write_target(&address, write);
                    this.store_value(target, value)?;
                    Ok(Vec::new())
                })?;
                self.span = span;
                return Ok(());
            }
            // Elements that are written twice have an order of their own.
            Some(_) => self.or_another_order(),
            None => {}
        }
        let mut site = self.open_site(name);
        let mut values = rustc_hash::FxHashMap::default();
        let mut written: FxHashSet<u64> = FxHashSet::default();
        for (number, write) in plan.writes.iter().enumerate() {
            if write.overridden && !repeated.contains(&number) {
                if let Source::Expression(expression) = write.source
                    && !matches!(expression.node, ast::Expression::Constant(_))
                {
                    self.span = self.place_of(expression);
                    self.warn("an overridden initialiser is not evaluated");
                }
                continue;
            }
            let value = match &write.source {
                Source::Expression(expression) => {
                    let start = self.open_operand();
                    let value = self.expression(expression)?;
                    self.span = self.place_of(expression);
                    let mut value = self.assignable_in(value, write.ty)?;
                    self.close_operand(&mut site, start, std::slice::from_ref(&value));
                    if is_static {
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
                // Only its value was needed, for other elements.
                continue;
            }
            let first_time = written.insert(write.bit_offset);
            let skip = zeroed && first_time && is_zero_bits(&value);
            if !skip {
                let target = self.write_target(&address, write);
                self.store_value(target, value)?;
            }
        }
        self.close_site(site);
        self.span = span;
        Ok(())
    }

    /// A value for a member; arrays are taken as they are.
    fn assignable_in(&mut self, value: Value, ty: Type) -> Result<Value> {
        if self.types.is_array(ty) {
            return Ok(value);
        }
        self.assignable(value, ty)
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

/// Whether a value is a constant whose representation is all zeros.
fn is_zero_bits(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Scalar(Expr::Integer { value, .. }) => *value == 0,
        ValueKind::Scalar(Expr::Float { bits, .. }) => *bits == 0,
        _ => false,
    }
}
