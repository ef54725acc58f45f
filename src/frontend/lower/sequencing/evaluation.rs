//! Evaluates operands in several orders, between which a nondeterministic choice selects.

use rustc_hash::FxHashMap;

use super::Conflict;
use super::branch_result::JoinStorage;
use crate::ir::{BlockIndex, Instruction, Terminator};
use crate::lower::expressions::fold;
use crate::lower::expressions::value::Value;
use crate::lower::limits::{MAXIMUM_OPERAND_COPIES, MAXIMUM_ORDERS};
use crate::lower::state::builder::Mark;
use crate::lower::{Lowerer, Result};
use regatta_program::AssumptionKind;

impl Lowerer<'_> {
    /// Evaluates the operands of a conflicting site in each of its orders. `evaluate` lowers the operand of the given
    /// number and returns its values; it is called once for each order in which the operand takes part.
    pub(in crate::lower) fn in_every_order(
        &mut self,
        conflict: &Conflict,
        count: usize,
        evaluate: &mut dyn FnMut(&mut Self, usize) -> Result<Vec<Value>>,
    ) -> Result<Vec<Vec<Value>>> {
        let span = self.cursor.span();
        if conflict.undefined {
            self.note_assumption(
                AssumptionKind::Sequenced,
                "side effects on one object that are not sequenced happen one after the other",
            );
        }
        let copies = self.sequencing.copies;
        let room = if conflict.repeatable {
            (MAXIMUM_OPERAND_COPIES / copies).max(1)
        } else {
            1
        };
        let orders = &conflict.orders[..conflict.orders.len().min(room)];
        let complete = conflict.complete && orders.len() == conflict.orders.len();
        let free: Vec<usize> = (0..count)
            .filter(|operand| !orders[0].contains(operand))
            .collect();
        let mut first = Vec::with_capacity(free.len());
        for &operand in &free {
            let values = evaluate(self, operand)?;
            first.push((operand, values, self.function.mark()));
        }
        self.cursor.set_span(span);
        let blocks = self.choose(orders.len() + usize::from(!complete));
        if !complete && let Some(&other) = blocks.last() {
            let next = self.function.current();
            self.function.continue_in(other);
            self.unsupported(untried_order());
            self.end_path(Terminator::Unreachable);
            self.function.continue_in(next);
        }
        self.sequencing.copies = copies * orders.len();
        let mut branches: Vec<(BlockIndex, FxHashMap<usize, Vec<Value>>)> = Vec::new();
        for (order, &block) in orders.iter().zip(&blocks) {
            self.function.continue_in(block);
            self.cursor.set_span(span);
            let numbers: Vec<String> = order
                .iter()
                .map(|operand| (operand + 1).to_string())
                .collect();
            self.note_assumption(
                AssumptionKind::EvaluationOrder,
                format!(
                    "the operands are evaluated in the order {}",
                    numbers.join(", ")
                ),
            );
            let mut values = Vec::with_capacity(order.len());
            for &operand in order {
                let made = evaluate(self, operand)?;
                values.push((operand, made, self.function.mark()));
            }
            self.cursor.set_span(span);
            let settled = self.settle_operands(values)?;
            branches.push((self.function.current(), settled));
        }
        self.sequencing.copies = copies;
        self.cursor.set_span(span);
        let join = self.function.new_block();
        let mut result: FxHashMap<usize, Vec<Value>> = FxHashMap::default();
        let mut storages: Vec<(usize, usize, JoinStorage)> = Vec::new();
        for &operand in &orders[0] {
            let length = branches[0].1.get(&operand).map_or(0, Vec::len);
            let mut values = Vec::with_capacity(length);
            for number in 0..length {
                let made: Vec<&Value> = branches
                    .iter()
                    .filter_map(|branch| branch.1.get(&operand)?.get(number))
                    .collect();
                if made.len() != branches.len() {
                    return Err(self.contradiction("an operand without a value in some order"));
                }
                let storage = self.join_storage(&made)?;
                values.push(self.joined_value(made[0], &storage));
                storages.push((operand, number, storage));
            }
            result.insert(operand, values);
        }
        for (block, values) in &branches {
            self.function.continue_in(*block);
            for (operand, number, storage) in &storages {
                if let Some(value) = values.get(operand).and_then(|list| list.get(*number)) {
                    self.store_for_join(value, storage)?;
                }
            }
            self.function.end(Terminator::Goto(join), span);
        }
        self.function.continue_in(join);
        result.extend(self.settle_operands(first)?);
        (0..count)
            .map(|operand| result.remove(&operand))
            .collect::<Option<_>>()
            .ok_or_else(|| self.contradiction("an operand that is not evaluated"))
    }

    /// Branches nondeterministically to `count` new blocks.
    fn choose(&mut self, count: usize) -> Vec<BlockIndex> {
        let span = self.cursor.span();
        let blocks: Vec<BlockIndex> = (0..count).map(|_| self.function.new_block()).collect();
        let [others @ .., last] = blocks.as_slice() else {
            return blocks;
        };
        if others.is_empty() {
            self.function.end(Terminator::Goto(*last), span);
            return blocks;
        }
        let choice = self.temporary(fold::INT);
        let place = self.object_place(choice, fold::INT);
        self.emit_fresh(Instruction::Choice { place });
        let cases = (0..)
            .zip(others)
            .map(|(value, &block)| (value, value, block));
        let terminator = Terminator::Switch {
            value: self.load_object(choice, fold::INT),
            scalar: fold::INT,
            cases: cases.collect(),
            default: *last,
        };
        self.function.end(terminator, span);
        blocks
    }

    /// Settles operands that were evaluated in this order.
    fn settle_operands(
        &mut self,
        values: Vec<(usize, Vec<Value>, Mark)>,
    ) -> Result<FxHashMap<usize, Vec<Value>>> {
        let mut settled = FxHashMap::default();
        for (operand, values, mark) in values.into_iter().rev() {
            let mut list = Vec::with_capacity(values.len());
            // From the last to the first, because an insertion moves later marks only.
            for value in values.into_iter().rev() {
                list.push(self.settle(value, mark)?);
            }
            list.reverse();
            settled.insert(operand, list);
        }
        Ok(settled)
    }

    /// Branches: the following code is executed in the order of lowering, or in another, unmodelled one.
    pub(in crate::lower) fn or_another_order(&mut self) {
        let blocks = self.choose(2);
        if let [next, other] = blocks[..] {
            self.function.continue_in(other);
            self.unsupported(untried_order());
            self.end_path(Terminator::Unreachable);
            self.function.continue_in(next);
        }
    }
}

/// The unmodelled construct for the orders that are not tried.
fn untried_order() -> String {
    format!(
        "an order of evaluating operands with conflicting side effects \
         (of which there are more than {MAXIMUM_ORDERS}, or whose parts may interleave)"
    )
}
