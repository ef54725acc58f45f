//! A report of a run as a page for a browser: one file that needs no network.
//!
//! The page's content is collected here as plain data ([`View`]) and rendered by the templates. The script only steps through
//! the path, which can also be read without it. The template engine escapes all text in the page's markup.
//!
//! * [`source`]: the sources with marks at their lines.
//! * [`automaton`]: the control-flow automaton as drawings; [`layered`]: their layout.
//! * [`race`]: the analyses over time.

mod automaton;
mod layered;
mod race;
mod source;

use std::collections::{BTreeMap, BTreeSet};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value};
use serde::Serialize;

use self::automaton::AutomatonView;
use self::race::RaceView;
use self::source::{AllMarks, FileView};
use super::error_path::{self, Step};
use super::place::Place;
use super::sources::Sources;
use super::utc;
use super::{Ending, Recording};
use regatta_run::check::CheckRow;
use regatta_run::event::{EventKind, Size};
use regatta_run::findings::{Automaton, Invariant, ProofPart};
use regatta_run::verdict::{Conclusion, MemoryNote, PlaceNote, ReportedAssumption, Verdict};

const TEMPLATES: [(&str, &str); 10] = [
    ("report.html", include_str!("templates/report.html")),
    ("path.html", include_str!("templates/path.html")),
    ("invariants.html", include_str!("templates/invariants.html")),
    ("open.html", include_str!("templates/open.html")),
    ("place.html", include_str!("templates/place.html")),
    ("source.html", include_str!("templates/source.html")),
    ("automaton.html", include_str!("templates/automaton.html")),
    ("race.html", include_str!("templates/race.html")),
    ("style.css", STYLE),
    ("script.js", include_str!("templates/script.js")),
];

/// The style sheet of all pages.
pub const STYLE: &str = include_str!("templates/style.css");

/// Maximum number of steps at the begin and at the end of a path; the steps between are left out.
const MAXIMUM_STEPS_PER_END: usize = 1000;

/// Maximum number of listed invariants of a publisher or at a place.
const MAXIMUM_LISTED_INVARIANTS: usize = 100;

/// The content of the page.
#[derive(Debug, Serialize)]
struct View {
    title: String,
    verdict: VerdictView,
    /// Facts about the run, with their names.
    summary: Vec<(&'static str, String)>,
    steps: Vec<StepView>,
    steps_left_out: usize,
    proof: Vec<PlaceView>,
    proof_parts: Vec<String>,
    /// Whether the steps of the proof are known.
    has_proof: bool,
    /// The places of unsupported operations, with the reasons.
    unsupported: Vec<String>,
    /// The loops and recursive functions after simplification.
    loops: Vec<String>,
    assumptions: Vec<AssumptionView>,
    /// The checks, if each was decided by itself.
    checks: Vec<CheckView>,
    warnings: Vec<String>,
    files: Vec<FileView>,
    automaton: AutomatonView,
    race: RaceView,
    publishers: Vec<PublisherView>,
    options: Vec<(&'static str, String)>,
    environment: Vec<(&'static str, String)>,
    command: String,
}

#[derive(Debug, Serialize)]
struct VerdictView {
    /// `true`, `false`, `unknown` or `rejected`.
    class: &'static str,
    word: &'static str,
    /// The verdict as a sentence.
    meaning: String,
    /// The reason for UNKNOWN or for the rejection of the input.
    reason: String,
}

#[derive(Debug, Serialize)]
struct StepView {
    /// The number of the step, from one.
    number: usize,
    #[serde(flatten)]
    step: Step,
}

/// The invariants at a place.
#[derive(Debug, Serialize)]
struct PlaceView {
    place: Option<Place>,
    function: String,
    /// The location in the automaton.
    location: u32,
    invariants: Vec<InvariantView>,
    more: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct InvariantView {
    formula: String,
    publisher: Option<String>,
    calls: Vec<String>,
    place: Option<Place>,
}

#[derive(Debug, Serialize)]
struct CheckView {
    place: String,
    /// The line of the source.
    text: String,
    /// The verdict in a word, and the reason if it is not known.
    verdict: String,
    by: String,
    /// When it was decided.
    time: String,
}

#[derive(Debug, Serialize)]
struct AssumptionView {
    place: Option<Place>,
    what: String,
}

/// An analysis that has published invariants, and the proofs that use them.
#[derive(Debug, Default, Serialize)]
struct PublisherView {
    name: String,
    count: usize,
    /// The analyses whose proofs use its invariants, with their number.
    used: Vec<(String, usize)>,
    invariants: Vec<InvariantView>,
}

/// Returns a renderer of pages with the named templates.
///
/// # Errors
/// When a template is invalid.
pub fn renderer<'t>(
    templates: impl IntoIterator<Item = (&'t str, &'t str)>,
) -> Result<Environment<'t>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let mut syntax = SyntaxConfig::builder();
    environment.set_syntax(syntax.trim_blocks(true).lstrip_blocks(true).build()?);
    for (name, text) in templates {
        environment.add_template(name, text)?;
    }
    Ok(environment)
}

/// Returns the page for a run.
///
/// # Errors
/// When a template is invalid, which a test excludes.
pub fn to_html(recording: &Recording, ending: &Ending) -> Result<String, minijinja::Error> {
    let view = View::new(recording, ending);
    let mut environment = renderer(TEMPLATES)?;
    // Returns the id of a place's line on the page; empty if the line is left out.
    let ids = line_ids(&view.files);
    environment.add_function("anchor", move |file: String, line: usize| {
        ids.get(&(file, line)).cloned().unwrap_or_default()
    });
    environment
        .get_template("report.html")?
        .render(Value::from(Serde(&view)))
}

/// Returns the ids of the lines on the page.
fn line_ids(files: &[FileView]) -> BTreeMap<(String, usize), String> {
    let lines = files.iter().flat_map(|file| {
        let lines = file.parts.iter().flat_map(|part| &part.lines);
        lines.map(move |line| {
            let id = format!("{}-L{}", file.id, line.number);
            ((file.name.clone(), line.number), id)
        })
    });
    lines.collect()
}

impl View {
    fn new(recording: &Recording, ending: &Ending) -> Self {
        let description = &recording.description;
        let conclusion = match ending {
            Ending::Concluded(conclusion) => Some(conclusion),
            Ending::Rejected(_) => None,
        };
        let mut sources = Sources::new(&description.file);
        let steps = conclusion.map(|known| error_path::to_error(known, &mut sources));
        let steps = steps.unwrap_or_default();
        let assumptions = conclusion.map_or(&[][..], |conclusion| &conclusion.assumptions);
        let parts = proof_parts(recording, conclusion);
        let proof = by_place(&parts);
        let mut marks = marks(&steps, &proof, assumptions);
        let publishers = publishers(recording);
        if matches!(conclusion, Some(known) if matches!(known.verdict, Verdict::Unknown(_))) {
            let known = publishers.iter().flat_map(|view| &view.invariants);
            for invariant in known {
                if let Some(place) = &invariant.place {
                    marks.note(place, "invariant", invariant.formula.clone());
                }
            }
        }
        let passed: BTreeSet<(String, usize)> = steps
            .iter()
            .filter_map(|step| step.place.as_ref())
            .map(|place| (place.file.clone(), place.line))
            .collect();
        let empty = Automaton::default();
        let automaton = recording.events.iter().find_map(|event| match &event.kind {
            EventKind::Automaton(automaton) => Some(automaton),
            _ => None,
        });
        let open = recording.events.iter().find_map(|event| match &event.kind {
            EventKind::Open {
                unsupported, loops, ..
            } => Some((unsupported.clone(), loops.clone())),
            _ => None,
        });
        let (unsupported, loops) = open.unwrap_or_default();
        let duration = recording.duration();
        let verdict = VerdictView::new(ending);
        let file = std::path::Path::new(&description.file).file_name();
        let file = file.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let steps_left_out = steps.len().saturating_sub(2 * MAXIMUM_STEPS_PER_END);
        let steps = shown_steps(&steps).map(|(number, step)| StepView {
            number,
            step: step.clone(),
        });
        Self {
            title: format!("{}: {file}", verdict.word),
            verdict,
            summary: summary(recording, conclusion, duration),
            steps: steps.collect(),
            steps_left_out,
            has_proof: !parts.is_empty(),
            proof_parts: parts.iter().map(|part| part.what.clone()).collect(),
            proof,
            unsupported,
            loops,
            assumptions: assumptions.iter().map(AssumptionView::new).collect(),
            checks: checks(recording),
            warnings: recording
                .events
                .iter()
                .filter_map(|event| match &event.kind {
                    EventKind::Warning { message } | EventKind::NotWritten { message } => {
                        Some(message.clone())
                    }
                    _ => None,
                })
                .collect(),
            files: source::view(&mut sources, &description.file, &marks),
            automaton: automaton::view(automaton.unwrap_or(&empty), &passed),
            race: race::view(recording, conclusion, duration),
            publishers,
            options: options(recording),
            environment: environment(recording),
            command: description.command.join(" "),
        }
    }
}

impl VerdictView {
    fn new(ending: &Ending) -> Self {
        let (class, word, meaning, reason) = match ending {
            Ending::Rejected(text) => (
                "rejected",
                "NO ANSWER",
                "The input could not be read.",
                text.trim().to_owned(),
            ),
            Ending::Concluded(conclusion) => match &conclusion.verdict {
                Verdict::True => (
                    "true",
                    "TRUE",
                    "The property holds in all executions. The proof was checked.",
                    String::new(),
                ),
                Verdict::False(_) => (
                    "false",
                    "FALSE",
                    "There is an execution that violates the property. It was replayed.",
                    conclusion
                        .memory
                        .as_deref()
                        .map_or_else(String::new, life_of_object),
                ),
                Verdict::Unknown(reason) => (
                    "unknown",
                    "UNKNOWN",
                    "It is not known whether the property holds.",
                    reason.clone(),
                ),
            },
        };
        Self {
            class,
            word,
            meaning: meaning.to_owned(),
            reason,
        }
    }
}

/// Returns what is wrong with memory, and where the object was allocated and ended.
fn life_of_object(memory: &MemoryNote) -> String {
    let mut text = format!("There, {}.", memory.what);
    for PlaceNote { place, what } in &memory.places {
        text.push_str(&format!("\n{place}: {what}"));
    }
    text
}

impl AssumptionView {
    fn new(assumption: &ReportedAssumption) -> Self {
        Self {
            place: Place::parse(&assumption.place),
            what: assumption.what.clone(),
        }
    }
}

impl InvariantView {
    fn new(invariant: &Invariant) -> Self {
        Self {
            formula: invariant.formula.clone(),
            publisher: invariant.publisher.clone(),
            calls: invariant.calls.clone(),
            place: Place::parse(&invariant.place),
        }
    }
}

/// Returns the checks as the run told of them last.
fn checks(recording: &Recording) -> Vec<CheckView> {
    let mut events = recording.events.iter().rev();
    let last = events.find_map(|event| match &event.kind {
        EventKind::Checks { checks, .. } => Some(checks),
        _ => None,
    });
    let view = |row: &CheckRow| CheckView {
        place: row.place.clone(),
        text: row.text.clone(),
        verdict: match &row.reason {
            Some(reason) => format!("{}: {reason}", row.verdict.word()),
            None => row.verdict.word().to_owned(),
        },
        by: row.by.clone().unwrap_or_default(),
        time: match row.seconds {
            Some(seconds) => format!("{seconds:.2} s"),
            None => String::new(),
        },
    };
    last.into_iter().flatten().map(view).collect()
}

/// Returns the steps of the proof behind the answer.
fn proof_parts<'r>(
    recording: &'r Recording,
    conclusion: Option<&Conclusion>,
) -> Vec<&'r ProofPart> {
    let winner = conclusion
        .filter(|conclusion| conclusion.verdict == Verdict::True)
        .and_then(|conclusion| conclusion.analysis.as_ref());
    let proofs = recording.events.iter().rev();
    let parts = proofs.filter_map(|event| match &event.kind {
        EventKind::Proof { analysis, parts } if Some(analysis) == winner => Some(parts),
        _ => None,
    });
    parts.into_iter().take(1).flatten().collect()
}

/// Returns the invariants of a proof in the order of the source.
fn by_place(parts: &[&ProofPart]) -> Vec<PlaceView> {
    let mut places: BTreeMap<(Option<Place>, u32, &str), BTreeSet<InvariantView>> = BTreeMap::new();
    for invariant in parts.iter().flat_map(|part| &part.invariants) {
        let place = Place::parse(&invariant.place);
        let key = (place, invariant.location, invariant.function.as_str());
        let formulas = places.entry(key).or_default();
        formulas.insert(InvariantView::new(invariant));
    }
    let places = places.into_iter();
    let views = places.map(|((place, location, function), invariants)| PlaceView {
        place,
        function: function.to_owned(),
        location,
        more: invariants.len().saturating_sub(MAXIMUM_LISTED_INVARIANTS),
        invariants: invariants
            .into_iter()
            .take(MAXIMUM_LISTED_INVARIANTS)
            .collect(),
    });
    views.collect()
}

/// Returns the steps on the page, with their numbers.
fn shown_steps(steps: &[Step]) -> impl Iterator<Item = (usize, &Step)> {
    let end = steps.len().saturating_sub(MAXIMUM_STEPS_PER_END);
    let numbered = (1..).zip(steps);
    numbered.filter(move |&(number, _)| number <= MAXIMUM_STEPS_PER_END || number > end)
}

fn marks(steps: &[Step], proof: &[PlaceView], assumptions: &[ReportedAssumption]) -> AllMarks {
    let mut marks = AllMarks::default();
    for (number, step) in shown_steps(steps) {
        if let Some(place) = &step.place {
            let at = marks.at(place);
            at.steps.push(number);
            at.is_error |= step.is_error;
        }
    }
    for at in proof {
        let Some(place) = &at.place else { continue };
        for invariant in &at.invariants {
            marks.note(place, "invariant", invariant.formula.clone());
        }
    }
    for assumption in assumptions {
        if let Some(place) = Place::parse(&assumption.place) {
            marks.note(&place, "assumption", assumption.what.clone());
        }
    }
    marks
}

fn publishers(recording: &Recording) -> Vec<PublisherView> {
    let mut views: BTreeMap<&str, PublisherView> = BTreeMap::new();
    for event in &recording.events {
        match &event.kind {
            EventKind::Published { invariants } => {
                for invariant in invariants {
                    let name = invariant.publisher.as_deref().unwrap_or("unknown");
                    let view = views.entry(name).or_default();
                    view.count += 1;
                    if view.invariants.len() < MAXIMUM_LISTED_INVARIANTS {
                        view.invariants.push(InvariantView::new(invariant));
                    }
                }
            }
            EventKind::Relied {
                analysis,
                publisher,
                invariants,
            } => {
                let view = views.entry(publisher).or_default();
                view.used.push((analysis.clone(), *invariants));
            }
            _ => {}
        }
    }
    let views = views.into_iter().map(|(name, view)| PublisherView {
        name: name.to_owned(),
        ..view
    });
    views.collect()
}

fn summary(
    recording: &Recording,
    conclusion: Option<&Conclusion>,
    duration: f64,
) -> Vec<(&'static str, String)> {
    let description = &recording.description;
    let mut files = vec![description.file.as_str()];
    files.extend(description.further_files.iter().map(String::as_str));
    let mut summary = vec![
        ("Program", files.join(", ")),
        ("Property", description.property.clone()),
    ];
    if let Some(analysis) = conclusion.and_then(|conclusion| conclusion.analysis.as_ref()) {
        summary.push(("Answered by", analysis.clone()));
    }
    summary.push(("Wall time", format!("{duration:.3} s")));
    let used = recording
        .events
        .iter()
        .rev()
        .find_map(|event| match event.kind {
            EventKind::Resources { cpu, .. } => Some(cpu),
            _ => None,
        });
    if let Some(cpu) = used {
        summary.push(("CPU time, last measured", format!("{cpu:.1} s")));
    }
    let size = |size: &Size| {
        format!(
            "{} functions, {} locations, {} edges, {} variables",
            size.functions, size.locations, size.edges, size.variables
        )
    };
    for event in &recording.events {
        if let EventKind::Program {
            lowered,
            simplified,
            unsupported,
            ..
        } = &event.kind
        {
            summary.push(("As lowered", size(lowered)));
            summary.push(("To analyse", size(simplified)));
            if *unsupported > 0 {
                summary.push(("Unsupported", format!("{unsupported} edges")));
            }
        }
    }
    summary
}

fn options(recording: &Recording) -> Vec<(&'static str, String)> {
    let description = &recording.description;
    let limit = |limit: Option<f64>| limit.map_or("none".to_owned(), |limit| format!("{limit} s"));
    let memory = description.memory_limit;
    let standard = description.standard.clone();
    vec![
        ("Portfolio", description.portfolio.clone()),
        ("Data model", description.data_model.clone()),
        (
            "Standard",
            standard.unwrap_or_else(|| "detected".to_owned()),
        ),
        ("Arithmetic", description.arithmetic.clone()),
        ("Threads", description.threads.to_string()),
        (
            "Check of proofs",
            if description.is_thorough {
                "thorough"
            } else {
                "usual"
            }
            .to_owned(),
        ),
        ("Time limit", limit(description.time_limit)),
        ("CPU time limit", limit(description.cpu_limit)),
        (
            "Memory limit",
            memory.map_or("none".to_owned(), |limit| format!("{limit} MiB")),
        ),
    ]
}

fn environment(recording: &Recording) -> Vec<(&'static str, String)> {
    let description = &recording.description;
    let environment = &description.environment;
    let known = [
        ("Verifier", format!("Regatta {}", description.version)),
        (
            "Started",
            utc::milliseconds(description.begun).unwrap_or_default(),
        ),
        ("Folder", description.folder.clone()),
        ("System", environment.system.clone()),
        ("Processor", environment.processor.clone()),
        ("Cores", environment.cores.to_string()),
        ("Memory", format!("{} MiB", environment.memory)),
    ];
    known
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_program::Property;
    use regatta_run::event::Event;
    use regatta_run::verdict::InputValue;

    /// A text that tries to escape from its place in the markup.
    const NASTY: &str = "</code></script><script>alert(1)</script>\"'&";

    fn page(conclusion: impl FnOnce(&str) -> Ending, kinds: Vec<EventKind>) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a <b> & \"c\".c");
        let text = format!("int x;\nint main(void) {{ /* {NASTY} */ }}\n");
        std::fs::write(&file, text).expect("written");
        let file = file.to_string_lossy().into_owned();
        let mut recording = Recording::default();
        recording.description.file.clone_from(&file);
        recording.description.command = vec!["regatta".to_owned(), NASTY.to_owned()];
        for kind in kinds {
            recording.note(&Event { time: 0.25, kind });
        }
        let page = to_html(&recording, &conclusion(&file)).expect("templates are right");
        assert!(!page.contains("<script>alert"), "{page}");
        assert!(!page.contains("a <b>"), "{page}");
        page
    }

    fn nasty_events(file: &str) -> Vec<EventKind> {
        let invariant = Invariant {
            location: 3,
            place: format!("{file}:1:1"),
            function: NASTY.to_owned(),
            calls: vec![NASTY.to_owned()],
            formula: format!("x < 3 && {NASTY}"),
            publisher: Some(NASTY.to_owned()),
        };
        let name = || "bmc".to_owned();
        vec![
            EventKind::Started {
                analysis: NASTY.to_owned(),
                id: 1,
            },
            EventKind::Warning {
                message: NASTY.to_owned(),
            },
            EventKind::LeftAside {
                analysis: name(),
                reason: NASTY.to_owned(),
            },
            EventKind::Published {
                invariants: vec![invariant.clone()],
            },
            EventKind::Proof {
                analysis: name(),
                parts: vec![ProofPart {
                    what: "inductive invariants".to_owned(),
                    invariants: vec![invariant],
                    more: 0,
                }],
            },
        ]
    }

    #[test]
    fn a_violation_has_its_steps() {
        let page = page(
            |file| {
                Ending::Concluded(Conclusion {
                    verdict: Verdict::False(Property::UnreachCall),
                    place: Some(format!("{file}:2:3")),
                    inputs: vec![InputValue {
                        source: NASTY.to_owned(),
                        place: format!("{file}:1:1"),
                        value: NASTY.to_owned(),
                    }],
                    ..Conclusion::proved("bmc")
                })
            },
            nasty_events("elsewhere.c"),
        );
        assert!(page.contains(r#"id="step-2""#));
        assert!(page.contains(r#"class="line error" id="f0-L2""#));
        assert!(page.contains(r#"data-step="1""#));
        assert!(!page.contains("Steps of the proof"));
    }

    #[test]
    fn a_proof_has_its_invariants() {
        let page = page(
            |_| Ending::Concluded(Conclusion::proved("bmc")),
            nasty_events("elsewhere.c"),
        );
        assert!(page.contains("x &lt; 3 &amp;&amp; "));
        assert!(page.contains("<li>inductive invariants</li>"));
        assert!(!page.contains("Path to the error"));
    }

    #[test]
    fn no_answer_has_its_reasons() {
        let unknown = |_: &str| Ending::Concluded(Conclusion::unknown(NASTY));
        let text = page(unknown, nasty_events("elsewhere.c"));
        assert!(text.contains("State of the analyses"));
        let rejected = page(|_| Ending::Rejected(NASTY.to_owned()), Vec::new());
        assert!(rejected.contains("No analysis was started."));
    }
}
