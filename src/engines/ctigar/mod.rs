//! CTIGAR: IC3 on predicates, refined from counterexamples to induction (\[Bir13\], chapter 3, and \[BBW14\]; IC3: \[Bra11\]).
//!
//! Frames are sets of clauses over the predicates of an abstract domain, and the program counter is explicit: a clause
//! belongs to a cut point, and a transition is a block between two cut points ([`regatta_program::block`]). A state that
//! leads to the error is lifted, abstracted, and excluded by a clause that is inductive relative to a frame. If the abstract
//! state has a predecessor in the frame and the concrete state has none, the domain is too coarse and is refined.
//!
//! * [`system`]: the transition system; [`preimage`](mod@preimage): preimages of formulas; [`cube`]: abstract states and
//!   lifted states; [`frames`].
//! * [`queries`]: queries about steps, answered by one [`place_solver`] per place.
//! * [`obligations`]: Algorithms 3, 6 and 7, and the abstraction of section 3.3; [`lift`]: section 3.2.
//! * [`domain`]: the predicates and their lattice; [`refine`]: refinement; [`half_spaces`], [`by_preimage`]: other sources
//!   of predicates for it; [`mining`]: Algorithms 4 and 5.
//! * [`generalise`]: Algorithms 8 and 9 and generalisation in consecution.
//! * [`exchange`]: exchange of invariants, and certificates. [`trace`]: conversion of a trace to program inputs.
//!
//! Departures from the thesis: initiation needs no query, because the states at the entry are exactly the initial states.
//! Clauses that are inductive without a frame move to an infinite frame, if the options say so. A transition is a block, not a
//! statement, unless the options say so.

mod by_preimage;
mod cube;
mod domain;
mod exchange;
mod frames;
mod generalise;
mod half_spaces;
mod lift;
mod mining;
mod obligations;
mod place_solver;
mod preimage;
mod queries;
mod refine;
mod system;
#[cfg(test)]
mod tests;
mod trace;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashSet;

use self::domain::Domain;
pub use self::domain::Equations;
use self::exchange::Exchange;
use self::frames::{Frames, Level};
use self::mining::Mining;
use self::obligations::{End, Obligation};
use self::place_solver::{Post, Query};
use self::queries::{Queries, StepAnswer};
use self::refine::Refiner;
pub use self::refine::Source;
use self::system::{Step, System};
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::unrolling::left_aside::LeftAside;
use super::{Answer, Context, Progress, SolverFactory};
use regatta_base::{choice, options};
use regatta_program::block::Blocks;
use regatta_solver::interpolation::Choice;
use regatta_solver::{Solver, SolverError};

options! {
    /// Options of CTIGAR.
    pub struct Options {
        /// Maximum frame number (steps between cut points).
        pub max_bound: u32 = u32::MAX;
        /// Maximum number of spurious transitions in the trace of a proof obligation before the domain is refined; with 0, it is
        /// refined immediately.
        pub max_spurious: u32 = 0;
        /// Whether refinement searches for linear equations that states at one location satisfy.
        pub mining: bool = true;
        /// Maximum recursion depth of the exclusion of counterexamples to generalisation.
        pub max_depth: u32 = 1;
        /// Maximum number of counterexamples to generalisation that are excluded per clause.
        pub max_ctgs: u32 = 3;
        /// Maximum number of attempts per clause to replace a literal by a weaker one if it cannot be dropped.
        pub max_geo: u32 = 0;
        /// Whether the initial domain contains the conditions of the program.
        pub initial_conditions: bool = true;
        /// Whether the initial domain contains the order relations between pairs of variables.
        pub initial_orders: bool = true;
        /// Maximum number of conditions of the program in the initial domain.
        pub maximum_conditions: u32 = 200;
        /// Maximum number of order relations at a location in the initial domain; a location with more gets none.
        pub maximum_orders: u32 = 60;
        /// The transitions: blocks between cut points, or single edges of the program.
        pub steps: Steps = Steps::Blocks;
        /// Whether clauses that are inductive by themselves are searched, proved and published.
        pub infinite_frame: bool = true;
        /// Maximum wall time of a query.
        pub query_time: Duration = place_solver::QUERY_TIME;
        /// Maximum wall time of a query whether one predicate implies another.
        pub implication_time: Duration = domain::IMPLICATION_TIME;
        /// How equations become predicates.
        pub equations: Equations = Equations::Split;
        /// The source of the predicates of refinement.
        pub interpolation: Source = Source::Both;
        /// The interpolants that are taken: those by strongest postconditions and weakest preconditions ("conditions"), those
        /// of Z3's engine for Horn clauses, or one of them if the other fails.
        pub interpolator: Choice = Choice::Best;
        /// Maximum wall time of an interpolation.
        pub interpolation_time: Duration = refine::INTERPOLATION_TIME;
    }
}

/// The transitions of the system.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Blocks between cut points.
    Blocks,
    /// Single edges of the program.
    Edges,
}
choice!(Steps: "blocks" = Self::Blocks, "edges" = Self::Edges);
choice!(Equations: "whole" = Self::Whole, "split" = Self::Split, "both" = Self::Both);
choice!(
    Source: "interpolants" = Self::Interpolants, "interpolants-alone" = Self::InterpolantsAlone,
    "half-spaces" = Self::HalfSpaces, "both" = Self::Both, "preimages" = Self::Preimages,
    "beautiful" = Self::Beautiful,
);

/// Declares the counters of the engine.
macro_rules! statistics {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// Counters of the engine.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Statistics {
            $($(#[doc = $doc])+ pub $name: u64,)+
        }

        impl Statistics {
            /// The counters with their names.
            pub fn entries(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name)),+]
            }
        }
    };
}

statistics! {
    /// Number of the last frame.
    frames,
    /// Predicates at the end.
    predicates,
    /// Predicates at the beginning.
    initial_predicates,
    /// Queries about steps.
    queries,
    /// Wall time of the queries.
    query_milliseconds,
    /// Proof obligations.
    obligations,
    /// Lifted states.
    lifted,
    /// Cells of the states before lifting.
    cells_before,
    /// Cells of the states after lifting.
    cells_after,
    /// Abstract states that were processed.
    abstract_states,
    /// Refinements of the domain.
    refinements,
    /// Steps for which refinement had an interpolant.
    interpolants,
    /// Steps for which refinement had half-spaces.
    half_spaces,
    /// Steps for which refinement had an interpolant of few half-spaces.
    beautiful,
    /// Refinements by a preimage.
    preimages,
    /// Equations found by state mining.
    mined,
    /// Spurious transitions that were admitted.
    spurious,
    /// Refinements because of a trace with spurious transitions.
    backtracks,
    /// Literals dropped by generalisation.
    dropped,
    /// Counterexamples to generalisation that were excluded.
    ctgs,
    /// Joins of a cube with such a counterexample.
    joins,
    /// Literals replaced by weaker ones.
    geometric,
    /// Learned clauses.
    clauses,
    /// Clauses of the fixed point.
    fixpoint_clauses,
    /// Literals of the clauses of the fixed point.
    fixpoint_literals,
    /// Maximum number of obligations from a state to an error.
    deepest,
    /// Clauses of the infinite frame.
    infinite,
    /// Invariants of other engines that were used.
    invariants,
}

/// The reason why the search ends early.
#[derive(Debug)]
enum Stop {
    /// The run was cancelled.
    Cancelled,
    /// A query was not decided; the reason in words.
    Undecided(String),
    /// No solver could be created.
    Solver(SolverError),
}

impl From<SolverError> for Stop {
    fn from(error: SolverError) -> Self {
        Self::Solver(error)
    }
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "ctigar",
            summary: "CTIGAR: IC3 on predicate abstractions, refined from counterexamples to induction.",
            has_solver: true,
            recursion: Recursion::Excluded,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        let mut done = Statistics::default();
        let answer = run(subject.blocks, self, subject.solver, context, &mut done);
        Report::from(answer).with_counters(done.entries())
    }
}

/// Runs CTIGAR and fills the counters.
///
/// # Errors
/// When there is no solver.
fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
    statistics: &mut Statistics,
) -> Result<Answer, SolverError> {
    let own = match options.steps {
        Steps::Blocks => Arc::clone(blocks),
        Steps::Edges => Arc::new(Blocks::new(Arc::new(blocks.inlined().with_all_locations()))),
    };
    let mut engine = Ctigar::new(blocks, &own, options, solver, context)?;
    let result = engine.search(context);
    engine.statistics.predicates = engine.domain.len() as u64;
    let (queries, time) = engine.queries.count();
    engine.statistics.queries = queries;
    engine.statistics.query_milliseconds = time.as_millis() as u64;
    *statistics = engine.statistics.clone();
    match result {
        Ok(answer) => Ok(answer),
        Err(Stop::Cancelled) => Ok(Answer::Unknown("stopped".to_owned())),
        Err(Stop::Undecided(reason)) => Ok(Answer::Unknown(reason)),
        Err(Stop::Solver(error)) => Err(error),
    }
}

struct Ctigar<'e> {
    options: &'e Options,
    factory: &'e SolverFactory<'e>,
    system: Rc<System<'e>>,
    queries: Queries<'e>,
    frames: Frames,
    domain: Domain,
    /// The number of the last frame.
    frontier: Level,
    refiner: Refiner,
    mining: Mining,
    /// The solver for implications between predicates.
    implications: Option<Box<dyn Solver>>,
    exchange: Exchange,
    statistics: Statistics,
    left_aside: LeftAside,
    /// The number of runs from reached states that the replay has not confirmed.
    unconfirmed: u32,
    /// The steps to targets whose traces were not confirmed; they are no longer searched.
    steps_left_aside: FxHashSet<Step>,
}

impl<'e> Ctigar<'e> {
    /// The steps are those of `own`; proofs are about the cut points of `blocks`.
    fn new(
        blocks: &'e Arc<Blocks>,
        own: &'e Arc<Blocks>,
        options: &'e Options,
        factory: &'e SolverFactory<'e>,
        context: &Context<'_>,
    ) -> Result<Self, SolverError> {
        let system = Rc::new(System::new(own));
        let domain = Domain::new(&system, options);
        let statistics = Statistics {
            initial_predicates: domain.len() as u64,
            ..Statistics::default()
        };
        Ok(Self {
            options,
            factory,
            refiner: Refiner::new(options, context.solver(factory)?, context),
            exchange: Exchange::new(blocks, &system, factory()?, context),
            queries: Queries::new(Rc::clone(&system), factory, options.query_time),
            system,
            frames: Frames::default(),
            domain,
            frontier: Level(0),
            mining: Mining::default(),
            implications: None,
            statistics,
            left_aside: LeftAside::default(),
            unconfirmed: 0,
            steps_left_aside: FxHashSet::default(),
        })
    }

    /// Strengthens frame after frame until two are equal or a trace to an error is found.
    fn search(&mut self, context: &mut Context<'_>) -> Result<Answer, Stop> {
        while self.frontier.0 < self.options.max_bound {
            self.frontier = self.frontier.next();
            self.statistics.frames = u64::from(self.frontier.0);
            (context.report)(Progress::Bound {
                bound: self.frontier.0,
            });
            self.take_invariants(context);
            while let Some(end) = self.strengthen(context)? {
                let violation = match end {
                    End::Violation(violation) => Some(violation),
                    End::Trace(trace) => self.violated(&trace, context)?,
                };
                if let Some(violation) = violation {
                    return Ok(Answer::Unsafe(violation));
                }
            }
            self.tell_bounded(context);
            if let Some(level) = self.propagate(context)? {
                return Ok(match self.left_aside.reason() {
                    Some(reason) => Answer::Unknown(reason.to_owned()),
                    None => self.proved(level, context),
                });
            }
            self.publish(context);
            self.renew_solvers();
        }
        Ok(Answer::Unknown("the largest bound is reached".to_owned()))
    }

    /// Excludes all states of the last frame that lead to an error, or returns a trace to the error.
    fn strengthen(&mut self, context: &mut Context<'_>) -> Result<Option<End>, Stop> {
        for step in self.system.to_errors() {
            if self.steps_left_aside.contains(&step) {
                continue;
            }
            loop {
                let query = Query {
                    level: self.frontier,
                    excluding: None,
                    post: Post::Reached,
                    frames: &self.frames,
                    domain: &self.domain,
                };
                let model = match self.queries.step(step, query, context)? {
                    StepAnswer::Blocked(_) => break,
                    StepAnswer::Undecided(reason) => return Err(Stop::Undecided(reason)),
                    StepAnswer::Taken(model) => model,
                };
                let post = Post::Reached;
                let state = self
                    .queries
                    .lift(&model, post, &self.domain, &mut self.statistics)?;
                let obligation = Obligation::at_error(state, model);
                let end = self.handle_obligations(obligation, context)?;
                if end.is_some() {
                    return Ok(end);
                }
            }
        }
        Ok(None)
    }

    /// Propagates clauses to the next frames; returns the level of a frame that equals its successor, if there is one.
    fn propagate(&mut self, context: &Context<'_>) -> Result<Option<Level>, Stop> {
        for level in (1..=self.frontier.0).map(Level) {
            for cube in self.frames.exactly(level) {
                if let Some(cube) = self.inductive_part(&cube, level, context)? {
                    self.exclude(cube, level.next());
                }
            }
            if self.frames.exactly(level).is_empty() {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }
}
