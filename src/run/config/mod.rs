//! Portfolios: the analyses of a run, their options, and how they share the processor.
//!
//! A portfolio is one TOML file. The files in `portfolios/` are compiled in. The options are declared
//! here and beside the engines with [`options!`], which gives documentation, type, default and reader at once.
//!
//! * [`read`]: parses a file to a [`Portfolio`], with messages that point into the text.
//! * [`opening`]: the first turns of the analyses, by features of the program.
//! * [`settings`]: changes of a portfolio by the command line.
//! * [`papers`]: the configurations of papers.
//! * [`explain`]: prints a [`Portfolio`] with every option and its documentation, as a file that can be read again.

mod explain;
pub mod opening;
mod papers;
mod read;
mod settings;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Duration;

use self::opening::Opening;
use regatta_base::options::nearest;
use regatta_base::{Error, ErrorKind, Place};
use regatta_base::{choice, options};
use regatta_engines::AnyEngine;
use regatta_sharing::Kinds;
use regatta_solver::{Backend, Encoding, SolverConfig};

/// The analyses of a race with their options.
#[derive(Clone, Debug, PartialEq)]
pub struct Portfolio {
    /// The options of the portfolio as a whole.
    pub general: General,
    /// The rules by which the analyses share the processor.
    pub schedule: Schedule,
    /// The openings; the first that fits a program is used.
    pub openings: Vec<Opening>,
    /// The analyses; no two have the same name.
    pub analyses: Vec<Analysis>,
}

options! {
    /// The options of a portfolio as a whole.
    pub struct General {
        /// The purpose of the portfolio.
        pub description: String = String::new();
        /// Whether analyses share the invariants that they have proved, and messages of all other kinds.
        pub sharing: Switch = Switch::On;
        /// Whether a further thread tries to prove the candidate invariants that analyses offer; only with `sharing`.
        pub prover: Switch = Switch::On;
        /// Whether that thread also looks which targets the shared invariants exclude by themselves, and answers if these are all;
        /// only with `prover`.
        pub closing_check: Switch = Switch::On;
        /// Whether analyses share predicates, which need no proof; only with `sharing`.
        pub share_predicates: Switch = Switch::On;
        /// Whether analyses share how far the program was unrolled without an error; only with `sharing`.
        pub share_bounds: Switch = Switch::On;
        /// Whether analyses share runs and the states that these reach, which refute candidates; only with `sharing`.
        pub share_states: Switch = Switch::On;
        /// Whether the program is simplified before the analyses. If not, they get it statement by statement, as written.
        pub simplifier: Switch = Switch::On;
        /// The names of the analyses that run; if not given, all do.
        pub only: Vec<String> = Vec::new();
        /// Whether the portfolio's openings are used. If not, the analyses take equal turns from the beginning.
        pub openings: Switch = Switch::On;
    }
}

impl General {
    /// The kinds of messages, other than invariants and candidates, that analyses exchange.
    pub fn kinds(&self) -> Kinds {
        let is_on = |switch| self.sharing == Switch::On && switch == Switch::On;
        Kinds {
            predicates: is_on(self.share_predicates),
            bounded: is_on(self.share_bounds),
            reached: is_on(self.share_states),
        }
    }
}

/// The value of an option that is on or off.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}
choice!(Switch: "on" = Self::On, "off" = Self::Off);

options! {
    /// The rules by which analyses share the processor.
    pub struct Schedule {
        /// Time for which only the engines without a solver run, unless they end before.
        pub head_start: Duration = Duration::ZERO, in Duration::ZERO..=MAXIMUM_TIME;
        /// Length of an analysis's first turn, after which it waits for its next turn if others are waiting.
        pub first_slice: Duration = Duration::from_millis(100), in MINIMUM_TIME..=MAXIMUM_TIME;
        /// Factor by which each turn is longer than the one before.
        pub growth: f64 = 1.5, in 1.0..=100.0;
        /// Maximum length of a turn.
        pub longest_slice: Duration = Duration::from_secs(2), in MINIMUM_TIME..=MAXIMUM_TIME;
    }
}

/// The range of times in a schedule.
const MINIMUM_TIME: Duration = Duration::from_millis(1);
const MAXIMUM_TIME: Duration = Duration::from_secs(3600);

/// An analysis of a portfolio.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The options that every analysis has.
    pub common: Common,
    /// The options of its solver, if the engine has one.
    pub solver: Option<SolverOptions>,
    /// The engine with its options.
    pub engine: AnyEngine,
}

impl Analysis {
    /// Returns its name in events, messages and crash reports.
    pub fn name(&self) -> &str {
        &self.common.name
    }

    /// Checks whether its engine uses a solver.
    pub fn has_solver(&self) -> bool {
        self.engine.registration().has_solver
    }
}

options! {
    /// The options that every analysis has.
    pub struct Common {
        /// The name in events and messages; if not given, the engine's.
        pub name: String = String::new();
        /// Role of the analysis: a generator provides invariants for the others and never answers itself.
        pub role: Role = Role::Prover;
        /// Weight of the analysis: its turns are proportional to it.
        pub priority: u32 = 10, in 1..=100;
        /// Running time after which its turns are a quarter as long: for analyses that mostly succeed early.
        pub eases_after: Duration = MAXIMUM_TIME, in MINIMUM_TIME..=MAXIMUM_TIME;
        /// Name of an earlier analysis in the file that has to end before this one starts; if not given, it starts at once.
        pub after: String = String::new();
    }
}

/// The role of an analysis.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// It may answer.
    Prover,
    /// It generates invariants for others and never answers. The race ends when only generators are left,
    /// unless the portfolio has a closing check.
    Generator,
}
choice!(Role: "prover" = Self::Prover, "generator" = Self::Generator);

options! {
    /// The solver of an analysis.
    pub struct SolverOptions {
        /// The SMT solver. yices2 is fast on bit vectors; all analyses but the first that has it run it in a process of
        /// their own. z3 replaces a solver that does not support the program's sorts: mathematical integers, floats.
        pub solver: Backend = Backend::Z3;
        /// The SMT solver for programs with floats if `solver` is z3 or yices2 and the encoding is by bit vectors. bitwuzla
        /// is good at floats.
        pub floats: Backend = Backend::Z3;
        /// A further SMT solver for queries that `solver` does not answer in half of its time; it gets the queries that it
        /// is good at first. It is used for programs whose sorts it supports.
        pub second: Option<Backend> = None;
        /// The encoding of bit vectors: as bit vectors, or as integers with wrap-around only where it may occur. The
        /// latter needs z3.
        pub encoding: Encoding = Encoding::BitVector;
    }
}

impl SolverOptions {
    /// Returns the solver's configuration for a program without floats.
    pub fn config(&self) -> SolverConfig {
        SolverConfig {
            backend: self.solver,
            encoding: self.encoding,
        }
    }

    /// Returns the solver's configuration for a program with floats.
    pub fn config_for_floats(&self) -> SolverConfig {
        SolverConfig {
            backend: match (self.solver, self.encoding) {
                (Backend::Z3 | Backend::Yices2, Encoding::BitVector) => self.floats,
                _ => self.solver,
            },
            encoding: self.encoding,
        }
    }
}

/// The portfolio files that are compiled in, by name.
const SHIPPED: &[(&str, &str)] = &[
    ("default", include_str!("../../../portfolios/default.toml")),
    ("svcomp", include_str!("../../../portfolios/svcomp.toml")),
    (
        "simulate",
        include_str!("../../../portfolios/simulate.toml"),
    ),
    (
        "exhaustive",
        include_str!("../../../portfolios/exhaustive.toml"),
    ),
    ("boxes", include_str!("../../../portfolios/boxes.toml")),
    ("bmc", include_str!("../../../portfolios/bmc.toml")),
    ("unwind", include_str!("../../../portfolios/unwind.toml")),
    ("ki", include_str!("../../../portfolios/ki.toml")),
    ("ki-df", include_str!("../../../portfolios/ki-df.toml")),
    ("df", include_str!("../../../portfolios/df.toml")),
    ("states", include_str!("../../../portfolios/states.toml")),
    ("fits", include_str!("../../../portfolios/fits.toml")),
    ("objects", include_str!("../../../portfolios/objects.toml")),
    (
        "polynomials",
        include_str!("../../../portfolios/polynomials.toml"),
    ),
    ("kipdr", include_str!("../../../portfolios/kipdr.toml")),
    (
        "ki-kipdr",
        include_str!("../../../portfolios/ki-kipdr.toml"),
    ),
    (
        "ki-df-kipdr",
        include_str!("../../../portfolios/ki-df-kipdr.toml"),
    ),
    (
        "predicate-abstraction",
        include_str!("../../../portfolios/predicate-abstraction.toml"),
    ),
    (
        "predicate-abstraction-kipdr",
        include_str!("../../../portfolios/predicate-abstraction-kipdr.toml"),
    ),
    ("impact", include_str!("../../../portfolios/impact.toml")),
    ("ufo", include_str!("../../../portfolios/ufo.toml")),
    ("horn", include_str!("../../../portfolios/horn.toml")),
    (
        "summaries",
        include_str!("../../../portfolios/summaries.toml"),
    ),
    ("spacer", include_str!("../../../portfolios/spacer.toml")),
    (
        "spacer-variables",
        include_str!("../../../portfolios/spacer-variables.toml"),
    ),
    ("ctigar", include_str!("../../../portfolios/ctigar.toml")),
    ("vvt", include_str!("../../../portfolios/vvt.toml")),
    (
        "ic3-noopt",
        include_str!("../../../portfolios/ic3-noopt.toml"),
    ),
    ("ic3-c", include_str!("../../../portfolios/ic3-c.toml")),
    ("ic3-cg", include_str!("../../../portfolios/ic3-cg.toml")),
    ("ic3-cr", include_str!("../../../portfolios/ic3-cr.toml")),
    ("ic3-cgr", include_str!("../../../portfolios/ic3-cgr.toml")),
    ("ic3-crl", include_str!("../../../portfolios/ic3-crl.toml")),
    (
        "ic3-cgrl",
        include_str!("../../../portfolios/ic3-cgrl.toml"),
    ),
];

/// Returns the portfolios that are compiled in, with their texts.
fn shipped() -> impl Iterator<Item = (&'static str, &'static str)> {
    SHIPPED.iter().chain(papers::SHIPPED).copied()
}

impl Portfolio {
    /// Returns the names of the portfolios that are compiled in.
    pub fn names() -> impl Iterator<Item = &'static str> {
        shipped().map(|(name, _)| name)
    }

    /// Returns the portfolio with the name or from the file: another name that ends in `.toml` or contains a `/` is a file.
    ///
    /// # Errors
    /// When there is none, or the file cannot be read or is invalid.
    pub fn find(name: &str) -> Result<Self, Error> {
        match shipped().find(|&(shipped, _)| shipped == name) {
            Some((name, text)) => Self::parse(&format!("portfolios/{name}.toml"), text),
            None if name.ends_with(".toml") || name.contains('/') => Self::read(Path::new(name)),
            None => {
                let names: Vec<&str> = Self::names().collect();
                let error = Error::new(
                    ErrorKind::Portfolio,
                    format!("there is no `{name}`; there are {}", names.join(", ")),
                );
                Err(match nearest(name, Self::names()) {
                    Some(near) => error.with_help(format!("did you mean `{near}`?")),
                    None => error.with_help("a file's name ends in .toml".to_owned()),
                })
            }
        }
    }

    /// Reads the portfolio from the file.
    ///
    /// # Errors
    /// When the file cannot be read or is invalid.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|error| {
            Error::new(ErrorKind::Unreadable, error.to_string()).at(Place::file(name.as_str()))
        })?;
        Self::parse(&name, &text)
    }
}
