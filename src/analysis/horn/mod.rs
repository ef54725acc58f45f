//! The program's Horn clauses given to Z3's engine as they are, with a summary for each recursive function (Komuravelli,
//! Gurfinkel and Chaki: SMT-based model checking for recursive programs, CAV 2014; paper 001 builds on the same engine).
//!
//! The clauses are those of [`horn_clauses`](super::horn_clauses).
//!
//! * [`cases`]: a solution without the engine, for recursion of which there are few cases.
//!
//! There are several ways to put the question, and none is the best for all programs: over integers, where the engine
//! generalises well, or over bit vectors; and with or without regard to the calls that happen. They take turns, with
//! more time each time. A solution is looked at over bit vectors before it is handed in.

mod cases;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::cases::Cases;
use super::horn_clauses::counterexample;
use super::horn_clauses::encode::{Contexts, Encoding, encode, is_within_reach};
use super::horn_clauses::integers::{Integers, to_integers};
use super::horn_clauses::resolve::resolve_calls;
use super::invariants::taken::Taken;
use super::options::{choice, options};
use super::{Answer, Context, SolverFactory};
use crate::certify::certificate::Certificate;
use crate::program::block::Blocks;
use crate::solver::horn::HornAnswer;
use crate::solver::z3::horn::{Generalization, HornSolver};
use crate::solver::{Reason, Solver, SolverError};
use crate::term::TermId;

options! {
    /// Options of the engine for Horn clauses.
    pub struct Options {
        /// Which programs it looks at; the others it leaves to other engines.
        pub programs: Programs = Programs::Recursive;
    }
}

/// Programs that the engine looks at.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Programs {
    /// Those with recursive functions.
    Recursive,
    /// All.
    All,
}
choice!(Programs: "recursive" = Self::Recursive, "all" = Self::All);

/// How long a question may take the first time that it is asked.
const FIRST_ATTEMPT: Duration = Duration::from_millis(500);

/// How long a look at one clause of a solution may take; at one by cases, of which there are many.
const LOOK: Duration = Duration::from_secs(2);
const LOOK_AT_CASES: Duration = Duration::from_secs(8);

/// By how much more time a question gets when it is asked again.
const GROWTH: u32 = 4;

/// Runs the engine.
///
/// # Errors
/// When there is no solver.
pub fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    let has_recursion = blocks.inlined().calls().has_recursion();
    if options.programs == Programs::Recursive && !has_recursion {
        return Ok(Answer::Unknown("the program has no recursion".to_owned()));
    }
    let mut taken = Taken::new(blocks);
    taken.refresh(context.exchange);
    let mut questions = questions(blocks, &taken, solver, context)?;
    let mut time = FIRST_ATTEMPT;
    let mut last = "the clauses are beyond the engine".to_owned();
    while !questions.is_empty() {
        if let Some(certificate) = by_cases(blocks, &questions, time, context) {
            return Ok(Answer::Safe(certificate));
        }
        let mut open = Vec::new();
        for question in questions {
            context.safe_point();
            // Over bit vectors, it is mostly in vain.
            let share = if question.integers.is_some() {
                time
            } else {
                time / 4
            };
            match question.ask(share, context) {
                HornAnswer::Solution(formulas) => {
                    let encoding = &question.encoding;
                    match encoding.certificate(blocks, &formulas, LOOK, context) {
                        Ok(certificate) => return Ok(Answer::Safe(certificate)),
                        Err(reason) => last = reason,
                    }
                }
                HornAnswer::Refuted { .. } if question.integers.is_none() => {
                    return counterexample::concrete(blocks, solver, context);
                }
                HornAnswer::Refuted { .. } => last = "no proof over integers".to_owned(),
                HornAnswer::Unknown(Reason::Limit) => open.push(question),
                HornAnswer::Unknown(Reason::Interrupted) => {}
                HornAnswer::Unknown(Reason::Incomplete(reason)) => last = reason,
            }
            if context.token.is_cancelled() {
                return Ok(Answer::Unknown("stopped".to_owned()));
            }
        }
        questions = match open.is_empty() || taken.refresh(context.exchange).is_empty() {
            true => open,
            // With what others have proved meanwhile.
            false => self::questions(blocks, &taken, solver, context)?,
        };
        time *= GROWTH;
    }
    Ok(Answer::Unknown(last))
}

/// A solution by cases, if one is found within the time.
fn by_cases(
    blocks: &Arc<Blocks>,
    questions: &[Question],
    time: Duration,
    context: &Context<'_>,
) -> Option<Certificate> {
    context.safe_point();
    let mut questions = questions.iter();
    let question = questions.find(|one| one.encoding.contexts == Contexts::Called)?;
    if context.token.is_cancelled() {
        return None;
    }
    let encoding = Rc::clone(&question.encoding);
    let mut cases = Cases::new(blocks.inlined(), &encoding, Instant::now() + time)?;
    let formulas = cases.solution(&mut **question.solver.borrow_mut())?;
    encoding
        .certificate(blocks, &formulas, LOOK_AT_CASES, context)
        .ok()
}

/// A way to put the question.
#[derive(Clone)]
struct Question {
    encoding: Rc<Encoding>,
    /// The clauses over integers, if they are to be solved over these.
    integers: Option<Rc<Integers>>,
    generalization: Generalization,
    /// For examples of what cases do not cover; its arena is the encoding's.
    solver: Rc<RefCell<Box<dyn Solver>>>,
}

/// The ways to put the question, in clauses that assume what is taken.
///
/// Over integers first. Inductive invariants are looked for without regard to the calls that happen, proofs of many cases
/// with it.
fn questions(
    blocks: &Arc<Blocks>,
    taken: &Taken,
    solver: &SolverFactory<'_>,
    context: &Context<'_>,
) -> Result<Vec<Question>, SolverError> {
    use Generalization::{Inductive, Interpolant};
    let has_recursion = blocks.inlined().calls().has_recursion();
    let ways: &[(Contexts, Generalization)] = match has_recursion {
        true => &[(Contexts::Any, Inductive), (Contexts::Called, Interpolant)],
        false => &[(Contexts::Called, Inductive)],
    };
    let (mut over_integers, mut exact) = (Vec::new(), Vec::new());
    for &(contexts, generalization) in ways {
        let solver = context.solver(solver)?;
        let mut encoding = encode(blocks, contexts, Rc::clone(solver.arena()));
        encoding.assume(taken);
        if !is_within_reach(&encoding) {
            continue;
        }
        resolve_calls(blocks.inlined(), &mut encoding);
        let integers = to_integers(&encoding).map(Rc::new);
        let question = Question {
            encoding: Rc::new(encoding),
            integers: None,
            generalization,
            solver: Rc::new(RefCell::new(solver)),
        };
        let is_alternative = integers.is_some() && generalization == Interpolant;
        if integers.is_some() {
            over_integers.push(Question {
                integers,
                ..question.clone()
            });
        }
        if !is_alternative {
            exact.push(question);
        }
    }
    over_integers.append(&mut exact);
    Ok(over_integers)
}

impl Question {
    /// Asks, for the time. The solution is over bit vectors.
    fn ask(&self, time: Duration, context: &Context<'_>) -> HornAnswer {
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
                let back: Option<Vec<TermId>> =
                    formulas.into_iter().map(|one| integers.back(one)).collect();
                match back {
                    Some(formulas) => HornAnswer::Solution(formulas),
                    None => HornAnswer::Unknown(Reason::Incomplete(
                        "a solution that bit vectors cannot say".to_owned(),
                    )),
                }
            }
            answer => answer,
        }
    }
}
