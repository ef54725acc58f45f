//! UFO (\[AGC12\]): under- and over-approximation by an unrolling whose paths join, and refinement of all its paths at once.
//!
//! The program is unrolled, in a weak topological order, until each node is expanded or covered by others of its place
//! ([`arg`]). An abstract post labels new nodes ([`domain`]). Where the label at the error is not false, one query asks whether the
//! graph has a feasible path ([`encoding`]). If it has none, *DAG interpolants* strengthen the labels ([`interpolants`]), and the
//! atoms of the interpolants become predicates.
//!
//! * [`places`]: the program as a graph of cut points, and its weak topological order (\[Bou93\]).
//! * This file: the main loop (the paper's UFOMAIN), alarms, the certificate.

mod arg;
mod domain;
mod encoding;
mod interpolants;
mod places;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use self::arg::{Arg, Dag, EdgeId};
use self::domain::{Domain, Post};
use self::encoding::Encoding;
use self::interpolants::{DagInterpolator, Source};
use self::places::Places;
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::unrolling::inner_cut_points;
use super::unrolling::left_aside::LeftAside;
use super::unrolling::schedule::{Schedule, Share};
use super::{Answer, Context, Progress, SolverFactory, cegar};
use regatta_base::counters::{self, Counter};
use regatta_base::options;
use regatta_certify::replay::Violation;
use regatta_program::CutPointKind;
use regatta_program::block::{BlockEnd, Blocks};
use regatta_sharing::Candidate;
use regatta_sharing::taken::Taken;
use regatta_solver::interpolation::Choice;
use regatta_solver::{Reason, Solver, SolverError};
use regatta_term::TermId;

options! {
    /// Options of UFO.
    pub struct Options {
        /// The abstract post, by which new nodes are labelled: none, or predicate abstraction with the atoms of interpolants.
        pub post: Post = Post::Cartesian;
        /// The sources of DAG interpolants: a system of Horn clauses without recursion ("clauses"), or Craig interpolation node
        /// by node ("nodes").
        pub interpolants: Source = Source::ClausesFirst;
        /// The sources of interpolants of single nodes: strongest postconditions and weakest preconditions ("conditions"), or
        /// Z3's engine for Horn clauses.
        pub interpolator: Choice = Choice::ConditionsFirst;
        /// Maximum wall time of a system of Horn clauses, and of the interpolation at a node.
        pub interpolation_time: Duration = cegar::INTERPOLATION_TIME;
        /// Maximum wall time of a query whether the graph has a feasible path.
        pub feasibility_time: Duration = cegar::FEASIBILITY_TIME;
    }
}

/// Share of the time for publishing candidate invariants.
const PUBLICATION_SHARE: Share = Share {
    of_time: 0.02,
    at_least: Duration::from_millis(5),
};

/// Maximum number of terms of an arena; beyond it, its solver and the arena are replaced.
const MAXIMUM_ARENA_TERMS: usize = 2_000_000;

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "ufo",
            summary: "Unrolling with joins, refined by interpolants of all paths at once (UFO).",
            has_solver: true,
            recursion: Recursion::Excluded,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        self.answer(subject.blocks, subject.solver, context).into()
    }
}

impl Options {
    /// Runs the engine.
    ///
    /// # Errors
    /// When there is no solver.
    fn answer(
        &self,
        blocks: &Arc<Blocks>,
        solver: &SolverFactory<'_>,
        context: &mut Context<'_>,
    ) -> Result<Answer, SolverError> {
        let Some(places) = Places::new(blocks) else {
            return Ok(Answer::Unknown("the entry is an error".to_owned()));
        };
        let mut ufo = Ufo::new(self, blocks, Rc::new(places), solver, context)?;
        loop {
            if let Some(answer) = ufo.step(context)? {
                return Ok(answer);
            }
        }
    }

    /// Returns the solver that decides whether there is a feasible path, with its formulas.
    fn feasibility<'b>(
        &self,
        blocks: &'b Blocks,
        places: &Rc<Places>,
        solver: &SolverFactory<'_>,
        context: &Context<'_>,
    ) -> Result<(Box<dyn Solver>, Encoding<'b>), SolverError> {
        let solver = cegar::feasibility(self.feasibility_time, solver, context)?;
        let arena = Rc::clone(solver.arena());
        Ok((solver, Encoding::new(blocks, Rc::clone(places), arena)))
    }

    fn interpolator<'b>(
        &self,
        blocks: &'b Blocks,
        places: &Rc<Places>,
        solver: &SolverFactory<'_>,
        context: &Context<'_>,
    ) -> Result<DagInterpolator<'b>, SolverError> {
        let time = self.interpolation_time;
        let of_nodes = cegar::interpolator(self.interpolator, time, solver, context)?;
        let places = Rc::clone(places);
        Ok(DagInterpolator::new(
            blocks,
            places,
            self.interpolants,
            time,
            of_nodes,
        ))
    }
}

/// The state of the algorithm.
struct Ufo<'b> {
    options: &'b Options,
    blocks: &'b Arc<Blocks>,
    solver: &'b SolverFactory<'b>,
    places: Rc<Places>,
    arg: Arg,
    domain: Domain<'b>,
    interpolator: DagInterpolator<'b>,
    /// The solver that decides whether there is a feasible path, and its formulas.
    feasibility: Box<dyn Solver>,
    encoding: Encoding<'b>,
    /// Refinements so far.
    refinements: u32,
    taken: Taken,
    /// Interpolants that have not been offered to other analyses yet.
    found: Vec<Candidate>,
    offering: Schedule,
    left_aside: LeftAside,
}

impl<'b> Ufo<'b> {
    fn new(
        options: &'b Options,
        blocks: &'b Arc<Blocks>,
        places: Rc<Places>,
        solver: &'b SolverFactory<'b>,
        context: &Context<'_>,
    ) -> Result<Self, SolverError> {
        let (feasibility, encoding) = options.feasibility(blocks, &places, solver, context)?;
        let own = context.solver(solver)?;
        Ok(Self {
            arg: Arg::new(Rc::clone(&places)),
            domain: Domain::new(blocks, Rc::clone(&places), options.post, own),
            interpolator: options.interpolator(blocks, &places, solver, context)?,
            feasibility,
            encoding,
            refinements: 0,
            taken: Taken::new(blocks),
            found: Vec::new(),
            offering: Schedule::new(PUBLICATION_SHARE),
            left_aside: LeftAside::default(),
            options,
            blocks,
            places,
            solver,
        })
    }

    /// Explores, and refines if an error is reached. Returns the answer with which the analysis ends, if it does.
    fn step(&mut self, context: &mut Context<'_>) -> Result<Option<Answer>, SolverError> {
        let unknown = |reason: &str| Ok(Some(Answer::Unknown(reason.to_owned())));
        for ground in self.taken.refresh(context.exchange) {
            self.domain.assume(ground.fact);
        }
        let is_stopped = || {
            context.safe_point();
            context.token.is_cancelled()
        };
        if self.arg.explore(&mut self.domain, &is_stopped).is_err() || is_stopped() {
            return unknown("stopped");
        }
        counters::set(Counter::States, self.arg.size() as u64);
        let Some(dag) = self.arg.dag() else {
            return match self.left_aside.reason() {
                Some(reason) => unknown(reason),
                None => Ok(Some(self.safe())),
            };
        };
        self.refinements += 1;
        (context.report)(Progress::Refinement {
            number: self.refinements,
            states: self.arg.size(),
        });
        let answer = self.refine(&dag, context)?;
        if answer.is_none() {
            self.offer(context);
            self.replace_solvers(context)?;
        }
        Ok(answer)
    }

    /// Searches a feasible path; without one, strengthens the labels. Returns the answer with which the analysis ends, if it
    /// does.
    fn refine(
        &mut self,
        dag: &Dag,
        context: &mut Context<'_>,
    ) -> Result<Option<Answer>, SolverError> {
        self.feasibility.push();
        for formula in self.encoding.paths(&self.arg, dag, 0, &self.domain) {
            self.feasibility.assert(formula);
        }
        let answer = self.feasibility.check(&[]);
        let path = match answer {
            regatta_solver::Answer::Satisfiable => {
                let solver = &mut *self.feasibility;
                self.encoding.path(&self.arg, dag, solver)
            }
            _ => None,
        };
        self.feasibility.pop();
        match answer {
            regatta_solver::Answer::Satisfiable => {
                let Some((path, inputs)) = path else {
                    let reason = "the solver's model shows no path";
                    return Ok(Some(Answer::Unknown(reason.to_owned())));
                };
                let reason = match self.is_modelled(&path) {
                    false => "a construct that is not modelled is reached".to_owned(),
                    true => match context.confirmed(&inputs) {
                        Answer::Unknown(reason) => reason,
                        answer => return Ok(Some(answer)),
                    },
                };
                let other = self.leave_aside(&path, reason, context)?;
                Ok(other.map(Answer::Unsafe))
            }
            // If the solver does not decide it within its limit, interpolants may exist nevertheless.
            regatta_solver::Answer::Unsatisfiable
            | regatta_solver::Answer::Unknown(Reason::Limit) => {
                Ok(self.strengthen(dag, context).map(Answer::Unknown))
            }
            regatta_solver::Answer::Unknown(reason) => {
                Ok(Some(Answer::Unknown(reason.to_string())))
            }
        }
    }

    /// Strengthens the labels by DAG interpolants; returns the reason in words if that fails.
    fn strengthen(&mut self, dag: &Dag, context: &Context<'_>) -> Option<String> {
        let (arg, domain) = (&self.arg, &mut self.domain);
        let interpolate = || self.interpolator.interpolate(arg, dag, domain, context);
        let Some(interpolants) = counters::time(Counter::Interpolation, interpolate) else {
            let reason = match context.token.is_cancelled() {
                true => "stopped",
                false => "no interpolants were found",
            };
            return Some(reason.to_owned());
        };
        for (&node, &interpolant) in dag.nodes.iter().zip(&interpolants) {
            let place = self.arg.place(node);
            self.domain.track(place, interpolant);
            if let Some(at) = self.places.location(place)
                && !matches!(interpolant, TermId::TRUE | TermId::FALSE)
            {
                self.found.push(Candidate {
                    at,
                    formula: interpolant,
                });
            }
        }
        self.arg.strengthen(dag, &interpolants, &mut self.domain);
        None
    }

    /// Whether the path's end is an error rather than a construct that is not modelled.
    fn is_modelled(&self, path: &[EdgeId]) -> bool {
        path.last().is_none_or(|&edge| {
            let (place, block) = self.arg.step(edge);
            let end = self.places.leaving(place)[block].end;
            matches!(end, BlockEnd::CutPoint(_))
        })
    }

    /// Leaves the block at the path's end aside; returns another violation, if a path that is no longer shows one.
    fn leave_aside(
        &mut self,
        path: &[EdgeId],
        reason: String,
        context: &mut Context<'_>,
    ) -> Result<Option<Violation>, SolverError> {
        if let Some(&last) = path.last() {
            let step = self.arg.step(last);
            self.arg.leave_aside(step);
        }
        let length = u32::try_from(path.len()).unwrap_or(u32::MAX);
        self.left_aside
            .add(reason, length, self.blocks, self.solver, context)
    }

    fn replace_solvers(&mut self, context: &Context<'_>) -> Result<(), SolverError> {
        let (options, blocks, places) = (self.options, self.blocks, &self.places);
        if self.encoding.arena().len() > MAXIMUM_ARENA_TERMS {
            (self.feasibility, self.encoding) =
                options.feasibility(blocks, places, self.solver, context)?;
        }
        if self.interpolator.terms() > MAXIMUM_ARENA_TERMS {
            self.interpolator = options.interpolator(blocks, places, self.solver, context)?;
        }
        Ok(())
    }

    /// Offers the interpolants, and what the labels say at each place, to other analyses.
    fn offer(&mut self, context: &Context<'_>) {
        if self.offering.begin(self.refinements) {
            context
                .exchange
                .tell_predicates(cegar::predicates_of(&self.found));
            context.exchange.offer(self.found.drain(..));
            context.exchange.offer(self.invariants());
            self.offering.end(self.refinements);
        }
    }

    /// Returns what the labels say at each cut point where an invariant may be.
    fn invariants(&self) -> Vec<Candidate> {
        let kind = |at| self.blocks.inlined().cut_points().kind(at);
        let inner = inner_cut_points(self.blocks);
        let mut all = self.arg.invariants();
        all.retain(|one| {
            one.formula != TermId::TRUE
                && kind(one.at.location) != Some(CutPointKind::Added)
                && inner.contains(&one.at)
        });
        all
    }

    /// The proof that the labels are inductive and reach no error.
    fn safe(&self) -> Answer {
        let invariants = self.invariants();
        let snapshot = self.taken.snapshot();
        let batches = self.taken.batches();
        let inlined = self.blocks.inlined();
        Answer::Safe(snapshot.certificate(1, &batches, &invariants, inlined))
    }
}
