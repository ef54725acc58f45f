//! The place in the program's text that is being lowered, and the errors at it.

use std::ops::Range;

use lang_c::span::Node;

use crate::lower::Result;
use crate::parse::ParsedUnit;
use crate::position::{Origin, PositionMap};
use crate::types::layout::LayoutError;
use regatta_base::diagnostic::{Error, ErrorKind};
use regatta_program::Span;

/// The place that is being lowered.
pub(in crate::lower) struct Cursor<'a> {
    /// The file; in the verifier's own text, the last one that was lowered.
    parsed: &'a ParsedUnit,
    /// The source text; `None` for the verifier's own text, which has no source positions.
    origin: Option<Origin>,
    /// The source position of the node.
    span: Span,
    /// Whether the declaration is in a system header.
    in_system_header: bool,
    /// The innermost call, as a range of the text.
    call: Option<Range<usize>>,
    /// Whether it is the expression of a witness (see [`crate::lower::expressions::defined`]).
    is_watched: bool,
    /// Whether results of operations wrap around, so that they are not checked.
    is_wrapping: bool,
}

/// The place that [`Cursor::enter_own_text`] left.
pub(in crate::lower) struct LeftPlace {
    origin: Option<Origin>,
    span: Span,
}

impl<'a> Cursor<'a> {
    pub fn new(parsed: &'a ParsedUnit) -> Self {
        Self {
            parsed,
            origin: None,
            span: Span::NONE,
            in_system_header: false,
            call: None,
            is_watched: false,
            is_wrapping: false,
        }
    }

    // --- the place ---

    /// Goes to a file of the program.
    pub fn enter_file(&mut self, parsed: &'a ParsedUnit) {
        self.parsed = parsed;
    }

    /// The positions in the current file.
    pub fn positions(&self) -> &'a PositionMap {
        &self.parsed.positions
    }

    pub fn span(&self) -> Span {
        self.span
    }

    pub fn set_span(&mut self, span: Span) {
        self.span = span;
    }

    /// The source text; `None` in the verifier's own text.
    pub fn origin(&self) -> Option<Origin> {
        self.origin
    }

    /// The source text; `None` in code that is not the user's.
    pub fn users_origin(&self) -> Option<Origin> {
        self.origin.filter(|_| !self.in_system_header)
    }

    pub fn is_in_system_header(&self) -> bool {
        self.in_system_header
    }

    /// Checks whether the current text is C23.
    pub fn is_c23(&self) -> bool {
        self.origin.is_some() && self.parsed.dialect.is_c23
    }

    /// Checks whether the current text is C23 because the user selected that standard.
    pub fn is_c23_alone(&self) -> bool {
        self.origin.is_some() && self.parsed.dialect.is_c23_alone()
    }

    /// Goes to an external declaration, which begins at the offset.
    pub fn enter_declaration(&mut self, origin: Origin, start: usize) {
        self.origin = Some(origin);
        self.in_system_header = self.parsed.positions.is_from_system(origin, start);
    }

    /// Leaves the program's text.
    pub fn leave_text(&mut self) {
        self.origin = None;
        self.in_system_header = false;
        self.span = Span::NONE;
    }

    /// Goes to the verifier's own text; [`Self::leave_own_text`] returns.
    pub fn enter_own_text(&mut self) -> LeftPlace {
        LeftPlace {
            origin: self.origin.take(),
            span: std::mem::replace(&mut self.span, Span::NONE),
        }
    }

    pub fn leave_own_text(&mut self, left: LeftPlace) {
        self.origin = left.origin;
        self.span = left.span;
    }

    /// Enters a call, and returns the call around it, to be given to [`Self::leave_call`].
    pub fn enter_call(&mut self, call: Range<usize>) -> Option<Range<usize>> {
        self.call.replace(call)
    }

    pub fn leave_call(&mut self, outer: Option<Range<usize>>) {
        self.call = outer;
    }

    /// The end of the innermost call in the user's file.
    pub fn call_end(&self) -> Option<Span> {
        let (origin, call) = self.origin.zip(self.call.clone())?;
        self.parsed.positions.call_end(origin, call)
    }

    /// Whether the expression of a witness is being lowered.
    pub fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// Sets whether it is the expression of a witness, and returns what was set.
    pub fn watch(&mut self, is_watched: bool) -> bool {
        std::mem::replace(&mut self.is_watched, is_watched)
    }

    /// Whether results of operations wrap around.
    pub fn is_wrapping(&self) -> bool {
        self.is_wrapping
    }

    /// Sets whether results of operations wrap around, and returns what was set.
    pub fn wrap(&mut self, is_wrapping: bool) -> bool {
        std::mem::replace(&mut self.is_wrapping, is_wrapping)
    }

    /// The source position at which a node begins.
    pub fn place_of<T>(&self, node: &Node<T>) -> Span {
        match self.origin {
            Some(origin) => self.parsed.positions.span(origin, node.span.start),
            None => Span::NONE,
        }
    }

    /// The position of the statement at the offset; `None` in code that is not the user's.
    pub fn statement_span(&self, offset: usize) -> Option<Span> {
        let origin = self.users_origin()?;
        let span = self.parsed.positions.statement_span(origin, offset);
        (span != Span::NONE).then_some(span)
    }

    // --- errors ---

    /// A type error at the current position.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Type, message).with_span(self.span)
    }

    /// An internal error: the lowering's own results contradict each other.
    pub fn contradiction(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Internal, message).with_span(self.span)
    }

    /// A type error at a node.
    pub fn error_at<T>(&self, node: &Node<T>, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Type, message).with_span(self.place_of(node))
    }

    /// Turns a layout error into a type error.
    pub fn laid_out<T>(&self, result: std::result::Result<T, LayoutError>) -> Result<T> {
        result.map_err(|error| self.error(error.to_string()))
    }
}
