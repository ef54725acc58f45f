//! Compilation of array terms: reads through stores and conditional terms, whole-array assignments, runs of bytes.

use super::assembler::ArrayShape;
use super::expression::{Compiled, Expressions, NotCompiled, Truth, narrow};
use crate::VariableId;
use crate::interpreter::code::bytecode::{Instruction, Place, Register};
use crate::interpreter::state::bit_pattern::Class;
use regatta_term::{Constant, Op, Pool, ScalarSort, Sort, TermId, TermKind, store};

/// A *run of bytes*: consecutive bytes of an array that are read as one little-endian number.
#[derive(Copy, Clone, Debug)]
pub(super) struct ByteRun {
    array: VariableId,
    /// The index of the least significant byte.
    index: TermId,
    count: u8,
}

impl ByteRun {
    pub(super) fn index_operands(&self) -> Vec<TermId> {
        vec![self.index]
    }
}

/// A bit-vector term as a sum of a term and a constant, modulo 2^width.
pub(super) fn decompose(index: TermId) -> (Option<TermId>, u128) {
    let constant = |term| match store().kind(term) {
        TermKind::Constant(Constant::BitVec(value)) => Some(value.bits()),
        _ => None,
    };
    if let Some(value) = constant(index) {
        return (None, value);
    }
    match store().as_application(index) {
        Some((Op::BvAdd, &[a, b])) => match (constant(a), constant(b)) {
            (Some(offset), None) => (Some(b), offset),
            (None, Some(offset)) => (Some(a), offset),
            _ => (Some(index), 0),
        },
        _ => (Some(index), 0),
    }
}

/// Whether `later` is `first` plus `distance`.
pub(super) fn is_at_distance(first: TermId, later: TermId, distance: u128) -> bool {
    let Some(width) = store().sort(first).width() else {
        return false;
    };
    let ((first_root, first_offset), (later_root, later_offset)) =
        (decompose(first), decompose(later));
    let mask = u128::MAX >> (128 - width);
    first_root == later_root && later_offset.wrapping_sub(first_offset) & mask == distance
}

impl Expressions {
    /// The run of bytes that a chain of concatenations reads, if it reads one.
    pub(super) fn byte_run(&self, term: TermId) -> Option<ByteRun> {
        let width = store().sort(term).width()?;
        if width > 64 || width % 8 != 0 {
            return None;
        }
        // The bytes from the least significant one on.
        let mut bytes = Vec::new();
        let mut stack = vec![term];
        while let Some(part) = stack.pop() {
            match store().as_application(part) {
                Some((Op::Concat, &[high, low])) => stack.extend([high, low]),
                Some((Op::Select, &[array, index])) if store().sort(part) == Sort::BitVec(8) => {
                    bytes.push((array, index))
                }
                _ => return None,
            }
        }
        let (array, index) = *bytes.first()?;
        let (symbol, _) = store().as_variable(array)?;
        let in_order = bytes.iter().enumerate().all(|(distance, byte)| {
            byte.0 == array && is_at_distance(index, byte.1, distance as u128)
        });
        (in_order && bytes.len() > 1).then_some(ByteRun {
            array: self.facts.variable(symbol)?,
            index,
            count: bytes.len() as u8,
        })
    }

    /// Reads a run of bytes.
    pub(super) fn load_bytes(&mut self, term: TermId) -> Compiled<Place> {
        let Some(ByteRun {
            array,
            index,
            count,
        }) = self.byte_run(term)
        else {
            return Err(NotCompiled("a run of bytes that is none".to_owned()));
        };
        let index = self.value(index)?;
        let index = self.index_register(index)?;
        let array = self.array_register(self.place(array))?;
        Ok(self
            .assembler
            .emit_fresh(Class::Narrow, |to| Instruction::LoadBytes {
                count,
                to,
                array,
                index,
            }))
    }

    pub(super) fn array_register(&self, place: Place) -> Compiled<Register> {
        match place {
            Place::Array(register) => Ok(register),
            other => Err(NotCompiled(format!("an array was expected in {other:?}"))),
        }
    }

    /// An index as a narrow register.
    pub(super) fn index_register(&mut self, index: Place) -> Compiled<Register> {
        match index {
            Place::Narrow(register) => Ok(register),
            Place::Integer(a) => narrow(
                self.assembler
                    .emit_fresh(Class::Narrow, |to| Instruction::IntegerToIndex { to, a }),
            ),
            other => Err(NotCompiled(format!("an index in {other:?}"))),
        }
    }

    /// `Select(array, index)`.
    pub(super) fn select(&mut self, array: TermId, index: Place, sort: Sort) -> Compiled<Place> {
        let class = sort.scalar().map_or(Class::Narrow, Class::of);
        if let Some((symbol, _)) = store().as_variable(array) {
            let Some(variable) = self.facts.variable(symbol) else {
                return Err(NotCompiled(format!(
                    "no variable of the program is called {symbol}"
                )));
            };
            let array = self.array_register(self.place(variable))?;
            let index = self.index_register(index)?;
            return Ok(self.assembler.emit_fresh(class, |to| match class {
                Class::Narrow => Instruction::Load { to, array, index },
                Class::Wide => Instruction::LoadWide { to, array, index },
                Class::Integer => Instruction::LoadInteger { to, array, index },
            }));
        }
        let to = self.assembler.temporary(class);
        let end = self.assembler.label();
        let mut array = array;
        // The stores, last one first: the first with an equal index determines the value.
        while let Some((Op::Store, &[older, stored_index, element])) = store().as_application(array)
        {
            let next = self.assembler.label();
            let stored_index = self.under_guard_value(stored_index)?;
            self.jump_unless_equal(index, stored_index, next)?;
            let element = self.under_guard_value(element)?;
            self.assembler.copy(to, element);
            self.assembler.emit(Instruction::Jump { target: end });
            self.assembler.place(next);
            array = older;
        }
        match store().kind(array) {
            TermKind::Apply {
                op: Op::ConstArray,
                arguments: &[element],
            } => {
                let element = self.under_guard_value(element)?;
                self.assembler.copy(to, element);
            }
            TermKind::Apply {
                op: Op::Ite,
                arguments: &[condition, then, otherwise],
            } => {
                let else_label = self.assembler.label();
                self.under_guard(|this| {
                    this.jump(condition, Truth::False, else_label)?;
                    let value = this.select(then, index, sort)?;
                    this.assembler.copy(to, value);
                    this.assembler.emit(Instruction::Jump { target: end });
                    Ok(())
                })?;
                self.assembler.place(else_label);
                let value = self.under_guard(|this| this.select(otherwise, index, sort))?;
                self.assembler.copy(to, value);
            }
            TermKind::Variable { .. } => {
                let value = self.under_guard(|this| this.select(array, index, sort))?;
                self.assembler.copy(to, value);
            }
            other => return Err(NotCompiled(format!("a read from {other:?}"))),
        }
        self.assembler.place(end);
        Ok(to)
    }

    fn under_guard_value(&mut self, term: TermId) -> Compiled<Place> {
        self.under_guard(|this| this.value(term))
    }

    /// A new array register with the term's value.
    pub(super) fn temporary_array(&mut self, term: TermId) -> Compiled<Register> {
        let Sort::Array { index, element } = store().sort(term) else {
            return Err(NotCompiled("an array was expected".to_owned()));
        };
        let register = self.assembler.new_array(ArrayShape {
            index,
            element,
            expected_length: 0,
        });
        self.assign_array(register, term)?;
        Ok(register)
    }

    /// Assigns the term's value to the array register; the term may read the register's old value.
    pub(super) fn assign_array(&mut self, target: Register, term: TermId) -> Compiled<()> {
        // The stored values are computed before the array is changed.
        let mut stores = Vec::new();
        let mut base = term;
        while let Some((Op::Store, &[older, index, element])) = store().as_application(base) {
            let index = self.value(index)?;
            stores.push((self.index_register(index)?, self.value(element)?));
            base = older;
        }
        match store().kind(base) {
            TermKind::Variable { symbol, .. } => {
                let Some(variable) = self.facts.variable(symbol) else {
                    return Err(NotCompiled(format!(
                        "no variable of the program is called {symbol}"
                    )));
                };
                let from = self.place(variable);
                self.assembler.copy(Place::Array(target), from);
            }
            TermKind::Apply {
                op: Op::ConstArray,
                arguments: &[element],
            } => {
                let element = self.value(element)?;
                self.assembler.emit(match element {
                    Place::Narrow(value) => Instruction::Fill {
                        array: target,
                        value,
                    },
                    Place::Wide(value) => Instruction::FillWide {
                        array: target,
                        value,
                    },
                    Place::Integer(value) => Instruction::FillInteger {
                        array: target,
                        value,
                    },
                    Place::Array(_) => return Err(NotCompiled("an array of arrays".to_owned())),
                });
            }
            TermKind::Apply {
                op: Op::Ite,
                arguments: &[condition, then, otherwise],
            } => {
                let (else_label, end) = (self.assembler.label(), self.assembler.label());
                self.under_guard(|this| {
                    this.jump(condition, Truth::False, else_label)?;
                    this.assign_array(target, then)
                })?;
                self.assembler.emit(Instruction::Jump { target: end });
                self.assembler.place(else_label);
                self.under_guard(|this| this.assign_array(target, otherwise))?;
                self.assembler.place(end);
            }
            other => return Err(NotCompiled(format!("an array made by {other:?}"))),
        }
        for (index, value) in stores.into_iter().rev() {
            self.store(target, index, value)?;
        }
        Ok(())
    }

    pub(super) fn store(&mut self, array: Register, index: Register, value: Place) -> Compiled<()> {
        self.assembler.emit(match value {
            Place::Narrow(value) => Instruction::Store {
                array,
                index,
                value,
            },
            Place::Wide(value) => Instruction::StoreWide {
                array,
                index,
                value,
            },
            Place::Integer(value) => Instruction::StoreInteger {
                array,
                index,
                value,
            },
            Place::Array(_) => return Err(NotCompiled("an array of arrays".to_owned())),
        });
        Ok(())
    }

    /// The shape of an array variable.
    pub(super) fn shape(sort: Sort, expected_length: u64) -> Option<ArrayShape> {
        match sort {
            Sort::Array { index, element } if !matches!(Class::of(index), Class::Wide) => {
                Some(ArrayShape {
                    index,
                    element,
                    expected_length,
                })
            }
            Sort::Array { element, .. } => Some(ArrayShape {
                index: ScalarSort::BitVec(64),
                element,
                expected_length,
            }),
            _ => None,
        }
    }
}
