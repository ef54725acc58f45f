//! Reads models of Z3.

use std::cell::RefCell;

use num_bigint::BigInt;
use z3_sys::*;

use super::context::{Context, text};
use regatta_term::{ArrayValue, FloatFormat, FloatValue, ScalarSort, Sort, Value};

/// A model; lives as long as the context.
pub struct Model<'c> {
    context: &'c Context,
    raw: Z3_model,
    /// Nodes made by evaluation, released with the model.
    evaluated: RefCell<Vec<Z3_ast>>,
}

impl Context {
    /// The solver's model, if its last check had one.
    pub fn model(&self, solver: Z3_solver) -> Option<Model<'_>> {
        // SAFETY: both are alive.
        let model = unsafe { Z3_solver_get_model(self.raw(), solver) }?;
        Some(Model::new(self, model))
    }
}

impl<'c> Model<'c> {
    /// Takes a reference to the model.
    pub fn new(context: &'c Context, raw: Z3_model) -> Self {
        // SAFETY: both are alive.
        unsafe { Z3_model_inc_ref(context.raw(), raw) };
        Self {
            context,
            raw,
            evaluated: RefCell::default(),
        }
    }

    /// Returns the value of a node of the sort, completed where the model leaves it open.
    pub fn value(&self, ast: Z3_ast, sort: Sort) -> Option<Value> {
        let evaluated = self.evaluate(ast)?;
        match sort.scalar() {
            Some(scalar) => self.scalar(evaluated, scalar),
            None => self.array(evaluated, sort),
        }
    }

    fn evaluate(&self, ast: Z3_ast) -> Option<Z3_ast> {
        let raw = self.context.raw();
        let mut result = ast;
        // SAFETY: everything is alive.
        unsafe {
            if !Z3_model_eval(raw, self.raw, ast, true, &mut result) {
                return None;
            }
            Z3_inc_ref(raw, result);
        }
        self.evaluated.borrow_mut().push(result);
        Some(result)
    }

    fn scalar(&self, ast: Z3_ast, sort: ScalarSort) -> Option<Value> {
        let raw = self.context.raw();
        match sort {
            // SAFETY: both are alive.
            ScalarSort::Bool => match unsafe { Z3_get_bool_value(raw, ast) } {
                Z3_L_TRUE => Some(Value::Bool(true)),
                Z3_L_FALSE => Some(Value::Bool(false)),
                _ => None,
            },
            ScalarSort::BitVec(width) => Some(Value::bit_vec(width, self.bits(ast)?)),
            ScalarSort::Int => {
                // SAFETY: both are alive; the string is the context's.
                let digits = unsafe { text(Z3_get_numeral_string(raw, ast)) };
                digits.parse::<BigInt>().ok().map(Value::Int)
            }
            ScalarSort::Float(format) => self.float(ast, format),
        }
    }

    fn bits(&self, ast: Z3_ast) -> Option<u128> {
        let raw = self.context.raw();
        let mut small = 0;
        // SAFETY: both are alive.
        if unsafe { Z3_get_numeral_uint64(raw, ast, &mut small) } {
            return Some(u128::from(small));
        }
        // SAFETY: both are alive; the string is the context's.
        unsafe { text(Z3_get_numeral_string(raw, ast)) }
            .parse()
            .ok()
    }

    fn float(&self, ast: Z3_ast, format: FloatFormat) -> Option<Value> {
        let raw = self.context.raw();
        // SAFETY: everything is alive.
        let bits = unsafe {
            if Z3_fpa_is_numeral_nan(raw, ast) {
                return Some(Value::Float(FloatValue::nan(format)));
            }
            self.bits(self.evaluate(Z3_mk_fpa_to_ieee_bv(raw, ast)?)?)?
        };
        Some(Value::Float(FloatValue::from_bits(
            format,
            from_interchange(format, bits),
        )))
    }

    /// Reads an array: stores over a constant array, or a function table of the model.
    fn array(&self, ast: Z3_ast, sort: Sort) -> Option<Value> {
        let Sort::Array { index, element } = sort else {
            return None;
        };
        let raw = self.context.raw();
        let mut entries = Vec::new();
        let mut current = ast;
        // SAFETY (for the block): everything is alive and kept so by the model.
        let mut result = unsafe {
            loop {
                let application = Z3_to_app(raw, current)?;
                let declaration = Z3_get_app_decl(raw, application)?;
                match Z3_get_decl_kind(raw, declaration) {
                    DeclKind::Store => {
                        let key = self
                            .scalar(self.evaluate(Z3_get_app_arg(raw, application, 1)?)?, index)?;
                        let value = self.scalar(
                            self.evaluate(Z3_get_app_arg(raw, application, 2)?)?,
                            element,
                        )?;
                        entries.push((key, value));
                        current = Z3_get_app_arg(raw, application, 0)?;
                    }
                    DeclKind::ConstArray => {
                        let default = self.scalar(
                            self.evaluate(Z3_get_app_arg(raw, application, 0)?)?,
                            element,
                        )?;
                        break ArrayValue::constant(index, default);
                    }
                    DeclKind::AsArray => break self.table(declaration, index, element)?,
                    _ => return None,
                }
            }
        };
        // The outermost store wins.
        for (key, value) in entries.into_iter().rev() {
            result.store(key, value);
        }
        Some(Value::Array(result))
    }

    fn table(
        &self,
        as_array: Z3_func_decl,
        index: ScalarSort,
        element: ScalarSort,
    ) -> Option<ArrayValue> {
        let raw = self.context.raw();
        // SAFETY: everything is alive; what is counted is given back.
        unsafe {
            let function = Z3_get_decl_func_decl_parameter(raw, as_array, 0)?;
            let interpretation = Z3_model_get_func_interp(raw, self.raw, function)?;
            Z3_func_interp_inc_ref(raw, interpretation);
            let read = || {
                let default = self.scalar(
                    self.evaluate(Z3_func_interp_get_else(raw, interpretation)?)?,
                    element,
                )?;
                let mut result = ArrayValue::constant(index, default);
                for number in 0..Z3_func_interp_get_num_entries(raw, interpretation) {
                    let entry = Z3_func_interp_get_entry(raw, interpretation, number)?;
                    Z3_func_entry_inc_ref(raw, entry);
                    let key = Z3_func_entry_get_arg(raw, entry, 0)
                        .and_then(|key| self.scalar(key, index));
                    let value = Z3_func_entry_get_value(raw, entry)
                        .and_then(|value| self.evaluate(value))
                        .and_then(|value| self.scalar(value, element));
                    Z3_func_entry_dec_ref(raw, entry);
                    result.store(key?, value?);
                }
                Some(result)
            };
            let result = read();
            Z3_func_interp_dec_ref(raw, interpretation);
            result
        }
    }
}

impl Drop for Model<'_> {
    fn drop(&mut self) {
        let raw = self.context.raw();
        // SAFETY: the references were taken in `evaluate` and `new`.
        unsafe {
            for ast in self.evaluated.get_mut().drain(..) {
                Z3_dec_ref(raw, ast);
            }
            Z3_model_dec_ref(raw, self.raw);
        }
    }
}

/// Converts a float's bits in the interchange format to those in memory. They differ for x87 alone, whose format in memory
/// has an explicit leading bit.
fn from_interchange(format: FloatFormat, bits: u128) -> u128 {
    if format != FloatFormat::F80 {
        return bits;
    }
    let fraction = bits & ((1 << 63) - 1);
    let head = bits >> 63;
    let leading = u128::from(head & 0x7fff != 0);
    head << 64 | leading << 63 | fraction
}
