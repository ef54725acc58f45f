//! The program during simplification, and operations on it that several passes use.

use rustc_hash::FxHashMap;

use crate::cfa::*;
use crate::simplify::constants::RoundStates;
use crate::simplify::{CutPointFacts, Fact, Origin, Pass, Simplified, Slicing, Statistics};
use crate::variables::VariableUse;
use regatta_term::{Build, Pool, Rebuild, Symbol, TermId, Value, store};

/// The program during simplification. Edges are added and removed; locations are removed only at the end.
pub(super) struct Workspace {
    pub program: Program,
    pub uses: VariableUse,
    /// See [`Simplified::call_origins`].
    pub call_origins: Vec<EdgeId>,
    /// See [`Simplified::origins`].
    pub origins: Vec<Origin>,
    /// See [`Simplified::variable_origins`].
    pub variable_origins: Vec<Option<VariableId>>,
    /// See [`Simplified::cells`].
    pub cells: FxHashMap<VariableId, TermId>,
    pub facts: Vec<Fact>,
    pub invariants: Vec<CutPointFacts>,
    /// The number of abstract values in `invariants`.
    pub fact_count: usize,
    /// The results of each propagation of constants.
    pub states: Vec<RoundStates>,
    /// The number of propagations of constants so far.
    pub propagations: u32,
    /// Whether the budget for replacing calls has been spent.
    pub expanded: bool,
    /// For each region whether it has been replaced by scalars.
    pub split_regions: Vec<bool>,
}

impl Workspace {
    pub fn new(lowered: &Program) -> Self {
        let mut program = lowered.clone();
        // Both refer to locations and edges by ids that change.
        program.assumptions.clear();
        program.waypoints = std::sync::Arc::default();
        for edge in &mut program.edges {
            // No target can depend on allocations, deallocations and claims about them.
            edge.operations.retain(|operation| {
                !matches!(
                    operation,
                    Operation::Allocate { .. } | Operation::Free { .. } | Operation::Claim(_)
                )
            });
        }
        let location_ids = (0..program.locations.len() as u32).map(LocationId);
        Self {
            uses: VariableUse::new(&program),
            call_origins: (0..program.edges.len() as u32).map(EdgeId).collect(),
            origins: location_ids
                .map(|location| Origin {
                    location,
                    calls: Vec::new(),
                })
                .collect(),
            variable_origins: (0..program.variables.len() as u32)
                .map(|id| Some(VariableId(id)))
                .collect(),
            cells: FxHashMap::default(),
            facts: Vec::new(),
            invariants: Vec::new(),
            fact_count: 0,
            states: Vec::new(),
            propagations: 0,
            expanded: false,
            split_regions: vec![false; program.regions.len()],
            program,
        }
    }

    /// Keeps the edges that are marked; returns the number of removed edges.
    pub(crate) fn keep_edges(&mut self, keep: &[bool]) -> usize {
        let before = self.program.edges.len();
        let mut marks = keep.iter();
        self.program.edges.retain(|_| marks.next() == Some(&true));
        let mut marks = keep.iter();
        self.call_origins.retain(|_| marks.next() == Some(&true));
        before - self.program.edges.len()
    }

    /// Adds an edge that is not a call.
    pub fn add_edge(&mut self, edge: Edge) {
        self.program.add_edge(edge);
        self.call_origins.push(EdgeId(u32::MAX));
    }

    /// Adds a location with the given origin.
    pub fn add_location(&mut self, location: Location, origin: Origin) -> LocationId {
        self.origins.push(origin);
        self.program.add_location(location)
    }

    /// Adds a variable, which is a copy of one of the lowered program or a new one. No other variable may have its symbol.
    pub fn add_variable(&mut self, variable: Variable, origin: Option<VariableId>) -> VariableId {
        let symbol = variable.symbol;
        let id = self.program.add_variable(variable);
        self.uses.add(symbol, id);
        self.variable_origins.push(origin);
        id
    }

    /// Adds a copy of the variable with another name and scope.
    pub fn copy_variable(
        &mut self,
        of: VariableId,
        name: &str,
        scope: Scope,
        origin: Option<VariableId>,
    ) -> VariableId {
        let mut variable = self.program.variable(of).clone();
        variable.name = self.unused_name(name, &variable);
        variable.symbol = Symbol::new(&variable.name, variable.sort);
        variable.scope = scope;
        self.add_variable(variable, origin)
    }

    /// The name, with a number appended if a variable of the same sort has it already.
    pub(crate) fn unused_name(&self, name: &str, variable: &Variable) -> String {
        let is_free = |name: &str| {
            self.uses
                .variable(Symbol::new(name, variable.sort))
                .is_none()
        };
        if is_free(name) {
            return name.to_owned();
        }
        let numbered = |number: u32| format!("{name}#{number}");
        (2..)
            .map(numbered)
            .find(|name| is_free(name))
            .unwrap_or_else(|| name.to_owned())
    }

    pub fn value(&self, variable: VariableId) -> TermId {
        store().variable(self.program.variable(variable).symbol)
    }

    /// A sequence of assignments with the effect of assigning all the values to the targets at once.
    pub(crate) fn parallel_assignment(
        &mut self,
        mut pairs: Vec<(VariableId, TermId)>,
    ) -> Vec<Operation> {
        let mut operations = Vec::new();
        pairs.retain(|&(target, value)| value != self.value(target));
        for index in 0..pairs.len() {
            let (written, later) = (pairs[index].0, &pairs[index + 1..]);
            let is_read = later
                .iter()
                .any(|&(_, value)| self.uses.of(value).contains(&written));
            if is_read {
                // A later value reads the overwritten variable: save the old value.
                let name = format!("{}#old", self.program.variable(written).name);
                let scope = self.program.variable(written).scope;
                let old = self.copy_variable(written, &name, scope, None);
                let (from, to) = (self.value(written), self.value(old));
                operations.push(Operation::Assign {
                    target: old,
                    value: from,
                });
                for pair in &mut pairs[index + 1..] {
                    pair.1 = replace(pair.1, |symbol| {
                        (symbol == self.program.variable(written).symbol).then_some(to)
                    });
                }
            }
        }
        operations.extend(
            pairs
                .into_iter()
                .map(|(target, value)| Operation::Assign { target, value }),
        );
        operations
    }

    /// For each location whether it must stay: entries, exits and errors.
    pub(crate) fn fixed_locations(&self) -> Vec<bool> {
        let mut fixed = vec![false; self.program.locations.len()];
        for function in &self.program.functions {
            fixed[function.entry.index()] = true;
            fixed[function.exit.index()] = true;
        }
        for error in &self.program.errors {
            fixed[error.index()] = true;
        }
        fixed
    }

    pub(crate) fn add_fact(&mut self, pass: Pass, location: LocationId, formula: TermId) {
        let origin = self.origins[location.index()].clone();
        self.facts.push(Fact {
            pass,
            origin,
            formula,
        });
    }

    /// Removes the unused locations, and renumbers the others.
    pub fn finish(mut self) -> Simplified {
        let program = &mut self.program;
        let mut keep = vec![false; program.locations.len()];
        for edge in &program.edges {
            keep[edge.source.index()] = true;
            keep[edge.target.index()] = true;
        }
        program.retain_errors(|error| keep[error.index()]);
        for function in &program.functions {
            keep[function.entry.index()] = true;
            keep[function.exit.index()] = true;
        }
        let mut ids = vec![LocationId(u32::MAX); keep.len()];
        let mut locations = Vec::new();
        let mut origins = Vec::new();
        for (index, location) in std::mem::take(&mut program.locations)
            .into_iter()
            .enumerate()
        {
            if keep[index] {
                ids[index] = LocationId(locations.len() as u32);
                locations.push(location);
                origins.push(self.origins[index].clone());
            }
        }
        program.locations = locations;
        let renumber = |location: &mut LocationId| *location = ids[location.index()];
        for edge in &mut program.edges {
            renumber(&mut edge.source);
            renumber(&mut edge.target);
        }
        program.errors.iter_mut().for_each(renumber);
        for function in &mut program.functions {
            renumber(&mut function.entry);
            renumber(&mut function.exit);
        }
        Simplified {
            program: self.program,
            slicing: Slicing::Exact,
            origins,
            variable_origins: self.variable_origins,
            cells: self.cells,
            call_origins: self.call_origins,
            facts: self.facts,
            invariants: self.invariants,
            statistics: Statistics::default(),
        }
    }
}

/// The term with other terms substituted for variables.
pub(super) fn replace(term: TermId, mut with: impl FnMut(Symbol) -> Option<TermId>) -> TermId {
    let replace = |term| match store().as_variable(term) {
        Some((symbol, 0)) => with(symbol),
        _ => None,
    };
    Rebuild::new(store(), store(), replace).rebuild(term)
}

/// Removes the irrelevant parts of an edge's call: irrelevant arguments become constants, and if no result is relevant,
/// all results are dropped. Returns the number of changes.
pub(super) fn reduce_call(
    program: &Program,
    edge: &mut Edge,
    argument_matters: impl Fn(&Function, VariableId) -> bool,
    result_matters: impl Fn(VariableId) -> bool,
) -> usize {
    let mut changes = 0;
    if let Some(Operation::Call {
        callee,
        arguments,
        results,
    }) = edge.operations.first_mut()
    {
        let function = program.function(*callee);
        for (argument, &parameter) in arguments.iter_mut().zip(&function.parameters) {
            let any = any_value(program.variable(parameter));
            if *argument != any && !argument_matters(function, parameter) {
                *argument = any;
                changes += 1;
            }
        }
        if !results.is_empty() && !results.iter().any(|&result| result_matters(result)) {
            results.clear();
            changes += 1;
        }
    }
    changes
}

/// A constant of the variable's sort, for an irrelevant value.
fn any_value(variable: &Variable) -> TermId {
    store().value(&Value::zero(variable.sort))
}
