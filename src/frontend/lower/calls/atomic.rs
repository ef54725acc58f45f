//! The `__sync_…` and `__atomic_…` built-ins, for a program with a single thread.

use lang_c::ast;
use lang_c::span::Node;

use crate::ir::{BinaryOp, Expr, UnaryOp};
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Value, ValueKind};
use crate::lower::{Lowerer, Result};
use crate::types::Type;

/// Whether an operation returns the value before or after it.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Returned {
    Old,
    New,
}

/// How an operation changes the value.
#[derive(Copy, Clone)]
enum Change {
    Binary(BinaryOp),
    Nand,
}

fn change(name: &str) -> Option<Change> {
    Some(match name {
        "add" => Change::Binary(BinaryOp::Add),
        "sub" => Change::Binary(BinaryOp::Subtract),
        "and" => Change::Binary(BinaryOp::And),
        "or" => Change::Binary(BinaryOp::Or),
        "xor" => Change::Binary(BinaryOp::Xor),
        "nand" => Change::Nand,
        _ => return None,
    })
}

/// Parses names such as `fetch_and_add`, `add_and_fetch`, `fetch_add`, `add_fetch`.
fn fetch_operation(name: &str) -> Option<(Change, Returned)> {
    let (operation, returned) = if let Some(rest) = name.strip_prefix("fetch_") {
        (
            rest.strip_prefix("and_")
                .filter(|rest| !rest.is_empty())
                .unwrap_or(rest),
            Returned::Old,
        )
    } else {
        let rest = name.strip_suffix("_fetch")?;
        (rest.strip_suffix("_and").unwrap_or(rest), Returned::New)
    };
    Some((change(operation)?, returned))
}

impl Lowerer<'_> {
    pub(in crate::lower) fn atomic(
        &mut self,
        name: &str,
        nodes: &[Node<ast::Expression>],
        wanted: Use,
    ) -> Result<Option<Value>> {
        let operation = name
            .strip_prefix("__sync_")
            .or_else(|| name.strip_prefix("__atomic_"))
            .or_else(|| name.strip_prefix("__c11_atomic_"))
            .unwrap_or(name);
        // `__atomic_fetch_add_4` and its variants have the size in the name.
        let operation = operation
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .trim_end_matches('_');
        let span = self.cursor.span();
        let values = self.raw_arguments(nodes)?;
        self.cursor.set_span(span);
        let mut values = values.into_iter();
        let mut next = || values.next();
        if matches!(operation, "synchronize" | "thread_fence" | "signal_fence") {
            return Ok(Some(Value::void()));
        }
        if matches!(operation, "always_lock_free" | "is_lock_free") {
            return Ok(Some(Value::scalar(fold::int(1), Type::INT)));
        }
        let Some(pointer) = next() else {
            return Err(self.error(format!("`{name}` needs a pointer")));
        };
        let (address, mut target) = self.address_value(pointer)?;
        // `atomic_flag` is a struct of one byte.
        if matches!(operation, "test_and_set" | "clear") && self.types.scalar(target).is_none() {
            target = Type::BOOL;
        }
        let address = self.keep(address, crate::ir::ScalarType::Pointer);
        let place = Value::lvalue(address, target);
        let missing = |this: &Self| this.error(format!("`{name}` has too few arguments"));
        if let Some((change, returned)) = fetch_operation(operation) {
            let operand = next().ok_or_else(|| missing(self))?;
            return self
                .fetch(place, change, operand, returned, wanted)
                .map(Some);
        }
        let value = match operation {
            "load_n" | "load" if operation == "load_n" || name.starts_with("__c11") => {
                self.kept(place)?
            }
            "load" => {
                let result = next().ok_or_else(|| missing(self))?;
                let (result, _) = self.address_value(result)?;
                let value = self.rvalue(place);
                self.store_value(Value::lvalue(result, target), value)?;
                Value::void()
            }
            "store_n" | "init" => {
                let value = next().ok_or_else(|| missing(self))?;
                let value = self.cast(value, target)?;
                self.store_value(place, value)?;
                Value::void()
            }
            "store" => {
                let value = next().ok_or_else(|| missing(self))?;
                let value = if name.starts_with("__c11") {
                    self.cast(value, target)?
                } else {
                    let (source, _) = self.address_value(value)?;
                    self.rvalue(Value::lvalue(source, target))
                };
                self.store_value(place, value)?;
                Value::void()
            }
            "lock_test_and_set" | "exchange_n" | "swap" => {
                let value = next().ok_or_else(|| missing(self))?;
                let value = self.cast(value, target)?;
                let old = self.kept(place.clone())?;
                self.store_value(place, value)?;
                old
            }
            "exchange" => {
                let value = next().ok_or_else(|| missing(self))?;
                let result = next().ok_or_else(|| missing(self))?;
                let (source, _) = self.address_value(value)?;
                let (result, _) = self.address_value(result)?;
                let old = self.kept(place.clone())?;
                let new = self.rvalue(Value::lvalue(source, target));
                let new = self.keep_read(new)?;
                self.store_value(place, new)?;
                self.store_value(Value::lvalue(result, target), old)?;
                Value::void()
            }
            "lock_release" | "clear" => {
                let scalar = self.scalar_type(target)?;
                let zero = Value::scalar(fold::zero(scalar), target);
                self.store_value(place, zero)?;
                Value::void()
            }
            "test_and_set" => {
                let old = self.kept(place.clone())?;
                let scalar = self.scalar_type(target)?;
                let one = fold::convert(fold::int(1), fold::INT, scalar);
                self.store_value(place, Value::scalar(one, target))?;
                self.cast(old, Type::BOOL)?
            }
            "val_compare_and_swap" | "bool_compare_and_swap" => {
                let expected = next().ok_or_else(|| missing(self))?;
                let new = next().ok_or_else(|| missing(self))?;
                self.compare_and_swap(place, expected, new, operation.starts_with("bool"))?
            }
            "compare_exchange_n" | "compare_exchange" => {
                let expected = next().ok_or_else(|| missing(self))?;
                let desired = next().ok_or_else(|| missing(self))?;
                let desired = if operation == "compare_exchange" {
                    let (source, _) = self.address_value(desired)?;
                    self.rvalue(Value::lvalue(source, target))
                } else {
                    desired
                };
                let weak = next().ok_or_else(|| missing(self))?;
                self.compare_exchange(place, expected, desired, weak)?
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// The present value at a place, unaffected by later writes.
    fn kept(&mut self, place: Value) -> Result<Value> {
        let value = self.rvalue(place);
        self.keep_read(value)
    }

    fn keep_read(&mut self, value: Value) -> Result<Value> {
        let ty = value.ty;
        match value.kind {
            ValueKind::Scalar(expr) => {
                let scalar = self.scalar_type(ty)?;
                Ok(Value::scalar(self.keep(expr, scalar), ty))
            }
            kind => {
                let object = self.temporary_object(ty)?;
                let copy = Value::lvalue(Expr::ObjectAddress(object), ty);
                self.store_value(copy, Value { ty, kind })?;
                Ok(Value::aggregate(Expr::ObjectAddress(object), ty))
            }
        }
    }

    fn fetch(
        &mut self,
        place: Value,
        change: Change,
        operand: Value,
        returned: Returned,
        wanted: Use,
    ) -> Result<Value> {
        let ty = place.ty;
        let old = self.kept(place.clone())?;
        let operand = self.rvalue(operand);
        let new = match change {
            // Pointers move by bytes here.
            Change::Binary(op) if self.types.is_pointer(ty) => {
                let size = self.types.size_type();
                let number = self.cast(old.clone(), size)?;
                let operand = self.cast(operand, size)?;
                self.binary_values(op, number, operand)?
            }
            Change::Binary(op) => {
                self.wrapping(|this| this.binary_values(op, old.clone(), operand))?
            }
            Change::Nand => {
                let both = self.binary_values(BinaryOp::And, old.clone(), operand)?;
                let both_type = both.ty;
                let scalar = self.scalar_type(both_type)?;
                let (expr, _) = self.scalar_value(both)?;
                Value::scalar(fold::unary(UnaryOp::Complement, expr, scalar), both_type)
            }
        };
        let new = self.cast(new, ty)?;
        self.store_value(place, new.clone())?;
        Ok(match (wanted, returned) {
            (Use::Effects, _) => Value::void(),
            (_, Returned::Old) => old,
            (_, Returned::New) => new,
        })
    }

    /// Writes `new` if the place holds `expected`; returns the old value, or whether it wrote.
    fn compare_and_swap(
        &mut self,
        place: Value,
        expected: Value,
        new: Value,
        returns_truth: bool,
    ) -> Result<Value> {
        let ty = place.ty;
        let old = self.kept(place.clone())?;
        let expected = self.cast(expected, ty)?;
        let new = self.cast(new, ty)?;
        let equal = self.binary_values(BinaryOp::Equal, old.clone(), expected)?;
        let truth = self.write_if(equal, vec![(place, new)], Vec::new())?;
        if returns_truth {
            return self.cast(truth, Type::BOOL);
        }
        Ok(old)
    }

    /// Lowers `__atomic_compare_exchange_n(place, expected, desired, weak, …)`; a weak one may fail spuriously.
    fn compare_exchange(
        &mut self,
        place: Value,
        expected: Value,
        desired: Value,
        weak: Value,
    ) -> Result<Value> {
        let ty = place.ty;
        let (expected, _) = self.address_value(expected)?;
        let expected = Value::lvalue(expected, ty);
        let old = self.kept(place.clone())?;
        let wanted = self.kept(expected.clone())?;
        let desired = self.cast(desired, ty)?;
        let mut equal = self.binary_values(BinaryOp::Equal, old.clone(), wanted)?;
        if self.constant_argument(&weak) != Some(0) {
            let succeeds = self.approximate("a weak exchange", Type::BOOL)?;
            equal = self.binary_values(BinaryOp::And, equal, succeeds)?;
        }
        let truth = self.write_if(equal, vec![(place, desired)], vec![(expected, old)])?;
        self.cast(truth, Type::BOOL)
    }

    /// Writes some values if a condition holds and others if it does not; returns the condition.
    fn write_if(
        &mut self,
        condition: Value,
        then_writes: Vec<(Value, Value)>,
        else_writes: Vec<(Value, Value)>,
    ) -> Result<Value> {
        let condition = self.kept(condition)?;
        let lowered = self.condition_of(condition.clone())?;
        let (then, otherwise) = self.branch_on(lowered);
        let mut ends = Vec::with_capacity(2);
        for (block, writes) in [(then, then_writes), (otherwise, else_writes)] {
            self.function.continue_in(block);
            for (place, value) in writes {
                self.store_value(place, value)?;
            }
            ends.push((self.function.current(), Value::void()));
        }
        if let Ok(ends) = <[_; 2]>::try_from(ends) {
            self.join_values(ends, Type::VOID)?;
        }
        Ok(condition)
    }
}
