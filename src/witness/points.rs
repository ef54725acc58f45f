//! Places of the program's text to which a witness refers.

use super::finding::Finding;
use super::format::{InvariantKind, Location, WaypointKind};
use super::node::Located;
use regatta_frontend::statements::{SourceText, StatementKind, StatementText, TokenIndex};

/// A place in the program's text at which code can be inserted.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    /// Before a statement, by its number.
    Statement(usize),
    /// Before a full expression, by its first token.
    Expression(TokenIndex),
    /// Before the controlling expression of a loop, by its statement's number.
    Loop(usize),
    /// The controlling expression of a statement, by its number.
    Branch(usize),
    /// The condition of a conditional operator, by its `?`.
    Choice(TokenIndex),
    /// Before a call, by its closing parenthesis.
    Enter(TokenIndex),
    /// After the return of a call, by its closing parenthesis.
    Return(TokenIndex),
    /// The beginning of a function's body, by its opening brace.
    Body(TokenIndex),
}

/// The part of the text in which a violation has to happen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    pub first: TokenIndex,
    pub last: TokenIndex,
    /// The number of the statement, if the extent is a whole one.
    pub statement: Option<usize>,
}

/// The kind of place that a witness refers to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    Waypoint(WaypointKind),
    Invariant(InvariantKind),
}

/// Finds the point of a location.
///
/// # Errors
/// When there is no place of the kind.
pub fn find(source: &SourceText, wanted: Wanted, location: &Location) -> Result<Point, Finding> {
    let finder = Finder::new(source, location)?;
    let found = match wanted {
        Wanted::Waypoint(WaypointKind::Assumption)
        | Wanted::Invariant(InvariantKind::Location | InvariantKind::LocationTransition) => {
            finder.statement()
        }
        Wanted::Waypoint(WaypointKind::Target) => return Err(finder.no_target(location)),
        Wanted::Waypoint(WaypointKind::Branching) => finder.branching(),
        Wanted::Waypoint(WaypointKind::FunctionEnter) => finder.call(Point::Enter),
        Wanted::Waypoint(WaypointKind::FunctionReturn) => finder.call(Point::Return),
        Wanted::Invariant(InvariantKind::Loop | InvariantKind::LoopTransition) => finder.head(),
        Wanted::Invariant(InvariantKind::Contract) => finder.definition(),
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

/// Returns the extents that a target's location may mean, leftmost first.
///
/// # Errors
/// When there is no extent.
pub fn targets(source: &SourceText, location: &Location) -> Result<Vec<Extent>, Finding> {
    let finder = Finder::new(source, location)?;
    let found = finder.targets();
    let first = found.first().ok_or_else(|| finder.no_target(location))?;
    if let Some(function) = &location.function {
        in_function(source, first.first, function)?;
    }
    Ok(found)
}

/// Checks whether the token is in the function.
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

/// Searches for places on a line.
struct Finder<'w> {
    source: &'w SourceText,
    line: u32,
    column: Option<&'w Located<u32>>,
}

type Found = Result<(Point, TokenIndex), String>;

impl<'w> Finder<'w> {
    /// Creates a finder for a location, which has to be in the file.
    fn new(source: &'w SourceText, location: &'w Location) -> Result<Self, Finding> {
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
        Ok(Self {
            source,
            line,
            column: location.column.as_ref(),
        })
    }

    /// Returns the tokens that the location may mean, leftmost first.
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

    /// Returns the outermost statement that begins at a candidate and satisfies the predicate.
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

    /// Returns the extents of the statements and expressions at the candidates.
    fn targets(&self) -> Vec<Extent> {
        let statements = self.source.statements();
        let at = |token: TokenIndex| {
            let at_token = (0..statements.len()).filter(move |&one| statements[one].first == token);
            let extents = at_token.filter_map(|number| self.extent(number));
            let is_expression = self.column.is_some() && self.source.begins_full_expression(token);
            let whole = is_expression.then(|| Extent {
                first: token,
                last: self.source.end_of_expression(token),
                statement: None,
            });
            extents.chain(whole).collect::<Vec<_>>()
        };
        self.candidates().into_iter().flat_map(at).collect()
    }

    /// Returns the part of a statement that is evaluated before any other statement begins.
    fn extent(&self, number: usize) -> Option<Extent> {
        let statement = &self.source.statements()[number];
        let Extent {
            last, statement, ..
        } = match statement.kind {
            StatementKind::Block => return None,
            StatementKind::Labelled => {
                let inner = self.source.statements().get(number + 1);
                let inner = inner.filter(|inner| inner.first <= statement.last);
                inner
                    .and_then(|_| self.extent(number + 1))
                    .unwrap_or(Extent {
                        first: statement.first,
                        last: statement.first,
                        statement: None,
                    })
            }
            StatementKind::Other | StatementKind::Jump => {
                let is_certain = statement.is_item || self.source.ends_certainly(number);
                Extent {
                    first: statement.first,
                    last: statement.last,
                    statement: is_certain.then_some(number),
                }
            }
            kind => Extent {
                first: statement.first,
                last: kind.header()?.close,
                statement: None,
            },
        };
        Some(Extent {
            first: self.source.statements()[number].first,
            last,
            statement,
        })
    }

    fn no_target(&self, location: &Location) -> Finding {
        let at = location.column.as_ref().map_or(location.line.at, |c| c.at);
        Finding::new(at, self.nothing("the beginning of a statement"))
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
