//! Values of terms of the program.

use rustc_hash::FxHashMap;

use super::super::{State, Walk};
use super::RoundWalk;
use regatta_term::{Build, Op, Pool, TermId, TermKind, store};

impl RoundWalk<'_, '_, '_> {
    /// The value of a term of the program in the activation.
    pub(super) fn worth(&mut self, state: &State, term: TermId, depth: u32) -> TermId {
        if store().is_constant(term) {
            return term;
        }
        let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if done.contains_key(&top) {
                stack.pop();
                continue;
            }
            let (op, arguments) = match store().kind(top) {
                TermKind::Constant(_) => {
                    done.insert(top, top);
                    continue;
                }
                TermKind::Variable { .. } => {
                    let value = match self.slot_of(top, depth) {
                        Some(slot) if store().sort(top).is_array() => self.walk.array(state, slot),
                        Some(slot) => {
                            let value = self.walk.read(state, slot);
                            self.lifted.under(state.guard, value)
                        }
                        None => self.walk.variable_like(top),
                    };
                    done.insert(top, value);
                    continue;
                }
                TermKind::Apply { op, arguments } => (op, arguments),
            };
            // A read of a region needs only its cells; a decided choice needs one side.
            let region = match (op, arguments) {
                (Op::Select, &[array, _]) => self.slot_of(array, depth),
                _ => None,
            };
            let condition = done.get(&arguments[0]).copied();
            let needed = match (op, condition) {
                (Op::Select, _) if region.is_some() => &arguments[1..],
                (Op::Ite, None) => &arguments[..1],
                (Op::Ite, Some(TermId::TRUE)) => &arguments[1..2],
                (Op::Ite, Some(TermId::FALSE)) => &arguments[2..],
                _ => arguments,
            };
            let before = stack.len();
            stack.extend(needed.iter().filter(|one| !done.contains_key(one)));
            if stack.len() > before || (op == Op::Ite && condition.is_none()) {
                continue;
            }
            let value = match (op, region, condition) {
                (Op::Select, Some(slot), _) => {
                    let index = done[&arguments[1]];
                    let value = self.walk.load(&mut self.lifted, state, slot, index);
                    self.lifted.under(state.guard, value)
                }
                (Op::Ite, _, Some(TermId::TRUE)) => done[&arguments[1]],
                (Op::Ite, _, Some(TermId::FALSE)) => done[&arguments[2]],
                (Op::Ite, _, Some(condition)) => {
                    let (a, b) = (done[&arguments[1]], done[&arguments[2]]);
                    self.lifted.choose(condition, a, b)
                }
                _ => {
                    let operands: Vec<TermId> = arguments.iter().map(|one| done[one]).collect();
                    let sort = store().sort(top);
                    let arena = &*self.walk.arena;
                    let is_array = |&one: &TermId| arena.sort(one).is_array();
                    match sort.is_array() || operands.iter().any(is_array) {
                        true => arena.apply(op, sort, &operands),
                        false => self.lifted.apply(op, sort, &operands),
                    }
                }
            };
            done.insert(top, value);
        }
        done[&term]
    }

    fn slot_of(&self, variable: TermId, depth: u32) -> Option<u32> {
        let (symbol, _) = store().as_variable(variable)?;
        let variable = *self.walk.lowered.by_symbol.get(&symbol)?;
        Some(self.walk.slot(depth, variable))
    }
}

impl Walk<'_, '_> {
    /// Any value of the variable's sort.
    fn variable_like(&self, variable: TermId) -> TermId {
        match store().as_variable(variable) {
            Some((symbol, _)) => self.names.variable(symbol),
            None => variable,
        }
    }
}
