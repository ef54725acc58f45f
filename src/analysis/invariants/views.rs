//! Views of arrays: their cells by the numbers from which programs compute indices.
//!
//! An array of the program lies in a region, and its cells have the region's indices: a program that reads `a[i]` reads
//! the region at `i + 262144`. The view maps a number to the index in which it replaces `i`, so that formulas can speak
//! of the cells as the program does. In a ring buffer, `q[(head + count) % 4]`, the view by one of the variables counts
//! from the position that the other one gives.

use rustc_hash::FxHashMap;

use super::samples::{SampledVariable, number, value, with_named_cells};
use crate::certify::certificate::{any_index, is_any_index};
use crate::program::block::Blocks;
use crate::term::{
    Build, Op, Pool, RING_BITS, Rebuild, Sort, Symbol, TermId, TermKind, Value, evaluate,
    for_each_subterm, free_variables, occurs, store,
};

/// Maximum number of views of an array, and of rings among them.
const MAXIMUM_VIEWS_PER_ARRAY: usize = 4;
const MAXIMUM_RINGS_PER_ARRAY: usize = 2;

/// Maximum distance of two indices, in cells, that give one view: of `a[i]` and `a[i - 1]`, one is enough.
const MAXIMUM_DISTANCE_IN_VIEW: i128 = 16;

/// The cells of an array at indices computed from a number.
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
    numbering: Numbering,
}

/// The map from numbers to indices.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Numbering {
    /// The index for zero, and the difference of the indices of consecutive numbers.
    Linear { base: i128, stride: i128 },
    /// Indices are computed modulo some number, and may depend on variables.
    Ring,
}

impl View {
    /// Returns the views of the program's blocks: those of written arrays first, then the most used ones.
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
        for &((array, index), _) in &uses {
            let Some(view) = Self::linear(array, index) else {
                continue;
            };
            let of_array = all.iter().filter(|one| one.array == array).count();
            match all.iter_mut().find(|one| one.is_near(&view)) {
                Some(known) => known.by.extend(view.by),
                None if of_array < MAXIMUM_VIEWS_PER_ARRAY => all.push(view),
                None => {}
            }
        }
        for ((array, index), (is_written, _)) in uses {
            let of_array = all.iter().filter(|one| one.array == array);
            let rings = of_array.filter(|one| one.numbering == Numbering::Ring);
            let room = MAXIMUM_RINGS_PER_ARRAY.saturating_sub(rings.count());
            if is_written && Self::linear(array, index).is_none() {
                all.extend(Self::rings(array, index).into_iter().take(room));
            }
        }
        // A ring's variable gives no other view: counted from zero, the cells of a ring change their meaning.
        let rings = all.iter().filter(|one| one.is_ring());
        let rings: Vec<(TermId, TermId)> = rings.map(|one| (one.array, one.by[0])).collect();
        let is_of_ring = |one: &Self| one.by.iter().all(|&by| rings.contains(&(one.array, by)));
        all.retain(|one| one.is_ring() || !is_of_ring(one));
        all
    }

    /// Replaces the term in the index by any number.
    fn numbered(index: TermId, by: TermId) -> TermId {
        let any = any_index(store().sort(by));
        let replace = |term| (term == by).then_some(any);
        Rebuild::new(store(), store(), replace).rebuild(index)
    }

    /// Returns the variables, and cells at constant indices, that the index is computed from.
    fn sources(index: TermId) -> Vec<TermId> {
        let (named, cells) = with_named_cells(index);
        let variables = free_variables(store(), named).into_iter();
        let term = |(symbol, instance)| store().variable_at(symbol, instance);
        variables
            .map(|one| cells.get(&one.0).copied().unwrap_or_else(|| term(one)))
            .collect()
    }

    /// Returns the views of a ring by each source of its index that is reduced modulo some number together with others.
    fn rings(array: TermId, index: TermId) -> Vec<Self> {
        let sources = Self::sources(index);
        let is_number = |source: &TermId| matches!(store().sort(*source), Sort::BitVec(8..=64));
        if !sources.iter().all(is_number) {
            return Vec::new();
        }
        let is_ring = |by: &TermId| {
            let mut is_ring = false;
            for_each_subterm(store(), [index], |_, kind| {
                if let TermKind::Apply {
                    op:
                        Op::BvUrem
                        | Op::Extract {
                            high: ..RING_BITS,
                            low: 0,
                        },
                    arguments,
                } = kind
                {
                    is_ring |= arguments[0] != *by && occurs(store(), *by, [arguments[0]]);
                }
            });
            is_ring
        };
        let by = sources.into_iter().filter(is_ring);
        let views = by.map(|by| Self {
            array,
            sort: store().sort(by),
            index: Self::numbered(index, by),
            by: vec![by],
            numbering: Numbering::Ring,
        });
        views.collect()
    }

    /// Returns the view by the only source of the index, if the index is linear in it.
    pub(super) fn linear(array: TermId, index: TermId) -> Option<Self> {
        let &[by] = &Self::sources(index)[..] else {
            return None;
        };
        let sort = store().sort(by);
        if !matches!(sort, Sort::BitVec(8..=64) | Sort::Int) {
            return None;
        }
        let index = Self::numbered(index, by);
        let at = |value: i128| {
            let value = match sort {
                Sort::BitVec(width) => Value::bit_vec(width, value.cast_unsigned()),
                _ => Value::int(value),
            };
            let assignment = |_: Symbol, _: u32| Some(value.clone());
            raw(&evaluate(store(), index, &assignment).ok()?)
        };
        let (base, next) = (at(0)?, at(1)?);
        let stride = next - base;
        let view = Self {
            array,
            sort,
            index,
            by: vec![by],
            numbering: Numbering::Linear { base, stride },
        };
        (stride > 0 && at(5) == Some(base + 5 * stride)).then_some(view)
    }

    /// Checks whether both views have the same cells, except for some at the ends.
    fn is_near(&self, other: &Self) -> bool {
        let is_near = match (self.numbering, other.numbering) {
            (
                Numbering::Linear { base, stride },
                Numbering::Linear {
                    base: other,
                    stride: same,
                },
            ) => {
                let apart = (base - other).abs();
                stride == same && apart % stride == 0 && apart / stride <= MAXIMUM_DISTANCE_IN_VIEW
            }
            _ => false,
        };
        self.array == other.array && self.sort == other.sort && is_near
    }

    /// Returns the index for the number, if that is small, in a state of these variables.
    pub fn at(&self, number: i128, variables: &[SampledVariable], state: &[i128]) -> Option<i128> {
        if !(0..1 << 40).contains(&number) {
            return None;
        }
        match self.numbering {
            Numbering::Linear { base, stride } => Some(base + stride * number),
            Numbering::Ring => {
                let (index, cells) = with_named_cells(self.index);
                let assignment = |symbol: Symbol, instance: u32| {
                    if is_any_index(symbol) {
                        return value(self.sort, number);
                    }
                    let variable = store().variable_at(symbol, instance);
                    let term = cells.get(&symbol).copied().unwrap_or(variable);
                    let place = variables.iter().position(|one| one.term == term)?;
                    value(symbol.sort(), state[place])
                };
                raw(&evaluate(store(), index, &assignment).ok()?)
            }
        }
    }

    /// Checks whether indices are computed modulo some number.
    pub fn is_ring(&self) -> bool {
        self.numbering == Numbering::Ring
    }

    /// The difference of the indices of consecutive numbers.
    pub fn stride(&self) -> Option<i128> {
        match self.numbering {
            Numbering::Linear { stride, .. } => Some(stride),
            Numbering::Ring => None,
        }
    }

    /// Returns the cell at any number.
    pub fn cell(&self) -> TermId {
        store().select(self.array, self.index)
    }
}

/// Returns an index as an unsigned number.
fn raw(value: &Value) -> Option<i128> {
    match value {
        Value::BitVec(bits) => i128::try_from(bits.bits()).ok(),
        other => number(other),
    }
}

/// Returns the variable from which writes and conditional terms make the array.
pub(super) fn root(mut array: TermId) -> Option<TermId> {
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
