//! DAG interpolants (\[AGC12\]): of a part of the graph without a feasible path, a formula for each node, over its
//! state alone, such that that of the first node is true, that of the last false, and the label and the formula before an edge
//! with its block imply the formula behind it.
//!
//! There are two sources. The paper computes a sequence interpolant of the nodes in topological order and removes the variables of
//! other nodes from it.
//!
//! * [`Source::Clauses`]: the definition is a system of Horn clauses without recursion, with a predicate for each node
//!   ([`regatta_solver::horn`]); Z3's SPACER solves it, over integers first.
//! * [`Source::Nodes`]: node by node, in topological order, a Craig interpolant between the edges that lead to a node from
//!   nodes with interpolants and the paths from it. No variables are left to be removed.

use std::rc::Rc;
use std::time::Duration;

use super::arg::{Arg, Dag};
use super::domain::Domain;
use super::encoding::{Encoding, parameters};
use super::places::Places;
use crate::horn_clauses::encode::{Contexts, Encoding as Clauses};
use crate::horn_clauses::integers::to_integers;
use crate::{CancellationToken, Context};
use regatta_base::choice;
use regatta_program::VariableId;
use regatta_program::block::Blocks;
use regatta_solver::horn::{
    Application, HornAnswer, HornClause, HornSystem, Predicate, PredicateId,
};
use regatta_solver::interpolation::{Interpolation, Interpolator, Sequence};
use regatta_solver::z3::horn::{Generalization, HornSolver};
use regatta_term::{Arena, Build, TermId, store};

/// The sources of DAG interpolants, and their order.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Horn clauses alone.
    Clauses,
    /// Node by node alone.
    Nodes,
    /// Horn clauses for a short time, then node by node, then Horn clauses again.
    ClausesFirst,
    /// Node by node, then Horn clauses if that fails.
    NodesFirst,
}
choice!(
    Source: "clauses" = Self::Clauses, "nodes" = Self::Nodes, "clauses-first" = Self::ClausesFirst,
    "nodes-first" = Self::NodesFirst,
);

/// The instance of a state variable behind a block that gives it no value; state variables have no other than zero.
const ANY_VALUE: u32 = 1;

/// Maximum wall time of a system of Horn clauses that the other source is asked after.
const FIRST_ATTEMPT_TIME: Duration = Duration::from_secs(1);

/// Maximum number of systems for one context of the solver of Horn clauses, since it keeps all translated terms.
const MAXIMUM_SYSTEMS_PER_CONTEXT: u32 = 100;

/// Computes DAG interpolants.
pub struct DagInterpolator<'b> {
    blocks: &'b Blocks,
    places: Rc<Places>,
    source: Source,
    /// Maximum wall time of a system of Horn clauses.
    time: Duration,
    has_floats: bool,
    /// The solver of Horn clauses with the number of its systems; made on demand.
    clauses: Option<(HornSolver, u32)>,
    /// The arena of the clauses.
    arena: Rc<Arena>,
    interpolator: Box<dyn Interpolator>,
    encoding: Encoding<'b>,
}

impl<'b> DagInterpolator<'b> {
    /// Creates it with an interpolator for single nodes.
    pub fn new(
        blocks: &'b Blocks,
        places: Rc<Places>,
        source: Source,
        time: Duration,
        interpolator: Box<dyn Interpolator>,
    ) -> Self {
        let arena = Rc::clone(interpolator.arena());
        Self {
            blocks,
            source,
            time,
            has_floats: Encoding::has_floats(&places),
            clauses: None,
            arena: Rc::new(Arena::new()),
            encoding: Encoding::new(blocks, Rc::clone(&places), arena),
            interpolator,
            places,
        }
    }

    /// The number of terms that it keeps.
    pub fn terms(&self) -> usize {
        self.arena.len() + self.encoding.arena().len()
    }

    /// Returns an interpolant for each node, over state variables at instance 0; `None` if none were found.
    pub fn interpolate(
        &mut self,
        arg: &Arg,
        dag: &Dag,
        domain: &mut Domain<'_>,
        context: &Context<'_>,
    ) -> Option<Vec<TermId>> {
        let (whole, attempt) = (Some(self.time), Some(self.time.min(FIRST_ATTEMPT_TIME)));
        // Horn clauses for the time, or node by node.
        let order: &[Option<Duration>] = match self.source {
            Source::Clauses => &[whole],
            Source::Nodes => &[None],
            Source::ClausesFirst => &[attempt, None, whole],
            Source::NodesFirst => &[None, whole],
        };
        order.iter().find_map(|source| match *source {
            Some(time) => self.by_clauses(arg, dag, domain, (time, context.token)),
            None => self.by_nodes(arg, dag, domain, context),
        })
    }

    fn by_clauses(
        &mut self,
        arg: &Arg,
        dag: &Dag,
        domain: &mut Domain<'_>,
        limits: (Duration, &CancellationToken),
    ) -> Option<Vec<TermId>> {
        if self.has_floats {
            return None;
        }
        let clauses = Clauses {
            contexts: Contexts::Called,
            arena: Rc::clone(&self.arena),
            system: self.system(arg, dag, domain),
            places: Vec::new(),
            fresh: ANY_VALUE,
            relies_on: None,
        };
        let whole = |inner: Vec<TermId>| {
            let first = std::iter::once(TermId::TRUE);
            first
                .chain(inner)
                .chain([TermId::FALSE])
                .collect::<Vec<_>>()
        };
        if let Some(integers) = to_integers(&clauses)
            && let Some(solution) = self.solve(&integers.system, limits)
        {
            let translated = solution
                .into_iter()
                .map(|formula| integers.to_bit_vectors(formula));
            let translated: Option<Vec<TermId>> = translated.collect();
            let reduced = translated.and_then(|inner| domain.reduced(arg, dag, &whole(inner)));
            if reduced.is_some() {
                return reduced;
            }
        }
        let solution = self.solve(&clauses.system, limits)?;
        domain.reduced(arg, dag, &whole(solution))
    }

    fn solve(
        &mut self,
        system: &HornSystem,
        (time, token): (Duration, &CancellationToken),
    ) -> Option<Vec<TermId>> {
        let (mut solver, count) = match self.clauses.take() {
            Some(known) => known,
            None => {
                let solver = HornSolver::new().ok()?;
                token.interrupts(solver.interrupter());
                (solver, 0)
            }
        };
        if token.is_cancelled() {
            return None;
        }
        let answer = solver.solve(&self.arena, system, Generalization::Inductive, Some(time));
        if !matches!(answer, HornAnswer::Unknown(_)) && count + 1 < MAXIMUM_SYSTEMS_PER_CONTEXT {
            self.clauses = Some((solver, count + 1));
        }
        match answer {
            HornAnswer::Solution(formulas) => Some(formulas),
            HornAnswer::Refuted { .. } | HornAnswer::Unknown(_) => None,
        }
    }

    /// Returns the clauses of the edges, with predicates for the nodes between the first and the last.
    fn system(&self, arg: &Arg, dag: &Dag, domain: &Domain<'_>) -> HornSystem {
        let last = dag.nodes.len() - 1;
        let program = self.blocks.inlined().program();
        let parameters = |index: usize| {
            let place = arg.place(dag.nodes[index]);
            parameters(self.blocks, &self.places, place)
        };
        let predicate = |index: usize| PredicateId(index as u32 - 1);
        let predicates = (1..last).map(|index| Predicate {
            name: format!("node {index}"),
            parameters: parameters(index),
        });
        let mut system = HornSystem {
            predicates: predicates.collect(),
            clauses: Vec::new(),
        };
        for (index, leaving) in dag.leaving.iter().enumerate() {
            let node = dag.nodes[index];
            let place = arg.place(node);
            let body = (index > 0).then(|| Application {
                predicate: predicate(index),
                arguments: parameters(index),
            });
            for &(edge, to) in leaving {
                let block = &self.places.leaving(place)[arg.edge(edge).block];
                let after = self.places.state(arg.place(dag.nodes[to])).iter();
                let value = |variable: &VariableId| {
                    let symbol = program.variable(*variable).symbol;
                    let update = block.updates.iter().find(|(id, _)| id == variable);
                    match update {
                        Some(&(_, value)) => value,
                        None if self.places.state(place).contains(variable) => {
                            store().variable(symbol)
                        }
                        None => store().variable_at(symbol, ANY_VALUE),
                    }
                };
                let head = (to < last).then(|| Application {
                    predicate: predicate(to),
                    arguments: after.map(value).collect(),
                });
                let known = [arg.label(node), domain.invariant(place), block.guard];
                system.clauses.push(HornClause {
                    constraint: store().and(known),
                    body: body.clone().into_iter().collect(),
                    head,
                    error: None,
                });
            }
        }
        system
    }

    fn by_nodes(
        &mut self,
        arg: &Arg,
        dag: &Dag,
        domain: &mut Domain<'_>,
        context: &Context<'_>,
    ) -> Option<Vec<TermId>> {
        let arena = Rc::clone(self.encoding.arena());
        let last = dag.nodes.len() - 1;
        let mut incoming = vec![Vec::new(); dag.nodes.len()];
        for (from, leaving) in dag.leaving.iter().enumerate() {
            for &(edge, to) in leaving {
                incoming[to].push((from, edge));
            }
        }
        let mut interpolants = vec![TermId::TRUE];
        for (index, incoming) in incoming.iter().enumerate().take(last).skip(1) {
            context.safe_point();
            if context.token.is_cancelled() {
                return None;
            }
            let mut ways = Vec::new();
            for &(from, edge) in incoming {
                let node = dag.nodes[from];
                let invariant = domain.invariant(arg.place(node));
                let mut way = vec![self.encoding.edge(arg, edge).relation];
                for formula in [interpolants[from], arg.label(node), invariant] {
                    way.push(self.encoding.at(arg, node, formula));
                }
                ways.push(arena.and(way));
            }
            let paths = self.encoding.paths(arg, dag, index, domain);
            let state = self.encoding.state(arg, dag.nodes[index]);
            let mut cut: Vec<TermId> = state.into_values().collect();
            cut.sort_unstable();
            let sequence = Sequence {
                formulas: &[arena.or(ways), arena.and(paths)],
                cuts: &[cut],
            };
            let Interpolation::Interpolants(found) = self.interpolator.interpolate(sequence) else {
                return None;
            };
            interpolants.push(self.encoding.original(*found.first()?));
        }
        interpolants.push(TermId::FALSE);
        domain.reduced(arg, dag, &interpolants)
    }
}
