//! Built-in functions of gcc and of the verifier, and the encodings of rewritten syntax.

use lang_c::ast;
use lang_c::span::Node;
use lang_c::visit::Visit;

use crate::defined::Rule;
use crate::ir::{BinaryOp, Expr, Instruction, ScalarType, Storage, Terminator};
use crate::library::{self, Builtin, LibraryFunction};
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::fold;
use crate::lower::expressions::overflow::Magnitude;
use crate::lower::expressions::value::{Value, ValueKind};
use crate::lower::vectors::intrinsic;
use crate::lower::{Lowerer, Result};
use crate::rewrite::encoding;
use crate::types::{FunctionType, RecordKind, Type};
use regatta_program::AssumptionKind;

type Arguments<'n> = &'n [Node<ast::Expression>];

impl Lowerer<'_> {
    /// Lowers the rewritten constructs that are encoded as calls.
    pub(in crate::lower) fn encoded_call(
        &mut self,
        name: &str,
        nodes: Arguments<'_>,
    ) -> Result<Option<Value>> {
        let value = match (name, nodes) {
            (encoding::LABEL_ADDRESS, [label]) => match &label.node {
                ast::Expression::Identifier(label) => self.label_address(&label.node.name),
                _ => return Err(self.error("the address of something that is not a label")),
            },
            (encoding::COMPUTED_GOTO, [address]) => {
                let span = self.cursor.span();
                let address = self.expression(address)?;
                self.cursor.set_span(span);
                self.computed_goto(address)?;
                Value::void()
            }
            (encoding::PREFERRED_ALIGNMENT, [operand]) => {
                let alignment = match &operand.node {
                    ast::Expression::SizeOfTy(operand) => {
                        let ty = self.unevaluated(|this| this.type_name(&operand.node.0.node))?;
                        self.preferred_alignment_of(ty)?
                    }
                    ast::Expression::SizeOfVal(operand) => {
                        self.alignment_of_expression(&operand.node.0)?
                    }
                    _ => return Err(self.error("the alignment of something without a type")),
                };
                self.size_constant(alignment)
            }
            (encoding::TYPES_COMPATIBLE, [left, right]) => self.types_compatible(left, right)?,
            (encoding::CONVERT_VECTOR, [value, ty]) => match &ty.node {
                ast::Expression::SizeOfTy(ty) => self.convert_vector(value, &ty.node.0.node)?,
                _ => return Err(self.error("a vector is converted to something without a type")),
            },
            (encoding::ASSEMBLY_JUMP, labels) => {
                let labels = labels.iter().filter_map(|label| match &label.node {
                    ast::Expression::Identifier(label) => Some(label.node.name.as_str()),
                    _ => None,
                });
                self.assembly_jump(&labels.collect::<Vec<_>>());
                Value::void()
            }
            (encoding::UNSUPPORTED, nodes) => {
                let what = match nodes.first().map(|node| &node.node) {
                    Some(ast::Expression::StringLiteral(parts)) => {
                        parts.node.join(" ").trim_matches('"').to_owned()
                    }
                    _ => "this construct".to_owned(),
                };
                self.unsupported(what);
                Value::void()
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn types_compatible(
        &mut self,
        left: &Node<ast::Expression>,
        right: &Node<ast::Expression>,
    ) -> Result<Value> {
        let mut types = Vec::with_capacity(2);
        for node in [left, right] {
            let ast::Expression::SizeOfTy(operand) = &node.node else {
                return Err(self.error("types are to be compared"));
            };
            let ty = self.unevaluated(|this| this.type_name(&operand.node.0.node))?;
            types.push(ty.unqualified());
        }
        let same =
            matches!(types.as_slice(), [left, right] if self.types.compatible(*left, *right));
        Ok(Value::scalar(fold::int(i128::from(same)), Type::INT))
    }

    /// Lowers built-ins that need their arguments' syntax.
    pub(in crate::lower) fn builtin_on_syntax(
        &mut self,
        builtin: Builtin,
        nodes: Arguments<'_>,
    ) -> Result<Option<Value>> {
        let value = match (builtin, nodes) {
            (Builtin::ConstantP, [operand]) => {
                let constant = self.unevaluated(|this| {
                    let value = this.expression(operand)?;
                    let value = this.rvalue(value);
                    Ok(match &value.kind {
                        ValueKind::Scalar(Expr::Float { .. }) => true,
                        ValueKind::Scalar(Expr::ObjectAddress(object)) => {
                            let object = this.objects.get(*object);
                            object.is_some_and(|object| object.storage == Storage::Literal)
                        }
                        ValueKind::Scalar(expr) => fold::evaluate(expr).is_some(),
                        _ => false,
                    })
                })?;
                if !constant && has_call(operand) {
                    // `strlen("a")` is a constant to compilers, `rand()` is not.
                    self.unsupported("`__builtin_constant_p` of what calls a function");
                }
                Value::scalar(fold::int(i128::from(constant)), Type::INT)
            }
            (Builtin::ChooseExpression, [condition, then, otherwise]) => {
                let (condition, _) = self.constant_value(condition)?;
                let chosen = if condition != 0 { then } else { otherwise };
                self.expression(chosen)?
            }
            (Builtin::VaStart, [list, ..]) => {
                let span = self.cursor.span();
                let list = self.expression(list)?;
                self.cursor.set_span(span);
                self.va_start(list)?
            }
            (Builtin::VaCopy, [destination, source]) => {
                let span = self.cursor.span();
                let destination = self.expression(destination)?;
                let source = self.expression(source)?;
                self.cursor.set_span(span);
                self.va_copy(destination, source)?
            }
            (Builtin::VaEnd, [list]) => {
                self.effects(list)?;
                Value::void()
            }
            (Builtin::ObjectSize, [operand, kind]) => {
                // The operand is not evaluated. The optimiser decides whether the size is known.
                self.unevaluated(|this| this.expression(operand))?;
                self.constant_value(kind)?;
                self.approximate("__builtin_object_size", self.types.size_type())?
            }
            (
                Builtin::ConstantP
                | Builtin::ChooseExpression
                | Builtin::VaStart
                | Builtin::VaCopy
                | Builtin::VaEnd
                | Builtin::ObjectSize,
                _,
            ) => {
                return Err(self.error("a built-in function has the wrong number of arguments"));
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// Lowers built-ins on values; each argument already has its parameter's type, except for type-generic ones.
    pub(in crate::lower) fn builtin_on_values(
        &mut self,
        builtin: Builtin,
        known: &LibraryFunction,
        function: &FunctionType,
        values: Vec<Value>,
    ) -> Result<Value> {
        self.note_external_builtin(known.name, builtin);
        match builtin {
            Builtin::Exit => {
                if matches!(known.name, "err" | "errx" | "verr" | "verrx") {
                    self.writes_elsewhere()?;
                }
                let status = values.into_iter().next();
                if let Some(status) = status.filter(|status| self.types.is_integer(status.ty)) {
                    self.exit_with(status)?;
                }
                self.exit_program();
                Ok(Value::void())
            }
            Builtin::End => {
                self.end_process(false);
                Ok(Value::void())
            }
            Builtin::Abort => {
                self.abort_program(known.name == "__builtin_trap");
                Ok(Value::void())
            }
            Builtin::ElsewhereAtEnd => {
                self.elsewhere_at_end();
                Ok(Value::void())
            }
            Builtin::StreamsElsewhere => {
                self.uses.note_streams();
                let elsewhere = i128::from(self.input.late().streams);
                Ok(Value::scalar(fold::int(elsewhere), Type::INT))
            }
            Builtin::ElsewhereHadControl => {
                let object = self.had_control();
                let value = self.load_object(object, fold::INT);
                Ok(Value::scalar(value, Type::INT))
            }
            Builtin::Elsewhere => {
                let what = "unknown code behind the stream";
                self.call_unknown(what, function, values, Use::Value)
            }
            Builtin::Unreachable => {
                self.check_promise(Rule::PromisedPoint);
                self.end_path(Terminator::Unreachable);
                Ok(Value::void())
            }
            // If the property names the verifier's error function, the call has already been lowered as an error.
            Builtin::AssertFail | Builtin::VerifierError => {
                self.failed_assertion();
                Ok(Value::void())
            }
            Builtin::VerifierAssert => {
                let [condition] = self.exactly(known, values)?;
                self.verifier_assert(condition)?;
                Ok(Value::void())
            }
            Builtin::Assume => {
                let [condition] = self.exactly(known, values)?;
                let (expr, ty) = self.scalar_value(condition)?;
                let scalar = self.scalar_type(ty)?;
                match fold::constant_truth(&expr) {
                    Some(true) => {}
                    Some(false) => self.end_path(Terminator::End),
                    None => {
                        let condition = fold::truth_value(expr, scalar);
                        self.emit_fresh(Instruction::Assume(condition));
                    }
                }
                Ok(Value::void())
            }
            Builtin::Nondet => self.nondet(known.name, function.result),
            Builtin::Nothing | Builtin::VaEnd => {
                if matches!(known.name, "perror" | "psignal" | "warn" | "warnx") {
                    self.writes_elsewhere()?;
                }
                Ok(Value::void())
            }
            Builtin::Zero => Ok(Value::scalar(fold::int(0), Type::INT)),
            Builtin::Assumed => {
                let kind = match known.name {
                    "__regatta_assumed_surroundings" => AssumptionKind::Environment,
                    _ => AssumptionKind::Library,
                };
                let text = values.first().and_then(|text| self.literal_text(text));
                if let Some(text) = text {
                    self.note_assumption(kind, String::from_utf8_lossy(&text));
                }
                Ok(Value::void())
            }
            Builtin::CountsMatter => {
                let matter = self.literals.has_counting_format();
                Ok(Value::scalar(fold::int(i128::from(matter)), Type::INT))
            }
            Builtin::EnvironmentIsNamed => {
                let named = self.uses.environment();
                Ok(Value::scalar(fold::int(i128::from(named)), Type::INT))
            }
            Builtin::CallbacksMatter => {
                let matter = self.callbacks_matter();
                Ok(Value::scalar(fold::int(i128::from(matter)), Type::INT))
            }
            Builtin::SetJump => match values.into_iter().next() {
                Some(buffer) => self.set_jump(known.name, buffer),
                None => Err(self.error(format!("`{}` needs an argument", known.name))),
            },
            Builtin::LongJump => {
                let [buffer, value] = self.exactly(known, values)?;
                self.long_jump(buffer, value)?;
                Ok(Value::void())
            }
            Builtin::FirstArgument => match values.into_iter().next() {
                Some(value) => Ok(self.rvalue(value)),
                None => Err(self.error(format!("`{}` needs an argument", known.name))),
            },
            Builtin::AddOverflow => self.overflow(BinaryOp::Add, known, values),
            Builtin::SubtractOverflow => self.overflow(BinaryOp::Subtract, known, values),
            Builtin::MultiplyOverflow => self.overflow(BinaryOp::Multiply, known, values),
            Builtin::Malloc
            | Builtin::Calloc
            | Builtin::Pages
            | Builtin::Resized
            | Builtin::Free
            | Builtin::Alloca
            | Builtin::AlignedAlloc
            | Builtin::AllocatedSize
            | Builtin::Memcpy
            | Builtin::Memmove
            | Builtin::Memset
            | Builtin::NondetMemory => self.memory_builtin(builtin, known, values),
            Builtin::Infinity
            | Builtin::NotANumber
            | Builtin::IsGreater
            | Builtin::IsGreaterEqual
            | Builtin::IsLess
            | Builtin::IsLessEqual
            | Builtin::IsLessGreater
            | Builtin::IsUnordered
            | Builtin::IsInfiniteSign
            | Builtin::IsFinite
            | Builtin::FloatClassify
            | Builtin::GetRounding
            | Builtin::SetRounding => self.float_builtin(builtin, known, function, values),
            Builtin::ConstantP
            | Builtin::ChooseExpression
            | Builtin::ObjectSize
            | Builtin::VaStart
            | Builtin::VaCopy
            | Builtin::Formatted => self.unmodelled(known.name, function.result),
        }
    }

    /// Checks that there are exactly `N` values.
    pub(in crate::lower) fn exactly<const N: usize>(
        &self,
        known: &LibraryFunction,
        values: Vec<Value>,
    ) -> Result<[Value; N]> {
        values.try_into().map_err(|values: Vec<Value>| {
            self.error(format!(
                "`{}` takes {N} arguments, not {}",
                known.name,
                values.len()
            ))
        })
    }

    pub(in crate::lower) fn failed_assertion(&mut self) {
        if self.input.property().forbids_failing_assertions() {
            self.end_path(Terminator::Error);
        } else {
            self.abort_program(false);
        }
    }

    /// Lowers the write of an unmodelled function to the standard error, which unknown code may observe.
    fn writes_elsewhere(&mut self) -> Result<()> {
        self.uses.note_streams();
        match library::lookup("__regatta_standard_error") {
            Some(known) if self.input.late().streams => self.call_quietly(&known, Vec::new()),
            _ => Ok(()),
        }
    }

    fn verifier_assert(&mut self, condition: Value) -> Result<()> {
        let condition = self.condition_of(condition)?;
        let (then, otherwise) = self.branch_on(condition);
        self.function.continue_in(otherwise);
        self.failed_assertion();
        self.function.continue_in(then);
        Ok(())
    }

    /// Lowers `__builtin_add_overflow(a, b, result)` and its variants.
    fn overflow(
        &mut self,
        op: BinaryOp,
        known: &LibraryFunction,
        values: Vec<Value>,
    ) -> Result<Value> {
        let [left, right, result] = self.exactly(known, values)?;
        let Some(target) = self.types.pointee(result.ty) else {
            return Err(self.error(format!(
                "the last argument of `{}` is no pointer",
                known.name
            )));
        };
        let (pointer, _) = self.scalar_value(result)?;
        let scalar = self.scalar_type(target)?;
        let Some((wrapped, overflow)) = self.checked(op, left, right, scalar)? else {
            return self.unmodelled(known.name, Type::BOOL);
        };
        let value = Value::scalar(wrapped, target.unqualified());
        self.store_value(Value::lvalue(pointer, target), value)?;
        self.cast(Value::scalar(overflow, Type::INT), Type::BOOL)
    }

    /// Lowers `__builtin_add_overflow_p(a, b, (type)0)` and its variants, which only compute whether the type cannot
    /// represent the result. The sample may be a bit-field, which then stands for integers of its width.
    fn overflow_predicate(&mut self, name: &str, nodes: Arguments<'_>) -> Result<Option<Value>> {
        let op = match name {
            "__builtin_add_overflow_p" => BinaryOp::Add,
            "__builtin_sub_overflow_p" => BinaryOp::Subtract,
            "__builtin_mul_overflow_p" => BinaryOp::Multiply,
            _ => return Ok(None),
        };
        let values: std::result::Result<[Value; 3], _> = self.raw_arguments(nodes)?.try_into();
        let Ok([left, right, sample]) = values else {
            return Err(self.error(format!("`{name}` takes 3 arguments")));
        };
        let sample = match nodes.last() {
            Some(node) => self.sample_type(node, sample.ty)?,
            None => self.scalar_type(sample.ty)?,
        };
        match self.checked(op, left, right, sample)? {
            Some((_, overflow)) => {
                let truth = Value::scalar(overflow, Type::INT);
                self.cast(truth, Type::BOOL).map(Some)
            }
            None => self.unmodelled(name, Type::BOOL).map(Some),
        }
    }

    /// The integer type of an expression: that of its bit-field's width if it is one, else its own.
    fn sample_type(&mut self, node: &Node<ast::Expression>, ty: Type) -> Result<ScalarType> {
        let sample = self.unevaluated(|this| this.expression(node))?;
        if let ValueKind::Lvalue(lvalue) = &sample.kind
            && let Some(field) = lvalue.bit_field
            && let ScalarType::Integer { signed, .. } = self.scalar_type(sample.ty)?
        {
            let bits = field.bits;
            return Ok(ScalarType::Integer { bits, signed });
        }
        self.scalar_type(ty)
    }

    /// The result wrapped to a type, and whether wrapping changes it, computed in a width that holds every result;
    /// `None` if no supported width does.
    fn checked(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
        target: ScalarType,
    ) -> Result<Option<(Expr, Expr)>> {
        // The operands may also have type `_Bool`.
        let left = self.promoted_argument(left)?;
        let right = self.promoted_argument(right)?;
        let (left, left_type) = self.scalar_value(left)?;
        let (right, right_type) = self.scalar_value(right)?;
        let shapes = (
            self.scalar_type(left_type)?,
            self.scalar_type(right_type)?,
            target,
        );
        let (
            ScalarType::Integer {
                bits: left_bits,
                signed: left_signed,
            },
            ScalarType::Integer {
                bits: right_bits,
                signed: right_signed,
            },
            ScalarType::Integer {
                bits: target_bits, ..
            },
        ) = shapes
        else {
            return Err(self.error("the operands of an overflow check are no integers"));
        };
        let needed = match op {
            BinaryOp::Multiply => u32::from(left_bits) + u32::from(right_bits),
            _ => u32::from(left_bits.max(right_bits)) + 2,
        };
        let bits = needed.max(u32::from(target_bits) + 1).next_multiple_of(32);
        // A product of unsigned numbers needs every bit and is never negative.
        let signed = op != BinaryOp::Multiply || left_signed || right_signed;
        if bits > 128 {
            let left = Magnitude::of(self, left, shapes.0);
            let right = Magnitude::of(self, right, shapes.1);
            return Ok(Some(self.checked_widely(op, left, right, target)));
        }
        let wide = ScalarType::Integer {
            bits: bits as u8,
            signed,
        };
        let exact = fold::binary(
            op,
            fold::convert(left, shapes.0, wide),
            fold::convert(right, shapes.1, wide),
            wide,
        );
        let exact = self.keep(exact, wide);
        let wrapped = fold::convert(exact.clone(), wide, shapes.2);
        let back = fold::convert(wrapped.clone(), shapes.2, wide);
        let overflow = fold::binary(BinaryOp::NotEqual, back, exact, wide);
        Ok(Some((wrapped, overflow)))
    }

    /// Lowers, by name, generic built-ins that no prototype describes.
    pub(in crate::lower) fn generic_builtin(
        &mut self,
        name: &str,
        nodes: Arguments<'_>,
        wanted: Use,
    ) -> Result<Option<Value>> {
        if name.starts_with("__sync_")
            || name.starts_with("__atomic_")
            || name.starts_with("__c11_atomic_")
        {
            return self.atomic(name, nodes, wanted);
        }
        match name {
            "__builtin_tgmath" => self.type_generic_math(nodes, wanted),
            "__builtin_va_arg_pack" => self.argument_pack().map(Some),
            "__builtin_va_arg_pack_len" => self.argument_count().map(Some),
            "__builtin_classify_type" => self.classify_type(nodes).map(Some),
            "__builtin_shuffle" => self.shuffle(nodes).map(Some),
            "__builtin_shufflevector" => self.shuffle_by_numbers(nodes).map(Some),
            "__builtin_complex" => {
                let values = self.raw_arguments(nodes)?;
                self.complex_of(values).map(Some)
            }
            _ if name.starts_with(intrinsic::PREFIX) => self.intrinsic(name, nodes),
            _ => self.overflow_predicate(name, nodes),
        }
    }

    /// `__builtin_classify_type(e)`: the class number of the type in gcc's `typeclass.h`; `e` is not evaluated.
    fn classify_type(&mut self, nodes: Arguments<'_>) -> Result<Value> {
        let [node] = nodes else {
            return Err(self.error("`__builtin_classify_type` takes one argument"));
        };
        let value = self.unevaluated(|this| {
            let value = this.expression(node)?;
            Ok(this.rvalue(value))
        })?;
        let class = match self.types.scalar(value.ty) {
            Some(ScalarType::Integer { .. } | ScalarType::Bool) => 1,
            Some(ScalarType::Pointer) => 5,
            Some(ScalarType::Float(_)) => 8,
            None => match self.types.as_record(value.ty) {
                Some(record) if record.kind == RecordKind::Union => 13,
                Some(_) => 12,
                None => return self.unmodelled("__builtin_classify_type", Type::INT),
            },
        };
        Ok(Value::scalar(fold::int(class), Type::INT))
    }

    /// `__builtin_tgmath(sqrtf, sqrt, sqrtl, csqrtf, …, arguments)`: the expansion of the macros of `<tgmath.h>`. It
    /// calls the function for the common type of the arguments, where an integer counts as a `double`.
    fn type_generic_math(&mut self, nodes: Arguments<'_>, wanted: Use) -> Result<Option<Value>> {
        let span = self.cursor.span();
        let mut functions: Vec<(&str, Type)> = Vec::new();
        for node in nodes {
            let ast::Expression::Identifier(identifier) = &node.node else {
                break;
            };
            let name = identifier.node.name.as_str();
            let Some(symbol) = self.scopes.lookup(name) else {
                break;
            };
            let symbol = self.scopes.symbol(symbol);
            if !self.types.is_function(symbol.ty) {
                break;
            }
            functions.push((name, symbol.ty));
        }
        let arguments = &nodes[functions.len()..];
        let mut common = None;
        for argument in arguments {
            let ty = self.unevaluated(|this| {
                let value = this.expression(argument)?;
                Ok(this.rvalue(value).ty)
            })?;
            if self.types.is_opaque(ty) || self.types.is_vector(ty) {
                return self
                    .unmodelled("`__builtin_tgmath` of such a type", Type::DOUBLE)
                    .map(Some);
            }
            let is_complex = self.types.is_complex(ty);
            if !self.types.is_arithmetic(ty) && !is_complex {
                continue;
            }
            let ty = if self.types.is_float(ty) || is_complex {
                ty.unqualified()
            } else {
                Type::DOUBLE
            };
            common = Some(match common {
                Some(common) if is_complex || self.types.is_complex(common) => {
                    self.common_complex(common, ty)?
                }
                Some(common) => self.types.common_arithmetic(common, ty),
                None => ty,
            });
        }
        self.cursor.set_span(span);
        let common = common.unwrap_or(Type::DOUBLE);
        let scalar = self.types.scalar(common);
        let chosen = functions.iter().find(|(_, ty)| {
            let first = self.types.function_type(*ty).and_then(|function| {
                let mut numbers = function.parameters.iter();
                let is_number = |ty: Type| self.types.is_float(ty) || self.types.is_complex(ty);
                numbers.find(|&&parameter| is_number(parameter)).copied()
            });
            first.is_some_and(|first| match scalar {
                Some(_) => self.types.scalar(first) == scalar,
                None => self.types.compatible(first, common),
            })
        });
        match chosen {
            Some(&(name, ty)) => self.call_named(name, ty, arguments, wanted).map(Some),
            None => self
                .unmodelled("`__builtin_tgmath` of such a type", Type::DOUBLE)
                .map(Some),
        }
    }

    /// The address and target type of a pointer value.
    pub(in crate::lower) fn address_value(&mut self, value: Value) -> Result<(Expr, Type)> {
        let value = self.rvalue(value);
        let Some(target) = self.types.pointee(value.ty) else {
            let ty = self.types.describe(value.ty);
            return Err(self.error(format!("a pointer is needed, not a `{ty}`")));
        };
        let (address, _) = self.scalar_value(value)?;
        Ok((address, target))
    }
}

fn has_call(expression: &Node<ast::Expression>) -> bool {
    struct Calls(bool);

    impl<'ast> Visit<'ast> for Calls {
        fn visit_call_expression(
            &mut self,
            _: &'ast ast::CallExpression,
            _: &'ast lang_c::span::Span,
        ) {
            self.0 = true;
        }
    }

    let mut calls = Calls(false);
    calls.visit_expression(&expression.node, &expression.span);
    calls.0
}
