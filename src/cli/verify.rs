//! `regatta verify`: the supervisor with its limits around the pipeline, events to where the user wants them, one RESULT
//! line.

use std::io::Write;
use std::time::{Duration, Instant};

use super::options::{CheckOption, VerifyOptions};
use super::progress::{self, Progress};
use super::{EXIT_INPUT, complain, input};
use crate::portfolio::config::Portfolio;
use crate::portfolio::event::{Event, EventKind};
use crate::portfolio::ledger::AssumptionPolicy;
use crate::portfolio::pipeline;
use crate::portfolio::supervisor::{EarlyLimits, Limits, Outcome, supervise};
use crate::portfolio::task::RunOptions;
use crate::portfolio::verdict::{Conclusion, Verdict};

/// Runs the command; returns the exit code.
pub fn run(started: Instant, options: &VerifyOptions) -> u8 {
    let time_limit = options.time_limit.map(Duration::from_secs_f64);
    let mut limits = Limits {
        wall: time_limit,
        cpu: options.cpu_limit.map(Duration::from_secs_f64),
        memory: options.memory_limit,
        tell_resources: None,
    };
    let early = EarlyLimits::new(&limits);
    let (file, mut load_options) = match input::resolve(&options.input) {
        Ok(input) => input,
        Err(message) => {
            complain(&message);
            return EXIT_INPUT;
        }
    };
    let portfolio = match Portfolio::find(&options.portfolio) {
        Ok(portfolio) => portfolio,
        Err(error) => {
            complain(&error.render(input::style()));
            return EXIT_INPUT;
        }
    };
    let assumptions = match options {
        options if options.strict => AssumptionPolicy::Strict,
        options if options.json || options.verbose => AssumptionPolicy::Reported,
        _ => AssumptionPolicy::Ignored,
    };
    load_options.all_assumptions = assumptions != AssumptionPolicy::Ignored;
    drop(early);
    // Both could be for the same terminal.
    let progress = (!options.json).then(|| Progress::new(&portfolio)).flatten();
    let run_options = RunOptions {
        file,
        load: load_options,
        portfolio,
        style: input::style(),
        is_thorough: options.check == CheckOption::Thorough,
        time_limit,
        threads: options.threads.map(usize::from),
        dump: options.dump.clone(),
        assumptions,
    };
    limits.tell_resources = progress.as_ref().map(|_| progress::INTERVAL);
    let mut output = Output {
        json: options.json,
        verbose: options.verbose,
        progress,
    };
    let supervised = supervise(
        started,
        limits,
        &mut |event| output.event(event),
        &|attempt, reporter| pipeline::run(&run_options, attempt, reporter),
    );
    let (conclusion, remains) = match supervised {
        Ok((Outcome::Concluded(conclusion), remains)) => (conclusion, Some(remains)),
        Ok((Outcome::Rejected(text), remains)) => {
            output.complain(&text);
            remains.collect();
            return EXIT_INPUT;
        }
        Err(error) => {
            let reason = format!("the system refused the analysis process: {error}");
            (Conclusion::unknown(reason), None)
        }
    };
    output.event(&Event {
        time: started.elapsed().as_secs_f64(),
        kind: EventKind::Concluded(conclusion.clone()),
    });
    let code = print_result(&conclusion.verdict);
    if let Some(remains) = remains {
        remains.collect();
    }
    code
}

/// Prints the RESULT line; returns the exit code that goes with it.
fn print_result(verdict: &Verdict) -> u8 {
    let mut stdout = std::io::stdout().lock();
    // Nobody may be reading any more; the exit code still tells.
    let _ = writeln!(stdout, "{verdict}");
    let _ = stdout.flush();
    verdict.exit_code()
}

/// Where events go.
struct Output {
    json: bool,
    verbose: bool,
    progress: Option<Progress>,
}

impl Output {
    fn event(&mut self, event: &Event) {
        if self.json
            && let Ok(line) = serde_json::to_string(event)
        {
            let _ = writeln!(std::io::stdout().lock(), "{line}");
        }
        match &event.kind {
            EventKind::Warning { message } => self.complain(&format!("warning: {message}")),
            EventKind::Panicked { analysis, message } => {
                self.complain(&format!("internal error: {analysis} panicked: {message}"))
            }
            EventKind::Refuted { analysis, reason } => {
                self.complain(&format!(
                    "internal error: an answer of {analysis} did not pass its check: {reason}"
                ));
            }
            EventKind::Crashed { analysis, reason } => match analysis {
                Some(analysis) => {
                    self.complain(&format!("{reason} (in {analysis}); going on without it"))
                }
                None => self.complain(reason),
            },
            EventKind::Resources { .. } => {}
            _ if self.verbose => self.complain(&describe(event)),
            _ => {}
        }
        if let Some(progress) = &mut self.progress {
            progress.event(event);
        }
    }

    /// A message on standard error, above the progress display if there is one.
    fn complain(&self, message: &str) {
        match &self.progress {
            Some(progress) => progress.above(|| complain(message)),
            None => complain(message),
        }
    }
}

/// An event as a line of the log.
fn describe(event: &Event) -> String {
    let text = match &event.kind {
        EventKind::Phase { name, seconds } => format!("{name}: {:.1} ms", seconds * 1e3),
        EventKind::Program {
            lowered,
            simplified,
            unsupported,
        } => format!(
            "program: {} locations, {} edges, {} variables; simplified to {}, {}, {}; {unsupported} unsupported edges",
            lowered.locations,
            lowered.edges,
            lowered.variables,
            simplified.locations,
            simplified.edges,
            simplified.variables,
        ),
        EventKind::Started { analysis, .. } => format!("{analysis} starts"),
        EventKind::Finished {
            analysis,
            outcome,
            statistics,
        } => {
            let statistics: Vec<String> = statistics
                .iter()
                .map(|(name, value)| format!("{name} {value}"))
                .collect();
            let counters = match statistics.as_slice() {
                [] => String::new(),
                counters => format!(" ({})", counters.join(", ")),
            };
            format!("{analysis}: {outcome}{counters}")
        }
        EventKind::Concluded(conclusion) => {
            let mut text = match &conclusion.analysis {
                Some(analysis) => format!("answered by {analysis}"),
                None => "no answer".to_owned(),
            };
            if let Some(place) = &conclusion.place {
                text.push_str(&format!("; error at {place}"));
            }
            for input in &conclusion.inputs {
                text.push_str(&format!(
                    "\n            {}: {} = {}",
                    input.place, input.source, input.value
                ));
            }
            for assumption in &conclusion.assumptions {
                text.push_str(&format!(
                    "\n            assumed at {}: {}",
                    assumption.place, assumption.what
                ));
            }
            text
        }
        EventKind::Bound { analysis, bound } => format!("{analysis}: bound {bound}"),
        EventKind::Refinement {
            analysis,
            number,
            states,
        } => format!("{analysis}: refinement {number}, {states} abstract states"),
        EventKind::Invariants {
            analysis,
            round,
            proved,
            total,
        } => {
            format!("{analysis}: {round}: {proved} new invariants, {total} in all")
        }
        EventKind::Relied {
            analysis,
            publisher,
            invariants,
        } => format!("{analysis}: relies on {invariants} invariants of {publisher}"),
        EventKind::Withdrawn { batches } => {
            format!("{batches} batches of invariants are withdrawn")
        }
        EventKind::LeftAside { analysis, reason } => {
            format!("{analysis}: left a target aside: {reason}")
        }
        EventKind::Abstracted {
            analysis,
            basis,
            bound,
            kept,
            all,
        } => format!(
            "{analysis}: {kept} of {all} constraints, from a {basis} for {bound} iterations"
        ),
        EventKind::Certified {
            analysis,
            outcome,
            seconds,
        } => format!("proof of {analysis}: {outcome} ({:.1} ms)", seconds * 1e3),
        EventKind::Resources { memory, cpu } => format!("{memory} MiB, CPU {cpu:.1} s"),
        EventKind::Warning { message: text }
        | EventKind::Panicked { message: text, .. }
        | EventKind::Refuted { reason: text, .. }
        | EventKind::Crashed { reason: text, .. } => text.clone(),
    };
    format!("[{:9.3} s] {text}", event.time)
}
