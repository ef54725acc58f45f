//! The work of the analysis process: load, simplify, analyse, and post-process the answer.
//!
//! An answer of the simplifier is checked like an engine's ([`crate::judge::answer`]).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Map;

use crate::config::Switch;
use crate::judge::answer::{Judge, Standing};
use crate::judge::check_process::CHECKER;
use crate::judge::evidence::{Evidence, Ground, Publisher};
use crate::judge::{alarm, follow, ledger, proof_export, unknown_code};
use crate::options::{Question, RunOptions, TaskOptions, Validation};
use crate::process::crash::{guarded, number};
use crate::process::supervisor::{Attempt, RaceEnd};
use crate::race;
use crate::race::participants::Participants;
use crate::record::event::{EventKind, Reporter, Size};
use crate::record::findings;
use crate::record::question::{Asked, Questions};
use crate::record::recorder::Recorder;
use crate::record::verdict::{Conclusion, Verdict};
use crate::survey::{self, Survey};
use crate::task::{Scope, Task, TimeLimit};
use regatta_base::workers::Workers;
use regatta_base::{Error, ErrorKind};
use regatta_certify::defined::{Undefined, guard, guard_all};
use regatta_certify::{Certificate, ProofStep};
use regatta_frontend::advice::advise;
use regatta_frontend::property::Check;
use regatta_frontend::{LoadOptions, Specification, load};
use regatta_program::dot::to_dot;
use regatta_program::features::Features;
use regatta_program::ghost::{CHECKING, restrict, restrict_to_assertions};
use regatta_program::interpreter::{InputSource, ReplayInputs};
use regatta_program::simplify::{Simplified, simplify, simplify_loosely, unsimplified};
use regatta_program::termination::{
    Descent, Endless, Lap, LoopMeasure, Ranking, Recurrence, fail_at_ends, recurrence, unfold,
};
use regatta_program::{
    CallGraph, CutPoints, FunctionId, Operation, Program, Property, Slicing, Span, Variable,
    open_assumptions,
};
use regatta_term::record_shared_terms;

/// The names of the parts of a run in events; a part that crashes is excluded from the next attempt by its name.
const FRONT_END: &str = "front end";
const SIMPLIFIER: &str = "simplifier";
const SURVEY: &str = "survey";
const ALARM: &str = "examination of an alarm";
const PUBLISHER: &str = "witness";
const QUESTION: &str = "termination";

/// The name of the runs that are to come upon a state again.
const REVISITS: &str = "revisits";

/// The name under which an execution is reported of which it is proved that it never ends.
const CLOSED_SET: &str = "closed set";

/// Maximum number of steps of that execution.
const CLOSED_SET_STEPS: u64 = 4_000_000;

/// Maximum wall time for runs that are to come upon a state again, and maximum number of steps of one of them.
const REVISITING_TIME: Duration = Duration::from_millis(400);
const REVISITING_STEPS: u64 = 200_000;

/// Maximum number of measures that are refuted before there is no answer.
const MAXIMUM_REFUTED: u32 = 30;

/// Verifies the program. The grounds of the answer are given to the publisher.
pub fn run(
    options: &RunOptions,
    attempt: &Attempt,
    reporter: &Reporter,
    publish: Option<&Publisher<'_>>,
) -> RaceEnd {
    let pipeline = Pipeline {
        options,
        recorder: Recorder::new(&options.record, reporter),
        publish,
        time: TimeLimit {
            started: reporter.started(),
            limit: attempt.wall,
            checked: attempt.checked,
            began: Instant::now(),
        },
    };
    match pipeline.lower(attempt) {
        Ok(lowered) => RaceEnd::Concluded(pipeline.answer(lowered, attempt)),
        Err(end) => *end,
    }
}

/// The steps of a run.
struct Pipeline<'r> {
    options: &'r RunOptions,
    recorder: Recorder,
    publish: Option<&'r Publisher<'r>>,
    time: TimeLimit,
}

/// A program of which only some checks are asked about.
struct Restriction<'p> {
    /// The program as lowered, with all its checks.
    whole: &'p Program,
    scope: Scope,
    slicing: Slicing,
}

impl Pipeline<'_> {
    /// Returns the program as lowered, or the end of the run if there is none.
    fn lower(&self, attempt: &Attempt) -> Result<Program, Box<RaceEnd>> {
        let task = &self.options.task;
        let load = || load_program(task, &attempt.question, &self.recorder);
        let unknown = |reason: String| Box::new(RaceEnd::Concluded(Conclusion::unknown(reason)));
        record_shared_terms(self.options.judge.is_thorough);
        let reporter = &self.recorder.reporter;
        let lowered = guarded(reporter, FRONT_END, number::FRONT_END, load);
        record_shared_terms(false);
        match lowered {
            Some(Ok(mut lowered)) => match &task.validation {
                Some(Validation::Violation { counted, .. }) if !restrict(&mut lowered, counted) => {
                    Err(unknown("internal error in the validator".to_owned()))
                }
                _ => Ok(lowered),
            },
            Some(Err(error)) if error.kind() == ErrorKind::Internal => {
                Err(unknown(error.to_string()))
            }
            Some(Err(error)) => {
                let error = advise(error, &task.file);
                Err(Box::new(RaceEnd::Rejected(
                    error.render(self.options.style),
                )))
            }
            None => Err(unknown("internal error in the front end".to_owned())),
        }
    }

    /// Answers the question about the program as lowered.
    fn answer(&self, mut lowered: Program, attempt: &Attempt) -> Conclusion {
        let reporter = &self.recorder.reporter;
        if attempt.question.is_about_checks() {
            lowered.separate_checks();
        }
        match &attempt.question {
            Question::Termination(questions) => self.ask(questions, &lowered, attempt),
            // Reachability of errors in the program as lowered says nothing about termination.
            Question::Property | Question::Survey { .. } | Question::Targets { .. }
                if self.options.task.load.property.is_termination() =>
            {
                Conclusion::unknown("termination is not a check of an operation")
            }
            Question::Property => self.verify(lowered, attempt, None),
            Question::List => {
                survey::list(&lowered, &self.recorder);
                Conclusion::unknown("the checks are only listed")
            }
            Question::Survey { only } => {
                let survey = Survey {
                    only: only.as_ref(),
                    options: self.options,
                    recorder: &self.recorder,
                    whole: &lowered,
                    time: self.time,
                    end: &|judge, task, conclusion| self.end(judge, task, conclusion),
                };
                let surveyed = guarded(reporter, SURVEY, number::SIMPLIFIER, || survey.run());
                surveyed.unwrap_or_else(|| Conclusion::unknown("internal error in the survey"))
            }
            Question::Targets {
                asked,
                program,
                slicing,
            } => {
                let restricted = lowered.restricted_to(asked);
                match restricted.filter(|_| survey::digest(&lowered) == *program) {
                    None => Conclusion::unknown("the program is not the one that was surveyed"),
                    Some(restricted) => {
                        let scope = Scope {
                            asked: asked.clone(),
                            targets: lowered.targets(),
                        };
                        let restriction = Restriction {
                            whole: &lowered,
                            scope,
                            slicing: *slicing,
                        };
                        self.verify(restricted, attempt, Some(restriction))
                    }
                }
            }
        }
    }

    /// Puts the question about termination whose turn it is to the program as lowered.
    fn ask(&self, questions: &Questions, lowered: &Program, attempt: &Attempt) -> Conclusion {
        let answer = match questions.present() {
            Asked::Witness => return self.ask_of_witness(questions, lowered, attempt),
            Asked::Ranking(descent) => self.ask_for_ranking(descent, questions, lowered, attempt),
            Asked::Recurrence => self.ask_for_recurrence(lowered, attempt),
            Asked::Closed => self.ask_for_closed_set(questions, lowered, attempt),
        };
        answer.unwrap_or_else(|reason| Conclusion {
            sequel: questions.clone().after_failure().map(Box::new),
            ..Conclusion::unknown(reason)
        })
    }

    /// Has the invariants of a witness proved. After that, it is asked whether every execution ends.
    fn ask_of_witness(
        &self,
        questions: &Questions,
        lowered: &Program,
        attempt: &Attempt,
    ) -> Conclusion {
        let mut lowered = lowered.clone();
        if !restrict_to_assertions(&mut lowered) {
            return Conclusion::unknown("internal error in the validator");
        }
        let conclusion = self.verify(lowered, attempt, None);
        match conclusion.verdict {
            Verdict::True => Conclusion {
                sequel: Some(Box::new(questions.clone().after_witness())),
                ..Conclusion::unknown("the invariants hold, and nothing more is known")
            },
            _ => conclusion,
        }
    }

    /// Looks for measures that decrease in all known rounds, and has it proved that they decrease in every round.
    ///
    /// # Errors
    /// Why there is no answer.
    fn ask_for_ranking(
        &self,
        descent: Descent,
        questions: &Questions,
        lowered: &Program,
        attempt: &Attempt,
    ) -> Result<Conclusion, String> {
        let unfolded = unfold(lowered);
        let ranking = Ranking::new(&unfolded).map_err(|obstacle| obstacle.to_string())?;
        let mut samples = ranking.explore();
        samples.extend_from_slice(&questions.refuting);
        let mut measures = ranking.measures(&samples, descent, questions.earlier_turns());
        if measures.is_none() {
            samples.extend(ranking.explore_all_visits());
            measures = ranking.measures_of_all_visits(&samples, descent);
        }
        let measures = match measures {
            Some(measures) if questions.refuted < MAXIMUM_REFUTED => measures,
            _ => return Err("no measure is found".to_owned()),
        };
        self.recorder.event(EventKind::Finished {
            analysis: QUESTION.to_owned(),
            outcome: format!("measures {}", ranking.describe(&measures)),
            statistics: Map::new(),
        });
        let conclusion = self.verify(ranking.question(&measures, descent), attempt, None);
        match (&conclusion.verdict, &conclusion.violation) {
            (Verdict::True, _) => {
                self.publish_measures(&unfolded, ranking.told(&measures, descent));
                Ok(conclusion)
            }
            (Verdict::False(Property::NoOverflow), _) => {
                Err("signed arithmetic may overflow, and no state comes again".to_owned())
            }
            (Verdict::False(_), Some(violation)) => {
                let rounds =
                    ranking.follow(ReplayInputs::new(&violation.inputs), &measures, descent);
                let mut new = rounds;
                new.retain(|round| !samples.contains(round));
                if new.is_empty() {
                    return Err("a measure is refuted, it is not known how".to_owned());
                }
                let sequel = questions.clone().after_refutation(new);
                Ok(Conclusion {
                    sequel: Some(Box::new(sequel)),
                    ..Conclusion::unknown("a measure is refuted")
                })
            }
            _ => Err("no measure is proved".to_owned()),
        }
    }

    /// Gives what decreases in the loops to the publisher.
    fn publish_measures(&self, lowered: &Program, measures: Vec<LoopMeasure>) {
        let Some(publish) = self.publish else {
            return;
        };
        let reporter = &self.recorder.reporter;
        guarded(reporter, PUBLISHER, number::PUBLISHER, || {
            let task = Task::new(&self.options.task, self.time, lowered.clone());
            publish(&Evidence::new(&task, reporter, &Ground::Measures(measures)));
        });
    }

    /// Has an execution looked for in which a state comes again.
    ///
    /// # Errors
    /// Why there is no answer.
    fn ask_for_recurrence(
        &self,
        lowered: &Program,
        attempt: &Attempt,
    ) -> Result<Conclusion, String> {
        let lap = match self.options.task.validation {
            Some(Validation::Cycle) => Lap::OfWitness,
            _ => Lap::Any,
        };
        let mut lowered = Cow::Borrowed(lowered);
        if let Some(validation) = &self.options.task.validation {
            guard_witness(validation, lowered.to_mut());
        }
        let question = recurrence(&lowered, lap).map_err(|obstacle| obstacle.to_string())?;
        if let Some(conclusion) = self.revisit(&question) {
            return Ok(conclusion);
        }
        let conclusion = self.verify(question.program, attempt, None);
        match conclusion.verdict {
            Verdict::True => Err("no state comes again, and no measure is proved".to_owned()),
            Verdict::False(_) => Ok(conclusion),
            Verdict::Unknown(reason) => Err(reason),
        }
    }

    /// Has it proved that an execution with chosen inputs never ends.
    ///
    /// # Errors
    /// Why there is no answer.
    fn ask_for_closed_set(
        &self,
        questions: &Questions,
        lowered: &Program,
        attempt: &Attempt,
    ) -> Result<Conclusion, String> {
        if let Some(Validation::Cycle) = &self.options.task.validation {
            return Err("the cycle of the witness is not found".to_owned());
        }
        let endless = Endless::find(lowered, questions.refuted as usize)
            .map_err(|obstacle| obstacle.to_string())?;
        let mut question = endless.with_values(lowered);
        let open = endless.open_assumptions(&question);
        if let Some(what) = guard_all(&mut question, &open) {
            return Err(format!("it is not known whether {what}"));
        }
        fail_at_ends(&mut question);
        match self.verify(question, attempt, None).verdict {
            Verdict::True => {
                let until_head = endless.until_head(lowered);
                self.execution(until_head, [endless.inputs()], CLOSED_SET, CLOSED_SET_STEPS)
                    .ok_or_else(|| "an execution that never ends is not repeated".to_owned())
            }
            Verdict::False(_) => Ok(Conclusion {
                sequel: Some(Box::new(questions.clone().after_refutation([]))),
                ..Conclusion::unknown("an execution that seemed to go on for ever ends")
            }),
            Verdict::Unknown(reason) => Err(reason),
        }
    }

    /// Runs the program in which a state is to come again, with inputs that are good for that.
    fn revisit(&self, question: &Recurrence) -> Option<Conclusion> {
        let begin = Instant::now();
        let runs = question
            .runs()
            .take_while(|_| begin.elapsed() < REVISITING_TIME);
        self.execution(question.program.clone(), runs, REVISITS, REVISITING_STEPS)
    }

    /// Executes the program with the inputs, for at most `steps` steps each. The first execution that reaches an error is the
    /// answer of `name`.
    fn execution<I: InputSource>(
        &self,
        program: Program,
        inputs: impl IntoIterator<Item = I>,
        name: &str,
        steps: u64,
    ) -> Option<Conclusion> {
        let task = Task::new(&self.options.task, self.time, program);
        let judge = self.new_judge();
        let mut inputs = inputs.into_iter();
        let found =
            inputs.find_map(|mut inputs| follow::run(&judge, &task, name, &mut inputs, steps));
        let reporter = &self.recorder.reporter;
        let examined =
            found.map(|found| alarm::examine(&self.options.alarm, &task, reporter, found));
        examined.map(|conclusion| self.end(&judge, &task, conclusion))
    }

    /// Verifies the program as lowered, or its restriction.
    fn verify(
        &self,
        mut lowered: Program,
        attempt: &Attempt,
        restriction: Option<Restriction<'_>>,
    ) -> Conclusion {
        let validation = self.options.task.validation.as_ref();
        let unseen = validation.and_then(|validation| guard_witness(validation, &mut lowered));
        // The execution with a witness's values does not need the simplifier.
        if let Some(Validation::Violation { values, .. }) = validation {
            let task = Task::new(&self.options.task, self.time, lowered);
            let judge = self.new_judge();
            if let Some(conclusion) = follow::values(&judge, &task, values) {
                return self.end(&judge, &task, conclusion);
            }
            lowered = task.lowered;
        }
        let slicing = restriction.as_ref().map(|restriction| restriction.slicing);
        let slicing = slicing.unwrap_or_default();
        let Some(simplified) = self.simplify(&lowered, slicing) else {
            return Conclusion::unknown("internal error in the simplifier");
        };
        if slicing == Slicing::Loose {
            let exact = simplify(&lowered);
            if exact.program.edges.len() <= simplified.program.edges.len() {
                return Conclusion::unknown("the loose slice is no smaller than the exact one");
            }
        }
        let mut task = Task::with_simplified(&self.options.task, self.time, lowered, simplified);
        let whole = restriction.as_ref().map(|restriction| restriction.whole);
        task.scope = restriction
            .as_ref()
            .map(|restriction| restriction.scope.clone());
        let mut judge = self.new_judge();
        let start = |judge: &mut Judge, task: &Task| {
            judge
                .checker
                .start(whole.unwrap_or(&task.lowered), &task.simplified);
        };
        start(&mut judge, &task);
        if task.simplified.is_safe() {
            if let Some(conclusion) = self.simplifier_decides(&judge, &task) {
                return self.end(&judge, &task, as_far_as_seen(conclusion, unseen));
            }
            if slicing == Slicing::Loose {
                return Conclusion::unknown("the proof by the loose slice was not confirmed");
            }
            // The simplifier's claim could not be confirmed, so the engines get the program without simplification.
            task.simplified = unsimplified(&task.lowered);
            start(&mut judge, &task);
        }
        let (task, judge) = (Arc::new(task), Arc::new(judge));
        let conclusion = self.analyse(&judge, &task, attempt);
        if attempt.question.needs_proof() {
            // An alarm only refutes a measure, or shows that an execution ends.
            return match conclusion.verdict {
                Verdict::True => self.end(&judge, &task, conclusion),
                _ => conclusion,
            };
        }
        let reporter = &self.recorder.reporter;
        let examined = guarded(reporter, ALARM, number::ALARM, || {
            let conclusion = unknown_code::withhold(&task, conclusion);
            alarm::examine(&self.options.alarm, &task, reporter, conclusion)
        });
        let conclusion = examined.unwrap_or_else(|| {
            Conclusion::unknown("internal error in the examination of an alarm")
        });
        self.end(&judge, &task, as_far_as_seen(conclusion, unseen))
    }

    fn new_judge(&self) -> Judge {
        let needs_grounds = self.publish.is_some() || self.options.race.kept_invariants.is_some();
        Judge::new(&self.options.judge, &self.recorder, needs_grounds)
    }

    /// Simplifies the program and records the result; `None` if the simplifier has crashed.
    fn simplify(&self, lowered: &Program, slicing: Slicing) -> Option<Simplified> {
        let recorder = &self.recorder;
        let reporter = &recorder.reporter;
        let simplified = guarded(reporter, SIMPLIFIER, number::SIMPLIFIER, || {
            reporter.phase("simplify", || {
                match (self.options.race.portfolio.general.simplifier, slicing) {
                    (Switch::On, Slicing::Exact) => simplify(lowered),
                    (Switch::On, Slicing::Loose) => simplify_loosely(lowered),
                    (Switch::Off, _) => unsimplified(lowered),
                }
            })
        })?;
        recorder.event(EventKind::Finished {
            analysis: SIMPLIFIER.to_owned(),
            outcome: simplified.statistics.to_string(),
            statistics: Map::new(),
        });
        recorder.event(EventKind::Program {
            lowered: size(lowered),
            simplified: size(&simplified.program),
            unsupported: unsupported(&simplified.program).count(),
            checks: simplified.program.errors.len(),
            checks_as_lowered: lowered.errors.len(),
        });
        recorder.detail(|| EventKind::Automaton(findings::automaton(&simplified.program)));
        if let Some(dump) = &recorder.dump {
            dump.write("simplified.dot", &to_dot(&simplified.program));
        }
        Some(simplified)
    }

    /// Returns the answer of the simplifier, which has left no error location, if it passes its check.
    fn simplifier_decides(&self, judge: &Judge, task: &Task) -> Option<Conclusion> {
        let certificate = Certificate::of_all(vec![ProofStep::Simplified]);
        // No other thread works yet.
        let alone = Workers::fixed(self.options.race.threads() - 1);
        let standing = Standing::Proved;
        let check = || judge.certified(task, standing, SIMPLIFIER, &certificate, None, &alone);
        guarded(&self.recorder.reporter, CHECKER, number::CHECKER, check).flatten()
    }

    /// Runs the analyses and returns their answer.
    fn analyse(&self, judge: &Arc<Judge>, task: &Arc<Task>, attempt: &Attempt) -> Conclusion {
        let options = &self.options.race;
        let features = Features::of(&task.simplified.program);
        self.recorder.event(what_is_open(task, &features));
        let participants = Participants::new(options, task, &features, &attempt.excluded);
        if let Some(conclusion) = race::run(task, judge, &self.recorder, options, participants) {
            return conclusion;
        }
        match unsupported(&task.simplified.program).next() {
            Some((place, reason)) => Conclusion::unknown(format!(
                "{reason} is not supported, {}",
                task.lowered.sources.describe(place)
            )),
            None => Conclusion::unknown("no analysis found an answer"),
        }
    }

    /// Ends the run with the answer: writes the certificate, adds the assumptions and publishes the grounds.
    fn end(&self, judge: &Judge, task: &Task, conclusion: Conclusion) -> Conclusion {
        let recorder = &self.recorder;
        if let Some(failure) = recorder.dump.as_ref().and_then(|dump| dump.take_failure()) {
            let message = format!("not everything is dumped: {failure}");
            recorder.event(EventKind::NotWritten { message });
        }
        let options = &self.options.judge;
        if conclusion.verdict == Verdict::True
            && let Some(folder) = &options.certificate
        {
            let written = proof_export::write(judge, task, &conclusion, folder);
            recorder.event(match written {
                Ok(written) => EventKind::CertificateWritten {
                    folder: folder.display().to_string(),
                    written,
                },
                Err(reason) => EventKind::Warning {
                    message: format!("no certificate is written: {reason}"),
                },
            });
        }
        let reporter = &recorder.reporter;
        let conclusion =
            ledger::with_assumptions(conclusion, options.assumptions, &task.lowered, reporter);
        if let Some(publish) = self.publish {
            guarded(reporter, PUBLISHER, number::PUBLISHER, || {
                publish_ground(judge, task, reporter, &conclusion, publish);
            });
        }
        conclusion
    }
}

/// Has the program look whether the expressions of a witness that was put into it have defined values. Returns what of that
/// it cannot see, if a proof depends on it.
fn guard_witness(validation: &Validation, lowered: &mut Program) -> Option<String> {
    let becomes = match validation {
        Validation::Invariants { .. } => Undefined::Violates,
        Validation::Violation { .. } | Validation::Cycle => Undefined::Ends,
    };
    let is_checked = |variable: &Variable| variable.name == CHECKING;
    if !lowered.variables.iter().any(is_checked) {
        return None;
    }
    let open = open_assumptions(lowered);
    guard(lowered, becomes, &open).filter(|_| becomes == Undefined::Violates)
}

/// A proof is none if an expression of the witness may have no defined value.
fn as_far_as_seen(conclusion: Conclusion, unseen: Option<String>) -> Conclusion {
    match unseen {
        Some(what) if conclusion.verdict == Verdict::True => Conclusion::unknown(format!(
            "an invariant may have no defined value: it is not known whether {what}"
        )),
        _ => conclusion,
    }
}

fn load_program(
    options: &TaskOptions,
    question: &Question,
    recorder: &Recorder,
) -> Result<Program, Error> {
    let dump = recorder.dump.as_deref();
    let mut load_options = LoadOptions {
        keeps_typed: dump.is_some(),
        // Of the expressions of a witness everything is looked at.
        all_assumptions: options.load.all_assumptions || options.validation.is_some(),
        ..options.load.clone()
    };
    if let Question::Termination(questions) = question {
        let is_of_witness = match options.validation {
            Some(Validation::Cycle) => questions.present() == Asked::Recurrence,
            _ => questions.present() == Asked::Witness,
        };
        if is_of_witness {
            load_options.text.clone_from(&options.with_witness);
        }
        // What an execution does after a signed overflow is undefined: it neither goes on for ever for certain (overflow
        // is an end of the executions in which a state is to come again), nor does it end by wrapping around (overflow
        // is an end or an error where measures are to decrease).
        load_options.property.checks.insert(Check::Overflow);
        // Accesses to memory are known by what is assumed of them.
        load_options.all_assumptions = true;
    }
    let loaded = load(&options.file, &load_options)?;
    if let (Some(dump), Some(typed)) = (dump, &loaded.typed) {
        dump.write("typed.txt", typed);
        dump.write("lowered.dot", &to_dot(&loaded.program));
    }
    for (name, time) in &loaded.phases {
        recorder.event(EventKind::Phase {
            name: (*name).to_owned(),
            seconds: time.as_secs_f64(),
        });
    }
    for warning in loaded.warnings {
        let place = loaded.program.sources.describe(warning.span);
        recorder.event(EventKind::Warning {
            message: format!("{place}: {}", warning.message),
        });
    }
    tell_of_gaps(&loaded.program, &load_options.property, recorder);
    Ok(loaded.program)
}

/// Tells the user of functions without a body, and of a program in which nothing is checked.
fn tell_of_gaps(program: &Program, property: &Specification, recorder: &Recorder) {
    if let Some(message) = unknown_code::describe(program) {
        recorder.event(EventKind::Warning { message });
    }
    if !property.is_termination() && !unknown_code::has_check(program) {
        let what = match property.checks.is_empty() {
            true => "no assertion and no error function can be reached",
            false => "no check can be reached",
        };
        recorder.event(EventKind::Warning {
            message: format!("{what}: there is nothing to verify"),
        });
    }
}

/// Gives the grounds of the answer to the publisher.
fn publish_ground(
    judge: &Judge,
    task: &Task,
    reporter: &Reporter,
    conclusion: &Conclusion,
    publish: &Publisher<'_>,
) {
    if conclusion.verdict == Verdict::True && task.options.load.property.is_termination() {
        // The proof is about measures, which are told in place of it.
        return;
    }
    if let Some(ground) = judge.grounds.of(conclusion) {
        publish(&Evidence {
            confirms: &|certificate, time| judge.checker.confirms(certificate, time),
            confirmed_facts: &|time| judge.checker.confirmed_facts(time),
            ..Evidence::new(task, reporter, &ground)
        });
    }
}

/// Returns the event of the loops and unsupported operations that are left, which tells why analyses may not terminate.
fn what_is_open(task: &Task, features: &Features) -> EventKind {
    /// Maximum number of places of each kind in the event.
    const MAXIMUM_PLACES: usize = 50;
    let (program, sources) = (&task.simplified.program, &task.lowered.sources);
    let place = |span: Span, what: &str| format!("{}: {what}", sources.describe(span));
    let calls = CallGraph::new(program);
    let cut_points = CutPoints::new(program, &calls);
    let heads = cut_points.loops().iter();
    let heads = heads.map(|found| {
        let name = &program.function(found.function).name;
        // The start function contains what was inlined into it, so its name would mislead.
        let what = match name.starts_with('<') {
            true => "a loop".to_owned(),
            false => format!("a loop in {name}"),
        };
        (program.location(found.head).span, what)
    });
    let functions = (0..program.functions.len()).map(|number| FunctionId(number as u32));
    let recursive = functions.filter(|&function| calls.is_recursive(function));
    let recursive = recursive.map(|function| {
        let function = program.function(function);
        (function.span, format!("{} is recursive", function.name))
    });
    let mut loops: Vec<(Span, String)> = heads.chain(recursive).collect();
    loops.sort_by_key(|(place, _)| (place.file, place.line, place.column));
    loops.dedup();
    let loops = loops.into_iter().take(MAXIMUM_PLACES);
    let unsupported = unsupported(program).take(MAXIMUM_PLACES);
    EventKind::Open {
        unsupported: unsupported
            .map(|(span, reason)| place(span, reason))
            .collect(),
        loops: loops.map(|(span, what)| place(span, &what)).collect(),
        features: features.by_name(),
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

/// Returns the places of unsupported operations, with the reasons.
fn unsupported(program: &Program) -> impl Iterator<Item = (Span, &str)> {
    program
        .edges
        .iter()
        .filter_map(|edge| match edge.operations.last() {
            Some(Operation::Unsupported(reason)) => Some((edge.span, reason.0.as_str())),
            _ => None,
        })
}
