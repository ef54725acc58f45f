//! Parses a portfolio file.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::opening::{Opening, Turn};
use super::{Analysis, Common, General, Portfolio, Schedule, SolverOptions};
use regatta_base::options::{Options, nearest};
use regatta_base::{Error, ErrorKind, Place};
use regatta_engines::AnyEngine;
use regatta_solver::{Backend, Encoding};

/// The tables of a file beside the general options.
pub(super) const SCHEDULE: &str = "schedule";
pub(super) const ANALYSIS: &str = "analysis";
const OPENING: &str = "opening";
const ENGINE: &str = "engine";

pub(super) type Value<'t> = Spanned<DeValue<'t>>;

impl Portfolio {
    /// Parses the text of a portfolio file; `name` is for messages.
    ///
    /// # Errors
    /// The first error in the text.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        Reader { name, text }.portfolio()
    }
}

/// A text with its name, for messages.
pub(super) struct Reader<'t> {
    pub name: &'t str,
    pub text: &'t str,
}

impl<'t> Reader<'t> {
    fn portfolio(&self) -> Result<Portfolio, Error> {
        let document = DeTable::parse(self.text).map_err(|error| {
            let place = error.span().unwrap_or(0..0);
            self.error(&place, error.message().replace('\n', ", "))
        })?;
        let mut general = General::default();
        let mut schedule = Schedule::default();
        let mut analyses = Vec::new();
        let mut openings = Vec::new();
        for (key, value) in in_order(document.get_ref()) {
            match &**key.get_ref() {
                SCHEDULE => {
                    let table = self.table(key, value)?;
                    self.set_all(table, &mut [&mut schedule])?;
                }
                ANALYSIS => {
                    let list = value.get_ref().as_array().ok_or_else(|| {
                        self.error(
                            &key.span(),
                            "an analysis begins with `[[analysis]]`".to_owned(),
                        )
                    })?;
                    for entry in list.iter() {
                        let analysis = self.analysis(key, entry)?;
                        let place = |key: &str| {
                            let table = entry.get_ref().as_table();
                            let value = table.and_then(|table| table.get(key));
                            value.map_or(entry.span(), Spanned::span)
                        };
                        self.go_together(&place, &analysis, &analyses)?;
                        analyses.push(analysis);
                    }
                }
                OPENING => {
                    let list = value.get_ref().as_array().ok_or_else(|| {
                        self.error(
                            &key.span(),
                            "an opening begins with `[[opening]]`".to_owned(),
                        )
                    })?;
                    for entry in list.iter() {
                        let mut opening = Opening::default();
                        self.set_all(self.table(key, entry)?, &mut [&mut opening])?;
                        openings.push((entry.span(), opening));
                    }
                }
                _ => {
                    let others = [SCHEDULE, ANALYSIS, OPENING];
                    self.set(key, value, &mut [&mut general], &others)?;
                }
            }
        }
        if analyses.is_empty() {
            return Err(self.error(
                &(self.text.len()..self.text.len()),
                "no `[[analysis]]`: a portfolio has at least one".to_owned(),
            ));
        }
        for (span, opening) in &openings {
            self.turns_are_of(&analyses, span, opening)?;
        }
        let mut portfolio = Portfolio {
            general,
            schedule,
            openings: openings.into_iter().map(|(_, opening)| opening).collect(),
            analyses,
        };
        self.leave_out(&mut portfolio)?;
        Ok(portfolio)
    }

    fn analysis(&self, key: &Spanned<impl Sized>, entry: &Value<'_>) -> Result<Analysis, Error> {
        let table = self.table(key, entry)?;
        let Some(engine) = table.get(ENGINE) else {
            return Err(self
                .error(&entry.span(), "an analysis without an `engine`".to_owned())
                .with_help(format!("the engines are {}", AnyEngine::names().join(", "))));
        };
        let named = engine.get_ref().as_str();
        let Some(mut kind) = named.and_then(AnyEngine::by_name) else {
            let known = AnyEngine::names().join(", ");
            let error = self.error(
                &engine.span(),
                format!(
                    "there is no engine {}; there are {known}",
                    self.quote(engine)
                ),
            );
            return Err(suggest(error, named, &AnyEngine::names()));
        };
        self.has_not_moved(&kind, table)?;
        let mut common = Common::default();
        let mut solver = kind.registration().has_solver.then(SolverOptions::default);
        let mut settable: Vec<&mut dyn Options> = vec![&mut common];
        if let Some(solver) = &mut solver {
            settable.push(solver);
        }
        settable.push(&mut *kind);
        for (key, value) in in_order(table) {
            if &**key.get_ref() != ENGINE {
                self.set(key, value, &mut settable, &[ENGINE])?;
            }
        }
        if common.name.is_empty() {
            common.name = kind.registration().name.to_owned();
        }
        Ok(Analysis {
            common,
            solver,
            engine: kind,
        })
    }

    /// Checks that no option in the table was one of the engine in an earlier version and is none now.
    pub(super) fn has_not_moved(
        &self,
        engine: &AnyEngine,
        table: &DeTable<'_>,
    ) -> Result<(), Error> {
        for (key, value) in in_order(table) {
            let option: &str = key.get_ref();
            if let Some(help) = engine.moved(option, value.get_ref()) {
                let engine = engine.registration().name;
                let message = format!("`{engine}` no longer has `{option}` with this value");
                return Err(self.error(&value.span(), message).with_help(help));
            }
        }
        Ok(())
    }

    /// Checks that an analysis is consistent in itself and with those before it. `place` returns the place of a key of the
    /// analysis in the text.
    pub(super) fn go_together(
        &self,
        place: &dyn Fn(&str) -> Range<usize>,
        analysis: &Analysis,
        others: &[Analysis],
    ) -> Result<(), Error> {
        if others.iter().any(|other| other.name() == analysis.name()) {
            let message = format!("there is an analysis `{}` already", analysis.name());
            return Err(self
                .error(&place("name"), message)
                .with_help("give each a `name` of its own"));
        }
        let after = &analysis.common.after;
        if !after.is_empty() && others.iter().all(|other| other.name() != after) {
            let names = || others.iter().map(Analysis::name);
            let message = match names().count() {
                0 => format!("no analysis `{after}` before this one"),
                _ => format!(
                    "no analysis `{after}` before this one; there are {}",
                    names().collect::<Vec<_>>().join(", ")
                ),
            };
            let error = self.error(&place("after"), message);
            let names: Vec<&str> = names().collect();
            return Err(suggest(error, Some(after), &names));
        }
        if let Err(reason) = analysis.engine.check() {
            return Err(self.error(&place(ENGINE), reason));
        }
        if let Some(solver) = &analysis.solver
            && solver.encoding == Encoding::Integer
            && solver.solver != Backend::Z3
        {
            let message = format!("{} has no integer encoding", solver.solver);
            return Err(self
                .error(&place("encoding"), message)
                .with_help("`solver = \"z3\"` has it"));
        }
        Ok(())
    }

    /// Checks that the portfolio has the analyses of the opening's turns.
    fn turns_are_of(
        &self,
        analyses: &[Analysis],
        place: &Range<usize>,
        opening: &Opening,
    ) -> Result<(), Error> {
        let names: Vec<&str> = analyses.iter().map(Analysis::name).collect();
        let stranger = |turn: &&Turn| !names.contains(&turn.analysis.as_str());
        match opening.turns.iter().find(stranger) {
            None => Ok(()),
            Some(Turn { analysis, .. }) => {
                let known = names.join(", ");
                let message =
                    format!("a turn of `{analysis}`, which there is not; there are {known}");
                Err(suggest(self.error(place, message), Some(analysis), &names))
            }
        }
    }

    /// Removes the analyses that the option `only` excludes.
    pub(super) fn leave_out(&self, portfolio: &mut Portfolio) -> Result<(), Error> {
        let only = &portfolio.general.only;
        if only.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = portfolio.analyses.iter().map(Analysis::name).collect();
        if let Some(stranger) = only.iter().find(|name| !names.contains(&name.as_str())) {
            let known = names.join(", ");
            let message =
                format!("`only` names `{stranger}`, which there is not; there are {known}");
            return Err(suggest(
                self.error(&(0..0), message),
                Some(stranger),
                &names,
            ));
        }
        let takes_part = |name: &str| only.iter().any(|one| one == name);
        portfolio
            .analyses
            .retain(|analysis| takes_part(analysis.name()));
        for analysis in &mut portfolio.analyses {
            if !takes_part(&analysis.common.after) {
                analysis.common.after.clear();
            }
        }
        for opening in &mut portfolio.openings {
            opening.turns.retain(|turn| takes_part(&turn.analysis));
        }
        Ok(())
    }

    pub(super) fn set_all(
        &self,
        table: &DeTable<'_>,
        settable: &mut [&mut dyn Options],
    ) -> Result<(), Error> {
        for (key, value) in in_order(table) {
            self.set(key, value, settable, &[])?;
        }
        Ok(())
    }

    /// Sets an option in the first of the structs that has it. `others` are further keys for suggestions in the error.
    pub(super) fn set(
        &self,
        key: &Spanned<impl AsRef<str>>,
        value: &Value<'_>,
        settable: &mut [&mut dyn Options],
        others: &[&str],
    ) -> Result<(), Error> {
        let name = key.get_ref().as_ref();
        let mut known = others.to_vec();
        for options in settable {
            let entries = options.entries();
            if entries.iter().any(|entry| entry.name == name) {
                return options.set(name, value.get_ref()).map_err(|bad| {
                    let message =
                        format!("`{name}` is {}, not {}", bad.expected, self.quote(value));
                    let error = self.error(&value.span(), message);
                    match bad.nearest {
                        Some(near) => error.with_help(format!("did you mean {near}?")),
                        None => error,
                    }
                });
            }
            known.extend(entries.iter().map(|entry| entry.name));
        }
        let error = self.error(
            &key.span(),
            format!("unknown key `{name}`; there are {}", known.join(", ")),
        );
        Err(suggest(error, Some(name), &known))
    }

    pub(super) fn table<'v, 'd>(
        &self,
        key: &Spanned<impl Sized>,
        value: &'v Value<'d>,
    ) -> Result<&'v DeTable<'d>, Error> {
        value
            .get_ref()
            .as_table()
            .ok_or_else(|| self.error(&key.span(), "a table is expected here".to_owned()))
    }

    /// Returns a value as it stands in the file, cut off if it is long.
    fn quote(&self, value: &Value<'_>) -> &'t str {
        /// Maximum number of characters of the value.
        const MAXIMUM_QUOTE: usize = 60;
        let text = self.text.get(value.span()).unwrap_or("this value");
        let line = text.lines().next().unwrap_or("");
        line.char_indices()
            .nth(MAXIMUM_QUOTE)
            .map_or(line, |(end, _)| &line[..end])
    }

    pub(super) fn error(&self, place: &Range<usize>, message: String) -> Error {
        Error::new(ErrorKind::Portfolio, message).at(Place::in_text(
            self.name,
            self.text,
            place.start,
        ))
    }
}

pub(super) fn suggest(error: Error, given: Option<&str>, known: &[&str]) -> Error {
    match given.and_then(|given| nearest(given, known.iter().copied())) {
        Some(near) => error.with_help(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// Returns the entries of a table in the order of the file, so that the first mistake is reported.
pub(super) fn in_order<'v, 'd>(
    table: &'v DeTable<'d>,
) -> Vec<(&'v Spanned<std::borrow::Cow<'d, str>>, &'v Value<'d>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}
