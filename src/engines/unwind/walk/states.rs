//! Values of variables and terms in a state.

use super::super::evaluate::Value;
use super::{GLOBAL, State, Walk};
use crate::unwind::limits::SEPARATION_ATTEMPTS;
use regatta_program::{Program, Scope, VariableId};
use regatta_term::{Arena, Build, Constant, Op, Pool, Symbol, TermId};

/// Maximum size of an object (bytes).
const MAXIMUM_OBJECT_SIZE: u64 = 1 << 62;

impl Walk<'_, '_> {
    pub(super) fn slot(&mut self, depth: u32, variable: VariableId) -> u32 {
        let depth = match self.program.variable(variable).scope {
            Scope::Global => GLOBAL,
            Scope::Local(_) => depth,
        };
        let new = self.initial.len() as u32;
        let slot = *self.slots.entry((depth, variable)).or_insert(new);
        if slot == new {
            self.initial.push((variable, None));
        }
        slot
    }

    pub(super) fn read(&mut self, state: &State, slot: u32) -> Value {
        self.value_or_first(slot, state.values.get(slot))
    }

    /// Returns the given value of the slot, or else its value before any assignment.
    pub(super) fn value_or_first(&mut self, slot: u32, value: Option<&Value>) -> Value {
        match value {
            Some(value) => value.clone(),
            None => {
                let arena = self.terms.arena;
                first_value(
                    &mut self.initial,
                    &mut self.fresh,
                    self.program,
                    arena,
                    slot,
                )
            }
        }
    }

    pub(super) fn set(
        &mut self,
        state: &mut State,
        depth: u32,
        variable: VariableId,
        value: Value,
    ) {
        if let (Some(&size), Value::Scalar(address)) = (self.sizes.get(&variable), &value)
            && !self.terms.arena.is_constant(*address)
        {
            let new = self.terms.add_object(*address, size);
            self.placed
                .extend(new.into_iter().map(|one| (one, SEPARATION_ATTEMPTS)));
        }
        let slot = self.slot(depth, variable);
        state.values.insert(slot, value);
    }

    /// Adds objects whose end is assumed not to wrap around; this is assumed of all objects with nondeterministic addresses.
    pub(super) fn add_assumed_objects(&mut self, condition: TermId) {
        let arena = self.terms.arena;
        let parts = arena.arguments(Op::And, condition);
        for &part in parts.unwrap_or(std::slice::from_ref(&condition)) {
            if let Some(&[start, end]) = arena.arguments(Op::BvUle, part)
                && let Some(&[a, b]) = arena.arguments(Op::BvAdd, end)
                && let Some(size) = if a == start {
                    Some(b)
                } else {
                    (b == start).then_some(a)
                }
                && let Some(Constant::BitVec(size)) = arena.constant(size)
                && let Ok(size @ ..=MAXIMUM_OBJECT_SIZE) = u64::try_from(size.bits())
                && self.terms.pointer(start).is_none()
            {
                let new = self.terms.add_object(start, size);
                self.placed
                    .extend(new.into_iter().map(|one| (one, SEPARATION_ATTEMPTS)));
            }
        }
    }

    pub(super) fn evaluate(&mut self, state: &State, term: TermId, depth: u32) -> Value {
        let Self {
            terms,
            by_symbol,
            slots,
            initial,
            fresh,
            program,
            ..
        } = self;
        let arena = terms.arena;
        terms.path = state.path.clone();
        let mut read = |symbol: Symbol| {
            let Some(&variable) = by_symbol.get(&symbol) else {
                *fresh += 1;
                return Value::Scalar(arena.variable_at(symbol, *fresh));
            };
            let depth = match program.variable(variable).scope {
                Scope::Global => GLOBAL,
                Scope::Local(_) => depth,
            };
            let new = initial.len() as u32;
            let slot = *slots.entry((depth, variable)).or_insert(new);
            if slot == new {
                initial.push((variable, None));
            }
            match state.values.get(slot) {
                Some(value) => value.clone(),
                None => first_value(initial, fresh, program, arena, slot),
            }
        };
        terms.evaluate(term, &mut read)
    }

    pub(super) fn scalar(&mut self, state: &State, term: TermId, depth: u32) -> TermId {
        let value = self.evaluate(state, term, depth);
        self.terms.term(&value)
    }

    pub(super) fn truth(&mut self, state: &State, condition: TermId, depth: u32) -> TermId {
        self.scalar(state, condition, depth)
    }
}

/// Returns the initial value of a variable.
fn first_value(
    initial: &mut [(VariableId, Option<Value>)],
    fresh: &mut u32,
    program: &Program,
    arena: &Arena,
    slot: u32,
) -> Value {
    let (variable, value) = &mut initial[slot as usize];
    let symbol = program.variable(*variable).symbol;
    let make = || {
        *fresh += 1;
        Value::of(arena, arena.variable_at(symbol, *fresh))
    };
    value.get_or_insert_with(make).clone()
}
