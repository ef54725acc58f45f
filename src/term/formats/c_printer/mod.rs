//! Prints terms as expressions of C11, for the invariants of witnesses.
//!
//! C's operators differ from the terms' operators: narrow operands are promoted, signed arithmetic must not overflow, shifts must
//! be in range, division must be defined. So each part is printed with the interpretation of its C value (the bits read as
//! an unsigned or as a signed number), and operands are cast where an operator needs another one. Beyond the standard, the
//! printer relies on implementation-defined behaviour that gcc and clang document: conversion to a narrower signed type wraps, a
//! right shift of a negative number keeps the sign.

mod expression;

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use rustc_hash::FxHashMap;

use self::expression::{
    Binding, Expression, Reading, Text, cast, conditional, container, cut, infix, operand,
    signed_literal, signed_type, unsigned_literal, unsigned_type,
};
use crate::syntax::value::mask;
use crate::{
    BitVecValue, Constant, FloatFormat, FloatValue, Op, Pool, Sort, Symbol, TermId, TermKind,
    for_each_subterm,
};

/// Maximum length of a printed text (bytes); texts may be exponential in the term, because C expressions cannot name shared
/// parts.
const MAXIMUM_TEXT_LENGTH: usize = 1 << 16;

/// A variable as C declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CVariable {
    /// A name, or another lvalue of the same precedence (`s.f`, `a[3]`). For an array variable: the lvalue of a cell, with the
    /// first `[]` for the index (`a[]`, `s[].f`).
    pub name: String,
    /// The variable's type; for an array that of a cell.
    pub c_type: CType,
}

/// A type whose values can be printed. Widths that no integer type has are those of bit-fields.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum CType {
    /// `signed char`, `short`, `int`, `long`, `long long`, by their size in bits.
    Signed(u8),
    /// Their unsigned counterparts.
    Unsigned(u8),
    /// `_Bool`.
    Bool,
    /// `float`, `double` and `long double`.
    Float(FloatFormat),
    /// Pointers can only be compared for equality: C does not define their numbers.
    Pointer,
}

/// Prints the term as a C expression over the variables that `declared` knows. A truth value becomes 0 or 1, an integer its
/// value, a bit vector an expression that is congruent to it. `None` if C cannot express it, or not in reasonable length.
///
/// A read of an array's cell is only defined where its index is in bounds: callers that need an expression that is defined
/// everywhere must ensure that. Bounds are less than half of the range of the index's sort.
pub fn to_c(
    pool: &(impl Pool + ?Sized),
    term: TermId,
    declared: &dyn Fn(Symbol, u32) -> Option<CVariable>,
) -> Option<String> {
    let mut printed: FxHashMap<TermId, Option<Rc<Expression>>> = FxHashMap::default();
    for_each_subterm(pool, [term], |term, kind| {
        let expression = match kind {
            TermKind::Constant(constant) => literal(constant),
            TermKind::Variable { symbol, instance } => {
                declared(symbol, instance).and_then(|variable| of_variable(symbol.sort(), variable))
            }
            TermKind::Apply {
                op: Op::Select,
                arguments: [array, index],
            } => {
                let index = printed.get(index).and_then(Option::as_deref);
                index.and_then(|index| cell(pool, *array, index, declared))
            }
            TermKind::Apply { op, arguments } => {
                let operands: Option<Vec<_>> = arguments
                    .iter()
                    .map(|term| printed.get(term)?.clone())
                    .collect();
                operands.and_then(|operands| application(op, pool.sort(term), &operands))
            }
        };
        let expression =
            expression.filter(|expression| expression.text.len() <= MAXIMUM_TEXT_LENGTH);
        printed.insert(term, expression.map(Rc::new));
    });
    printed
        .remove(&term)?
        .map(|expression| expression.text.clone())
}

fn literal(constant: Constant<'_>) -> Option<Expression> {
    Some(match constant {
        Constant::Bool(value) => Expression::new(
            (u8::from(value).to_string(), Binding::Primary),
            Reading::Truth,
        ),
        Constant::BitVec(value) if value.width() <= 64 => {
            // This text is used if the whole term is the constant.
            Expression::new(signed_literal(value), Reading::Literal(value))
        }
        Constant::BitVec(_) => return None,
        Constant::Int(value) => {
            let number = BitVecValue::from_signed(64, value.to_i64()?.into());
            Expression::new(signed_literal(number), Reading::Integer(value.abs().bits()))
        }
        Constant::Float(value) => return float_literal(value),
    })
}

fn float_literal(value: FloatValue) -> Option<Expression> {
    let suffix = match value.format() {
        FloatFormat::F32 => "f",
        FloatFormat::F64 => "",
        FloatFormat::F80 => "L",
        FloatFormat::F16 | FloatFormat::F128 => return None,
    };
    let is_number = !value.is_nan() && !value.is_infinite();
    let binding = if value.sign_bit() {
        Binding::Unary
    } else {
        Binding::Primary
    };
    is_number.then(|| {
        Expression::new(
            (format!("{value}{suffix}"), binding),
            Reading::Float(value.format()),
        )
    })
}

fn of_variable(sort: Sort, CVariable { name, c_type }: CVariable) -> Option<Expression> {
    let text = (name, Binding::Primary);
    Some(match (sort, c_type) {
        (Sort::Bool, CType::Bool) => Expression::new(text, Reading::Truth),
        (Sort::Bool, CType::Signed(_) | CType::Unsigned(_)) => {
            let zero = ("0".to_owned(), Binding::Primary);
            Expression::new(infix(text, "!=", zero, Binding::Equality), Reading::Truth)
        }
        (Sort::BitVec(width), CType::Bool) if width <= 64 => {
            Expression::new(text, Reading::Unsigned(width, None))
        }
        (Sort::BitVec(width @ ..=64), CType::Signed(bits)) if bits == width => {
            // Some compilers compute with a bit-field wider than `int` in its own width, others convert it first.
            let is_wide_field = bits > 32 && signed_type(bits).is_none();
            let text = match is_wide_field {
                true => cast("long long", text),
                false => text,
            };
            Expression::new(text, Reading::Signed(width))
        }
        (Sort::BitVec(width @ ..=64), CType::Unsigned(bits)) if bits == width => {
            // `unsigned long` is not `unsigned long long`, but computes as it does.
            let exact = matches!(bits, 32 | 64).then_some(bits);
            Expression::new(text, Reading::Unsigned(width, exact))
        }
        (Sort::BitVec(width), CType::Pointer) => {
            Expression::new(cast("void *", text), Reading::Pointer(width))
        }
        (Sort::Int, CType::Signed(bits @ ..=64)) => Expression::new(
            cast("long long", text),
            Reading::Integer(u64::from(bits) - 1),
        ),
        (Sort::Int, CType::Unsigned(bits @ ..=32)) => {
            Expression::new(cast("long long", text), Reading::Integer(bits.into()))
        }
        (Sort::Int, CType::Bool) => Expression::new(cast("long long", text), Reading::Integer(1)),
        (Sort::Float(format), CType::Float(own))
            if format == own && !matches!(format, FloatFormat::F16 | FloatFormat::F128) =>
        {
            Expression::new(text, Reading::Float(format))
        }
        _ => return None,
    })
}

/// Prints a read of an array's cell.
fn cell(
    pool: &(impl Pool + ?Sized),
    array: TermId,
    index: &Expression,
    declared: &dyn Fn(Symbol, u32) -> Option<CVariable>,
) -> Option<Expression> {
    let (symbol, instance) = pool.as_variable(array)?;
    let CVariable { name, c_type } = declared(symbol, instance)?;
    let (before, after) = name.split_once("[]")?;
    let Sort::Array { element, .. } = symbol.sort() else {
        return None;
    };
    // In bounds, the index is the same number when read as signed.
    let index = match index.reading {
        Reading::Integer(_) | Reading::Signed(_) => index.text(),
        Reading::Literal(value) if i32::try_from(value.bits()).is_ok() => {
            (value.bits().to_string(), Binding::Primary)
        }
        _ => index.unsigned()?,
    };
    let name = format!("{before}[{}]{after}", index.0);
    of_variable(element.into(), CVariable { name, c_type })
}

fn truth(text: Text) -> Expression {
    Expression::new(text, Reading::Truth)
}

/// Maximum bits of the magnitude of integers; their sums still fit a `long long`.
const INTEGER_BITS: u64 = 62;

fn integer(text: Text, bits: u64) -> Option<Expression> {
    (bits <= INTEGER_BITS).then(|| Expression::new(text, Reading::Integer(bits)))
}

fn application(op: Op, sort: Sort, operands: &[Rc<Expression>]) -> Option<Expression> {
    match (op, operands) {
        (Op::And | Op::Or, _) => {
            let (operator, binding) = if op == Op::And {
                ("&&", Binding::And)
            } else {
                ("||", Binding::Or)
            };
            let parts: Option<Vec<_>> = operands.iter().map(|part| part.truth()).collect();
            parts?
                .into_iter()
                .reduce(|left, right| infix(left, operator, right, binding))
                .map(truth)
        }
        (Op::Ite, [condition, then, otherwise]) => choice(condition, then, otherwise),
        (Op::Eq, [a, b]) => equality(a, b),
        (_, [a]) => match sort {
            Sort::Bool => predicate(op, a),
            Sort::BitVec(width) => unary_bit_vec(op, width, a),
            _ => unary_number(op, sort, a),
        },
        (_, [a, b]) => match sort {
            Sort::Bool => relation(op, a, b),
            Sort::BitVec(width) => binary_bit_vec(op, width, a, b),
            Sort::Int => binary_integer(op, a, b),
            // Widening is exact in every rounding mode.
            Sort::Float(to) if op == Op::FpToFp(to) => widening(to, b),
            _ => None,
        },
        _ => None,
    }
}

fn choice(condition: &Expression, then: &Expression, otherwise: &Expression) -> Option<Expression> {
    let condition = condition.truth()?;
    let both = |then, otherwise, reading| {
        Some(Expression::new(
            conditional(condition, then, otherwise),
            reading,
        ))
    };
    match (then.reading, otherwise.reading) {
        (Reading::Truth, _) => both(then.text(), otherwise.text(), Reading::Truth),
        (Reading::Integer(a), Reading::Integer(b)) => {
            both(then.text(), otherwise.text(), Reading::Integer(a.max(b)))
        }
        (Reading::Float(format), _) => {
            both(then.text(), otherwise.float()?, Reading::Float(format))
        }
        (Reading::Signed(width), Reading::Signed(_) | Reading::Literal(_)) => {
            both(then.text(), otherwise.signed()?, Reading::Signed(width))
        }
        (Reading::Literal(value), Reading::Signed(_)) => both(
            then.signed()?,
            otherwise.text(),
            Reading::Signed(value.width()),
        ),
        (Reading::Signed(width) | Reading::Unsigned(width, _), _) => both(
            then.unsigned()?,
            otherwise.unsigned()?,
            Reading::Unsigned(width, None),
        ),
        (Reading::Literal(value), _) => both(
            then.unsigned()?,
            otherwise.unsigned()?,
            Reading::Unsigned(value.width(), None),
        ),
        (Reading::Pointer(width), Reading::Pointer(_)) => {
            both(then.text(), otherwise.text(), Reading::Pointer(width))
        }
        (Reading::Integer(_) | Reading::Pointer(_), _) => None,
    }
}

fn equality(a: &Expression, b: &Expression) -> Option<Expression> {
    let (left, right) = match (a.reading, b.reading) {
        (Reading::Truth, _) | (Reading::Integer(_), _) => (a.text(), b.text()),
        // C's equality is the identity of values unless a zero or NaN is involved.
        (Reading::Float(_), _) => {
            let is_nonzero = |text: &str| text.starts_with("0x") && !text.starts_with("0x0");
            let tells = [a, b]
                .iter()
                .any(|side| is_nonzero(side.text.trim_start_matches('-')));
            if !tells {
                return None;
            }
            (a.text(), b.text())
        }
        (Reading::Pointer(_), _) | (_, Reading::Pointer(_)) => (a.pointer()?, b.pointer()?),
        _ if (a.is_signed() || a.literal().is_some())
            && (b.is_signed() || b.literal().is_some()) =>
        {
            (a.signed()?, b.signed()?)
        }
        _ => (a.unsigned()?, b.unsigned()?),
    };
    Some(truth(infix(left, "==", right, Binding::Equality)))
}

fn predicate(op: Op, a: &Expression) -> Option<Expression> {
    match op {
        Op::Not => {
            let text = operand(a.truth()?, Binding::Unary);
            Some(truth((format!("!{text}"), Binding::Unary)))
        }
        Op::FpIsNan => Some(truth(infix(
            a.float()?,
            "!=",
            a.float()?,
            Binding::Equality,
        ))),
        Op::FpIsZero => {
            let zero = ("0".to_owned(), Binding::Primary);
            Some(truth(infix(a.float()?, "==", zero, Binding::Equality)))
        }
        _ => None,
    }
}

fn relation(op: Op, a: &Expression, b: &Expression) -> Option<Expression> {
    let (left, right) = match op {
        Op::BvUlt | Op::BvUle => (a.unsigned()?, b.unsigned()?),
        Op::BvSlt | Op::BvSle => (a.signed()?, b.signed()?),
        Op::IntLt | Op::IntLe => (a.integer()?.0, b.integer()?.0),
        Op::FpLt | Op::FpLe | Op::FpEq => (a.float()?, b.float()?),
        _ => return None,
    };
    Some(truth(match op {
        Op::FpEq => infix(left, "==", right, Binding::Equality),
        Op::BvUlt | Op::BvSlt | Op::IntLt | Op::FpLt => infix(left, "<", right, Binding::Relation),
        _ => infix(left, "<=", right, Binding::Relation),
    }))
}

fn unary_bit_vec(op: Op, width: u8, a: &Expression) -> Option<Expression> {
    let wide = (width <= 64).then(|| container(width))?;
    let prefixed = |sign: char, text| {
        (
            format!("{sign}{}", operand(text, Binding::Primary)),
            Binding::Unary,
        )
    };
    match op {
        Op::BvNeg => cut(prefixed('-', a.unsigned_as(wide)?), width),
        Op::BvNot => cut(prefixed('~', a.unsigned_as(wide)?), width),
        Op::ZeroExtend(_) => {
            let exact = match a.reading {
                Reading::Unsigned(_, exact) => exact,
                _ => None,
            };
            Some(Expression::new(
                a.unsigned()?,
                Reading::Unsigned(width, exact),
            ))
        }
        Op::SignExtend(_) => {
            let text = match a.reading {
                Reading::Signed(own) | Reading::Unsigned(own, _) if container(own) < wide => {
                    cast(signed_type(wide)?, a.signed()?)
                }
                _ => a.signed()?,
            };
            Some(Expression::new(text, Reading::Signed(width)))
        }
        Op::Extract { low, .. } => {
            let (Reading::Unsigned(own, _) | Reading::Signed(own)) = a.reading else {
                return None;
            };
            let own = container(own);
            let amount = (low.to_string(), Binding::Primary);
            let shifted = match low {
                0 => a.unsigned_as(own)?,
                _ => infix(a.unsigned_as(own)?, ">>", amount, Binding::Shift),
            };
            // From 64 bits to 32.
            let narrow = if own == wide {
                shifted
            } else {
                cast(unsigned_type(wide)?, shifted)
            };
            cut(narrow, width)
        }
        Op::IntToBv(_) => cut(cast(unsigned_type(wide)?, a.integer()?.0), width),
        _ => None,
    }
}

fn unary_number(op: Op, sort: Sort, a: &Expression) -> Option<Expression> {
    match (op, sort) {
        (Op::BvToNat, _) => match a.reading {
            Reading::Unsigned(width @ ..=62, _) | Reading::Signed(width @ ..=62) => {
                integer(cast("long long", a.unsigned()?), width.into())
            }
            _ => None,
        },
        (Op::BvToInt, _) => match a.reading {
            Reading::Unsigned(width, _) | Reading::Signed(width) => {
                integer(cast("long long", a.signed()?), u64::from(width) - 1)
            }
            _ => None,
        },
        (Op::IntNeg, _) => {
            let (text, bits) = a.integer()?;
            integer(
                (
                    format!("-{}", operand(text, Binding::Primary)),
                    Binding::Unary,
                ),
                bits,
            )
        }
        (Op::FpNeg, Sort::Float(format)) => {
            let text = format!("-{}", operand(a.float()?, Binding::Primary));
            Some(Expression::new(
                (text, Binding::Unary),
                Reading::Float(format),
            ))
        }
        _ => None,
    }
}

fn widening(to: FloatFormat, a: &Expression) -> Option<Expression> {
    let name = match (a.reading, to) {
        (Reading::Float(FloatFormat::F32), FloatFormat::F64) => "double",
        (Reading::Float(FloatFormat::F32 | FloatFormat::F64), FloatFormat::F80) => "long double",
        _ => return None,
    };
    Some(Expression::new(cast(name, a.float()?), Reading::Float(to)))
}

fn binary_bit_vec(op: Op, width: u8, a: &Expression, b: &Expression) -> Option<Expression> {
    let wide = (width <= 64).then(|| container(width))?;
    let (left, right) = (a.unsigned_as(wide), b.unsigned_as(wide));
    let exact = Reading::Unsigned(width, Some(wide));
    let unsigned =
        |operator, binding| Some(infix(left.clone()?, operator, right.clone()?, binding));
    let number = |value: u128| unsigned_literal(BitVecValue::new(wide, value));
    let is_zero =
        |side: &Option<Text>| Some(infix(side.clone()?, "==", number(0), Binding::Equality));
    let divisor_is_known = b.literal().is_some_and(|value| value.bits() != 0);
    match op {
        Op::BvAdd => cut(unsigned("+", Binding::Sum)?, width),
        Op::BvMul => cut(unsigned("*", Binding::Product)?, width),
        Op::BvAnd => Some(Expression::new(unsigned("&", Binding::BitAnd)?, exact)),
        Op::BvOr => Some(Expression::new(unsigned("|", Binding::BitOr)?, exact)),
        Op::BvXor => Some(Expression::new(unsigned("^", Binding::BitXor)?, exact)),
        Op::BvUdiv | Op::BvUrem => {
            let operator = if op == Op::BvUdiv { "/" } else { "%" };
            let result = unsigned(operator, Binding::Product)?;
            if divisor_is_known {
                return Some(Expression::new(result, exact));
            }
            let by_zero = if op == Op::BvUdiv {
                number(mask(width))
            } else {
                left.clone()?
            };
            Some(Expression::new(
                conditional(is_zero(&right)?, by_zero, result),
                exact,
            ))
        }
        Op::BvSdiv | Op::BvSrem => signed_division(op, width, a, b),
        Op::BvShl | Op::BvLshr => {
            let operator = if op == Op::BvShl { "<<" } else { ">>" };
            let in_range = infix(right.clone()?, "<", number(width.into()), Binding::Relation);
            cut(
                conditional(in_range, unsigned(operator, Binding::Shift)?, number(0)),
                width,
            )
        }
        Op::BvAshr => {
            let last = number(u128::from(width) - 1);
            let in_range = infix(right.clone()?, "<", last.clone(), Binding::Relation);
            let amount = conditional(in_range, right.clone()?, last);
            Some(Expression::new(
                infix(a.signed()?, ">>", amount, Binding::Shift),
                Reading::Signed(width),
            ))
        }
        Op::Concat => {
            let (Reading::Unsigned(low, _) | Reading::Signed(low)) = b.reading else {
                let low = b.literal()?.width();
                let shifted = infix(
                    left?,
                    "<<",
                    (low.to_string(), Binding::Primary),
                    Binding::Shift,
                );
                return Some(Expression::new(
                    infix(shifted, "|", right?, Binding::BitOr),
                    exact,
                ));
            };
            let shifted = infix(
                left?,
                "<<",
                (low.to_string(), Binding::Primary),
                Binding::Shift,
            );
            Some(Expression::new(
                infix(shifted, "|", right?, Binding::BitOr),
                exact,
            ))
        }
        _ => None,
    }
}

/// C's division where it is defined, and SMT-LIB's result elsewhere.
fn signed_division(op: Op, width: u8, a: &Expression, b: &Expression) -> Option<Expression> {
    let (left, right) = (a.signed()?, b.signed()?);
    let operator = if op == Op::BvSdiv { "/" } else { "%" };
    let result = infix(left.clone(), operator, right.clone(), Binding::Product);
    let number = |value: i128| signed_literal(BitVecValue::from_signed(container(width), value));
    if b.literal()
        .is_some_and(|value| !matches!(value.signed(), 0 | -1))
    {
        return Some(Expression::new(result, Reading::Signed(width)));
    }
    let equals = |value| infix(right.clone(), "==", number(value), Binding::Equality);
    let (by_zero, by_minus_one) = match op {
        Op::BvSdiv => {
            let is_negative = infix(left.clone(), "<", number(0), Binding::Relation);
            let negated = unary_bit_vec(Op::BvNeg, width, a)?.signed()?;
            (conditional(is_negative, number(1), number(-1)), negated)
        }
        _ => (left, number(0)),
    };
    let defined = conditional(equals(-1), by_minus_one, result);
    Some(Expression::new(
        conditional(equals(0), by_zero, defined),
        Reading::Signed(width),
    ))
}

fn binary_integer(op: Op, a: &Expression, b: &Expression) -> Option<Expression> {
    let ((left, a_bits), (right, b_bits)) = (a.integer()?, b.integer()?);
    match op {
        Op::IntAdd => integer(
            infix(left, "+", right, Binding::Sum),
            a_bits.max(b_bits) + 1,
        ),
        Op::IntMul => integer(infix(left, "*", right, Binding::Product), a_bits + b_bits),
        Op::IntDiv | Op::IntMod => {
            // For a positive constant divisor: make the remainder nonnegative, subtract it, and divide.
            let divisor: BigInt = right.0.trim_end_matches("LL").parse().ok()?;
            if !divisor.is_positive() || a_bits.max(b_bits) >= INTEGER_BITS {
                return None;
            }
            let rest = infix(left.clone(), "%", right.clone(), Binding::Product);
            let positive = infix(rest, "+", right.clone(), Binding::Sum);
            let modulus = infix(positive, "%", right.clone(), Binding::Product);
            match op {
                Op::IntMod => integer(modulus, b_bits),
                _ => integer(
                    infix(
                        infix(left, "-", modulus, Binding::Sum),
                        "/",
                        right,
                        Binding::Product,
                    ),
                    a_bits + 1,
                ),
            }
        }
        _ => None,
    }
}
