//! Complex numbers: C11's floating types, and GNU C's integer types.
//!
//! Operators compute what gcc's code computes without optimisation. If one operand is real, a sum, a product and a
//! quotient by it are computed part by part, so that signs of zeros and infinities follow Annex G. A product of two
//! complex floats calls the library (`__muldc3`), which recovers infinities. Several algorithms exist for a quotient:
//! where they could round differently, its value is arbitrary. The compiler evaluates operations on constants and
//! rounds once.

use lang_c::ast;

use crate::ir::{BinaryOp, Expr, ScalarType, UnaryOp};
use crate::library;
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::condition::Condition;
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Lvalue, Value, ValueKind};
use crate::lower::{Lowerer, Result};
use crate::types::{FloatKind, FunctionType, IntegerKind, ParameterForm, Type, TypeKind};

/// Maximum magnitude of integral constants whose products and sums need no rounding.
const EXACT_LIMIT: i128 = 1 << 11;

/// A complex number as its two parts.
struct Parts {
    real: Expr,
    imaginary: Expr,
    /// Whether the operand was complex before it was converted.
    is_complex: bool,
}

impl Lowerer<'_> {
    /// Lowers a constant with the suffix `i`.
    pub(in crate::lower) fn imaginary(&mut self, value: Expr, element: Type) -> Result<Value> {
        let scalar = self.scalar_type(element)?;
        let ty = self.types.complex(element);
        self.of_parts(vec![fold::zero(scalar), value], ty)
    }

    /// Lowers `left op right` where at least one operand is complex.
    pub(in crate::lower) fn complex_operation(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
    ) -> Result<Value> {
        let (left_part, right_part) = (self.part_type(left.ty)?, self.part_type(right.ty)?);
        let element = self.types.common_part(left_part, right_part);
        let scalar = self.scalar_type(element)?;
        let ty = self.types.complex(element);
        let is_float = self.types.is_float(element);
        self.note_half_precision(op, element);
        let constants = self.is_complex_constant(&left)? && self.is_complex_constant(&right)?;
        let left = self.complex_operand(left, element)?;
        let right = self.complex_operand(right, element)?;
        let binary = |op, a: &Expr, b: &Expr| fold::binary(op, a.clone(), b.clone(), scalar);
        let is_mixed = is_float && left.is_complex != right.is_complex;
        let parts = match op {
            BinaryOp::Equal | BinaryOp::NotEqual => {
                let connective = match op {
                    BinaryOp::Equal => BinaryOp::LogicalAnd,
                    _ => BinaryOp::LogicalOr,
                };
                let real = binary(op, &left.real, &right.real);
                let imaginary = binary(op, &left.imaginary, &right.imaginary);
                let both = fold::binary(connective, real, imaginary, fold::INT);
                return Ok(Value::scalar(both, Type::INT));
            }
            BinaryOp::Add | BinaryOp::Subtract => {
                let real = binary(op, &left.real, &right.real);
                let imaginary = match (is_mixed, left.is_complex, op) {
                    (true, true, _) => left.imaginary,
                    (true, false, BinaryOp::Subtract) => {
                        fold::unary(UnaryOp::Negate, right.imaginary, scalar)
                    }
                    (true, false, _) => right.imaginary,
                    (false, ..) => binary(op, &left.imaginary, &right.imaginary),
                };
                vec![real, imaginary]
            }
            BinaryOp::Multiply if is_mixed && left.is_complex => vec![
                binary(op, &left.real, &right.real),
                binary(op, &left.imaginary, &right.real),
            ],
            BinaryOp::Multiply if is_mixed => vec![
                binary(op, &left.real, &right.real),
                binary(op, &left.real, &right.imaginary),
            ],
            BinaryOp::Divide if is_mixed && left.is_complex => vec![
                binary(op, &left.real, &right.real),
                binary(op, &left.imaginary, &right.real),
            ],
            BinaryOp::Multiply => {
                if is_float && !(constants && are_small(&[&left, &right])) {
                    return self.complex_product(left, right, element, constants);
                }
                product(&left, &right, scalar)
            }
            BinaryOp::Divide => {
                if is_float && constants && are_small(&[&left, &right]) && !is_zero(&right) {
                    return self.of_parts(exact_quotient(&left, &right, scalar), ty);
                }
                return self.complex_quotient(left, right, element, constants);
            }
            _ => {
                let ty = self.types.describe(ty);
                return Err(self.error(format!("the operator is not for a `{ty}`")));
            }
        };
        self.of_parts(parts, ty)
    }

    /// The type of a complex number's parts, or of a real number after promotion.
    fn part_type(&mut self, ty: Type) -> Result<Type> {
        if let TypeKind::Complex(element) = *self.types.kind(ty) {
            return Ok(element);
        }
        if !self.types.is_arithmetic(ty) {
            let ty = self.types.describe(ty);
            return Err(self.error(format!(
                "invalid operands: a complex number and a value of type `{ty}`"
            )));
        }
        Ok(self.types.promoted(ty))
    }

    /// The type of `condition ? left : right` where one is complex.
    pub(in crate::lower) fn common_complex(&mut self, left: Type, right: Type) -> Result<Type> {
        let (left, right) = (self.part_type(left)?, self.part_type(right)?);
        let element = self.types.common_part(left, right);
        Ok(self.types.complex(element))
    }

    fn is_complex_constant(&mut self, value: &Value) -> Result<bool> {
        match &value.kind {
            ValueKind::Scalar(expr) => Ok(Self::are_literals(std::slice::from_ref(expr))),
            _ => Ok(Self::are_literals(&self.parts(value)?)),
        }
    }

    /// An operand's converted parts, each evaluated once.
    fn complex_operand(&mut self, value: Value, element: Type) -> Result<Parts> {
        let scalar = self.scalar_type(element)?;
        let is_complex = self.types.is_complex(value.ty);
        let ty = self.types.complex(element);
        let value = self.cast(value, ty)?;
        let parts = self.parts(&value)?;
        let parts = self.all_computed_once(parts, scalar);
        let [real, imaginary] = self.two(parts)?;
        Ok(Parts {
            real,
            imaginary,
            is_complex,
        })
    }

    fn two(&self, parts: Vec<Expr>) -> Result<[Expr; 2]> {
        parts
            .try_into()
            .map_err(|_| self.contradiction("a complex number without two parts"))
    }

    /// The product of two complex floats. The compiler rounds a product of constants once.
    fn complex_product(
        &mut self,
        left: Parts,
        right: Parts,
        element: Type,
        constants: bool,
    ) -> Result<Value> {
        let ty = self.types.complex(element);
        match self.suffix_of(element) {
            Some(suffix) if !constants => {
                let name = format!("__regatta_complex_product{suffix}");
                self.call_of_parts(&name, [left, right], element)
            }
            _ => self.approximate("a product of complex numbers", ty),
        }
    }

    /// The suffix of the library's function names for a real type.
    fn suffix_of(&self, real: Type) -> Option<&'static str> {
        match self.types.kind(real) {
            TypeKind::Float(FloatKind::Float) => Some("f"),
            TypeKind::Float(FloatKind::Double) => Some(""),
            TypeKind::Float(FloatKind::LongDouble) => Some("l"),
            _ => None,
        }
    }

    fn complex_quotient(
        &mut self,
        left: Parts,
        right: Parts,
        element: Type,
        constants: bool,
    ) -> Result<Value> {
        let ty = self.types.complex(element);
        let Some(kind) = self.types.integer_kind(element) else {
            return match self.suffix_of(element) {
                Some(suffix) if !constants => {
                    let name = format!("__regatta_complex_division{suffix}");
                    self.call_of_parts(&name, [left, right], element)
                }
                _ => self.approximate("a quotient of complex numbers", ty),
            };
        };
        if constants
            && kind.is_signed()
            && let Some(parts) = integer_quotient(&left, &right, self.scalar_type(element)?)
        {
            return self.of_parts(parts, ty);
        }
        let (name, wide) = match kind.is_signed() {
            true => ("__regatta_complex_quotient", IntegerKind::LongLong),
            false => (
                "__regatta_unsigned_complex_quotient",
                IntegerKind::UnsignedLongLong,
            ),
        };
        if kind.bits(self.input.data_model()) > 64 {
            return self.unmodelled("a quotient of complex integers", ty);
        }
        let wide = self.types.integer(wide);
        let mut operands = [left, right];
        for operand in &mut operands {
            for part in [&mut operand.real, &mut operand.imaginary] {
                *part = self.convert_scalar(part.clone(), element, wide)?;
            }
        }
        let value = self.call_of_parts(name, operands, wide)?;
        self.cast(value, ty)
    }

    /// Calls a prelude function on the parts of two numbers; it returns a complex number.
    fn call_of_parts(&mut self, name: &str, operands: [Parts; 2], element: Type) -> Result<Value> {
        let Some(known) = library::lookup(name) else {
            return Err(self.contradiction("a function of the library that is not there"));
        };
        let function = FunctionType {
            result: self.types.complex(element),
            parameters: vec![element; 4],
            form: ParameterForm::Fixed,
        };
        let [left, right] = operands;
        let values = [left.real, left.imaginary, right.real, right.imaginary];
        let values = values.map(|part| Value::scalar(part, element)).to_vec();
        self.library_values(&known, &function, values, Use::Value)
    }

    /// Lowers `+`, `-` and `~` (the conjugate).
    pub(in crate::lower) fn complex_unary(
        &mut self,
        operator: &ast::UnaryOperator,
        operand: Value,
    ) -> Result<Value> {
        let (element, _) = self.parts_of_type(operand.ty)?;
        let scalar = self.scalar_type(element)?;
        let parts = self.parts(&operand)?;
        let [real, imaginary] = self.two(parts)?;
        let negative = |part| fold::unary(UnaryOp::Negate, part, scalar);
        let parts = match operator {
            ast::UnaryOperator::Minus => vec![negative(real), negative(imaginary)],
            ast::UnaryOperator::Complement => vec![real, negative(imaginary)],
            _ => return Ok(operand),
        };
        self.of_parts(parts, operand.ty)
    }

    /// Lowers `__real__` or `__imag__`; a part of a complex lvalue is an lvalue.
    pub(in crate::lower) fn complex_part(
        &mut self,
        value: Value,
        imaginary: bool,
    ) -> Result<Value> {
        let TypeKind::Complex(element) = *self.types.kind(value.ty) else {
            return self.real_part(value, imaginary);
        };
        let number = u64::from(imaginary);
        match value.kind {
            ValueKind::Lvalue(Lvalue { address, .. }) => {
                let bytes = number * self.size_of(element)?;
                let address = self.constant_offset(address, bytes);
                Ok(Value::lvalue(
                    address,
                    element.qualified(value.ty.qualifiers),
                ))
            }
            _ => {
                let parts = self.parts(&value)?;
                let [real, other] = self.two(parts)?;
                let part = if imaginary { other } else { real };
                Ok(Value::scalar(part, element))
            }
        }
    }

    /// The real or imaginary part of a real number.
    fn real_part(&mut self, value: Value, imaginary: bool) -> Result<Value> {
        if self.types.is_unknown(value.ty) {
            return Ok(value);
        }
        if !self.types.is_arithmetic(value.ty) {
            let ty = self.types.describe(value.ty);
            return Err(self.error(format!("a part of a value of type `{ty}`")));
        }
        if !imaginary {
            return Ok(value);
        }
        let value = self.rvalue(value);
        let scalar = self.scalar_type(value.ty)?;
        Ok(Value::scalar(fold::zero(scalar), value.ty))
    }

    /// Lowers conversions among complex and real types.
    pub(in crate::lower) fn convert_complex(&mut self, value: Value, to: Type) -> Result<Value> {
        let from = value.ty;
        match (self.types.kind(from).clone(), self.types.kind(to).clone()) {
            (TypeKind::Complex(element), TypeKind::Complex(target)) => {
                let parts = self.parts(&value)?;
                let parts: Result<Vec<Expr>> = parts
                    .into_iter()
                    .map(|part| self.convert_scalar(part, element, target))
                    .collect();
                self.of_parts(parts?, to)
            }
            (TypeKind::Complex(_), TypeKind::Bool) => {
                let Condition::Value(truth, scalar) = self.complex_truth(&value)? else {
                    return Err(self.contradiction("a truth value that has branched"));
                };
                let truth = fold::convert(truth, scalar, ScalarType::Bool);
                Ok(Value::scalar(truth, to))
            }
            (TypeKind::Complex(_), _) => {
                let real = self.complex_part(Value { ty: from, ..value }, false)?;
                self.cast(real, to)
            }
            (_, TypeKind::Complex(target)) => {
                let scalar = self.scalar_type(target)?;
                let (real, ty) = self.scalar_value(value)?;
                let real = self.convert_scalar(real, ty, target)?;
                self.of_parts(vec![real, fold::zero(scalar)], to)
            }
            _ => Err(self.inconvertible(from, to)),
        }
    }

    /// The condition that a complex number is not zero.
    pub(in crate::lower) fn complex_truth(&mut self, value: &Value) -> Result<Condition> {
        let (element, _) = self.parts_of_type(value.ty)?;
        let scalar = self.scalar_type(element)?;
        let truths = self.parts(value)?.into_iter();
        let truths = truths.map(|part| fold::truth_value(part, scalar));
        let either = truths.reduce(|a, b| fold::binary(BinaryOp::LogicalOr, a, b, fold::INT));
        Ok(Condition::Value(
            either.unwrap_or_else(|| fold::int(0)),
            fold::INT,
        ))
    }

    /// Lowers `__builtin_complex(real, imaginary)`, whose arguments have the same floating type.
    pub(in crate::lower) fn complex_of(&mut self, values: Vec<Value>) -> Result<Value> {
        let [real, imaginary] = values.as_slice() else {
            return Err(self.error("`__builtin_complex` takes two arguments"));
        };
        if real.ty != imaginary.ty || !self.types.is_float(real.ty) {
            return Err(self.error("`__builtin_complex` takes floats of one type"));
        }
        let ty = self.types.complex(real.ty);
        let mut parts = Vec::with_capacity(2);
        for value in values {
            parts.push(self.scalar_value(value)?.0);
        }
        self.of_parts(parts, ty)
    }
}

/// The product (a + bi)(c + di), part by part.
fn product(left: &Parts, right: &Parts, scalar: ScalarType) -> Vec<Expr> {
    let times = |a: &Expr, b: &Expr| fold::binary(BinaryOp::Multiply, a.clone(), b.clone(), scalar);
    let real = fold::binary(
        BinaryOp::Subtract,
        times(&left.real, &right.real),
        times(&left.imaginary, &right.imaginary),
        scalar,
    );
    let imaginary = fold::binary(
        BinaryOp::Add,
        times(&left.real, &right.imaginary),
        times(&left.imaginary, &right.real),
        scalar,
    );
    vec![real, imaginary]
}

/// The quotient of constants for which only the division itself needs rounding.
fn exact_quotient(left: &Parts, right: &Parts, scalar: ScalarType) -> Vec<Expr> {
    let conjugate = Parts {
        real: right.real.clone(),
        imaginary: fold::unary(UnaryOp::Negate, right.imaginary.clone(), scalar),
        is_complex: true,
    };
    let square = product(right, &conjugate, scalar).swap_remove(0);
    let parts = product(left, &conjugate, scalar).into_iter();
    parts
        .map(|part| fold::binary(BinaryOp::Divide, part, square.clone(), scalar))
        .collect()
}

/// The quotient of constant integers as gcc computes it; `None` if it is undefined or they are too large.
fn integer_quotient(left: &Parts, right: &Parts, scalar: ScalarType) -> Option<Vec<Expr>> {
    let fits = |value: &i128| value.unsigned_abs() <= 1 << 32;
    let value = |part: &Expr| fold::constant(part).filter(fits);
    let (a, b) = (value(&left.real)?, value(&left.imaginary)?);
    let (c, d) = (value(&right.real)?, value(&right.imaginary)?);
    let (real, imaginary) = if c.abs() < d.abs() {
        let ratio = c / d;
        let divisor = c * ratio + d;
        let real = (a * ratio + b).checked_div(divisor)?;
        (real, (b * ratio - a).checked_div(divisor)?)
    } else {
        let ratio = d.checked_div(c)?;
        let divisor = d * ratio + c;
        let real = (b * ratio + a).checked_div(divisor)?;
        (real, (b - a * ratio).checked_div(divisor)?)
    };
    Some(
        [real, imaginary]
            .map(|part| fold::integer(part, scalar))
            .to_vec(),
    )
}

fn is_zero(number: &Parts) -> bool {
    [&number.real, &number.imaginary]
        .iter()
        .all(|part| fold::constant_truth(part) == Some(false))
}

/// Checks whether constants are small integers and not negative zero, whose sign a formula could lose.
fn are_small(numbers: &[&Parts]) -> bool {
    let parts = numbers
        .iter()
        .flat_map(|number| [&number.real, &number.imaginary]);
    parts.into_iter().all(|part| match part {
        Expr::Float { format, .. } => is_small_integer(part, *format),
        _ => false,
    })
}

fn is_small_integer(part: &Expr, format: regatta_term::FloatFormat) -> bool {
    let scalar = ScalarType::Float(format);
    let wide = ScalarType::Integer {
        bits: 64,
        signed: true,
    };
    let integer = fold::convert(part.clone(), scalar, wide);
    fold::constant(&integer).is_some_and(|value| {
        value.abs() <= EXACT_LIMIT
            && fold::convert(fold::integer(value, wide), wide, scalar) == *part
    })
}
