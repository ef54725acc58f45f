//! What is made of an alarm that the interpreter has confirmed: the way to the error, a harness, and a run of the compiled
//! program.
//!
//! The interpreter and the compiler read C independently of one another. If the one comes to the error and the other does
//! not, though it gets all the values that matter, one of them is wrong, and the alarm is no answer.

use std::path::Path;
use std::time::{Duration, Instant};

use super::event::EventKind;
use super::task::Task;
use super::verdict::{Conclusion, Verdict};
use regatta_certify::native::harness::is_too_long;
use regatta_certify::native::{
    Command, NativeEnd, NativeRun, Script, UnsaidKind, harness, needs, run,
};
use regatta_certify::path::{PathStep, path};
use regatta_certify::replay::Violation;
use regatta_frontend::LoadOptions;
use regatta_frontend::property::Specification;
use regatta_program::Arithmetic;
use regatta_program::interpreter::Limits;

/// Who has to come to the error before an alarm is an answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ReplayPolicy {
    /// The interpreter.
    Interpreter,
    /// The interpreter and the compiled program; an alarm of which the latter cannot tell is no answer.
    Native,
    /// The interpreter, and the compiled program where it can tell.
    Both,
}

/// How long the compiler and the compiled program may take if there is no time limit.
const NATIVE_TIME: Duration = Duration::from_secs(20);

/// The same as a share of what is left of the time limit.
const NATIVE_SHARE: f64 = 0.5;

/// What the compiled program tells of an alarm.
enum Told {
    Confirmed,
    /// It should have come to the error, and has not.
    Contradicted(String),
    /// Nothing.
    Open(String),
}

/// Writes the harness that was asked for, has the alarm confirmed as was asked for, and returns what is to be concluded.
pub(super) fn examine(task: &Task, mut conclusion: Conclusion) -> Conclusion {
    let Some(violation) = conclusion.violation.take() else {
        return conclusion;
    };
    conclusion.path = way_to_the_error(task, &violation);
    let policy = task.options.replay;
    if policy == ReplayPolicy::Interpreter && task.options.harness.is_none() {
        return conclusion;
    }
    let begin = Instant::now();
    let alarm = Alarm::new(task, &violation);
    if let Some(file) = &task.options.harness
        && let Err(error) = super::file::write(file, alarm.harness.as_bytes())
    {
        let message = format!("the harness is not written: {}: {error}", file.display());
        task.reporter.event(EventKind::NotWritten { message });
    }
    if policy == ReplayPolicy::Interpreter {
        return conclusion;
    }
    let told = alarm.told_by_compiled_program();
    let analysis = conclusion.analysis.clone().unwrap_or_default();
    task.reporter.event(EventKind::Replayed {
        analysis: analysis.clone(),
        outcome: match &told {
            Told::Confirmed => "confirmed".to_owned(),
            Told::Contradicted(end) => format!("contradicted: {end}"),
            Told::Open(reason) => format!("open: {reason}"),
        },
        seconds: begin.elapsed().as_secs_f64(),
    });
    match told {
        Told::Confirmed => conclusion,
        Told::Open(_) if policy == ReplayPolicy::Both => conclusion,
        Told::Open(reason) => Conclusion {
            verdict: Verdict::Unknown(format!("the alarm is not confirmed natively: {reason}")),
            ..conclusion
        },
        Told::Contradicted(end) => {
            task.reporter.event(EventKind::Refuted {
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

/// Runs that take longer are not told.
const TOLD_STEPS: u64 = 5_000_000;
const TOLD_TIME: Duration = Duration::from_millis(500);

fn way_to_the_error(task: &Task, violation: &Violation) -> Vec<PathStep> {
    let limits = Limits {
        steps: TOLD_STEPS,
        deadline: Some(Instant::now() + TOLD_TIME),
        ..Limits::default()
    };
    let told = task
        .options
        .path
        .and_then(|detail| path(&task.lowered, &task.executable, violation, limits, detail));
    told.unwrap_or_default()
}

/// An alarm with what a harness says of it.
struct Alarm<'t> {
    task: &'t Task,
    command: Command,
    script: Script,
    /// What the error depends on beside the script.
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

    fn told_by_compiled_program(&self) -> Told {
        let options = &self.task.options;
        let errors = match &options.load.property {
            Specification::Default => ["reach_error", "__VERIFIER_error"]
                .map(str::to_owned)
                .into(),
            Specification::Unreachable { labels, .. } if !labels.is_empty() => {
                return Told::Open("a label cannot be seen from outside".to_owned());
            }
            Specification::Unreachable { calls, .. } => calls.iter().cloned().collect::<Vec<_>>(),
        };
        if options.load.arithmetic == Arithmetic::Integer {
            return Told::Open("no machine has mathematical integers".to_owned());
        }
        if is_too_long(&self.script) {
            return Told::Open("there are too many values to compile".to_owned());
        }
        let Some(folder) = &options.native_folder else {
            return Told::Open("there is no folder to compile in".to_owned());
        };
        let share = |left: Duration| left.mul_f64(NATIVE_SHARE);
        let end = run(&NativeRun {
            command: &self.command,
            harness: &self.harness,
            errors: &errors,
            folder,
            time: self.task.time_left().map_or(NATIVE_TIME, share),
        });
        match (end, self.needed.as_slice()) {
            (NativeEnd::Reached, _) => Told::Confirmed,
            (NativeEnd::Elsewhere(end), []) => Told::Contradicted(end),
            (NativeEnd::Elsewhere(end), needed) => {
                let needed: Vec<String> = needed.iter().map(UnsaidKind::to_string).collect();
                let needed = needed.join(", and on ");
                Told::Open(format!("{end}; the error depends on {needed}"))
            }
            (NativeEnd::TimeLimit, _) => Told::Open("it did not end in time".to_owned()),
            (NativeEnd::Open(reason), _) => Told::Open(reason),
        }
    }
}

/// How a compiler reads what the front end has read.
fn command(file: &Path, load: &LoadOptions) -> Command {
    let folders = load.include_folders.iter();
    Command {
        file: file.display().to_string(),
        data_model: load.data_model,
        standard: load.standard,
        defines: load.defines.clone(),
        include_folders: folders.map(|folder| folder.display().to_string()).collect(),
    }
}
