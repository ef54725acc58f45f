//! Figures of a run: counters of its analyses, and quotients of them, by name.
//!
//! * `predicates`: a counter of the winning analysis; `data-flow.queries`: a counter of another one.
//! * `kept_constraints/constraints`: a quotient of two counters.
//! * `solver`, `check`: the analysis's time in solvers, and the time of the checks of its answers, in seconds; `wall`, `cpu`: the
//!   run's times.
//!
//! Counters whose names end in `_microseconds` and `_milliseconds` are shown in seconds.

use std::collections::BTreeSet;

use super::record::{AnalysisRecord, Record};
use regatta_base::counters::Counter;
use regatta_base::options::nearest;

/// A figure, by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The name for tables, with the unit.
    pub name: String,
    part: Part,
    /// The divisor of a quotient.
    of: Option<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    /// The analysis; `None` means the winning one.
    analysis: Option<String>,
    counter: String,
}

/// The suffixes of counters that are times, with the number of their units in a second.
const UNITS: [(&str, f64); 2] = [("_microseconds", 1e6), ("_milliseconds", 1e3)];
const TIMES: [&str; 4] = ["solver", "check", "wall", "cpu"];

impl Figure {
    /// Parses a figure's name.
    ///
    /// # Errors
    /// A message if the name is invalid.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let mut parts = text.split('/').map(Part::parse);
        let part = parts.next().flatten();
        let of = parts.next();
        let (Some(part), false, None) = (part, of == Some(None), parts.next()) else {
            return Err(format!(
                "`{text}` is no counter; counters are such as `predicates`, `data-flow.queries` or `literals/clauses`"
            ));
        };
        let mut name = text.to_owned();
        if of.is_none() {
            let ending = UNITS.iter().find(|(ending, _)| text.ends_with(ending));
            if let Some((ending, _)) = ending {
                name = format!("{} (s)", text.trim_end_matches(ending).replace('_', " "));
            } else if TIMES.contains(&part.counter.as_str()) {
                name = format!("{text} (s)");
            } else {
                name = text.replace('_', " ");
            }
        }
        Ok(Self {
            name,
            part,
            of: of.flatten(),
        })
    }

    /// Returns a message, with a suggestion if there is a similar name, if no run can have the figure: none has the analysis, or
    /// none counts what it names.
    pub fn unknown(&self, known: &KnownNames) -> Option<(String, Option<String>)> {
        let parts = std::iter::once(&self.part).chain(&self.of);
        parts.filter_map(|part| known.unknown(part)).next()
    }

    /// Checks whether an analysis of the run has the counter; without one, the figure is missing and not zero.
    pub fn is_counted(&self, record: &Record) -> bool {
        let parts = std::iter::once(&self.part).chain(&self.of);
        let mut parts = parts.map(|part| part.is_counted(record));
        parts.all(|is_counted| is_counted)
    }

    /// Returns the figure of a run; `None` if it has none.
    pub fn of(&self, record: &Record) -> Option<f64> {
        let value = self.part.of(record)?;
        match &self.of {
            None => Some(value),
            Some(of) => of.of(record).filter(|of| *of > 0.0).map(|of| value / of),
        }
    }
}

/// The names of analyses and counters that runs can have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownNames {
    analyses: BTreeSet<String>,
    counters: BTreeSet<String>,
}

impl KnownNames {
    /// Collects the names in the runs. Those that every analysis may count are known, too: a counter that is zero is not
    /// recorded.
    pub fn of<'r>(records: impl Iterator<Item = &'r Record>) -> Self {
        let mut known = Self::default();
        let all = TIMES
            .into_iter()
            .chain(Counter::ALL.iter().map(|&(_, name)| name));
        known.counters.extend(all.map(str::to_owned));
        for analysis in records.flat_map(|record| &record.analyses) {
            if !known.analyses.contains(&analysis.name) {
                known.analyses.insert(analysis.name.clone());
            }
            for counter in analysis.counters.keys() {
                if !known.counters.contains(counter) {
                    known.counters.insert(counter.clone());
                }
            }
        }
        known
    }

    fn unknown(&self, part: &Part) -> Option<(String, Option<String>)> {
        let similar =
            |name: &str, names: &BTreeSet<String>| nearest(name, names.iter().map(String::as_str));
        if let Some(analysis) = &part.analysis
            && !self.analyses.contains(analysis)
        {
            let message = format!("no run has an analysis `{analysis}`");
            return Some((message, similar(analysis, &self.analyses)));
        }
        let counter = &part.counter;
        let message = || {
            (
                format!("no run has a counter `{counter}`"),
                similar(counter, &self.counters),
            )
        };
        (!self.counters.contains(counter)).then(message)
    }
}

impl Part {
    fn parse(text: &str) -> Option<Self> {
        let (analysis, counter) = match text.trim().rsplit_once('.') {
            Some((analysis, counter)) => (Some(analysis.to_owned()), counter),
            None => (None, text.trim()),
        };
        let is_empty = counter.is_empty() || analysis.as_deref() == Some("");
        (!is_empty).then(|| Self {
            analysis,
            counter: counter.to_owned(),
        })
    }

    fn is_counted(&self, record: &Record) -> bool {
        let mut analyses = record.analyses.iter();
        TIMES.contains(&self.counter.as_str())
            || analyses.any(|known| known.counters.contains_key(&self.counter))
    }

    /// A counter that is not counted is zero, if the analysis tells of others.
    fn of(&self, record: &Record) -> Option<f64> {
        match (self.counter.as_str(), &self.analysis) {
            ("wall", None) => return Some(record.wall),
            ("cpu", None) => return Some(record.cpu),
            _ => {}
        }
        let name = self.analysis.as_ref().or(record.winner.as_ref())?;
        let analysis = record.analyses.iter().find(|known| &known.name == name)?;
        value(analysis, &self.counter, record.wall)
    }
}

fn value(analysis: &AnalysisRecord, counter: &str, wall: f64) -> Option<f64> {
    Some(match counter {
        "solver" => analysis.solver,
        "check" => analysis.certified.iter().map(|(_, seconds)| seconds).sum(),
        "wall" => analysis.ended.unwrap_or(wall) - analysis.started,
        // An answer by simplification or by an execution has no counters.
        _ if analysis.counters.is_empty() => return None,
        name => {
            let count = analysis.counters.get(name).copied().unwrap_or(0) as f64;
            let unit = UNITS.iter().find(|(ending, _)| name.ends_with(ending));
            count / unit.map_or(1.0, |&(_, second)| second)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let text = r#"{"configuration":"a","task":"t","repetition":0,"category":"","verdict":"true","score":2,
            "winner":"bmc","wall":3.0,"cpu":4.0,"memory":0,"measured":{"cpu":"","memory":""},"exit":0,"begun":0.0,
            "cores":[],"overhead":0.0,"log":"","analyses":[
            {"name":"bmc","started":1.0,"ended":2.5,"solver":0.5,"certified":[["confirmed",0.25],["confirmed",0.5]],
             "counters":{"kept":3,"all":4,"step_case_microseconds":1500000}},
            {"name":"data-flow","started":1.0,"counters":{"queries":7}}]}"#;
        serde_json::from_str(text).expect("a record")
    }

    #[test]
    fn figures_are_of_the_winner_or_of_the_named_analysis() {
        for (text, name, expected) in [
            ("kept", "kept", Some(3.0)),
            ("kept/all", "kept/all", Some(0.75)),
            ("kept/none", "kept/none", None),
            ("step_case_microseconds", "step case (s)", Some(1.5)),
            ("data-flow.queries", "data-flow.queries", Some(7.0)),
            ("nobody.queries", "nobody.queries", None),
            ("never_counted", "never counted", Some(0.0)),
            ("solver", "solver (s)", Some(0.5)),
            ("solver/wall", "solver/wall", Some(0.5 / 3.0)),
            ("check", "check (s)", Some(0.75)),
            ("bmc.wall", "bmc.wall (s)", Some(1.5)),
            ("data-flow.wall", "data-flow.wall (s)", Some(2.0)),
            ("cpu", "cpu (s)", Some(4.0)),
        ] {
            let figure = Figure::parse(text).expect(text);
            assert_eq!(
                (figure.name.as_str(), figure.of(&record())),
                (name, expected)
            );
        }
        let counted = ["kept", "kept/all", "solver/wall", "data-flow.queries"];
        assert!(
            counted
                .iter()
                .all(|text| Figure::parse(text).expect(text).is_counted(&record()))
        );
        let uncounted = ["never_counted", "kept/none"];
        assert!(
            !uncounted
                .iter()
                .any(|text| Figure::parse(text).expect(text).is_counted(&record()))
        );
        for text in ["", "/", "a/", "/b", "a/b/c", ".x", "x.", " "] {
            assert!(Figure::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_no_run_counts_is_unknown() {
        let record = record();
        let known = KnownNames::of([&record].into_iter());
        let of = |text: &str| Figure::parse(text).expect(text).unknown(&known);
        for text in [
            "kept",
            "data-flow.queries",
            "solver/wall",
            "refinements",
            "bmc.all",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
        let (message, near) = of("kept/al").expect("unknown");
        assert_eq!(message, "no run has a counter `al`");
        assert_eq!(near.as_deref(), Some("all"));
        let (message, near) = of("data-fow.queries").expect("unknown");
        assert_eq!(message, "no run has an analysis `data-fow`");
        assert_eq!(near.as_deref(), Some("data-flow"));
    }

    #[test]
    fn an_analysis_that_counts_nothing_has_no_figures() {
        let mut record = record();
        record.analyses[0].counters.clear();
        let of = |text: &str| Figure::parse(text).expect(text).of(&record);
        assert_eq!(of("kept"), None);
        assert_eq!(of("solver"), Some(0.5));
    }

    #[test]
    fn a_run_without_an_answer_has_no_counters_of_a_winner() {
        let record = Record {
            winner: None,
            ..record()
        };
        let of = |text: &str| Figure::parse(text).expect(text).of(&record);
        assert_eq!(of("kept"), None);
        assert_eq!(of("bmc.kept"), Some(3.0));
    }
}
