//! YAML as a tree with positions in the file.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

/// A position in a witness file: line and column from one, in characters; line zero if it is not known.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// A value with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    pub value: T,
    pub at: Position,
}

/// A node of the tree, with its position.
pub(super) type Node = Located<Kind>;

/// The kind of a node.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Mapping(Vec<(Located<String>, Node)>),
    Sequence(Vec<Node>),
    Text(String),
    Integer(i128),
    /// A number that is not an integer, possibly rounded.
    Number(f64),
    Truth(bool),
    Nothing,
}

impl Kind {
    /// The kind for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Mapping(_) => "a mapping",
            Self::Sequence(_) => "a list",
            Self::Text(_) => "a string",
            Self::Integer(_) | Self::Number(_) => "a number",
            Self::Truth(_) => "a truth value",
            Self::Nothing => "nothing",
        }
    }
}

/// Parses a file's text.
///
/// # Errors
/// The first error in the text, with its position.
pub(super) fn parse(text: &str) -> Result<Node, Located<String>> {
    let mut options = serde_saphyr::Options::default();
    // The size is not limited: a witness may be long, and it is the user's own file.
    options.budget = None;
    match serde_saphyr::from_str_with_options::<Spanned<Kind>>(text, options) {
        Ok(node) => Ok(located(node)),
        Err(error) => {
            let at = error.location().map_or_else(Position::default, position);
            let message = error.without_snippet().to_string();
            let message = message.lines().next().unwrap_or("this is no YAML");
            Err(Located {
                value: message.to_owned(),
                at,
            })
        }
    }
}

fn position(location: serde_saphyr::Location) -> Position {
    let number = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    Position {
        line: number(location.line()),
        column: number(location.column()),
    }
}

fn located<T>(spanned: Spanned<T>) -> Located<T> {
    Located {
        value: spanned.value,
        at: position(spanned.referenced),
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindVisitor)
    }
}

struct KindVisitor;

impl<'de> Visitor<'de> for KindVisitor {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("YAML")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Kind, E> {
        Ok(Kind::Truth(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Kind, E> {
        Ok(Kind::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Kind, E> {
        Ok(Kind::Integer(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Kind, E> {
        Ok(Kind::Integer(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Kind, E> {
        Ok(Kind::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Kind, E> {
        Ok(Kind::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Kind, E> {
        Ok(Kind::Text(value))
    }

    fn visit_unit<E>(self) -> Result<Kind, E> {
        Ok(Kind::Nothing)
    }

    fn visit_none<E>(self) -> Result<Kind, E> {
        Ok(Kind::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Kind, D::Error> {
        Kind::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Kind, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = sequence.next_element::<Spanned<Kind>>()? {
            elements.push(located(element));
        }
        Ok(Kind::Sequence(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut mapping: A) -> Result<Kind, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = mapping.next_key::<Spanned<String>>()? {
            let value = mapping.next_value::<Spanned<Kind>>()?;
            entries.push((located(key), located(value)));
        }
        Ok(Kind::Mapping(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_its_place() {
        let text = "- a: \"2.0\"\n  b:\n  - c: 2.5\n    d: true\n  - [-3, ~]\n";
        let node = parse(text).expect("YAML");
        let Kind::Sequence(entries) = &node.value else {
            panic!("{node:?}");
        };
        let Kind::Mapping(fields) = &entries[0].value else {
            panic!("{entries:?}");
        };
        let at = |line, column| Position { line, column };
        assert_eq!(fields[0].0.value, "a");
        assert_eq!(fields[0].0.at, at(1, 3));
        assert_eq!(fields[0].1.value, Kind::Text("2.0".to_owned()));
        assert_eq!(fields[0].1.at, at(1, 6));
        let Kind::Sequence(inner) = &fields[1].1.value else {
            panic!("{fields:?}");
        };
        let Kind::Mapping(pair) = &inner[0].value else {
            panic!("{inner:?}");
        };
        assert_eq!(pair[0].1.value, Kind::Number(2.5));
        assert_eq!(pair[1].1.value, Kind::Truth(true));
        assert_eq!(pair[1].1.at, at(4, 8));
        let Kind::Sequence(last) = &inner[1].value else {
            panic!("{inner:?}");
        };
        assert_eq!(last[0].value, Kind::Integer(-3));
        assert_eq!(last[1].value, Kind::Nothing);
    }

    #[test]
    fn what_is_no_yaml_has_a_place() {
        for text in ["- a: [1\n", "a: 1\na: 2\n", "- \"x\n"] {
            let error = parse(text).expect_err(text);
            assert!(error.at.line > 0 && !error.value.is_empty(), "{error:?}");
        }
    }
}
