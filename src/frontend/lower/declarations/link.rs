//! Linking: the declarations that several files of a program have of one function or object.
//!
//! Each file has scopes, types and symbols of its own. What they share is the function or object, by the program's name
//! ([`crate::lower::state::files`]). At the end of a file its declarations are compared with those of the files before it:
//! a function or object must have compatible types in all files; otherwise the program is refused.

use std::rc::Rc;

use super::declaration::DIFFERENT_SIZES;
use crate::library;
use crate::lower::state::scope::{Definition, Entity, Linked, Symbol};
use crate::lower::{Lowerer, Result};
use crate::types::{FunctionType, ParameterForm, Type};
use regatta_base::diagnostic::{Error, ErrorKind};
use regatta_program::Span;

impl Lowerer<'_> {
    /// Compares the names with linkage of the current file with those of the files before, and adds them to those.
    ///
    /// # Errors
    /// If two files declare a name differently.
    pub(in crate::lower) fn link_file(&mut self) -> Result<()> {
        let mut own: Vec<(Rc<str>, Linked)> = std::mem::take(&mut self.scopes.linked)
            .into_iter()
            .collect();
        own.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (name, linked) in own {
            let name: Rc<str> = self.linkage.files.name(&name).into();
            let linked = match self.scopes.other_files.get(&name).copied() {
                Some(known) => self.link(&name, known, linked)?,
                None => linked,
            };
            self.scopes.other_files.insert(name, linked);
        }
        Ok(())
    }

    /// What two files' declarations of a name are together.
    fn link(&mut self, name: &str, known: Linked, new: Linked) -> Result<Linked> {
        let (one, other) = (
            self.scopes.symbol(known.symbol).clone(),
            self.scopes.symbol(new.symbol).clone(),
        );
        if one.span != Span::NONE && other.span != Span::NONE {
            self.compare_declarations(name, &one, &other)?;
        }
        let is_tentative = |linked: &Linked| linked.definition == Definition::Tentative;
        if is_tentative(&known) && is_tentative(&new) {
            self.cursor.set_span(other.span);
            self.warn(format!(
                "`{name}` is declared without `extern` in several files: it is one object, as with -fcommon"
            ));
        }
        let rank = |linked: &Linked, symbol: &Symbol| {
            let definition = match linked.definition {
                Definition::Declared => 0,
                Definition::Tentative => 1,
                Definition::Complete => 2,
            };
            (definition, self.types.is_complete(symbol.ty))
        };
        Ok(match rank(&new, &other) > rank(&known, &one) {
            true => new,
            false => known,
        })
    }

    fn compare_declarations(&mut self, name: &str, one: &Symbol, other: &Symbol) -> Result<()> {
        let are_same_kind = matches!(
            (&one.entity, &other.entity),
            (Entity::Object(_), Entity::Object(_))
                | (Entity::Function { .. }, Entity::Function { .. })
        );
        let is_reserved = name.starts_with("__") || library::lookup(name).is_some();
        let are_compatible = self.types.compatible_across(one.ty, other.ty);
        if are_same_kind && (is_reserved || are_compatible) {
            if !are_compatible && self.input.property().checks_memory() {
                self.refuse(DIFFERENT_SIZES);
            }
            return Ok(());
        }
        let message = format!(
            "`{name}` is {} here, and {} in another file",
            self.describe_entity(other),
            self.describe_entity(one)
        );
        if are_same_kind && self.is_called_alike(one.ty, other.ty) {
            let files = self.input.units().last();
            let place = files.map(|unit| unit.positions.source_map().describe(one.span));
            self.cursor.set_span(other.span);
            self.warn(format!("{message} ({})", place.unwrap_or_default()));
            return Ok(());
        }
        Err(Error::new(ErrorKind::Link, message)
            .with_span(other.span)
            .with_other("the other declaration", one.span))
    }

    /// Checks whether a call of a function by a declaration that has not its type does what the programmer expects on the
    /// machine: the function is not declared, or pointers point to other types.
    fn is_called_alike(&self, one: Type, other: Type) -> bool {
        let types = (
            self.types.function_type(one),
            self.types.function_type(other),
        );
        let (Some(one), Some(other)) = types else {
            return false;
        };
        let is_implicit = |function: &FunctionType| {
            function.form == ParameterForm::Unspecified && function.result == Type::INT
        };
        let same = |one: Type, other: Type| {
            let scalars = (self.types.scalar(one), self.types.scalar(other));
            match scalars {
                (Some(one), Some(other)) => one == other,
                _ => self.types.compatible_across(one, other),
            }
        };
        let mut parameters = one.parameters.iter().zip(&other.parameters);
        is_implicit(&one)
            || is_implicit(&other)
            || (one.form == other.form
                && one.parameters.len() == other.parameters.len()
                && same(one.result, other.result)
                && parameters.all(|(&one, &other)| same(one, other)))
    }

    fn describe_entity(&self, symbol: &Symbol) -> String {
        let described = |ty: Type| self.types.describe(ty);
        match symbol.entity {
            Entity::Function { .. } => format!("a function of type `{}`", described(symbol.ty)),
            _ => format!("an object of type `{}`", described(symbol.ty)),
        }
    }
}
