//! Solving of the program's Horn clauses by Z3's engine, with a summary for each recursive function (\[KGC14\];
//! \[KGCC13\] builds on the same engine).
//!
//! The clauses are those of [`horn_clauses`](super::horn_clauses). [`cases`] computes solutions without Z3's engine, for
//! recursion with few cases.
//!
//! The query has several variants, none of which is best for all programs: over integers, where the engine generalises
//! well, or over bit vectors; and with function bodies analysed in the states of real calls or in arbitrary states. They
//! take turns with increasing time limits. A solution is checked over bit vectors before it becomes a certificate.

mod cases;
mod limits;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::cases::Cases;
use self::limits::{
    MAXIMUM_CASES_CLAUSE_CHECK_TIME, MAXIMUM_CLAUSE_CHECK_TIME, MAXIMUM_FIRST_ATTEMPT_TIME,
    TIME_FACTOR,
};
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::horn_clauses::counterexample;
use super::horn_clauses::encode::{Contexts, Encoding, encode, is_supported};
use super::horn_clauses::integers::{Integers, to_integers};
use super::horn_clauses::resolve::resolve_calls;
use super::{Answer, Context, SolverFactory};
use regatta_base::{choice, options};
use regatta_certify::certificate::Certificate;
use regatta_program::block::Blocks;
use regatta_sharing::taken::Taken;
use regatta_solver::horn::HornAnswer;
use regatta_solver::z3::horn::{Generalization, HornSolver};
use regatta_solver::{Reason, Solver, SolverError};
use regatta_term::TermId;

options! {
    /// Options of the engine for Horn clauses.
    pub struct Options {
        /// The programs that the engine analyses; it leaves the others to other engines.
        pub programs: Programs = Programs::Recursive;
        /// The algorithm of Z3's engine: SPACER, or GPDR, from which SPACER comes.
        pub algorithm: Algorithm = Algorithm::Spacer;
        /// Whether solutions by cases are tried, which need no engine for Horn clauses.
        pub cases: bool = true;
        /// Maximum wall time of the first attempt at a query; each further one has four times as long.
        pub first_attempt: Duration = MAXIMUM_FIRST_ATTEMPT_TIME;
    }
}

/// The algorithm of Z3's engine for Horn clauses.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// SPACER (\[KGC14\]).
    Spacer,
    /// Generalised property-directed reachability (\[HB12\]).
    Gpdr,
}
choice!(Algorithm: "spacer" = Self::Spacer, "gpdr" = Self::Gpdr);

/// The programs that the engine analyses.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Programs {
    /// Those with recursive functions.
    Recursive,
    /// All.
    All,
}
choice!(Programs: "recursive" = Self::Recursive, "all" = Self::All);

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "horn",
            summary: "Constrained Horn clauses of the program, with summaries of recursive functions, solved by Z3's SPACER.",
            has_solver: true,
            recursion: Recursion::Handled,
        }
    }

    fn unsuitable(&self, subject: &Subject<'_>) -> Option<&'static str> {
        (self.programs == Programs::Recursive && !subject.has_recursion())
            .then_some("the program has no recursion")
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
    taken.refresh(context.exchange);
    let mut queries = queries(blocks, options, &taken, solver, context)?;
    let mut time = options.first_attempt;
    let mut last = "the Horn engine does not support the clauses".to_owned();
    while !queries.is_empty() {
        if options.cases
            && let Some(certificate) = by_cases(blocks, &queries, time, context)
        {
            return Ok(Answer::Safe(certificate));
        }
        let mut open = Vec::new();
        for query in queries {
            context.safe_point();
            // Queries over bit vectors rarely succeed.
            let share = if query.integers.is_some() {
                time
            } else {
                time / 4
            };
            match query.solve(share, context) {
                HornAnswer::Solution(formulas) => {
                    let encoding = &query.encoding;
                    match encoding.certificate(
                        blocks,
                        &formulas,
                        MAXIMUM_CLAUSE_CHECK_TIME,
                        context,
                    ) {
                        Ok(certificate) => return Ok(Answer::Safe(certificate)),
                        Err(reason) => last = reason,
                    }
                }
                HornAnswer::Refuted { .. } if query.integers.is_none() => {
                    return counterexample::concrete(blocks, solver, context);
                }
                HornAnswer::Refuted { .. } => last = "no proof over integers".to_owned(),
                HornAnswer::Unknown(Reason::Limit) => open.push(query),
                HornAnswer::Unknown(Reason::Interrupted) => {}
                HornAnswer::Unknown(Reason::Incomplete(reason)) => last = reason,
            }
            if context.token.is_cancelled() {
                return Ok(Answer::Unknown("stopped".to_owned()));
            }
        }
        queries = match open.is_empty() || taken.refresh(context.exchange).is_empty() {
            true => open,
            // Invariants that other engines have proved meanwhile may help.
            false => self::queries(blocks, options, &taken, solver, context)?,
        };
        time *= TIME_FACTOR;
    }
    Ok(Answer::Unknown(last))
}

/// Returns a certificate by cases, if there is one and it is found within the time.
fn by_cases(
    blocks: &Arc<Blocks>,
    queries: &[HornQuery],
    time: Duration,
    context: &Context<'_>,
) -> Option<Certificate> {
    context.safe_point();
    let mut queries = queries.iter();
    let query = queries.find(|one| one.encoding.contexts == Contexts::Called)?;
    if context.token.is_cancelled() {
        return None;
    }
    let encoding = Rc::clone(&query.encoding);
    let mut cases = Cases::new(blocks.inlined(), &encoding, Instant::now() + time)?;
    let formulas = cases.solution(&mut **query.solver.borrow_mut())?;
    encoding
        .certificate(blocks, &formulas, MAXIMUM_CASES_CLAUSE_CHECK_TIME, context)
        .ok()
}

/// A variant of the Horn query.
#[derive(Clone)]
struct HornQuery {
    encoding: Rc<Encoding>,
    /// The clauses over integers, if the query is over these.
    integers: Option<Rc<Integers>>,
    generalization: Generalization,
    /// The solver for examples that no case covers; it shares the arena of the encoding.
    solver: Rc<RefCell<Box<dyn Solver>>>,
}

/// Returns the variants of the query, whose clauses assume the invariants of `taken`; those over integers come first.
///
/// For recursive programs, inductive generalisation is combined with arbitrary entry states, and interpolation with the
/// states of real calls, whose proofs distinguish many cases.
fn queries(
    blocks: &Arc<Blocks>,
    options: &Options,
    taken: &Taken,
    solver: &SolverFactory<'_>,
    context: &Context<'_>,
) -> Result<Vec<HornQuery>, SolverError> {
    use Generalization::{Inductive, Interpolant};
    let has_recursion = blocks.inlined().calls().has_recursion();
    let ways: &[(Contexts, Generalization)] = match has_recursion {
        true => &[(Contexts::Any, Inductive), (Contexts::Called, Interpolant)],
        false => &[(Contexts::Called, Inductive)],
    };
    let (mut over_integers, mut exact) = (Vec::new(), Vec::new());
    for &(contexts, generalization) in ways {
        let generalization = match options.algorithm {
            Algorithm::Spacer => generalization,
            Algorithm::Gpdr => Generalization::Gpdr,
        };
        let solver = context.solver(solver)?;
        let mut encoding = encode(blocks, contexts, Rc::clone(solver.arena()));
        encoding.assume(taken);
        if !is_supported(&encoding) {
            continue;
        }
        resolve_calls(blocks.inlined(), &mut encoding);
        let integers = to_integers(&encoding).map(Rc::new);
        let query = HornQuery {
            encoding: Rc::new(encoding),
            integers: None,
            generalization,
            solver: Rc::new(RefCell::new(solver)),
        };
        let is_alternative = integers.is_some() && generalization == Interpolant;
        if integers.is_some() {
            over_integers.push(HornQuery {
                integers,
                ..query.clone()
            });
        }
        if !is_alternative {
            exact.push(query);
        }
    }
    over_integers.append(&mut exact);
    Ok(over_integers)
}

impl HornQuery {
    /// Solves the query within the time; a solution is over bit vectors.
    fn solve(&self, time: Duration, context: &Context<'_>) -> HornAnswer {
        let mut solver = match HornSolver::new() {
            Ok(solver) => solver,
            Err(reason) => return HornAnswer::Unknown(Reason::Incomplete(reason)),
        };
        context.token.interrupts(solver.interrupter());
        if context.token.is_cancelled() {
            return HornAnswer::Unknown(Reason::Interrupted);
        }
        let arena = Rc::clone(&self.encoding.arena);
        let Some(integers) = &self.integers else {
            return solver.solve(
                &arena,
                &self.encoding.system,
                self.generalization,
                Some(time),
            );
        };
        match solver.solve(&arena, &integers.system, self.generalization, Some(time)) {
            HornAnswer::Solution(formulas) => {
                let translated: Option<Vec<TermId>> = formulas
                    .into_iter()
                    .map(|one| integers.to_bit_vectors(one))
                    .collect();
                match translated {
                    Some(formulas) => HornAnswer::Solution(formulas),
                    None => HornAnswer::Unknown(Reason::Incomplete(
                        "a solution that cannot be translated to bit vectors".to_owned(),
                    )),
                }
            }
            answer => answer,
        }
    }
}
