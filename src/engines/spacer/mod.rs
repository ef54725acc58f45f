//! SPACER (\[KGCC13\]):
//! proof-based abstraction combined with counterexample-guided refinement, over bounded
//! under-approximations that Z3's engine for Horn clauses solves.
//!
//! The modules contain the functions of Figure 5:
//!
//! * [`program`]: P̃, the program with counters; [`loops`]: the loops that are counted.
//! * [`mod@steps`]: the solver of Figure 6, kept across iterations; minimal unsat cores.
//! * [`invariants`]: EXTRACTINVS, and the elimination of counters from invariants (Lemma 2).
//! * [`abstraction`]: ABSTRACT and REFINE.
//!
//! An abstraction may omit ([`Omissible`]) any constraint, as in section 5, or only assignments to next-state variables,
//! the variant of section 6 that Table 1 marks with an asterisk.
//!
//! INITU is the bound zero for all counters, NEXTU increments it. SOLVE first solves clauses over integers, if the program
//! has such ([`super::horn_clauses::integers`]); if a counterexample over integers is spurious, these are too coarse, and
//! SPACER starts again over bit vectors.

mod abstraction;
mod invariants;
mod limits;
mod loops;
mod program;
mod steps;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::abstraction::{Abstraction, Refined, abstract_by_proof, control_path, refine};
use self::invariants::{Lemmas, extract_invariants, is_safe, lemmas, without_counters};
use self::limits::{MAXIMUM_CLAUSE_CHECK_TIME, MINIMUM_FIRST_ATTEMPT_TIME, RESTART_DELAY_FACTOR};
use self::program::{CountedProgram, Omissible};
use self::steps::Steps;
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::horn_clauses::counterexample;
use super::horn_clauses::encode::{Contexts, Encoding, encode, is_supported};
use super::horn_clauses::integers::{Integers, to_integers};
use super::{AbstractionStep, Answer, Context, Progress, SolverFactory};
use regatta_base::{choice, options};
use regatta_program::block::Blocks;
use regatta_sharing::Candidate;
use regatta_sharing::News;
use regatta_sharing::taken::Taken;
use regatta_solver::horn::HornAnswer;
use regatta_solver::z3::horn::{Generalization, HornSolver};
use regatta_solver::{Reason, SolverConfig, SolverError, new_solver};
use regatta_term::{Build, TermId, store};

options! {
    /// Options of SPACER.
    pub struct Options {
        /// Maximum number of iterations of each loop.
        pub max_bound: u32 = u32::MAX, in 0..=u32::MAX;
        /// Maximum number of spurious counterexamples per bound that add the constraints they violate; at the next one, all
        /// constraints are restored (with 0, abstraction is based on proofs alone: the paper's variant).
        pub max_refinements: u32 = 8, in 0..=u32::MAX;
        /// The parts of the program that an abstraction may omit: any of its constraints, or only the new values of variables,
        /// which are arbitrary then.
        pub abstraction: Omissible = Omissible::Constraints;
    }
}
choice!(Omissible: "constraints" = Self::Constraints, "variables" = Self::Variables);

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "spacer",
            summary: "Automatic abstraction (SPACER) over bounded under-approximations that Z3's Horn engine solves; without recursion.",
            has_solver: true,
            recursion: Recursion::Excluded,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        run(subject.blocks, self, subject.solver, context).into()
    }
}

/// Runs the engine.
///
/// # Errors
/// When there is no solver.
fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    let mut taken = Taken::new(blocks);
    let mut restart_delay = MINIMUM_FIRST_ATTEMPT_TIME;
    loop {
        taken.refresh(context.exchange);
        let begin = Instant::now();
        match attempt(blocks, options, solver, &taken, restart_delay, context)? {
            Attempt::Answer(answer @ Answer::Unknown(_)) => {
                if context.token.is_cancelled() || taken.refresh(context.exchange).is_empty() {
                    return Ok(answer);
                }
            }
            Attempt::Answer(answer) => return Ok(answer),
            Attempt::News => restart_delay = begin.elapsed() * RESTART_DELAY_FACTOR,
        }
    }
}

/// The result of an attempt.
enum Attempt {
    Answer(Answer),
    /// Other engines have proved invariants that the clauses do not assume.
    News,
}

/// Runs the engine over clauses that assume the invariants of `taken`, until there are new ones after the delay.
fn attempt(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    taken: &Taken,
    restart_delay: Duration,
    context: &mut Context<'_>,
) -> Result<Attempt, SolverError> {
    let give_up = |reason: &str| Ok(Attempt::Answer(Answer::Unknown(reason.to_owned())));
    let shared = Rc::clone(solver()?.arena());
    let plain = encode(blocks, Contexts::Called, Rc::clone(&shared));
    if !is_supported(&plain) {
        return give_up("the Horn engine does not support the clauses");
    }
    let integers = to_integers(&plain);
    let (encoding, integers) = if taken.all().is_empty() {
        (plain, integers)
    } else {
        let mut strengthened = encode(blocks, Contexts::Called, shared);
        strengthened.assume(taken);
        // Invariants without translation to integers are dropped in favour of integers.
        match (to_integers(&strengthened), integers) {
            (None, Some(integers)) => (plain, Some(integers)),
            (None, None) if !is_supported(&strengthened) => (plain, None),
            (integers, _) => (strengthened, integers),
        }
    };
    let counted = |system| CountedProgram::new(&encoding, system, options.abstraction);
    let exact = counted(&encoding.system);
    let mut last = None;
    let deadline = Instant::now() + restart_delay;
    for integers in integers.as_ref().map(Some).into_iter().chain([None]) {
        let over_integers = integers.map(|one| counted(&one.system));
        let mut spacer = Spacer {
            blocks,
            options,
            encoding: &encoding,
            integers,
            steps: steps(over_integers.as_ref().unwrap_or(&exact), context)?,
            invariants: vec![Vec::new(); encoding.places.len()],
            news: context.exchange.news(taken.snapshot(), deadline),
        };
        match spacer.run(context)? {
            Outcome::Answer(answer) => return Ok(Attempt::Answer(answer)),
            Outcome::Counterexample(path) => {
                let whole = Abstraction::whole(&exact);
                let unknown = vec![Vec::new(); encoding.places.len()];
                let mut steps = steps(&exact, context)?;
                if refine(&mut steps, &whole, &unknown, &path) == Refined::Feasible {
                    // The first transition leads to the entry.
                    let length = path.len() as u32 - 1;
                    let answer = counterexample::of_length(length, blocks, solver, context)?;
                    return Ok(Attempt::Answer(answer));
                }
                last = Some("a counterexample over integers alone".to_owned());
            }
            Outcome::Unknown(reason) => last = Some(reason),
            Outcome::News => return Ok(Attempt::News),
        }
        if context.token.is_cancelled() {
            return give_up("stopped");
        }
    }
    give_up(&last.unwrap_or_default())
}

/// Creates the solver for queries about the program's transitions; it must support integers.
fn steps<'p>(program: &'p CountedProgram, context: &Context<'_>) -> Result<Steps<'p>, SolverError> {
    let arena = Rc::clone(&program.arena);
    let solver = context.solver(&|| new_solver(SolverConfig::default(), Rc::clone(&arena)))?;
    Ok(Steps::new(program, solver))
}

/// The result of a run over one encoding.
enum Outcome {
    Answer(Answer),
    /// A control path that is feasible in the encoding.
    Counterexample(Vec<usize>),
    Unknown(String),
    /// See [`Attempt::News`].
    News,
}

/// The algorithm's state.
struct Spacer<'s> {
    blocks: &'s Arc<Blocks>,
    options: &'s Options,
    encoding: &'s Encoding,
    /// The clauses over integers, if the program is over integers.
    integers: Option<&'s Integers>,
    steps: Steps<'s>,
    /// The invariants I.
    invariants: Lemmas,
    /// Notification of new invariants of other engines.
    news: News<'s>,
}

impl Spacer<'_> {
    /// Figure 5.
    fn run(&mut self, context: &mut Context<'_>) -> Result<Outcome, SolverError> {
        let program = self.steps.program();
        // Lines 1 and 2.
        let mut abstraction = Abstraction::whole(program);
        let mut bound = 0;
        let mut refinements = 0;
        let failed = |reason| SolverError::Failed(regatta_solver::Backend::Z3, reason);
        let mut engine = HornSolver::new().map_err(failed)?;
        let interrupter = engine.interrupter();
        context.token.interrupts(Arc::clone(&interrupter));
        loop {
            context.safe_point();
            if context.token.is_cancelled() {
                return Ok(Outcome::Unknown("stopped".to_owned()));
            }
            if self.news.has_changed() {
                return Ok(Outcome::News);
            }
            // Line 4.
            let system = abstraction.bounded(program, bound, &self.invariants);
            let solve = || engine.solve(&program.arena, &system, Generalization::Inductive, None);
            let answer = self.news.interrupt(&*interrupter, solve);
            match answer {
                HornAnswer::Solution(proof) => {
                    // Lines 5 and 6.
                    let proof = lemmas(&proof);
                    let new = extract_invariants(&mut self.steps, &self.invariants, &proof);
                    for (known, new) in self.invariants.iter_mut().zip(new) {
                        known.extend(new);
                    }
                    self.offer(bound, context);
                    // Lines 7 and 8.
                    if is_safe(&mut self.steps, &self.invariants) {
                        return Ok(self.safe(bound, context));
                    }
                    if bound == self.options.max_bound {
                        return Ok(Outcome::Unknown("the last bound was reached".to_owned()));
                    }
                    // Lines 9 and 10.
                    abstraction =
                        abstract_by_proof(&mut self.steps, &proof, &self.invariants, bound);
                    self.report(AbstractionStep::ProofBased, &abstraction, bound, context);
                    bound += 1;
                    refinements = 0;
                }
                HornAnswer::Refuted { trace } => {
                    // Lines 11 to 13.
                    let Some(path) = control_path(program, &trace) else {
                        return Ok(Outcome::Unknown("a refutation without a path".to_owned()));
                    };
                    match refine(&mut self.steps, &abstraction, &self.invariants, &path) {
                        Refined::Feasible => return Ok(Outcome::Counterexample(path)),
                        Refined::Spurious(refined) if refined != abstraction => {
                            abstraction = if refinements < self.options.max_refinements {
                                refined
                            } else {
                                Abstraction::whole(program)
                            };
                            refinements = refinements.saturating_add(1);
                            self.report(
                                AbstractionStep::CounterexampleBased,
                                &abstraction,
                                bound,
                                context,
                            );
                        }
                        Refined::Spurious(_) | Refined::Unknown => {
                            let reason = "a counterexample that could not be refined";
                            return Ok(Outcome::Unknown(reason.to_owned()));
                        }
                    }
                }
                HornAnswer::Unknown(Reason::Interrupted) if self.news.has_changed() => {
                    return Ok(Outcome::News);
                }
                HornAnswer::Unknown(reason) => {
                    return Ok(Outcome::Unknown(reason.to_string()));
                }
            }
        }
    }

    fn report(
        &self,
        step: AbstractionStep,
        abstraction: &Abstraction,
        bound: u32,
        context: &Context<'_>,
    ) {
        (context.report)(Progress::Abstracted {
            step,
            bound,
            kept: abstraction.size(),
            all: self.steps.program().assumptions(),
        });
    }

    /// Returns the invariants of a predicate without counters, over the variables of the program.
    fn exported(&self, predicate: usize, bound: u32) -> Vec<TermId> {
        let program = self.steps.program();
        let mut exported = Vec::new();
        for &invariant in &self.invariants[predicate] {
            for formula in without_counters(program, predicate, invariant, bound) {
                let back = match self.integers {
                    Some(integers) => integers.to_bit_vectors(formula),
                    None => Some(formula),
                };
                exported.extend(back.filter(|one| !exported.contains(one)));
            }
        }
        exported
    }

    /// Offers the invariants without counters to other engines.
    fn offer(&self, bound: u32, context: &Context<'_>) {
        for (number, place) in self.encoding.places.iter().enumerate() {
            let formulas = self.exported(number, bound);
            context.exchange.offer(Candidate::each(place.at, formulas));
        }
    }

    /// Returns the proof of the program without counters.
    fn safe(&self, bound: u32, context: &Context<'_>) -> Outcome {
        let predicates = 0..self.encoding.places.len();
        let formulas = predicates.map(|number| store().and(self.exported(number, bound)));
        let formulas: Vec<TermId> = formulas.collect();
        match self
            .encoding
            .certificate(self.blocks, &formulas, MAXIMUM_CLAUSE_CHECK_TIME, context)
        {
            Ok(certificate) => Outcome::Answer(Answer::Safe(certificate)),
            Err(reason) => Outcome::Unknown(reason),
        }
    }
}
