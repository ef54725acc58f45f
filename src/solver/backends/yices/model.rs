//! Reads models of Yices.

use yices2::sys::*;

use super::arrays::Instances;
use regatta_term::{ArrayValue, ScalarSort, Sort, Value};

/// A model; stays valid when its context changes.
pub struct Model(*mut model_t);

impl Model {
    /// The context's model.
    ///
    /// # Safety
    /// The context is alive, its last check was satisfiable, and nothing was changed since.
    pub unsafe fn new(context: *mut context_t) -> Option<Self> {
        // With `keep_subst`: variables that were substituted away have values, too.
        // SAFETY: the caller's promise.
        let raw = unsafe { yices_get_model(context, 1) };
        (!raw.is_null()).then_some(Self(raw))
    }

    pub fn variable(&self, term: term_t, sort: Sort, instances: &Instances) -> Option<Value> {
        let Sort::Array { index, element } = sort else {
            return match self.node(term) {
                Some(node) => self.scalar(&node, sort.scalar()?),
                None => self.is_unknown().then(|| Value::zero(sort)),
            };
        };
        match instances.indices(sort) {
            None => self.function(term, index, element),
            Some((indices, lambda)) => {
                let default = match lambda {
                    Some(lambda) => self.read(term, lambda, element)?,
                    None => Value::zero(element.into()),
                };
                let mut result = ArrayValue::constant(index, default);
                for &at in indices {
                    let key = match self.node(at) {
                        Some(node) => self.scalar(&node, index)?,
                        None => Value::zero(index.into()),
                    };
                    result.store(key, self.read(term, at, element)?);
                }
                Some(Value::Array(result))
            }
        }
    }

    /// The element of an array at an index.
    fn read(&self, array: term_t, index: term_t, element: ScalarSort) -> Option<Value> {
        // SAFETY: both are Yices's, of fitting types.
        let read = unsafe { yices_application1(array, index) };
        match self.node(read) {
            Some(node) => self.scalar(&node, element),
            None => self.is_unknown().then(|| Value::zero(element.into())),
        }
    }

    fn node(&self, term: term_t) -> Option<yval_t> {
        let mut node = yval_t {
            node_id: 0,
            node_tag: yval_tag_t::YVAL_UNKNOWN,
        };
        // SAFETY: the model is alive, the term Yices's.
        let code = unsafe { yices_get_value(self.0, term, &mut node) };
        (code == 0).then_some(node)
    }

    /// Checks whether the last evaluation failed because the solver never saw the variable.
    fn is_unknown(&self) -> bool {
        // SAFETY: without arguments.
        let unknown = unsafe { yices_error_code() } == error_code_t::EVAL_UNKNOWN_TERM;
        // SAFETY: without arguments.
        unsafe { yices_clear_error() };
        unknown
    }

    fn scalar(&self, node: &yval_t, sort: ScalarSort) -> Option<Value> {
        if node.node_tag == yval_tag_t::YVAL_UNKNOWN {
            return Some(Value::zero(sort.into()));
        }
        match sort {
            ScalarSort::Bool => {
                let mut value = 0;
                // SAFETY: model and node are alive.
                let code = unsafe { yices_val_get_bool(self.0, node, &mut value) };
                (code == 0).then_some(Value::Bool(value != 0))
            }
            ScalarSort::BitVec(width) => {
                let mut bits = [0; 128];
                // SAFETY: model and node are alive; no bit vector is wider than the array, as is checked first.
                let code = unsafe {
                    if yices_val_bitsize(self.0, node) != u32::from(width) {
                        return None;
                    }
                    yices_val_get_bv(self.0, node, bits.as_mut_ptr())
                };
                let value = bits[..usize::from(width)]
                    .iter()
                    .rev()
                    .fold(0, |value, &bit| value << 1 | u128::from(bit != 0));
                (code == 0).then(|| Value::bit_vec(width, value))
            }
            ScalarSort::Int | ScalarSort::Float(_) => None,
        }
    }

    /// Reads a function from its table and its default.
    fn function(&self, term: term_t, index: ScalarSort, element: ScalarSort) -> Option<Value> {
        let Some(node) = self.node(term) else {
            let zero = Value::zero(element.into());
            return self
                .is_unknown()
                .then(|| Value::Array(ArrayValue::constant(index, zero)));
        };
        let none = yval_t {
            node_id: 0,
            node_tag: yval_tag_t::YVAL_UNKNOWN,
        };
        let mut default = none;
        let mut vector = yval_vector_t {
            capacity: 0,
            size: 0,
            data: std::ptr::null_mut(),
        };
        // SAFETY: model, node and vector are alive; the vector is given back; a mapping has one argument.
        unsafe {
            yices_init_yval_vector(&mut vector);
            let read = |default: &mut yval_t, vector: &mut yval_vector_t| {
                if yices_val_expand_function(self.0, &node, default, vector) != 0 {
                    return None;
                }
                let mut result = ArrayValue::constant(index, self.scalar(default, element)?);
                for number in 0..vector.size as usize {
                    let (mut key, mut value) = (none, none);
                    let mapping = vector.data.add(number);
                    if yices_val_expand_mapping(self.0, mapping, &mut key, &mut value) != 0 {
                        return None;
                    }
                    result.store(self.scalar(&key, index)?, self.scalar(&value, element)?);
                }
                Some(Value::Array(result))
            };
            let result = read(&mut default, &mut vector);
            yices_delete_yval_vector(&mut vector);
            result
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: made by `yices_get_model`, freed once.
        unsafe { yices_free_model(self.0) }
    }
}
