//! What is left out of a program because it is not modelled, though compilers accept it.
//!
//! An error that the lowering finds is the program's, unless a compiler accepts the text: then it is ours. It must not
//! cost more than what depends on it. So the program is lowered again without the part where the error is, and at its
//! place stands [`Instruction::Unsupported`]: nothing is claimed of a run that comes there. What is left out is as small
//! as it can be:
//! 1. a statement, or a declaration in a block, whose names then mean nothing;
//! 2. the body of a function, where no statement is to blame, or leaving it out would lose a label or a tag;
//! 3. a declaration at file scope, or all of a name there. Who names what it declares is left out in turn.
//!
//! Each time, everything is lowered from the beginning: what stands after an error may depend on what was left undone there.

use std::rc::Rc;

use lang_c::ast;
use lang_c::span::{Node, Span as TextSpan};
use lang_c::visit::{self, Visit};
use rustc_hash::{FxHashMap, FxHashSet};

use super::declarator::declarator_name;
use super::scope::{Entity, Symbol};
use super::{Lowerer, Result};
use crate::ir::{FunctionIndex, Terminator};
use crate::position::Origin;
use crate::types::Type;
use regatta_base::diagnostic::{Error, ErrorKind};

/// Where something begins: in which text, at which offset.
type Start = (Origin, usize);

/// Maximum number of statements that are left out of one declaration before all of it is.
const STATEMENTS: u32 = 24;

/// How much of a declaration is left out.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
enum Part {
    Statement,
    Body,
    Declaration,
}

/// What is left out, with the reasons.
#[derive(Clone, Debug, Default)]
pub(super) struct LeftOut {
    parts: FxHashMap<(Part, Start), Rc<str>>,
    /// By declaration, how many of its statements.
    statements: FxHashMap<Start, u32>,
    /// Names at file scope.
    names: FxHashSet<Rc<str>>,
}

impl LeftOut {
    fn reason(&self, part: Part, start: Option<Start>) -> Option<Rc<str>> {
        self.parts.get(&(part, start?)).cloned()
    }

    /// Leaves out what failed. What comes behind a failed declaration may have failed because of that; it is tried again.
    /// Gives whether there is anything that was not left out already.
    pub(super) fn extend(&mut self, failures: impl IntoIterator<Item = Failure>) -> bool {
        let mut is_more = false;
        let mut has_declaration = false;
        for Failure { error, left_out } in failures {
            let message = error.message();
            let reason = match message.strip_suffix(" is not supported") {
                Some(what) => what.to_owned(),
                None => format!("this code ({message})"),
            };
            match left_out {
                Place::Name(name) => {
                    is_more |= self.names.insert(name);
                    has_declaration = true;
                }
                Place::Part {
                    part,
                    start,
                    declaration,
                } => {
                    let is_declaration = part == Part::Declaration;
                    if has_declaration && !is_declaration {
                        continue;
                    }
                    has_declaration |= is_declaration;
                    if part == Part::Statement {
                        *self.statements.entry(declaration).or_default() += 1;
                    }
                    let known = self.parts.insert((part, start), reason.into());
                    is_more |= known.is_none();
                }
            }
        }
        is_more
    }
}

/// What is to be left out for an error.
#[derive(Debug)]
enum Place {
    Part {
        part: Part,
        start: Start,
        /// The declaration that it is in.
        declaration: Start,
    },
    /// A name at file scope.
    Name(Rc<str>),
}

/// An error, and what is to be left out for it.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: Error,
    left_out: Place,
}

/// What fails in the declaration that is being lowered.
#[derive(Debug, Default)]
pub(super) struct Failing {
    /// The innermost statement with the error, if it can be left out.
    statement: Option<Start>,
    /// Whether an error was met that has gone past its innermost statement.
    passed: bool,
    /// Whether the head of the function is done.
    in_body: bool,
}

impl Lowerer<'_> {
    fn start_of_node<T>(&self, node: &Node<T>) -> Option<Start> {
        Some((self.origin?, node.span.start))
    }

    // --- what is left out ---

    /// Why the statement is left out, if it is.
    pub(super) fn left_out_statement<T>(&self, node: &Node<T>) -> Option<Rc<str>> {
        let start = self.start_of_node(node);
        self.left_out.reason(Part::Statement, start)
    }

    /// Why the body of the function is left out, if it is.
    pub(super) fn left_out_body(&self, node: &Node<ast::Statement>) -> Option<Rc<str>> {
        let start = self.start_of_node(node);
        self.left_out.reason(Part::Body, start)
    }

    /// The names that a declaration in a block, which is left out, declares mean nothing.
    pub(super) fn declare_unmodelled(&mut self, declaration: &ast::Declaration) {
        for name in declared_names(declaration) {
            let symbol = self.unmodelled_symbol();
            let symbol = self.scopes.create(symbol);
            self.scopes.bind(name, symbol);
        }
    }

    fn unmodelled_symbol(&self) -> Symbol {
        Symbol {
            ty: Type::INT,
            entity: Entity::Unmodelled,
            span: self.span,
        }
    }

    /// Notes the names of what is left out at file scope, before anything is lowered.
    pub(super) fn note_left_out(&mut self) {
        let parsed = self.parsed;
        let names: Vec<Rc<str>> = self.left_out.names.iter().cloned().collect();
        self.leave_names_out(names.iter().map(|name| &**name));
        for unread in &parsed.unread {
            self.span = unread.span;
            self.leave_names_out(unread.names.iter().map(String::as_str));
            if unread.acts {
                self.refuse(&unread.what);
            }
            if let (true, Some(name)) = (unread.is_function, unread.names.first()) {
                self.unmodelled_function(name, &unread.what);
            }
        }
        for declaration in &parsed.declarations {
            let start = (declaration.origin, declaration.node.span.start);
            let Some(reason) = self.left_out.reason(Part::Declaration, Some(start)) else {
                continue;
            };
            let mut acts = Acts(false);
            acts.visit_external_declaration(&declaration.node.node, &declaration.node.span);
            if acts.0 {
                self.refuse(&reason);
            }
            match &declaration.node.node {
                ast::ExternalDeclaration::Declaration(declaration) => {
                    let names = declared_names(&declaration.node);
                    self.leave_names_out(names.into_iter());
                    let mut enumerators = Enumerators::default();
                    enumerators.visit_declaration(&declaration.node, &declaration.span);
                    self.leave_names_out(enumerators.0.into_iter());
                }
                ast::ExternalDeclaration::FunctionDefinition(function) => {
                    if let Some(name) = declarator_name(&function.node.declarator) {
                        self.leave_names_out(std::iter::once(name));
                        self.unmodelled_function(name, &reason);
                    }
                }
                ast::ExternalDeclaration::StaticAssert(_) => self.refuse(&reason),
            }
        }
    }

    fn leave_names_out<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for name in names {
            self.unmodelled.insert(name.into());
            let symbol = self.unmodelled_symbol();
            let symbol = self.scopes.create(symbol);
            self.scopes.bind_at_file_scope(name, symbol);
        }
    }

    /// A function of which nothing is known: unknown code may call it.
    fn unmodelled_function(&mut self, name: &str, what: &str) {
        let index = match self.defined.get(name) {
            Some(&index) => index,
            None => {
                let index = self.new_function();
                self.defined.insert(name.into(), index);
                index
            }
        };
        let builder = self.builder_for(index, name, Type::VOID);
        let outer = std::mem::replace(&mut self.function, builder);
        self.unsupported(what);
        self.function.end(Terminator::Return, self.span);
        let built = std::mem::replace(&mut self.function, outer).finish();
        self.unmodelled_functions.push((index, built));
    }

    /// Puts the functions of which nothing is known in their places.
    pub(super) fn finish_unmodelled_functions(&mut self) {
        for (FunctionIndex(index), function) in std::mem::take(&mut self.unmodelled_functions) {
            if let Some(slot) = self.functions.get_mut(index as usize) {
                *slot = Some(function);
            }
        }
    }

    /// An error, if a name (of an entity with linkage) is of something that is left out.
    pub(super) fn check_modelled(&self, name: &str) -> Result<()> {
        match self.unmodelled.contains(name) {
            true => Err(self.error(format!("`{name}`, which is not modelled"))),
            false => Ok(()),
        }
    }

    /// Whether the declaration is left out.
    pub(super) fn is_left_out(&self, node: &Node<ast::ExternalDeclaration>) -> bool {
        let start = self.start_of_node(node);
        self.left_out.reason(Part::Declaration, start).is_some()
    }

    // --- what fails ---

    /// Notes the innermost statement that an error comes from.
    pub(super) fn blame_statement(&mut self, node: &Node<ast::Statement>) {
        if !std::mem::replace(&mut self.failing.passed, true) {
            let mut parts = Parts::default();
            parts.visit_statement(&node.node, &node.span);
            if !parts.has_labels && !parts.has_tags {
                self.failing.statement = self.start_of_node(node);
            }
        }
    }

    /// The same for a declaration in a block.
    pub(super) fn blame_declaration(&mut self, node: &Node<ast::Declaration>) {
        if !std::mem::replace(&mut self.failing.passed, true) {
            let mut parts = Parts::default();
            parts.visit_declaration(&node.node, &node.span);
            if !parts.has_labels && !parts.has_tags {
                self.failing.statement = self.start_of_node(node);
            }
        }
    }

    /// Lowers a function's body; what fails in there is no error of its head.
    pub(super) fn in_body<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let result = act(self);
        self.failing.in_body |= result.is_err();
        result
    }

    /// Notes what is to be left out for an error in a declaration at file scope.
    pub(super) fn note_failure(
        &mut self,
        node: &Node<ast::ExternalDeclaration>,
        error: Error,
    ) -> Result<()> {
        let failing = std::mem::take(&mut self.failing);
        while !self.scopes.at_file_scope() {
            self.scopes.leave();
        }
        let Some(declaration) = self.start_of_node(node) else {
            return Err(error);
        };
        if error.kind() == ErrorKind::Internal {
            return Err(error);
        }
        let known = self.left_out.statements.get(&declaration);
        let may_go_on = known.is_none_or(|&count| count < STATEMENTS);
        let (part, start) = match (&node.node, failing.statement) {
            (_, Some(start)) if may_go_on => (Part::Statement, start),
            (ast::ExternalDeclaration::FunctionDefinition(function), _) if failing.in_body => {
                let start = function.node.statement.span.start;
                (Part::Body, (declaration.0, start))
            }
            _ => (Part::Declaration, declaration),
        };
        self.failures.push(Failure {
            error,
            left_out: Place::Part {
                part,
                start,
                declaration,
            },
        });
        Ok(())
    }

    /// The same for an object of which too little is known at the end.
    pub(super) fn note_failed_object(&mut self, name: Rc<str>, error: Error) {
        let left_out = Place::Name(name);
        self.failures.push(Failure { error, left_out });
    }
}

/// The names that the declarators of a declaration declare.
fn declared_names(declaration: &ast::Declaration) -> Vec<&str> {
    let declarators = declaration.declarators.iter();
    declarators
        .filter_map(|item| declarator_name(&item.node.declarator))
        .collect()
}

/// What a part of a function has that other parts could refer to.
#[derive(Default)]
struct Parts {
    has_labels: bool,
    has_tags: bool,
}

impl<'ast> Visit<'ast> for Parts {
    fn visit_labeled_statement(&mut self, node: &'ast ast::LabeledStatement, span: &'ast TextSpan) {
        self.has_labels = true;
        visit::visit_labeled_statement(self, node, span);
    }

    fn visit_struct_type(&mut self, node: &'ast ast::StructType, span: &'ast TextSpan) {
        self.has_tags |= node.declarations.is_some() && node.identifier.is_some();
        visit::visit_struct_type(self, node, span);
    }

    fn visit_enum_type(&mut self, node: &'ast ast::EnumType, span: &'ast TextSpan) {
        self.has_tags |= !node.enumerators.is_empty();
        visit::visit_enum_type(self, node, span);
    }
}

/// The enumerators that a declaration declares.
#[derive(Default)]
struct Enumerators<'ast>(FxHashSet<&'ast str>);

impl<'ast> Visit<'ast> for Enumerators<'ast> {
    fn visit_enumerator(&mut self, node: &'ast ast::Enumerator, span: &'ast TextSpan) {
        self.0.insert(&node.identifier.node.name);
        visit::visit_enumerator(self, node, span);
    }
}

/// Whether a declaration may do more than declare its names.
struct Acts(bool);

impl<'ast> Visit<'ast> for Acts {
    fn visit_extension(&mut self, node: &'ast ast::Extension, span: &'ast TextSpan) {
        const ACTS: &[&str] = &[
            "constructor",
            "destructor",
            "alias",
            "weakref",
            "ifunc",
            "section",
        ];
        self.0 |= match node {
            ast::Extension::Attribute(attribute) => {
                ACTS.contains(&attribute.name.node.trim_matches('_'))
            }
            ast::Extension::AsmLabel(_) => true,
            ast::Extension::AvailabilityAttribute(_) => false,
        };
        visit::visit_extension(self, node, span);
    }
}
