//! Copies of functions' bodies.

use rustc_hash::FxHashMap;

use crate::assumption::{Assumption, Doubt, Operand};
use crate::cfa::*;
use regatta_term::{Build, Symbol, TermId, store, substitute};

/// A copy of a function's body: what its locals and locations are in the copy.
pub(crate) struct BodyCopy {
    variables: FxHashMap<VariableId, VariableId>,
    /// The same variables as terms.
    terms: FxHashMap<TermId, TermId>,
    locations: FxHashMap<LocationId, LocationId>,
}

impl BodyCopy {
    /// Adds copies of the function's locals and locations, its error locations among them, to the program `to`, in which they
    /// belong to `owner`. `named` gives the name and the symbol of each local's copy. `None` if a local is the variable of a
    /// region: accesses name the region, not its variable.
    pub fn begin(
        from: &Program,
        function: FunctionId,
        to: &mut Program,
        owner: FunctionId,
        mut named: impl FnMut(&Variable) -> (String, Symbol),
    ) -> Option<Self> {
        let mut copy = Self {
            variables: FxHashMap::default(),
            terms: FxHashMap::default(),
            locations: FxHashMap::default(),
        };
        for (id, variable) in (0..).map(VariableId).zip(&from.variables) {
            if variable.scope != Scope::Local(function) {
                continue;
            }
            if let Role::Region(_) = variable.role {
                return None;
            }
            let (name, symbol) = named(variable);
            let copied = to.add_variable(Variable {
                name,
                symbol,
                scope: Scope::Local(owner),
                ..variable.clone()
            });
            copy.variables.insert(id, copied);
            let (value, copied) = (variable.symbol, symbol);
            copy.terms
                .insert(store().variable(value), store().variable(copied));
        }
        for (id, location) in (0..).map(LocationId).zip(&from.locations) {
            if location.function != function {
                continue;
            }
            let copied = to.add_location(Location {
                function: owner,
                span: location.span,
                label: None,
                violates: None,
            });
            if let Some(property) = location.violates {
                to.add_error(copied, property);
            }
            copy.locations.insert(id, copied);
        }
        Some(copy)
    }

    /// Returns the copies of the body's edges, each with the edge that it is a copy of.
    pub fn edges<'c>(&'c self, from: &'c Program) -> impl Iterator<Item = (EdgeId, Edge)> + 'c {
        let edges = (0..).map(EdgeId).zip(&from.edges);
        edges.filter_map(|(id, edge)| {
            let mut copy = Edge {
                source: *self.locations.get(&edge.source)?,
                target: *self.locations.get(&edge.target)?,
                ..edge.clone()
            };
            for operation in &mut copy.operations {
                operation.map_terms(|term| self.term(term));
                operation.map_targets(|target| self.variable(target));
            }
            Some((id, copy))
        })
    }

    /// Returns the copy of a location of the body.
    pub fn location(&self, location: LocationId) -> LocationId {
        self.locations[&location]
    }

    /// Returns the copy of a local, and any other variable itself.
    pub fn variable(&self, variable: VariableId) -> VariableId {
        self.variables.get(&variable).copied().unwrap_or(variable)
    }

    fn term(&self, term: TermId) -> TermId {
        substitute(store(), term, &self.terms)
    }

    /// Returns the copy of an assumption; `None` if it is not made in the body.
    pub fn assumption(&self, assumption: &Assumption) -> Option<Assumption> {
        let guards = assumption.guards.iter();
        Some(Assumption {
            location: *self.locations.get(&assumption.location)?,
            doubt: self.doubt(&assumption.doubt),
            guards: guards.map(|&guard| self.term(guard)).collect(),
            ..assumption.clone()
        })
    }

    fn doubt(&self, doubt: &Doubt) -> Doubt {
        let operand = |operand: &Operand| Operand {
            term: self.term(operand.term),
            signed: operand.signed,
        };
        let all = |parts: &[(i128, Operand)]| {
            let parts = parts.iter();
            parts
                .map(|(factor, part)| (*factor, operand(part)))
                .collect()
        };
        match doubt {
            Doubt::Always => Doubt::Always,
            Doubt::Zero(term) => Doubt::Zero(self.term(*term)),
            Doubt::SumOutside {
                constant,
                parts,
                bounds,
            } => Doubt::SumOutside {
                constant: *constant,
                parts: all(parts),
                bounds: *bounds,
            },
            Doubt::ProductOutside { factors, bounds } => Doubt::ProductOutside {
                factors: (operand(&factors.0), operand(&factors.1)),
                bounds: *bounds,
            },
            Doubt::NotInObject {
                parts,
                constant,
                bytes,
            } => Doubt::NotInObject {
                parts: all(parts),
                constant: *constant,
                bytes: *bytes,
            },
        }
    }
}
