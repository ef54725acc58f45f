//! Texts of C expressions, with their precedence and the interpretation of their C values.

use crate::syntax::value::mask;
use crate::{BitVecValue, FloatFormat};

/// The precedence of an expression in C's grammar, from the conditional operator up.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    Conditional,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Unary,
    Primary,
}

/// The interpretation of the C value of an expression.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// 0 or 1.
    Truth,
    /// The bits as an unsigned number. With a width, the type is exactly `unsigned int` (32) or `unsigned long long`
    /// (64); without, it is any that has the value.
    Unsigned(u8, Option<u8>),
    /// The bits as a signed number, in a signed type that is promoted to the one that C computes in.
    Signed(u8),
    /// A constant bit vector, which can be printed either way.
    Literal(BitVecValue),
    /// An integer of magnitude at most 2^n, as a `long long`.
    Integer(u64),
    Float(FloatFormat),
    /// A pointer to `void`, of the number of bits.
    Pointer(u8),
}

#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) text: String,
    pub(super) binding: Binding,
    pub(super) reading: Reading,
}

/// A text with its precedence.
pub(super) type Text = (String, Binding);

fn in_parentheses(text: &str) -> String {
    format!("({text})")
}

/// The text as an operand of an operator with the precedence.
pub(super) fn operand((text, binding): Text, wanted: Binding) -> String {
    if binding >= wanted {
        text
    } else {
        in_parentheses(&text)
    }
}

pub(super) fn cast(to: &str, text: Text) -> Text {
    (
        format!("({to}){}", operand(text, Binding::Unary)),
        Binding::Unary,
    )
}

/// `left operator right`. The right operand is put into parentheses unless it binds more tightly.
pub(super) fn infix(left: Text, operator: &str, right: Text, binding: Binding) -> Text {
    let tighter = if right.1 > binding {
        right.0
    } else {
        in_parentheses(&right.0)
    };
    (
        format!("{} {operator} {tighter}", operand(left, binding)),
        binding,
    )
}

pub(super) fn conditional(condition: Text, then: Text, otherwise: Text) -> Text {
    let text = format!(
        "{} ? {} : {}",
        operand(condition, Binding::Or),
        operand(then, Binding::Or),
        otherwise.0
    );
    (text, Binding::Conditional)
}

pub(super) const fn unsigned_type(width: u8) -> Option<&'static str> {
    match width {
        8 => Some("unsigned char"),
        16 => Some("unsigned short"),
        32 => Some("unsigned int"),
        64 => Some("unsigned long long"),
        _ => None,
    }
}

pub(super) const fn signed_type(width: u8) -> Option<&'static str> {
    match width {
        8 => Some("signed char"),
        16 => Some("short"),
        32 => Some("int"),
        64 => Some("long long"),
        _ => None,
    }
}

/// The width of the type in which C computes: 32 or 64 bits.
pub(super) const fn container(width: u8) -> u8 {
    if width <= 32 { 32 } else { 64 }
}

pub(super) fn unsigned_literal(value: BitVecValue) -> Text {
    let suffix = if value.width() <= 32 { "U" } else { "ULL" };
    (format!("{}{suffix}", value.bits()), Binding::Primary)
}

pub(super) fn signed_literal(value: BitVecValue) -> Text {
    let (number, suffix) = (value.signed(), if value.width() <= 32 { "" } else { "LL" });
    if number == i32::MIN.into() || number == i64::MIN.into() {
        return (format!("{}{suffix} - 1", number + 1), Binding::Sum);
    }
    (
        format!("{number}{suffix}"),
        if number < 0 {
            Binding::Unary
        } else {
            Binding::Primary
        },
    )
}

impl Expression {
    pub(super) fn new((text, binding): Text, reading: Reading) -> Self {
        Self {
            text,
            binding,
            reading,
        }
    }

    pub(super) fn text(&self) -> Text {
        (self.text.clone(), self.binding)
    }

    pub(super) fn is_signed(&self) -> bool {
        matches!(self.reading, Reading::Signed(_))
    }

    pub(super) fn literal(&self) -> Option<BitVecValue> {
        match self.reading {
            Reading::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// A text whose value is the unsigned number, in any type.
    pub(super) fn unsigned(&self) -> Option<Text> {
        match self.reading {
            Reading::Unsigned(..) => Some(self.text()),
            Reading::Literal(value) => Some(unsigned_literal(value)),
            Reading::Signed(width) => Some(match unsigned_type(width) {
                Some(name) => cast(name, self.text()),
                None => masked(cast(unsigned_type(container(width))?, self.text()), width),
            }),
            _ => None,
        }
    }

    /// A text of the type `unsigned int` or `unsigned long long` whose value is the unsigned number.
    pub(super) fn unsigned_as(&self, width: u8) -> Option<Text> {
        let literal_width = self.literal().map(|value| container(value.width()));
        if matches!(self.reading, Reading::Unsigned(_, Some(own)) if own == width)
            || literal_width == Some(width)
        {
            return self.unsigned();
        }
        if self.reading == Reading::Signed(width) {
            return Some(cast(unsigned_type(width)?, self.text()));
        }
        Some(cast(unsigned_type(width)?, self.unsigned()?))
    }

    /// A text whose value is the signed number, in a signed type that is promoted to the container of the width.
    pub(super) fn signed(&self) -> Option<Text> {
        match self.reading {
            Reading::Signed(_) => Some(self.text()),
            Reading::Literal(value) => Some(signed_literal(value)),
            Reading::Unsigned(width, _) => match signed_type(width) {
                Some(name) => Some(cast(name, self.text())),
                None => {
                    // Flipping the sign and subtracting its weight extends it.
                    let wide = container(width);
                    let sign = unsigned_literal(BitVecValue::new(wide, 1 << (width - 1)));
                    let flipped = infix(self.unsigned_as(wide)?, "^", sign, Binding::BitXor);
                    let weight = signed_literal(BitVecValue::new(wide, 1 << (width - 1)));
                    Some(infix(
                        cast(signed_type(wide)?, flipped),
                        "-",
                        weight,
                        Binding::Sum,
                    ))
                }
            },
            _ => None,
        }
    }

    pub(super) fn truth(&self) -> Option<Text> {
        (self.reading == Reading::Truth).then(|| self.text())
    }

    /// The integer's text and magnitude.
    pub(super) fn integer(&self) -> Option<(Text, u64)> {
        match self.reading {
            Reading::Integer(bits) => Some((self.text(), bits)),
            _ => None,
        }
    }

    /// A pointer, or the constant that is the null pointer.
    pub(super) fn pointer(&self) -> Option<Text> {
        match self.reading {
            Reading::Pointer(_) => Some(self.text()),
            Reading::Literal(value) if value.bits() == 0 => {
                Some(("0".to_owned(), Binding::Primary))
            }
            _ => None,
        }
    }

    pub(super) fn float(&self) -> Option<Text> {
        matches!(self.reading, Reading::Float(_)).then(|| self.text())
    }
}

/// The low bits of an unsigned value.
pub(super) fn masked(text: Text, width: u8) -> Text {
    let ones = unsigned_literal(BitVecValue::new(container(width), mask(width)));
    infix(text, "&", ones, Binding::BitAnd)
}

/// Truncates a text of type `unsigned int` or `unsigned long long` to the width.
pub(super) fn cut(text: Text, width: u8) -> Option<Expression> {
    let wide = container(width);
    Some(match unsigned_type(width) {
        _ if width == wide => Expression::new(text, Reading::Unsigned(width, Some(wide))),
        Some(name) => Expression::new(cast(name, text), Reading::Unsigned(width, None)),
        None => Expression::new(masked(text, width), Reading::Unsigned(width, Some(wide))),
    })
}
