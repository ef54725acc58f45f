//! Openings: the first turns of the analyses, in a fixed order, for programs with given features.
//!
//! `regatta experiment learn` makes them from the results of experiments; they can be written by hand as well.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use toml::de::DeValue;

use super::{MAXIMUM_TIME, MINIMUM_TIME, Portfolio};
use regatta_base::options;
use regatta_base::options::OptionValue;
use regatta_program::features::Features;

options! {
    /// The first turns on programs with given features. Of a portfolio's openings the first that fits is used.
    pub struct Opening {
        /// Conditions on the program's features, such as "loops >= 2", all of which have to hold; without any, the opening
        /// fits every program.
        pub when: Vec<Condition> = Vec::new();
        /// The turns in their order: an analysis and seconds, such as "bmc 0.02". An analysis may have several.
        pub turns: Vec<Turn> = Vec::new();
    }
}

impl Opening {
    /// Returns the opening in the syntax of portfolio files.
    pub fn to_toml(&self) -> String {
        let list = |members: Vec<String>| members.join(", ");
        let when = list(self.when.iter().map(OptionValue::show).collect());
        let turns = self
            .turns
            .iter()
            .map(|turn| format!("    {},\n", turn.show()));
        let turns: String = turns.collect();
        let when = match when.is_empty() {
            true => String::new(),
            false => format!("when = [{when}]\n"),
        };
        format!("[[opening]]\n{when}turns = [\n{turns}]\n")
    }
}

/// A bound on a feature of the program.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// One of [`Features::NAMES`].
    pub feature: &'static str,
    pub bound: Bound,
}

/// A lower or an upper bound, inclusive.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    AtLeast(u64),
    AtMost(u64),
}

impl Condition {
    pub fn holds(&self, features: &Features) -> bool {
        let value = features.get(self.feature).unwrap_or_default();
        match self.bound {
            Bound::AtLeast(least) => value >= least,
            Bound::AtMost(most) => value <= most,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let (feature, sign, number) = (words.next()?, words.next()?, words.next()?);
        let feature = Features::NAMES.iter().find(|&&name| name == feature)?;
        let number = number.parse().ok()?;
        let bound = match sign {
            ">=" => Bound::AtLeast(number),
            "<=" => Bound::AtMost(number),
            _ => return None,
        };
        words.next().is_none().then_some(Self { feature, bound })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bound {
            Bound::AtLeast(least) => write!(f, "{} >= {least}", self.feature),
            Bound::AtMost(most) => write!(f, "{} <= {most}", self.feature),
        }
    }
}

impl OptionValue for Condition {
    fn values(_: Option<&RangeInclusive<Self>>) -> String {
        format!(
            "\"FEATURE >= NUMBER\" or \"FEATURE <= NUMBER\" with one of the features {}",
            Features::NAMES.join(", ")
        )
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        Self::parse(value.as_str()?)
    }

    fn show(&self) -> String {
        format!("{:?}", self.to_string())
    }
}

/// A turn of an analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The analysis's name.
    pub analysis: String,
    pub time: Duration,
}

impl Turn {
    fn parse(text: &str) -> Option<Self> {
        let (analysis, seconds) = text.trim().rsplit_once(char::is_whitespace)?;
        let time = Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
        (MINIMUM_TIME..=MAXIMUM_TIME).contains(&time).then(|| Self {
            analysis: analysis.trim().to_owned(),
            time,
        })
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.analysis, self.time.as_secs_f64())
    }
}

impl OptionValue for Turn {
    fn values(_: Option<&RangeInclusive<Self>>) -> String {
        "\"ANALYSIS SECONDS\", such as \"bmc 0.02\"".to_owned()
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        Self::parse(value.as_str()?)
    }

    fn show(&self) -> String {
        format!("{:?}", self.to_string())
    }
}

impl Portfolio {
    /// Returns the first opening that fits a program with the features.
    pub fn opening(&self, features: &Features) -> Option<&Opening> {
        let fits = |opening: &&Opening| opening.when.iter().all(|one| one.holds(features));
        self.openings.iter().find(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_and_turns_are_read_as_they_are_shown() {
        for text in ["loops >= 2", "floats <= 0"] {
            let condition = Condition::parse(text).expect("a condition");
            assert_eq!(condition.to_string(), text);
        }
        for text in [
            "loops",
            "loops > 2",
            "lops >= 2",
            "loops >= -1",
            "loops >= 2 3",
        ] {
            assert_eq!(Condition::parse(text), None, "{text}");
        }
        let turn = Turn::parse("data-flow 0.02").expect("a turn");
        assert_eq!(turn.time, Duration::from_millis(20));
        assert_eq!(turn.to_string(), "data-flow 0.02");
        for text in ["bmc", "0.02", "bmc 0", "bmc -1", "bmc 1e300", "bmc nan"] {
            assert_eq!(Turn::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_first_opening_that_fits_is_taken() {
        let text = "[[opening]]\nwhen = [\"loops >= 1\", \"floats <= 0\"]\nturns = [\"bmc 0.01\"]\n\
                    [[opening]]\nturns = [\"bmc 0.02\"]\n[[analysis]]\nengine = \"bmc\"\n";
        let portfolio = Portfolio::parse("p.toml", text).unwrap_or_else(|error| panic!("{error}"));
        let time = |features: Features| {
            let opening = portfolio.opening(&features).expect("one fits");
            opening.turns[0].time.as_millis()
        };
        let loops = Features {
            loops: 1,
            ..Features::default()
        };
        assert_eq!(time(loops), 10);
        assert_eq!(time(Features { floats: 3, ..loops }), 20);
        assert_eq!(time(Features::default()), 20);
    }
}
