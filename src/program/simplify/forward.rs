//! Puts the values of variables into the places where they are read, so that temporaries become dead.
//!
//! Lowering makes many assignments like `t := a + b; assume t < c`. Within an edge, and on over locations with one edge
//! in, a read of a variable is replaced by the term assigned to it as long as neither the variable nor what the term
//! reads has changed. A constant or a variable is put everywhere. A larger term goes only where no path reads it twice,
//! all reads are found within the edge or those that follow it, and the variable is dead afterwards: so nothing is
//! computed twice, and the assignment becomes dead.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::program::call_graph::CallGraph;
use crate::program::cfa::*;
use crate::program::graph::{Graph, callee, goes_on};
use crate::program::liveness::Liveness;
use crate::program::simplify::workspace::{Workspace, replace};
use crate::program::variables::VariableUse;
use crate::term::{Pool, TermId, TermKind, size, store};

/// Terms of more different subterms than this are not put elsewhere.
const LARGEST: usize = 64;

/// Operations after an assignment among which all reads must lie for a larger term.
const WINDOW: usize = 32;

/// Runs the pass; tells how many operations changed.
pub(super) fn run(workspace: &mut Workspace) -> usize {
    let Workspace { program, uses, .. } = workspace;
    let graph = Graph::new(program);
    let calls = CallGraph::new(program);
    let liveness = Liveness::new(program, &graph, &calls, uses);
    let entries = calls
        .bottom_up()
        .iter()
        .map(|function| program.function(*function).entry.0);
    // Reverse postorder: an edge into a location is done before those that leave it, but for back edges, whose
    // targets have other edges in, too.
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
                    span: crate::program::Span::NONE,
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
    /// The variables with a term that reads a given variable, and some that had one.
    readers: FxHashMap<VariableId, Vec<VariableId>>,
}

impl Values {
    fn set(&mut self, uses: &mut VariableUse, variable: VariableId, term: TermId) {
        for &read in uses.of(term) {
            self.readers.entry(read).or_default().push(variable);
        }
        self.terms.insert(variable, term);
    }

    /// Forgets what depends on the variable.
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

    /// Forgets the variables that are dead at the location.
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

/// Whether a term costs no more than the variable that it stands for.
fn is_cheap(term: TermId) -> bool {
    matches!(
        store().kind(term),
        TermKind::Constant(_) | TermKind::Variable { .. }
    )
}

/// What becomes of a variable and its term on a stretch of operations.
enum Fate {
    /// The variable is overwritten after at most one read, and the term's variables were unchanged at that read.
    Gone,
    /// Not overwritten; so many reads, and whether the term still has the same value.
    Remains { reads: usize, valid: bool },
    /// A read that cannot be replaced, or more than one.
    Bad,
}

struct Pass<'a> {
    program: &'a Program,
    uses: &'a mut VariableUse,
    graph: &'a Graph,
    liveness: &'a Liveness,
    changes: usize,
}

impl Pass<'_> {
    /// Replaces reads on the edge; `values` is what holds before it, and then after it. The edge itself is taken out of
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

    /// Whether the edge is the only one into its target, and the target is not where a function starts or ends.
    fn leads_on(&self, edge: &Edge) -> bool {
        let function = self
            .program
            .function(self.program.location(edge.target).function);
        let only = matches!(self.graph.incoming(edge.target), [_]);
        only && goes_on(edge) && edge.target != function.entry && edge.target != function.exit
    }

    /// Whether the term can take the variable's place in every read of this assignment.
    fn goes_elsewhere(
        &mut self,
        edge: &Edge,
        edges: &[Edge],
        index: usize,
        variable: VariableId,
        term: TermId,
    ) -> bool {
        let rest = &edge.operations[index + 1..];
        if rest.len() > WINDOW || size(store(), term) > LARGEST {
            return false;
        }
        let (reads, valid) = match self.fate(rest, variable, term) {
            Fate::Gone => return true,
            Fate::Bad => return false,
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
            if next.operations.len() > WINDOW {
                return false;
            }
            match self.fate(&next.operations, variable, term) {
                Fate::Gone => true,
                Fate::Bad => false,
                Fate::Remains { .. } => {
                    // In a callee a global could be read.
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
                return Fate::Bad;
            }
            for written in operation
                .written(self.program)
                .collect::<SmallVec<[_; 2]>>()
            {
                if written == variable {
                    return Fate::Gone;
                }
                valid &= !self.uses.of(term).contains(&written);
            }
        }
        Fate::Remains { reads, valid }
    }
}

fn store_variable(program: &Program, variable: VariableId) -> TermId {
    use crate::term::Build;
    store().variable(program.variable(variable).symbol)
}
