//! Arrays with a value a cell.
//!
//! What was written at a constant index is a cell of its own, over a *base* that has the rest: an array of which
//! nothing is known, one with the same element everywhere, or what was written to at indices that could be anything. An index that is known
//! by cases reads and writes those cells. One that is in a small set of numbers reads by a tree of choices over the index's bits, as
//! deep as the set is large by its logarithm. Any other index is compared with each cell there is; where there are too many,
//! the cells become stores in the base and the read is left to the solver's theory of arrays.
//!
//! An index may be the address of an object, a variable, and an offset. Such cells of several objects stand side by side where these
//! are known to be apart, as long as offsets stay within the objects.

use smallvec::SmallVec;

use super::values::{Case, Terms};
use super::walk::changes;
use crate::program::persistent::PersistentMap;
use crate::term::{Build, Constant, Op, Pool, Sort, TermId};

/// Cells that a read chooses among, and that a write may change.
const READ: usize = 512;
const WRITTEN: usize = 64;

/// The contents of an array.
#[derive(Clone, Debug)]
pub struct Cells {
    /// An array-sorted term; a cell hides what it has at its index.
    base: TermId,
    /// Indices with elements, by the index's number.
    cells: PersistentMap<(TermId, TermId)>,
    /// The objects that the indices of cells are in: their addresses, or [`CONSTANT`].
    objects: SmallVec<[TermId; 4]>,
    /// Whether all cells are within these objects.
    is_inside: bool,
}

/// In the place of an object's address where the index is a constant.
const CONSTANT: TermId = TermId::FALSE;

/// Whether both are the same cells; others may have the same contents. A write is not to look at all of them.
impl PartialEq for Cells {
    fn eq(&self, other: &Self) -> bool {
        self.base == other.base
            && self.cells.same(&other.cells)
            && self.is_inside == other.is_inside
            && self.objects == other.objects
    }
}

impl Cells {
    /// The array that the term is.
    pub fn new(base: TermId) -> Self {
        Self {
            base,
            cells: PersistentMap::new(),
            objects: SmallVec::new(),
            is_inside: true,
        }
    }

    fn belongs(&mut self, object: TermId, is_inside: bool) {
        if !self.objects.contains(&object) {
            self.objects.push(object);
            self.objects.sort_unstable();
        }
        self.is_inside &= is_inside;
    }

    fn put(&mut self, index: TermId, element: TermId) {
        self.cells.insert(index.as_u32(), (index, element));
    }
}

/// Where an index leads.
struct Places {
    object: TermId,
    is_inside: bool,
    /// The indices, with their conditions.
    cases: Vec<Case>,
}

impl Terms<'_> {
    /// The element at the index.
    pub fn read(&mut self, array: &Cells, index: TermId) -> TermId {
        let index = self.settled(index);
        if let Some(places) = self.places(array, index) {
            let mut cases = places.cases.iter().rev();
            let Some(last) = cases.next() else {
                return self.arena.select(array.base, index);
            };
            let last = self.element(array, last.value);
            return cases.fold(last, |otherwise, case| {
                let element = self.element(array, case.value);
                self.ite(case.condition, element, otherwise)
            });
        }
        let sort = self.arena.sort(index);
        let is_plain = array.objects.iter().all(|&object| object == CONSTANT);
        if is_plain && let Some(numbers) = self.numbers(index, READ) {
            let mut elements = Vec::with_capacity(numbers.len());
            for number in numbers {
                let Some(constant) = self.number(sort, number) else {
                    break;
                };
                elements.push((number, self.element(array, constant)));
            }
            if !elements.is_empty() && matches!(sort, Sort::BitVec(_)) {
                return self.pick(index, &elements);
            }
        }
        let known = array.cells.iter().map(|(_, &cell)| cell);
        let known: Vec<(TermId, TermId)> = known.take(READ + 1).collect();
        if known.len() > READ {
            let array = self.array(array);
            return self.arena.select(array, index);
        }
        let base = self.arena.select(array.base, index);
        known.into_iter().fold(base, |otherwise, (own, element)| {
            let same = self.apply(Op::Eq, Sort::Bool, &[index, own]);
            self.ite(same, element, otherwise)
        })
    }

    /// The element of the cell with this index.
    fn element(&self, array: &Cells, index: TermId) -> TermId {
        match array.cells.get(index.as_u32()) {
            Some(&(_, element)) => element,
            None => self.arena.select(array.base, index),
        }
    }

    /// The cells that the index may be of, if they are told apart from all others by their indices.
    fn places(&self, array: &Cells, index: TermId) -> Option<Places> {
        let (object, offsets) = match self.cases(index) {
            Some(cases) => (CONSTANT, cases),
            None => {
                let (address, offset) = self.pointer(index)?;
                (address, self.cases(offset)?)
            }
        };
        let size = self.objects.get(&object).copied();
        let within = |case: &Case| match self.arena.constant(case.value) {
            Some(Constant::BitVec(offset)) => {
                size.is_some_and(|size| offset.bits() < u128::from(size))
            }
            _ => false,
        };
        let is_inside = object != CONSTANT && offsets.iter().all(within);
        let mut others = array.objects.iter().filter(|&&other| other != object);
        let is_told_apart = others.all(|&other| {
            let pair = (object.min(other), object.max(other));
            is_inside && array.is_inside && self.apart.contains(&pair)
        });
        let cases = offsets.iter().map(|case| Case {
            value: match object {
                CONSTANT => case.value,
                address => self.arena.add(address, case.value),
            },
            ..*case
        });
        is_told_apart.then(|| Places {
            object,
            is_inside,
            cases: cases.collect(),
        })
    }

    /// The element by the index's number, which is one of those.
    fn pick(&mut self, index: TermId, elements: &[(i128, TermId)]) -> TermId {
        let (Some(&(low, element)), Some(&(high, _))) = (elements.first(), elements.last()) else {
            return TermId::FALSE;
        };
        if elements.iter().all(|other| other.1 == element) {
            return element;
        }
        // The highest bit in which they differ: below it come those without it.
        let bit = 127 - (low ^ high).leading_zeros();
        let without = elements.partition_point(|&(number, _)| number >> bit & 1 == 0);
        let otherwise = self.pick(index, &elements[..without]);
        let then = self.pick(index, &elements[without..]);
        let has = self.arena.extract(index, bit as u8, bit as u8);
        let has = self.arena.eq(has, self.arena.bv(1, 1));
        self.ite(has, then, otherwise)
    }

    /// The array with the element at the index.
    pub fn write(&mut self, array: &Cells, index: TermId, element: TermId) -> Cells {
        let index = self.settled(index);
        let mut result = array.clone();
        if let Some(places) = self.places(array, index) {
            result.belongs(places.object, places.is_inside);
            for case in &places.cases {
                let before = self.element(array, case.value);
                let after = self.ite(case.condition, element, before);
                result.put(case.value, after);
            }
            return result;
        }
        let sort = self.arena.sort(index);
        let is_plain = array.objects.iter().all(|&object| object == CONSTANT);
        if is_plain
            && let Some(numbers) = self.numbers(index, WRITTEN)
            && let Some(constants) = numbers
                .iter()
                .map(|&number| self.number(sort, number))
                .collect::<Option<Vec<TermId>>>()
        {
            result.belongs(CONSTANT, false);
            for constant in constants {
                let same = self.apply(Op::Eq, Sort::Bool, &[index, constant]);
                let before = self.element(array, constant);
                let after = self.ite(same, element, before);
                result.put(constant, after);
            }
            return result;
        }
        let known = array.cells.iter().map(|(_, &cell)| cell);
        let known: Vec<(TermId, TermId)> = known.take(READ + 1).collect();
        if known.len() > READ {
            let array = self.array(array);
            return Cells::new(self.arena.store(array, index, element));
        }
        result.base = self.arena.store(array.base, index, element);
        for (own, before) in known {
            let same = self.apply(Op::Eq, Sort::Bool, &[index, own]);
            let after = self.ite(same, element, before);
            result.put(own, after);
        }
        result
    }

    /// The array as a term.
    pub fn array(&self, array: &Cells) -> TermId {
        let cells = array.cells.iter();
        cells.fold(array.base, |rest, (_, &(index, element))| {
            self.arena.store(rest, index, element)
        })
    }

    /// The choice of an array.
    pub fn choose(&mut self, condition: TermId, then: &Cells, otherwise: &Cells) -> Cells {
        let arena = self.arena;
        if !self.may_be_joined(then, otherwise) {
            let (a, b) = (self.array(then), self.array(otherwise));
            return Cells::new(arena.ite(condition, a, b));
        }
        let mut joined = then.clone();
        for &object in &otherwise.objects {
            joined.belongs(object, otherwise.is_inside);
        }
        let base = match then.base == otherwise.base {
            true => then.base,
            false => arena.ite(condition, then.base, otherwise.base),
        };
        let element = |from: &Cells, own: Option<&(TermId, TermId)>, index: TermId| match own {
            Some(&(_, element)) => element,
            None => arena.select(from.base, index),
        };
        let cells = then.cells.union(&otherwise.cells, &mut |_, a, b| {
            let index = a.or(b).map_or(TermId::FALSE, |cell| cell.0);
            let (a, b) = (element(then, a, index), element(otherwise, b, index));
            (index, self.ite(condition, a, b))
        });
        Cells {
            base,
            cells,
            ..joined
        }
    }

    /// The array that is the first one, and from where a condition holds another one; each condition holds only if those before
    /// it do. `None` if their cells are not told apart by their indices.
    pub fn choose_along(&mut self, first: &Cells, later: &[(TermId, Cells)]) -> Option<Cells> {
        let mut joined = first.clone();
        for (_, next) in later {
            if next.base != first.base || !self.may_be_joined(&joined, next) {
                return None;
            }
            for &object in &next.objects {
                joined.belongs(object, next.is_inside);
            }
        }
        let versions = [first]
            .into_iter()
            .chain(later.iter().map(|(_, next)| next));
        let versions: Vec<&PersistentMap<(TermId, TermId)>> =
            versions.map(|cells| &cells.cells).collect();
        if let Some(&last) = versions.last() {
            joined.cells = last.clone();
        }
        for (key, changes) in changes(&versions) {
            let cells = changes.later.iter().map(|(_, cell)| cell);
            let known = std::iter::once(&changes.first).chain(cells).flatten();
            let Some(index) = known.map(|cell| cell.0).next() else {
                continue;
            };
            let element = |cell: Option<(TermId, TermId)>| {
                cell.map_or_else(|| self.arena.select(first.base, index), |cell| cell.1)
            };
            let start = element(changes.first);
            let changes = changes.later.into_iter();
            let changes: Vec<(TermId, TermId)> = changes
                .map(|(place, cell)| (later[place].0, element(cell)))
                .collect();
            let element = self.ite_along(start, &changes);
            joined.cells.insert(key, (index, element));
        }
        Some(joined)
    }

    /// Whether the cells of both are told apart by their indices.
    fn may_be_joined(&self, one: &Cells, other: &Cells) -> bool {
        let is_one = one.objects == other.objects && one.is_inside == other.is_inside;
        is_one
            || one.objects.iter().all(|&a| {
                let mut others = other.objects.iter().filter(|&&b| b != a);
                others.all(|&b| {
                    let is_inside = one.is_inside && other.is_inside;
                    is_inside && self.apart.contains(&(a.min(b), a.max(b)))
                })
            })
    }
}
