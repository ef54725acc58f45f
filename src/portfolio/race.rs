//! What the analysis process does: load, simplify, analyse, certify.
//!
//! Every answer is checked on the program as lowered before it is reported: an alarm by replay, a proof by its
//! certificate. What the simplifier decides is a claim like an engine's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json};

use super::crash;
use super::engine::{self, Engine};
use super::event::{Reporter, Size, What};
use super::supervisor::{Attempt, RaceEnd};
use super::verdict::{Conclusion, InputValue, Verdict};
use crate::analysis::CancellationToken;
use crate::analysis::exhaustive::{self, Exploration};
use crate::analysis::invariants::InvariantStore;
use crate::analysis::simulate::{self, ReplayOnLowered, SimulationOutcome, simulate_confirmed};
use crate::certify::replay::{Replay, Violation, replay_compiled};
use crate::certify::{Certificate, Check, ProofStep, check};
use crate::frontend::{Error, LoadOptions, Style, load};
use crate::program::interpreter::{AccessChecks, Executable, Journal, Limits};
use crate::program::simplify::{Simplified, simplify, unsimplified};
use crate::program::{CScalar, InputKind, Operation, Program};
use crate::term::Value;

/// The analyses to run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Portfolio {
    /// What a user gets: simulation for a moment, then all engines side by side.
    Default,
    /// Simulation alone.
    Simulate,
    /// Bounded model checking alone.
    Bmc,
    /// k-induction alone.
    KInduction,
    /// Data-flow analysis alone.
    DataFlow,
    /// k-induction with the invariants of the data-flow analysis.
    KInductionDataFlow,
    /// Exhaustive exploration alone.
    Exhaustive,
}

impl Portfolio {
    /// The names, in the order of the variants.
    pub const NAMES: [&str; 7] = [
        "default",
        "simulate",
        "bmc",
        "ki",
        "df",
        "ki-df",
        "exhaustive",
    ];

    /// The portfolio with the name.
    ///
    /// # Errors
    /// A message for the user that lists the names.
    pub fn by_name(name: &str) -> Result<Self, String> {
        match name {
            "default" => Ok(Self::Default),
            "simulate" => Ok(Self::Simulate),
            "bmc" => Ok(Self::Bmc),
            "ki" => Ok(Self::KInduction),
            "df" => Ok(Self::DataFlow),
            "ki-df" => Ok(Self::KInductionDataFlow),
            "exhaustive" => Ok(Self::Exhaustive),
            _ => Err(format!(
                "there is no portfolio `{name}`; there are: {}",
                Self::NAMES.join(", ")
            )),
        }
    }

    /// The engines that race in it.
    fn engines(self) -> &'static [Engine] {
        match self {
            Self::Default => &[
                Engine::Bmc,
                Engine::KInduction,
                Engine::DataFlow,
                Engine::Exhaustive,
            ],
            Self::Simulate => &[],
            Self::Bmc => &[Engine::Bmc],
            Self::KInduction => &[Engine::KInduction],
            Self::DataFlow => &[Engine::DataFlow],
            Self::KInductionDataFlow => &[Engine::KInduction, Engine::DataFlow],
            Self::Exhaustive => &[Engine::Exhaustive],
        }
    }

    /// How long simulation goes first.
    fn simulation(self) -> Duration {
        match self {
            // What it finds, it nearly always finds in half a second.
            Self::Default => Duration::from_millis(700),
            Self::Simulate => simulate::Options::default().time,
            _ => Duration::ZERO,
        }
    }
}

/// What to do in the race.
#[derive(Clone, Debug)]
pub struct RaceOptions {
    /// The C file.
    pub file: PathBuf,
    /// How it is read.
    pub load: LoadOptions,
    /// The analyses.
    pub portfolio: Portfolio,
    /// How messages for the user look.
    pub style: Style,
    /// The wall time of the whole run.
    pub time_limit: Option<Duration>,
}

/// Names of the analyses, for events and for what a crash excludes.
const FRONT_END: &str = "front end";
const SIMPLIFIER: &str = "simplifier";
const SIMULATION: &str = "simulation";
const CHECKER: &str = "proof checker";

/// How long all inputs are explored first.
const EXPLORATION: Duration = Duration::from_millis(250);

/// What came of a short exploration.
enum Brief {
    Decided(Conclusion),
    /// More time would not help.
    Hopeless,
    OutOfTime,
}

/// What the check of a proof may take when there is no time limit.
const CHECK_BUDGET: Duration = Duration::from_secs(60);

/// Runs the race.
pub fn run(options: &RaceOptions, attempt: &Attempt, reporter: &Reporter) -> RaceEnd {
    let lowered = match guarded(reporter, FRONT_END, 1, || load_program(options, reporter)) {
        Some(Ok(lowered)) => lowered,
        Some(Err(error)) => return RaceEnd::Rejected(error.render(options.style)),
        None => return RaceEnd::Concluded(Conclusion::unknown("internal error in the front end")),
    };
    let simplified = guarded(reporter, SIMPLIFIER, 2, || {
        reporter.phase("simplify", || simplify(&lowered))
    });
    let Some(simplified) = simplified else {
        return RaceEnd::Concluded(Conclusion::unknown("internal error in the simplifier"));
    };
    reporter.event(What::Finished {
        analysis: SIMPLIFIER.to_owned(),
        outcome: simplified.statistics.to_string(),
        statistics: Map::new(),
    });
    reporter.event(What::Program {
        lowered: size(&lowered),
        simplified: size(&simplified.program),
        unsupported: unsupported(&simplified.program).count(),
    });
    let mut race = Race {
        options: options.clone(),
        reporter: reporter.clone(),
        executable: Executable::compile(&lowered),
        lowered,
        simplified,
        invariants: InvariantStore::new(),
    };
    if race.simplified.is_safe() {
        match race.simplifier_decides() {
            Some(conclusion) => return RaceEnd::Concluded(conclusion),
            // Whatever it knew, it cannot be checked: the engines get the program without it.
            None => race.simplified = unsimplified(&race.lowered),
        }
    }
    RaceEnd::Concluded(Arc::new(race).run(attempt))
}

/// Runs a part of the work; a panic in it is reported, and costs that part alone.
pub(super) fn guarded<T>(
    reporter: &Reporter,
    analysis: &str,
    id: u32,
    work: impl FnOnce() -> T,
) -> Option<T> {
    reporter.event(What::Started {
        analysis: analysis.to_owned(),
        id,
    });
    crash::attribute_thread(id);
    let result = catch_unwind(AssertUnwindSafe(work));
    crash::attribute_thread(0);
    match result {
        Ok(value) => Some(value),
        Err(panic) => {
            let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
                (Some(text), _) => (*text).to_owned(),
                (_, Some(text)) => text.clone(),
                _ => "no message".to_owned(),
            };
            reporter.event(What::Panicked {
                analysis: analysis.to_owned(),
                message,
            });
            None
        }
    }
}

fn load_program(options: &RaceOptions, reporter: &Reporter) -> Result<Program, Error> {
    let loaded = load(&options.file, &options.load)?;
    for (name, time) in &loaded.phases {
        reporter.event(What::Phase {
            name: (*name).to_owned(),
            seconds: time.as_secs_f64(),
        });
    }
    for warning in loaded.warnings {
        let place = loaded.program.sources.describe(warning.span);
        reporter.event(What::Warning {
            message: format!("{place}: {}", warning.message),
        });
    }
    Ok(loaded.program)
}

pub(super) struct Race {
    pub options: RaceOptions,
    pub reporter: Reporter,
    pub lowered: Program,
    pub executable: Executable,
    pub simplified: Simplified,
    pub invariants: InvariantStore,
}

impl Race {
    fn run(self: Arc<Self>, attempt: &Attempt) -> Conclusion {
        let portfolio = self.options.portfolio;
        let takes_part = |name: &str| !attempt.excluded.iter().any(|excluded| excluded == name);
        let mut engines = portfolio.engines().to_vec();
        if portfolio.simulation() > Duration::ZERO
            && takes_part(Engine::Exhaustive.name())
            && let Some(answer) = guarded(
                &self.reporter,
                Engine::Exhaustive.name(),
                Engine::Exhaustive.id(),
                || self.explore_briefly(),
            )
        {
            match answer {
                Brief::Decided(conclusion) => return conclusion,
                // It would not get any further.
                Brief::Hopeless => engines.retain(|engine| *engine != Engine::Exhaustive),
                Brief::OutOfTime => {}
            }
        }
        if portfolio.simulation() > Duration::ZERO
            && takes_part(SIMULATION)
            && let Some(Some(conclusion)) =
                guarded(&self.reporter, SIMULATION, 3, || self.simulate())
        {
            return conclusion;
        }
        engines.retain(|engine| takes_part(engine.name()));
        if let Some(conclusion) = engine::race(&self, &engines) {
            return conclusion;
        }
        match unsupported(&self.simplified.program).next() {
            Some((place, reason)) => Conclusion::unknown(format!(
                "{reason} is not supported, {}",
                self.lowered.sources.describe(place)
            )),
            None => Conclusion::unknown("no analysis found an answer"),
        }
    }

    /// The answer, if no target is left and that passes its check.
    fn simplifier_decides(&self) -> Option<Conclusion> {
        let certificate = Certificate {
            steps: vec![ProofStep::Simplified],
        };
        let check = || self.certified(SIMPLIFIER, &certificate);
        guarded(&self.reporter, CHECKER, 4, check).flatten()
    }

    /// Explores all inputs for a moment, as the first of all: what has few runs needs no other analysis.
    fn explore_briefly(&self) -> Brief {
        let options = exhaustive::Options {
            time: EXPLORATION,
            ..exhaustive::Options::default()
        };
        let name = Engine::Exhaustive.name();
        let exploration =
            exhaustive::explore(&self.executable, &options, &CancellationToken::new());
        let (outcome, brief) = match exploration {
            Exploration::Complete(statistics) => {
                (statistics.to_string(), Brief::Decided(proved(name)))
            }
            Exploration::Alarm(alarm) => {
                match replay_compiled(&self.executable, &alarm, Limits::default()) {
                    Replay::Confirmed(violation) => {
                        let conclusion = self.violated(name, &violation);
                        ("found a violation".to_owned(), Brief::Decided(conclusion))
                    }
                    Replay::NotConfirmed(reason) => (reason.to_string(), Brief::Hopeless),
                }
            }
            Exploration::OutOfTime => ("has more to see".to_owned(), Brief::OutOfTime),
            Exploration::GivenUp(reason) => (reason, Brief::Hopeless),
        };
        self.reporter.event(What::Finished {
            analysis: name.to_owned(),
            outcome,
            statistics: Map::new(),
        });
        brief
    }

    fn simulate(&self) -> Option<Conclusion> {
        let mut options = simulate::Options {
            time: self.options.portfolio.simulation(),
            ..simulate::Options::default()
        };
        if let Some(limit) = self.options.time_limit {
            // As the only analysis, it may have most of the time.
            let left = limit.saturating_sub(self.reporter.started().elapsed());
            options.time = options.time.min(left.mul_f64(0.9));
        }
        // The simplifier drops what tells when an object in memory begins and ends.
        options.accesses = AccessChecks::SingleObjects;
        let mut confirm = ReplayOnLowered::new(&self.executable);
        let token = CancellationToken::new();
        let simulation =
            simulate_confirmed(&self.simplified.program, &options, &token, &mut confirm);
        let statistics = &simulation.statistics;
        let mut counters = Map::new();
        counters.insert("runs".into(), Json::from(statistics.runs));
        counters.insert("steps".into(), Json::from(statistics.steps));
        counters.insert(
            "steps_per_second".into(),
            Json::from(statistics.steps_per_second().round()),
        );
        counters.insert("edges_covered".into(), Json::from(statistics.edges_covered));
        counters.insert("edges".into(), Json::from(statistics.edges));
        counters.insert("rejected_alarms".into(), Json::from(statistics.rejected));
        if let Some(reason) = &statistics.first_rejection {
            counters.insert("first_rejection".into(), Json::from(reason.clone()));
        }
        let (outcome, conclusion) = match (&simulation.outcome, &confirm.violation) {
            (SimulationOutcome::Unsafe(_), Some(violation)) => {
                let conclusion = self.violated(SIMULATION, violation);
                ("found a violation".to_owned(), Some(conclusion))
            }
            (SimulationOutcome::OnlyRun { steps }, _) => {
                let outcome = format!("has seen the only run, of {steps} steps");
                (outcome, Some(proved(SIMULATION)))
            }
            _ => ("found no violation".to_owned(), None),
        };
        let what = What::Finished {
            analysis: SIMULATION.to_owned(),
            outcome,
            statistics: counters,
        };
        self.reporter.event(what);
        conclusion
    }

    /// The answer that a proof is, if it passes its check on the program as lowered.
    pub fn certified(&self, analysis: &str, certificate: &Certificate) -> Option<Conclusion> {
        let begin = Instant::now();
        let budget = self.time_left().unwrap_or(CHECK_BUDGET);
        let result = check(&self.lowered, &self.simplified, certificate, budget, None);
        let outcome = match &result {
            Check::Confirmed => "confirmed".to_owned(),
            Check::Refuted(reason) => format!("refuted: {reason}"),
            Check::Undecided(reason) => format!("undecided: {reason}"),
        };
        self.reporter.event(What::Certified {
            analysis: analysis.to_owned(),
            outcome,
            seconds: begin.elapsed().as_secs_f64(),
        });
        match result {
            Check::Confirmed => Some(proved(analysis)),
            Check::Refuted(reason) => {
                self.reporter.event(What::Refuted {
                    analysis: analysis.to_owned(),
                    reason,
                });
                None
            }
            Check::Undecided(_) => None,
        }
    }

    /// What is left of the time limit, if there is one.
    pub fn time_left(&self) -> Option<Duration> {
        let elapsed = self.reporter.started().elapsed();
        self.options
            .time_limit
            .map(|limit| limit.saturating_sub(elapsed))
    }

    /// The answer that a confirmed violation is.
    pub fn violated(&self, analysis: &str, violation: &Violation) -> Conclusion {
        let place = self.lowered.location(violation.location).span;
        Conclusion {
            verdict: Verdict::False,
            analysis: Some(analysis.to_owned()),
            inputs: describe_inputs(&self.lowered, &violation.inputs),
            place: Some(self.lowered.sources.describe(place)),
        }
    }
}

/// The answer that a confirmed proof is.
pub(super) fn proved(analysis: &str) -> Conclusion {
    Conclusion {
        verdict: Verdict::True,
        analysis: Some(analysis.to_owned()),
        inputs: Vec::new(),
        place: None,
    }
}

fn size(program: &Program) -> Size {
    Size {
        functions: program.functions.len(),
        locations: program.locations.len(),
        edges: program.edges.len(),
        variables: program.variables.len(),
    }
}

/// The places that are not supported, with the reasons.
fn unsupported(program: &Program) -> impl Iterator<Item = (crate::program::Span, &str)> {
    program
        .edges
        .iter()
        .filter_map(|edge| match edge.operations.last() {
            Some(Operation::Unsupported(reason)) => Some((edge.span, reason.0.as_str())),
            _ => None,
        })
}

/// The inputs of a run as the user sees them; choices of the memory model are none of the user's.
fn describe_inputs(program: &Program, journal: &Journal) -> Vec<InputValue> {
    let shown = journal.entries.iter().filter_map(|(id, value)| {
        let input = program.inputs.get(id.index())?;
        let source = match &input.kind {
            InputKind::Nondet(function) => format!("{function}()"),
            InputKind::Uninitialised => "uninitialised".to_owned(),
            InputKind::Unknown(what) => what.clone(),
            InputKind::MemoryModel => return None,
        };
        if value.as_array().is_some() {
            return None;
        }
        Some(InputValue {
            source,
            place: program.sources.describe(input.span),
            value: describe_value(value, input.c_type),
        })
    });
    shown.collect()
}

fn describe_value(value: &Value, c_type: Option<CScalar>) -> String {
    match (value, c_type) {
        (Value::BitVec(bits), Some(CScalar::Integer { signed: true, .. })) => {
            bits.signed().to_string()
        }
        (Value::BitVec(bits), _) => bits.bits().to_string(),
        (Value::Bool(truth), _) => u8::from(*truth).to_string(),
        (Value::Int(number), _) => number.to_string(),
        (Value::Float(float), _) => float.to_string(),
        (Value::Array(_), _) => "…".to_owned(),
    }
}
