//! Cells of arrays by what programs index them with.
//!
//! An array of the program lies somewhere in a region, and its cells have the region's indices: a program that reads `a[i]`
//! reads the region at `i + 262144`. The index with another number in the place of `i` is the cell that the program means by
//! that number, which is what formulas should speak of.

use rustc_hash::FxHashMap;

use super::samples::number;
use crate::certify::certificate::any_index;
use crate::program::block::Blocks;
use crate::term::{
    Build, Op, Pool, Rebuild, Sort, Symbol, TermId, TermKind, Value, evaluate, for_each_subterm,
    free_variables, store,
};

/// The most views of an array.
const MOST: usize = 4;

/// Indices that differ by so many cells may be of one array: of `a[i]` and `a[i - 1]`, one is enough.
const NEAR: i128 = 16;

/// The cells of an array at an index that is linear in a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The array: a variable of the program.
    pub array: TermId,
    /// The sort of the number.
    pub sort: Sort,
    /// The index, over [`any_index`] of the sort.
    pub index: TermId,
    /// The variables of the program that the array is indexed with.
    pub by: Vec<TermId>,
    /// The index for zero, and by how much it grows for each more.
    base: i128,
    stride: i128,
}

impl View {
    /// Those of the program's blocks. What is written comes first, then what is used most.
    pub fn all(blocks: &Blocks) -> Vec<Self> {
        let mut uses: FxHashMap<(TermId, TermId), (bool, usize)> = FxHashMap::default();
        for at in blocks.cut_points() {
            for block in blocks.from(at).iter() {
                let updates = block.updates.iter().map(|&(_, value)| value);
                for_each_subterm(store(), updates.chain([block.guard]), |_, kind| {
                    if let TermKind::Apply {
                        op: op @ (Op::Select | Op::Store),
                        arguments,
                    } = kind
                        && let Some(array) = root(arguments[0])
                    {
                        let known = uses.entry((array, arguments[1])).or_default();
                        known.0 |= op == Op::Store;
                        known.1 += 1;
                    }
                });
            }
        }
        let mut uses: Vec<_> = uses.into_iter().collect();
        uses.sort_by_key(|&(key, (is_written, count))| (!is_written, usize::MAX - count, key));
        let mut all: Vec<Self> = Vec::new();
        for ((array, index), _) in uses {
            let Some(view) = Self::of(array, index) else {
                continue;
            };
            let of_array = all.iter().filter(|one| one.array == array).count();
            match all.iter_mut().find(|one| one.is_near(&view)) {
                Some(known) => known.by.extend(view.by),
                None if of_array < MOST => all.push(view),
                None => {}
            }
        }
        all
    }

    fn of(array: TermId, index: TermId) -> Option<Self> {
        let variables = free_variables(store(), index);
        let &[(symbol, 0)] = &variables[..] else {
            return None;
        };
        let (sort, by) = (symbol.sort(), store().variable(symbol));
        let any = any_index(sort);
        if !matches!(sort, Sort::BitVec(8..=64) | Sort::Int) {
            return None;
        }
        let replace = |term| (term == by).then_some(any);
        let index = Rebuild::new(store(), store(), replace).rebuild(index);
        let at = |value: i128| {
            let value = match sort {
                Sort::BitVec(width) => Value::bit_vec(width, value.cast_unsigned()),
                _ => Value::int(value),
            };
            let assignment = |_: Symbol, _: u32| Some(value.clone());
            raw(&evaluate(store(), index, &assignment).ok()?)
        };
        let (base, next) = (at(0)?, at(1)?);
        let view = Self {
            array,
            sort,
            index,
            by: vec![by],
            base,
            stride: next - base,
        };
        (view.stride > 0 && at(5) == view.at(5)).then_some(view)
    }

    /// Whether both are of the same cells, but for some at the ends.
    fn is_near(&self, other: &Self) -> bool {
        let apart = (self.base - other.base).abs();
        self.array == other.array
            && self.sort == other.sort
            && self.stride == other.stride
            && apart % self.stride == 0
            && apart / self.stride <= NEAR
    }

    /// The index for the number, if that is small.
    pub fn at(&self, number: i128) -> Option<i128> {
        let is_small = (0..1 << 40).contains(&number);
        is_small.then(|| self.base + self.stride * number)
    }

    /// The cell for any number.
    pub fn cell(&self) -> TermId {
        store().select(self.array, self.index)
    }
}

/// An index as an unsigned number.
fn raw(value: &Value) -> Option<i128> {
    match value {
        Value::BitVec(bits) => i128::try_from(bits.bits()).ok(),
        other => number(other),
    }
}

/// The variable that writes and choices make the array of.
fn root(mut array: TermId) -> Option<TermId> {
    loop {
        match store().kind(array) {
            TermKind::Variable { instance: 0, .. } => return Some(array),
            TermKind::Apply {
                op: Op::Store,
                arguments,
            } => array = arguments[0],
            TermKind::Apply {
                op: Op::Ite,
                arguments,
            } => array = arguments[1],
            _ => return None,
        }
    }
}
