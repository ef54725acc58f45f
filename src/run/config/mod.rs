//! Portfolios: which analyses run, with which options, and how they share the processor.
//!
//! A portfolio is one TOML file, whole. The files in `portfolios/` are compiled in. What a file can say is declared
//! here and beside the engines with [`options!`], which gives documentation, type, default and reader at once.
//!
//! * [`Engine`]: the engines; a new one is a line here and a case in [`super::race`].
//! * [`read`]: from the text to a [`Portfolio`], with messages that point into the text.
//! * [`opening`]: who goes first on what kind of program.
//! * [`settings`]: what a command line changes of a portfolio.
//! * [`explain`]: from a [`Portfolio`] to a text that has every option with its documentation, and can be read again.

mod explain;
pub mod opening;
mod read;
mod settings;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Duration;

use self::opening::Opening;
use regatta_base::options::{Options, nearest};
use regatta_base::{Error, ErrorKind, Place};
use regatta_base::{choice, options};
use regatta_engines::{
    bmc, boxes, ctigar, data_flow, exhaustive, horn, impact, k_induction, predicate,
    predicate_abstraction, simulate, spacer, summaries, unwind,
};
use regatta_solver::{Backend, Encoding, SolverConfig};

/// The analyses of a race with their options.
#[derive(Clone, Debug, PartialEq)]
pub struct Portfolio {
    /// What concerns all of it.
    pub general: General,
    /// How the analyses share the processor.
    pub schedule: Schedule,
    /// Who goes first: the first opening that fits a program is taken.
    pub openings: Vec<Opening>,
    /// The analyses; no two have the same name.
    pub analyses: Vec<Analysis>,
}

options! {
    /// What concerns a portfolio as a whole.
    pub struct General {
        /// What the portfolio is for.
        pub description: String = String::new();
        /// Whether the analyses give one another what they have proved.
        pub sharing: Switch = Switch::On;
        /// Whether there is a prover beside them for what they believe in and do not prove themselves; only if they share.
        pub prover: Switch = Switch::On;
        /// The names of the analyses that take part; if not given, all do.
        pub only: Vec<String> = Vec::new();
        /// Whether the portfolio's openings are followed. If not, the analyses take turns from the beginning.
        pub openings: Switch = Switch::On;
    }
}

/// Whether there is something.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Switch {
    /// There is.
    On,
    /// There is not.
    Off,
}
choice!(Switch: "on" = Self::On, "off" = Self::Off);

options! {
    /// How analyses share the processor.
    pub struct Schedule {
        /// How long the engines that ask no solver are alone, if there are such and they do not end before.
        pub head_start: Duration = Duration::ZERO, in Duration::ZERO..=LONGEST;
        /// An analysis runs this long, and then waits for its next turn if others are waiting.
        pub first_slice: Duration = Duration::from_millis(100), in SHORTEST..=LONGEST;
        /// Each turn is so many times as long as the one before.
        pub growth: f64 = 1.5, in 1.0..=100.0;
        /// No turn is longer.
        pub longest_slice: Duration = Duration::from_secs(2), in SHORTEST..=LONGEST;
    }
}

/// Bounds of times in a schedule.
const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_secs(3600);

/// An analysis of a portfolio.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// What every analysis has.
    pub common: Common,
    /// Its solver, if the engine has one.
    pub solver: Option<SolverOptions>,
    /// What it runs.
    pub engine: Engine,
}

impl Analysis {
    /// Its name in events, messages and crash reports.
    pub fn name(&self) -> &str {
        &self.common.name
    }
}

options! {
    /// What every analysis has.
    pub struct Common {
        /// The name in events and messages; if not given, the engine's.
        pub name: String = String::new();
        /// What it is there for: a generator gives invariants to the others and never answers itself.
        pub role: Role = Role::Prover;
        /// How much of the processor it gets: twice the number, twice the time.
        pub priority: u32 = 10, in 1..=100;
        /// Running time after which it gets a quarter of that: for what finds soon what it finds.
        pub eases_after: Duration = LONGEST, in SHORTEST..=LONGEST;
        /// The analysis, further up, that has to end before this one starts; if not given, it starts at once.
        pub after: String = String::new();
    }
}

/// What an analysis is there for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// An answer.
    Prover,
    /// Invariants for others. When all others have ended, so has the race.
    Generator,
}
choice!(Role: "prover" = Self::Prover, "generator" = Self::Generator);

options! {
    /// The solver of an analysis.
    pub struct SolverOptions {
        /// The SMT solver. yices2 is fast on bit vectors; the second analysis of a portfolio that has it, and those after, have it in
        /// a process of their own. z3 takes the place of others for programs that they do not know the sorts of:
        /// mathematical integers, floats.
        pub solver: Backend = Backend::Z3;
        /// The SMT solver for programs with floats, unless `solver` is one that knows more of them or bit vectors are
        /// integers. bitwuzla is good at floats.
        pub floats: Backend = Backend::Z3;
        /// Another SMT solver, for what `solver` does not answer in half of its time; what it is good at it is asked first. It counts
        /// for programs whose sorts it knows.
        pub second: Option<Backend> = None;
        /// What bit vectors are for the solver: bit vectors, or integers with as little wrap-around as is right. The
        /// latter is for z3.
        pub encoding: Encoding = Encoding::BitVector;
    }
}

impl SolverOptions {
    /// The choice as the solvers' own module has it, for a program without floats.
    pub fn config(&self) -> SolverConfig {
        SolverConfig {
            backend: self.solver,
            encoding: self.encoding,
        }
    }

    /// The same for a program with floats.
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

/// Declares the engines: variant, name in portfolio files, options, whether they have a solver, documentation.
macro_rules! engines {
    ($(
        $(#[doc = $doc:literal])+
        $Variant:ident($Options:ty) = $name:literal $(, $solver:ident)?;
    )+) => {
        /// The engines with their options.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Engine {
            $( $(#[doc = $doc])+ $Variant($Options), )+
        }

        impl Engine {
            /// The names in portfolio files.
            pub const NAMES: &[&str] = &[$($name),+];

            /// The engine with the name and the options' defaults.
            pub fn by_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$Variant(<$Options>::default())),)+
                    _ => None,
                }
            }

            /// The name in portfolio files.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$Variant(_) => $name,)+
                }
            }

            /// What it does, in a sentence.
            pub fn documentation(&self) -> String {
                let lines: &[&str] = match self {
                    $(Self::$Variant(_) => &[$($doc),+],)+
                };
                regatta_base::options::documentation(lines)
            }

            /// Whether it asks a solver.
            pub fn has_solver(&self) -> bool {
                let marks: &[&str] = match self {
                    $(Self::$Variant(_) => &[$(stringify!($solver))?],)+
                };
                !marks.is_empty()
            }

            pub fn options(&self) -> &dyn Options {
                match self {
                    $(Self::$Variant(options) => options,)+
                }
            }

            /// Its options, to be set.
            pub fn options_mut(&mut self) -> &mut dyn Options {
                match self {
                    $(Self::$Variant(options) => options,)+
                }
            }
        }
    };
}

engines! {
    /// The interpreter on boundary, random and mutated inputs.
    Simulation(simulate::Options) = "simulation";
    /// All runs, where inputs have few values that matter.
    Exhaustive(exhaustive::Options) = "exhaustive";
    /// Bounded model checking with the forward condition.
    Bmc(bmc::Options) = "bmc", solver;
    /// Symbolic execution with merging: the program is walked once, its loops to a limit each.
    Unwind(unwind::Options) = "unwind", solver;
    /// Branch and bound over inputs, in interval arithmetic.
    Boxes(boxes::Options) = "boxes";
    /// k-induction; property-directed (KIPDR), if asked for.
    KInduction(k_induction::Options) = "k_induction", solver;
    /// Data-flow invariants, continuously refined, for itself and for others.
    DataFlow(data_flow::Options) = "data_flow", solver;
    /// IC3 on predicates, refined from counterexamples to induction.
    Ctigar(ctigar::Options) = "ctigar", solver;
    /// Lazy predicate abstraction.
    PredicateAbstraction(predicate_abstraction::Options) = "predicate_abstraction", solver;
    /// Lazy abstraction with interpolants.
    Impact(impact::Options) = "impact", solver;
    /// Bounded model checking, k-induction, predicate abstraction, IMPACT or a mixture: the columns of a table as keys.
    Predicate(predicate::Options) = "predicate", solver;
    /// The program's Horn clauses, with summaries of recursive functions, solved by Z3's SPACER.
    Horn(horn::Options) = "horn", solver;
    /// Summaries of recursive functions, guessed from runs and proved by induction over calls.
    Summaries(summaries::Options) = "summaries", solver;
    /// SPACER's automatic abstraction, over bounded under-approximations that Z3's Horn engine solves; without recursion.
    Spacer(spacer::Options) = "spacer", solver;
}

/// The files that are compiled in, by name.
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

impl Portfolio {
    /// The names of the portfolios that are compiled in.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|&(name, _)| name)
    }

    /// The portfolio with the name, or from the file: what ends in `.toml` or has a `/` in it is a file.
    ///
    /// # Errors
    /// When there is none, the file cannot be read, or says what it cannot say.
    pub fn find(name: &str) -> Result<Self, Error> {
        if name.ends_with(".toml") || name.contains('/') {
            return Self::read(Path::new(name));
        }
        match SHIPPED.iter().find(|&&(shipped, _)| shipped == name) {
            Some((name, text)) => Self::parse(&format!("portfolios/{name}.toml"), text),
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

    /// The portfolio in the file.
    ///
    /// # Errors
    /// When it cannot be read, or says what it cannot say.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|error| {
            Error::new(ErrorKind::Unreadable, error.to_string()).at(Place::file(name.as_str()))
        })?;
        Self::parse(&name, &text)
    }
}
