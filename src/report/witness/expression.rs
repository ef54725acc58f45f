//! Variables and values of the program as C expressions.

use crate::program::{CScalar, Program, Variable, VariableId};
use crate::term::{Build, CType, CVariable, Sort, TermId, Value, store, to_c};

/// The C type of values of the sort that C reads so; `None` for those that are not printed.
pub(super) fn c_type(c_type: Option<CScalar>, sort: Sort) -> Option<CType> {
    match (c_type?, sort) {
        (CScalar::Integer { bits, signed: true }, _) => Some(CType::Signed(bits)),
        (
            CScalar::Integer {
                bits,
                signed: false,
            },
            _,
        ) => Some(CType::Unsigned(bits)),
        (CScalar::Bool, _) => Some(CType::Bool),
        (CScalar::Float, Sort::Float(format)) => Some(CType::Float(format)),
        (CScalar::Float | CScalar::Pointer, _) => None,
    }
}

/// The variable as C declares it under the name.
pub(super) fn c_variable(variable: &Variable, name: &str) -> Option<CVariable> {
    Some(CVariable {
        name: name.to_owned(),
        c_type: c_type(variable.c_type, variable.sort)?,
    })
}

/// A C expression that says that the variable, under the name, has the value.
pub(super) fn equation(
    program: &Program,
    variable: VariableId,
    name: &str,
    value: &Value,
) -> Option<String> {
    let variable = program.variable(variable);
    let declared = c_variable(variable, name)?;
    let left = store().variable(variable.symbol);
    let right = constant(value)?;
    let equation = match variable.sort {
        Sort::Float(_) => store().fp_eq(left, right),
        _ => store().eq(left, right),
    };
    to_c(store(), equation, &|symbol, instance| {
        (symbol == variable.symbol && instance == 0).then(|| declared.clone())
    })
}

fn constant(value: &Value) -> Option<TermId> {
    match value {
        Value::Array(_) => None,
        Value::Float(float) if float.is_nan() => None,
        value => Some(store().value(value)),
    }
}

/// The value as a constant, as C reads it; `None` where C has none.
pub(super) fn literal(value: &Value, c_type: Option<CScalar>) -> Option<String> {
    match (value, c_type?) {
        (Value::BitVec(bits), CScalar::Integer { signed: true, .. }) => {
            Some(bits.signed().to_string())
        }
        (Value::BitVec(bits), CScalar::Integer { .. } | CScalar::Bool) => {
            // Without a suffix, C has no decimal constant beyond the largest signed number.
            let suffix = if i64::try_from(bits.bits()).is_ok() {
                ""
            } else {
                "U"
            };
            Some(format!("{}{suffix}", bits.bits()))
        }
        (Value::Bool(truth), _) => Some(u8::from(*truth).to_string()),
        (Value::Int(number), CScalar::Integer { .. } | CScalar::Bool) => Some(number.to_string()),
        (Value::Float(float), _) => {
            let is_number = !float.is_nan() && !float.is_infinite();
            let text = is_number.then(|| to_c(store(), store().value(value), &|_, _| None));
            text.flatten()
        }
        _ => None,
    }
}
