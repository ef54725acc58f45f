//! Reads models of Bitwuzla.

use std::ffi::CStr;
use std::os::raw::c_char;

use bitwuzla_sys::*;

use super::manager::{Instance, guarded};
use regatta_term::{ArrayValue, FloatFormat, FloatValue, ScalarSort, Sort, Value};

/// A term that is released on drop.
struct Held(BitwuzlaTerm);

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the reference is ours.
        unsafe { bitwuzla_term_release(self.0) }
    }
}

impl Instance {
    /// The value of a term of the sort, after a satisfiable check.
    pub fn value(&self, term: BitwuzlaTerm, sort: Sort) -> Option<Value> {
        // SAFETY: the instance is alive, its last check was satisfiable, and the term lives in its manager.
        let value = match unsafe { guarded::value(self.raw(), term) } {
            0 => return None,
            value => Held(value),
        };
        match sort {
            Sort::Array { index, element } => array(value.0, index, element),
            sort => scalar(value.0, sort.scalar()?),
        }
    }
}

/// Reads a scalar value from a value term.
fn scalar(value: BitwuzlaTerm, sort: ScalarSort) -> Option<Value> {
    // SAFETY (all): the term is alive.
    if !unsafe { bitwuzla_term_is_value(value) } {
        return None;
    }
    match sort {
        ScalarSort::Bool => Some(Value::Bool(unsafe { bitwuzla_term_value_get_bool(value) })),
        ScalarSort::BitVec(width) => {
            let digits = unsafe { bitwuzla_term_value_get_str_fmt(value, 2) };
            Some(Value::bit_vec(width, bits(digits)?))
        }
        ScalarSort::Float(format) => float(value, format),
        ScalarSort::Int => None,
    }
}

fn float(value: BitwuzlaTerm, format: FloatFormat) -> Option<Value> {
    let [mut sign, mut exponent, mut significand] = [std::ptr::null(); 3];
    // SAFETY: the term is a float's value; the three strings are read before the next call.
    unsafe {
        bitwuzla_term_value_get_fp_ieee(value, &mut sign, &mut exponent, &mut significand, 2);
    }
    let fraction_bits = format.significand_bits() - 1;
    let (sign, exponent, fraction) = (bits(sign)?, bits(exponent)?, bits(significand)?);
    let bits = sign << (format.storage_bits() - 1) | exponent << fraction_bits | fraction;
    Some(Value::Float(FloatValue::from_bits(format, bits)))
}

/// Parses a binary number of Bitwuzla.
fn bits(digits: *const c_char) -> Option<u128> {
    // SAFETY: a string of Bitwuzla's, alive until the next call.
    let digits = unsafe { CStr::from_ptr(digits) };
    u128::from_str_radix(digits.to_str().ok()?, 2).ok()
}

/// Reads an array: stores over a constant array.
fn array(value: BitwuzlaTerm, index: ScalarSort, element: ScalarSort) -> Option<Value> {
    let mut entries = Vec::new();
    // References to inner arrays, released at the end.
    let mut held = Vec::new();
    let mut current = value;
    let mut result = loop {
        // SAFETY: the term is alive.
        let kind = unsafe { bitwuzla_term_get_kind(current) };
        let parts = children(current);
        let part = |place: usize| parts.get(place).map(|part: &Held| part.0);
        match kind {
            BITWUZLA_KIND_ARRAY_STORE => {
                entries.push((scalar(part(1)?, index)?, scalar(part(2)?, element)?));
                current = part(0)?;
                held.push(parts);
            }
            BITWUZLA_KIND_CONST_ARRAY => {
                break ArrayValue::constant(index, scalar(part(0)?, element)?);
            }
            _ => return None,
        }
    };
    // The outermost store wins.
    for (key, value) in entries.into_iter().rev() {
        result.store(key, value);
    }
    Some(Value::Array(result))
}

fn children(term: BitwuzlaTerm) -> Vec<Held> {
    let mut size = 0;
    // SAFETY: the term is alive; the array has so many elements, to each of which there is a reference of ours.
    unsafe {
        let children = bitwuzla_term_get_children(term, &mut size);
        match size {
            0 => Vec::new(),
            _ => std::slice::from_raw_parts(children, size)
                .iter()
                .map(|&child| Held(child))
                .collect(),
        }
    }
}
