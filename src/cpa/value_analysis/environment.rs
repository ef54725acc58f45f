//! Evaluation of terms in an abstract state, and what a condition adds to it.

use rustc_hash::FxHashMap;

use super::backward;
use super::intervals::{INFINITY, Intervals, Span, Universe};
use super::transfer::difference;
use super::value::{AbstractValue, apply};
use crate::term::{Arena, Build, Op, Pool, Sort, TermId, TermKind};

/// Values of terms: of variables, of differences of two variables; of an array, what holds of each cell.
pub type Values = FxHashMap<TermId, AbstractValue>;

/// Nesting of conditions and of terms that a condition is followed into.
const DEPTH: u32 = 40;

/// The most disjuncts that are looked at one by one, and how deep.
const DISJUNCTS: usize = 8;
const FORKS: u32 = 2;

/// How often disjuncts are looked at one by one.
const EFFORT: u32 = 40;

/// A state, and what more holds on a path from it.
pub struct Environment<'e> {
    pub(super) arena: &'e Arena,
    base: &'e Values,
    facts: Values,
    /// Values of terms; those from before the last fact are too large, but right.
    known: FxHashMap<TermId, Option<AbstractValue>>,
    /// Whether conditions say something of differences.
    relational: bool,
    empty: bool,
    /// How deep disjunctions may be followed, and how often.
    forks: u32,
    effort: u32,
}

impl<'e> Environment<'e> {
    /// The state alone.
    pub fn new(arena: &'e Arena, base: &'e Values, relational: bool) -> Self {
        Self {
            arena,
            base,
            facts: Values::default(),
            known: FxHashMap::default(),
            relational,
            empty: false,
            forks: FORKS,
            effort: EFFORT,
        }
    }

    /// Whether no concrete state is in it.
    pub fn is_empty(&self) -> bool {
        self.empty
    }

    fn fact(&self, term: TermId) -> Option<&AbstractValue> {
        self.facts.get(&term).or_else(|| self.base.get(&term))
    }

    /// What is known of the term's value; for an array, of its cells' values. `None`: it is no number.
    pub fn value(&mut self, term: TermId) -> Option<AbstractValue> {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let value = match self.arena.kind(top) {
                TermKind::Constant(constant) => AbstractValue::constant(constant),
                TermKind::Variable { .. } => self.leaf(top),
                TermKind::Apply { op, arguments } => {
                    let before = stack.len();
                    if Universe::of(self.arena.sort(top)).is_some() {
                        let open = arguments.iter().copied();
                        stack.extend(open.filter(|part| !self.known.contains_key(part)));
                    }
                    if stack.len() > before {
                        continue;
                    }
                    self.apply(top, op, arguments)
                }
            };
            self.known.insert(top, value);
            stack.pop();
        }
        self.known[&term].clone()
    }

    fn leaf(&self, term: TermId) -> Option<AbstractValue> {
        let universe = Universe::of(self.arena.sort(term))?;
        let fact = self.fact(term).cloned();
        Some(fact.unwrap_or_else(|| AbstractValue::top(universe)))
    }

    fn apply(&self, term: TermId, op: Op, arguments: &[TermId]) -> Option<AbstractValue> {
        let sort = self.arena.sort(term);
        let universe = Universe::of(sort)?;
        let is_array = |part: &TermId| matches!(self.arena.sort(*part), Sort::Array { .. });
        let of = |part: TermId| self.known.get(&part).and_then(Option::as_ref);
        let mut value = match (op, arguments) {
            (Op::Store, &[array, _, element]) => match (of(array), of(element)) {
                (Some(array), Some(element)) => array.join(element),
                _ => AbstractValue::top(universe),
            },
            (Op::Select, &[array, _]) => of(array).cloned()?,
            (Op::ConstArray, &[element]) => of(element).cloned()?,
            // That all cells' values are among the same numbers does not make arrays equal.
            (Op::Eq, _) if arguments.iter().any(is_array) => AbstractValue::top(universe),
            _ => {
                let values: Option<Vec<&AbstractValue>> =
                    arguments.iter().map(|&part| of(part)).collect();
                values.map_or(AbstractValue::top(universe), |values| {
                    apply(op, universe, &values)
                })
            }
        };
        if self.relational {
            if let Some(decided) = self.compared_by_difference(op, arguments) {
                value = value.meet(&AbstractValue::truth(decided));
            } else if matches!(op, Op::BvAdd | Op::IntAdd)
                && let Some(negated) = self.fact(negated(self.arena, sort, term))
            {
                value = value.meet(&super::transfer::negation(negated));
            }
        }
        if let Some(fact) = self.fact(term) {
            value = value.meet(fact);
        }
        Some(value)
    }

    /// The comparison's outcome, by what is known of the difference.
    fn compared_by_difference(&self, op: Op, arguments: &[TermId]) -> Option<bool> {
        let &[a, b] = arguments else {
            return None;
        };
        let view = View::of(op)?;
        let is_constant = |term| matches!(self.arena.kind(term), TermKind::Constant(_));
        if is_constant(a) || is_constant(b) {
            return None;
        }
        let (part, offset) = self.difference_of(a, b)?;
        let known = match self.fact(part) {
            Some(known) => known.clone(),
            None => {
                let sort = self.arena.sort(part);
                super::transfer::negation(self.fact(negated(self.arena, sort, part))?)
            }
        };
        let apart = super::transfer::sum(&known, &offset);
        let of = |part: TermId| self.known.get(&part).and_then(Option::as_ref);
        let (low, high) = view.distance(of(a)?, of(b)?, &apart)?;
        match op {
            Op::Eq if low > 0 || high < 0 => Some(false),
            Op::Eq => (low == 0 && high == 0).then_some(true),
            Op::BvUlt | Op::BvSlt | Op::IntLt if high < 0 => Some(true),
            Op::BvUlt | Op::BvSlt | Op::IntLt => (low >= 0).then_some(false),
            _ if high <= 0 => Some(true),
            _ => (low > 0).then_some(false),
        }
    }

    /// a - b as a term and a number that is added to it; `None` if it is a number.
    pub(super) fn difference_of(&self, a: TermId, b: TermId) -> Option<(TermId, AbstractValue)> {
        let sort = self.arena.sort(a);
        let universe = Universe::of(sort)?;
        let term = match sort {
            Sort::BitVec(_) => self.arena.sub(a, b),
            Sort::Int => self.arena.int_sub(a, b),
            _ => return None,
        };
        match self.arena.kind(term) {
            TermKind::Constant(_) => None,
            TermKind::Apply {
                op: Op::BvAdd | Op::IntAdd,
                arguments: &[part, last],
            } if let Some(constant) = self.arena.constant(last) => {
                Some((part, AbstractValue::constant(constant)?))
            }
            _ => Some((term, AbstractValue::point(universe, 0))),
        }
    }

    /// The condition holds.
    pub fn assume(&mut self, condition: TermId) {
        // What later conjuncts say may help the earlier ones.
        for _ in 0..2 {
            self.truth(condition, true, DEPTH);
            self.known.clear();
            self.spread_differences();
            if self.empty {
                return;
            }
        }
    }

    /// What is known of differences, and of the one variable, is known of the other.
    fn spread_differences(&mut self) {
        let base = self.base;
        if !self.relational {
            return;
        }
        for &term in base.keys() {
            if let TermKind::Apply {
                op: Op::BvAdd | Op::IntAdd,
                ..
            } = self.arena.kind(term)
                && let Some(value) = self.value(term)
            {
                backward::refine(self, term, &value, DEPTH);
            }
        }
    }

    /// The condition has this truth value.
    pub(super) fn truth(&mut self, condition: TermId, truth: bool, depth: u32) {
        if self.empty {
            return;
        }
        let decided = self.value(condition).and_then(|value| value.as_truth());
        if decided == Some(!truth) {
            self.empty = true;
        }
        // What has been assumed before may say more now.
        let is_new = || !self.facts.contains_key(&condition);
        if self.empty || (decided.is_some() && is_new()) || depth == 0 {
            return;
        }
        let TermKind::Apply { op, arguments } = self.arena.kind(condition) else {
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
            (Op::Eq, &[a, b]) if self.arena.sort(a) == Sort::Bool => {
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
        self.known.insert(term, Some(value.clone()));
        self.facts.insert(term, value);
    }

    /// One of the conditions has this truth value.
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
            _ if open.len() > DISJUNCTS => {}
            _ => self.fork(open.len(), |own, case| own.truth(open[case], truth, depth)),
        }
    }

    /// One of the cases holds: what all that can have in common.
    fn fork(&mut self, cases: usize, assume: impl Fn(&mut Self, usize)) {
        if self.forks == 0 || self.effort == 0 {
            return;
        }
        self.forks -= 1;
        self.effort -= 1;
        let mut joined: Option<Values> = None;
        let (facts, known) = (self.facts.clone(), self.known.clone());
        for case in 0..cases {
            self.facts.clone_from(&facts);
            self.known.clone_from(&known);
            assume(self, case);
            if !std::mem::take(&mut self.empty) {
                let own = std::mem::take(&mut self.facts);
                joined = Some(match joined {
                    Some(joined) => join(joined, &own),
                    None => own,
                });
            }
        }
        self.forks += 1;
        self.known = known;
        match joined {
            Some(joined) => self.facts = joined,
            None => self.empty = true,
        }
    }

    /// A comparison of numbers has this truth value.
    fn compare(&mut self, op: Op, view: View, a: TermId, b: TermId, truth: bool, depth: u32) {
        let (Some(x), Some(y)) = (self.value(a), self.value(b)) else {
            return;
        };
        if matches!(self.arena.sort(a), Sort::Array { .. }) {
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
                // a < b, a <= b; or the other way round, with the other strictness.
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

    /// The distance a - b of the numbers in the view is within the bounds.
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

    /// The term's value is in the set: a fact about it, and about what it is made of.
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

/// The least difference of numbers from `low` on and numbers up to `high`.
fn floor(low: i128, high: i128) -> i128 {
    match low <= -INFINITY || high >= INFINITY {
        true => -INFINITY,
        false => low - high,
    }
}

/// The greatest difference of numbers up to `high` and numbers from `low` on.
fn ceiling(high: i128, low: i128) -> i128 {
    match high >= INFINITY || low <= -INFINITY {
        true => INFINITY,
        false => high - low,
    }
}

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

fn negated(arena: &Arena, sort: Sort, term: TermId) -> TermId {
    match sort {
        Sort::BitVec(_) => arena.neg(term),
        Sort::Int => arena.int_neg(term),
        _ => term,
    }
}

/// How a comparison reads numbers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum View {
    Unsigned,
    Signed,
}

impl View {
    /// That of a comparison.
    fn of(op: Op) -> Option<Self> {
        match op {
            Op::Eq | Op::BvUlt | Op::BvUle | Op::IntLt | Op::IntLe => Some(Self::Unsigned),
            Op::BvSlt | Op::BvSle => Some(Self::Signed),
            _ => None,
        }
    }

    fn hull(self, value: &AbstractValue) -> Option<Span> {
        match self {
            Self::Unsigned => value.intervals.hull(),
            Self::Signed => value.intervals.signed_hull(),
        }
    }

    fn least(self, universe: Universe) -> i128 {
        match self {
            Self::Unsigned => universe.least(),
            Self::Signed => -universe.sign(),
        }
    }

    fn greatest(self, universe: Universe) -> i128 {
        match self {
            Self::Unsigned => universe.greatest(),
            Self::Signed => universe.sign() - 1,
        }
    }

    /// The bounds of the distance of two numbers, if modulo a full turn it is among these.
    fn distance(self, a: &AbstractValue, b: &AbstractValue, apart: &AbstractValue) -> Option<Span> {
        let (x, y) = (self.hull(a)?, self.hull(b)?);
        let all = Intervals::arc(Universe::Line, floor(x.0, y.1), ceiling(x.1, y.0));
        let turn = a.universe().turn();
        let mut possible = Intervals::empty(Universe::Line);
        let turns: &[i128] = if turn == 0 { &[0] } else { &[-1, 0] };
        for turns in turns {
            for &(low, high) in apart.intervals.spans() {
                let arc = Intervals::arc(Universe::Line, low + turns * turn, high + turns * turn);
                possible = possible.join(&arc.meet(&all));
            }
        }
        possible.hull()
    }
}
