//! Random terms of every sort and operator, from a list of choices that proptest can shrink.

use crate::program::{ProgramBuilder, VariableId};
use crate::term::{FloatFormat, FloatValue, Op, Pool, ScalarSort, Sort, TermId, Value, store};

/// A source of decisions; zeros once the list is used up.
pub(super) struct Choices<'c> {
    list: &'c [u32],
    position: usize,
}

impl<'c> Choices<'c> {
    pub(super) fn new(list: &'c [u32]) -> Self {
        Self { list, position: 0 }
    }

    pub(super) fn next(&mut self) -> u32 {
        self.position += 1;
        self.list.get(self.position - 1).copied().unwrap_or(0)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }

    pub(super) fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn bits(&mut self) -> u128 {
        let words: [u128; 4] = std::array::from_fn(|_| u128::from(self.next()));
        match self.next() % 6 {
            0 => words[0] % 4,
            1 => u128::MAX - words[0] % 4,
            2 => 1 << (words[0] % 128),
            3 => words[0],
            4 => words[0] % 70,
            _ => words[0] | words[1] << 32 | words[2] << 64 | words[3] << 96,
        }
    }

    /// A value of the sort, often one at a corner.
    pub(super) fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.next() % 2 == 1),
            Sort::BitVec(width) => Value::bit_vec(width, self.bits()),
            Sort::Int => Value::int(self.bits() as i128 >> self.one_of(&[0, 64, 70, 120])),
            Sort::Float(format) => Value::Float(self.float(format)),
            Sort::Array { index, element } => {
                let default = self.value(element.into());
                let place = |choices: &mut Self| match index {
                    ScalarSort::Int => Value::int(i64::from(choices.next()) - 1000),
                    _ => choices.value(index.into()),
                };
                let entries: Vec<_> = (0..self.below(4))
                    .map(|_| (place(self), self.value(element.into())))
                    .collect();
                Value::Array(crate::term::ArrayValue::new(index, default, entries))
            }
        }
    }

    fn float(&mut self, format: FloatFormat) -> FloatValue {
        let negative = self.next() % 2 == 1;
        let small = num_bigint::BigInt::from(self.next() % 5);
        match self.next() % 7 {
            0 => FloatValue::from_int(format, crate::term::RoundingMode::NearestEven, &small),
            1 => FloatValue::zero(format, negative),
            2 => FloatValue::infinity(format, negative),
            3 => FloatValue::nan(format),
            4 => FloatValue::from_bits(format, self.bits() % 5),
            _ => FloatValue::from_bits(format, self.bits()),
        }
    }
}

const BYTE: ScalarSort = ScalarSort::BitVec(8);
/// The arrays in random programs.
pub(super) const ARRAYS: [Sort; 4] = [
    Sort::Array {
        index: ScalarSort::BitVec(32),
        element: BYTE,
    },
    Sort::Array {
        index: ScalarSort::BitVec(16),
        element: ScalarSort::BitVec(64),
    },
    Sort::Array {
        index: ScalarSort::Int,
        element: ScalarSort::Int,
    },
    Sort::Array {
        index: ScalarSort::BitVec(64),
        element: ScalarSort::Float(FloatFormat::F80),
    },
];

/// The scalar sorts in random programs.
pub(super) const SCALARS: [Sort; 14] = [
    Sort::BitVec(32),
    Sort::Bool,
    Sort::BitVec(8),
    Sort::BitVec(64),
    Sort::Int,
    Sort::Float(FloatFormat::F32),
    Sort::Float(FloatFormat::F64),
    Sort::BitVec(16),
    Sort::BitVec(1),
    Sort::BitVec(100),
    Sort::BitVec(128),
    Sort::Float(FloatFormat::F16),
    Sort::Float(FloatFormat::F80),
    Sort::Float(FloatFormat::F128),
];

/// Two variables of each sort.
pub(super) struct Variables {
    pub(super) all: Vec<(VariableId, Sort)>,
}

impl Variables {
    pub(super) fn declare(builder: &mut ProgramBuilder) -> Self {
        let sorts = SCALARS.iter().chain(&ARRAYS);
        let all = sorts.flat_map(|sort| (0..2).map(move |copy| (copy, *sort)));
        let all = all
            .map(|(copy, sort)| (builder.global(&format!("v{copy}{sort}"), sort), sort))
            .collect();
        Self { all }
    }

    pub(super) fn of(&self, sort: Sort, choice: u32) -> VariableId {
        let matching: Vec<_> = self
            .all
            .iter()
            .filter(|(_, other)| *other == sort)
            .collect();
        matching[choice as usize % matching.len()].0
    }
}

/// Makes terms.
pub(super) struct Generator<'g, 'c> {
    pub(super) builder: &'g ProgramBuilder,
    pub(super) variables: &'g Variables,
    pub(super) choices: &'g mut Choices<'c>,
}

impl Generator<'_, '_> {
    fn leaf(&mut self, sort: Sort) -> TermId {
        if self.choices.next().is_multiple_of(3) {
            let value = self.choices.value(sort);
            store().intern_constant(&value)
        } else {
            let choice = self.choices.next();
            let exists = self.variables.all.iter().any(|(_, other)| *other == sort);
            if exists {
                self.builder.value(self.variables.of(sort, choice))
            } else {
                let value = self.choices.value(sort);
                store().intern_constant(&value)
            }
        }
    }

    /// A term as it is, without the constructors' simplification, so that every operator gets through.
    fn apply(&mut self, op: Op, sort: Sort, operands: &[Sort], depth: u32) -> TermId {
        let arguments: Vec<_> = operands
            .iter()
            .map(|operand| self.term(*operand, depth))
            .collect();
        store().intern(op, sort, &arguments)
    }

    /// An index. Integers stay within 64 bits: beyond, the machine has one cell for all.
    pub(super) fn index(&mut self, sort: Sort, depth: u32) -> TermId {
        use crate::term::Build;
        let index = self.term(sort, depth);
        match sort {
            Sort::Int => store().intern(Op::IntMod, sort, &[index, store().int(1 << 40)]),
            _ => index,
        }
    }

    fn select(&mut self, array: Sort, index: Sort, element: Sort, depth: u32) -> TermId {
        let arguments = [self.term(array, depth), self.index(index, depth)];
        store().intern(Op::Select, element, &arguments)
    }

    /// A random term of the sort.
    pub(super) fn term(&mut self, sort: Sort, depth: u32) -> TermId {
        if depth == 0 || self.choices.next().is_multiple_of(8) {
            return self.leaf(sort);
        }
        let depth = depth - 1;
        if self.choices.next().is_multiple_of(6) {
            return self.apply(Op::Ite, sort, &[Sort::Bool, sort, sort], depth);
        }
        match sort {
            Sort::Bool => self.boolean(depth),
            Sort::BitVec(width) => self.bit_vector(width, depth),
            Sort::Int => self.integer(depth),
            Sort::Float(format) => self.float(format, depth),
            Sort::Array { index, element } => match self.choices.next() % 4 {
                0 => self.apply(Op::ConstArray, sort, &[element.into()], depth),
                _ => {
                    let older = self.term(sort, depth);
                    let arguments = [
                        older,
                        self.index(index.into(), depth),
                        self.term(element.into(), depth),
                    ];
                    store().intern(Op::Store, sort, &arguments)
                }
            },
        }
    }

    fn boolean(&mut self, depth: u32) -> TermId {
        let sort = self.choices.one_of(&SCALARS);
        let relation: &[Op] = match sort {
            Sort::Bool => &[Op::Not, Op::And, Op::Or],
            Sort::BitVec(_) => &[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle],
            Sort::Int => &[Op::IntLt, Op::IntLe],
            Sort::Float(_) => &[
                Op::FpLt,
                Op::FpLe,
                Op::FpEq,
                Op::FpIsNan,
                Op::FpIsInfinite,
                Op::FpIsZero,
                Op::FpIsNormal,
                Op::FpIsSubnormal,
                Op::FpIsNegative,
            ],
            Sort::Array { .. } => &[Op::Eq],
        };
        let op = match self.choices.next() % 5 {
            0 => Op::Eq,
            _ => self.choices.one_of(relation),
        };
        let array = self.choices.one_of(&ARRAYS);
        let operands = match op {
            Op::Eq if self.choices.next().is_multiple_of(8) => vec![array, array],
            Op::And | Op::Or => vec![Sort::Bool; 2 + self.choices.below(3)],
            Op::Not
            | Op::FpIsNan
            | Op::FpIsInfinite
            | Op::FpIsZero
            | Op::FpIsNormal
            | Op::FpIsSubnormal
            | Op::FpIsNegative => vec![sort],
            _ => vec![sort, sort],
        };
        self.apply(op, Sort::Bool, &operands, depth)
    }

    fn bit_vector(&mut self, width: u8, depth: u32) -> TermId {
        let sort = Sort::BitVec(width);
        let mode = Sort::BitVec(2);
        match self.choices.next() % 12 {
            0 => {
                let op = self.choices.one_of(&[Op::BvNeg, Op::BvNot]);
                self.apply(op, sort, &[sort], depth)
            }
            1 => {
                let wider = 128.min(width + self.choices.one_of(&[0, 1, 8, 32, 64]));
                let low = self.choices.below(usize::from(wider - width) + 1) as u8;
                let high = low + width - 1;
                self.apply(
                    Op::Extract { high, low },
                    sort,
                    &[Sort::BitVec(wider)],
                    depth,
                )
            }
            2 if width > 1 => {
                let narrower = 1 + self.choices.below(usize::from(width) - 1) as u8;
                let op = self
                    .choices
                    .one_of(&[Op::ZeroExtend(width), Op::SignExtend(width)]);
                self.apply(op, sort, &[Sort::BitVec(narrower)], depth)
            }
            3 if width > 1 => {
                let low = 1 + self.choices.below(usize::from(width) - 1) as u8;
                self.apply(
                    Op::Concat,
                    sort,
                    &[Sort::BitVec(width - low), Sort::BitVec(low)],
                    depth,
                )
            }
            4 => self.apply(Op::IntToBv(width), sort, &[Sort::Int], depth),
            5 => {
                let format = self.choices.one_of(&FORMATS);
                let op = self
                    .choices
                    .one_of(&[Op::FpToSbv(width), Op::FpToUbv(width)]);
                self.with_mode(op, sort, mode, &[Sort::Float(format)], depth)
            }
            6 => match ARRAYS.iter().find_map(|array| element_of(*array, sort)) {
                Some((array, index)) => self.select(array, index, sort, depth),
                None => self.leaf(sort),
            },
            7 => match FORMATS
                .iter()
                .find(|format| format.storage_bits() == u32::from(width))
            {
                Some(format) => self.apply(Op::FpToBits, sort, &[Sort::Float(*format)], depth),
                None => self.leaf(sort),
            },
            8 if width.is_multiple_of(8) && width > 8 && width <= 64 => self.byte_run(width, depth),
            _ => {
                let op = self.choices.one_of(&[
                    Op::BvAdd,
                    Op::BvMul,
                    Op::BvUdiv,
                    Op::BvUrem,
                    Op::BvSdiv,
                    Op::BvSrem,
                    Op::BvAnd,
                    Op::BvOr,
                    Op::BvXor,
                    Op::BvShl,
                    Op::BvLshr,
                    Op::BvAshr,
                ]);
                self.apply(op, sort, &[sort, sort], depth)
            }
        }
    }

    /// A number read byte by byte.
    fn byte_run(&mut self, width: u8, depth: u32) -> TermId {
        use crate::term::Build;
        let array = self.leaf_array();
        let index = self.term(Sort::BitVec(32), depth.min(1));
        let byte = |position: u32| {
            let place = store().add(index, store().bv(32, u128::from(position)));
            store().intern(Op::Select, Sort::BitVec(8), &[array, place])
        };
        let mut number = byte(0);
        for position in 1..u32::from(width) / 8 {
            let sort = Sort::BitVec((position as u8 + 1) * 8);
            number = store().intern(Op::Concat, sort, &[byte(position), number]);
        }
        number
    }

    fn leaf_array(&mut self) -> TermId {
        let choice = self.choices.next();
        self.builder.value(self.variables.of(ARRAYS[0], choice))
    }

    fn integer(&mut self, depth: u32) -> TermId {
        match self.choices.next() % 8 {
            0 => self.apply(Op::IntNeg, Sort::Int, &[Sort::Int], depth),
            1 => {
                let from = self.choices.one_of(&[8, 32, 64, 100]);
                let op = self.choices.one_of(&[Op::BvToNat, Op::BvToInt]);
                self.apply(op, Sort::Int, &[Sort::BitVec(from)], depth)
            }
            2 => {
                let format = self.choices.one_of(&FORMATS[..2]);
                self.with_mode(
                    Op::FpToInt,
                    Sort::Int,
                    Sort::BitVec(2),
                    &[Sort::Float(format)],
                    depth,
                )
            }
            3 => self.select(ARRAYS[2], Sort::Int, Sort::Int, depth),
            _ => {
                let op = self
                    .choices
                    .one_of(&[Op::IntAdd, Op::IntMul, Op::IntDiv, Op::IntMod]);
                self.apply(op, Sort::Int, &[Sort::Int, Sort::Int], depth)
            }
        }
    }

    fn float(&mut self, format: FloatFormat, depth: u32) -> TermId {
        let (sort, mode) = (Sort::Float(format), Sort::BitVec(2));
        match self.choices.next() % 8 {
            0 => {
                let op = self.choices.one_of(&[Op::FpNeg, Op::FpAbs]);
                self.apply(op, sort, &[sort], depth)
            }
            1 => {
                let op = self.choices.one_of(&[Op::FpSqrt, Op::FpRoundToIntegral]);
                self.with_mode(op, sort, mode, &[sort], depth)
            }
            2 => {
                let from = self.choices.one_of(&FORMATS);
                self.with_mode(Op::FpToFp(format), sort, mode, &[Sort::Float(from)], depth)
            }
            3 => {
                let from = self.choices.one_of(&[8, 32, 64, 100]);
                let op = self
                    .choices
                    .one_of(&[Op::SbvToFp(format), Op::UbvToFp(format)]);
                self.with_mode(op, sort, mode, &[Sort::BitVec(from)], depth)
            }
            4 => {
                let bits = Sort::BitVec(format.storage_bits() as u8);
                self.apply(Op::FpFromBits(format), sort, &[bits], depth)
            }
            5 => match self.choices.next() % 4 {
                0 => self.with_mode(Op::FpFma, sort, mode, &[sort, sort, sort], depth),
                1 => self.with_mode(Op::IntToFp(format), sort, mode, &[Sort::Int], depth),
                2 => self.apply(Op::FpRem, sort, &[sort, sort], depth),
                _ => match element_of(ARRAYS[3], sort) {
                    Some((array, index)) => self.select(array, index, sort, depth),
                    None => self.leaf(sort),
                },
            },
            _ => {
                let op = self
                    .choices
                    .one_of(&[Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv]);
                self.with_mode(op, sort, mode, &[sort, sort], depth)
            }
        }
    }

    /// An operator with a rounding mode, which is mostly a constant.
    fn with_mode(
        &mut self,
        op: Op,
        sort: Sort,
        mode: Sort,
        operands: &[Sort],
        depth: u32,
    ) -> TermId {
        let constant = match self.choices.next() % 4 {
            0 => self.choices.value(mode),
            1 => Value::bit_vec(2, 3),
            _ => Value::bit_vec(2, 0),
        };
        let mut arguments = vec![store().intern_constant(&constant)];
        for operand in operands {
            arguments.push(self.term(*operand, depth));
        }
        store().intern(op, sort, &arguments)
    }
}

const FORMATS: [FloatFormat; 5] = [
    FloatFormat::F32,
    FloatFormat::F64,
    FloatFormat::F80,
    FloatFormat::F128,
    FloatFormat::F16,
];

/// The array's sort and its index sort, if its elements have the sort.
fn element_of(array: Sort, sort: Sort) -> Option<(Sort, Sort)> {
    match array {
        Sort::Array { index, element } if Sort::from(element) == sort => {
            Some((array, index.into()))
        }
        _ => None,
    }
}
