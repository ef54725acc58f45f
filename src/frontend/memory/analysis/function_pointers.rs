//! Which functions a call through a pointer may call.

use super::walk;
use crate::ir::{FunctionIndex, ScalarType, Unit};

/// How a value is passed, as far as the agreement of a call with a function depends on it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A scalar of the type.
    Scalar(ScalarType),
    /// A structure or union of this size in bytes.
    Object(u64),
}

/// Whether a call with these arguments and this result may call the function: each parameter has an argument that is
/// passed in the same way. More arguments than parameters do no harm on the machine, and old code relies on it. A call
/// that does not agree is undefined in C and counts as a call of an unknown function.
pub fn compatible(
    unit: &Unit,
    function: FunctionIndex,
    arguments: impl ExactSizeIterator<Item = Shape>,
    result: Option<Shape>,
) -> bool {
    let callee = &unit.functions[function.0 as usize];
    let pointer_bits = unit.data_model.pointer_bits();
    let object_shape = |object: crate::ir::ObjectIndex| {
        let object = &unit.objects[object.0 as usize];
        let first = object.leaves.first().map(|leaf| leaf.scalar);
        (object.size, first, object.leaves.len())
    };
    let agrees = |shape: Shape, object| {
        let (size, first, leaves) = object_shape(object);
        match shape {
            Shape::Scalar(scalar) => {
                leaves == 1 && first.is_some_and(|own| same_class(scalar, own, pointer_bits))
            }
            Shape::Object(bytes) => bytes == size,
        }
    };
    arguments.len() >= callee.parameters.len()
        && arguments
            .zip(&callee.parameters)
            .all(|(shape, &object)| agrees(shape, object))
        && match (result, callee.result) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(shape), Some(object)) => agrees(shape, object),
        }
}

/// Whether values of the types are passed in the same way: the same size, and both floats or neither.
fn same_class(a: ScalarType, b: ScalarType, pointer_bits: u8) -> bool {
    let is_float = |scalar| matches!(scalar, ScalarType::Float(_));
    let bits = |scalar| walk::scalar_bits(scalar, pointer_bits);
    is_float(a) == is_float(b) && bits(a) == bits(b)
}
