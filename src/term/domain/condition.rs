//! Assumption of a condition in an abstract state.

use super::abstract_value::AbstractValue;
use super::backward;
use super::environment::{Environment, Values};
use super::intervals::{INFINITY, Intervals, Universe};
use super::transfer::difference;
use super::view::{View, ceiling, floor};
use crate::domain::limits::{MAXIMUM_CONDITION_DEPTH, MAXIMUM_DISJUNCTS};
use crate::{Op, Pool, Sort, TermId, TermKind};

impl<P: Pool> Environment<'_, P> {
    /// Refines the state by the condition.
    pub fn assume(&mut self, condition: TermId) {
        // Later conjuncts may refine earlier ones, so propagate twice; not where evaluation is bounded.
        let passes = if self.is_bounded() { 1 } else { 2 };
        for _ in 0..passes {
            self.truth(condition, true, MAXIMUM_CONDITION_DEPTH);
            self.forget();
            self.spread_differences();
            if self.empty {
                return;
            }
        }
    }

    /// Propagates the values of differences and of one of their variables to the other variable.
    fn spread_differences(&mut self) {
        let base = self.base;
        if !self.relational {
            return;
        }
        for &term in base.keys() {
            if let TermKind::Apply {
                op: Op::BvAdd | Op::IntAdd,
                ..
            } = self.pool.kind(term)
                && let Some(value) = self.value(term)
            {
                backward::refine(self, term, &value, MAXIMUM_CONDITION_DEPTH);
            }
        }
    }

    /// Refines the state, given that the condition has the truth value.
    pub(super) fn truth(&mut self, condition: TermId, truth: bool, depth: u32) {
        if self.empty {
            return;
        }
        let decided = self.value(condition).and_then(|value| value.as_truth());
        if decided == Some(!truth) {
            self.empty = true;
        }
        // A condition that was assumed before may refine more now.
        let is_new = || !self.facts.contains_key(&condition);
        if self.empty || (decided.is_some() && is_new()) || depth == 0 {
            return;
        }
        let TermKind::Apply { op, arguments } = self.pool.kind(condition) else {
            return self.learn(condition, AbstractValue::truth(truth));
        };
        match (op, arguments) {
            (Op::Not, &[a]) => self.truth(a, !truth, depth - 1),
            (Op::And | Op::Or, _) if truth == (op == Op::And) => {
                for &part in arguments {
                    self.truth(part, truth, depth - 1);
                }
            }
            (Op::And | Op::Or, _) => self.one_of(arguments, truth, depth - 1),
            (Op::Ite, &[choice, then, otherwise]) => {
                let cases = [(choice, true, then), (choice, false, otherwise)];
                self.fork(cases.len(), |own, case| {
                    let (choice, chosen, part) = cases[case];
                    own.truth(choice, chosen, depth - 1);
                    own.truth(part, truth, depth - 1);
                });
            }
            (Op::Eq, &[a, b]) if self.pool.sort(a) == Sort::Bool => {
                let of = |own: &mut Self, term| own.value(term).and_then(|value| value.as_truth());
                if let Some(known) = of(self, a) {
                    self.truth(b, known == truth, depth - 1);
                } else if let Some(known) = of(self, b) {
                    self.truth(a, known == truth, depth - 1);
                }
            }
            (_, &[a, b]) if let Some(view) = View::of(op) => {
                self.compare(op, view, a, b, truth, depth - 1);
            }
            _ => {}
        }
        if !self.empty {
            self.learn(condition, AbstractValue::truth(truth));
        }
    }

    fn learn(&mut self, term: TermId, value: AbstractValue) {
        self.set_known(term, Some(value.clone()));
        self.set_fact(term, value);
    }

    /// Refines the state, given that one of the conditions has the truth value.
    fn one_of(&mut self, conditions: &[TermId], truth: bool, depth: u32) {
        let mut open = Vec::new();
        for &condition in conditions {
            match self.value(condition).and_then(|value| value.as_truth()) {
                Some(known) if known == truth => return,
                Some(_) => {}
                None => open.push(condition),
            }
        }
        match open[..] {
            [] => self.empty = true,
            [only] => self.truth(only, truth, depth),
            _ if open.len() > MAXIMUM_DISJUNCTS => {}
            _ => self.fork(open.len(), |own, case| own.truth(open[case], truth, depth)),
        }
    }

    /// Refines the state to the join of the cases that are possible, one of which holds.
    fn fork(&mut self, cases: usize, assume: impl Fn(&mut Self, usize)) {
        if self.forks == 0 || self.effort == 0 {
            return;
        }
        self.forks -= 1;
        self.effort -= 1;
        let mark = self.mark();
        let mut joined: Option<Values> = None;
        for case in 0..cases {
            assume(self, case);
            let is_possible = !std::mem::take(&mut self.empty);
            let own = self.undo(mark);
            if is_possible {
                joined = Some(match joined {
                    Some(joined) => join(joined, &own),
                    None => own,
                });
            }
        }
        self.forks += 1;
        match joined {
            Some(joined) => {
                for (term, value) in joined {
                    self.set_fact(term, value);
                }
            }
            None => self.empty = true,
        }
    }

    /// Refines the state, given that a comparison of numbers has the truth value.
    fn compare(&mut self, op: Op, view: View, a: TermId, b: TermId, truth: bool, depth: u32) {
        let (Some(x), Some(y)) = (self.value(a), self.value(b)) else {
            return;
        };
        if matches!(self.pool.sort(a), Sort::Array { .. }) {
            return;
        }
        let universe = x.universe();
        // The distance a - b, as numbers of the view.
        let bounds: Intervals = match (op, truth) {
            (Op::Eq, true) => {
                self.refine(a, &y, depth);
                self.refine(b, &x, depth);
                Intervals::point(Universe::Line, 0)
            }
            (Op::Eq, false) => {
                for (term, other) in [(a, &y), (b, &x)] {
                    if other.as_point().is_some() {
                        let others = other.intervals.complement();
                        self.refine(term, &others.into(), depth);
                    }
                }
                Intervals::point(Universe::Line, 0).complement()
            }
            _ => {
                let strict = matches!(op, Op::BvUlt | Op::BvSlt | Op::IntLt);
                // a < b or a <= b; if false, b <= a or b < a.
                let (less, greater, gap) = match truth {
                    true => (a, b, i128::from(strict)),
                    false => (b, a, i128::from(!strict)),
                };
                let (low, high) = if truth { (&x, &y) } else { (&y, &x) };
                let (Some(low), Some(high)) = (view.hull(low), view.hull(high)) else {
                    return;
                };
                let lower = |end: i128| {
                    if end.abs() >= INFINITY {
                        end
                    } else {
                        end - gap
                    }
                };
                let upper = |end: i128| {
                    if end.abs() >= INFINITY {
                        end
                    } else {
                        end + gap
                    }
                };
                let most = Intervals::arc(universe, view.least(universe), lower(high.1));
                let least = Intervals::arc(universe, upper(low.0), view.greatest(universe));
                let possible = lower(high.1) >= view.least(universe)
                    && upper(low.0) <= view.greatest(universe);
                if !possible {
                    self.empty = true;
                    return;
                }
                self.refine(less, &most.into(), depth);
                self.refine(greater, &least.into(), depth);
                match truth {
                    true => Intervals::arc(Universe::Line, -INFINITY, -gap),
                    false => Intervals::arc(Universe::Line, gap, INFINITY),
                }
            }
        };
        if self.relational && !self.empty {
            self.refine_difference(view, a, b, &bounds, depth);
        }
    }

    /// Refines the difference a - b, given that it is within the bounds as a difference of numbers in the view.
    fn refine_difference(
        &mut self,
        view: View,
        a: TermId,
        b: TermId,
        bounds: &Intervals,
        depth: u32,
    ) {
        let Some((part, offset)) = self.difference_of(a, b) else {
            return;
        };
        let (Some(x), Some(y)) = (self.value(a), self.value(b)) else {
            return;
        };
        let (Some(x), Some(y)) = (view.hull(&x), view.hull(&y)) else {
            return;
        };
        let universe = offset.universe();
        let all = Intervals::arc(Universe::Line, floor(x.0, y.1), ceiling(x.1, y.0));
        let spans = all.meet(bounds);
        let apart = Intervals::arcs_of(universe, spans.spans().iter().copied());
        let value = difference(&apart.into(), &offset);
        self.refine(part, &value, depth);
    }

    /// Refines the value of the term and its operands, given that the term's value is in the set.
    pub(super) fn refine(&mut self, term: TermId, value: &AbstractValue, depth: u32) {
        if self.empty {
            return;
        }
        let Some(old) = self.value(term) else {
            return;
        };
        if old.universe() != value.universe() {
            return;
        }
        let new = old.meet(value);
        if new.is_empty() {
            self.empty = true;
        }
        if self.empty || new == old {
            return;
        }
        self.learn(term, new.clone());
        if depth > 0 {
            backward::refine(self, term, &new, depth - 1);
        }
    }
}

/// Joins what two cases have refined; what only one has refined holds as before.
fn join(mut all: Values, other: &Values) -> Values {
    all.retain(|term, value| match other.get(term) {
        Some(other) => {
            *value = value.join(other);
            !value.is_top()
        }
        None => false,
    });
    all
}
