//! Values of terms during a walk: constants are propagated, and a value that is one of few constants is known by cases.
//!
//! A value that is one of few constants has a list of *cases*: the constants, each with its condition, exactly one of which
//! holds on the path of the value. An operator is applied to each case, so that an index, a pointer or a counter that
//! depends on inputs only through the path remains a list of constants, and a condition on it becomes one on paths. The
//! list is represented by a chain of if-then-else terms; a side table maps the term to its cases.
//!
//! The address of an object may be a variable. A pointer is then that address plus an *offset*, and the offset is known by
//! cases.
//!
//! A value that is one of a few inputs, or of cells of initial arrays, has a list of these *atoms* with their conditions.
//! It serves comparisons: which of two keys of a tree or a list is less is then expressed by comparisons of inputs, which
//! are the same term wherever they occur.
//!
//! For other terms, the set of numbers that [`regatta_term::domain`] computes decides conditions, and turns remainders of
//! dividends below twice the divisor into differences.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::limits::{
    MAXIMUM_ATOM_PAIRS, MAXIMUM_ATOMS, MAXIMUM_CASE_PAIRS, MAXIMUM_CASES,
    MAXIMUM_CONDITIONS_FOR_RANGE, MAXIMUM_NESTED_CHOICES, MAXIMUM_SPLIT_NUMBERS,
    MAXIMUM_SPLIT_POINTERS,
};
use super::path::Path;
use regatta_term::domain::{AbstractValue, Environment, Values};
use regatta_term::{Arena, Build, Constant, Op, Pool, Sort, TermId, extended_sum};

/// A constant and the condition under which it is the value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub value: TermId,
    pub condition: TermId,
}

/// The terms of a walk, with what is known of their values.
pub struct Terms<'a> {
    pub arena: &'a Arena,
    /// The path on which terms are evaluated.
    pub path: Path,
    /// Whether paths are walked separately, so that choices in indices split the path.
    by_path: bool,
    base: &'a Values,
    /// The numbers of offsets on paths, by offset and path condition.
    on_paths: FxHashMap<(TermId, TermId), Rc<[i128]>>,
    /// The condition of a choice in an index that the path leaves open: the evaluation is to be repeated on the two paths that
    /// decide it.
    pub split: Option<TermId>,
    ranges: Environment<'a, Arena>,
    cases: FxHashMap<TermId, Rc<[Case]>>,
    /// The atoms (inputs, cells or constants) of values, each with its condition.
    atoms: FxHashMap<TermId, Rc<[Case]>>,
    /// The non-constant addresses of objects, with the objects' sizes.
    pub objects: FxHashMap<TermId, u64>,
    /// The addresses of the objects that are known by their indices in larger elements, by these indices.
    pub addresses: FxHashMap<TermId, TermId>,
    /// The numbers of bits by which addresses are shifted to give indices of regions with larger elements.
    pub shifts: Vec<u8>,
    /// Pairs of addresses whose objects are known to be disjoint.
    pub apart: FxHashSet<(TermId, TermId)>,
    /// Sums of an object's address and an offset that is known by cases.
    sums: FxHashMap<TermId, (TermId, TermId)>,
}

impl<'a> Terms<'a> {
    /// Creates it without knowledge about variables; `base` is empty.
    pub fn new(arena: &'a Arena, base: &'a Values, by_path: bool) -> Self {
        Self {
            arena,
            path: Path::default(),
            by_path,
            base,
            on_paths: FxHashMap::default(),
            split: None,
            ranges: Environment::new(arena, base, false),
            cases: FxHashMap::default(),
            atoms: FxHashMap::default(),
            objects: FxHashMap::default(),
            addresses: FxHashMap::default(),
            shifts: Vec::new(),
            apart: FxHashSet::default(),
            sums: FxHashMap::default(),
        }
    }

    /// Assumes the condition on all paths from here on.
    pub fn assume(&mut self, condition: TermId) {
        self.ranges.assume(condition);
    }

    /// Returns the numbers that the term can be.
    pub fn range(&mut self, term: TermId) -> Option<AbstractValue> {
        // After a contradiction all values would be possible.
        if self.ranges.is_empty() {
            return None;
        }
        self.ranges.value(term)
    }

    /// Returns the cases of a value that is known by cases; a constant has itself as its only case.
    pub fn cases(&self, term: TermId) -> Option<Rc<[Case]>> {
        if self.arena.is_constant(term) {
            let condition = TermId::TRUE;
            let value = term;
            return Some(Rc::new([Case { value, condition }]));
        }
        self.cases.get(&term).cloned()
    }

    /// Returns the if-then-else term, with cases if both branches have cases.
    pub fn ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        if then == otherwise || condition == TermId::TRUE {
            return then;
        }
        if condition == TermId::FALSE {
            return otherwise;
        }
        if self.arena.sort(then) != Sort::Bool
            && let (Some(a), Some(b)) = (self.cases(then), self.cases(otherwise))
            && let Some(all) = self.joined(condition, &a, &b)
        {
            return self.chain(all);
        }
        if let (Some((a, x)), Some((b, y))) = (self.pointer(then), self.pointer(otherwise))
            && a == b
        {
            let offset = self.ite(condition, x, y);
            return self.sum(a, offset);
        }
        let term = self.arena.ite(condition, then, otherwise);
        self.note_atoms(term, condition, then, otherwise);
        term
    }

    /// Returns the nested choice that is `first`, or the term of the last of `later` whose condition holds. Each condition
    /// implies those before it.
    pub fn ite_along(&mut self, first: TermId, later: &[(TermId, TermId)]) -> TermId {
        let Some(&(_, last)) = later.last() else {
            return first;
        };
        let befores = std::iter::once(first).chain(later.iter().map(|change| change.1));
        let changes: Vec<(TermId, TermId)> =
            later.iter().map(|change| change.0).zip(befores).collect();
        let changes = changes.into_iter().rev();
        changes.fold(last, |value, (beyond, before)| {
            self.ite(beyond, value, before)
        })
    }

    /// Simplifies the choices in the value that the path decides.
    pub fn on_path(&self, term: TermId) -> TermId {
        let mut term = term;
        for _ in 0..MAXIMUM_NESTED_CHOICES {
            // A term with cases must not lose them.
            if let Some(cases) = self.cases.get(&term) {
                return self.case_on_path(cases).unwrap_or(term);
            }
            let Some(&[condition, then, otherwise]) = self.arena.arguments(Op::Ite, term) else {
                break;
            };
            term = match self.path.truth(self.arena, condition) {
                Some(true) => then,
                Some(false) => otherwise,
                None => break,
            };
        }
        term
    }

    /// Returns the only case that the path admits, if that is found.
    fn case_on_path(&self, cases: &[Case]) -> Option<TermId> {
        if !self.by_path {
            return None;
        }
        let mut left = None;
        for case in cases {
            match (self.path.truth(self.arena, case.condition), left) {
                (Some(true), _) => return Some(case.value),
                (Some(false), _) => {}
                (None, None) => left = Some(case.value),
                (None, Some(_)) => return None,
            }
        }
        left
    }

    /// Simplifies the index by the path. If paths are walked separately, the first choice that the path leaves open is
    /// requested as a split.
    pub fn index_on_path(&mut self, index: TermId) -> TermId {
        if !self.by_path {
            return index;
        }
        let index = self.on_path(index);
        if let Some(&(address, offset)) = self.sums.get(&index) {
            let offset = self.index_on_path(offset);
            return self.sum(address, offset);
        }
        let open = match self.cases.get(&index) {
            Some(cases) => {
                let mut cases = cases.iter().map(|case| case.condition);
                cases.find(|&condition| self.path.truth(self.arena, condition).is_none())
            }
            None => self.choice_of_places(index, &mut { MAXIMUM_SPLIT_POINTERS }),
        };
        if let Some(condition) = open {
            self.split.get_or_insert(condition);
        } else if let Some(arguments) = self.arena.arguments(Op::BvAdd, index) {
            let is_offset = arguments.iter().any(|one| self.objects.contains_key(one));
            let settled = arguments.iter().map(|&one| match self.index_on_path(one) {
                part if is_offset && !self.objects.contains_key(&part) => self.offset_on_path(part),
                part => part,
            });
            let settled: Vec<TermId> = settled.collect();
            if settled != arguments {
                return self.apply(Op::BvAdd, self.arena.sort(index), &settled);
            }
        }
        self.only_number_on_path(index).unwrap_or(index)
    }

    /// Returns the constant that the path's latest conditions leave as the only value of the index.
    fn only_number_on_path(&mut self, index: TermId) -> Option<TermId> {
        if self.arena.is_constant(index) || self.split.is_some() || self.pointer(index).is_some() {
            return None;
        }
        match *self.numbers_on_path(index) {
            [number] => self.number(self.arena.sort(index), number),
            _ => None,
        }
    }

    /// Returns the number that the offset, one of few numbers, has on the path; if the path leaves it open, a split by one of
    /// the numbers is requested.
    fn offset_on_path(&mut self, offset: TermId) -> TermId {
        if self.arena.is_constant(offset) {
            return offset;
        }
        let sort = self.arena.sort(offset);
        let mut open = None;
        for &number in self.numbers_on_path(offset).iter() {
            let Some(number) = self.number(sort, number) else {
                return offset;
            };
            let is_this = self.arena.eq(offset, number);
            match self.path.truth(self.arena, is_this) {
                Some(true) => return number,
                Some(false) => {}
                None => open = open.or(Some(is_this)),
            }
        }
        self.split = self.split.or(open);
        offset
    }

    /// Returns the numbers that the offset can be by the latest conditions of the path, if they are few.
    fn numbers_on_path(&mut self, offset: TermId) -> Rc<[i128]> {
        let key = (offset, self.path.all());
        if let Some(known) = self.on_paths.get(&key) {
            return Rc::clone(known);
        }
        let mut ranges = Environment::new(self.arena, self.base, false);
        for condition in self.path.latest(MAXIMUM_CONDITIONS_FOR_RANGE) {
            ranges.assume(condition);
        }
        let value = match ranges.is_empty() {
            true => None,
            false => ranges.value(offset),
        };
        let numbers = value.and_then(|value| numbers(&value, MAXIMUM_SPLIT_NUMBERS));
        let numbers: Rc<[i128]> = numbers.unwrap_or_default().into();
        self.on_paths.insert(key, Rc::clone(&numbers));
        numbers
    }

    /// Returns the condition of a choice among at most `most` constants and pointers into objects.
    fn choice_of_places(&self, index: TermId, most: &mut usize) -> Option<TermId> {
        let Some(&[condition, then, otherwise]) = self.arena.arguments(Op::Ite, index) else {
            return None;
        };
        let mut is_place = |one| {
            *most = most.saturating_sub(1);
            let is_known = self.arena.is_constant(one)
                || self.cases.contains_key(&one)
                || self.pointer(one).is_some();
            *most > 0 && (is_known || self.choice_of_places(one, most).is_some())
        };
        (is_place(then) && is_place(otherwise)).then_some(condition)
    }

    /// Records the atoms of a choice.
    fn note_atoms(&mut self, term: TermId, condition: TermId, then: TermId, otherwise: TermId) {
        let is_number = matches!(self.arena.sort(term), Sort::BitVec(_) | Sort::Int);
        if !is_number || self.arena.is_constant(term) || self.atoms.contains_key(&term) {
            return;
        }
        if let (Some(a), Some(b)) = (self.atoms_of(then), self.atoms_of(otherwise))
            && let Some(all) = self.joined(condition, &a, &b)
            && (2..=MAXIMUM_ATOMS).contains(&all.len())
        {
            self.atoms.insert(term, all.into());
        }
    }

    /// Returns the atoms that the term is one of, sorted by their numbers.
    fn atoms_of(&self, term: TermId) -> Option<Rc<[Case]>> {
        if let Some(known) = self.atoms.get(&term).or_else(|| self.cases.get(&term)) {
            return Some(Rc::clone(known));
        }
        let is_atom = match self.arena.as_application(term) {
            Some((Op::Select, &[array, index])) => {
                self.arena.as_variable(array).is_some() && self.arena.is_constant(index)
            }
            Some(_) => false,
            None => true,
        };
        let condition = TermId::TRUE;
        let value = term;
        is_atom.then(|| Rc::from([Case { value, condition }]))
    }

    /// Expands a comparison of values with atoms to comparisons of the atoms.
    fn compared(&mut self, op: Op, arguments: &[TermId]) -> Option<TermId> {
        let &[a, b] = arguments else {
            return None;
        };
        let is_comparison = matches!(op, Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle);
        if !is_comparison || !(self.atoms.contains_key(&a) || self.atoms.contains_key(&b)) {
            return None;
        }
        let (left, right) = (self.atoms_of(a)?, self.atoms_of(b)?);
        if left.len() * right.len() > MAXIMUM_ATOM_PAIRS {
            return None;
        }
        let arena = self.arena;
        let mut ways = Vec::new();
        for one in left.iter() {
            for other in right.iter() {
                let both = arena.and2(one.condition, other.condition);
                let holds = arena.apply(op, Sort::Bool, &[one.value, other.value]);
                ways.push(arena.and2(both, holds));
            }
        }
        Some(arena.or(ways))
    }

    /// Splits the term into an object's address and an offset, if it is such a sum.
    pub fn pointer(&self, term: TermId) -> Option<(TermId, TermId)> {
        if self.objects.is_empty() {
            return None;
        }
        if let Some(&known) = self.sums.get(&term) {
            return Some(known);
        }
        let Sort::BitVec(width) = self.arena.sort(term) else {
            return None;
        };
        if self.objects.contains_key(&term) {
            return Some((term, self.arena.bv(width, 0)));
        }
        let &[address, offset] = self.arena.arguments(Op::BvAdd, term)? else {
            return None;
        };
        let is_one = self.objects.contains_key(&address) && self.arena.is_constant(offset);
        is_one.then_some((address, offset))
    }

    /// Adds an object of `size` bytes. Returns its new indices: its address, and its address in elements where it is aligned.
    pub fn add_object(&mut self, address: TermId, size: u64) -> Vec<TermId> {
        let arena = self.arena;
        let Sort::BitVec(width) = arena.sort(address) else {
            return Vec::new();
        };
        let mut new = Vec::new();
        for shift in std::iter::once(0).chain(self.shifts.clone()) {
            let is_aligned =
                shift == 0 || arena.extract(address, shift - 1, 0) == arena.bv(shift, 0);
            let index = arena.extract(address, width - 1, shift);
            if is_aligned
                && !arena.is_constant(index)
                && self
                    .objects
                    .insert(index, size.div_ceil(1 << shift))
                    .is_none()
            {
                if shift > 0 {
                    self.addresses.insert(index, address);
                }
                new.push(index);
            }
        }
        new
    }

    /// Returns the element index of a pointer: the shifted address of its object plus the shifted offset.
    fn shifted(&mut self, op: Op, sort: Sort, arguments: &[TermId]) -> Option<TermId> {
        let (
            Op::Extract {
                high,
                low: low @ 1..,
            },
            &[pointer],
        ) = (op, arguments)
        else {
            return None;
        };
        let (address, offset) = self.pointer(pointer)?;
        let index = self.arena.extract(address, high, low);
        // There is no carry from lower bits.
        if !self.objects.contains_key(&index) || high + 1 != self.arena.width(address) {
            return None;
        }
        let offset = self.apply(op, sort, &[offset]);
        Some(self.sum(index, offset))
    }

    /// Checks whether the objects are known to be disjoint. Indices of aligned objects are disjoint if their addresses are.
    pub fn are_apart(&self, one: TermId, other: TermId) -> bool {
        let is_known = |a: TermId, b: TermId| self.apart.contains(&(a.min(b), a.max(b)));
        let addresses = (self.addresses.get(&one), self.addresses.get(&other));
        is_known(one, other) || matches!(addresses, (Some(&a), Some(&b)) if is_known(a, b))
    }

    fn sum(&mut self, address: TermId, offset: TermId) -> TermId {
        let term = self.arena.add(address, offset);
        if !self.arena.is_constant(offset) && self.cases.contains_key(&offset) {
            self.sums.insert(term, (address, offset));
        }
        term
    }

    /// Applies an operator to pointers.
    fn of_pointers(&mut self, op: Op, arguments: &[TermId]) -> Option<TermId> {
        let &[a, b] = arguments else {
            return None;
        };
        let of = |terms: &Self, term| match terms.pointer(term) {
            Some((address, offset)) => Some((Some(address), offset)),
            None => terms.cases(term).map(|_| (None, term)),
        };
        let ((one, x), (other, y)) = (of(self, a)?, of(self, b)?);
        let sort = self.arena.sort(x);
        match (op, one, other) {
            (Op::BvAdd, Some(address), None) | (Op::BvAdd, None, Some(address)) => {
                let offset = self.apply(Op::BvAdd, sort, &[x, y]);
                Some(self.sum(address, offset))
            }
            (Op::Eq, Some(one), Some(other)) if one == other => {
                Some(self.apply(Op::Eq, Sort::Bool, &[x, y]))
            }
            (Op::BvUlt | Op::BvUle, Some(one), Some(other)) if one == other => {
                // Without wrap-around the offsets decide.
                let (low, high) = self.range(one)?.intervals.hull()?;
                let Sort::BitVec(width @ 1..=64) = sort else {
                    return None;
                };
                for offset in [x, y] {
                    let (least, most) = self.range(offset)?.intervals.signed_hull()?;
                    if low + least < 0 || high + most >= 1i128 << width {
                        return None;
                    }
                }
                let op = match op {
                    Op::BvUlt => Op::BvSlt,
                    _ => Op::BvSle,
                };
                Some(self.apply(op, Sort::Bool, &[x, y]))
            }
            _ => None,
        }
    }

    /// Joins the cases of the two branches of a choice, unless there are too many.
    fn joined(&self, condition: TermId, a: &[Case], b: &[Case]) -> Option<Vec<Case>> {
        let arena = self.arena;
        let not = arena.not(condition);
        let mut all = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            let from_a = a.get(i).filter(|a| j >= b.len() || a.value <= b[j].value);
            let from_b = b.get(j).filter(|b| i >= a.len() || b.value <= a[i].value);
            let (value, condition) = match (from_a, from_b) {
                (Some(a), Some(b)) if a.condition == b.condition => (a.value, a.condition),
                (Some(a), Some(b)) => {
                    let (a, b) = (a, b);
                    let one = arena.and2(condition, a.condition);
                    (a.value, arena.or2(one, arena.and2(not, b.condition)))
                }
                (Some(a), None) => (a.value, arena.and2(condition, a.condition)),
                (None, Some(b)) => (b.value, arena.and2(not, b.condition)),
                (None, None) => break,
            };
            i += usize::from(from_a.is_some());
            j += usize::from(from_b.is_some());
            if condition != TermId::FALSE {
                all.push(Case { value, condition });
            }
        }
        (all.len() <= MAXIMUM_CASES).then_some(all)
    }

    /// Returns the term of the cases, exactly one of which holds.
    fn chain(&mut self, mut cases: Vec<Case>) -> TermId {
        let Some(last) = cases.pop() else {
            return TermId::FALSE;
        };
        let earlier = cases.iter().rev();
        let term = earlier.fold(last.value, |otherwise, case| {
            self.arena.ite(case.condition, case.value, otherwise)
        });
        if !self.arena.is_constant(term) {
            cases.push(last);
            self.cases.insert(term, cases.into());
        }
        term
    }

    /// Applies the operator to operands that are no arrays.
    pub fn apply(&mut self, op: Op, sort: Sort, arguments: &[TermId]) -> TermId {
        let plain = self.arena.apply(op, sort, arguments);
        let plain = extended_sum(self.arena, plain).unwrap_or(plain);
        if self.arena.is_constant(plain) || matches!(op, Op::And | Op::Or | Op::Not) {
            return plain;
        }
        if let Some(by_cases) = self.apply_by_cases(op, sort, arguments) {
            return by_cases;
        }
        if !self.objects.is_empty()
            && let Some(pointer) = self
                .of_pointers(op, arguments)
                .or_else(|| self.shifted(op, sort, arguments))
        {
            return pointer;
        }
        if sort == Sort::Bool
            && let Some(comparison) = self.compared(op, arguments)
        {
            return comparison;
        }
        let known = match sort {
            Sort::Bool => self.range(plain).and_then(|value| value.as_truth()),
            _ => None,
        };
        match known {
            Some(truth) => TermId::from_bool(truth),
            None => self.reduced(op, arguments).unwrap_or(plain),
        }
    }

    fn apply_by_cases(&mut self, op: Op, sort: Sort, arguments: &[TermId]) -> Option<TermId> {
        let open = (0..arguments.len()).filter(|&place| !self.arena.is_constant(arguments[place]));
        let open: Vec<usize> = open.collect();
        let lists: Option<Vec<Rc<[Case]>>> = open
            .iter()
            .map(|&place| self.cases(arguments[place]))
            .collect();
        let lists = lists?;
        let pairs: usize = lists.iter().map(|list| list.len()).product();
        if lists.is_empty() || lists.len() > 2 || pairs > MAXIMUM_CASE_PAIRS {
            return None;
        }
        let mut results: Vec<Case> = Vec::new();
        let mut given = arguments.to_vec();
        for first in lists[0].iter() {
            given[open[0]] = first.value;
            let others = lists.get(1).map_or(&[][..], |list| list);
            if others.is_empty() {
                let value = self.arena.apply(op, sort, &given);
                self.add_case(&mut results, value, first.condition);
            }
            for second in others {
                given[open[1]] = second.value;
                let value = self.arena.apply(op, sort, &given);
                let condition = self.arena.and2(first.condition, second.condition);
                self.add_case(&mut results, value, condition);
            }
        }
        if results
            .iter()
            .any(|case| !self.arena.is_constant(case.value))
        {
            return None;
        }
        results.sort_unstable_by_key(|case| case.value);
        if sort == Sort::Bool {
            let holds = |value| {
                let mut found = results.iter().filter(|case| case.value == value);
                found.next().map_or(TermId::FALSE, |case| case.condition)
            };
            return Some(match (holds(TermId::TRUE), holds(TermId::FALSE)) {
                (_, TermId::FALSE) => TermId::TRUE,
                (condition, _) => condition,
            });
        }
        (results.len() <= MAXIMUM_CASES).then(|| self.chain(results))
    }

    fn add_case(&self, cases: &mut Vec<Case>, value: TermId, condition: TermId) {
        if condition == TermId::FALSE {
            return;
        }
        match cases.iter_mut().find(|case| case.value == value) {
            Some(case) => case.condition = self.arena.or2(case.condition, condition),
            None => cases.push(Case { value, condition }),
        }
    }

    /// Simplifies a quotient or remainder whose dividend is less than twice the divisor.
    fn reduced(&mut self, op: Op, arguments: &[TermId]) -> Option<TermId> {
        let (is_quotient, is_signed) = match op {
            Op::BvUdiv => (true, false),
            Op::BvUrem => (false, false),
            Op::BvSdiv => (true, true),
            Op::BvSrem => (false, true),
            _ => return None,
        };
        let arena = self.arena;
        let &[dividend, divisor] = arguments else {
            return None;
        };
        let Some(Constant::BitVec(by)) = arena.constant(divisor) else {
            return None;
        };
        let (width, by) = (by.width(), i128::try_from(by.bits()).ok()?);
        let greatest = self.range(dividend)?.intervals.hull()?.1;
        let sign = 1i128
            .checked_shl(u32::from(width) - 1)
            .filter(|&sign| sign > 0)?;
        if by == 0 || is_signed && (greatest >= sign || by >= sign) {
            return None;
        }
        if greatest < by {
            return Some(if is_quotient {
                arena.bv(width, 0)
            } else {
                dividend
            });
        }
        if greatest >= by.checked_mul(2)? {
            return None;
        }
        let less = arena.ult(dividend, divisor);
        Some(match is_quotient {
            true => arena.ite(less, arena.bv(width, 0), arena.bv(width, 1)),
            false => arena.ite(less, dividend, arena.sub(dividend, divisor)),
        })
    }

    /// Returns the numbers that an index can be, ascending, if they are at most `most`.
    pub fn numbers(&mut self, term: TermId, most: usize) -> Option<Vec<i128>> {
        numbers(&self.range(term)?, most)
    }

    /// Returns the number as a constant of the sort.
    pub fn number(&self, sort: Sort, number: i128) -> Option<TermId> {
        match sort {
            Sort::BitVec(width) => Some(self.arena.bv(width, number as u128)),
            Sort::Int => Some(self.arena.int_big(number.into())),
            _ => None,
        }
    }
}

/// Returns the numbers that the value can be, ascending, if they are at most `most`.
fn numbers(value: &AbstractValue, most: usize) -> Option<Vec<i128>> {
    let mut numbers = Vec::new();
    let step = value.congruence.modulus().max(1);
    for &(low, high) in value.intervals.spans() {
        let mut next = value.congruence.next(low)?;
        if (high - next) / step >= most as i128 {
            return None;
        }
        while next <= high {
            numbers.push(next);
            next += step;
        }
        if numbers.len() > most {
            return None;
        }
    }
    Some(numbers)
}
