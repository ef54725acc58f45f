//! Abstract states and the evaluation of terms in them.

use rustc_hash::FxHashMap;

use super::abstract_value::{AbstractValue, apply};
use super::intervals::Universe;
use super::limits::{MAXIMUM_FORK_DEPTH, MAXIMUM_FORKS};
use super::view::View;
use crate::{Build, Op, Pool, Sort, TermId, TermKind};

/// Abstract values of variables and of differences of two variables; the value of an array holds for each cell.
pub type Values = FxHashMap<TermId, AbstractValue>;

/// A change of an environment, with what was there before.
pub(super) enum Change {
    /// Of the cached value of a term.
    Known(TermId, Option<Option<AbstractValue>>),
    Fact(TermId, Option<AbstractValue>),
}

/// An abstract state with facts that hold on a path from it.
pub struct Environment<'e, P> {
    pub(super) pool: &'e P,
    pub(super) base: &'e Values,
    pub(super) facts: Values,
    /// Cached values of terms; those cached before the last fact was learned are sound, but may be imprecise.
    pub(super) known: FxHashMap<TermId, Option<AbstractValue>>,
    /// The changes since the outermost open case distinction began.
    trail: Vec<Change>,
    /// Whether conditions refine differences of variables.
    pub(super) relational: bool,
    pub(super) empty: bool,
    /// The remaining nesting depth and number of case distinctions over disjunctions.
    pub(super) forks: u32,
    pub(super) effort: u32,
    /// Maximum number of operators that are evaluated for a value.
    terms: usize,
    /// Whether a cached value is imprecise because the maximum was reached.
    is_cut_off: bool,
}

impl<'e, P: Pool> Environment<'e, P> {
    /// Creates an environment with the state and no facts.
    pub fn new(pool: &'e P, base: &'e Values, relational: bool) -> Self {
        Self {
            pool,
            base,
            facts: Values::default(),
            known: FxHashMap::default(),
            trail: Vec::new(),
            relational,
            empty: false,
            forks: MAXIMUM_FORK_DEPTH,
            effort: MAXIMUM_FORKS,
            terms: usize::MAX,
            is_cut_off: false,
        }
    }

    /// Limits the evaluation of a value to the number of operators; terms beyond are unknown. Cached values are kept if none was
    /// cut off.
    pub fn looking_at(mut self, terms: usize) -> Self {
        if std::mem::take(&mut self.is_cut_off) {
            self.forget();
        }
        Self { terms, ..self }
    }

    /// Clears the cache. Clearing a map takes time proportional to its capacity, so a large map is replaced.
    pub(super) fn forget(&mut self) {
        const LARGE: usize = 1024;
        match self.known.capacity() > LARGE {
            true => self.known = FxHashMap::default(),
            false => self.known.clear(),
        }
    }

    pub(super) fn is_bounded(&self) -> bool {
        self.terms < usize::MAX
    }

    /// The values of terms learned by assuming conditions.
    pub fn facts(&self) -> &Values {
        &self.facts
    }

    /// Checks whether the environment represents no concrete state.
    pub fn is_empty(&self) -> bool {
        self.empty
    }

    pub(super) fn fact(&self, term: TermId) -> Option<&AbstractValue> {
        self.facts.get(&term).or_else(|| self.base.get(&term))
    }

    /// Evaluates the term; an array to the value of its cells. `None` if it is not a number.
    pub fn value(&mut self, term: TermId) -> Option<AbstractValue> {
        let mut stack = vec![term];
        let mut left = self.terms;
        while let Some(&top) = stack.last() {
            if self.known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let value = match self.pool.kind(top) {
                TermKind::Constant(constant) => AbstractValue::constant(constant),
                TermKind::Variable { .. } => self.leaf(top),
                TermKind::Apply { op, arguments } => {
                    let before = stack.len();
                    if Universe::of(self.pool.sort(top)).is_some() {
                        let open = arguments.iter().copied();
                        stack.extend(open.filter(|part| !self.known.contains_key(part)));
                    }
                    if stack.len() == before {
                        self.apply(top, op, arguments)
                    } else if left > 0 {
                        left -= 1;
                        continue;
                    } else {
                        stack.truncate(before);
                        self.is_cut_off = true;
                        self.leaf(top)
                    }
                }
            };
            self.set_known(top, value);
            stack.pop();
        }
        self.known[&term].clone()
    }

    /// Whether a case distinction is open.
    fn is_forked(&self) -> bool {
        self.forks < MAXIMUM_FORK_DEPTH
    }

    pub(super) fn set_known(&mut self, term: TermId, value: Option<AbstractValue>) {
        let before = self.known.insert(term, value);
        if self.is_forked() {
            self.trail.push(Change::Known(term, before));
        }
    }

    pub(super) fn set_fact(&mut self, term: TermId, value: AbstractValue) {
        let before = self.facts.insert(term, value);
        if self.is_forked() {
            self.trail.push(Change::Fact(term, before));
        }
    }

    /// Returns a mark for [`Self::undo`].
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Takes back all changes since the mark, and returns the facts that were changed.
    pub(super) fn undo(&mut self, mark: usize) -> Values {
        let mut changed = Values::default();
        for change in self.trail.drain(mark..).rev() {
            match change {
                Change::Known(term, Some(before)) => {
                    self.known.insert(term, before);
                }
                Change::Known(term, None) => {
                    self.known.remove(&term);
                }
                Change::Fact(term, before) => {
                    let after = match before {
                        Some(before) => self.facts.insert(term, before),
                        None => self.facts.remove(&term),
                    };
                    // The latest change comes first.
                    if let Some(after) = after {
                        changed.entry(term).or_insert(after);
                    }
                }
            }
        }
        changed
    }

    fn leaf(&self, term: TermId) -> Option<AbstractValue> {
        let universe = Universe::of(self.pool.sort(term))?;
        let fact = self.fact(term).cloned();
        Some(fact.unwrap_or_else(|| AbstractValue::top(universe)))
    }

    fn apply(&self, term: TermId, op: Op, arguments: &[TermId]) -> Option<AbstractValue> {
        let sort = self.pool.sort(term);
        let universe = Universe::of(sort)?;
        let is_array = |part: &TermId| matches!(self.pool.sort(*part), Sort::Array { .. });
        let of = |part: TermId| self.known.get(&part).and_then(Option::as_ref);
        let mut value = match (op, arguments) {
            (Op::Store, &[array, _, element]) => match (of(array), of(element)) {
                (Some(array), Some(element)) => array.join(element),
                _ => AbstractValue::top(universe),
            },
            (Op::Select, &[array, _]) => of(array).cloned()?,
            (Op::ConstArray, &[element]) => of(element).cloned()?,
            // Arrays whose cells are in the same set need not be equal.
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
                && let Some(negated) = self.fact(negated(self.pool, sort, term))
            {
                value = value.meet(&super::transfer::negation(negated));
            }
        }
        if let Some(fact) = self.fact(term) {
            value = value.meet(fact);
        }
        Some(value)
    }

    /// Decides the comparison by the value of the difference of its operands.
    fn compared_by_difference(&self, op: Op, arguments: &[TermId]) -> Option<bool> {
        let &[a, b] = arguments else {
            return None;
        };
        let view = View::of(op)?;
        let is_constant = |term| self.pool.is_constant(term);
        if is_constant(a) || is_constant(b) {
            return None;
        }
        let (part, offset) = self.difference_of(a, b)?;
        let known = match self.fact(part) {
            Some(known) => known.clone(),
            None if !is_sum(self.pool, part) => return None,
            None => {
                let sort = self.pool.sort(part);
                super::transfer::negation(self.fact(negated(self.pool, sort, part))?)
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

    /// Returns a - b as a term plus a constant; `None` if it is constant.
    pub(super) fn difference_of(&self, a: TermId, b: TermId) -> Option<(TermId, AbstractValue)> {
        let sort = self.pool.sort(a);
        let universe = Universe::of(sort)?;
        let term = match sort {
            Sort::BitVec(_) => self.pool.sub(a, b),
            Sort::Int => self.pool.int_sub(a, b),
            _ => return None,
        };
        match self.pool.kind(term) {
            TermKind::Constant(_) => None,
            TermKind::Apply {
                op: Op::BvAdd | Op::IntAdd,
                arguments: &[part, last],
            } if let Some(constant) = self.pool.constant(last) => {
                Some((part, AbstractValue::constant(constant)?))
            }
            _ => Some((term, AbstractValue::point(universe, 0))),
        }
    }
}

fn is_sum<P: Pool>(pool: &P, term: TermId) -> bool {
    let kind = pool.kind(term);
    matches!(
        kind,
        TermKind::Apply {
            op: Op::BvAdd | Op::IntAdd,
            ..
        }
    )
}

/// -term, for a sum in the normal form of sums.
fn negated<P: Pool>(pool: &P, sort: Sort, term: TermId) -> TermId {
    match (sort, pool.kind(term)) {
        (
            Sort::BitVec(_),
            TermKind::Apply {
                arguments: &[a, b], ..
            },
        ) => pool.add(pool.neg(a), pool.neg(b)),
        (
            Sort::Int,
            TermKind::Apply {
                arguments: &[a, b], ..
            },
        ) => pool.int_add(pool.int_neg(a), pool.int_neg(b)),
        _ => term,
    }
}
