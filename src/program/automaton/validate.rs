//! Checks that a program is well formed, as [`super::cfa`] defines it.

use thiserror::Error;

use super::cfa::*;
use crate::graph::callee;
use crate::variables::VariableUse;
use regatta_term::{Pool, Sort, TermId, TermKind, for_each_subterm, store};

/// A violation of well-formedness.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Malformed {
    /// An id is beyond its table.
    #[error("{0} has an id that does not exist")]
    UnknownId(String),
    /// A term does not have the required sort.
    #[error("{place}: a term of sort {found} where {expected} is needed")]
    Sort {
        place: String,
        /// The required sort.
        expected: Sort,
        found: Sort,
    },
    /// A term has a variable that is not one of the program's at instance 0.
    #[error("{0}: a term with the variable {1}, which is not the program's")]
    ForeignVariable(String, String),
    /// A local variable is used in another function than its own.
    #[error("{0}: the variable {1} is local to another function")]
    Scope(String, String),
    /// A call is not alone on its edge.
    #[error("{0}: a call must be alone on its edge")]
    CallNotAlone(String),
    /// An operation comes after [`Operation::Unsupported`].
    #[error("{0}: operations after an unsupported one")]
    AfterUnsupported(String),
    /// The number of arguments or results does not fit the callee.
    #[error("{0}: wrong number of arguments or results")]
    Arity(String),
    /// An edge leads from one function into another.
    #[error("{0}: leads into another function")]
    CrossesFunctions(String),
    /// An error location or an exit has successors.
    #[error("location {0:?} must not have successors")]
    Successors(LocationId),
    /// The start function has parameters, or an entry or exit lies in another function.
    #[error("function {0}: bad entry, exit or parameters")]
    Function(String),
}

impl Program {
    /// Checks that the program is well formed; returns the first fault.
    pub fn validate(&self) -> Result<(), Malformed> {
        Validation {
            program: self,
            uses: VariableUse::new(self),
        }
        .run()
    }
}

struct Validation<'a> {
    program: &'a Program,
    uses: VariableUse,
}

impl Validation<'_> {
    fn run(mut self) -> Result<(), Malformed> {
        self.tables()?;
        for edge in &self.program.edges {
            self.edge(edge)?;
        }
        Ok(())
    }

    fn tables(&self) -> Result<(), Malformed> {
        let p = self.program;
        let unknown = |what: String| Err(Malformed::UnknownId(what));
        for variable in &p.variables {
            if matches!(variable.scope, Scope::Local(function) if function.index() >= p.functions.len())
            {
                return unknown(format!("variable {}", variable.name));
            }
            if variable.symbol.sort() != variable.sort {
                return Err(Malformed::Sort {
                    place: format!("variable {}", variable.name),
                    expected: variable.sort,
                    found: variable.symbol.sort(),
                });
            }
        }
        for location in &p.locations {
            if location.function.index() >= p.functions.len() {
                return unknown("a location".to_owned());
            }
        }
        for (index, function) in p.functions.iter().enumerate() {
            let ends = [function.entry, function.exit];
            let own = |location: &LocationId| {
                p.locations
                    .get(location.index())
                    .is_some_and(|l| l.function.index() == index)
            };
            let mut variables = function.parameters.iter().chain(&function.results);
            if !ends.iter().all(own) || !variables.all(|v| v.index() < p.variables.len()) {
                return Err(Malformed::Function(function.name.clone()));
            }
        }
        match p.functions.get(p.start.index()) {
            None => return unknown("the start function".to_owned()),
            Some(start) if !start.parameters.is_empty() => {
                return Err(Malformed::Function(start.name.clone()));
            }
            Some(_) => {}
        }
        for region in &p.regions {
            let objects = region
                .objects
                .iter()
                .all(|object| object.index() < p.objects.len());
            match p.variables.get(region.variable.index()) {
                Some(variable) if variable.sort.is_array() && objects => {}
                _ => return unknown("a region".to_owned()),
            }
        }
        let violating = p
            .locations
            .iter()
            .filter(|location| location.violates.is_some());
        if violating.count() != p.errors.len() {
            return unknown("what a location that is no error violates".to_owned());
        }
        for error in &p.errors {
            match p.locations.get(error.index()) {
                Some(location) if location.violates.is_some() => {}
                _ => return unknown("an error location, or what it violates".to_owned()),
            }
        }
        let mut final_location = vec![false; p.locations.len()];
        for location in p
            .errors
            .iter()
            .copied()
            .chain(p.functions.iter().map(|function| function.exit))
        {
            final_location[location.index()] = true;
        }
        for edge in &p.edges {
            if edge.source.index() >= p.locations.len() || edge.target.index() >= p.locations.len()
            {
                return unknown("an edge".to_owned());
            }
            if final_location[edge.source.index()] {
                return Err(Malformed::Successors(edge.source));
            }
        }
        Ok(())
    }

    fn place(&self, edge: &Edge) -> String {
        let p = self.program;
        let function = &p.function(p.location(edge.source).function).name;
        format!(
            "edge {}→{} of {function} ({})",
            edge.source.0,
            edge.target.0,
            p.sources.describe(edge.span)
        )
    }

    fn edge(&mut self, edge: &Edge) -> Result<(), Malformed> {
        let p = self.program;
        let function = p.location(edge.source).function;
        if p.location(edge.target).function != function {
            return Err(Malformed::CrossesFunctions(self.place(edge)));
        }
        let last = edge.operations.len().saturating_sub(1);
        for (index, operation) in edge.operations.iter().enumerate() {
            match operation {
                Operation::Call { .. } if last > 0 => {
                    return Err(Malformed::CallNotAlone(self.place(edge)));
                }
                Operation::Unsupported(_) if index < last => {
                    return Err(Malformed::AfterUnsupported(self.place(edge)));
                }
                _ => {}
            }
            self.operation(edge, function, operation)?;
        }
        debug_assert!(callee(edge).is_none() || last == 0);
        Ok(())
    }

    fn operation(
        &mut self,
        edge: &Edge,
        function: FunctionId,
        operation: &Operation,
    ) -> Result<(), Malformed> {
        let p = self.program;
        let unknown = |this: &Self| Err(Malformed::UnknownId(this.place(edge)));
        match operation {
            Operation::Assign { target, value } => {
                self.writes(edge, function, *target)?;
                self.term(edge, function, *value, p.variable(*target).sort)?;
            }
            Operation::Assume(condition) => self.term(edge, function, *condition, Sort::Bool)?,
            Operation::Store {
                region,
                index,
                value,
            } => {
                let Some(region) = p.regions.get(region.index()) else {
                    return unknown(self);
                };
                if let Sort::Array {
                    index: from,
                    element,
                } = p.variable(region.variable).sort
                {
                    self.term(edge, function, *index, from.into())?;
                    self.term(edge, function, *value, element.into())?;
                }
            }
            Operation::Havoc { target, input } => {
                self.writes(edge, function, *target)?;
                let Some(input) = p.inputs.get(input.index()) else {
                    return unknown(self);
                };
                self.same_sort(edge, p.variable(*target).sort, input.sort)?;
            }
            Operation::Call {
                callee,
                arguments,
                results,
            } => {
                let Some(callee) = p.functions.get(callee.index()) else {
                    return unknown(self);
                };
                let results_fit = results.is_empty() || results.len() == callee.results.len();
                if arguments.len() != callee.parameters.len() || !results_fit {
                    return Err(Malformed::Arity(self.place(edge)));
                }
                for (&argument, &parameter) in arguments.iter().zip(&callee.parameters) {
                    self.term(edge, function, argument, p.variable(parameter).sort)?;
                }
                for (&result, &from) in results.iter().zip(&callee.results) {
                    self.writes(edge, function, result)?;
                    self.same_sort(edge, p.variable(result).sort, p.variable(from).sort)?;
                }
            }
            Operation::Allocate { address, size, .. } => {
                let sort = store().sort(*address);
                self.term(edge, function, *address, sort)?;
                self.term(edge, function, *size, sort)?;
            }
            Operation::Free { address, .. } => {
                self.term(edge, function, *address, store().sort(*address))?
            }
            Operation::Claim(Claim::InvalidAccess { address, bytes }) => {
                let sort = store().sort(*address);
                self.term(edge, function, *address, sort)?;
                self.term(edge, function, *bytes, sort)?;
            }
            Operation::Claim(Claim::InvalidFree { address }) => {
                self.term(edge, function, *address, store().sort(*address))?
            }
            Operation::Claim(Claim::Lost | Claim::Allocated) | Operation::Unsupported(_) => {}
        }
        Ok(())
    }

    fn writes(
        &self,
        edge: &Edge,
        function: FunctionId,
        variable: VariableId,
    ) -> Result<(), Malformed> {
        match self.program.variables.get(variable.index()) {
            None => Err(Malformed::UnknownId(self.place(edge))),
            Some(variable) => self.in_scope(edge, function, variable),
        }
    }

    fn in_scope(
        &self,
        edge: &Edge,
        function: FunctionId,
        variable: &Variable,
    ) -> Result<(), Malformed> {
        match variable.scope {
            Scope::Local(owner) if owner != function => {
                Err(Malformed::Scope(self.place(edge), variable.name.clone()))
            }
            _ => Ok(()),
        }
    }

    fn same_sort(&self, edge: &Edge, expected: Sort, found: Sort) -> Result<(), Malformed> {
        if expected == found {
            return Ok(());
        }
        Err(Malformed::Sort {
            place: self.place(edge),
            expected,
            found,
        })
    }

    fn term(
        &mut self,
        edge: &Edge,
        function: FunctionId,
        term: TermId,
        expected: Sort,
    ) -> Result<(), Malformed> {
        self.same_sort(edge, expected, store().sort(term))?;
        let mut foreign = None;
        for_each_subterm(store(), [term], |_, kind| {
            if let TermKind::Variable { symbol, instance } = kind
                && (instance != 0 || self.uses.variable(symbol).is_none())
            {
                foreign = Some(format!("{symbol} (instance {instance})"));
            }
        });
        if let Some(name) = foreign {
            return Err(Malformed::ForeignVariable(self.place(edge), name));
        }
        for index in 0..self.uses.of(term).len() {
            let variable = self.uses.of(term)[index];
            self.in_scope(edge, function, self.program.variable(variable))?;
        }
        Ok(())
    }
}
