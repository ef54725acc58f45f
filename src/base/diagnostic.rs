//! Messages about the input: errors with their place and source line, and warnings.

use std::fmt;
use std::sync::Arc;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents,
};

use super::printable::{printable, printable_line};
use crate::source::Span;

/// Why an input is rejected.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A file cannot be read.
    Unreadable,
    /// A file cannot be written.
    Unwritable,
    /// The C preprocessor is missing or reports an error.
    Preprocessor,
    /// The text is not C.
    Syntax,
    /// The text violates C's rules for types and names.
    Type,
    /// The text uses a part of C, or an extension, that is not supported.
    Unsupported,
    /// The files of the program contradict each other.
    Link,
    /// There is no `main`.
    MissingMain,
    /// A property file is malformed, or has an unsupported property.
    Property,
    /// A task-definition file is malformed.
    Task,
    /// A portfolio file is malformed.
    Portfolio,
    /// A project's file is malformed.
    Project,
    /// An experiment's file is malformed, or its folder belongs to another experiment.
    Experiment,
    /// A witness file is malformed, or is for another program.
    Witness,
    /// The front end is inconsistent; the program is not at fault.
    Internal,
}

impl ErrorKind {
    /// A short name, the first words of a message.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Unreadable => "cannot read",
            Self::Unwritable => "cannot write",
            Self::Preprocessor => "preprocessor",
            Self::Syntax => "syntax error",
            Self::Type => "type error",
            Self::Unsupported => "not supported",
            Self::Link => "linking",
            Self::MissingMain => "no main function",
            Self::Property => "property file",
            Self::Task => "task definition",
            Self::Portfolio => "portfolio",
            Self::Project => "project file",
            Self::Experiment => "experiment",
            Self::Witness => "witness",
            Self::Internal => "internal error",
        }
    }
}

/// The place of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name as the user or the preprocessor gave it.
    pub file: Arc<str>,
    /// The line from one; zero if only the file is known.
    pub line: u32,
    /// The column in bytes from one.
    pub column: u32,
    /// The text of the line, without its end; `None` if it is not available.
    pub source_line: Option<Arc<str>>,
}

impl Place {
    /// A place in a file without a line.
    pub fn file(name: impl Into<Arc<str>>) -> Self {
        Self {
            file: name.into(),
            line: 0,
            column: 0,
            source_line: None,
        }
    }

    /// The place of a byte offset in a text; an offset past the end is the end.
    pub fn in_text(file: impl Into<Arc<str>>, text: &str, offset: usize) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = &text[start..];
        let line = line.split('\n').next().unwrap_or_default();
        Self {
            file: file.into(),
            line: number(before.matches('\n').count() + 1),
            column: number(offset - start + 1),
            source_line: Some(line.trim_end_matches('\r').into()),
        }
    }
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => write!(formatter, "{}", self.file),
            (line, 0) => write!(formatter, "{}:{line}", self.file),
            (line, column) => write!(formatter, "{}:{line}:{column}", self.file),
        }
    }
}

/// An error that stops the front end. [`fmt::Display`] gives one line, [`Error::render`] the whole message.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .0.headline())]
pub struct Error(Box<Diagnostic>);

/// A warning, after which the front end continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The message, one sentence without a full stop.
    pub message: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
struct Diagnostic {
    kind: ErrorKind,
    message: String,
    span: Span,
    place: Option<Place>,
    /// What stands elsewhere and contradicts it.
    other: Option<Elsewhere>,
    help: Option<String>,
}

/// A second place that an error is about.
#[derive(Clone, Debug)]
struct Elsewhere {
    message: String,
    span: Span,
    place: Option<Place>,
}

impl Elsewhere {
    fn render(&self) -> String {
        let message = printable(&self.message);
        match &self.place {
            Some(place) => {
                let place_text = place.to_string();
                let headline = printable_line(&place_text);
                format!("{headline}: {message}\n{}", marked_line(Some(place)))
            }
            None => format!("{message}\n"),
        }
    }
}

impl Diagnostic {
    fn title(&self) -> String {
        format!("{}: {}", self.kind.title(), printable(&self.message))
    }

    fn headline(&self) -> String {
        match &self.place {
            Some(place) => format!("{}: {}", printable_line(&place.to_string()), self.title()),
            None => self.title(),
        }
    }
}

/// Whether a message may use colours and box-drawing characters.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// For a terminal.
    Fancy,
    /// For a file or a pipe: ASCII.
    Plain,
}

impl Error {
    /// An error without a place.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Diagnostic {
            kind,
            message: message.into(),
            span: Span::NONE,
            place: None,
            other: None,
            help: None,
        }))
    }

    /// Adds the place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.0.place = Some(place);
        self
    }

    /// Adds the place's span in the unit's [`crate::SourceMap`].
    #[must_use]
    pub fn with_span(mut self, span: Span) -> Self {
        self.0.span = span;
        self
    }

    /// Adds a second place, by its span in the source map, with what is said of it.
    #[must_use]
    pub fn with_other(mut self, message: impl Into<String>, span: Span) -> Self {
        self.0.other = Some(Elsewhere {
            message: message.into(),
            span,
            place: None,
        });
        self
    }

    /// Finds the places of the spans that have none yet.
    #[must_use]
    pub fn located(mut self, place_of: impl Fn(Span) -> Option<Place>) -> Self {
        if self.0.place.is_none() {
            self.0.place = place_of(self.0.span);
        }
        if let Some(other) = &mut self.0.other
            && other.place.is_none()
        {
            other.place = place_of(other.span);
        }
        self
    }

    /// Adds a line of advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message without the place and the kind.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The error's place, if it has one.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// The error's span in the unit's source map; [`Span::NONE`] for an error outside C text.
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// The advice, if there is any.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// The whole message, in lines with their ends: place, kind, source line with a mark, help.
    pub fn render(&self, style: Style) -> String {
        match style {
            Style::Plain => self.render_plain(),
            Style::Fancy => {
                let report = Report {
                    error: self,
                    excerpt: self.0.place.as_ref().and_then(Excerpt::new),
                };
                let mut text = String::new();
                let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode());
                match (handler.render_report(&mut text, &report), &self.0.other) {
                    (Ok(()), None) => text,
                    (Ok(()), Some(other)) => text + &other.render(),
                    (Err(fmt::Error), _) => self.render_plain(),
                }
            }
        }
    }

    fn render_plain(&self) -> String {
        let mut text = self.0.headline();
        text.push('\n');
        text.push_str(&marked_line(self.0.place.as_ref()));
        if let Some(other) = &self.0.other {
            text.push_str(&other.render());
        }
        if let Some(help) = &self.0.help {
            text.push_str(&format!("help: {}\n", printable(help)));
        }
        text
    }
}

/// The source line of a place with its number, and a mark under the column; empty if the line is not known.
fn marked_line(place: Option<&Place>) -> String {
    let Some(excerpt) = place.and_then(Excerpt::new) else {
        return String::new();
    };
    let number = excerpt.number.to_string();
    let gutter = " ".repeat(number.len());
    let line = &excerpt.line;
    let mark: String = line
        .char_indices()
        .take_while(|&(offset, _)| offset < excerpt.offset)
        .map(|(_, character)| if character == '\t' { '\t' } else { ' ' })
        .collect();
    format!(" {number} | {line}\n {gutter} | {mark}^\n")
}

/// The shown part of the source line: the part around the place, if the line is long.
#[derive(Debug)]
struct Excerpt {
    file: String,
    number: u32,
    /// The place's column in the whole line, from one.
    column: u32,
    line: String,
    /// The place's offset in the shown part.
    offset: usize,
}

impl Excerpt {
    /// Maximum number of bytes that are shown on either side of the place in a long line.
    const CONTEXT: usize = 100;

    fn new(place: &Place) -> Option<Self> {
        let line = place.source_line.as_deref()?;
        let boundary = |mut offset: usize| {
            while !line.is_char_boundary(offset) {
                offset -= 1;
            }
            offset
        };
        let offset = boundary((place.column.saturating_sub(1) as usize).min(line.len()));
        let (start, end) = if line.len() <= 2 * Self::CONTEXT {
            (0, line.len())
        } else {
            (
                boundary(offset.saturating_sub(Self::CONTEXT)),
                boundary((offset + Self::CONTEXT).min(line.len())),
            )
        };
        let before = if start > 0 { "…" } else { "" };
        let after = if end < line.len() { "…" } else { "" };
        let left = format!("{before}{}", printable_line(&line[start..offset]));
        let right = printable_line(&line[offset..end]);
        Some(Self {
            file: printable_line(&place.file).into_owned(),
            number: place.line,
            column: place.column,
            line: format!("{left}{right}{after}"),
            offset: left.len(),
        })
    }
}

/// An error with the shown part of the source.
#[derive(Debug)]
struct Report<'error> {
    error: &'error Error,
    excerpt: Option<Excerpt>,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.excerpt {
            Some(_) => formatter.write_str(&self.error.0.title()),
            None => formatter.write_str(&self.error.0.headline()),
        }
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.error.0.help.as_ref()?;
        Some(Box::new(printable(help)))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt
            .as_ref()
            .map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let offset = self.excerpt.as_ref()?.offset;
        Some(Box::new(std::iter::once(LabeledSpan::at_offset(
            offset, "here",
        ))))
    }
}

/// Gives the one available line, with its line number.
impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        _context_lines_before: usize,
        _context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, miette::MietteError> {
        if span.offset() > self.line.len() {
            return Err(miette::MietteError::OutOfBounds);
        }
        Ok(Box::new(MietteSpanContents::new_named(
            self.file.clone(),
            self.line.as_bytes(),
            SourceSpan::from((0, self.line.len())),
            self.number.saturating_sub(1) as usize,
            self.column.saturating_sub(1) as usize,
            1,
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error() -> Error {
        Error::new(ErrorKind::Syntax, "unexpected `y`")
            .at(Place::in_text("a.c", "int a;\n\tint x y;\n", 14))
            .with_help("expected `;`")
    }

    #[test]
    fn one_line_names_the_place() {
        assert_eq!(error().to_string(), "a.c:2:8: syntax error: unexpected `y`");
    }

    #[test]
    fn plain_rendering_marks_the_column() {
        let expected = "a.c:2:8: syntax error: unexpected `y`\n 2 | \tint x y;\n   | \t      ^\nhelp: expected `;`\n";
        assert_eq!(error().render(Style::Plain), expected);
    }

    #[test]
    fn a_second_place_follows_the_first() {
        let place = |span: Span| {
            Some(Place {
                line: span.line,
                column: 5,
                source_line: Some("int f;".into()),
                ..Place::file("b.c")
            })
        };
        let span = Span {
            line: 7,
            ..Span::NONE
        };
        let error = Error::new(ErrorKind::Link, "two definitions of `f`")
            .at(Place::in_text("a.c", "int f = 1;", 4))
            .with_other("the other definition", span)
            .located(place);
        let expected = "a.c:1:5: linking: two definitions of `f`\n 1 | int f = 1;\n   |     ^\n\
                        b.c:7:5: the other definition\n 7 | int f;\n   |     ^\n";
        assert_eq!(error.render(Style::Plain), expected);
    }

    #[test]
    fn fancy_rendering_has_the_line_and_its_number() {
        let text = error().render(Style::Fancy);
        assert!(text.contains("a.c:2:8"), "{text}");
        assert!(text.contains("int x y;"), "{text}");
        assert!(text.contains("expected `;`"), "{text}");
    }

    #[test]
    fn a_source_does_not_speak_to_the_terminal() {
        let line = "int \u{1b}[2J\u{202e}x y;";
        let error = Error::new(ErrorKind::Syntax, "unexpected `\u{1b}]0;y\u{7}`")
            .at(Place::in_text("a\u{9b}\n.c", line, line.len() - 2))
            .with_help("\u{1b}c");
        let expected = "a\\u{9b}\\n.c:1:14: syntax error: unexpected `\\x1b]0;y\\x07`\n \
                        1 | int \\x1b[2J\\u{202e}x y;\n   | \
                        \u{20}                    ^\nhelp: \\x1bc\n";
        assert_eq!(error.render(Style::Plain), expected);
        let fancy = error.render(Style::Fancy);
        for active in ["\u{1b}[2J", "\u{202e}", "\u{1b}]", "\u{9b}", "\u{1b}c"] {
            assert!(!fancy.contains(active), "{fancy:?}");
        }
    }

    #[test]
    fn long_lines_are_cut() {
        let line = format!("{}x{}", "ä".repeat(500), "b".repeat(500));
        let error = Error::new(ErrorKind::Syntax, "m").at(Place::in_text("a.c", &line, 1000));
        let text = error.render(Style::Plain);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "a.c:1:1001: syntax error: m");
        assert!(lines[1].len() < 250, "{text}");
        let column = lines[2]
            .chars()
            .position(|character| character == '^')
            .unwrap();
        assert_eq!(lines[1].chars().nth(column), Some('x'), "{text}");
        assert!(error.render(Style::Fancy).contains('x'));
    }

    #[test]
    fn a_place_past_the_end_is_the_end() {
        let place = Place::in_text("a", "ä", 1);
        assert_eq!((place.line, place.column), (1, 1));
        let place = Place::in_text("a", "x\n", 99);
        assert_eq!((place.line, place.column), (2, 1));
    }
}
