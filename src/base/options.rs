//! Options that a user can set: documentation, type, default and reader from one declaration.
//!
//! [`options!`](crate::options!) declares a struct of options. Its doc comments are the text of `regatta portfolio explain`, its
//! defaults implement [`Default`], and the types of its fields decide how values in a portfolio file are read. So an
//! engine's options are declared beside the engine, and no other module has to know them.

use std::fmt::Write;
use std::ops::RangeInclusive;
use std::time::Duration;

pub use toml::de::DeValue;

/// A set of options that can be listed, and set by name.
pub trait Options {
    /// Returns all options, in the order of their declaration, with their present values.
    fn entries(&self) -> Vec<Entry>;

    /// Sets the option with the name.
    ///
    /// # Errors
    /// When there is no such option, or when it cannot have the value.
    fn set(&mut self, name: &str, value: &DeValue<'_>) -> Result<(), BadValue>;
}

/// An option as a user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Its meaning.
    pub documentation: String,
    /// The values that it can have, in words.
    pub values: String,
    /// The default, as TOML.
    pub default: String,
    /// The present value, as TOML.
    pub value: String,
}

/// The error for a value that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadValue {
    /// The values that were expected, in words.
    pub expected: String,
    /// The accepted value that is most like the given one, if one is like it.
    pub nearest: Option<String>,
}

/// A type that an option can have.
pub trait OptionValue: Sized {
    /// Describes all values (within the range), in words that can follow "expected".
    fn values(range: Option<&RangeInclusive<Self>>) -> String;

    /// Checks whether the value is within the range; only numbers have ranges.
    fn is_within(&self, _range: &RangeInclusive<Self>) -> bool {
        true
    }

    /// Reads a value, if it is one of the type.
    fn read(value: &DeValue<'_>) -> Option<Self>;

    /// Returns the value as TOML.
    fn show(&self) -> String;

    /// Returns all values, as TOML, if they are few.
    fn choices() -> Vec<String> {
        Vec::new()
    }
}

/// Reads an option's value.
///
/// # Errors
/// When the value is not of the type, or outside the range.
pub fn read<T: OptionValue>(
    value: &DeValue<'_>,
    range: Option<&RangeInclusive<T>>,
) -> Result<T, BadValue> {
    match T::read(value) {
        Some(read) if range.is_none_or(|range| read.is_within(range)) => Ok(read),
        _ => Err(BadValue {
            expected: T::values(range),
            nearest: value.as_str().and_then(|given| {
                let choices = T::choices();
                let bare = choices.iter().map(|choice| choice.trim_matches('"'));
                nearest(given, bare).map(|found| format!("\"{found}\""))
            }),
        }),
    }
}

/// Returns the name that is most like the given one, if one is like it.
pub fn nearest<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let distance = |name: &str| strsim::damerau_levenshtein(given, name);
    let near = names
        .into_iter()
        .map(|name| (distance(name), name))
        .filter(|&(distance, name)| distance <= 1 + name.len() / 3)
        .min();
    near.map(|(_, name)| name.to_owned())
}

/// Joins alternatives: `a`, `a or b`, or `a, b or c`.
pub fn alternatives(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    }
}

/// Returns the text of doc comments as one paragraph.
pub fn documentation(lines: &[&str]) -> String {
    let trimmed: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    trimmed.join(" ").replace('`', "")
}

/// Declares a struct of [`Options`]. Each field has a doc comment, a type that is an [`OptionValue`], a default, and
/// optionally a range after `in`. Fields in a `fixed` block cannot be set by users.
#[macro_export]
macro_rules! options {
    (
        $(#[doc = $about:literal])*
        pub struct $Name:ident {
            $(
                $(#[doc = $doc:literal])+
                pub $field:ident: $Type:ty = $default:expr $(, in $range:expr)?;
            )*
        }
        $(fixed {
            $( $(#[doc = $fixed_doc:literal])+ pub $fixed:ident: $Fixed:ty = $fixed_default:expr; )*
        })?
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $Name {
            $(
                $(#[doc = $doc])+
                #[doc = concat!("Default: `", stringify!($default), "`.")]
                pub $field: $Type,
            )*
            $($( $(#[doc = $fixed_doc])+ pub $fixed: $Fixed, )*)?
        }

        impl Default for $Name {
            fn default() -> Self {
                Self {
                    $( $field: $default, )*
                    $($( $fixed: $fixed_default, )*)?
                }
            }
        }

        impl $crate::options::Options for $Name {
            fn entries(&self) -> Vec<$crate::options::Entry> {
                use $crate::options::{OptionValue, documentation};
                let defaults = Self::default();
                vec![$({
                    let range: Option<std::ops::RangeInclusive<$Type>> = None;
                    $( let range = range.or(Some($range)); )?
                    $crate::options::Entry {
                        name: stringify!($field),
                        documentation: documentation(&[$($doc),+]),
                        values: <$Type>::values(range.as_ref()),
                        default: defaults.$field.show(),
                        value: self.$field.show(),
                    }
                }),*]
            }

            fn set(
                &mut self,
                name: &str,
                value: &$crate::options::DeValue<'_>,
            ) -> Result<(), $crate::options::BadValue> {
                match name {
                    $(stringify!($field) => {
                        let range: Option<std::ops::RangeInclusive<$Type>> = None;
                        $( let range = range.or(Some($range)); )?
                        self.$field = $crate::options::read(value, range.as_ref())?;
                        Ok(())
                    })*
                    _ => Err($crate::options::BadValue {
                        expected: format!("an option, not `{name}`"),
                        nearest: None,
                    }),
                }
            }
        }
    };
}

/// Implements [`OptionValue`] for an enum whose variants have names.
#[macro_export]
macro_rules! choice {
    ($Type:ty: $($name:literal = $value:path),+ $(,)?) => {
        impl $crate::options::OptionValue for $Type {
            fn values(_: Option<&std::ops::RangeInclusive<Self>>) -> String {
                $crate::options::alternatives(&Self::choices())
            }

            fn read(value: &$crate::options::DeValue<'_>) -> Option<Self> {
                match value.as_str()? {
                    $($name => Some($value),)+
                    _ => None,
                }
            }

            fn show(&self) -> String {
                match self {
                    $($value => format!("{:?}", $name),)+
                }
            }

            fn choices() -> Vec<String> {
                vec![$(format!("{:?}", $name)),+]
            }
        }
    };
}

impl<T: OptionValue> OptionValue for Option<T> {
    fn values(_: Option<&RangeInclusive<Self>>) -> String {
        alternatives(&Self::choices())
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        match value.as_str()? {
            NONE => Some(None),
            _ => T::read(value).map(Some),
        }
    }

    fn show(&self) -> String {
        self.as_ref().map_or_else(|| format!("{NONE:?}"), T::show)
    }

    fn choices() -> Vec<String> {
        let mut choices = vec![None::<T>.show()];
        choices.extend(T::choices());
        choices
    }
}

/// The value that stands for no solver.
const NONE: &str = "none";

impl OptionValue for bool {
    fn values(_: Option<&RangeInclusive<Self>>) -> String {
        "true or false".to_owned()
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        value.as_bool()
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl<T: OptionValue> OptionValue for Vec<T> {
    fn values(_: Option<&RangeInclusive<Self>>) -> String {
        format!("a list whose members are {}", T::values(None))
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        let members = value.as_array()?.iter();
        members.map(|member| T::read(member.get_ref())).collect()
    }

    fn show(&self) -> String {
        let members: Vec<String> = self.iter().map(OptionValue::show).collect();
        format!("[{}]", members.join(", "))
    }
}

/// The value that stands for the type's greatest number.
const UNLIMITED: &str = "unlimited";

macro_rules! whole_number {
    ($($Type:ty),+) => {$(
        impl OptionValue for $Type {
            fn values(range: Option<&RangeInclusive<Self>>) -> String {
                match range.map(|range| (*range.start(), *range.end())) {
                    None => format!("a whole number, or \"{UNLIMITED}\""),
                    Some((start, Self::MAX)) => {
                        format!("a whole number from {start}, or \"{UNLIMITED}\"")
                    }
                    Some((start, end)) => format!("a whole number from {start} to {end}"),
                }
            }

            fn is_within(&self, range: &RangeInclusive<Self>) -> bool {
                range.contains(self)
            }

            fn read(value: &DeValue<'_>) -> Option<Self> {
                match value {
                    DeValue::Integer(number) => {
                        Self::from_str_radix(number.as_str(), number.radix()).ok()
                    }
                    DeValue::String(text) => (text == UNLIMITED).then_some(Self::MAX),
                    _ => None,
                }
            }

            fn show(&self) -> String {
                match *self {
                    Self::MAX => UNLIMITED.to_owned().show(),
                    number => number.to_string(),
                }
            }

            fn choices() -> Vec<String> {
                vec![UNLIMITED.to_owned()]
            }
        }
    )+};
}
whole_number!(u32, u64, usize);

impl OptionValue for f64 {
    fn values(range: Option<&RangeInclusive<Self>>) -> String {
        match range {
            Some(range) => format!("a number from {:?} to {:?}", range.start(), range.end()),
            None => "a number".to_owned(),
        }
    }

    fn is_within(&self, range: &RangeInclusive<Self>) -> bool {
        range.contains(self)
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        let number: Self = match value {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok()?,
            DeValue::Float(number) => number.as_str().parse().ok()?,
            _ => return None,
        };
        number.is_finite().then_some(number)
    }

    fn show(&self) -> String {
        format!("{self:?}")
    }
}

/// Durations are given in seconds.
impl OptionValue for Duration {
    fn values(range: Option<&RangeInclusive<Self>>) -> String {
        let seconds = |time: &Self| time.as_secs_f64();
        match range.map(|range| (seconds(range.start()), seconds(range.end()))) {
            Some((start, end)) => format!("a number of seconds from {start} to {end}"),
            None => "a number of seconds".to_owned(),
        }
    }

    fn is_within(&self, range: &RangeInclusive<Self>) -> bool {
        range.contains(self)
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        Self::try_from_secs_f64(f64::read(value)?).ok()
    }

    fn show(&self) -> String {
        self.as_secs_f64().show()
    }
}

impl OptionValue for String {
    fn values(_: Option<&RangeInclusive<Self>>) -> String {
        "a text in quotation marks".to_owned()
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }

    fn show(&self) -> String {
        let mut text = String::from('"');
        for character in self.chars() {
            match character {
                '"' | '\\' => text.extend(['\\', character]),
                character if character.is_control() => {
                    let _ = write!(text, "\\U{:08X}", u32::from(character));
                }
                character => text.push(character),
            }
        }
        text.push('"');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub enum Backend {
        Z3,
        Yices2,
        Bitwuzla,
    }

    choice!(Backend: "z3" = Self::Z3, "yices2" = Self::Yices2, "bitwuzla" = Self::Bitwuzla);

    options! {
        /// For the tests.
        pub struct Sample {
            /// The first
            /// of `two`.
            pub count: u32 = 7, in 2..=u32::MAX;
            /// The second.
            pub solver: Backend = Backend::Z3;
            /// The third.
            pub time: Duration = Duration::from_millis(1500);
            /// The fourth.
            pub solvers: Vec<Backend> = vec![Backend::Z3];
        }
        fixed {
            /// Not for users.
            pub hidden: bool = true;
        }
    }

    fn set(name: &str, value: &str) -> Result<Sample, BadValue> {
        let mut sample = Sample::default();
        let value = DeValue::parse(value).expect("TOML");
        sample.set(name, value.get_ref())?;
        Ok(sample)
    }

    #[test]
    fn one_declaration_documents_and_reads() {
        assert!(Sample::default().hidden);
        let entries = Sample::default().entries();
        let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["count", "solver", "time", "solvers"]);
        assert_eq!(entries[0].documentation, "The first of two.");
        assert_eq!(entries[0].default, "7");
        assert_eq!(entries[0].values, "a whole number from 2, or \"unlimited\"");
        assert_eq!(entries[2].default, "1.5");
        let sample = set("solver", "\"yices2\"").expect("a solver");
        assert_eq!(sample.entries()[1].value, "\"yices2\"");
        assert_eq!(sample.entries()[1].default, "\"z3\"");
    }

    #[test]
    fn values_are_read_or_refused() {
        for (name, value, accepted) in [
            ("count", "2", true),
            ("count", "0x10", true),
            ("count", "\"unlimited\"", true),
            ("count", "1", false),
            ("count", "-1", false),
            ("count", "4294967296", false),
            ("count", "2.0", false),
            ("count", "true", false),
            ("time", "3", true),
            ("time", "0.25", true),
            ("time", "-1", false),
            ("time", "inf", false),
            ("time", "nan", false),
            ("time", "1e300", false),
            ("solver", "\"Z3\"", false),
            ("solvers", "[]", true),
            ("solvers", "[\"z3\", \"yices2\"]", true),
            ("solvers", "[\"z3\", 2]", false),
            ("solvers", "\"z3\"", false),
            ("hidden", "false", false),
        ] {
            assert_eq!(set(name, value).is_ok(), accepted, "{name} = {value}");
        }
        let refused = set("solver", "\"yices\"").unwrap_err();
        assert_eq!(refused.expected, "\"z3\", \"yices2\" or \"bitwuzla\"");
        assert_eq!(refused.nearest.as_deref(), Some("\"yices2\""));
        let refused = set("count", "\"unlimitted\"").unwrap_err();
        assert_eq!(refused.nearest.as_deref(), Some("\"unlimited\""));
    }

    #[test]
    fn texts_are_shown_as_toml() {
        let text = "a \"b\" \\ \n c";
        let shown = text.to_owned().show();
        let read = DeValue::parse(&shown).expect("TOML");
        assert_eq!(read.get_ref().as_str(), Some(text));
    }
}
