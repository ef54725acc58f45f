//! The modelled x86 vector instructions: gcc's functions `__builtin_ia32_…`, which the headers' intrinsics call where
//! no operator has the same meaning.
//!
//! The headers cast the operands; the name of an instruction determines its lanes. Other instructions are not
//! modelled, and paths through them are not followed.

use lang_c::ast;
use lang_c::span::Node;

use crate::ir::{BinaryOp, Expr, MathFunction, ScalarType, UnaryOp};
use crate::lower::expressions::fold;
use crate::lower::expressions::value::Value;
use crate::lower::{Lowerer, Result};
use crate::types::{FloatKind, IntegerKind, Type};

/// Prefix of gcc's functions for instructions.
pub(in crate::lower) const PREFIX: &str = "__builtin_ia32_";

/// Prefixes of the functions that read or write one lane.
const EXTRACT: &str = "vec_ext_";
const INSERT: &str = "vec_set_";

/// Instructions without an effect that a single thread can observe.
const WITHOUT_EFFECT: &[&str] = &["mfence", "lfence", "sfence", "pause", "emms", "clflush"];

/// The type of the lanes of a register.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Lane {
    Signed(u8),
    Unsigned(u8),
    Float,
    Double,
}

/// A value split into lanes.
struct Lanes {
    lane: Lane,
    scalar: ScalarType,
    parts: Vec<Expr>,
}

impl Lowerer<'_> {
    /// Lowers a call of an instruction's function; `None`, without evaluating arguments, if it is not modelled.
    pub(in crate::lower) fn intrinsic(
        &mut self,
        name: &str,
        nodes: &[Node<ast::Expression>],
    ) -> Result<Option<Value>> {
        let whole_name = name;
        let Some(name) = name.strip_prefix(PREFIX) else {
            return Ok(None);
        };
        if WITHOUT_EFFECT.contains(&name) {
            self.raw_arguments(nodes)?;
            return Ok(Some(Value::void()));
        }
        let name = name.strip_suffix("128").unwrap_or(name);
        if !is_modelled(name) {
            return Ok(None);
        }
        let values = self.raw_arguments(nodes)?;
        let is_known = !values.iter().any(|value| self.types.is_unknown(value.ty));
        if is_known && let Some(value) = self.instruction(name, &values)? {
            return Ok(Some(value));
        }
        self.unknown_result(whole_name).map(Some)
    }

    fn instruction(&mut self, name: &str, values: &[Value]) -> Result<Option<Value>> {
        if let Some((lane, operation)) = lanewise(name)
            && let [left, right] = values
        {
            let left = self.lanes(left, lane)?;
            let right = self.lanes(right, lane)?;
            let pairs = left.parts.into_iter().zip(right.parts);
            let parts = pairs.map(|(a, b)| operation.apply(a, b, lane)).collect();
            return self.of_lanes(parts, lane).map(Some);
        }
        if let Some((lane, op)) = immediate_shift(name)
            && let [value, count] = values
        {
            return self.shift_lanes(value, count, lane, op).map(Some);
        }
        if let Some((comparison, suffix)) = float_comparison(name) {
            return self.compare_lanes(comparison, suffix, values).map(Some);
        }
        match (name, values) {
            (_, [value, at]) if name.starts_with(EXTRACT) => self.one_lane(value, at, None),
            (_, [value, lane, at]) if name.starts_with(INSERT) => {
                self.one_lane(value, at, Some(lane))
            }
            ("pmovmskb" | "movmskps" | "movmskpd", [value]) => self.signs(name, value).map(Some),
            ("pslldqi" | "psrldqi", [value, count]) => self.shift_bytes(name, value, count),
            ("pshufd" | "pshufw" | "pshuflw" | "pshufhw", [value, order]) => {
                self.rearranged(name, value, order)
            }
            ("shufps" | "shufpd", [left, right, order]) => {
                self.chosen_from_both(name, left, right, order)
            }
            ("packsswb" | "packssdw" | "packuswb" | "packusdw", [left, right]) => {
                self.packed(name, left, right).map(Some)
            }
            ("pmaddwd" | "pmuludq" | "pmuldq", [left, right]) => {
                self.products(name, left, right).map(Some)
            }
            ("psadbw", [left, right]) => self.distances(left, right).map(Some),
            ("movhlps", [left, right]) => self.halves(left, right, [(1, 2), (0, 2)]).map(Some),
            ("movlhps", [left, right]) => self.halves(left, right, [(0, 0), (1, 0)]).map(Some),
            _ => match (interleaved(name), float_operation(name), values) {
                (Some((lane, from)), _, [left, right]) => {
                    let left = self.lanes(left, lane)?.parts;
                    let right = self.lanes(right, lane)?.parts;
                    let half = left.len() / 2;
                    let start = if from { half } else { 0 };
                    let pairs = left.into_iter().zip(right).skip(start).take(half);
                    let parts = pairs.flat_map(|(a, b)| [a, b]).collect();
                    self.of_lanes(parts, lane).map(Some)
                }
                (_, Some((operation, suffix)), operands) => {
                    self.float_lanes(operation, suffix, operands)
                }
                _ => Ok(None),
            },
        }
    }

    // --- lanes ---

    fn lane_type(&mut self, lane: Lane) -> Type {
        let long = IntegerKind::Long.bits(self.input.data_model()) == 64;
        let kind = match lane {
            Lane::Float => return self.types.float(FloatKind::Float),
            Lane::Double => return self.types.float(FloatKind::Double),
            Lane::Signed(bits) | Lane::Unsigned(bits) => match bits {
                8 => IntegerKind::SignedChar,
                16 => IntegerKind::Short,
                32 => IntegerKind::Int,
                _ if long => IntegerKind::Long,
                _ => IntegerKind::LongLong,
            },
        };
        let kind = match lane {
            Lane::Unsigned(_) => kind.unsigned(),
            _ => kind,
        };
        self.types.integer(kind)
    }

    /// The lanes of a vector, each evaluated once.
    fn lanes(&mut self, value: &Value, lane: Lane) -> Result<Lanes> {
        let element = self.lane_type(lane);
        let scalar = self.scalar_type(element)?;
        let size = self.size_of(value.ty)?;
        let count = size / self.size_of(element)?.max(1);
        let ty = self.types.vector(element, count);
        let value = self.cast(value.clone(), ty)?;
        let parts = self.parts(&value)?;
        let parts = self.all_computed_once(parts, scalar);
        Ok(Lanes {
            lane,
            scalar,
            parts,
        })
    }

    fn of_lanes(&mut self, parts: Vec<Expr>, lane: Lane) -> Result<Value> {
        let element = self.lane_type(lane);
        let ty = self.types.vector(element, parts.len() as u64);
        self.of_parts(parts, ty)
    }

    /// The value of an operand that must be constant.
    fn constant_operand(&mut self, value: &Value) -> Result<Option<u64>> {
        let (expr, _) = self.scalar_value(value.clone())?;
        Ok(fold::evaluate(&expr).and_then(|value| u64::try_from(value & 0xffff_ffff).ok()))
    }

    // --- groups of instructions ---

    /// Shifts all lanes by one count; a count of the width or more leaves only copies of the sign, or zero.
    fn shift_lanes(
        &mut self,
        value: &Value,
        count: &Value,
        lane: Lane,
        op: BinaryOp,
    ) -> Result<Value> {
        let operand = self.lanes(value, lane)?;
        let (count, from) = if self.types.is_vector(count.ty) {
            // The low half of the register.
            let counts = self.lanes(count, Lane::Unsigned(64))?;
            let element = self.lane_type(Lane::Unsigned(64));
            (counts.parts.into_iter().next(), element)
        } else {
            let (expr, ty) = self.scalar_value(count.clone())?;
            let unsigned = Type::UNSIGNED_INT;
            (Some(self.convert_scalar(expr, ty, unsigned)?), unsigned)
        };
        let Some(count) = count else {
            return Err(self.contradiction("a shift without a count"));
        };
        let scalar = self.scalar_type(from)?;
        let count = self.computed_once(count, scalar);
        let bits = lane.bits();
        let limit = fold::integer(i128::from(bits) - 1, scalar);
        let too_far = fold::binary(BinaryOp::Greater, count.clone(), limit.clone(), scalar);
        let near = choice(too_far.clone(), limit, count, scalar);
        let is_arithmetic = op == BinaryOp::ShiftRight && matches!(lane, Lane::Signed(_));
        let parts = operand.parts.into_iter().map(|part| {
            let shifted = fold::binary(op, part, near.clone(), operand.scalar);
            match is_arithmetic {
                true => shifted,
                false => choice(
                    too_far.clone(),
                    fold::zero(operand.scalar),
                    shifted,
                    operand.scalar,
                ),
            }
        });
        let parts = parts.collect();
        self.of_lanes(parts, operand.lane)
    }

    /// Shifts a whole register by a constant number of bits, a multiple of eight.
    fn shift_bytes(&mut self, name: &str, value: &Value, count: &Value) -> Result<Option<Value>> {
        let Some(count) = self.constant_operand(count)? else {
            return Ok(None);
        };
        let operand = self.lanes(value, Lane::Unsigned(8))?;
        let count = usize::try_from(count / 8).unwrap_or(usize::MAX);
        let zero = fold::zero(operand.scalar);
        let size = operand.parts.len();
        let parts = (0..size).map(|number| {
            let from = match name {
                "pslldqi" => number.checked_sub(count),
                _ => number.checked_add(count),
            };
            let part = from.and_then(|from| operand.parts.get(from));
            part.unwrap_or(&zero).clone()
        });
        let parts = parts.collect();
        self.of_lanes(parts, operand.lane).map(Some)
    }

    /// Reads the lane of a constant number, or replaces it.
    fn one_lane(
        &mut self,
        value: &Value,
        at: &Value,
        new: Option<&Value>,
    ) -> Result<Option<Value>> {
        let number = self.constant_operand(at)?;
        let Some((element, count)) = self.types.parts(value.ty) else {
            return Ok(None);
        };
        let number = number.and_then(|number| usize::try_from(number % count.max(1)).ok());
        let mut parts = self.parts(value)?;
        let (Some(number), true) = (number, self.types.is_vector(value.ty)) else {
            return Ok(None);
        };
        let Some(place) = parts.get_mut(number) else {
            return Ok(None);
        };
        let Some(new) = new else {
            return Ok(Some(Value::scalar(place.clone(), element)));
        };
        let (new, ty) = self.scalar_value(new.clone())?;
        *place = self.convert_scalar(new, ty, element)?;
        self.of_parts(parts, value.ty).map(Some)
    }

    /// The sign bits of all lanes as a number.
    fn signs(&mut self, name: &str, value: &Value) -> Result<Value> {
        let lane = match name {
            "pmovmskb" => Lane::Signed(8),
            "movmskps" => Lane::Signed(32),
            _ => Lane::Signed(64),
        };
        let operand = self.lanes(value, lane)?;
        let mut mask = fold::int(0);
        for (number, part) in operand.parts.into_iter().enumerate() {
            let zero = fold::zero(operand.scalar);
            let negative = fold::binary(BinaryOp::Less, part, zero, operand.scalar);
            let bit = choice(negative, fold::int(1 << number), fold::int(0), fold::INT);
            mask = fold::binary(BinaryOp::Or, mask, bit, fold::INT);
        }
        Ok(Value::scalar(mask, Type::INT))
    }

    /// Permutes lanes; a constant has two bits for each of four lanes.
    fn rearranged(&mut self, name: &str, value: &Value, order: &Value) -> Result<Option<Value>> {
        let Some(order) = self.constant_operand(order)? else {
            return Ok(None);
        };
        let lane = Lane::Signed(if name == "pshufd" { 32 } else { 16 });
        let operand = self.lanes(value, lane)?;
        let start = if name == "pshufhw" { 4 } else { 0 };
        let mut parts = operand.parts.clone();
        for number in 0..4 {
            let from = start + (order >> (2 * number) & 3) as usize;
            if let (Some(part), Some(place)) =
                (operand.parts.get(from), parts.get_mut(start + number))
            {
                *place = part.clone();
            }
        }
        self.of_lanes(parts, lane).map(Some)
    }

    /// Selects half of the lanes from either operand, by the bits of a constant.
    fn chosen_from_both(
        &mut self,
        name: &str,
        left: &Value,
        right: &Value,
        order: &Value,
    ) -> Result<Option<Value>> {
        let Some(order) = self.constant_operand(order)? else {
            return Ok(None);
        };
        let (lane, count, bits) = match name {
            "shufps" => (Lane::Float, 4, 2),
            _ => (Lane::Double, 2, 1),
        };
        let left = self.lanes(left, lane)?.parts;
        let right = self.lanes(right, lane)?.parts;
        let mask = (1 << bits) - 1;
        let parts = (0..count).filter_map(|number| {
            let from = (order >> (bits * number) & mask) as usize;
            let source = if number < count / 2 { &left } else { &right };
            source.get(from).cloned()
        });
        let parts = parts.collect();
        self.of_lanes(parts, lane).map(Some)
    }

    /// The lanes of both operands in half the width, saturated.
    fn packed(&mut self, name: &str, left: &Value, right: &Value) -> Result<Value> {
        let (wide, narrow) = match name {
            "packsswb" => (16, Lane::Signed(8)),
            "packuswb" => (16, Lane::Unsigned(8)),
            "packssdw" => (32, Lane::Signed(16)),
            _ => (32, Lane::Unsigned(16)),
        };
        let mut parts = Vec::new();
        for value in [left, right] {
            let operand = self.lanes(value, Lane::Signed(wide))?;
            let nearest = operand.parts.into_iter().map(|part| {
                let part = fold::convert(part, operand.scalar, fold::INT);
                saturated(part, narrow)
            });
            parts.extend(nearest);
        }
        self.of_lanes(parts, narrow)
    }

    /// Products of lanes in twice the width: sums of two, or those of the even lanes.
    fn products(&mut self, name: &str, left: &Value, right: &Value) -> Result<Value> {
        let (narrow, wide) = match name {
            "pmaddwd" => (Lane::Signed(16), Lane::Signed(32)),
            "pmuldq" => (Lane::Signed(32), Lane::Signed(64)),
            _ => (Lane::Unsigned(32), Lane::Unsigned(64)),
        };
        let left = self.lanes(left, narrow)?;
        let right = self.lanes(right, narrow)?;
        let scalar = wide.scalar();
        let pairs = left.parts.into_iter().zip(right.parts);
        let products: Vec<Expr> = pairs
            .map(|(a, b)| {
                let [a, b] = [a, b].map(|part| fold::convert(part, left.scalar, scalar));
                fold::binary(BinaryOp::Multiply, a, b, scalar)
            })
            .collect();
        let parts = products
            .chunks(2)
            .filter_map(|pair| match pair {
                [first, second] if name == "pmaddwd" => Some(fold::binary(
                    BinaryOp::Add,
                    first.clone(),
                    second.clone(),
                    scalar,
                )),
                [first, ..] => Some(first.clone()),
                [] => None,
            })
            .collect();
        self.of_lanes(parts, wide)
    }

    /// The sum of absolute differences of each eight bytes.
    fn distances(&mut self, left: &Value, right: &Value) -> Result<Value> {
        let left = self.lanes(left, Lane::Unsigned(8))?;
        let right = self.lanes(right, Lane::Unsigned(8))?;
        let wide = Lane::Unsigned(64).scalar();
        let pairs: Vec<(Expr, Expr)> = left.parts.into_iter().zip(right.parts).collect();
        let parts = pairs.chunks(8).map(|pairs| {
            let mut sum = fold::zero(wide);
            for (a, b) in pairs {
                let less = fold::binary(BinaryOp::Less, a.clone(), b.clone(), left.scalar);
                let [a, b] = [a, b].map(|part| fold::convert(part.clone(), left.scalar, wide));
                let below = fold::binary(BinaryOp::Subtract, b.clone(), a.clone(), wide);
                let above = fold::binary(BinaryOp::Subtract, a, b, wide);
                let distance = choice(less, below, above, wide);
                sum = fold::binary(BinaryOp::Add, sum, distance, wide);
            }
            sum
        });
        let parts = parts.collect();
        self.of_lanes(parts, Lane::Unsigned(64))
    }

    /// Two lanes each from two places; a place is the number of the operand and of the first lane.
    fn halves(
        &mut self,
        left: &Value,
        right: &Value,
        places: [(usize, usize); 2],
    ) -> Result<Value> {
        let sources = [
            self.lanes(left, Lane::Float)?.parts,
            self.lanes(right, Lane::Float)?.parts,
        ];
        // `movhlps` takes the right operand's high half and keeps the left one's.
        let parts = places.into_iter().flat_map(|(source, start)| {
            sources[source]
                .iter()
                .skip(start)
                .take(2)
                .cloned()
                .collect::<Vec<_>>()
        });
        let parts = parts.collect();
        self.of_lanes(parts, Lane::Float)
    }

    /// A comparison of floats: a lane of the result has all bits set or none.
    fn compare_lanes(
        &mut self,
        (op, negated): (Option<BinaryOp>, bool),
        suffix: &str,
        values: &[Value],
    ) -> Result<Value> {
        let [left, right] = values else {
            return Err(self.error("a comparison of two vectors"));
        };
        let (lane, mask) = match suffix.as_bytes().last() {
            Some(b's') => (Lane::Float, Lane::Signed(32)),
            _ => (Lane::Double, Lane::Signed(64)),
        };
        let kept = self.lanes(left, mask)?.parts;
        let left = self.lanes(left, lane)?;
        let right = self.lanes(right, lane)?;
        let scalar = mask.scalar();
        let is_single = suffix.starts_with('s');
        let pairs = left.parts.into_iter().zip(right.parts).zip(kept);
        let parts = pairs
            .enumerate()
            .map(|(number, ((a, b), kept))| {
                if is_single && number > 0 {
                    return kept;
                }
                let truth = match op {
                    Some(op) => fold::binary(op, a, b, left.scalar),
                    // Ordered: neither is a NaN.
                    None => {
                        let [a, b] = [a, b].map(|part| {
                            fold::binary(BinaryOp::Equal, part.clone(), part, left.scalar)
                        });
                        fold::binary(BinaryOp::LogicalAnd, a, b, fold::INT)
                    }
                };
                let (yes, no) = (fold::integer(-1, scalar), fold::zero(scalar));
                match negated {
                    true => choice(truth, no, yes, scalar),
                    false => choice(truth, yes, no, scalar),
                }
            })
            .collect();
        self.of_lanes(parts, mask)
    }

    /// An operation on all lanes of floats, or only on the first one (`s` before the type).
    fn float_lanes(
        &mut self,
        operation: &str,
        suffix: &str,
        values: &[Value],
    ) -> Result<Option<Value>> {
        let lane = match suffix.as_bytes().last() {
            Some(b's') => Lane::Float,
            _ => Lane::Double,
        };
        let is_single = suffix.starts_with('s');
        let (Some(left), right) = (values.first(), values.get(1)) else {
            return Ok(None);
        };
        let left = self.lanes(left, lane)?;
        let right = match right {
            Some(right) => self.lanes(right, lane)?.parts,
            None => left.parts.clone(),
        };
        let scalar = left.scalar;
        let pairs = left.parts.into_iter().zip(right).enumerate();
        let parts: Option<Vec<Expr>> = pairs
            .map(|(number, (a, b))| {
                if is_single && number > 0 {
                    return Some(a);
                }
                let compare = |op| fold::binary(op, a.clone(), b.clone(), scalar);
                Some(match operation {
                    "add" => compare(BinaryOp::Add),
                    "sub" => compare(BinaryOp::Subtract),
                    "mul" => compare(BinaryOp::Multiply),
                    "div" => compare(BinaryOp::Divide),
                    // The result is the second operand also if one is a NaN or both are zero.
                    "min" => choice(compare(BinaryOp::Less), a.clone(), b.clone(), scalar),
                    "max" => choice(compare(BinaryOp::Greater), a.clone(), b.clone(), scalar),
                    "mov" => b,
                    "sqrt" => Expr::Math {
                        function: MathFunction::SquareRoot,
                        arguments: vec![a],
                        scalar,
                    },
                    _ => return None,
                })
            })
            .collect();
        match parts {
            Some(parts) => self.of_lanes(parts, lane).map(Some),
            None => Ok(None),
        }
    }
}

impl Lane {
    fn bits(self) -> u8 {
        match self {
            Self::Signed(bits) | Self::Unsigned(bits) => bits,
            Self::Float => 32,
            Self::Double => 64,
        }
    }

    /// The integer type of the lane's width.
    fn scalar(self) -> ScalarType {
        ScalarType::Integer {
            bits: self.bits(),
            signed: matches!(self, Self::Signed(_)),
        }
    }

    /// The minimum and maximum of a narrow lane.
    fn range(self) -> (i128, i128) {
        let bits = self.bits();
        match self {
            Self::Unsigned(_) => (0, (1 << bits) - 1),
            _ => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        }
    }
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum LaneOperation {
    /// An operator in a wide type, saturated.
    Saturated(BinaryOp),
    Average,
    Least,
    Greatest,
    /// The upper half of the product.
    HighProduct,
    Compare(BinaryOp),
    /// Complement of the first operand and the second.
    AndNot,
    And,
    Or,
    Xor,
}

impl LaneOperation {
    fn apply(self, a: Expr, b: Expr, lane: Lane) -> Expr {
        let scalar = lane.scalar();
        let wide = |part| fold::convert(part, scalar, fold::INT);
        match self {
            Self::Saturated(op) => saturated(fold::binary(op, wide(a), wide(b), fold::INT), lane),
            Self::Average => {
                let sum = fold::binary(BinaryOp::Add, wide(a), wide(b), fold::INT);
                let sum = fold::binary(BinaryOp::Add, sum, fold::int(1), fold::INT);
                let half = fold::binary(BinaryOp::ShiftRight, sum, fold::int(1), fold::INT);
                fold::convert(half, fold::INT, scalar)
            }
            Self::Least | Self::Greatest => {
                let less = fold::binary(BinaryOp::Less, a.clone(), b.clone(), scalar);
                match self {
                    Self::Least => choice(less, a, b, scalar),
                    _ => choice(less, b, a, scalar),
                }
            }
            Self::HighProduct => {
                let wide = ScalarType::Integer {
                    bits: 32,
                    signed: matches!(lane, Lane::Signed(_)),
                };
                let [a, b] = [a, b].map(|part| fold::convert(part, scalar, wide));
                let product = fold::binary(BinaryOp::Multiply, a, b, wide);
                let high = fold::binary(BinaryOp::ShiftRight, product, fold::int(16), wide);
                fold::convert(high, wide, scalar)
            }
            Self::Compare(op) => {
                let truth = fold::binary(op, a, b, scalar);
                choice(truth, fold::integer(-1, scalar), fold::zero(scalar), scalar)
            }
            Self::AndNot => {
                let a = fold::unary(UnaryOp::Complement, a, scalar);
                fold::binary(BinaryOp::And, a, b, scalar)
            }
            Self::And => fold::binary(BinaryOp::And, a, b, scalar),
            Self::Or => fold::binary(BinaryOp::Or, a, b, scalar),
            Self::Xor => fold::binary(BinaryOp::Xor, a, b, scalar),
        }
    }
}

fn choice(condition: Expr, then: Expr, otherwise: Expr, scalar: ScalarType) -> Expr {
    match fold::constant_truth(&condition) {
        Some(true) => then,
        Some(false) => otherwise,
        None => Expr::conditional(condition, then, otherwise, scalar),
    }
}

/// An `int` saturated to the range of a narrow lane.
fn saturated(value: Expr, lane: Lane) -> Expr {
    let (least, greatest) = lane.range();
    let below = fold::binary(BinaryOp::Less, value.clone(), fold::int(least), fold::INT);
    let above = fold::binary(
        BinaryOp::Greater,
        value.clone(),
        fold::int(greatest),
        fold::INT,
    );
    let value = choice(above, fold::int(greatest), value, fold::INT);
    let value = choice(below, fold::int(least), value, fold::INT);
    fold::convert(value, fold::INT, lane.scalar())
}

/// The width of lanes according to the last letter of an instruction's name.
fn width(letter: &str) -> Option<u8> {
    Some(match letter {
        "b" => 8,
        "w" => 16,
        "d" => 32,
        "q" => 64,
        _ => return None,
    })
}

/// The lane and operation of an instruction on pairs of lanes.
fn lanewise(name: &str) -> Option<(Lane, LaneOperation)> {
    let of_bits = match name {
        "andps" | "andpd" | "pand" => Some(LaneOperation::And),
        "andnps" | "andnpd" | "pandn" => Some(LaneOperation::AndNot),
        "orps" | "orpd" | "por" => Some(LaneOperation::Or),
        "xorps" | "xorpd" | "pxor" => Some(LaneOperation::Xor),
        _ => None,
    };
    if let Some(operation) = of_bits {
        return Some((Lane::Unsigned(32), operation));
    }
    let (rest, letter) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let bits = width(letter)?;
    let (signed, unsigned) = (Lane::Signed(bits), Lane::Unsigned(bits));
    let narrow = bits <= 16;
    Some(match rest {
        "padds" if narrow => (signed, LaneOperation::Saturated(BinaryOp::Add)),
        "paddus" if narrow => (unsigned, LaneOperation::Saturated(BinaryOp::Add)),
        "psubs" if narrow => (signed, LaneOperation::Saturated(BinaryOp::Subtract)),
        "psubus" if narrow => (unsigned, LaneOperation::Saturated(BinaryOp::Subtract)),
        "pavg" if narrow => (unsigned, LaneOperation::Average),
        "pmins" => (signed, LaneOperation::Least),
        "pminu" => (unsigned, LaneOperation::Least),
        "pmaxs" => (signed, LaneOperation::Greatest),
        "pmaxu" => (unsigned, LaneOperation::Greatest),
        "pmulh" if bits == 16 => (signed, LaneOperation::HighProduct),
        "pmulhu" if bits == 16 => (unsigned, LaneOperation::HighProduct),
        "pcmpeq" => (signed, LaneOperation::Compare(BinaryOp::Equal)),
        "pcmpgt" => (signed, LaneOperation::Compare(BinaryOp::Greater)),
        _ => return None,
    })
}

/// The lane and operation of a shift of all lanes by one count, in a register or (`i`) as a number.
fn immediate_shift(name: &str) -> Option<(Lane, BinaryOp)> {
    let name = name.strip_suffix('i').unwrap_or(name);
    let (rest, letter) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let bits = width(letter).filter(|&bits| bits > 8)?;
    Some(match rest {
        "psll" => (Lane::Unsigned(bits), BinaryOp::ShiftLeft),
        "psrl" => (Lane::Unsigned(bits), BinaryOp::ShiftRight),
        "psra" => (Lane::Signed(bits), BinaryOp::ShiftRight),
        _ => return None,
    })
}

/// The lane of an interleaving of both operands, and whether it takes the high halves.
fn interleaved(name: &str) -> Option<(Lane, bool)> {
    let is_high = name.starts_with("punpckh") || name.starts_with("unpckh");
    let lane = match name {
        "punpcklbw" | "punpckhbw" => Lane::Signed(8),
        "punpcklwd" | "punpckhwd" => Lane::Signed(16),
        "punpckldq" | "punpckhdq" => Lane::Signed(32),
        "punpcklqdq" | "punpckhqdq" => Lane::Signed(64),
        "unpcklps" | "unpckhps" => Lane::Float,
        "unpcklpd" | "unpckhpd" => Lane::Double,
        _ => return None,
    };
    Some((lane, is_high))
}

/// The operator of a comparison of floats (`None`: both are ordered), whether it is negated, and the lane suffix.
#[allow(clippy::type_complexity)]
fn float_comparison(name: &str) -> Option<((Option<BinaryOp>, bool), &str)> {
    let name = name.strip_prefix("cmp")?;
    let (comparison, suffix) = name.split_at_checked(name.len().checked_sub(2)?)?;
    if !matches!(suffix, "ps" | "pd" | "ss" | "sd") {
        return None;
    }
    let comparison = match comparison {
        "eq" => (Some(BinaryOp::Equal), false),
        "neq" => (Some(BinaryOp::Equal), true),
        "lt" => (Some(BinaryOp::Less), false),
        "nlt" => (Some(BinaryOp::Less), true),
        "le" => (Some(BinaryOp::LessEqual), false),
        "nle" => (Some(BinaryOp::LessEqual), true),
        "gt" => (Some(BinaryOp::Greater), false),
        "ngt" => (Some(BinaryOp::Greater), true),
        "ge" => (Some(BinaryOp::GreaterEqual), false),
        "nge" => (Some(BinaryOp::GreaterEqual), true),
        "ord" => (None, false),
        "unord" => (None, true),
        _ => return None,
    };
    Some((comparison, suffix))
}

/// The operation on floats and its lane suffix.
fn float_operation(name: &str) -> Option<(&str, &str)> {
    let (operation, suffix) = name.split_at_checked(name.len().checked_sub(2)?)?;
    let of_one = matches!(operation, "add" | "sub" | "mul" | "div" | "mov");
    let of_all = matches!(operation, "min" | "max" | "sqrt");
    let is_known = match suffix {
        "ss" | "sd" => of_one || of_all,
        "ps" | "pd" => of_all,
        _ => false,
    };
    is_known.then_some((operation, suffix))
}

fn is_modelled(name: &str) -> bool {
    const OTHERS: &[&str] = &[
        "pmovmskb", "movmskps", "movmskpd", "pslldqi", "psrldqi", "pshufd", "pshufw", "pshuflw",
        "pshufhw", "shufps", "shufpd", "packsswb", "packssdw", "packuswb", "packusdw", "pmaddwd",
        "pmuludq", "pmuldq", "psadbw", "movhlps", "movlhps",
    ];
    OTHERS.contains(&name)
        || name.starts_with(EXTRACT)
        || name.starts_with(INSERT)
        || lanewise(name).is_some()
        || immediate_shift(name).is_some()
        || interleaved(name).is_some()
        || float_comparison(name).is_some()
        || float_operation(name).is_some()
}
