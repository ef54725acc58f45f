//! Places in the sources, in the format of events.

use std::fmt;

use serde::Serialize;

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// The file, as the user or the preprocessor named it.
    pub file: String,
    /// The line, from one.
    pub line: usize,
    /// The column in bytes, from one; zero if it is not known.
    pub column: usize,
}

impl Place {
    /// Parses `file:line:column`; `None` if the text has no place in a source.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        let file = parts.next()?.to_owned();
        (line > 0).then_some(Self { file, line, column })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_a_file_a_line_and_a_column() {
        let place = Place::parse("a:b c.c:12:3").expect("a place");
        assert_eq!(
            (place.file.as_str(), place.line, place.column),
            ("a:b c.c", 12, 3)
        );
        assert_eq!(place.to_string(), "a:b c.c:12:3");
        for text in ["<built-in>", "a.c:12", "a.c:x:1", "a.c:0:1", ""] {
            assert_eq!(Place::parse(text), None, "{text}");
        }
    }
}
