//! Variables and values of the program as C expressions.

use regatta_program::c_value::{self, c_type};
use regatta_program::{CScalar, Program, Variable, VariableId};
use regatta_term::{Build, CVariable, FloatFormat, Sort, TermId, Value, store, to_c};

/// Returns the variable as a C variable with the name.
pub(super) fn c_variable(variable: &Variable, name: &str) -> Option<CVariable> {
    Some(CVariable {
        name: name.to_owned(),
        c_type: c_type(variable.c_type, variable.sort)?,
    })
}

/// Returns a C expression that states that the variable, under the name, has the value.
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

/// Returns the value as a literal for `\result == …`; `None` if C has none, or validators do not support it.
pub(super) fn literal(value: &Value, c_type: Option<CScalar>) -> Option<String> {
    let is_plain = match (value, c_type?) {
        (_, CScalar::Pointer) => false,
        (Value::Float(float), _) => {
            let is_odd = matches!(float.format(), FloatFormat::F16 | FloatFormat::F128);
            !float.is_nan() && !float.is_infinite() && !is_odd
        }
        (Value::BitVec(bits), _) => bits.width() <= 64,
        _ => true,
    };
    is_plain.then(|| c_value::literal(value, c_type)).flatten()
}
