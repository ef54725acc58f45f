//! Changes to a portfolio from a command line: `--set KEY=VALUE`.
//!
//! The key is an option of the portfolio (`sharing`), of its schedule (`schedule.growth`) or of one of its analyses by the
//! analysis's name (`analysis.k-induction.solver`), with TOML's rules for dots and quotes. The value is TOML, too; a value
//! that is not TOML is a string, because a shell removes the quotation marks. A later setting of a key wins.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::DeTable;

use super::read::{ANALYSIS, Reader, SCHEDULE, Value, suggest};
use super::{Analysis, Portfolio};
use regatta_base::options::Options;
use regatta_base::{Error, ErrorKind};

/// The name of the source of settings in messages.
const SOURCE: &str = "--set";

type Key<'t> = Spanned<Cow<'t, str>>;

impl Portfolio {
    /// Returns the portfolio with the name or from the file ([`Portfolio::find`]), with the settings.
    ///
    /// # Errors
    /// As [`Portfolio::find`] and [`Portfolio::set`].
    pub fn find_with(name: &str, settings: &[String]) -> Result<Self, Error> {
        let mut portfolio = Self::find(name)?;
        portfolio.set(settings)?;
        Ok(portfolio)
    }

    /// Changes options as the settings say, each of which is `KEY=VALUE`, in their order.
    ///
    /// # Errors
    /// The first invalid setting; then some of the settings may have been applied.
    pub fn set(&mut self, settings: &[String]) -> Result<(), Error> {
        let mut texts: Vec<String> = Vec::with_capacity(settings.len());
        for setting in settings {
            let text = as_toml(setting)?;
            let reader = Reader {
                name: SOURCE,
                text: &text,
            };
            self.make(&reader)?;
            texts.push(text);
        }
        // Consistency is checked after all settings, since some are only valid together.
        for (index, analysis) in self.analyses.iter().enumerate() {
            let Some(text) = about(analysis, &texts).or(texts.last().map(String::as_str)) else {
                break;
            };
            let reader = Reader { name: SOURCE, text };
            let place = |_: &str| -> Range<usize> { 0..text.len() };
            reader.go_together(&place, analysis, &self.analyses[..index])?;
        }
        let text = texts.last().map_or("", String::as_str);
        let reader = Reader { name: SOURCE, text };
        reader.leave_out(self)
    }

    /// Applies one setting.
    fn make(&mut self, reader: &Reader<'_>) -> Result<(), Error> {
        let document = DeTable::parse(reader.text).map_err(|error| {
            let place = error.span().unwrap_or(0..0);
            reader
                .error(&place, error.message().replace('\n', ", "))
                .with_help("a setting is KEY=VALUE, such as sharing=off")
        })?;
        for (key, value) in document.get_ref() {
            match &**key.get_ref() {
                SCHEDULE => {
                    let table = reader.table(key, value)?;
                    reader.set_all(table, &mut [&mut self.schedule])?;
                }
                ANALYSIS => {
                    for (name, value) in reader.table(key, value)? {
                        self.analysis_by_key(reader, name)?
                            .make(reader, name, value)?;
                    }
                }
                _ => reader.set(key, value, &mut [&mut self.general], &[SCHEDULE, ANALYSIS])?,
            }
        }
        Ok(())
    }

    fn analysis_by_key(
        &mut self,
        reader: &Reader<'_>,
        key: &Key<'_>,
    ) -> Result<&mut Analysis, Error> {
        let name: &str = key.get_ref();
        let index = self.analyses.iter().position(|known| known.name() == name);
        match index {
            Some(index) => Ok(&mut self.analyses[index]),
            None => {
                let known: Vec<&str> = self.analyses.iter().map(Analysis::name).collect();
                let message = format!("no analysis `{name}`; there are {}", known.join(", "));
                Err(suggest(
                    reader.error(&key.span(), message),
                    Some(name),
                    &known,
                ))
            }
        }
    }
}

impl Analysis {
    fn make(&mut self, reader: &Reader<'_>, key: &Key<'_>, value: &Value<'_>) -> Result<(), Error> {
        let table = reader.table(key, value)?;
        reader.has_not_moved(&self.engine, table)?;
        let mut settable: Vec<&mut dyn Options> = vec![&mut self.common];
        if let Some(solver) = &mut self.solver {
            settable.push(solver);
        }
        settable.push(&mut *self.engine);
        for (key, value) in table {
            if &**key.get_ref() == "name" {
                let message = "an analysis keeps its `name`: settings find it by that".to_owned();
                return Err(reader.error(&key.span(), message));
            }
            reader.set(key, value, &mut settable, &[])?;
        }
        Ok(())
    }
}

/// Returns the setting as a line of TOML.
fn as_toml(setting: &str) -> Result<String, Error> {
    // A quoted part of a key may contain an equals sign.
    let signs = setting.match_indices('=').map(|(place, _)| place);
    for place in signs.clone() {
        let (key, value) = (setting[..place].trim(), setting[place + 1..].trim());
        if DeTable::parse(&format!("{key} = 0")).is_err() {
            continue;
        }
        let line = format!("{key} = {value}");
        return Ok(match DeTable::parse(&line) {
            // More than one line is more than one setting.
            Ok(_) if !value.contains(['\n', '\r', '#']) => line,
            _ => format!("{key} = {}", toml::Value::String(value.to_owned())),
        });
    }
    let message = match signs.count() {
        0 => format!("`{setting}` has no value"),
        _ => format!("`{setting}` has no key"),
    };
    Err(
        Error::new(ErrorKind::Portfolio, format!("{SOURCE}: {message}"))
            .with_help("a setting is KEY=VALUE, such as sharing=off"),
    )
}

/// Returns the last setting that names the analysis.
fn about<'t>(analysis: &Analysis, texts: &'t [String]) -> Option<&'t str> {
    let names = |text: &&String| {
        let Ok(document) = DeTable::parse(text) else {
            return false;
        };
        let analyses = document.get_ref().get(ANALYSIS);
        let analyses = analyses.and_then(|value| value.get_ref().as_table());
        analyses.is_some_and(|table| table.contains_key(analysis.name()))
    };
    texts.iter().rev().find(names).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Switch;
    use regatta_engines::AnyEngine;
    use regatta_solver::Backend;

    const TEXT: &str = "[[analysis]]\nengine = \"bmc\"\n\
                        [[analysis]]\nengine = \"k_induction\"\nname = \"k.i\"\nsolver = \"yices2\"\n";

    fn with(settings: &[&str]) -> Result<Portfolio, String> {
        let mut portfolio = Portfolio::parse("p", TEXT).expect("a portfolio");
        let settings: Vec<String> = settings.iter().map(|&text| text.to_owned()).collect();
        portfolio
            .set(&settings)
            .map_err(|error| error.to_string())?;
        Ok(portfolio)
    }

    #[test]
    fn settings_change_what_they_name() {
        let changed = with(&[
            "sharing=off",
            "schedule.growth = 2.0",
            "analysis.bmc.max_bound=3",
            "analysis.bmc.max_bound=unlimited",
            "analysis.\"k.i\".solver=\"z3\"",
        ])
        .expect("settings");
        assert_eq!(changed.general.sharing, Switch::Off);
        assert!((changed.schedule.growth - 2.0).abs() < 1e-9);
        assert!(matches!(&changed.analyses[0].engine, AnyEngine::Bmc(_)));
        let original = Portfolio::parse("p", TEXT).expect("a portfolio");
        assert_eq!(changed.analyses[0], original.analyses[0]);
        let solver = changed.analyses[1].solver.as_ref().expect("a solver");
        assert_eq!(solver.solver, Backend::Z3);
    }

    /// Yices does not support integers, but a later setting may change the solver.
    #[test]
    fn consistency_is_checked_after_all_settings() {
        let integers = "analysis.'k.i'.encoding=integer";
        let z3 = "analysis.'k.i'.solver=z3";
        assert!(with(&[integers, z3]).is_ok());
        let error = with(&[integers]).expect_err("integers with Yices");
        assert!(error.contains("yices2 has no integer encoding"), "{error}");
    }

    #[test]
    fn invalid_settings_are_refused() {
        for (setting, part) in [
            ("sharing", "has no value"),
            ("=off", "has no key"),
            ("sharing=of", "\"on\" or \"off\""),
            ("shering=off", "unknown key `shering`"),
            ("schedule=3", "a table is expected"),
            ("schedule.growth=0", "from 1.0 to 100.0"),
            ("analysis.bcm.max_bound=3", "no analysis `bcm`"),
            ("analysis.bmc=3", "a table is expected"),
            ("analysis.bmc.max_bond=3", "unknown key `max_bond`"),
            ("analysis.bmc.name=x", "keeps its `name`"),
            ("analysis.bmc.engine=x", "unknown key `engine`"),
            ("analysis.bmc.after=k", "no analysis `k` before"),
            ("sharing=\"off\"\nprover=\"off\"", "\"on\" or \"off\""),
            ("sharing='off' # so", "\"on\" or \"off\""),
        ] {
            let error = with(&[setting]).expect_err(setting);
            assert!(error.contains(part), "{setting}: {error}");
        }
    }
}
