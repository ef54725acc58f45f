//! Arrays with a value per cell.
//!
//! A write at a constant index creates a cell over a *base*, an array term for the rest: an unconstrained array, a constant
//! array, or stores at unknown indices. An index that is known by cases reads and writes the cells of its cases. An index
//! in a small set of numbers reads by a decision tree over the index's bits, whose depth is logarithmic in the size of the
//! set. Any other index is compared with each cell; if there are too many, the cells become stores in the base, and reads
//! are left to the solver's theory of arrays.
//!
//! An index may be the address of an object, a variable, plus an offset. Cells of several such objects are distinct where
//! the objects are known to be disjoint and the offsets stay within them.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::known_values::{Case, Terms};
use super::limits::{MAXIMUM_CASES, MAXIMUM_CELLS_READ, MAXIMUM_CELLS_WRITTEN};
use super::walk::changes;
use regatta_program::persistent::PersistentMap;
use regatta_term::{Build, Constant, Op, Pool, Sort, TermId, is_linear_table};

/// The contents of an array: cells over a base.
#[derive(Clone, Debug)]
pub struct Cells {
    /// An array-sorted term for all other indices.
    base: TermId,
    /// The index and element of each cell, by the number of the index term.
    cells: PersistentMap<(TermId, TermId)>,
    /// The objects that the indices of cells are in: their addresses, or [`CONSTANT_INDEX`].
    objects: SmallVec<[TermId; 4]>,
    /// Whether all cells are within these objects.
    is_inside: bool,
}

/// Represents constant indices among the addresses of objects.
const CONSTANT_INDEX: TermId = TermId::FALSE;

/// Checks whether both are the same cells, without a comparison of all elements; different cells may have equal contents.
impl PartialEq for Cells {
    fn eq(&self, other: &Self) -> bool {
        self.base == other.base
            && self.cells.same(&other.cells)
            && self.is_inside == other.is_inside
            && self.objects == other.objects
    }
}

impl Cells {
    /// Creates the array that is the term.
    pub fn new(base: TermId) -> Self {
        Self {
            base,
            cells: PersistentMap::new(),
            objects: SmallVec::new(),
            is_inside: true,
        }
    }

    fn add_object_of_cells(&mut self, object: TermId, is_inside: bool) {
        if !self.objects.contains(&object) {
            self.objects.push(object);
            self.objects.sort_unstable();
        }
        self.is_inside &= is_inside;
    }

    fn set_cell(&mut self, index: TermId, element: TermId) {
        self.cells.insert(index.as_u32(), (index, element));
    }
}

/// The cells that an index may refer to.
struct Places {
    object: TermId,
    is_inside: bool,
    /// The indices, with their conditions.
    cases: Vec<Case>,
}

impl Terms<'_> {
    /// Returns the element at the index.
    pub fn read(&mut self, array: &Cells, index: TermId) -> TermId {
        let index = self.index_on_path(index);
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
        let is_plain = array.objects.iter().all(|&object| object == CONSTANT_INDEX);
        if is_plain && let Some(numbers) = self.numbers(index, MAXIMUM_CELLS_READ) {
            let mut elements = Vec::with_capacity(numbers.len());
            for number in numbers {
                let Some(constant) = self.number(sort, number) else {
                    break;
                };
                elements.push((number, self.element(array, constant)));
            }
            if !elements.is_empty() && matches!(sort, Sort::BitVec(_)) {
                let is_table = self.is_table(&elements);
                return self.pick(index, &elements, is_table);
            }
        }
        let known = array.cells.iter().map(|(_, &cell)| cell);
        let known: Vec<(TermId, TermId)> = known.take(MAXIMUM_CELLS_READ + 1).collect();
        if known.len() > MAXIMUM_CELLS_READ {
            let array = self.array(array);
            return self.arena.select(array, index);
        }
        let base = self.arena.select(array.base, index);
        known.into_iter().fold(base, |otherwise, (own, element)| {
            let same = self.apply(Op::Eq, Sort::Bool, &[index, own]);
            self.ite(same, element, otherwise)
        })
    }

    fn element(&self, array: &Cells, index: TermId) -> TermId {
        match array.cells.get(index.as_u32()) {
            Some(&(_, element)) => element,
            None => self.arena.select(array.base, index),
        }
    }

    /// Returns the cells that the index may refer to, if their indices are distinct from those of all other cells.
    fn places(&self, array: &Cells, index: TermId) -> Option<Places> {
        let (object, offsets) = match self.cases(index) {
            Some(cases) => (CONSTANT_INDEX, cases),
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
        let is_inside = object != CONSTANT_INDEX && offsets.iter().all(within);
        let mut others = array.objects.iter().filter(|&&other| other != object);
        let is_told_apart =
            others.all(|&other| is_inside && array.is_inside && self.are_apart(object, other));
        let cases = offsets.iter().map(|case| Case {
            value: match object {
                CONSTANT_INDEX => case.value,
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

    /// Checks whether the elements, which are sorted by their indices, are the values of a function rather than a few choices. The
    /// cases of parts of the table are of no use then.
    fn is_table(&self, elements: &[(i128, TermId)]) -> bool {
        let values: Vec<TermId> = elements.iter().map(|element| element.1).collect();
        let are_all = (0..)
            .zip(elements)
            .all(|(number, element)| number == element.0);
        if are_all && is_linear_table(self.arena, &values) {
            return true;
        }
        let different: FxHashSet<TermId> = values.into_iter().collect();
        different.len() > MAXIMUM_CASES
    }

    /// Selects the element by the index's number, which is one of those given, by a decision tree. `is_table`: the cases of the
    /// result are not noted.
    fn pick(&mut self, index: TermId, elements: &[(i128, TermId)], is_table: bool) -> TermId {
        let (Some(&(low, element)), Some(&(high, _))) = (elements.first(), elements.last()) else {
            return TermId::FALSE;
        };
        if elements.iter().all(|other| other.1 == element) {
            return element;
        }
        // The highest bit in which the numbers differ: those without it come first.
        let bit = 127 - (low ^ high).leading_zeros();
        let without = elements.partition_point(|&(number, _)| number >> bit & 1 == 0);
        let otherwise = self.pick(index, &elements[..without], is_table);
        let then = self.pick(index, &elements[without..], is_table);
        let has = self.arena.extract(index, bit as u8, bit as u8);
        let has = self.arena.eq(has, self.arena.bv(1, 1));
        match is_table {
            true => self.arena.ite(has, then, otherwise),
            false => self.ite(has, then, otherwise),
        }
    }

    /// Returns the array with the element at the index.
    pub fn write(&mut self, array: &Cells, index: TermId, element: TermId) -> Cells {
        let index = self.index_on_path(index);
        let mut result = array.clone();
        if let Some(places) = self.places(array, index) {
            result.add_object_of_cells(places.object, places.is_inside);
            for case in &places.cases {
                let before = self.element(array, case.value);
                let after = self.ite(case.condition, element, before);
                result.set_cell(case.value, after);
            }
            return result;
        }
        let sort = self.arena.sort(index);
        let is_plain = array.objects.iter().all(|&object| object == CONSTANT_INDEX);
        if is_plain
            && let Some(numbers) = self.numbers(index, MAXIMUM_CELLS_WRITTEN)
            && let Some(constants) = numbers
                .iter()
                .map(|&number| self.number(sort, number))
                .collect::<Option<Vec<TermId>>>()
        {
            result.add_object_of_cells(CONSTANT_INDEX, false);
            for constant in constants {
                let same = self.apply(Op::Eq, Sort::Bool, &[index, constant]);
                let before = self.element(array, constant);
                let after = self.ite(same, element, before);
                result.set_cell(constant, after);
            }
            return result;
        }
        let known = array.cells.iter().map(|(_, &cell)| cell);
        let known: Vec<(TermId, TermId)> = known.take(MAXIMUM_CELLS_READ + 1).collect();
        if known.len() > MAXIMUM_CELLS_READ {
            let array = self.array(array);
            return Cells::new(self.arena.store(array, index, element));
        }
        result.base = self.arena.store(array.base, index, element);
        for (own, before) in known {
            let same = self.apply(Op::Eq, Sort::Bool, &[index, own]);
            let after = self.ite(same, element, before);
            result.set_cell(own, after);
        }
        result
    }

    /// Returns the array as a term.
    pub fn array(&self, array: &Cells) -> TermId {
        let cells = array.cells.iter();
        cells.fold(array.base, |rest, (_, &(index, element))| {
            self.arena.store(rest, index, element)
        })
    }

    /// Returns the choice between two arrays.
    pub fn choose(&mut self, condition: TermId, then: &Cells, otherwise: &Cells) -> Cells {
        let arena = self.arena;
        if !self.may_be_joined(then, otherwise) {
            let (a, b) = (self.array(then), self.array(otherwise));
            return Cells::new(arena.ite(condition, a, b));
        }
        let mut joined = then.clone();
        for &object in &otherwise.objects {
            joined.add_object_of_cells(object, otherwise.is_inside);
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

    /// Returns the nested choice that is `first`, or the array of the last of `later` whose condition holds. Each condition
    /// implies those before it. Returns `None` if the cells are not distinct by their indices.
    pub fn choose_along(&mut self, first: &Cells, later: &[(TermId, Cells)]) -> Option<Cells> {
        let mut joined = first.clone();
        for (_, next) in later {
            if next.base != first.base || !self.may_be_joined(&joined, next) {
                return None;
            }
            for &object in &next.objects {
                joined.add_object_of_cells(object, next.is_inside);
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

    /// Checks whether the cells of both arrays are distinct by their indices.
    fn may_be_joined(&self, one: &Cells, other: &Cells) -> bool {
        let is_one = one.objects == other.objects && one.is_inside == other.is_inside;
        is_one
            || one.objects.iter().all(|&a| {
                let mut others = other.objects.iter().filter(|&&b| b != a);
                others.all(|&b| {
                    let is_inside = one.is_inside && other.is_inside;
                    is_inside && self.are_apart(a, b)
                })
            })
    }
}
