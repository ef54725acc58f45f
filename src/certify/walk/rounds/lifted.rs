//! Operators lifted to values that are one of a few constants, for [`super`].
//!
//! Such a value is represented by its possible constants, each with the condition under which it is the value. So counters,
//! pointers and indices stay constant where paths join. The code is independent of what engines do for that purpose.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::paths::Paths;
use crate::walk::limits::{
    MAXIMUM_ALTERNATIVES, MAXIMUM_DECIDED_CHOICES, MAXIMUM_LEAF_PAIRS, MAXIMUM_LEAVES,
    MAXIMUM_NUMBER_RANGE, MAXIMUM_OFFSET_CONDITIONS, MAXIMUM_OFFSETS,
};
use regatta_term::domain::{AbstractValue, Environment, Values};
use regatta_term::{Arena, Build, Constant, Op, Pool, Sort, TermId, extended_sum};

/// Constants, each with the condition under which it is the value. Exactly one of the conditions holds on each path on
/// which the value is used.
pub(super) type Alternatives = Rc<Vec<(TermId, TermId)>>;

/// Builds terms with lifted operators.
pub(super) struct Lifted<'a> {
    arena: &'a Arena,
    known: FxHashMap<TermId, Alternatives>,
    /// Choices among a few leaves: variables, cells of variables and constants.
    leaves: FxHashMap<TermId, Alternatives>,
    /// Symbolic addresses of objects, and the element indices made of them, with the objects' sizes.
    pub objects: FxHashMap<TermId, u64>,
    /// For each such element index the address and the size in bytes.
    addresses: FxHashMap<TermId, (TermId, u64)>,
    /// The numbers of bits by which addresses are shifted to give indices of the program's regions.
    pub shifts: Vec<u8>,
    /// Sums of such an address and one of a few constants.
    sums: FxHashMap<TermId, (TermId, TermId)>,
    /// Pairs of objects that were assumed to be disjoint, each with the guards under which.
    pub obliged: FxHashMap<(TermId, TermId), FxHashSet<TermId>>,
    /// Proof obligations for that: conditions that have to be unsatisfiable.
    pub obligations: Vec<TermId>,
    /// The value analysis of terms; `None` if simplifications are recorded.
    numbers: Option<Environment<'a, Arena>>,
    /// The possible values of offsets under guards, if they are few.
    offsets: FxHashMap<(TermId, TermId), Rc<[i128]>>,
    /// Guards of states.
    pub paths: Paths,
    /// Whether paths are executed separately and split where an index is a choice.
    pub by_path: bool,
    nothing: &'a Values,
    /// The condition of an index's choice that is open on the path.
    pub open_choice: Option<TermId>,
}

impl<'a> Lifted<'a> {
    /// A builder over the arena. `merge`: paths are merged where they join, instead of being executed separately.
    pub fn new(arena: &'a Arena, nothing: &'a Values, merge: bool) -> Self {
        let numbers = (!arena.records()).then(|| Environment::new(arena, nothing, false));
        Self {
            arena,
            known: FxHashMap::default(),
            leaves: FxHashMap::default(),
            objects: FxHashMap::default(),
            addresses: FxHashMap::default(),
            shifts: Vec::new(),
            sums: FxHashMap::default(),
            obliged: FxHashMap::default(),
            obligations: Vec::new(),
            numbers,
            offsets: FxHashMap::default(),
            paths: Paths::default(),
            by_path: !merge,
            nothing,
            open_choice: None,
        }
    }

    /// Notes that the condition holds for all terms built from now on.
    pub(crate) fn note_certain(&mut self, condition: TermId) {
        if let Some(numbers) = &mut self.numbers {
            numbers.assume(condition);
            // Under contradictory conditions the analysis has no values.
            if numbers.is_empty() {
                self.numbers = None;
            }
        }
    }

    /// The alternatives of the value, if it is one of a few constants.
    pub fn alternatives(&self, value: TermId) -> Option<Alternatives> {
        match self.arena.is_constant(value) {
            true => Some(Rc::new(vec![(value, TermId::TRUE)])),
            false => self.known.get(&value).cloned(),
        }
    }

    /// `condition ? a : b`.
    pub fn choose(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        match condition {
            _ if a == b => return a,
            TermId::TRUE => return a,
            TermId::FALSE => return b,
            _ => {}
        }
        if self.arena.sort(a) != Sort::Bool
            && let (Some(left), Some(right)) = (self.alternatives(a), self.alternatives(b))
        {
            let not = self.arena.not(condition);
            let mut all = Vec::new();
            for (&(value, when), side) in left
                .iter()
                .map(|one| (one, condition))
                .chain(right.iter().map(|one| (one, not)))
            {
                self.add(&mut all, value, self.arena.and2(side, when));
            }
            // A constant with the same condition on both sides does not depend on the choice.
            for (value, when) in &mut all {
                let of = |list: &Alternatives| {
                    let found = list.iter().find(|one| one.0 == *value);
                    found.map(|one| one.1)
                };
                if let (Some(one), Some(other)) = (of(&left), of(&right))
                    && one == other
                {
                    *when = one;
                }
            }
            if let Some(value) = self.value_of(all) {
                return value;
            }
        }
        if let (Some((object, x)), Some((other, y))) = (self.within(a), self.within(b))
            && object == other
        {
            let offset = self.choose(condition, x, y);
            return self.add_offset(object, offset);
        }
        let chosen = self.arena.ite(condition, a, b);
        if !matches!(self.arena.sort(a), Sort::Bool | Sort::Array { .. })
            && let (Some(left), Some(right)) = (self.leaves(a), self.leaves(b))
        {
            let not = self.arena.not(condition);
            let sides = [(condition, left), (not, right)];
            let mut all = Vec::new();
            for (side, leaves) in &sides {
                for &(leaf, when) in leaves.iter() {
                    self.add(&mut all, leaf, self.arena.and2(*side, when));
                }
            }
            if all.len() <= MAXIMUM_LEAVES {
                self.leaves.insert(chosen, Rc::new(all));
            }
        }
        chosen
    }

    /// Guesses objects from assumptions that a number of bytes from an address on does not wrap around. The guess need not be
    /// right, since disjointness of objects becomes an obligation wherever it is used.
    pub(crate) fn note_assumed(&mut self, condition: TermId) {
        let parts = self.arena.arguments(Op::And, condition);
        for &part in parts.unwrap_or(std::slice::from_ref(&condition)) {
            let Some(&[start, end]) = self.arena.arguments(Op::BvUle, part) else {
                continue;
            };
            let size = match self.arena.arguments(Op::BvAdd, end) {
                Some(&[a, size]) | Some(&[size, a]) if a == start => self.arena.constant(size),
                _ => None,
            };
            if let Some(Constant::BitVec(size)) = size
                && let Ok(size) = u64::try_from(size.bits())
                && self.within(start).is_none()
            {
                self.note_size(start, size);
            }
        }
    }

    /// Notes a possible object of the size (bytes).
    pub(crate) fn note_size(&mut self, start: TermId, size: u64) {
        let Sort::BitVec(width) = self.arena.sort(start) else {
            return;
        };
        if self.arena.is_constant(start) || self.objects.contains_key(&start) {
            return;
        }
        self.objects.insert(start, size);
        for &shift in &self.shifts {
            if self.arena.extract(start, shift - 1, 0) == self.arena.bv(shift, 0) {
                let index = self.arena.extract(start, width - 1, shift);
                self.objects.insert(index, size.div_ceil(1 << shift));
                self.addresses.insert(index, (start, size));
            }
        }
    }

    /// The element index of a pointer into an object, as the object's index plus that of the offset.
    fn element_index(&mut self, op: Op, sort: Sort, operands: &[TermId]) -> Option<TermId> {
        let (Op::Extract { high, low: 1.. }, &[pointer]) = (op, operands) else {
            return None;
        };
        let (object, offset) = self.within(pointer)?;
        let index = self.arena.apply(op, sort, &[object]);
        let (address, _) = *self.addresses.get(&index)?;
        if address != object || high + 1 != self.arena.width(object) {
            return None;
        }
        let offset = self.apply(op, sort, &[offset]);
        Some(self.add_offset(index, offset))
    }

    /// Checks whether the guard contains the conditions that two objects are disjoint: that neither wraps around, and that
    /// one ends before the other begins.
    pub(crate) fn is_said_apart(&self, guard: TermId, one: TermId, other: TermId) -> bool {
        // Indices of aligned objects are disjoint if the addresses are.
        let bytes = |object: TermId| match self.addresses.get(&object) {
            Some(&known) => Some(known),
            None => Some((object, *self.objects.get(&object)?)),
        };
        let (Some((a, size)), Some((b, other_size))) = (bytes(one), bytes(other)) else {
            return false;
        };
        let arena = self.arena;
        let (Sort::BitVec(width), true) = (arena.sort(a), arena.sort(a) == arena.sort(b)) else {
            return false;
        };
        let end = |start, size: u64| arena.add(start, arena.bv(width, size.into()));
        let (a_end, b_end) = (end(a, size), end(b, other_size));
        let mut wanted = vec![
            arena.or2(arena.ule(a_end, b), arena.ule(b_end, a)),
            arena.ule(a, a_end),
            arena.ule(b, b_end),
        ];
        for beginning in self.paths.beginnings(guard) {
            if wanted.is_empty() {
                break;
            }
            if let Some((_, condition)) = self.paths.last(beginning) {
                let parts = arena.arguments(Op::And, condition);
                let parts = parts.unwrap_or(std::slice::from_ref(&condition));
                wanted.retain(|one| !parts.contains(one));
            }
        }
        wanted.is_empty()
    }

    /// Simplifies the value by the guard, which may decide between the sides of a choice.
    pub fn under(&self, guard: TermId, value: TermId) -> TermId {
        let mut value = value;
        if self.by_path
            && let Some(alternatives) = self.known.get(&value)
        {
            return self.alternative_under(guard, alternatives).unwrap_or(value);
        }
        for _ in 0..MAXIMUM_DECIDED_CHOICES {
            // Values with alternatives are kept, since these describe them better.
            let is_known = self.known.contains_key(&value);
            let Some(&[condition, a, b]) = self.arena.arguments(Op::Ite, value) else {
                break;
            };
            value = match self.paths.truth(self.arena, guard, condition) {
                Some(true) if !is_known => a,
                Some(false) if !is_known => b,
                _ => break,
            };
        }
        value
    }

    /// The constant that is the value under the guard, if the guard decides that.
    fn alternative_under(&self, guard: TermId, all: &Alternatives) -> Option<TermId> {
        let mut open = Vec::new();
        for &(constant, when) in all.iter() {
            match self.paths.truth(self.arena, guard, when) {
                Some(true) => return Some(constant),
                Some(false) => {}
                None => open.push(constant),
            }
        }
        match *open {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Simplifies the index by the guard. If paths are executed separately, notes the condition of a remaining choice.
    pub(crate) fn index_under(&mut self, guard: TermId, index: TermId) -> TermId {
        if !self.by_path {
            return index;
        }
        let index = self.under(guard, index);
        if let Some(&(object, offset)) = self.sums.get(&index) {
            let offset = self.index_under(guard, offset);
            return self.add_offset(object, offset);
        }
        let open = match self.known.get(&index) {
            Some(all) => {
                let mut conditions = all.iter().map(|one| one.1);
                conditions.find(|&when| self.paths.truth(self.arena, guard, when).is_none())
            }
            None => self.choice_of_cells(index, &mut { MAXIMUM_ALTERNATIVES }),
        };
        if open.is_some() {
            self.open_choice = self.open_choice.or(open);
            return index;
        }
        let Some(parts) = self.arena.arguments(Op::BvAdd, index) else {
            return self.only_number_under(guard, index).unwrap_or(index);
        };
        let parts = parts.to_vec();
        let in_object = parts.iter().any(|part| self.objects.contains_key(part));
        let under = parts.iter().map(|&part| {
            let part = self.index_under(guard, part);
            match in_object && !self.objects.contains_key(&part) {
                true => self.number_under(guard, part),
                false => part,
            }
        });
        let under: Vec<TermId> = under.collect();
        match under == parts {
            true => self.only_number_under(guard, index).unwrap_or(index),
            false => self.apply(Op::BvAdd, self.arena.sort(index), &under),
        }
    }

    /// The constant that the last conditions of the guard leave as the only value of the index.
    fn only_number_under(&mut self, guard: TermId, index: TermId) -> Option<TermId> {
        let is_settled = self.arena.is_constant(index) || self.within(index).is_some();
        let Sort::BitVec(width) = self.arena.sort(index) else {
            return None;
        };
        if is_settled || self.open_choice.is_some() {
            return None;
        }
        match self.offsets_under(guard, index)[..] {
            [number] => Some(self.arena.bv(width, number as u128)),
            _ => None,
        }
    }

    /// The constant value of the offset under the guard, if it is one of a few. If that is open, notes the condition that it
    /// is the first open one.
    fn number_under(&mut self, guard: TermId, offset: TermId) -> TermId {
        let Sort::BitVec(width) = self.arena.sort(offset) else {
            return offset;
        };
        if self.arena.is_constant(offset) {
            return offset;
        }
        for &number in self.offsets_under(guard, offset).iter() {
            let number = self.arena.bv(width, number as u128);
            let is_this = self.arena.eq(offset, number);
            match self.paths.truth(self.arena, guard, is_this) {
                Some(true) => return number,
                Some(false) => {}
                None => {
                    self.open_choice.get_or_insert(is_this);
                    break;
                }
            }
        }
        offset
    }

    /// The possible values of the offset under the last conditions of the guard, if they are few.
    fn offsets_under(&mut self, guard: TermId, offset: TermId) -> Rc<[i128]> {
        if let Some(known) = self.offsets.get(&(guard, offset)) {
            return Rc::clone(known);
        }
        let offsets: Rc<[i128]> = self.compute_offsets(guard, offset).into();
        self.offsets.insert((guard, offset), Rc::clone(&offsets));
        offsets
    }

    fn compute_offsets(&self, guard: TermId, offset: TermId) -> Vec<i128> {
        if self.numbers.is_none() {
            return Vec::new();
        }
        let mut numbers = Environment::new(self.arena, self.nothing, false);
        let beginnings = self.paths.beginnings(guard).take(MAXIMUM_OFFSET_CONDITIONS);
        for (_, condition) in beginnings.filter_map(|one| self.paths.last(one)) {
            numbers.assume(condition);
        }
        let value = match numbers.is_empty() {
            true => None,
            false => numbers.value(offset),
        };
        let numbers = value.and_then(|value| listed(&value));
        numbers
            .filter(|all| all.len() <= MAXIMUM_OFFSETS)
            .unwrap_or_default()
    }

    /// The condition of a choice whose sides are constants, pointers, or such choices, if it has at most `left` sides.
    fn choice_of_cells(&self, index: TermId, left: &mut usize) -> Option<TermId> {
        let Some(&[condition, a, b]) = self.arena.arguments(Op::Ite, index) else {
            return None;
        };
        for side in [a, b] {
            *left = left.checked_sub(1)?;
            let is_plain = self.alternatives(side).is_some() || self.within(side).is_some();
            if !is_plain {
                self.choice_of_cells(side, left)?;
            }
        }
        Some(condition)
    }

    /// The leaves that the value may be.
    fn leaves(&self, value: TermId) -> Option<Alternatives> {
        if let Some(known) = self.leaves.get(&value).or_else(|| self.known.get(&value)) {
            return Some(Rc::clone(known));
        }
        let is_leaf = match self.arena.as_application(value) {
            None => true,
            Some((op, arguments)) => {
                op == Op::Select
                    && self.arena.as_variable(arguments[0]).is_some()
                    && self.arena.is_constant(arguments[1])
            }
        };
        is_leaf.then(|| Rc::new(vec![(value, TermId::TRUE)]))
    }

    /// Splits a comparison of choices among leaves into comparisons of leaves.
    fn compare_leaves(&self, op: Op, operands: &[TermId]) -> Option<TermId> {
        let (Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle, &[a, b]) = (op, operands)
        else {
            return None;
        };
        if !self.leaves.contains_key(&a) && !self.leaves.contains_key(&b) {
            return None;
        }
        let (left, right) = (self.leaves(a)?, self.leaves(b)?);
        if left.len() * right.len() > MAXIMUM_LEAF_PAIRS {
            return None;
        }
        let mut cases = Vec::new();
        for &(one, when) in left.iter() {
            for &(other, also) in right.iter() {
                let holds = self.arena.apply(op, Sort::Bool, &[one, other]);
                cases.push(self.arena.and([when, also, holds]));
            }
        }
        Some(self.arena.or(cases))
    }

    /// Splits a pointer into an object's address and an offset.
    pub fn within(&self, pointer: TermId) -> Option<(TermId, TermId)> {
        let Sort::BitVec(width) = self.arena.sort(pointer) else {
            return None;
        };
        if self.objects.contains_key(&pointer) {
            return Some((pointer, self.arena.bv(width, 0)));
        }
        if let Some(&parts) = self.sums.get(&pointer) {
            return Some(parts);
        }
        match self.arena.arguments(Op::BvAdd, pointer)? {
            &[object, offset]
                if self.objects.contains_key(&object) && self.arena.is_constant(offset) =>
            {
                Some((object, offset))
            }
            _ => None,
        }
    }

    fn add_offset(&mut self, object: TermId, offset: TermId) -> TermId {
        let pointer = self.arena.add(object, offset);
        if self.known.contains_key(&offset) {
            self.sums.insert(pointer, (object, offset));
        }
        pointer
    }

    /// Applies an operator on pointers into one object to their offsets.
    fn offsets(&mut self, op: Op, operands: &[TermId]) -> Option<TermId> {
        let &[a, b] = operands else {
            return None;
        };
        let sort = self.arena.sort(a);
        match (op, self.within(a), self.within(b)) {
            (Op::BvAdd, Some((object, offset)), None) => {
                self.alternatives(b)?;
                let offset = self.apply(op, sort, &[offset, b]);
                Some(self.add_offset(object, offset))
            }
            (Op::BvAdd, None, Some((object, offset))) => {
                self.alternatives(a)?;
                let offset = self.apply(op, sort, &[offset, a]);
                Some(self.add_offset(object, offset))
            }
            (Op::Eq, Some((one, x)), Some((other, y))) if one == other => {
                Some(self.apply(Op::Eq, Sort::Bool, &[x, y]))
            }
            (Op::BvUlt | Op::BvUle, Some((one, x)), Some((other, y))) if one == other => {
                let Sort::BitVec(width @ 1..=64) = sort else {
                    return None;
                };
                let numbers = self.numbers.as_mut()?;
                let (lowest, highest) = numbers.value(one)?.intervals.hull()?;
                for offset in [x, y] {
                    let (least, most) = numbers.value(offset)?.intervals.signed_hull()?;
                    // Neither pointer wraps around.
                    if lowest + least < 0 || highest + most >= 1 << width {
                        return None;
                    }
                }
                let is_strict = op == Op::BvUlt;
                let signed = if is_strict { Op::BvSlt } else { Op::BvSle };
                Some(self.apply(signed, Sort::Bool, &[x, y]))
            }
            _ => None,
        }
    }

    fn add(&self, all: &mut Vec<(TermId, TermId)>, value: TermId, when: TermId) {
        if when == TermId::FALSE {
            return;
        }
        match all.iter_mut().find(|one| one.0 == value) {
            Some(one) => one.1 = self.arena.or2(one.1, when),
            None => all.push((value, when)),
        }
    }

    /// Makes a term of the alternatives, unless they are too many.
    fn value_of(&mut self, mut all: Vec<(TermId, TermId)>) -> Option<TermId> {
        if all.len() > MAXIMUM_ALTERNATIVES {
            return None;
        }
        all.sort_unstable();
        let (&(first, _), rest) = all.split_first()?;
        let value = rest.iter().fold(first, |value, &(other, when)| {
            self.arena.ite(when, other, value)
        });
        if !self.arena.is_constant(value) {
            self.known.insert(value, Rc::new(all));
        }
        Some(value)
    }

    /// Applies the operator to terms that are no arrays.
    pub fn apply(&mut self, op: Op, sort: Sort, operands: &[TermId]) -> TermId {
        let term = self.arena.apply(op, sort, operands);
        let term = match self.arena.records() {
            true => term,
            false => extended_sum(self.arena, term).unwrap_or(term),
        };
        if matches!(op, Op::And | Op::Or | Op::Not) || self.arena.is_constant(term) {
            return term;
        }
        if let Some(lifted) = self.lift(op, sort, operands) {
            return lifted;
        }
        if !self.objects.is_empty()
            && let Some(term) = self
                .offsets(op, operands)
                .or_else(|| self.element_index(op, sort, operands))
        {
            return term;
        }
        if let Some(term) = self.compare_leaves(op, operands) {
            return term;
        }
        if sort == Sort::Bool
            && let Some(numbers) = &mut self.numbers
            && let Some(truth) = numbers.value(term).and_then(|value| value.as_truth())
        {
            return TermId::from_bool(truth);
        }
        self.remainder(op, operands).unwrap_or(term)
    }

    fn lift(&mut self, op: Op, sort: Sort, operands: &[TermId]) -> Option<TermId> {
        // The combinations of operands so far, with their conditions.
        let mut rows = vec![(Vec::with_capacity(operands.len()), TermId::TRUE)];
        for &operand in operands {
            let alternatives = self.alternatives(operand)?;
            if rows.len() * alternatives.len() > MAXIMUM_ALTERNATIVES {
                return None;
            }
            let mut next = Vec::new();
            for (row, when) in &rows {
                for &(value, also) in alternatives.iter() {
                    let when = self.arena.and2(*when, also);
                    if when != TermId::FALSE {
                        let mut row: Vec<TermId> = row.clone();
                        row.push(value);
                        next.push((row, when));
                    }
                }
            }
            rows = next;
        }
        let mut all = Vec::new();
        for (row, when) in rows {
            let value = self.arena.apply(op, sort, &row);
            if !self.arena.is_constant(value) {
                return None;
            }
            self.add(&mut all, value, when);
        }
        if sort == Sort::Bool {
            let when = |truth| {
                let found = all.iter().find(|one| one.0 == TermId::from_bool(truth));
                found.map_or(TermId::FALSE, |one| one.1)
            };
            return Some(match when(false) {
                TermId::FALSE => TermId::TRUE,
                _ => when(true),
            });
        }
        self.value_of(all)
    }

    /// Simplifies `a % b` for a constant b if a < 2b.
    fn remainder(&mut self, op: Op, operands: &[TermId]) -> Option<TermId> {
        let (Op::BvUrem, &[a, b]) = (op, operands) else {
            return None;
        };
        let Some(Constant::BitVec(divisor)) = self.arena.constant(b) else {
            return None;
        };
        let divisor = i128::try_from(divisor.bits()).ok().filter(|&one| one > 0)?;
        let (_, most) = self.numbers.as_mut()?.value(a)?.intervals.hull()?;
        if most < divisor {
            return Some(a);
        }
        let arena = self.arena;
        (most - divisor < divisor).then(|| arena.ite(arena.ult(a, b), a, arena.sub(a, b)))
    }

    /// The possible values of an index, ascending, if they are few.
    pub fn numbers(&mut self, index: TermId) -> Option<Vec<i128>> {
        let value = self.numbers.as_mut()?.value(index)?;
        match self.arena.sort(index) {
            Sort::BitVec(_) => listed(&value),
            _ => None,
        }
    }
}

/// The numbers of an abstract value, ascending, if they are within a small range.
fn listed(value: &AbstractValue) -> Option<Vec<i128>> {
    let (low, high) = value.intervals.hull()?;
    let numbers = (low..=high).filter(|&one| value.contains(one));
    (high - low < MAXIMUM_NUMBER_RANGE).then(|| numbers.collect())
}
