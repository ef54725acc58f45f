//! Forward substitution: replaces reads of variables by the assigned terms, so that temporaries become dead.
//!
//! The lowering makes many assignments like `t := a + b; assume t < c`. Within an edge, and beyond it over locations with a
//! single incoming edge, a read of a variable is replaced by the term assigned to it as long as neither the variable nor
//! any variable of the term has changed. A constant or a variable is always substituted. A larger term is substituted only
//! if no path reads the variable twice, all reads are within the edge or its successors, and the variable is dead
//! afterwards: so nothing is computed twice, and the assignment becomes dead.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::call_graph::CallGraph;
use crate::cfa::*;
use crate::graph::{Graph, callee, goes_on};
use crate::liveness::Liveness;
use crate::simplify::limits::{MAXIMUM_SEARCHED_OPERATIONS, MAXIMUM_TERM_SIZE};
use crate::simplify::workspace::{Workspace, replace};
use crate::variables::VariableUse;
use regatta_term::{Pool, TermId, TermKind, size, store};

/// Runs the pass; returns the number of changed operations.
pub(super) fn run(workspace: &mut Workspace) -> usize {
    let Workspace { program, uses, .. } = workspace;
    let graph = Graph::new(program);
    let calls = CallGraph::new(program);
    let liveness = Liveness::new(program, &graph, &calls, uses);
    let entries = calls
        .bottom_up()
        .iter()
        .map(|function| program.function(*function).entry.0);
    // Reverse postorder: an edge into a location is visited before the edges that leave it, except for back edges, whose
    // targets have other incoming edges too.
    let order = program.intraprocedural().reverse_postorder(entries);
    let mut edges = std::mem::take(&mut program.edges);
    let mut pass = Pass {
        program,
        uses,
        graph: &graph,
        liveness: &liveness,
        changes: 0,
    };
    let mut leaving: FxHashMap<LocationId, Values> = FxHashMap::default();
    for location in order.into_iter().map(LocationId) {
        let before = leaving.remove(&location).unwrap_or_default();
        for &id in graph.outgoing(location) {
            let mut values = before.clone();
            let mut edge = std::mem::replace(
                &mut edges[id.index()],
                Edge {
                    source: location,
                    target: location,
                    operations: Vec::new(),
                    span: crate::Span::NONE,
                },
            );
            pass.edge(&mut edge, &edges, &mut values);
            if callee(&edge).is_none() && pass.leads_on(&edge) {
                values.keep_live(&mut pass, edge.target);
                leaving.insert(edge.target, values);
            }
            edges[id.index()] = edge;
        }
    }
    let changes = pass.changes;
    program.edges = edges;
    changes
}

/// The terms that variables are known to be equal to.
#[derive(Clone, Debug, Default)]
struct Values {
    terms: FxHashMap<VariableId, TermId>,
    /// For each variable a superset of the variables whose term reads it.
    readers: FxHashMap<VariableId, Vec<VariableId>>,
}

impl Values {
    fn set(&mut self, uses: &mut VariableUse, variable: VariableId, term: TermId) {
        for &read in uses.of(term) {
            self.readers.entry(read).or_default().push(variable);
        }
        self.terms.insert(variable, term);
    }

    /// Removes the terms that depend on the variable, and the variable's own.
    fn forget(&mut self, uses: &mut VariableUse, variable: VariableId) {
        self.terms.remove(&variable);
        let readers = self.readers.remove(&variable).unwrap_or_default();
        for reader in readers {
            if self
                .terms
                .get(&reader)
                .is_some_and(|&term| uses.of(term).contains(&variable))
            {
                self.terms.remove(&reader);
            }
        }
    }

    /// Removes the variables that are dead at the location.
    fn keep_live(&mut self, pass: &mut Pass, location: LocationId) {
        let terms = std::mem::take(&mut self.terms);
        self.readers.clear();
        for (variable, term) in terms {
            if pass.liveness.is_live(location, variable) {
                self.set(pass.uses, variable, term);
            }
        }
    }
}

/// Whether a term costs no more than the variable that it replaces.
fn is_cheap(term: TermId) -> bool {
    matches!(
        store().kind(term),
        TermKind::Constant(_) | TermKind::Variable { .. }
    )
}

/// The result of searching a sequence of operations for the reads of an assigned variable.
enum Fate {
    /// The variable is overwritten after at most one read, and the term's variables were unchanged at that read.
    Overwritten,
    /// The variable is not overwritten.
    Remains {
        /// The number of reads, at most one.
        reads: usize,
        /// Whether the term's variables are unchanged.
        valid: bool,
    },
    /// A read cannot be replaced, or there is more than one.
    Irreplaceable,
}

struct Pass<'a> {
    program: &'a Program,
    uses: &'a mut VariableUse,
    graph: &'a Graph,
    liveness: &'a Liveness,
    changes: usize,
}

impl Pass<'_> {
    /// Replaces reads on the edge, and updates `values` from before to after it. The caller has taken the edge out of
    /// `edges`.
    fn edge(&mut self, edge: &mut Edge, edges: &[Edge], values: &mut Values) {
        for index in 0..edge.operations.len() {
            self.replace(&mut edge.operations[index], values);
            let operation = &edge.operations[index];
            for variable in operation
                .written(self.program)
                .collect::<SmallVec<[_; 2]>>()
            {
                values.forget(self.uses, variable);
            }
            if let Operation::Assign { target, value } = *operation
                && !store().sort(value).is_array()
                && !self.uses.of(value).contains(&target)
                && (is_cheap(value) || self.goes_elsewhere(edge, edges, index, target, value))
            {
                values.set(self.uses, target, value);
            }
        }
        let before = edge.operations.len();
        edge.operations.retain(|operation| match operation {
            Operation::Assign { target, value } => *value != store_variable(self.program, *target),
            _ => true,
        });
        self.changes += before - edge.operations.len();
    }

    fn replace(&mut self, operation: &mut Operation, values: &Values) {
        if values.terms.is_empty() {
            return;
        }
        let mut changed = false;
        let uses = &mut *self.uses;
        operation.map_terms(|term| {
            if !uses
                .of(term)
                .iter()
                .any(|variable| values.terms.contains_key(variable))
            {
                return term;
            }
            let result = replace(term, |symbol| {
                values.terms.get(&uses.variable(symbol)?).copied()
            });
            changed |= result != term;
            result
        });
        self.changes += usize::from(changed);
    }

    /// Whether the edge is the only one into its target, and the target is neither the entry nor the exit of its function.
    fn leads_on(&self, edge: &Edge) -> bool {
        let function = self
            .program
            .function(self.program.location(edge.target).function);
        let only = matches!(self.graph.incoming(edge.target), [_]);
        only && goes_on(edge) && edge.target != function.entry && edge.target != function.exit
    }

    /// Whether the term can replace the variable in every read of this assignment.
    fn goes_elsewhere(
        &mut self,
        edge: &Edge,
        edges: &[Edge],
        index: usize,
        variable: VariableId,
        term: TermId,
    ) -> bool {
        let rest = &edge.operations[index + 1..];
        if rest.len() > MAXIMUM_SEARCHED_OPERATIONS || size(store(), term) > MAXIMUM_TERM_SIZE {
            return false;
        }
        let (reads, valid) = match self.fate(rest, variable, term) {
            Fate::Overwritten => return true,
            Fate::Irreplaceable => return false,
            Fate::Remains { reads, valid } => (reads, valid),
        };
        if !goes_on(edge) || !self.liveness.is_live(edge.target, variable) {
            return true;
        }
        if reads > 0 || !valid || !self.leads_on(edge) {
            return false;
        }
        self.graph.outgoing(edge.target).iter().all(|&id| {
            let next = &edges[id.index()];
            if next.operations.len() > MAXIMUM_SEARCHED_OPERATIONS {
                return false;
            }
            match self.fate(&next.operations, variable, term) {
                Fate::Overwritten => true,
                Fate::Irreplaceable => false,
                Fate::Remains { .. } => {
                    // A callee could read a global.
                    let hidden = callee(next).is_some()
                        && self.program.variable(variable).scope == Scope::Global;
                    let live = goes_on(next) && self.liveness.is_live(next.target, variable);
                    !hidden && !live
                }
            }
        })
    }

    fn fate(&mut self, operations: &[Operation], variable: VariableId, term: TermId) -> Fate {
        let (mut reads, mut valid) = (0, true);
        for operation in operations {
            let read = operation
                .terms()
                .iter()
                .filter(|&&t| self.uses.of(t).contains(&variable))
                .count();
            reads += read;
            if (read > 0 && !valid) || reads > 1 {
                return Fate::Irreplaceable;
            }
            for written in operation
                .written(self.program)
                .collect::<SmallVec<[_; 2]>>()
            {
                if written == variable {
                    return Fate::Overwritten;
                }
                valid &= !self.uses.of(term).contains(&written);
            }
        }
        Fate::Remains { reads, valid }
    }
}

fn store_variable(program: &Program, variable: VariableId) -> TermId {
    use regatta_term::Build;
    store().variable(program.variable(variable).symbol)
}
