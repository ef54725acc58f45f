//! Leaves out what is not modelled although compilers accept it.
//!
//! An error found by the lowering is the program's, unless a compiler accepts the text: then it is a limitation of the
//! verifier, and must affect only what depends on it. The program is lowered again with [`Instruction::Unsupported`]
//! in place of the part with the error, so that no verdict rests on a path through it. The part is as small as
//! possible:
//! 1. a statement, or a declaration in a block, whose names then have no meaning;
//! 2. the body of a function, if no statement has the error or leaving it out would lose a label or a tag;
//! 3. a declaration at file scope, or a name there. Whatever uses its names is left out in turn.
//!
//! Each time, the whole program is lowered again, because the meaning of what follows an error may depend on it.

use std::rc::Rc;

use lang_c::ast;
use lang_c::span::{Node, Span as TextSpan};
use lang_c::visit::{self, Visit};
use rustc_hash::{FxHashMap, FxHashSet};

use super::declarations::declarator::declarator_name;
use super::state::scope::{Entity, Symbol};
use super::{Lowerer, Result};
use crate::ir::{Function, FunctionIndex, Terminator};
use crate::lower::limits::MAXIMUM_LEFT_OUT_STATEMENTS;
use crate::parse::ParsedUnit;
use crate::position::Origin;
use crate::types::Type;
use regatta_base::diagnostic::{Error, ErrorKind};

/// The start of a syntax node: its text and offset.
type Start = (Origin, usize);

/// The kind of a part that is left out.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
enum Part {
    Statement,
    Body,
    Declaration,
}

/// The parts that are left out, with the reasons.
#[derive(Clone, Debug, Default)]
pub(super) struct LeftOut {
    parts: FxHashMap<(Part, Start), Rc<str>>,
    /// Number of statements left out, by declaration.
    statements: FxHashMap<Start, u32>,
    /// Names at file scope.
    names: FxHashSet<Rc<str>>,
}

impl LeftOut {
    fn reason(&self, part: Part, start: Option<Start>) -> Option<Rc<str>> {
        self.parts.get(&(part, start?)).cloned()
    }

    /// Adds the parts that failed, and returns whether one of them is new. Failures behind a failed declaration are
    /// ignored, because it may be their cause.
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

/// The part to be left out for an error.
#[derive(Debug)]
enum Place {
    Part {
        part: Part,
        start: Start,
        /// The declaration that contains the part.
        declaration: Start,
    },
    /// A name at file scope.
    Name(Rc<str>),
}

/// An error, and the part to be left out for it.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: Error,
    left_out: Place,
}

/// The error in the current declaration, while it is being propagated.
#[derive(Debug, Default)]
struct Failing {
    /// The innermost statement with the error, if it can be left out.
    statement: Option<Start>,
    /// Whether an error has been propagated past its innermost statement.
    passed: bool,
    /// Whether the error is in the body of the function.
    in_body: bool,
}

/// A name at file scope that is left out: its file, and what it denotes.
type Unbound = (Option<usize>, Rc<str>, Symbol);

/// What is left out of the program, and the errors for which more has to be.
pub(super) struct Omissions {
    left_out: LeftOut,
    /// File-scope names of the declarations that are left out.
    names: FxHashSet<Rc<str>>,
    /// The names that are not declared yet.
    unbound: Vec<Unbound>,
    /// The functions whose bodies are left out.
    functions: Vec<(FunctionIndex, Function)>,
    failing: Failing,
    failures: Vec<Failure>,
}

impl Omissions {
    pub(super) fn new(left_out: LeftOut) -> Self {
        Self {
            left_out,
            names: FxHashSet::default(),
            unbound: Vec::new(),
            functions: Vec::new(),
            failing: Failing::default(),
            failures: Vec::new(),
        }
    }

    pub(super) fn has_failures(&self) -> bool {
        !self.failures.is_empty()
    }

    pub(super) fn take_failures(&mut self) -> Vec<Failure> {
        std::mem::take(&mut self.failures)
    }
}

impl Lowerer<'_> {
    fn start_of_node<T>(&self, node: &Node<T>) -> Option<Start> {
        Some((self.cursor.origin()?, node.span.start))
    }

    // --- what is left out ---

    /// The reason why the statement is left out, if it is.
    pub(super) fn left_out_statement<T>(&self, node: &Node<T>) -> Option<Rc<str>> {
        let start = self.start_of_node(node);
        self.omissions.left_out.reason(Part::Statement, start)
    }

    /// The reason why the body of the function is left out, if it is.
    pub(super) fn left_out_body(&self, node: &Node<ast::Statement>) -> Option<Rc<str>> {
        let start = self.start_of_node(node);
        self.omissions.left_out.reason(Part::Body, start)
    }

    /// Declares the names of a declaration in a block that is left out as unmodelled.
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
            span: self.cursor.span(),
        }
    }

    /// Collects the names of what a file leaves out at file scope, before anything is lowered.
    pub(super) fn note_left_out(&mut self, parsed: &ParsedUnit) {
        let names: Vec<Rc<str>> = self.omissions.left_out.names.iter().cloned().collect();
        self.leave_names_out(names.iter().map(|name| &**name));
        for unread in &parsed.unread {
            self.cursor.set_span(unread.span);
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
            let Some(reason) = self
                .omissions
                .left_out
                .reason(Part::Declaration, Some(start))
            else {
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
            let own_name = self.linkage.files.name(name);
            self.omissions.names.insert(own_name.into());
            let symbol = self.unmodelled_symbol();
            let file = self.linkage.files.current();
            self.omissions.unbound.push((file, name.into(), symbol));
        }
    }

    /// Declares the collected names of the current file.
    pub(super) fn declare_left_out(&mut self) {
        let file = self.linkage.files.current();
        let all = std::mem::take(&mut self.omissions.unbound);
        let (own, others) = all.into_iter().partition(|(of, ..)| *of == file);
        self.omissions.unbound = others;
        let own: Vec<Unbound> = own;
        for (_, name, symbol) in own {
            let symbol = self.scopes.create(symbol);
            self.scopes.bind_at_file_scope(&name, symbol);
        }
    }

    /// Builds an unmodelled function, which unknown code may call.
    fn unmodelled_function(&mut self, name: &str, what: &str) {
        let name = self.linkage.files.body_name(name).to_owned();
        let index = self.functions.named_or_reserved(&name);
        let builder = self.builder_for(index, &name, Type::VOID);
        let outer = std::mem::replace(&mut self.function, builder);
        self.unsupported(what);
        self.function.end(Terminator::Return, self.cursor.span());
        let built = std::mem::replace(&mut self.function, outer).finish();
        self.omissions.functions.push((index, built));
    }

    /// Installs the bodies of the unmodelled functions.
    pub(super) fn finish_unmodelled_functions(&mut self) {
        for (index, function) in std::mem::take(&mut self.omissions.functions) {
            self.functions.finish(index, function);
        }
    }

    /// Returns an error if the name (of an entity with linkage) belongs to something that is left out.
    pub(super) fn check_modelled(&self, name: &str) -> Result<()> {
        match self.omissions.names.contains(name) {
            true => Err(self.error(format!("`{name}`, which is not modelled"))),
            false => Ok(()),
        }
    }

    pub(super) fn is_left_out(&self, node: &Node<ast::ExternalDeclaration>) -> bool {
        let start = self.start_of_node(node);
        self.omissions
            .left_out
            .reason(Part::Declaration, start)
            .is_some()
    }

    // --- what fails ---

    /// Records the innermost statement that causes an error.
    pub(super) fn blame_statement(&mut self, node: &Node<ast::Statement>) {
        if !std::mem::replace(&mut self.omissions.failing.passed, true) {
            let mut parts = Parts::default();
            parts.visit_statement(&node.node, &node.span);
            if !parts.has_labels && !parts.has_tags {
                self.omissions.failing.statement = self.start_of_node(node);
            }
        }
    }

    /// Records the innermost declaration in a block that causes an error.
    pub(super) fn blame_declaration(&mut self, node: &Node<ast::Declaration>) {
        if !std::mem::replace(&mut self.omissions.failing.passed, true) {
            let mut parts = Parts::default();
            parts.visit_declaration(&node.node, &node.span);
            if !parts.has_labels && !parts.has_tags {
                self.omissions.failing.statement = self.start_of_node(node);
            }
        }
    }

    /// Lowers a function's body; an error in it is not attributed to the function's head.
    pub(super) fn in_body<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let result = act(self);
        self.omissions.failing.in_body |= result.is_err();
        result
    }

    /// Records the part to be left out for an error in a declaration at file scope.
    pub(super) fn note_failure(
        &mut self,
        node: &Node<ast::ExternalDeclaration>,
        error: Error,
    ) -> Result<()> {
        let failing = std::mem::take(&mut self.omissions.failing);
        while !self.scopes.at_file_scope() {
            self.scopes.leave();
        }
        let Some(declaration) = self.start_of_node(node) else {
            return Err(error);
        };
        if matches!(error.kind(), ErrorKind::Internal | ErrorKind::Link) {
            return Err(error);
        }
        let known = self.omissions.left_out.statements.get(&declaration);
        let may_go_on = known.is_none_or(|&count| count < MAXIMUM_LEFT_OUT_STATEMENTS);
        let (part, start) = match (&node.node, failing.statement) {
            (_, Some(start)) if may_go_on => (Part::Statement, start),
            (ast::ExternalDeclaration::FunctionDefinition(function), _) if failing.in_body => {
                let start = function.node.statement.span.start;
                (Part::Body, (declaration.0, start))
            }
            _ => (Part::Declaration, declaration),
        };
        self.omissions.failures.push(Failure {
            error,
            left_out: Place::Part {
                part,
                start,
                declaration,
            },
        });
        Ok(())
    }

    /// Records an object that stays incomplete at the end of the program.
    pub(super) fn note_failed_object(&mut self, name: Rc<str>, error: Error) {
        let left_out = Place::Name(name);
        self.omissions.failures.push(Failure { error, left_out });
    }
}

fn declared_names(declaration: &ast::Declaration) -> Vec<&str> {
    let declarators = declaration.declarators.iter();
    declarators
        .filter_map(|item| declarator_name(&item.node.declarator))
        .collect()
}

/// Whether part of a function defines names that other parts could refer to.
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
