//! The targets of pointers in expressions.

use super::Facts;
use super::accesses::Direction;
use crate::ir::{BinaryOp, Expr, Pointer, ScalarType, UnaryOp};
use crate::memory::analysis::devices;
use crate::memory::analysis::points_to::Target;
use crate::memory::analysis::walk::{self, Congruence};
use crate::memory::layout::RESERVED;

impl<'a> Facts<'a> {
    /// The target of an address of an access; an object that is only accessed at constant offsets from its start can
    /// still become scalar variables.
    pub(super) fn address(&mut self, address: &'a Pointer) -> Target {
        let target = self.direct(address);
        self.targets.insert(address.id(), target);
        target.unwrap_or_else(|| self.nowhere())
    }

    fn direct(&mut self, address: &'a Expr) -> Option<Target> {
        match address {
            Expr::ObjectAddress(object) => Some(self.object(*object)),
            Expr::Offset { base, bytes } => match walk::byte_distance(bytes) {
                Congruence {
                    modulus: 0,
                    remainder,
                } => {
                    let target = self.direct(base)?;
                    Some(self.offset(base, target, remainder))
                }
                _ => self.value(address),
            },
            _ => self.value(address),
        }
    }

    /// The target moved by the bytes; it may have alike offsets unless the base is an object itself.
    fn offset(&mut self, base: &Expr, target: Target, bytes: i64) -> Target {
        match base {
            Expr::ObjectAddress(_) => target.shifted(bytes),
            _ => self.moved(target, bytes),
        }
    }

    /// As [`Facts::value`], and records the result for [`Facts::target`].
    pub(super) fn pointer(&mut self, pointer: &'a Pointer) -> Option<Target> {
        let target = self.value(pointer);
        self.targets.insert(pointer.id(), target);
        target
    }

    /// Walks over an expression; returns the target of a pointer, unless it is null or another constant.
    pub(super) fn value(&mut self, expr: &'a Expr) -> Option<Target> {
        match expr {
            Expr::Integer {
                value,
                scalar: ScalarType::Pointer,
            } => self.constant(*value),
            Expr::Integer { .. } | Expr::Float { .. } | Expr::Rounding => None,
            Expr::ObjectAddress(object) => {
                self.in_memory[object.0 as usize] = true;
                Some(self.object(*object))
            }
            Expr::FunctionAddress(function) => {
                let graph = &mut self.graph;
                let node = *self
                    .functions
                    .entry(*function)
                    .or_insert_with(|| graph.add_node());
                Some(Target { node, offset: 0 })
            }
            Expr::ExternalFunctionAddress(name) => {
                let graph = &mut self.graph;
                let node = *self
                    .externals
                    .entry(name)
                    .or_insert_with(|| graph.add_node());
                Some(Target { node, offset: 0 })
            }
            Expr::Offset { base, bytes } => {
                let target = self.value(base);
                self.value(bytes);
                let distance = walk::byte_distance(bytes);
                match target {
                    Some(target) => {
                        if distance.modulus != 0 {
                            self.graph.fold(target.node, distance.modulus);
                        }
                        Some(self.offset(base, target, distance.remainder))
                    }
                    // An address computed from nothing but integers.
                    None if distance.modulus != 0 => Some(self.forge_from_integer()),
                    None => {
                        let start = walk::constant_integer(base).unwrap_or(0);
                        self.constant(start.saturating_add(distance.remainder.into()))
                    }
                }
            }
            Expr::Load(place) => {
                let target = self.access(place, Direction::Load);
                (place.scalar == ScalarType::Pointer).then(|| self.graph.link(target))
            }
            Expr::Unary { op, operand, .. } => {
                let target = self.value(operand);
                if *op != UnaryOp::LogicalNot
                    && let Some(target) = target
                {
                    self.escapes_as_integer(target);
                }
                None
            }
            Expr::Binary {
                op,
                left,
                right,
                scalar,
            } => {
                let left_target = self.value(left);
                let right_target = self.value(right);
                if *scalar == ScalarType::Pointer {
                    self.compare(*op, (left, left_target), (right, right_target));
                }
                None
            }
            Expr::Conditional {
                condition,
                then,
                otherwise,
                ..
            } => {
                self.value(condition);
                match (self.value(then), self.value(otherwise)) {
                    (Some(a), Some(b)) => {
                        self.graph.unify(a, b);
                        Some(a)
                    }
                    (a, b) => a.or(b),
                }
            }
            Expr::Convert { operand, from, to } => self.convert(operand, *from, *to),
            Expr::Math { arguments, .. } => {
                for argument in arguments {
                    self.value(argument);
                }
                None
            }
            Expr::AllocatedSize(pointer) => {
                if let Some(target) = self.pointer(pointer) {
                    self.sized.push(target);
                }
                None
            }
        }
    }

    fn compare(
        &mut self,
        op: BinaryOp,
        left: (&Expr, Option<Target>),
        right: (&Expr, Option<Target>),
    ) {
        match (left.1, right.1) {
            (Some(a), Some(b)) => match op {
                BinaryOp::Equal | BinaryOp::NotEqual => self.compared.push((a, b)),
                BinaryOp::PointerDifference => {
                    self.graph.unify(a, b);
                    self.ordered.push((a, b));
                }
                BinaryOp::LogicalAnd | BinaryOp::LogicalOr => {}
                _ => self.ordered.push((a, b)),
            },
            (Some(target), None) | (None, Some(target)) => {
                let constant =
                    walk::constant_integer(if left.1.is_some() { right.0 } else { left.0 });
                // Null and what functions return for an error (`(void *)-1`) are no object's address.
                let harmless = match op {
                    BinaryOp::Equal | BinaryOp::NotEqual => constant.is_some_and(is_null_or_error),
                    BinaryOp::LogicalAnd | BinaryOp::LogicalOr => true,
                    _ => false,
                };
                if !harmless {
                    self.observed.push(target);
                    if op == BinaryOp::PointerDifference {
                        self.escapes_as_integer(target);
                    }
                }
            }
            (None, None) => {}
        }
    }

    /// The program makes an integer of an address.
    pub(super) fn escapes_as_integer(&mut self, target: Target) {
        self.escapes.push(target);
        self.converted.push(target);
    }

    fn convert(&mut self, operand: &'a Expr, from: ScalarType, to: ScalarType) -> Option<Target> {
        let target = self.value(operand);
        match (from, to) {
            (ScalarType::Pointer, ScalarType::Pointer) => target,
            (ScalarType::Pointer, ScalarType::Bool) => None,
            (ScalarType::Pointer, _) => {
                if let Some(target) = target {
                    self.escapes_as_integer(target);
                }
                None
            }
            (_, ScalarType::Pointer) => match walk::constant_integer(operand) {
                Some(address) => self.constant(address),
                None => Some(self.forge_from_integer()),
            },
            _ => None,
        }
    }

    /// The target of a constant pointer: null, an error value (`-1`), or a small number that serves as a mark has none.
    fn constant(&mut self, value: i128) -> Option<Target> {
        let shift = 128 - u32::from(self.unit.data_model.pointer_bits());
        let address = value.wrapping_shl(shift).wrapping_shr(shift);
        let is_mark = (0..i128::from(RESERVED)).contains(&address);
        self.made_from_low |= devices::is_low(address);
        (!is_mark && !is_null_or_error(address)).then(|| self.forge_from_integer())
    }

    fn forge_from_integer(&mut self) -> Target {
        self.made_from_integer = true;
        self.forge()
    }
}

const fn is_null_or_error(value: i128) -> bool {
    value >= -4096 && value <= 0
}
