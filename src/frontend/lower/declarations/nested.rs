//! Nested functions, an extension of gcc.
//!
//! The rewriter changes `int f(int x) { … }` in a block to `int f(int x) = ({ … });`. The function is lowered at its
//! definition, with the names visible there. Objects of enclosing functions are *captured*: their addresses are hidden
//! parameters behind the others, which calls pass on. The captured objects are known when all functions are lowered
//! ([`Lowerer::finish_nested`]).
//!
//! # Addresses
//! A pointer to a nested function has only one word. It points to a *trampoline*, which calls the function with the
//! captured addresses of the place where the function's address was taken: they are kept in static objects as long as
//! the captured activation exists. If another activation takes the address meanwhile, both would be needed, which is
//! not modelled; nor is a call after the activation has ended.
//!
//! # Jumps
//! A `goto` to a label of an enclosing function is a jump out of active functions (see
//! [`crate::lower::statements::long_jump`]). All objects keep their values.

use std::rc::Rc;

use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::FxHashMap;

use super::declarator::LengthContext;
use super::function::FunctionHead;
use super::specifier::Specifiers;
use crate::ir::{
    Argument, BinaryOp, Callee, Expr, FunctionIndex, Instruction, Object, ObjectIndex, Place,
    Pointer, ResultPlace, ScalarType, Storage, Terminator,
};
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Value, ValueKind};
use crate::lower::state::builder::FunctionBuilder;
use crate::lower::state::scope::{Entity, Symbol};
use crate::lower::statements::long_jump;
use crate::lower::{Lowerer, Result};
use crate::types::Type;
use regatta_base::Span;

/// The nested functions found so far.
#[derive(Debug, Default)]
pub(in crate::lower) struct NestedFunctions {
    functions: FxHashMap<FunctionIndex, Nested>,
    /// By nested function and captured object: the parameter that holds the object's address.
    hidden: FxHashMap<(FunctionIndex, ObjectIndex), ObjectIndex>,
    /// Target labels of jumps out of nested functions: the enclosing function, the label, the number of the landing.
    labels: Vec<(FunctionIndex, String, usize)>,
}

/// A nested function.
#[derive(Debug)]
struct Nested {
    /// The directly enclosing function.
    parent: FunctionIndex,
    /// The captured objects, in the order of the hidden parameters.
    captured: Vec<ObjectIndex>,
    /// The trampoline, if a pointer to the function is created.
    pointer: Option<Trampoline>,
    is_defined: bool,
}

/// The generated functions behind a pointer to a nested function.
#[derive(Copy, Clone, Debug)]
struct Trampoline {
    /// Stores the addresses of captured objects; it has the hidden parameters of the nested function.
    keeper: FunctionIndex,
    /// The target of the pointer.
    entry: FunctionIndex,
}

impl NestedFunctions {
    /// The nested function with the same hidden parameters as `callee`.
    fn captures_like(&self, callee: FunctionIndex) -> Option<FunctionIndex> {
        if self.functions.contains_key(&callee) {
            return Some(callee);
        }
        let mut nested = self.functions.iter();
        let found = nested.find(|(_, nested)| {
            nested
                .pointer
                .is_some_and(|trampoline| trampoline.keeper == callee)
        });
        found.map(|(&index, _)| index)
    }

    /// Checks whether one function encloses another.
    fn is_around(&self, outer: FunctionIndex, inner: FunctionIndex) -> bool {
        let mut at = inner;
        while let Some(nested) = self.functions.get(&at) {
            if nested.parent == outer {
                return true;
            }
            at = nested.parent;
        }
        false
    }
}

impl Lowerer<'_> {
    /// Checks whether an object belongs to a function that encloses the current one.
    fn is_captured(&self, object: ObjectIndex) -> bool {
        let own = self.function.index();
        let Some(Storage::Automatic(owner)) = self.objects.get(object).map(|object| object.storage)
        else {
            return false;
        };
        owner != own && self.nested.is_around(owner, own)
    }

    /// The address of a visible object, which may be captured.
    pub(in crate::lower) fn address_of_object(&mut self, object: ObjectIndex) -> Expr {
        if self.nested.functions.is_empty() || !self.is_captured(object) {
            return Expr::ObjectAddress(object);
        }
        let hidden = self.hidden_parameter(self.function.index(), object);
        self.load_object(hidden, ScalarType::Pointer)
    }

    /// The value of a visible scalar object, which may be captured.
    pub(in crate::lower) fn load_visible(
        &mut self,
        object: ObjectIndex,
        scalar: ScalarType,
    ) -> Expr {
        Expr::Load(Place::new(self.address_of_object(object), scalar))
    }

    fn hidden_parameter(&mut self, function: FunctionIndex, object: ObjectIndex) -> ObjectIndex {
        if let Some(&hidden) = self.nested.hidden.get(&(function, object)) {
            return hidden;
        }
        let name = format!("#nested::{}::{}", function.0, object.0);
        let hidden = self.pointer_object(name, Storage::Automatic(function));
        self.objects.set_temporary(hidden, true);
        self.nested.hidden.insert((function, object), hidden);
        if let Some(nested) = self.nested.functions.get_mut(&function) {
            nested.captured.push(object);
        }
        hidden
    }

    fn pointer_object(&mut self, name: String, storage: Storage) -> ObjectIndex {
        let (size, alignment) = self.types.scalar_layout(ScalarType::Pointer);
        let object = self.push_object(Object {
            name,
            size,
            alignment,
            storage,
            constant: false,
            leaves: vec![long_jump::scalar_leaf(ScalarType::Pointer, size)],
            blocks: Vec::new(),
            span: self.cursor.span(),
        });
        if let Some(object) = self.objects.get_mut(object) {
            object.blocks.clear();
        }
        object
    }

    // --- declarations ---

    /// The body of a nested function; `None` for other declarators.
    pub(in crate::lower) fn nested_body(
        item: &ast::InitDeclarator,
    ) -> Option<&Node<ast::Statement>> {
        let declarator = &item.declarator.node;
        let is_function = declarator.derived.iter().any(|derived| {
            matches!(
                derived.node,
                ast::DerivedDeclarator::Function(_) | ast::DerivedDeclarator::KRFunction(_)
            )
        });
        let is_plain = matches!(declarator.kind.node, ast::DeclaratorKind::Identifier(_));
        match &item.initializer.as_ref()?.node {
            ast::Initializer::Expression(expression) if is_function && is_plain => {
                match &expression.node {
                    ast::Expression::Statement(statement) => Some(statement),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Lowers `auto int f(int);`, which announces a nested function.
    pub(in crate::lower) fn declare_nested(&mut self, name: &str, ty: Type) {
        self.nested_symbol(name, ty);
    }

    /// The index of the nested function with the name in the innermost block.
    fn nested_symbol(&mut self, name: &str, ty: Type) -> FunctionIndex {
        let known = self.scopes.lookup_innermost(name);
        if let Some(known) = known
            && let Entity::Nested(index) = self.scopes.symbol(known).entity
            && self
                .nested
                .functions
                .get(&index)
                .is_some_and(|nested| !nested.is_defined)
        {
            self.scopes.symbol_mut(known).ty = ty;
            return index;
        }
        let parent = self.function.index();
        let index = self.functions.reserve();
        let nested = Nested {
            parent,
            captured: Vec::new(),
            pointer: None,
            is_defined: false,
        };
        self.nested.functions.insert(index, nested);
        let symbol = self.scopes.create(Symbol {
            ty,
            entity: Entity::Nested(index),
            span: self.cursor.span(),
        });
        self.scopes.bind(name, symbol);
        index
    }

    pub(in crate::lower) fn nested_function(
        &mut self,
        specifiers: &Specifiers,
        item: &Node<ast::InitDeclarator>,
        body: &Node<ast::Statement>,
    ) -> Result<()> {
        let declarator = &item.node.declarator;
        let declared = self.declarator_in(specifiers.ty, declarator, LengthContext::Prototype)?;
        let Some(name) = declared.name else {
            return Err(self.error("a function without a name"));
        };
        let name = name.node.name.as_str();
        let index = self.nested_symbol(name, declared.ty);
        if let Some(nested) = self.nested.functions.get_mut(&index) {
            nested.is_defined = true;
        }
        let full_name = format!("{}::{name}", self.function.name());
        let result = self
            .types
            .function_type(declared.ty)
            .map_or(Type::VOID, |function| function.result);
        let builder = self.builder_for(index, &full_name, result);
        let outer = std::mem::replace(&mut self.function, builder);
        let mut outer_control = std::mem::take(&mut self.control);
        let labels = self.control.labels_mut();
        labels.continue_numbers_of(outer_control.labels_mut());
        let log = self.sequencing.enter_function();
        let depth = self.scopes.depth();
        let made = self.define_nested(specifiers.ty, declarator, body);
        while self.scopes.depth() > depth {
            self.scopes.leave();
        }
        self.sequencing.resume(log);
        let mut control = std::mem::replace(&mut self.control, outer_control);
        let built = std::mem::replace(&mut self.function, outer);
        let labels = self.control.labels_mut();
        labels.continue_numbers_of(control.labels_mut());
        made?;
        self.number_outer_labels(control.labels_mut().take_outer());
        self.name_landings();
        self.functions.finish(index, built.finish());
        Ok(())
    }

    fn define_nested(
        &mut self,
        base: Type,
        declarator: &Node<ast::Declarator>,
        body: &Node<ast::Statement>,
    ) -> Result<()> {
        let head: FunctionHead<'_> = self.function_head(base, declarator)?;
        self.function.set_result_type(head.result);
        let number = self.function.enter_body();
        self.scopes.enter(number);
        let (_, form) = self.head_parameters(&head, &[])?;
        self.function_result(form, head.result)?;
        self.function_body(body)?;
        self.return_at_end("")
    }

    // --- uses ---

    /// Lowers a nested function as an expression, which creates a pointer to it.
    pub(in crate::lower) fn nested_designator(&mut self, index: FunctionIndex, ty: Type) -> Value {
        let known = self.nested.functions.get(&index);
        let trampoline = match known.and_then(|nested| nested.pointer) {
            Some(trampoline) => trampoline,
            None => self.new_trampoline(index),
        };
        self.emit(Instruction::Call {
            callee: Callee::Direct(trampoline.keeper),
            arguments: Vec::new(),
            result: None,
        });
        Value {
            ty,
            kind: ValueKind::Function(Expr::FunctionAddress(trampoline.entry)),
        }
    }

    fn new_trampoline(&mut self, index: FunctionIndex) -> Trampoline {
        let trampoline = Trampoline {
            keeper: self.functions.reserve(),
            entry: self.functions.reserve(),
        };
        // Unknown code may call it, but only through a pointer.
        let name = format!("#trampoline {}", index.0);
        self.symbols.make_internal(&name);
        self.functions.name(trampoline.entry, &name);
        if let Some(nested) = self.nested.functions.get_mut(&index) {
            nested.pointer = Some(trampoline);
        }
        trampoline
    }

    /// Lowers jumps to labels that are not in the nested function but in an enclosing one. Others are undefined.
    pub(in crate::lower) fn jump_to_outer_labels(&mut self, missing: &mut Vec<(String, Span)>) {
        let Some(nested) = self.nested.functions.get(&self.function.index()) else {
            return;
        };
        let parent = nested.parent;
        let far = std::mem::take(missing);
        let is_far = |name: &str| far.iter().any(|(far, _)| far == name);
        self.control.labels_mut().set_outer_aside(is_far);
        let saved = self.function.current();
        for (name, span) in far {
            self.cursor.set_span(span);
            let position = self.control.blocks().position();
            if let Some((block, _)) = self.control.labels_mut().define(&name, position) {
                self.function.continue_in(block);
            }
            let number = self.jump_to_function(parent);
            self.nested.labels.push((parent, name, number));
        }
        self.function.continue_in(saved);
    }

    /// Numbers labels of this function whose addresses a nested one has taken.
    fn number_outer_labels(&mut self, labels: Vec<(String, u32)>) {
        for (name, number) in labels {
            self.label_block(&name);
            self.control.labels_mut().set_number(name, number);
        }
    }

    /// Creates the blocks of labels to which nested functions jump; those of outer functions are jumped to from here.
    fn name_landings(&mut self) {
        let own = self.function.index();
        let labels = self.nested.labels.iter();
        let names = labels.filter(|(function, ..)| *function == own);
        let names: Vec<String> = names.map(|(_, name, _)| name.clone()).collect();
        for name in names {
            self.label_block(&name);
        }
    }

    /// Creates landings at the labels to which nested functions jump.
    pub(in crate::lower) fn create_landings_at_labels(&mut self) -> Result<()> {
        let own = self.function.index();
        let labels = self
            .nested
            .labels
            .extract_if(.., |(function, ..)| *function == own);
        let labels: Vec<(FunctionIndex, String, usize)> = labels.collect();
        for (_, name, number) in labels {
            let label = self.control.labels().get(&name);
            let Some(block) = label
                .filter(|label| label.position.is_some())
                .map(|label| label.block)
            else {
                return Err(self.error(format!("the label `{name}` is not defined")));
            };
            self.land(number, block);
        }
        Ok(())
    }

    // --- the end ---

    /// Adds hidden parameters to nested functions and hidden arguments to their calls, and builds the trampolines.
    pub(in crate::lower) fn finish_nested(&mut self) {
        if self.nested.functions.is_empty() {
            return;
        }
        self.capture_for_callees();
        let mut indices: Vec<FunctionIndex> = self.nested.functions.keys().copied().collect();
        indices.sort_unstable();
        for &index in &indices {
            if let Some(trampoline) = self.nested.functions[&index].pointer {
                self.make_trampoline(index, trampoline);
            }
        }
        self.pass_hidden_arguments();
        for index in indices {
            let captured = self.nested.functions[&index].captured.clone();
            let hidden = captured.iter().filter_map(|&object| {
                let hidden = self.nested.hidden.get(&(index, object));
                hidden.copied()
            });
            let hidden: Vec<ObjectIndex> = hidden.collect();
            if let Some(function) = self.functions.get_mut(index) {
                function.parameters.extend(hidden);
            }
        }
    }

    /// The callees of a function that take hidden parameters.
    fn nested_callees(&self, function: FunctionIndex) -> Vec<FunctionIndex> {
        let Some(function) = self.functions.get(function) else {
            return Vec::new();
        };
        let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        let callees = instructions.filter_map(|(one, _)| match one {
            Instruction::Call {
                callee: Callee::Direct(callee),
                ..
            } => self.nested.captures_like(*callee),
            _ => None,
        });
        callees.collect()
    }

    /// A caller of a nested function captures what that captures, except for its own objects.
    fn capture_for_callees(&mut self) {
        let mut indices: Vec<FunctionIndex> = self.nested.functions.keys().copied().collect();
        indices.sort_unstable();
        let calls: Vec<(FunctionIndex, Vec<FunctionIndex>)> = indices
            .into_iter()
            .map(|index| (index, self.nested_callees(index)))
            .collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (caller, callees) in &calls {
                for callee in callees {
                    let captured = self.nested.functions[callee].captured.clone();
                    for object in captured {
                        let is_own = self.objects[object].storage == Storage::Automatic(*caller);
                        let is_known = self.nested.hidden.contains_key(&(*caller, object));
                        if !is_own && !is_known {
                            self.hidden_parameter(*caller, object);
                            changed = true;
                        }
                    }
                }
            }
        }
    }

    /// Adds the hidden arguments to all calls of nested functions.
    fn pass_hidden_arguments(&mut self) {
        let entries: Vec<FunctionIndex> = self
            .nested
            .functions
            .values()
            .filter_map(|nested| Some(nested.pointer?.entry))
            .collect();
        for number in 0..self.functions.count() {
            let caller = FunctionIndex(number as u32);
            // A trampoline passes the stored addresses.
            if entries.contains(&caller) {
                continue;
            }
            let Some(mut function) = self.functions.take(caller) else {
                continue;
            };
            let blocks = function.blocks.iter_mut();
            for (instruction, _) in blocks.flat_map(|block| &mut block.instructions) {
                if let Instruction::Call {
                    callee: Callee::Direct(callee),
                    arguments,
                    ..
                } = instruction
                    && let Some(nested) = self.nested.captures_like(*callee)
                {
                    let captured = &self.nested.functions[&nested].captured;
                    arguments.extend(captured.iter().map(|&object| {
                        let value = match self.nested.hidden.get(&(caller, object)) {
                            Some(&hidden) => self.load_object(hidden, ScalarType::Pointer),
                            None => Expr::ObjectAddress(object),
                        };
                        Argument::Scalar {
                            value,
                            scalar: ScalarType::Pointer,
                        }
                    }));
                }
            }
            self.functions.finish(caller, function);
        }
    }

    fn make_trampoline(&mut self, index: FunctionIndex, trampoline: Trampoline) {
        let captured = self.nested.functions[&index].captured.clone();
        let kept: Vec<ObjectIndex> = captured
            .iter()
            .map(|object| {
                let name = format!("#kept::{}::{}", index.0, object.0);
                self.pointer_object(name, Storage::Static { external: false })
            })
            .collect();
        self.make_keeper(trampoline.keeper, &kept);
        self.make_entry(index, trampoline.entry, &kept);
        for (&object, &kept) in captured.iter().zip(&kept) {
            self.forget_at_end(object, kept);
        }
    }

    fn start_helper(&mut self, index: FunctionIndex, name: &str) -> FunctionBuilder {
        let builder = self.builder_for(index, &format!("#{name} {}", index.0), Type::VOID);
        std::mem::replace(&mut self.function, builder)
    }

    fn end_helper(&mut self, outer: FunctionBuilder) {
        let span = self.cursor.span();
        self.function.end(Terminator::Return, span);
        let index = self.function.index();
        let built = std::mem::replace(&mut self.function, outer);
        self.functions.finish(index, built.finish());
    }

    /// Builds the function that stores the addresses of captured objects.
    fn make_keeper(&mut self, index: FunctionIndex, kept: &[ObjectIndex]) {
        let outer = self.start_helper(index, "keeper");
        let pointer = ScalarType::Pointer;
        let null = fold::zero(pointer);
        for &kept in kept {
            let name = format!("#keeper::{}::{}", index.0, kept.0);
            let given = self.pointer_object(name, Storage::Automatic(index));
            self.function.add_parameter(given);
            let old = self.load_object(kept, pointer);
            let new = self.load_object(given, pointer);
            let is_kept = fold::binary(BinaryOp::NotEqual, old.clone(), null.clone(), pointer);
            let is_other = fold::binary(BinaryOp::NotEqual, old, new.clone(), pointer);
            let both = fold::binary(BinaryOp::LogicalAnd, is_kept, is_other, fold::INT);
            self.unsupported_if(
                both,
                "a pointer to a nested function of a second activation",
            );
            let place = self.object_place(kept, pointer);
            self.emit(Instruction::Assign { place, value: new });
        }
        self.end_helper(outer);
    }

    /// Builds the target of pointers to a nested function.
    fn make_entry(&mut self, nested: FunctionIndex, index: FunctionIndex, kept: &[ObjectIndex]) {
        let Some(function) = self.functions.get(nested) else {
            return;
        };
        let (parameters, result) = (function.parameters.clone(), function.result);
        let outer = self.start_helper(index, "trampoline");
        let pointer = ScalarType::Pointer;
        for &kept in kept {
            let value = self.load_object(kept, pointer);
            let ended = fold::binary(BinaryOp::Equal, value, fold::zero(pointer), pointer);
            self.unsupported_if(
                ended,
                "a call of a nested function whose enclosing activation has ended",
            );
        }
        let mut arguments = Vec::new();
        for parameter in parameters {
            let own = self.object_like(parameter, index);
            self.function.add_parameter(own);
            arguments.push(self.as_argument(own));
        }
        for &kept in kept {
            let value = self.load_object(kept, pointer);
            arguments.push(Argument::Scalar {
                value,
                scalar: pointer,
            });
        }
        let result = result.map(|result| {
            let own = self.object_like(result, index);
            self.function.set_result(Some(own));
            match self.as_argument(own) {
                Argument::Scalar { scalar, .. } => {
                    ResultPlace::Scalar(self.object_place(own, scalar))
                }
                Argument::Object {
                    address,
                    size,
                    leaves,
                } => ResultPlace::Object {
                    address,
                    size,
                    leaves,
                },
            }
        });
        self.emit(Instruction::Call {
            callee: Callee::Direct(nested),
            arguments,
            result,
        });
        self.end_helper(outer);
    }

    /// Creates an object of a function with the shape of another object.
    fn object_like(&mut self, object: ObjectIndex, function: FunctionIndex) -> ObjectIndex {
        let mut object = self.objects[object].clone();
        object.name = format!("#like::{}::{}", function.0, object.name);
        object.storage = Storage::Automatic(function);
        object.blocks.clear();
        let index = self.push_object(object);
        self.objects[index].blocks.clear();
        index
    }

    fn as_argument(&self, object: ObjectIndex) -> Argument {
        let known = &self.objects[object];
        match known.leaves[..] {
            [leaf] if leaf.bit_offset == 0 && leaf.count <= 1 => Argument::Scalar {
                value: self.load_object(object, leaf.scalar),
                scalar: leaf.scalar,
            },
            _ => Argument::Object {
                address: Pointer::new(Expr::ObjectAddress(object)),
                size: known.size,
                leaves: known.leaves.clone(),
            },
        }
    }

    /// Deletes the stored address of an object where its function returns.
    fn forget_at_end(&mut self, object: ObjectIndex, kept: ObjectIndex) {
        let Storage::Automatic(owner) = self.objects[object].storage else {
            return;
        };
        let pointer = ScalarType::Pointer;
        let value = self.load_object(kept, pointer);
        let own = Expr::ObjectAddress(object);
        let is_own = fold::binary(BinaryOp::Equal, value.clone(), own, pointer);
        let value = Expr::conditional(is_own, fold::zero(pointer), value, pointer);
        let place = self.object_place(kept, pointer);
        let forget = Instruction::Assign { place, value };
        if let Some(function) = self.functions.get_mut(owner) {
            let span = function.span;
            for block in &mut function.blocks {
                if matches!(block.terminator, Terminator::Return) {
                    block.instructions.push((forget.clone(), span));
                }
            }
        }
    }

    /// Lowers a call of a nested function by its name.
    pub(in crate::lower) fn call_nested(
        &mut self,
        index: FunctionIndex,
        ty: Type,
        arguments: &[Node<ast::Expression>],
        wanted: Use,
    ) -> Result<Value> {
        let span = self.cursor.span();
        let Some(function) = self.types.function_type(ty) else {
            return Err(self.error("a nested function without its type"));
        };
        let function = Rc::clone(&function);
        let values = self.arguments(&function, arguments)?;
        self.cursor.set_span(span);
        self.emit_call(Callee::Direct(index), &function, values, wanted)
    }
}
