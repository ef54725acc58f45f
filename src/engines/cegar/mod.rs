//! Counterexample-guided abstraction refinement around CPA++ (\[BDW18\], Algorithm 4): one engine, of which predicate
//! abstraction, IMPACT and UFO (sections 4.3, 4.4 and 4.5.1) are configurations.
//!
//! * [`configuration`]: the choice of operators.
//! * [`refinement`]: the operators of refinement and forced covering; [`model`]: what they change.
//! * [`counterexample`]: abstract counterexamples and their block formulas.
//! * [`selection`]: selection of predicates that exclude a counterexample; [`atoms`]: the atoms that predicates are made of.
//! * [`path_invariants`]: invariants that exclude all unrollings of a counterexample.
//! * This file: the refinement loop, the feasibility check, the certificate.

pub mod atoms;
pub mod configuration;
mod counterexample;
mod model;
mod path_invariants;
pub mod refinement;
mod selection;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use self::counterexample::{AbstractPath, Assumed, PathSequence};
use self::model::{Cpa, Model};
use self::path_invariants::{Attempt, PathInvariants};
pub use self::path_invariants::{Generator, PathPrograms};
use self::refinement::{Known, Refinement};
use super::unrolling::inner_cut_points;
use super::unrolling::left_aside::LeftAside;
use super::unrolling::schedule::{Schedule, Share};
use super::{Answer, Context, Progress, SolverFactory};
use regatta_base::choice;
use regatta_certify::certificate::Certificate;
use regatta_cpa::algorithm::{Control, controlled_cpa_plus_plus};
use regatta_cpa::arg::ArgNode;
use regatta_cpa::location::Place;
use regatta_cpa::loop_bound::LoopBoundCpa;
use regatta_cpa::predicate::representation::Representation;
use regatta_cpa::predicate::{AbstractionId, BlockOperator, Merging, PredicateCpa, PredicateState};
use regatta_cpa::{Composite, CompositeState, ElementId, Reached};
use regatta_program::block::Blocks;
use regatta_program::{CutPointKind, InlinedLocation};
use regatta_sharing::taken::Taken;
use regatta_sharing::{Candidate, Predicate};
use regatta_solver::interpolation::{Choice, InterpolationConfig, Interpolator, Interpolators};
use regatta_solver::{CheckLimit, Reason, Solver, SolverError};
use regatta_term::{Arena, Build, TermId, store};

/// The block operator.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum BlockEnds {
    /// blk^l.
    Loops,
    /// blk^lf.
    LoopsAndFunctions,
}
choice!(BlockEnds: "loops" = Self::Loops, "loops-and-functions" = Self::LoopsAndFunctions);

impl BlockEnds {
    fn operator(self) -> BlockOperator {
        match self {
            Self::Loops => BlockOperator::Loops,
            Self::LoopsAndFunctions => BlockOperator::LoopsAndFunctions,
        }
    }

    /// Returns the program's blocks, none of which goes past a block end, and which are single edges if paths or edges count.
    fn within(self, blocks: &Arc<Blocks>, size: u32, merging: Merging) -> Arc<Blocks> {
        match self {
            _ if size < u32::MAX || merging == Merging::Separate => {
                Arc::new(Blocks::new(Arc::new(blocks.inlined().with_all_locations())))
            }
            Self::Loops => Arc::clone(blocks),
            Self::LoopsAndFunctions => {
                Arc::new(Blocks::new(Arc::new(blocks.inlined().with_function_ends())))
            }
        }
    }
}

/// The options that do not depend on the refinement.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Options {
    /// Where blocks end.
    pub blocks: BlockEnds,
    /// Maximum number of edges of a block.
    pub block_size: u32,
    /// What becomes of intermediate states of one block.
    pub merging: Merging,
    /// Minimum CPU time for the proof of a path program; zero turns path invariants off.
    pub path_invariants: Duration,
    /// The analysis that computes invariants of path programs.
    pub path_invariants_by: Generator,
    /// The path programs whose invariants are computed.
    pub path_programs: PathPrograms,
    /// The sources of interpolants.
    pub interpolator: Choice,
    /// Maximum wall time of an interpolation query.
    pub interpolation_time: Duration,
    /// Maximum wall time of a feasibility check.
    pub feasibility_time: Duration,
    /// Whether invariants of the store are assumed on counterexamples, too.
    pub invariants_on_paths: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            blocks: BlockEnds::Loops,
            block_size: u32::MAX,
            merging: Merging::Join,
            path_invariants: Duration::from_millis(1_000),
            path_invariants_by: Generator::DataFlow,
            path_programs: PathPrograms::Recurring,
            interpolator: Choice::default(),
            interpolation_time: INTERPOLATION_TIME,
            feasibility_time: FEASIBILITY_TIME,
            invariants_on_paths: false,
        }
    }
}

impl Options {
    fn interpolator(
        &self,
        solver: &SolverFactory<'_>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Interpolator>, SolverError> {
        interpolator(self.interpolator, self.interpolation_time, solver, context)
    }
}

/// Where the predicates and interpolants that exclude a counterexample come from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PredicateSource {
    /// From the program's conditions, from interpolants, and from values in models.
    Program,
    /// From interpolants alone.
    Interpolants,
}
choice!(PredicateSource: "program" = Self::Program, "interpolants" = Self::Interpolants);

/// Maximum wall time of an interpolation query, if no other is given.
pub const INTERPOLATION_TIME: Duration = Duration::from_secs(8);

/// Maximum wall time of a feasibility check, if no other is given.
pub const FEASIBILITY_TIME: Duration = Duration::from_secs(20);

/// Share of the time for publishing candidate invariants.
const PUBLICATION_SHARE: Share = Share {
    of_time: 0.02,
    at_least: Duration::from_millis(5),
};

/// Maximum number of terms of a solver's arena; beyond it, solver and arena are replaced.
const MAXIMUM_ARENA_TERMS: usize = 2_000_000;

/// The callbacks of CPA++.
struct Driver<'d, 'c, 'f> {
    refinement: &'d Refinement<'f>,
    interpolator: &'d mut dyn Interpolator,
    context: &'d Context<'c>,
    blocks: &'d Blocks,
}

impl<A: Representation> Control<Cpa<A>> for Driver<'_, '_, '_> {
    fn force_cover(
        &mut self,
        cpa: &mut Cpa<A>,
        reached: &mut Reached<Cpa<A>>,
        id: ElementId,
    ) -> bool {
        let interpolator = &mut *self.interpolator;
        let model = Model {
            cpa,
            reached,
            interpolator,
        };
        self.refinement.force_cover(model, id)
    }

    /// abort_ERR.
    fn abort(&mut self, state: &CompositeState<PredicateState>) -> bool {
        self.context.safe_point();
        self.context.token.is_cancelled() || state.place.is_target(self.blocks)
    }
}

/// The state of Algorithm 4.
pub struct Cegar<'b, A: Representation> {
    blocks: &'b Arc<Blocks>,
    /// The CPAs.
    cpa: Cpa<A>,
    /// The reached states.
    reached: Reached<Cpa<A>>,
    refinement: Refinement<'b>,
    options: Options,
    solver: &'b SolverFactory<'b>,
    interpolator: Box<dyn Interpolator>,
    /// The solver that decides whether counterexamples are feasible.
    feasibility: Box<dyn Solver>,
    /// Refinements so far.
    refinements: u32,
    taken: Taken,
    offering: Schedule,
    path_invariants: PathInvariants,
    left_aside: LeftAside,
}

/// The result of processing a counterexample.
enum Outcome {
    /// The counterexample is excluded from now on.
    Refined,
    /// The counterexample is feasible, but the replay did not confirm it; another one may be confirmed.
    Unconfirmed {
        /// The reason in words.
        reason: String,
        /// The number of its blocks.
        length: u32,
    },
    /// The analysis ends.
    Ended(Answer),
}

impl<'b, A: Representation> Cegar<'b, A> {
    /// Creates the analysis with the initial state alone.
    ///
    /// # Errors
    /// When there is no solver.
    pub fn new(
        blocks: &'b Arc<Blocks>,
        options: Options,
        abstraction: A,
        refinement: Refinement<'b>,
        solver: &'b SolverFactory<'b>,
        context: &Context<'_>,
    ) -> Result<Self, SolverError> {
        let arena = Rc::new(Arena::new());
        let own = options
            .blocks
            .within(blocks, options.block_size, options.merging);
        let domain = PredicateCpa::with(
            Arc::clone(&own),
            arena,
            options.blocks.operator(),
            abstraction,
        )
        .with_block_size(options.block_size)
        .with_merging(options.merging);
        let mut cpa = Composite::new(own, domain);
        cpa.loop_bound = LoopBoundCpa::unbounded();
        let mut reached = Reached::new();
        let entry = Place::At(blocks.inlined().entry());
        let state = cpa.domain.initial(entry, TermId::TRUE);
        let state = cpa.initial(entry, state);
        reached.add(&cpa, state, refinement.precision());
        Ok(Self {
            blocks,
            cpa,
            reached,
            refinement,
            options,
            interpolator: options.interpolator(solver, context)?,
            feasibility: feasibility(options.feasibility_time, solver, context)?,
            solver,
            refinements: 0,
            taken: Taken::new(blocks),
            offering: Schedule::new(PUBLICATION_SHARE),
            path_invariants: PathInvariants::new(
                options.path_invariants_by,
                options.path_invariants,
                options.path_programs,
            ),
            left_aside: LeftAside::default(),
        })
    }

    /// Runs lines 4 to 11.
    ///
    /// # Errors
    /// When there is no solver.
    pub fn run(&mut self, context: &mut Context<'_>) -> Result<Answer, SolverError> {
        loop {
            self.take_invariants(context);
            let mut driver = Driver {
                refinement: &self.refinement,
                interpolator: &mut *self.interpolator,
                context,
                blocks: self.blocks,
            };
            controlled_cpa_plus_plus(&mut self.cpa, &mut self.reached, &mut driver);
            if context.token.is_cancelled() {
                return Ok(Answer::Unknown("stopped".to_owned()));
            }
            if let Some(failure) = self.refinement.failure(&self.cpa.domain.abstraction) {
                return Ok(Answer::Unknown(failure));
            }
            let Some((element, target)) = self.target() else {
                if self.reached.waitlist_len() > 0 {
                    continue;
                }
                if let Some(reason) = self.left_aside.reason() {
                    return Ok(Answer::Unknown(reason.to_owned()));
                }
                return Ok(Answer::Safe(self.certificate()));
            };
            match self.refine(target, context) {
                Outcome::Refined => self.offer(context),
                Outcome::Unconfirmed { reason, length } => {
                    self.reached.remove(&self.cpa, element);
                    let (blocks, solver) = (self.blocks, self.solver);
                    let other = self
                        .left_aside
                        .add(reason, length, blocks, solver, context)?;
                    if let Some(violation) = other {
                        return Ok(Answer::Unsafe(violation));
                    }
                }
                Outcome::Ended(answer) => return Ok(answer),
            }
            if self.interpolator.arena().len() > MAXIMUM_ARENA_TERMS {
                self.interpolator = self.options.interpolator(self.solver, context)?;
            }
            if self.feasibility.arena().len() > MAXIMUM_ARENA_TERMS {
                let time = self.options.feasibility_time;
                self.feasibility = feasibility(time, self.solver, context)?;
            }
        }
    }

    /// Line 6: returns a reached target state.
    fn target(&self) -> Option<(ElementId, AbstractionId)> {
        let mut all = self.reached.since(0);
        let (id, element) = all.find(|(id, element)| {
            element.state.place.is_target(self.blocks) && !self.reached.is_suspended(*id)
        })?;
        Some((id, element.state.domain.abstraction))
    }

    /// Line 7.
    fn refine(&mut self, target: AbstractionId, context: &mut Context<'_>) -> Outcome {
        self.refinements += 1;
        (context.report)(Progress::Refinement {
            number: self.refinements,
            states: self.reached.next_number(),
        });
        let path = AbstractPath::to(&self.cpa.domain, None, target);
        let arena = Rc::clone(self.feasibility.arena());
        let sequence = PathSequence::new(&self.cpa.domain, &path, &arena);
        self.feasibility.push();
        for &formula in &sequence.formulas {
            self.feasibility.assert(formula);
        }
        // They exclude no path that is feasible, but what excludes the others may be shorter with them (\[BCL24\]).
        let invariants = match self.options.invariants_on_paths {
            true => sequence.invariants(&self.cpa.domain, &path, self.taken.by_place()),
            false => Vec::new(),
        };
        let assumed: Vec<TermId> = invariants.iter().map(|&(_, here)| here).collect();
        let answer = self.feasibility.check(&assumed);
        let needed: Vec<Assumed> = match answer {
            regatta_solver::Answer::Unsatisfiable => {
                let core = self.feasibility.unsat_core();
                let needed = invariants.iter().filter(|(_, here)| core.contains(here));
                needed.map(|&(one, _)| one).collect()
            }
            _ => invariants.iter().map(|&(one, _)| one).collect(),
        };
        let feasible = match answer {
            // If the solver does not decide it within its limit, interpolants may exist nevertheless.
            regatta_solver::Answer::Unsatisfiable
            | regatta_solver::Answer::Unknown(Reason::Limit) => None,
            regatta_solver::Answer::Satisfiable => Some(self.feasible(&path, &sequence, context)),
            regatta_solver::Answer::Unknown(reason) => {
                Some(Outcome::Ended(Answer::Unknown(reason.to_string())))
            }
        };
        self.feasibility.pop();
        if let Some(outcome) = feasible {
            return outcome;
        }
        self.refinement.take_predicates(context.exchange);
        let attempt = self.path_invariants.attempt(
            &self.cpa.domain,
            &path,
            self.refinements,
            self.solver,
            context,
        );
        let of_path_program = match attempt {
            Attempt::Interpolants(interpolants) => Some(interpolants),
            Attempt::Violated(violation) => return Outcome::Ended(Answer::Unsafe(violation)),
            Attempt::Nothing => None,
        };
        let model = Model {
            cpa: &mut self.cpa,
            reached: &mut self.reached,
            interpolator: &mut *self.interpolator,
        };
        let known = Known {
            of_path_program,
            invariants: &needed,
        };
        match self.refinement.refine(model, &path, known) {
            Ok(()) => {
                context.exchange.use_predicates(self.refinement.selected());
                Outcome::Refined
            }
            Err(reason) => Outcome::Ended(Answer::Unknown(reason)),
        }
    }

    /// Replays the inputs of a feasible counterexample.
    fn feasible(
        &mut self,
        path: &AbstractPath,
        sequence: &PathSequence,
        context: &mut Context<'_>,
    ) -> Outcome {
        let unconfirmed = |reason: String| Outcome::Unconfirmed {
            reason,
            length: u32::try_from(path.block_count()).unwrap_or(u32::MAX),
        };
        let target = path
            .states
            .last()
            .map(|&id| self.cpa.domain.abstraction_state(id).place);
        if let Some(Place::Unsupported { .. }) = target {
            return unconfirmed("a construct that is not modelled is reached".to_owned());
        }
        let nodes: FxHashMap<AbstractionId, ArgNode> = self
            .reached
            .since(0)
            .filter(|(_, element)| element.state.domain.is_abstraction)
            .map(|(_, element)| (element.state.domain.abstraction, element.state.node))
            .collect();
        let nodes: Option<Vec<ArgNode>> = path
            .states
            .iter()
            .map(|id| nodes.get(id).copied())
            .collect();
        let solver = &mut *self.feasibility;
        let inputs = nodes
            .and_then(|nodes| sequence.inputs(&self.cpa.domain, &self.cpa.arg, &nodes, solver));
        let Some(inputs) = inputs else {
            return unconfirmed("the solver's model shows no path".to_owned());
        };
        match context.confirmed(&inputs) {
            Answer::Unknown(reason) => unconfirmed(reason),
            answer => Outcome::Ended(answer),
        }
    }

    /// Passes the invariants that have appeared in the store since the last call to the refinement.
    fn take_invariants(&mut self, context: &Context<'_>) {
        for ground in self.taken.refresh(context.exchange) {
            let Candidate { at, formula } = ground.fact;
            self.refinement
                .assume(&mut self.cpa.domain.abstraction, at, formula);
        }
    }

    /// Offers the formulas that have been useful so far, and the abstract states at each location, as candidate invariants.
    fn offer(&mut self, context: &Context<'_>) {
        if self.offering.begin(self.refinements) {
            let used = self.refinement.used(&self.cpa.domain.abstraction);
            context.exchange.tell_predicates(predicates_of(&used));
            context.exchange.offer(used);
            context.exchange.offer(self.invariants());
            self.offering.end(self.refinements);
        }
    }

    /// For each cut point except the entry and targets, returns the disjunction of its abstraction formulas.
    pub fn invariants(&self) -> Vec<Candidate> {
        let mut by_place: FxHashMap<InlinedLocation, Vec<TermId>> = FxHashMap::default();
        for (id, element) in self.reached.since(0) {
            let state = &element.state;
            if let Place::At(at) = state.place
                && state.domain.is_abstraction
                && !self.reached.is_suspended(id)
            {
                let data = self.cpa.domain.abstraction_state(state.domain.abstraction);
                let term = self.cpa.domain.abstraction.term(&data.formula);
                by_place.entry(at).or_default().push(term);
            }
        }
        let kind = |at: InlinedLocation| self.blocks.inlined().cut_points().kind(at.location);
        let mut points = inner_cut_points(self.blocks);
        points.retain(|&at| kind(at) != Some(CutPointKind::Added));
        let invariants = points.into_iter().map(|at| Candidate {
            at,
            formula: store().or(by_place.remove(&at).unwrap_or_default()),
        });
        invariants
            .filter(|one| one.formula != TermId::TRUE)
            .collect()
    }

    /// The proof that the reached abstract states are inductive and contain no target.
    fn certificate(&self) -> Certificate {
        let inlined = self.blocks.inlined();
        let invariants = self.invariants();
        let snapshot = self.taken.snapshot();
        snapshot.certificate(1, &self.taken.batches(), &invariants, inlined)
    }
}

/// Returns the atoms of the formulas at their cut points.
pub fn predicates_of(formulas: &[Candidate]) -> impl Iterator<Item = Predicate> {
    let each = |one: &Candidate| {
        let at = one.at;
        let atoms = atoms::atoms(one.formula).into_iter();
        atoms.map(move |atom| Predicate::new(at, atom))
    };
    formulas.iter().flat_map(each)
}

/// Returns a solver that decides whether counterexamples are feasible, within the wall time for each.
///
/// # Errors
/// When there is no solver.
pub fn feasibility(
    time: Duration,
    solver: &SolverFactory<'_>,
    context: &Context<'_>,
) -> Result<Box<dyn Solver>, SolverError> {
    let mut solver = context.solver(solver)?;
    solver.set_limit(CheckLimit {
        time: Some(time),
        resource: None,
    });
    Ok(solver)
}

/// Returns an interpolator with the sources, within the wall time for each sequence.
///
/// # Errors
/// When there is no solver.
pub fn interpolator(
    choice: Choice,
    time: Duration,
    solver: &SolverFactory<'_>,
    context: &Context<'_>,
) -> Result<Box<dyn Interpolator>, SolverError> {
    // The limits of single sources are for those that can be replaced by others.
    let unlimited = time > INTERPOLATION_TIME;
    let mut config = InterpolationConfig {
        choice,
        ..InterpolationConfig::default()
    };
    if unlimited {
        config.conditions_time = time;
        config.horn_time = time;
    }
    let mut interpolator = Interpolators::new(config, solver()?).with_workers(context.workers);
    interpolator.set_limit(CheckLimit {
        time: Some(time),
        resource: None,
    });
    context.token.interrupts(interpolator.interrupter());
    Ok(Box::new(interpolator))
}
