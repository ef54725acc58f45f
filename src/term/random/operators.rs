//! The choice of the operator of a random term, and of the sorts of its operands.

use super::{Choices, RandomTerms};
use crate::term::{Build, FloatFormat, Op, ScalarSort, Sort};

/// An operator, and the sorts of its operands.
type Application = (Op, Vec<Sort>);

/// The kind of an operator's operands.
#[derive(Copy, Clone)]
enum Operands {
    /// One or two operands of the result's sort.
    Same,
    Booleans,
    /// Bit vectors, of another width if the result is one.
    BitVectors,
    Integers,
    Floats,
    Arrays,
    /// An array and an index.
    Cell,
}

pub(super) const ROUNDING_MODE: Sort = Sort::BitVec(2);

/// Checks whether the operator's first operand is a rounding mode.
pub(super) const fn rounds(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        FpAdd
            | FpSub
            | FpMul
            | FpDiv
            | FpFma
            | FpSqrt
            | FpRoundToIntegral
            | FpToFp(_)
            | SbvToFp(_)
            | UbvToFp(_)
            | IntToFp(_)
            | FpToSbv(_)
            | FpToUbv(_)
            | FpToInt
    )
}

impl<P: Build, C: Choices> RandomTerms<'_, P, C> {
    /// Chooses an operator whose applications have the sort; `None` if it has no operands in the language.
    pub(super) fn application(&mut self, sort: Sort) -> Option<Application> {
        if self.choices.below(10) == 9 {
            return Some((Op::Ite, vec![Sort::Bool, sort, sort]));
        }
        match sort {
            Sort::Bool => self.truth(),
            Sort::BitVec(width) => self.bit_vector(width),
            Sort::Int => self.integer(),
            Sort::Float(format) => self.float(format),
            Sort::Array { index, element } => Some(if self.choices.below(4) == 3 {
                (Op::ConstArray, vec![element.into()])
            } else {
                (Op::Store, vec![sort, index.into(), element.into()])
            }),
        }
    }

    /// Chooses one of the kinds of operands that the language has, by their weights.
    fn operands(&mut self, weights: &[(usize, Operands)]) -> Operands {
        let language = &self.language;
        let exists = |operands| match operands {
            Operands::Same | Operands::Booleans => true,
            Operands::BitVectors => !language.widths.is_empty(),
            Operands::Integers => language.integers,
            Operands::Floats => !language.formats.is_empty(),
            Operands::Arrays | Operands::Cell => !language.arrays.is_empty(),
        };
        let all: Vec<Operands> = weights
            .iter()
            .filter(|(_, operands)| exists(*operands))
            .flat_map(|&(weight, operands)| std::iter::repeat_n(operands, weight))
            .collect();
        self.choices.one_of(&all)
    }

    fn truth(&mut self) -> Option<Application> {
        use Op::*;
        let chosen = self.operands(&[
            (3, Operands::Booleans),
            (5, Operands::BitVectors),
            (3, Operands::Integers),
            (4, Operands::Floats),
            (1, Operands::Arrays),
            (1, Operands::Cell),
        ]);
        let (ops, sort): (&[Op], Sort) = match chosen {
            Operands::Booleans | Operands::Same => (&[Not, And, Or, Eq], Sort::Bool),
            Operands::BitVectors => {
                let width = self.choices.one_of(&self.language.widths);
                (&[Eq, BvUlt, BvUle, BvSlt, BvSle], Sort::BitVec(width))
            }
            Operands::Integers => (&[Eq, IntLt, IntLe], Sort::Int),
            Operands::Floats => {
                let format = self.choices.one_of(&self.language.formats);
                let ops = &[
                    Eq,
                    FpLt,
                    FpLe,
                    FpEq,
                    FpIsNan,
                    FpIsInfinite,
                    FpIsZero,
                    FpIsNormal,
                    FpIsSubnormal,
                    FpIsNegative,
                ];
                (ops, Sort::Float(format))
            }
            Operands::Arrays => (&[Eq], self.array_sort()),
            Operands::Cell => return self.cell(Sort::Bool),
        };
        let op = self.choices.one_of(ops);
        let count = match op {
            Not | FpIsNan | FpIsInfinite | FpIsZero | FpIsNormal | FpIsSubnormal | FpIsNegative => {
                1
            }
            And | Or => [2, 2, 2, 3, 4][self.choices.below(5)],
            _ => 2,
        };
        Some((op, vec![sort; count]))
    }

    fn bit_vector(&mut self, width: u8) -> Option<Application> {
        use Op::*;
        let sort = Sort::BitVec(width);
        let chosen = self.operands(&[
            (8, Operands::Same),
            (2, Operands::BitVectors),
            (1, Operands::Integers),
            (2, Operands::Floats),
            (1, Operands::Cell),
        ]);
        match chosen {
            Operands::BitVectors => self.other_width(width),
            Operands::Integers => Some((IntToBv(width), vec![Sort::Int])),
            Operands::Floats => {
                let of_width = |format: &FloatFormat| format.storage_bits() == u32::from(width);
                let stored = self.language.formats.iter().copied().find(of_width);
                if let Some(format) = stored
                    && self.choices.below(2) == 1
                {
                    return Some((FpToBits, vec![Sort::Float(format)]));
                }
                let op = self.choices.one_of(&[FpToSbv(width), FpToUbv(width)]);
                let format = self.choices.one_of(&self.language.formats);
                Some((op, vec![ROUNDING_MODE, Sort::Float(format)]))
            }
            Operands::Cell => self.cell(sort),
            _ => {
                // Sums and products are chosen more often, because they have the most rules.
                let op = self.choices.one_of(&[
                    BvAdd, BvAdd, BvAdd, BvMul, BvMul, BvUdiv, BvUrem, BvSdiv, BvSrem, BvAnd, BvOr,
                    BvXor, BvShl, BvLshr, BvAshr, BvNeg, BvNot,
                ]);
                let count = if matches!(op, BvNeg | BvNot) { 1 } else { 2 };
                Some((op, vec![sort; count]))
            }
        }
    }

    /// Chooses an operator that builds a bit vector from bit vectors of other widths.
    fn other_width(&mut self, width: u8) -> Option<Application> {
        let sort = Sort::BitVec;
        match self.choices.below(4) {
            0 | 1 => {
                let wide = self.width(|other| other > width)?;
                let low = self.choices.below(usize::from(wide - width) + 1) as u8;
                let high = low + width - 1;
                Some((Op::Extract { high, low }, vec![sort(wide)]))
            }
            2 => {
                let low = self.width(|other| other < width)?;
                Some((Op::Concat, vec![sort(width - low), sort(low)]))
            }
            _ => {
                let narrow = self.width(|other| other < width)?;
                let ops = [Op::ZeroExtend(width), Op::SignExtend(width)];
                Some((self.choices.one_of(&ops), vec![sort(narrow)]))
            }
        }
    }

    /// Chooses a fitting width of the language, or any fitting width.
    fn width(&mut self, fits: impl Fn(u8) -> bool) -> Option<u8> {
        let fitting: Vec<u8> = if self.odd_widths && self.choices.below(2) == 1 {
            (1..=128).filter(|&width| fits(width)).collect()
        } else {
            let widths = self.language.widths.iter().copied();
            widths.filter(|&width| fits(width)).collect()
        };
        (!fitting.is_empty()).then(|| self.choices.one_of(&fitting))
    }

    fn integer(&mut self) -> Option<Application> {
        use Op::*;
        let chosen = self.operands(&[
            (6, Operands::Same),
            (1, Operands::BitVectors),
            (1, Operands::Floats),
            (1, Operands::Cell),
        ]);
        match chosen {
            Operands::BitVectors => {
                let width = self.choices.one_of(&self.language.widths);
                let op = self.choices.one_of(&[BvToNat, BvToInt]);
                Some((op, vec![Sort::BitVec(width)]))
            }
            Operands::Floats => {
                // Integers converted from longer formats have thousands of digits.
                let formats = self.language.formats.iter().copied();
                let short: Vec<_> = formats.filter(|f| f.storage_bits() <= 64).collect();
                if short.is_empty() {
                    return None;
                }
                let format = self.choices.one_of(&short);
                Some((FpToInt, vec![ROUNDING_MODE, Sort::Float(format)]))
            }
            Operands::Cell => self.cell(Sort::Int),
            _ => {
                let op = self
                    .choices
                    .one_of(&[IntAdd, IntAdd, IntMul, IntDiv, IntMod, IntNeg]);
                let count = if op == IntNeg { 1 } else { 2 };
                Some((op, vec![Sort::Int; count]))
            }
        }
    }

    fn float(&mut self, format: FloatFormat) -> Option<Application> {
        use Op::*;
        let (sort, mode) = (Sort::Float(format), ROUNDING_MODE);
        let chosen = self.operands(&[
            (5, Operands::Same),
            (2, Operands::BitVectors),
            (1, Operands::Integers),
            (1, Operands::Floats),
            (1, Operands::Cell),
        ]);
        Some(match chosen {
            Operands::BitVectors => {
                let width = self.choices.one_of(&self.language.widths);
                let stored = format.storage_bits() as u8;
                match self.choices.below(3) {
                    0 => (FpFromBits(format), vec![Sort::BitVec(stored)]),
                    1 => (SbvToFp(format), vec![mode, Sort::BitVec(width)]),
                    _ => (UbvToFp(format), vec![mode, Sort::BitVec(width)]),
                }
            }
            Operands::Integers => (IntToFp(format), vec![mode, Sort::Int]),
            Operands::Floats => {
                let from = self.choices.one_of(&self.language.formats);
                (FpToFp(format), vec![mode, Sort::Float(from)])
            }
            Operands::Cell => return self.cell(sort),
            _ => {
                let op = self.choices.one_of(&[
                    FpAdd,
                    FpAdd,
                    FpSub,
                    FpSub,
                    FpMul,
                    FpMul,
                    FpDiv,
                    FpDiv,
                    FpRem,
                    FpFma,
                    FpSqrt,
                    FpRoundToIntegral,
                    FpNeg,
                    FpAbs,
                ]);
                let operands = match op {
                    FpNeg | FpAbs => vec![sort],
                    FpRem => vec![sort; 2],
                    FpSqrt | FpRoundToIntegral => vec![mode, sort],
                    FpFma => vec![mode, sort, sort, sort],
                    _ => vec![mode, sort, sort],
                };
                (op, operands)
            }
        })
    }

    fn array_sort(&mut self) -> Sort {
        let (index, element) = self.choices.one_of(&self.language.arrays);
        Sort::Array { index, element }
    }

    /// Chooses a read from an array with elements of the sort.
    fn cell(&mut self, sort: Sort) -> Option<Application> {
        let arrays = self.language.arrays.iter().copied();
        let fitting: Vec<(ScalarSort, ScalarSort)> = arrays
            .filter(|&(_, element)| Sort::from(element) == sort)
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let (index, element) = self.choices.one_of(&fitting);
        Some((
            Op::Select,
            vec![Sort::Array { index, element }, index.into()],
        ))
    }
}
