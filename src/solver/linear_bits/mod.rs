//! Linear forms over bits: terms of conditions that have the same form are replaced by one of them.
//!
//! Two implementations of a checksum or of a population count have no word in common that a rewriting would find, and a solver
//! compares their exclusive ors and adders bit by bit. Both compute functions of the input's bits that are linear, over the field
//! of two elements or modulo a power of two, and the forms of such functions are unique. They are computed from the inner terms
//! to the outer ones, without a solver:
//!
//! * each *bit* of a word is an exclusive or of atoms;
//! * a word is a *sum* of bits times factors, modulo 2^width. Fields of it can be taken out where the bits below them carry
//!   nothing.
//!
//! An atom is a bit of a term that has no such form, or the product of two bits. A choice by a bit between words whose
//! difference is constant is linear. So is a read of a table if the table is: its decision tree consists of such choices.

mod bits;
mod forms;
mod sums;
#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};

use self::forms::{Form, Forms};
use crate::limits::{MAXIMUM_LINEAR_STEPS, MAXIMUM_LINEAR_TERMS, MINIMUM_BITWISE_OPERATIONS};
use crate::sweeping::rebuilt;
use regatta_term::{Arena, Build, Op, Pool, Sort, TermId, TermKind, for_each_subterm};

/// Merges terms of the conditions that have the same form. Returns conditions whose conjunction is equivalent to that of the
/// given ones; `None` if nothing is merged, or if the conditions are too large.
///
/// A condition that is an equation of a variable defines it: the variable has the form of its definition.
pub fn merged(arena: &Arena, conditions: &[TermId]) -> Option<Vec<TermId>> {
    let mut merge = Merge {
        arena,
        definitions: FxHashMap::default(),
        open: FxHashSet::default(),
        results: FxHashMap::default(),
        forms: Forms::new(arena),
        representatives: FxHashMap::default(),
        merged: 0,
    };
    let definitions: Vec<Option<(TermId, TermId)>> = conditions
        .iter()
        .map(|&condition| definition(arena, condition))
        .collect();
    for &(variable, value) in definitions.iter().flatten() {
        merge.definitions.entry(variable).or_insert(value);
    }
    let mut results = Vec::with_capacity(conditions.len());
    for (&condition, definition) in conditions.iter().zip(definitions) {
        results.push(match definition {
            // The equation itself must stay.
            Some((variable, value)) if merge.definitions[&variable] == value => {
                arena.eq(variable, merge.result(value)?)
            }
            _ => merge.result(condition)?,
        });
    }
    (merge.merged > 0).then_some(results)
}

/// Checks whether there are several bitwise operations, as linear functions of bits consist of.
pub fn is_bitwise(arena: &Arena, conditions: &[TermId]) -> bool {
    let mut count = 0;
    for_each_subterm(arena, conditions.iter().copied(), |_, kind| {
        if let TermKind::Apply {
            op: Op::BvXor | Op::BvAnd | Op::BvOr,
            ..
        } = kind
        {
            count += 1;
        }
    });
    count >= MINIMUM_BITWISE_OPERATIONS
}

/// The variable that the condition defines, and its value.
fn definition(arena: &Arena, condition: TermId) -> Option<(TermId, TermId)> {
    let &[left, right] = arena.arguments(Op::Eq, condition)? else {
        return None;
    };
    let is_name = |term| arena.is_variable(term);
    match (is_name(left), is_name(right)) {
        (true, false) => Some((left, right)),
        (false, true) => Some((right, left)),
        _ => None,
    }
}

struct Merge<'m> {
    arena: &'m Arena,
    /// The values of variables.
    definitions: FxHashMap<TermId, TermId>,
    /// The variables whose values have been looked at.
    open: FxHashSet<TermId>,
    /// The terms that replace terms.
    results: FxHashMap<TermId, TermId>,
    forms: Forms<'m>,
    /// The first term with a form.
    representatives: FxHashMap<Form, TermId>,
    merged: usize,
}

impl Merge<'_> {
    /// Returns what replaces the term; `None` if it is too large, or if a variable is defined by itself.
    fn result(&mut self, root: TermId) -> Option<TermId> {
        let arena = self.arena;
        let mut stack = vec![root];
        while let Some(&top) = stack.last() {
            if self.results.contains_key(&top) {
                stack.pop();
                continue;
            }
            let depth = stack.len();
            if let Some(&value) = self.definitions.get(&top) {
                if !self.results.contains_key(&value) {
                    if !self.open.insert(top) {
                        return None;
                    }
                    stack.push(value);
                    continue;
                }
            } else if let Some((_, arguments)) = arena.as_application(top) {
                let unknown = |argument: &&TermId| !self.results.contains_key(*argument);
                stack.extend(arguments.iter().filter(unknown));
            }
            if stack.len() == depth {
                let result = match self.definitions.get(&top) {
                    Some(value) => self.results[value],
                    None => self.representative(top),
                };
                self.results.insert(top, result);
                stack.pop();
            }
            if self.results.len() > MAXIMUM_LINEAR_TERMS
                || self.forms.steps() > MAXIMUM_LINEAR_STEPS
            {
                return None;
            }
        }
        self.results.get(&root).copied()
    }

    /// The first term with the form of the term, whose arguments have results.
    fn representative(&mut self, term: TermId) -> TermId {
        let rebuilt = rebuilt(self.arena, term, &self.results);
        let sort = self.arena.sort(rebuilt);
        if !matches!(sort, Sort::Bool | Sort::BitVec(_)) || self.arena.is_constant(rebuilt) {
            return rebuilt;
        }
        if let Some(constant) = self.forms.constant(rebuilt) {
            self.merged += 1;
            return constant;
        }
        let forms = self.forms.of(rebuilt);
        let known = forms.iter().find_map(|form| self.representatives.get(form));
        if let Some(&known) = known {
            self.merged += usize::from(known != rebuilt);
            return known;
        }
        for form in forms {
            self.representatives.insert(form, rebuilt);
        }
        rebuilt
    }
}
