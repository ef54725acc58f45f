//! The places of the program's text that a witness speaks of.

use super::finding::Finding;
use super::format::{InvariantKind, Location, WaypointKind};
use super::node::Located;
use crate::frontend::Specification;
use crate::frontend::statements::{SourceText, StatementKind, StatementText, TokenIndex};

/// A place in the program's text at which something can be put in.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    /// In front of a statement, by its number.
    Statement(usize),
    /// In front of an expression that is evaluated as a whole, by its first token.
    Expression(TokenIndex),
    /// In front of the controlling expression of a loop, by its statement's number.
    Loop(usize),
    /// The controlling expression of a statement, by its number.
    Branch(usize),
    /// The condition of the `?`.
    Choice(TokenIndex),
    /// A call, by its closing parenthesis, before it happens.
    Enter(TokenIndex),
    /// The same, after it has come back.
    Return(TokenIndex),
    /// The beginning of a function's body, by its opening brace.
    Body(TokenIndex),
}

/// What a witness looks for at a place.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    Waypoint(WaypointKind),
    Invariant(InvariantKind),
}

/// Finds the point of a location.
///
/// # Errors
/// When there is none of the kind there.
pub fn find(
    source: &SourceText,
    property: &Specification,
    wanted: Wanted,
    location: &Location,
) -> Result<Point, Finding> {
    let lines = source.line_count();
    let line = location.line.value;
    if line > lines {
        let message = format!("the file has only {lines} lines");
        return Err(Finding::new(location.line.at, message));
    }
    if let Some(column) = &location.column {
        let length = source.line(line).len();
        if column.value as usize > length {
            let message = format!("line {line} has only {length} columns");
            return Err(Finding::new(column.at, message));
        }
    }
    let finder = Finder {
        source,
        property,
        line,
        column: location.column.as_ref(),
    };
    let found = match wanted {
        Wanted::Waypoint(WaypointKind::Assumption) | Wanted::Invariant(InvariantKind::Location) => {
            finder.statement()
        }
        Wanted::Waypoint(WaypointKind::Target) => finder.target(),
        Wanted::Waypoint(WaypointKind::Branching) => finder.branching(),
        Wanted::Waypoint(WaypointKind::FunctionEnter) => finder.call(Point::Enter),
        Wanted::Waypoint(WaypointKind::FunctionReturn) => finder.call(Point::Return),
        Wanted::Invariant(InvariantKind::Loop) => finder.head(),
        Wanted::Invariant(InvariantKind::Contract) => finder.definition(),
        // Not put in; a statement or a loop, as it may be.
        Wanted::Invariant(InvariantKind::Transition) => return Ok(Point::Statement(0)),
    };
    let (point, token) = found.map_err(|message| {
        let at = location.column.as_ref().map_or(location.line.at, |c| c.at);
        Finding::new(at, message)
    })?;
    if let Some(function) = &location.function {
        in_function(source, token, function)?;
    }
    Ok(point)
}

/// Whether the token is in the function.
fn in_function(
    source: &SourceText,
    token: TokenIndex,
    function: &Located<String>,
) -> Result<(), Finding> {
    let around = source.function(token).unwrap_or_default();
    if around == function.value {
        return Ok(());
    }
    let message = match source.defines(&function.value) {
        true => format!(
            "this place is in the function `{around}`, not in `{}`",
            function.value
        ),
        false => format!("there is no function `{}`", function.value),
    };
    Err(Finding::new(function.at, message))
}

/// Looks for places on a line.
struct Finder<'w> {
    source: &'w SourceText,
    property: &'w Specification,
    line: u32,
    column: Option<&'w Located<u32>>,
}

type Found = Result<(Point, TokenIndex), String>;

impl Finder<'_> {
    /// The tokens that may be meant, leftmost first.
    fn candidates(&self) -> Vec<TokenIndex> {
        match self.column {
            Some(column) => self
                .source
                .at(self.line, column.value)
                .into_iter()
                .collect(),
            None => self.source.on_line(self.line).collect(),
        }
    }

    /// The outermost statement that begins at a candidate and is wanted.
    fn statement_where(
        &self,
        is_wanted: impl Fn(&StatementText) -> bool,
    ) -> Option<(usize, TokenIndex)> {
        let statements = self.source.statements();
        self.candidates().into_iter().find_map(|token| {
            let found = statements
                .iter()
                .position(|statement| statement.first == token && is_wanted(statement));
            found.map(|number| (number, token))
        })
    }

    fn nothing(&self, what: &str) -> String {
        let found = match self.column {
            None => String::new(),
            Some(_) => match self.candidates().first() {
                Some(&token) => {
                    let text = String::from_utf8_lossy(self.source.bytes(token)).into_owned();
                    format!(", found `{text}`")
                }
                None => ", found the middle of a word, or nothing".to_owned(),
            },
        };
        match self.column {
            Some(_) => format!("expected {what}{found}"),
            None => format!("there is no {what} on this line"),
        }
    }

    fn statement(&self) -> Found {
        let found = self.statement_where(|statement| statement.kind != StatementKind::Block);
        match found {
            Some((number, token)) => {
                let is_plain =
                    self.source.statements()[number].is_item || self.source.ends_certainly(number);
                match is_plain {
                    true => Ok((Point::Statement(number), token)),
                    false => Err("a macro may hide where this statement ends".to_owned()),
                }
            }
            None => {
                let mut candidates = self.candidates().into_iter();
                let full = candidates.find(|&token| {
                    self.column.is_some() && self.source.begins_full_expression(token)
                });
                match full {
                    Some(token) => Ok((Point::Expression(token), token)),
                    None => Err(self.nothing("the beginning of a statement")),
                }
            }
        }
    }

    /// A statement; without a column the one that violates the property, if one does.
    fn target(&self) -> Found {
        let violates = |statement: &StatementText| {
            let is_simple = matches!(statement.kind, StatementKind::Other | StatementKind::Jump);
            let mut tokens = statement.first..=statement.last;
            is_simple
                && tokens.any(|token| {
                    let text = String::from_utf8_lossy(self.source.bytes(token));
                    self.source.is_name(token) && self.property.forbids_call(&text)
                })
        };
        if self.column.is_none()
            && let Some((number, token)) = self.statement_where(violates)
            && (self.source.statements()[number].is_item || self.source.ends_certainly(number))
        {
            return Ok((Point::Statement(number), token));
        }
        self.statement()
    }

    fn head(&self) -> Found {
        match self.statement_where(|statement| statement.kind.is_loop()) {
            Some((number, token)) => Ok((Point::Loop(number), token)),
            None => Err(self.nothing("loop's keyword (`for`, `while` or `do`)")),
        }
    }

    fn definition(&self) -> Found {
        let mut candidates = self.candidates().into_iter();
        match candidates.find_map(|token| self.source.header_of(token)) {
            Some(open) => Ok((Point::Body(open), open)),
            None => Err(self.nothing("definition of a function")),
        }
    }

    fn branching(&self) -> Found {
        if let Some((number, token)) = self.statement_where(|one| one.kind.header().is_some()) {
            return Ok((Point::Branch(number), token));
        }
        let mut candidates = self.candidates().into_iter();
        match candidates.find(|&token| self.source.is(token, b"?")) {
            Some(token) => Ok((Point::Choice(token), token)),
            None => Err(self.nothing("keyword that branches (`if`, `switch`, a loop's) or `?`")),
        }
    }

    fn call(&self, point: fn(TokenIndex) -> Point) -> Found {
        let mut candidates = self.candidates().into_iter();
        match candidates.find(|&token| self.source.call_closed_by(token).is_some()) {
            Some(token) => Ok((point(token), token)),
            None => Err(self.nothing("closing parenthesis of a call")),
        }
    }
}
