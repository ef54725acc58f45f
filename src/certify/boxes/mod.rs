//! Runs on boxes of inputs: branch and bound, as a proof (interval analysis: \[Moo66\]; on programs with floats: \[BKW09\],
//! \[MRL01\]).
//!
//! A box bounds some inputs by intervals. The program as lowered is run on sets of values instead of values ([`run`]); where
//! a box does not decide a condition, both branches are followed. If no path leads to an error, no input in the box does. A
//! [`Covering`] divides all inputs into such boxes. It contains only the divisions, so that no input can be left out, and
//! the checker repeats the runs itself.
//!
//! * [`value_sets`]: sets of values of all sorts; [`evaluate`]: terms on them; [`run`]: the program on a box.

mod evaluate;
mod run;
#[cfg(test)]
mod tests;
mod value_sets;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use run::{Condition, Limits, Machine, Open, Run, Verdict};

use regatta_program::{CScalar, Input, InputId};
use regatta_term::domain::floats::{FloatSet, greatest_rank, of_rank, rank};
use regatta_term::domain::{AbstractValue, Intervals, Universe};
use regatta_term::{FloatFormat, FloatValue, Sort, Value};
use value_sets::Set;

/// A dimension of a box: one read of an input in a run.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dimension {
    /// The input.
    pub input: InputId,
    /// The number of earlier reads of the input.
    pub occurrence: u32,
}

/// Closed intervals of codes ([`Codes`]) for inputs. Other inputs have any value.
pub type InputBox = FxHashMap<Dimension, (u128, u128)>;

/// A division of all inputs into boxes: a binary tree in preorder, the half with smaller codes first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covering {
    /// The nodes.
    pub nodes: Vec<CoveringNode>,
}

/// A box of a [`Covering`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CoveringNode {
    /// No run from it reaches an error.
    Leaf,
    /// The box is divided into inputs with smaller codes and the others.
    Split {
        /// The divided dimension.
        dimension: Dimension,
        /// The first code of the upper half.
        at: u128,
    },
}

impl Covering {
    /// Returns the leaves as boxes; `None` if the nodes are no tree or a division is not possible. `inputs` are the program's.
    pub fn boxes(&self, inputs: &[Input]) -> Option<Vec<InputBox>> {
        let mut leaves = Vec::new();
        let mut open = vec![InputBox::default()];
        for node in &self.nodes {
            let inner = open.pop()?;
            match *node {
                CoveringNode::Leaf => leaves.push(inner),
                CoveringNode::Split { dimension, at } => {
                    let input = inputs.get(dimension.input.index())?;
                    let [lower, upper] = halves(&inner, dimension, at, Codes::of(input)?)?;
                    open.push(upper);
                    open.push(lower);
                }
            }
        }
        open.is_empty().then_some(leaves)
    }
}

/// Divides a box into the half with smaller codes of the input and the other one; `None` if one would be empty.
pub fn halves(
    inner: &InputBox,
    dimension: Dimension,
    at: u128,
    codes: Codes,
) -> Option<[InputBox; 2]> {
    let (low, high) = inner
        .get(&dimension)
        .copied()
        .unwrap_or((0, codes.greatest()));
    if at <= low || at > high {
        return None;
    }
    let with = |range| {
        let mut part = inner.clone();
        part.insert(dimension, range);
        part
    };
    Some([with((low, at - 1)), with((at, high))])
}

/// The rank of the float with a code. Wrapping, since codes of the widest format may exceed `i128`, unlike ranks.
fn rank_of_code(format: FloatFormat, code: u128) -> i128 {
    (code as i128).wrapping_sub(1 + greatest_rank(format))
}

/// A numbering of a sort's values in their order: signed integers from the least one, floats from negative infinity to
/// positive infinity, followed by NaN.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Codes {
    kind: CodeKind,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum CodeKind {
    Truth,
    Unsigned(u8),
    Signed(u8),
    Float(FloatFormat),
}

impl Codes {
    /// The codes of an input's values; `None` for sorts without codes: mathematical integers, arrays, x87 floats.
    pub fn of(input: &Input) -> Option<Self> {
        let is_unsigned = matches!(
            input.c_type,
            Some(CScalar::Integer { signed: false, .. } | CScalar::Pointer | CScalar::Bool)
        );
        let kind = match input.sort {
            Sort::Bool => CodeKind::Truth,
            Sort::BitVec(width @ 1..=64) if is_unsigned => CodeKind::Unsigned(width),
            Sort::BitVec(width @ 1..=64) => CodeKind::Signed(width),
            Sort::Float(FloatFormat::F80) => return None,
            Sort::Float(format) => CodeKind::Float(format),
            _ => return None,
        };
        Some(Self { kind })
    }

    /// The greatest code; the least is zero.
    pub fn greatest(self) -> u128 {
        match self.kind {
            CodeKind::Truth => 1,
            CodeKind::Unsigned(width) | CodeKind::Signed(width) => (1 << width) - 1,
            CodeKind::Float(format) => 2 * greatest_rank(format) as u128 + 2,
        }
    }

    /// The format, if these are codes of floats.
    pub fn format(self) -> Option<FloatFormat> {
        match self.kind {
            CodeKind::Float(format) => Some(format),
            _ => None,
        }
    }

    /// The value with the code.
    pub fn value(self, code: u128) -> Value {
        match self.kind {
            CodeKind::Truth => Value::Bool(code != 0),
            CodeKind::Unsigned(width) => Value::bit_vec(width, code),
            CodeKind::Signed(width) => Value::bit_vec(width, code ^ 1 << (width - 1)),
            CodeKind::Float(format) if code == self.greatest() => FloatValue::nan(format).into(),
            CodeKind::Float(format) => of_rank(format, rank_of_code(format, code)).into(),
        }
    }

    /// The code of the value; `None` if it has another sort.
    pub fn code(self, value: &Value) -> Option<u128> {
        Some(match (self.kind, value) {
            (CodeKind::Truth, Value::Bool(truth)) => u128::from(*truth),
            (CodeKind::Unsigned(width), Value::BitVec(bits)) if bits.width() == width => {
                bits.bits()
            }
            (CodeKind::Signed(width), Value::BitVec(bits)) if bits.width() == width => {
                bits.bits() ^ 1 << (width - 1)
            }
            (CodeKind::Float(format), Value::Float(float)) if float.format() == format => {
                match float.is_nan() {
                    true => self.greatest(),
                    false => (rank(*float) as u128).wrapping_add(1 + greatest_rank(format) as u128),
                }
            }
            _ => return None,
        })
    }

    /// The set of the values with codes in the closed interval.
    fn set(self, (low, high): (u128, u128)) -> Set {
        let numbers = |universe: Universe, low: i128, high: i128| {
            Set::Number(AbstractValue::from(Intervals::arc(universe, low, high)))
        };
        match self.kind {
            CodeKind::Truth => numbers(Universe::Circle(1), low as i128, high as i128),
            CodeKind::Unsigned(width) => {
                numbers(Universe::Circle(width), low as i128, high as i128)
            }
            CodeKind::Signed(width) => {
                let half = 1i128 << (width - 1);
                numbers(
                    Universe::Circle(width),
                    low as i128 - half,
                    high as i128 - half,
                )
            }
            CodeKind::Float(format) => {
                let greatest = self.greatest();
                let rank = |code| rank_of_code(format, code);
                let set = match low < greatest {
                    true => FloatSet::ranks(format, rank(low), rank(high.min(greatest - 1))),
                    false => FloatSet::empty(format),
                };
                Set::Float(set.with_nan(high >= greatest))
            }
        }
    }
}
