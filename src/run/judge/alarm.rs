//! Post-processing of an alarm that the interpreter has confirmed: the path to the error, a harness, and an execution of the
//! compiled program.
//!
//! The interpreter and the compiler read C independently of each other. If one of them reaches the error and the other does
//! not, although it gets all values on which the error depends, one of them is wrong, and the alarm is rejected.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::options::{AlarmOptions, ReplayPolicy};
use crate::record::error_path::{PathStep, WantedPath};
use crate::record::event::{EventKind, Reporter};
use crate::record::file;
use crate::record::verdict::{Conclusion, Verdict};
use crate::task::Task;
use regatta_certify::native::harness::{SourceFile, is_too_long};
use regatta_certify::native::{
    Command, NativeEnd, NativeRun, Script, UnsaidKind, harness, needs, run,
};
use regatta_certify::replay::Violation;
use regatta_frontend::property::{Check, Forbidden};
use regatta_frontend::{FileOptions, LoadOptions};
use regatta_program::interpreter::Limits;
use regatta_program::{Arithmetic, Span};

/// Maximum wall time of the compiler and the compiled program together if the run has no time limit.
const DEFAULT_NATIVE_TIME: Duration = Duration::from_secs(20);

/// Maximum share of the remaining time for the compiler and the compiled program if the run has a time limit.
const NATIVE_SHARE: f64 = 0.5;

/// The result of the compiled program's execution.
enum NativeOutcome {
    Confirmed,
    /// The program ended without reaching the error, although the error depends on the given values only; how it ended.
    Contradicted(String),
    /// Inconclusive, for the reason given.
    Open(String),
}

/// Writes the requested harness, replays the alarm as [`ReplayPolicy`] demands, and returns the resulting conclusion.
pub(crate) fn examine(
    options: &AlarmOptions,
    task: &Task,
    reporter: &Reporter,
    mut conclusion: Conclusion,
) -> Conclusion {
    let Some(violation) = conclusion.violation.take() else {
        return conclusion;
    };
    if let Some(wanted) = options.path {
        conclusion.path = path_to_error(task, &violation, wanted);
        let nowhere = task.lowered.sources.describe(Span::NONE);
        if conclusion.place.as_ref() == Some(&nowhere) {
            // The error is in a model of the library: what tells the user more is where it is called.
            let mut steps = conclusion.path.iter().rev();
            let caller = steps.find(|step| is_in_source(step));
            conclusion.place = caller.map(|step| step.place.clone()).or(Some(nowhere));
        }
    }
    let policy = options.replay;
    if policy == ReplayPolicy::Interpreter && options.harness.is_none() {
        return conclusion;
    }
    let begin = Instant::now();
    let alarm = Alarm::new(task, &violation);
    if let Some(file) = &options.harness
        && let Err(error) = file::write(file, alarm.harness.as_bytes())
    {
        let message = format!("the harness is not written: {}: {error}", file.display());
        reporter.event(EventKind::NotWritten { message });
    }
    if policy == ReplayPolicy::Interpreter {
        return conclusion;
    }
    let native = alarm.replay_natively(options.native_folder.as_deref());
    let analysis = conclusion.analysis.clone().unwrap_or_default();
    reporter.event(EventKind::Replayed {
        analysis: analysis.clone(),
        outcome: match &native {
            NativeOutcome::Confirmed => "confirmed".to_owned(),
            NativeOutcome::Contradicted(end) => format!("contradicted: {end}"),
            NativeOutcome::Open(reason) => format!("open: {reason}"),
        },
        seconds: begin.elapsed().as_secs_f64(),
    });
    match native {
        NativeOutcome::Confirmed => conclusion,
        NativeOutcome::Open(_) if policy == ReplayPolicy::Both => conclusion,
        NativeOutcome::Open(reason) => Conclusion {
            verdict: Verdict::Unknown(format!("the alarm is not confirmed natively: {reason}")),
            ..conclusion
        },
        NativeOutcome::Contradicted(end) => {
            reporter.event(EventKind::Refuted {
                analysis,
                reason: format!(
                    "the interpreter comes to the error, the compiled program does not: {end}"
                ),
            });
            let reason = "internal error: the interpreter and the compiled program disagree";
            Conclusion::unknown(reason)
        }
    }
}

/// Checks whether a step has a place in a file.
fn is_in_source(step: &PathStep) -> bool {
    let line = step.place.rsplit(':').nth(1).map(str::parse::<u32>);
    matches!(line, Some(Ok(1..)))
}

/// Maximum number of steps and maximum wall time of the execution that yields the path to the error; a longer path is not
/// reported.
const PATH_STEP_LIMIT: u64 = 5_000_000;
const PATH_TIME_LIMIT: Duration = Duration::from_millis(500);

fn path_to_error(task: &Task, violation: &Violation, wanted: WantedPath) -> Vec<PathStep> {
    let limits = Limits {
        steps: PATH_STEP_LIMIT,
        deadline: Some(Instant::now() + PATH_TIME_LIMIT),
        ..Limits::default()
    };
    let steps = (wanted.tracer)(
        &task.lowered,
        &task.executable,
        violation,
        limits,
        wanted.detail,
    );
    steps.unwrap_or_default()
}

/// An alarm with its harness.
struct Alarm<'t> {
    task: &'t Task,
    command: Command,
    script: Script,
    /// What the error depends on and the script does not determine.
    needed: Vec<UnsaidKind>,
    harness: String,
}

impl<'t> Alarm<'t> {
    fn new(task: &'t Task, violation: &Violation) -> Self {
        let command = command(&task.options.file, &task.options.load);
        let script = Script::new(&task.lowered, &violation.inputs);
        let needed = needs(&task.executable, violation, &script.unsaid);
        let harness = harness(&task.lowered, violation, &script, &needed, &command);
        Self {
            task,
            command,
            script,
            needed,
            harness,
        }
    }

    /// Compiles the program with the harness in the folder, and runs it.
    fn replay_natively(&self, folder: Option<&Path>) -> NativeOutcome {
        let options = &self.task.options;
        if options.load.property.is_termination() {
            return NativeOutcome::Open("an execution without end cannot be seen".to_owned());
        }
        let errors = match &options.load.property.forbidden {
            Forbidden::Assertions => ["reach_error", "__VERIFIER_error"]
                .map(str::to_owned)
                .into(),
            Forbidden::Listed { labels, .. } if !labels.is_empty() => {
                return NativeOutcome::Open("a label cannot be seen from outside".to_owned());
            }
            Forbidden::Listed { calls, .. } => calls.iter().cloned().collect::<Vec<_>>(),
        };
        if options.load.arithmetic == Arithmetic::Integer {
            return NativeOutcome::Open("no machine has mathematical integers".to_owned());
        }
        if is_too_long(&self.script) {
            return NativeOutcome::Open("there are too many values to compile".to_owned());
        }
        let Some(folder) = folder else {
            return NativeOutcome::Open("there is no folder to compile in".to_owned());
        };
        let share = |left: Duration| left.mul_f64(NATIVE_SHARE);
        let end = run(&NativeRun {
            command: &self.command,
            harness: &self.harness,
            errors: &errors,
            folder,
            time: self.task.time_left().map_or(DEFAULT_NATIVE_TIME, share),
        });
        match (end, self.needed.as_slice()) {
            (NativeEnd::Reached, _) => NativeOutcome::Confirmed,
            // A compiler looks for overflow neither in constants nor in its library. Of memory it sees neither an access far
            // beyond an object nor what is reachable and not freed.
            (NativeEnd::Elsewhere(end), _) if self.command.is_sanitized() => {
                NativeOutcome::Open(format!("the compiled program does not look there; {end}"))
            }
            (NativeEnd::Elsewhere(end), []) => NativeOutcome::Contradicted(end),
            (NativeEnd::Elsewhere(end), needed) => {
                let needed: Vec<String> = needed.iter().map(UnsaidKind::to_string).collect();
                let needed = needed.join(", and on ");
                NativeOutcome::Open(format!("{end}; the error depends on {needed}"))
            }
            (NativeEnd::TimeLimit, _) => NativeOutcome::Open("it did not end in time".to_owned()),
            (NativeEnd::Open(reason), _) => NativeOutcome::Open(reason),
        }
    }
}

/// Returns the compiler options that match those of the front end.
fn command(file: &Path, load: &LoadOptions) -> Command {
    let folders = load.include_folders.iter();
    let asks_for = |check| load.property.checks.contains(&check);
    let source = |path: &Path, own: &FileOptions| SourceFile {
        path: path.display().to_string(),
        standard: own.standard,
        arguments: own.arguments.clone(),
    };
    let further = load.further.iter();
    let further = further.map(|file| source(&file.path, &file.options));
    Command {
        files: std::iter::once(source(file, &load.own))
            .chain(further)
            .collect(),
        arguments: load.arguments.clone(),
        data_model: load.data_model,
        standard: load.standard,
        defines: load.defines.clone(),
        include_folders: folders.map(|folder| folder.display().to_string()).collect(),
        ends_at_overflow: asks_for(Check::Overflow),
        ends_at_misuse: [Check::Bounds, Check::Pointers, Check::Free]
            .into_iter()
            .any(asks_for),
        ends_at_leak: asks_for(Check::Leaks) || asks_for(Check::Cleanup),
    }
}
