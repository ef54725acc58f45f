//! An entry other than `main`: a function that is called with arbitrary arguments in an arbitrary state.
//!
//! The entry is a generated function in C ([`text`]), which is lowered in the scope of the file that defines the function.
//! Types stand in it under names that are bound to them (`__T0`, `__T1`…), and so do global objects (`__g0`…).
//!
//! A pointer is null or points to a new array of a given length, whose elements are arbitrary in turn, down to a given
//! depth; text has an end. A pointer to a function is null or points to unknown code. The declarations say which pointers are
//! not null and which integers are lengths ([`contract`]); an integer behind a pointer that is named like a size is one, too.
//! A length is at most that of the array. All of these are assumptions of the answer.

mod changes;
mod contract;
mod file;
mod text;

use lang_c::ast;

use crate::ir::{ObjectIndex, Storage};
use crate::library;
use crate::lower::declarations::declarator::innermost_name;
use crate::lower::state::scope::{Definition, Entity, Symbol};
use crate::lower::{Lowerer, Result};
use crate::parse::{ParsedUnit, parse};
use crate::preprocess::Preprocessed;
use crate::types::{ParameterForm, Type};
use changes::Changes;
use contract::Contract;
use regatta_base::diagnostic::{Error, ErrorKind};
use regatta_program::{AssumptionKind, Span, source_name};
use text::{Parameter, Writer};

/// The name of the generated function.
pub(in crate::lower) const ENTRY: &str = crate::ir::MADE_ENTRY;

/// A function with which the program begins instead of `main`, and what it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryOptions {
    /// The function's name.
    pub function: String,
    /// Maximum number of pointers that lead from an argument to an object.
    pub depth: u32,
    /// Number of elements behind a pointer.
    pub length: u32,
    /// Conditions that its caller guarantees, in C over its parameters and the global objects.
    pub requires: Vec<String>,
    /// Whether global objects have arbitrary values, instead of their first ones.
    pub has_any_globals: bool,
}

/// A global object of the program.
struct Global {
    name: String,
    /// Whether the file of the entry can name it.
    is_visible: bool,
    symbol: Symbol,
}

impl Lowerer<'_> {
    /// The number of the file that defines the function of the entry.
    ///
    /// # Errors
    /// If no file defines it.
    pub(in crate::lower) fn file_of_entry(&self) -> Result<Option<usize>> {
        let Some(entry) = self.input.entry() else {
            return Ok(None);
        };
        let units = self.input.units();
        match units.iter().position(|unit| defines(unit, &entry.function)) {
            Some(file) => Ok(Some(file)),
            None => {
                let message = format!("no file defines the function `{}`", entry.function);
                Err(Error::new(ErrorKind::Link, message))
            }
        }
    }

    /// Lowers the entry, in the scope of the file that defines its function.
    pub(in crate::lower) fn lower_entry(&mut self, unit: &ParsedUnit) -> Result<()> {
        let Some(options) = self.input.entry().cloned() else {
            return Ok(());
        };
        let name = options.function.as_str();
        let Some(symbol) = self.scopes.lookup(name) else {
            return Err(self.cursor.error(format!("`{name}` is not a function")));
        };
        let symbol = self.scopes.symbol(symbol).clone();
        let span = symbol.span;
        let refused = |what: String| Error::new(ErrorKind::Unsupported, what).with_span(span);
        let Some(function) = self.types.function_type(symbol.ty) else {
            return Err(refused(format!(
                "`{name}`, which is not a function, as the entry"
            )));
        };
        let declared = definition(unit, name).map(|found| &found.declarator);
        let declared = declared.map(contract::parameters).unwrap_or_default();
        let is_old_style = function.form == ParameterForm::Unspecified
            && definition(unit, name).is_some_and(has_parameter_names);
        if is_old_style {
            return Err(refused(format!(
                "the old-style definition of `{name}` as the entry"
            )));
        }
        let parameters = self.entry_parameters(name, &function.parameters, &declared);
        let contract = Contract::of(self.input.units(), name);
        let globals = match options.has_any_globals {
            true => self.arbitrary_globals(),
            false => Vec::new(),
        };
        // A file to be edited has the objects that its text can name.
        let named = globals.iter().filter(|global| global.is_visible);
        let mut writer = Writer::new(&mut self.types, &options);
        for global in named {
            writer.fill(&global.name, &global.name, global.symbol.ty);
        }
        writer.call(name, &parameters, &contract);
        let file = writer.finish();
        self.entry_text = Some(self.entry_file(&unit.name, defines(unit, "main"), &file));
        let mut writer = Writer::new(&mut self.types, &options);
        for (number, global) in globals.iter().enumerate() {
            writer.fill(&format!("__g{number}"), &global.name, global.symbol.ty);
        }
        writer.call(name, &parameters, &contract);
        let written = writer.finish();
        for (number, global) in globals.into_iter().enumerate() {
            let id = self.scopes.create(global.symbol);
            self.scopes.bind(&format!("__g{number}"), id);
        }
        for (number, ty) in written.types.iter().enumerate() {
            let id = self.scopes.create(Symbol {
                ty: *ty,
                entity: Entity::Typedef,
                span: Span::NONE,
            });
            self.scopes.bind(&format!("__T{number}"), id);
        }
        let inputs = written.inputs.iter().rev();
        self.entry_inputs = inputs.cloned().collect();
        self.lower_entry_text(&written.text())?;
        let mut assumptions = written.assumptions;
        if self.has_static_locals() {
            assumptions.push("static objects in functions have their first values".to_owned());
        }
        self.in_start(|this| {
            for what in assumptions {
                this.note_assumption(AssumptionKind::Environment, what);
            }
        });
        Ok(())
    }

    /// The parameters of the function, with names for those that have none.
    fn entry_parameters(
        &mut self,
        function: &str,
        types: &[Type],
        declared: &[&ast::ParameterDeclaration],
    ) -> Vec<Parameter> {
        let mut parameters = Vec::with_capacity(types.len());
        for (number, ty) in types.iter().enumerate() {
            let declared = declared.get(number);
            let name = declared.and_then(|declared| contract::name_of(declared));
            let size = declared.and_then(|declared| contract::outermost_array(declared));
            let elements = match size {
                Some(
                    ast::ArraySize::VariableExpression(size)
                    | ast::ArraySize::StaticExpression(size),
                ) => self.constant_value(size).ok(),
                _ => None,
            };
            parameters.push(Parameter {
                name: match name.filter(|name| *name != function) {
                    Some(name) => name.to_owned(),
                    None => format!("p{number}"),
                },
                ty: ty.unqualified(),
                elements: elements.and_then(|(value, _)| u32::try_from(value).ok()),
            });
        }
        parameters
    }

    fn lower_entry_text(&mut self, text: &str) -> Result<()> {
        let parsed = parse(Preprocessed::from_text("<entry>", text)).map_err(|error| {
            let message = format!("a condition of --requires: {}", error.message());
            Error::new(ErrorKind::Syntax, message)
        })?;
        let left = self.cursor.enter_own_text();
        let mut functions = parsed.declarations.iter().filter(|declaration| {
            matches!(
                declaration.node.node,
                ast::ExternalDeclaration::FunctionDefinition(_)
            )
        });
        self.functions.named_or_reserved(ENTRY);
        let lowered = functions.try_for_each(|function| self.external_declaration(&function.node));
        self.cursor.leave_own_text(left);
        lowered
    }

    /// Checks whether a function of the program has static objects that it may change.
    fn has_static_locals(&self) -> bool {
        self.objects.all().iter().any(|object| {
            matches!(object.storage, Storage::Static { external: false })
                && object.name.contains("::")
                && !object.constant
                && object.span.line > 0
        })
    }

    /// The objects that functions of the program may change, or something outside of them.
    fn changes(&mut self) -> Changes {
        let mut changes = Changes::default();
        for function in self.functions.iter() {
            for block in &function.blocks {
                for (instruction, _) in &block.instructions {
                    changes.note(instruction);
                }
                changes.note_end(&block.terminator);
            }
        }
        self.in_start(|this| {
            for instruction in this.function.instructions() {
                changes.note_first_value(instruction);
            }
        });
        changes
    }

    /// The objects of the program that may have any value when the function is called, with their names. What only the program's
    /// files can name, and none of them changes, has its first value.
    fn arbitrary_globals(&mut self) -> Vec<Global> {
        let changes = self.changes();
        let is_ours = |object: ObjectIndex| {
            let storage = self.objects[object].storage;
            matches!(storage, Storage::Static { external: false }) && !self.uses.assembly()
        };
        let linked = self.scopes.linked.iter();
        let mut globals: Vec<(u32, Global)> = linked
            .filter(|(_, linked)| linked.definition != Definition::Declared)
            .filter_map(|(name, linked)| {
                let symbol = self.scopes.symbol(linked.symbol);
                let Entity::Object(object) = symbol.entity else {
                    return None;
                };
                let is_free = (changes.contains(object) || !is_ours(object))
                    && !self.objects.is_constant(object)
                    && !self.objects.is_from_system(object)
                    && !library::is_object(name)
                    && self.types.is_complete(symbol.ty)
                    && !self.types.is_variable_size(symbol.ty);
                let name = source_name(name);
                let global = Global {
                    name: name.to_owned(),
                    is_visible: self.is_named(name, object),
                    symbol: symbol.clone(),
                };
                is_free.then_some((object.0, global))
            })
            .collect();
        globals.sort_by_key(|(object, _)| *object);
        let globals = globals.into_iter();
        globals.map(|(_, global)| global).collect()
    }

    /// Checks whether a name at file scope denotes the object.
    fn is_named(&self, name: &str, object: ObjectIndex) -> bool {
        let symbol = self.scopes.lookup(name).map(|id| self.scopes.symbol(id));
        symbol
            .is_some_and(|symbol| matches!(symbol.entity, Entity::Object(known) if known == object))
    }

    /// What the next input of the entry is: a parameter, a global object, or a part of one.
    pub(in crate::lower) fn next_entry_input(&mut self) -> Option<String> {
        match self.function.name() == ENTRY {
            true => self.entry_inputs.pop(),
            false => None,
        }
    }
}

/// The definition of a function in a file.
fn definition<'u>(unit: &'u ParsedUnit, name: &str) -> Option<&'u ast::FunctionDefinition> {
    unit.declarations.iter().find_map(|declaration| {
        let ast::ExternalDeclaration::FunctionDefinition(function) = &declaration.node.node else {
            return None;
        };
        let own = innermost_name(&function.node.declarator)?;
        (own.node.name == name).then_some(&function.node)
    })
}

fn defines(unit: &ParsedUnit, name: &str) -> bool {
    definition(unit, name).is_some()
}

/// Checks whether a definition names its parameters without their types.
fn has_parameter_names(definition: &ast::FunctionDefinition) -> bool {
    let derived = definition.declarator.node.derived.iter();
    let mut lists = derived.filter_map(|derived| match &derived.node {
        ast::DerivedDeclarator::KRFunction(names) => Some(!names.is_empty()),
        _ => None,
    });
    lists.next().unwrap_or_default()
}
