//! `regatta verify`: runs the pipeline under the supervisor, passes events to the outputs, and prints the RESULT line.

use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::functions;
use crate::input::Input;
use crate::options::{CheckOption, ReplayOption, VerifyOptions};
use crate::output::explain::{self, RunSummary, render_memory, render_path};
use crate::output::progress::{self, Progress};
use crate::output::reports::Reports;
use crate::output::{check_table, checks, selection};
use crate::{EXIT_INPUT, complain, complain_rendered, input, try_print};
use regatta_base::printable::{printable, printable_json};
use regatta_frontend::{LoadOptions, Specification};
use regatta_report::error_path::trace;
use regatta_report::{Ending, witness};
use regatta_run::check::{CheckRow, CheckVerdict};
use regatta_run::config::Portfolio;
use regatta_run::error_path::{Detail, WantedPath};
use regatta_run::event::{Event, EventKind, Reporter};
use regatta_run::evidence::{Evidence, Publisher};
use regatta_run::options::{
    AlarmOptions, AssumptionPolicy, JudgeOptions, Limits, RaceOptions, RecordOptions, RunOptions,
    TaskOptions, Validation,
};
use regatta_run::supervisor::{Attempt, EarlyLimits, Outcome, RaceEnd, Supervisor, supervise};
use regatta_run::verdict::{Conclusion, Verdict};
use regatta_run::{pipeline, rounds, turns};

/// Runs the command; returns the exit code.
pub fn run(started: Instant, options: &VerifyOptions) -> u8 {
    if options.all_functions {
        return functions::run(options);
    }
    run_with(started, options, || {
        let Input {
            file,
            load,
            withholds_unknown,
            warnings,
        } = input::resolve(&options.input)?;
        Ok(Job {
            file,
            load,
            withholds_unknown,
            validation: None,
            with_witness: None,
            warnings,
            judge: Box::new(|conclusion| conclusion),
        })
    })
}

/// A program to be verified.
pub(super) struct Job {
    pub file: PathBuf,
    pub load: LoadOptions,
    /// Whether an alarm does not count that rests on a function that no file defines.
    pub withholds_unknown: bool,
    /// The witness with which the program was instrumented, if it was.
    pub validation: Option<Validation>,
    /// The text of the program with the witness in it, if some questions are asked about the program alone.
    pub with_witness: Option<Arc<[u8]>>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Translates the answer about the program to the command's answer.
    pub judge: Box<dyn Fn(Conclusion) -> Conclusion>,
}

/// Verifies the job's program with the options, except those about the input; returns the exit code.
pub(super) fn run_with(
    started: Instant,
    options: &VerifyOptions,
    job: impl FnOnce() -> Result<Job, String>,
) -> u8 {
    let time_limit = options.limits.time_limit.map(Duration::from_secs_f64);
    let mut limits = Limits {
        wall: time_limit,
        cpu: options.limits.cpu_limit.map(Duration::from_secs_f64),
        memory: options.limits.memory_limit,
        tell_resources: None,
        ..Limits::default()
    };
    let early = EarlyLimits::new(&limits);
    let Job {
        file,
        load: mut load_options,
        withholds_unknown,
        validation,
        with_witness,
        warnings,
        judge,
    } = match job() {
        Ok(job) => job,
        Err(message) => {
            complain_rendered(&message);
            return EXIT_INPUT;
        }
    };
    if load_options.entry.is_some()
        && (options.witness.is_some()
            || options.harness.is_some()
            || options.replay != ReplayOption::Interpreter)
    {
        complain(
            "error: witnesses, harnesses and compiled runs begin in `main`, not in --function",
        );
        return EXIT_INPUT;
    }
    if let Err(message) = checks::probe(options, &file) {
        complain(&message);
        return EXIT_INPUT;
    }
    let portfolio = match Portfolio::find_with(&options.portfolio, &options.set) {
        Ok(portfolio) => portfolio,
        Err(error) => {
            complain_rendered(&error.render(input::style()));
            return EXIT_INPUT;
        }
    };
    let reports = Reports::wanted(options);
    let assumptions = match options {
        options if options.strict => AssumptionPolicy::Strict,
        options if options.json || options.verbose || reports.is_some() => {
            AssumptionPolicy::Reported
        }
        _ => AssumptionPolicy::Ignored,
    };
    load_options.all_assumptions = assumptions != AssumptionPolicy::Ignored;
    drop(early);
    // Folders are made here, because the analysis process may be killed before it could remove them.
    let folder = || tempfile::Builder::new().prefix("regatta-").tempdir().ok();
    let native_folder = (options.replay != ReplayOption::Interpreter)
        .then(folder)
        .flatten();
    // What is written by an answer about all checks is not made of answers about parts of them.
    let is_divisible = validation.is_none()
        && options.certificate.is_none()
        && options.witness.is_none()
        && options.dump.is_none();
    let decides_each = options.all || !options.only.is_empty();
    let has_races = decides_each || is_divisible;
    let races_folder = (has_races && options.keep_invariants.is_none())
        .then(folder)
        .flatten();
    let explains = options.verbose || std::io::stderr().is_terminal();
    // The command about a witness says itself what its answer means, and the text that is verified has other columns.
    let tells = validation.is_none();
    // Events and the display could go to the same terminal.
    let progress = (!options.json).then(|| Progress::new(&portfolio)).flatten();
    let path_detail = match options.verbose && !options.json {
        true => Some(Detail::Whole),
        false => (options.json || explains || reports.is_some()).then_some(Detail::Folded),
    };
    let run_options = RunOptions {
        task: TaskOptions {
            file,
            load: load_options,
            withholds_unknown,
            validation,
            with_witness,
        },
        race: RaceOptions {
            portfolio,
            threads: options.limits.threads.map(usize::from),
            kept_invariants: options.keep_invariants.clone(),
            carried_invariants: races_folder
                .as_ref()
                .map(|folder| folder.path().join("invariants.json")),
        },
        judge: JudgeOptions {
            is_thorough: options.check == CheckOption::Thorough,
            assumptions,
            certificate: options.certificate.clone(),
        },
        alarm: AlarmOptions {
            path: path_detail.map(|detail| WantedPath {
                detail,
                tracer: trace,
            }),
            harness: options.harness.clone(),
            replay: options.replay.into(),
            native_folder: native_folder
                .as_ref()
                .map(|folder| folder.path().to_owned()),
        },
        record: RecordOptions {
            dump: options.dump.clone(),
            has_details: options.report.is_some(),
        },
        style: input::style(),
    };
    let witness = options.witness.as_deref();
    let version = options.witness_format.into();
    let publish = witness
        .map(|file| move |evidence: &Evidence<'_>| witness::publish(file, version, evidence));
    let needs_resources = progress.is_some() || options.report.is_some();
    limits.tell_resources = needs_resources.then_some(progress::RESOURCE_INTERVAL);
    let is_described = options.json || reports.is_some();
    let description = is_described.then(|| Event {
        time: started.elapsed().as_secs_f64(),
        kind: EventKind::Run(Box::new(run_options.describe(&limits, &options.portfolio))),
    });
    let mut output = Output {
        description,
        json: options.json,
        verbose: options.verbose,
        explains,
        tells,
        property: run_options.task.load.property.clone(),
        progress,
        summary: RunSummary::default(),
        reports,
        checks: Vec::new(),
        told: BTreeSet::new(),
        unwritable: None,
        is_incomplete: false,
    };
    // If standard output fails, no run is made. Interrupts are handled until then ([`EarlyLimits`]).
    output.describe_run();
    if output.unwritable.is_some() {
        return output.end(EXIT_INPUT);
    }
    for message in warnings {
        let kind = EventKind::Warning { message };
        output.event(&Event {
            time: started.elapsed().as_secs_f64(),
            kind,
        });
    }
    let race = |attempt: &Attempt, reporter: &Reporter| {
        let publish = publish.as_ref().map(|publish| publish as &Publisher<'_>);
        pipeline::run(&run_options, attempt, reporter, publish)
    };
    let needs_list = options.show_checks || !options.only.is_empty();
    if needs_list && let Err(code) = list_checks(started, limits, &mut output, &race) {
        return output.end(code);
    }
    if options.show_checks {
        if !output.json {
            output.print(&check_table::listed(&output.checks));
        }
        return output.end(0);
    }
    let only = match selection::select(&options.only, &output.checks) {
        Ok(only) => only,
        Err(message) => {
            output.complain(&message);
            return output.end(EXIT_INPUT);
        }
    };
    let mut observe = |event: &Event| output.event(event);
    let with_remains = |(outcome, remains)| (outcome, Some(remains));
    let supervised = if run_options.task.load.property.is_termination() {
        let has_witness = matches!(
            run_options.task.validation,
            Some(Validation::Invariants { count: 1.. })
        );
        let decided = turns::decide_termination(started, limits, has_witness, &mut observe, &race);
        decided.map(with_remains)
    } else if decides_each {
        Supervisor::new(started)
            .and_then(|mut supervisor| {
                rounds::decide_all(&mut supervisor, limits, only, &mut observe, &race)
            })
            .map(|outcome| (outcome, None))
    } else if is_divisible {
        rounds::decide_property(started, limits, &mut observe, &race)
    } else {
        supervise(started, limits, &mut observe, &race).map(with_remains)
    };
    let (conclusion, remains) = match supervised {
        Ok((Outcome::Concluded(conclusion), remains)) => (judge(conclusion), remains),
        Ok((Outcome::Rejected(text), remains)) => {
            output.complain_rendered(&text);
            output.write_reports(&Ending::rejected(&text));
            if let Some(remains) = remains {
                remains.collect();
            }
            return output.end(EXIT_INPUT);
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
    output.explain(&conclusion, decides_each);
    let code = conclusion.verdict.exit_code();
    if decides_each && !options.json {
        output.print(&check_table::decided(&output.checks));
    }
    // A closed pipe keeps the verdict's exit code; a RESULT line that is lost otherwise is an error.
    if let Err(error) = try_print(format!("{}\n", conclusion.verdict).as_bytes()) {
        output.unwritable.get_or_insert(error);
    }
    output.write_reports(&Ending::Concluded(conclusion));
    if let Some(remains) = remains {
        remains.collect();
    }
    output.end(code)
}

/// Finds out which checks the program has.
///
/// # Errors
/// The exit code, after a message, if they cannot be found out.
fn list_checks(
    started: Instant,
    limits: Limits,
    output: &mut Output,
    race: &dyn Fn(&Attempt, &Reporter) -> RaceEnd,
) -> Result<(), u8> {
    let supervisor = Supervisor::new(started);
    let listed = supervisor.and_then(|mut supervisor| {
        let mut observe = |event: &Event| output.event(event);
        rounds::list(&mut supervisor, limits, &mut observe, race)
    });
    let reason = match listed {
        Ok(Some(Outcome::Rejected(text))) => {
            output.complain_rendered(&text);
            return Err(EXIT_INPUT);
        }
        Ok(Some(Outcome::Concluded(conclusion))) => conclusion.verdict.to_string(),
        Ok(None) => return Ok(()),
        Err(error) => format!("the system refused the analysis process: {error}"),
    };
    output.complain(&format!("error: the checks cannot be listed: {reason}"));
    Err(EXIT_INPUT)
}

/// The outputs of a run.
struct Output {
    /// The description of the run, until it is sent as the first event.
    description: Option<Event>,
    json: bool,
    verbose: bool,
    /// Whether the answer is explained at length on standard error.
    explains: bool,
    /// Whether it is told there in a few lines what is violated, or what was proved.
    tells: bool,
    /// What is verified.
    property: Specification,
    progress: Option<Progress>,
    /// The summary from which UNKNOWN is explained.
    summary: RunSummary,
    reports: Option<Reports>,
    /// The checks as they were told of last.
    checks: Vec<CheckRow>,
    /// The warnings that the user has been told: the program may be read several times.
    told: BTreeSet<String>,
    /// The first error in writing to standard output.
    unwritable: Option<std::io::Error>,
    /// Whether a requested file could not be written.
    is_incomplete: bool,
}

impl Output {
    /// Sends the description of the run, if it was requested.
    fn describe_run(&mut self) {
        if let Some(description) = self.description.take() {
            self.event(&description);
        }
    }

    /// Returns the exit code at the end: the given one, unless an output was lost.
    fn end(&self, code: u8) -> u8 {
        if let Some(error) = &self.unwritable {
            let message = format!("error: standard output cannot be written: {error}");
            self.complain(&message);
        }
        match self.is_incomplete || self.unwritable.is_some() {
            true => EXIT_INPUT,
            false => code,
        }
    }

    /// Prints a text on standard output.
    fn print(&mut self, text: &str) {
        if let Err(error) = try_print(text.as_bytes()) {
            self.unwritable.get_or_insert(error);
        }
    }

    fn event(&mut self, event: &Event) {
        self.summary.event(event);
        if self.json
            && let Ok(line) = serde_json::to_string(event)
            && let Err(error) = try_print(format!("{}\n", printable_json(&line)).as_bytes())
        {
            self.unwritable.get_or_insert(error);
        }
        if let Some(reports) = &mut self.reports {
            reports.note(event);
        }
        if let EventKind::Checks { checks, .. } = &event.kind {
            self.checks.clone_from(checks);
        }
        match &event.kind {
            EventKind::Warning { message } if self.told.insert(message.clone()) => {
                self.complain(&format!("warning: {message}"));
            }
            EventKind::NotWritten { message } => {
                self.is_incomplete = true;
                self.complain(&format!("error: {message}"));
            }
            EventKind::EarlierInvariants {
                is_same_run: false,
                refused: Some(reason),
                ..
            } if self.told.insert(reason.clone()) => {
                self.complain(&format!(
                    "warning: the invariants of an earlier run are not used: {reason}"
                ));
            }
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
                    self.complain(&format!("{reason} (in {analysis}); restarting without it"))
                }
                None => self.complain(reason),
            },
            EventKind::Resources { .. }
            | EventKind::Paused { .. }
            | EventKind::Resumed { .. }
            | EventKind::Automaton(_) => {}
            _ if self.verbose => self.complain(&describe(event)),
            _ => {}
        }
        if let Some(progress) = &mut self.progress {
            progress.event(event);
        }
    }

    /// Explains the answer on standard error, unless events are printed: what is violated, or what was proved, and at length
    /// on a terminal and with `-v`.
    fn explain(&self, conclusion: &Conclusion, decides_all: bool) {
        if self.json {
            return;
        }
        if conclusion.verdict == Verdict::True && (self.tells || self.explains) {
            let text = self.summary.explain_proof(&self.property, self.explains);
            self.complain(&text);
        }
        let violation = match decides_all {
            true => explain::render_violated(&self.checks),
            false => explain::render_violation(conclusion, !self.verbose),
        };
        if let Some(text) = violation.filter(|_| self.tells) {
            self.complain(&text);
        }
        if !self.explains {
            return;
        }
        if !conclusion.path.is_empty() {
            let columns = explain::terminal_columns();
            self.complain(&render_path(&conclusion.path, self.verbose, columns));
        }
        if let Some(memory) = &conclusion.memory {
            self.complain(&render_memory(memory));
        }
        if let Some(text) = self.summary.explain(conclusion) {
            self.complain(&text);
        }
    }

    fn write_reports(&mut self, ending: &Ending) {
        if let Some(reports) = &self.reports {
            self.is_incomplete |= !reports.write(ending);
        }
    }

    /// Prints a message on standard error, above the progress display if there is one.
    fn complain(&self, message: &str) {
        self.complain_rendered(&printable(message));
    }

    /// Prints a message with colours likewise.
    fn complain_rendered(&self, message: &str) {
        match &self.progress {
            Some(progress) => progress.above(|| complain_rendered(message)),
            None => complain_rendered(message),
        }
    }
}

/// Returns an event as a line of the log.
fn describe(event: &Event) -> String {
    let text = match &event.kind {
        EventKind::Phase { name, seconds } => format!("{name}: {:.1} ms", seconds * 1e3),
        EventKind::Checks { checks, .. } => {
            let open = checks
                .iter()
                .filter(|row| row.verdict == CheckVerdict::Open);
            format!("{} checks, {} of them open", checks.len(), open.count())
        }
        EventKind::Program {
            lowered,
            simplified,
            unsupported,
            ..
        } => format!(
            "program: {} locations, {} edges, {} variables; simplified to {}, {}, {}; {unsupported} unsupported edges",
            lowered.locations,
            lowered.edges,
            lowered.variables,
            simplified.locations,
            simplified.edges,
            simplified.variables,
        ),
        EventKind::Open {
            unsupported, loops, ..
        } => format!(
            "{} unsupported operations, {} loops and recursive functions",
            unsupported.len(),
            loops.len()
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
        EventKind::Counted {
            analysis,
            counters,
            solver_seconds,
            ..
        } => {
            let counters = counters.iter();
            let counters: Vec<String> = counters
                .map(|(name, value)| format!("{name} {value}"))
                .collect();
            format!(
                "{analysis}: {}, {solver_seconds:.2} s in solvers",
                counters.join(", ")
            )
        }
        EventKind::CertificateWritten { folder, written } => format!(
            "certificate in {folder}: {} conditions, {} decided by simplification, {} files of simplifications",
            written.conditions, written.decided, written.simplifications
        ),
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
        EventKind::Excluded {
            analysis, checks, ..
        } => format!("{analysis}: {} checks are excluded", checks.len()),
        EventKind::Relied {
            analysis,
            publisher,
            invariants,
        } => format!("{analysis}: relies on {invariants} invariants of {publisher}"),
        EventKind::Withdrawn { batches } => {
            format!("{batches} batches of invariants are withdrawn")
        }
        EventKind::LeftAside { analysis, reason } => {
            format!("{analysis}: cannot decide whether an error location is reached: {reason}")
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
        EventKind::Replayed {
            analysis,
            outcome,
            seconds,
        } => format!(
            "native replay of an alarm of {analysis}: {outcome} ({:.1} ms)",
            seconds * 1e3
        ),
        EventKind::Run(description) => format!(
            "regatta {} on {}, {} threads",
            description.version, description.environment.system, description.threads
        ),
        EventKind::EarlierInvariants {
            is_same_run,
            kept,
            placed,
            held,
            ..
        } => format!(
            "of {kept} invariants of an earlier {}, {placed} still have their place, and {held} hold until now",
            if *is_same_run { "race" } else { "run" }
        ),
        EventKind::Published { invariants } => {
            format!("{} invariants are shared", invariants.len())
        }
        EventKind::Proof { analysis, parts } => {
            let parts: Vec<&str> = parts.iter().map(|part| part.what.as_str()).collect();
            format!("proof of {analysis}: {}", parts.join("; "))
        }
        EventKind::Automaton(automaton) => format!("{} functions", automaton.functions.len()),
        EventKind::Paused { analysis } => format!("{analysis} pauses"),
        EventKind::Resumed { analysis } => format!("{analysis} resumes"),
        EventKind::Expectation {
            analysis,
            ends_soon: true,
        } => format!("{analysis}: its answer is awaited"),
        EventKind::Expectation { analysis, .. } => {
            format!("{analysis}: its answer is no longer awaited")
        }
        EventKind::Resources { memory, cpu } => format!("{memory} MiB, CPU {cpu:.1} s"),
        EventKind::Warning { message: text }
        | EventKind::NotWritten { message: text }
        | EventKind::Panicked { message: text, .. }
        | EventKind::Refuted { reason: text, .. }
        | EventKind::Crashed { reason: text, .. } => text.clone(),
    };
    format!("[{:9.3} s] {text}", event.time)
}
