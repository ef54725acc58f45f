//! What an engine is to its callers: an [`Engine`] runs on a [`Subject`] in a [`Context`] and gives a [`Report`].
//!
//! An engine is its options. Beside them it says what it is called, what it needs, and which programs are not for it
//! ([`Registration`], [`Engine::unsuitable`]); [`Engine::run`] checks that, so that no engine has to.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use super::{Answer, Context, SolverFactory};
use regatta_base::options::{DeValue, Options};
use regatta_program::Program;
use regatta_program::block::Blocks;
use regatta_program::interpreter::Executable;
use regatta_solver::SolverError;

/// An engine with its options.
pub trait Engine: Options + Debug + Send + Sync {
    /// Returns its name and capabilities, which do not depend on the options.
    fn registration(&self) -> Registration;

    /// Checks that the options go together.
    ///
    /// # Errors
    /// When they do not, with the reason in words.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Returns why the engine, with these options, leaves the program to others; `None` if it does not.
    fn unsuitable(&self, _subject: &Subject<'_>) -> Option<&'static str> {
        None
    }

    /// Returns what to say of an option, or of a value of it, that the engine had once; `None` of all others.
    fn moved(&self, _option: &str, _value: &DeValue<'_>) -> Option<&'static str> {
        None
    }

    /// Analyses a program that is not unsuitable.
    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report;

    /// Analyses the program if it is one for this engine.
    fn run(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        let recursion = self.registration().recursion;
        let reason = match (recursion, subject.has_recursion()) {
            (Recursion::Excluded, true) => Some("the engine does not handle recursion"),
            (Recursion::Required, false) => Some("the program has no recursion"),
            _ => self.unsuitable(subject),
        };
        match reason {
            Some(reason) => Answer::Unknown(reason.to_owned()).into(),
            None => self.analyse(subject, context),
        }
    }
}

/// The name and the capabilities of an engine.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The name in portfolio files.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Whether it uses a solver, whose options an analysis has then.
    pub has_solver: bool,
    /// The programs that it takes on, by whether they have recursive functions.
    pub recursion: Recursion,
}

/// The programs that an engine takes on, by whether they have recursive functions.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Recursion {
    /// All programs.
    Handled,
    /// Programs without recursion.
    Excluded,
    /// Programs with recursion.
    Required,
}

/// The program that an engine analyses, and what it has for that.
pub struct Subject<'s> {
    /// The simplified program, with its blocks between cut points.
    pub blocks: &'s Arc<Blocks>,
    /// The program before simplification; `None` for a part of a program.
    pub lowered: Option<Lowered<'s>>,
    /// Makes solvers.
    pub solver: &'s SolverFactory<'s>,
    /// Wall time that is left for the run; `None` if it is not limited.
    pub time_left: Option<Duration>,
}

/// A program as lowered.
#[derive(Copy, Clone)]
pub struct Lowered<'s> {
    /// The program.
    pub program: &'s Program,
    /// The same, for the interpreter.
    pub executable: &'s Executable,
    /// The program without what a loose slice has left out ([`regatta_certify::passed_over`]), if the slice is loose.
    pub passed: Option<&'s Program>,
}

/// The reason of the answer "unknown" where an engine needs the program as lowered and its subject is a part of a program.
pub const NOT_LOWERED: &str = "the engine needs the program as lowered";

impl<'s> Subject<'s> {
    /// The simplified program alone, without a limit of time.
    pub fn of(blocks: &'s Arc<Blocks>, solver: &'s SolverFactory<'s>) -> Self {
        Self {
            blocks,
            lowered: None,
            solver,
            time_left: None,
        }
    }

    /// Checks whether it has recursive functions.
    pub fn has_recursion(&self) -> bool {
        self.blocks.inlined().calls().has_recursion()
    }

    /// Returns the time, or what is left if that is less.
    pub fn limited(&self, time: Duration) -> Duration {
        self.time_left.map_or(time, |left| left.min(time))
    }
}

/// What an engine has to say when it ends.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub answer: Answer,
    /// Its statistics, by name.
    pub statistics: Vec<(&'static str, Statistic)>,
}

/// An entry of the statistics of an engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Statistic {
    /// A counter.
    Count(u64),
    /// A rate.
    Rate(f64),
    /// Words.
    Text(String),
}

impl Report {
    /// Adds counters.
    pub fn with_counters(mut self, entries: impl IntoIterator<Item = (&'static str, u64)>) -> Self {
        let entries = entries.into_iter();
        self.statistics
            .extend(entries.map(|(name, count)| (name, Statistic::Count(count))));
        self
    }
}

impl From<Answer> for Report {
    fn from(answer: Answer) -> Self {
        Self {
            answer,
            statistics: Vec::new(),
        }
    }
}

/// Without a solver, an engine knows nothing.
impl From<Result<Answer, SolverError>> for Report {
    fn from(answer: Result<Answer, SolverError>) -> Self {
        let answer = answer.unwrap_or_else(|error| Answer::Unknown(error.to_string()));
        answer.into()
    }
}
