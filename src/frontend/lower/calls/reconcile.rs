//! Adapts calls to the functions that they call.
//!
//! A function may be called through a declaration without a prototype or with other types, such as the program's own
//! declaration of a library function. When all functions are known, the arguments of direct calls are converted to the
//! parameters' types as far as that is meaningful.

use crate::ir::{
    Argument, Callee, Expr, Function, FunctionIndex, Instruction, ObjectIndex, Pointer,
    ResultPlace, ScalarType, Storage,
};
use crate::lower::Lowerer;
use regatta_base::Span;

/// The parameters and the result of a function.
#[derive(Clone)]
struct Signature {
    parameters: Vec<ObjectIndex>,
    result: Option<ObjectIndex>,
}

impl Lowerer<'_> {
    /// Adapts every direct call to its callee.
    pub(in crate::lower) fn reconcile_calls(&mut self, functions: &mut [Function]) {
        let signatures: Vec<Signature> = functions
            .iter()
            .map(|function| Signature {
                parameters: function.parameters.clone(),
                result: function.result,
            })
            .collect();
        for (index, function) in functions.iter_mut().enumerate() {
            let caller = FunctionIndex(index as u32);
            for block in &mut function.blocks {
                let misfit = block
                    .instructions
                    .iter()
                    .any(|(instruction, _)| !self.fits(instruction, &signatures));
                if !misfit {
                    continue;
                }
                let instructions = std::mem::take(&mut block.instructions);
                for (instruction, span) in instructions {
                    if self.fits(&instruction, &signatures) {
                        block.instructions.push((instruction, span));
                    } else {
                        let fitted = self.fit(caller, instruction, span, &signatures);
                        block
                            .instructions
                            .extend(fitted.into_iter().map(|instruction| (instruction, span)));
                    }
                }
            }
        }
    }

    fn argument_fits(&self, argument: &Argument, parameter: ObjectIndex) -> bool {
        match argument {
            Argument::Scalar { scalar, .. } => self.objects.scalar_of(parameter) == Some(*scalar),
            Argument::Object { size, .. } => self.objects[parameter].size == *size,
        }
    }

    fn result_fits(&self, result: &ResultPlace, object: Option<ObjectIndex>) -> bool {
        match (result, object) {
            (_, None) => false,
            (ResultPlace::Scalar(place), Some(object)) => {
                self.objects.scalar_of(object) == Some(place.scalar)
            }
            (ResultPlace::Object { size, .. }, Some(object)) => self.objects[object].size == *size,
        }
    }

    fn fits(&self, instruction: &Instruction, signatures: &[Signature]) -> bool {
        let Instruction::Call {
            callee: Callee::Direct(callee),
            arguments,
            result,
        } = instruction
        else {
            return true;
        };
        let signature = &signatures[callee.0 as usize];
        arguments.len() == signature.parameters.len()
            && arguments
                .iter()
                .zip(&signature.parameters)
                .all(|(argument, &parameter)| self.argument_fits(argument, parameter))
            && result
                .as_ref()
                .is_none_or(|result| self.result_fits(result, signature.result))
    }

    /// An adapted call, with the instructions before and after it.
    fn fit(
        &mut self,
        caller: FunctionIndex,
        instruction: Instruction,
        span: Span,
        signatures: &[Signature],
    ) -> Vec<Instruction> {
        let Instruction::Call {
            callee: Callee::Direct(callee),
            arguments,
            result,
        } = instruction
        else {
            return vec![instruction];
        };
        let signature = signatures[callee.0 as usize].clone();
        let mut before = Vec::new();
        let mut fitted = Vec::with_capacity(signature.parameters.len());
        let mut dropped = Vec::new();
        let mut given = arguments.into_iter();
        for parameter in signature.parameters {
            match (given.next(), self.objects.scalar_of(parameter)) {
                (Some(argument), _) if self.argument_fits(&argument, parameter) => {
                    fitted.push(argument);
                }
                (Some(Argument::Scalar { value, scalar }), Some(wanted))
                    if convertible(scalar, wanted) =>
                {
                    let value = self.convert_representation(value, scalar, wanted);
                    fitted.push(Argument::Scalar {
                        value,
                        scalar: wanted,
                    });
                }
                // Nothing or a value of another kind is passed: the parameter's value is arbitrary.
                (other, wanted) => {
                    dropped.extend(other);
                    let copy = self.copy_of(parameter, caller, span);
                    before.push(Instruction::Declare(copy));
                    fitted.push(self.object_argument(copy, wanted));
                }
            }
        }
        // The caller computes them all the same, which may access memory.
        if self.input.property().checks_memory() {
            fitted.extend(dropped);
            fitted.extend(given);
        }
        let mut after = Vec::new();
        let result = match (result, signature.result) {
            (None, _) => None,
            (Some(result), own) if self.result_fits(&result, own) => Some(result),
            (Some(ResultPlace::Scalar(place)), Some(own)) => match self.objects.scalar_of(own) {
                Some(scalar) if convertible(scalar, place.scalar) => {
                    let copy = self.copy_of(own, caller, span);
                    let value = self.load_object(copy, scalar);
                    let value = self.convert_representation(value, scalar, place.scalar);
                    after.push(Instruction::Assign { place, value });
                    Some(ResultPlace::Scalar(self.object_place(copy, scalar)))
                }
                _ => {
                    after.push(undetermined(ResultPlace::Scalar(place)));
                    None
                }
            },
            (Some(result), _) => {
                after.push(undetermined(result));
                None
            }
        };
        before.push(Instruction::Call {
            callee: Callee::Direct(callee),
            arguments: fitted,
            result,
        });
        before.append(&mut after);
        before
    }

    fn copy_of(&mut self, object: ObjectIndex, caller: FunctionIndex, span: Span) -> ObjectIndex {
        let number = self.objects.count();
        let mut copy = self.objects[object].clone();
        copy.name = format!("{}#{number}", copy.name);
        copy.storage = Storage::Automatic(caller);
        copy.span = span;
        self.push_object(copy)
    }

    fn object_argument(&self, object: ObjectIndex, scalar: Option<ScalarType>) -> Argument {
        match scalar {
            Some(scalar) => Argument::Scalar {
                value: self.load_object(object, scalar),
                scalar,
            },
            None => {
                let data = &self.objects[object];
                Argument::Object {
                    address: Pointer::new(Expr::ObjectAddress(object)),
                    size: data.size,
                    leaves: data.leaves.clone(),
                }
            }
        }
    }
}

/// Checks whether C has a conversion between the types: it has none between floats and pointers.
fn convertible(from: ScalarType, to: ScalarType) -> bool {
    !matches!(
        (from, to),
        (ScalarType::Float(_), ScalarType::Pointer) | (ScalarType::Pointer, ScalarType::Float(_))
    )
}

/// The result of a call whose callee returns no such value.
fn undetermined(result: ResultPlace) -> Instruction {
    match result {
        ResultPlace::Scalar(place) => Instruction::Approximate {
            place,
            what: "the result of a function of another type".to_owned(),
        },
        ResultPlace::Object { .. } => Instruction::Unsupported(
            "a call of a function through a declaration of another type".to_owned(),
        ),
    }
}
