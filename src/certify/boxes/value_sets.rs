//! Sets of values of all sorts.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use regatta_term::domain::{AbstractValue, FloatSet, Universe};
use regatta_term::{Constant, ScalarSort, Sort, Value};

/// A set of values of one sort.
#[derive(Clone, Debug, PartialEq)]
pub enum Set {
    /// A set of Booleans, bit vectors or integers.
    Number(AbstractValue),
    Float(FloatSet),
    Array(Rc<Cells>),
    /// All values of the sort.
    Any,
}

impl Set {
    /// All values.
    pub fn top(sort: Sort) -> Self {
        match sort {
            Sort::Array { index, element } => Self::Array(Rc::new(Cells::new(index, element))),
            Sort::Float(format) => Self::Float(FloatSet::top(format)),
            _ => Universe::of(sort).map_or(Self::Any, |universe| {
                Self::Number(AbstractValue::top(universe))
            }),
        }
    }

    /// A singleton set.
    pub fn constant(constant: Constant<'_>) -> Self {
        match constant {
            Constant::Float(value) => Self::Float(FloatSet::point(value)),
            Constant::BitVec(bits) if bits.width() > 64 => Self::Any,
            number => AbstractValue::constant(number).map_or(Self::Any, Self::Number),
        }
    }

    /// The join of two sets.
    pub fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(a.join(b)),
            (Self::Float(a), Self::Float(b)) => Self::Float(a.join(*b)),
            (Self::Array(a), Self::Array(b)) if Rc::ptr_eq(a, b) => self.clone(),
            (Self::Array(a), Self::Array(b)) => Self::Array(Rc::new(a.join(b))),
            _ => Self::Any,
        }
    }

    /// The truth value, if the set is a singleton of Booleans.
    pub fn as_truth(&self) -> Option<bool> {
        match self {
            Self::Number(number) => number.as_truth(),
            _ => None,
        }
    }

    /// The value, if the set is a singleton of a scalar sort.
    pub fn as_point(&self, sort: Sort) -> Option<Value> {
        match self {
            Self::Number(number) => Some(Value::of_integer(number.as_point()?, sort)),
            Self::Float(float) => Some(float.as_point()?.into()),
            _ => None,
        }
    }

    /// Checks whether the set contains the value.
    #[cfg(test)]
    pub(super) fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Number(number), Value::Bool(truth)) => number.contains((*truth).into()),
            (Self::Number(number), Value::BitVec(bits)) => number.contains(bits.bits() as i128),
            (Self::Number(number), Value::Int(integer)) => {
                i128::try_from(integer).is_ok_and(|integer| number.contains(integer))
            }
            (Self::Float(float), Value::Float(value)) => float.contains(*value),
            (Self::Array(cells), Value::Array(array)) => {
                let default = cells.default.contains(array.default_value());
                let entries = array.entries().iter();
                let mut entries = entries.map(|(index, value)| (cells.key(index), value));
                let at = |key: i128| cells.written.get(&key).unwrap_or(&cells.default);
                default && entries.all(|(key, value)| at(key).contains(value))
            }
            (Self::Any, _) => true,
            _ => false,
        }
    }
}

/// Maximum number of cells that an index may denote so that each is read or written separately.
const MAXIMUM_SEPARATE_CELLS: i128 = 64;

/// A set of arrays, by the sets of their elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    index: ScalarSort,
    element: Sort,
    /// The set for cells that are not in the table.
    default: Set,
    written: FxHashMap<i128, Set>,
}

impl Cells {
    fn new(index: ScalarSort, element: ScalarSort) -> Self {
        Self {
            index,
            element: element.into(),
            default: Set::top(element.into()),
            written: FxHashMap::default(),
        }
    }

    /// The arrays whose elements are all in the set.
    pub fn constant(index: ScalarSort, element: ScalarSort, value: Set) -> Self {
        Self {
            default: value,
            ..Self::new(index, element)
        }
    }

    #[cfg(test)]
    fn key(&self, index: &Value) -> i128 {
        match index {
            Value::BitVec(bits) => bits.bits() as i128,
            Value::Int(integer) => i128::try_from(integer).expect("a small index"),
            _ => 0,
        }
    }

    /// The indices, if there are few.
    fn few(index: &Set) -> Option<impl Iterator<Item = i128> + '_> {
        let Set::Number(number) = index else {
            return None;
        };
        let (low, high) = number.intervals.hull()?;
        (high - low < MAXIMUM_SEPARATE_CELLS)
            .then(|| (low..=high).filter(move |&one| number.contains(one)))
    }

    fn at(&self, key: i128) -> &Set {
        self.written.get(&key).unwrap_or(&self.default)
    }

    /// The set of the elements at the indices.
    pub fn select(&self, index: &Set) -> Set {
        if let Some(few) = Self::few(index) {
            let all = few.map(|key| self.at(key).clone());
            return all
                .reduce(|a, b| a.join(&b))
                .unwrap_or_else(|| Set::top(self.element));
        }
        let all = self.written.values();
        all.fold(self.default.clone(), |all, one| all.join(one))
    }

    /// Writes to one of the indices.
    pub fn store(&mut self, index: &Set, value: &Set) {
        if let Set::Number(number) = index
            && let Some(key) = number.as_point()
        {
            self.written.insert(key, value.clone());
        } else if let Some(few) = Self::few(index) {
            for key in few {
                let joined = self.at(key).join(value);
                self.written.insert(key, joined);
            }
        } else {
            self.default = self.default.join(value);
            for cell in self.written.values_mut() {
                *cell = cell.join(value);
            }
        }
    }

    fn join(&self, other: &Self) -> Self {
        let keys = self.written.keys().chain(other.written.keys());
        let written = keys.map(|&key| (key, self.at(key).join(other.at(key))));
        Self {
            default: self.default.join(&other.default),
            written: written.collect(),
            ..*self
        }
    }
}
