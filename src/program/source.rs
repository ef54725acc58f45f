//! Source positions.
//!
//! A [`Span`] is a position in an original file (line markers of the preprocessor resolved), not in the preprocessed text,
//! since messages and witnesses must name the original. It takes eight bytes.

use std::sync::Arc;

/// A file of the [`SourceMap`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FileId(pub u16);

/// A position in a source file; line zero means "no position".
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The line, from one; zero for generated code.
    pub line: u32,
    /// The column in bytes, from one.
    pub column: u16,
    pub file: FileId,
}

/// The names of the source files.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// Names as the user or the preprocessor gave them, by [`FileId`].
    pub files: Vec<Arc<str>>,
}

impl Span {
    /// The span of generated code.
    pub const NONE: Self = Self {
        line: 0,
        column: 0,
        file: FileId(0),
    };
}

impl SourceMap {
    /// `file:line:column`, or `<built-in>` for generated code.
    pub fn describe(&self, span: Span) -> String {
        match self.files.get(span.file.0 as usize) {
            Some(name) if span.line > 0 => format!("{name}:{}:{}", span.line, span.column),
            _ => "<built-in>".to_owned(),
        }
    }
}
