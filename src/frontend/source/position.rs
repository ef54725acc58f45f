//! Maps positions in the text that lang-c parsed to positions in the user's files.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::align::{Alignment, align};
use crate::syntax::token::{Marker, Markers, Tokens};
use regatta_base::diagnostic::{Error, ErrorKind, Place};
use regatta_program::{FileId, SourceMap, Span};

/// The rewritten text that a span of the syntax tree refers to: lang-c parses one external declaration at a time.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin(u32);

/// What the files of a program have numbered so far: a further file goes on from there.
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    /// The names of files, by [`FileId`].
    pub(crate) files: Vec<Arc<str>>,
    /// Number of origins.
    origins: u32,
}

/// Maps offsets in the syntax tree to places in the original files.
#[derive(Debug, Default)]
pub struct PositionMap {
    /// The text that was tokenised.
    text: Vec<u8>,
    markers: Vec<Marker>,
    line_starts: Vec<u32>,
    files: Vec<Arc<str>>,
    /// For each origin, pieces (offset in the rewritten text, offset in `text`), in order.
    pieces: Vec<Vec<(u32, u32)>>,
    /// The number of the first origin of this text; those before belong to other files of the program.
    first_origin: u32,
    /// The alignments of lines of `text` with columns that differ from the original line.
    alignments: FxHashMap<u32, Alignment>,
    /// The user's own files, for messages; not read where `text` is the user's file.
    originals: FxHashMap<FileId, Original>,
    /// Whether `text` is the preprocessor's output.
    resolves: bool,
}

/// A file as the user wrote it.
#[derive(Debug)]
struct Original {
    text: Vec<u8>,
    line_starts: Vec<u32>,
}

impl Original {
    fn read(name: &str) -> Option<Self> {
        let text = std::fs::read(name).ok()?;
        let newlines = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let line_starts = std::iter::once(0)
            .chain(newlines.map(|(offset, _)| offset as u32 + 1))
            .collect();
        Some(Self { text, line_starts })
    }

    /// A line, numbered from one.
    fn line(&self, number: u32) -> Option<&[u8]> {
        let index = number.checked_sub(1)? as usize;
        let start = *self.line_starts.get(index)? as usize;
        let end = self
            .line_starts
            .get(index + 1)
            .map_or(self.text.len(), |&next| next as usize - 1);
        self.text.get(start..end)
    }
}

impl PositionMap {
    pub(crate) fn new(text: Vec<u8>, tokens: &mut Tokens, markers: Markers) -> Self {
        let mut positions = Self {
            text,
            markers: std::mem::take(&mut tokens.markers),
            line_starts: std::mem::take(&mut tokens.line_starts),
            files: std::mem::take(&mut tokens.files),
            pieces: Vec::new(),
            first_origin: 0,
            alignments: FxHashMap::default(),
            originals: FxHashMap::default(),
            resolves: markers == Markers::Resolve,
        };
        if markers == Markers::Resolve {
            positions.align();
        }
        positions
    }

    /// Aligns the preprocessor's lines with the user's.
    fn align(&mut self) {
        for (index, marker) in self.markers.iter().enumerate() {
            if marker.system || marker.line == 0 {
                continue;
            }
            let end = self
                .markers
                .get(index + 1)
                .map_or(self.text.len() as u32, |next| next.offset);
            if marker.offset >= end {
                continue;
            }
            let name = &self.files[marker.file.0 as usize];
            if !self.originals.contains_key(&marker.file)
                && !name.starts_with('<')
                && let Some(original) = Original::read(name)
            {
                self.originals.insert(marker.file, original);
            }
            let Some(original) = self.originals.get(&marker.file) else {
                continue;
            };
            for line in marker.text_line.. {
                let Some(&start) = self
                    .line_starts
                    .get(line as usize)
                    .filter(|&&start| start < end)
                else {
                    break;
                };
                let preprocessed = line_at(&self.text, start);
                // A marker may name any line.
                let number = marker.line.saturating_add(line - marker.text_line);
                if !preprocessed.is_empty()
                    && let Some(alignment) = original
                        .line(number)
                        .and_then(|original| align(preprocessed, original))
                {
                    self.alignments.insert(line, alignment);
                }
            }
        }
    }

    /// Numbers the origins after those of the files before. To be called before the first is added.
    pub(crate) fn go_on_from(&mut self, before: &Numbering) {
        self.first_origin = before.origins;
    }

    pub(crate) fn add_origin(&mut self, pieces: Vec<(u32, u32)>) -> Origin {
        self.pieces.push(pieces);
        Origin(self.first_origin + self.pieces.len() as u32 - 1)
    }

    /// What this file and those before it have numbered.
    pub(crate) fn numbering(&self) -> Numbering {
        Numbering {
            files: self.files.clone(),
            origins: self.first_origin + self.pieces.len() as u32,
        }
    }

    fn pieces_of(&self, origin: Origin) -> Option<&Vec<(u32, u32)>> {
        let index = origin.0.checked_sub(self.first_origin)?;
        self.pieces.get(index as usize)
    }

    /// The files' names, by [`FileId`].
    pub fn source_map(&self) -> SourceMap {
        SourceMap {
            files: self.files.clone(),
        }
    }

    /// The place in the original file of an offset in the syntax tree (`node.span.start`).
    pub fn span(&self, origin: Origin, offset: usize) -> Span {
        self.source_offset(origin, offset)
            .map_or(Span::NONE, |offset| self.source_span(offset))
    }

    /// [`Self::span`], with column zero if the position is within the expansion of a macro, so that the original file
    /// has no column for it.
    pub fn exact_span(&self, origin: Origin, offset: usize) -> Span {
        let offset = self.source_offset(origin, offset);
        offset.map_or(Span::NONE, |offset| self.exact_source_span(offset))
    }

    /// [`Self::exact_span`] of a statement's first character, with column zero if the text before it in the original
    /// line cannot precede a statement: then the statement is an argument of a macro.
    pub fn statement_span(&self, origin: Origin, offset: usize) -> Span {
        let span = self.exact_span(origin, offset);
        let original = self.originals.get(&span.file).filter(|_| self.resolves);
        let line = original.and_then(|original| original.line(span.line));
        let column = usize::from(span.column).checked_sub(1);
        let before = line
            .zip(column)
            .and_then(|(line, column)| line.get(..column));
        match before.and_then(|before| before.trim_ascii_end().last()) {
            Some(byte) if byte.is_ascii_punctuation() && !b";:{})/_".contains(byte) => {
                Span { column: 0, ..span }
            }
            _ => span,
        }
    }

    fn exact_source_span(&self, offset: u32) -> Span {
        let span = self.source_span(offset);
        if self.is_exact(offset, span) {
            return span;
        }
        Span { column: 0, ..span }
    }

    fn is_exact(&self, offset: u32, span: Span) -> bool {
        if span.column == 0 || span.column == u16::MAX {
            return false;
        }
        if !self.resolves {
            return true;
        }
        let original = self.originals.get(&span.file);
        let line = original.and_then(|original| original.line(span.line));
        let Some(there) = line.and_then(|line| line.get(usize::from(span.column) - 1..)) else {
            return false;
        };
        let here = self.text.get(offset as usize..).unwrap_or_default();
        first_piece(here) == first_piece(there)
    }

    /// The position of the `?` after a condition, given as a range.
    pub fn question_mark(&self, origin: Origin, condition: Range<usize>) -> Option<Span> {
        let last = condition.end.checked_sub(1)?;
        let start = self.source_offset(origin, last)? as usize + 1;
        let rest = self.text.get(start..)?;
        let skipped = rest
            .iter()
            .take_while(|&&byte| byte == b')' || byte.is_ascii_whitespace());
        let at = start + skipped.count();
        let is_mark = self.text.get(at) == Some(&b'?');
        let is_exact = self.exact_span(origin, condition.start).column > 0;
        (is_mark && is_exact).then(|| self.exact_source_span(at as u32))
    }

    /// The position of the closing parenthesis of a call, given as a range.
    pub fn call_end(&self, origin: Origin, call: Range<usize>) -> Option<Span> {
        let at = self.source_offset(origin, call.end.checked_sub(1)?)?;
        let is_end = self.text.get(at as usize) == Some(&b')');
        // If the call is within the expansion of a macro, the parenthesis could be another one.
        let is_exact = self.exact_span(origin, call.start).column > 0;
        (is_end && is_exact).then(|| self.exact_source_span(at))
    }

    /// Whether the text at an offset in the syntax tree comes from a system header.
    pub fn is_from_system(&self, origin: Origin, offset: usize) -> bool {
        let offset = self.source_offset(origin, offset);
        offset.is_some_and(|offset| self.is_system(offset))
    }

    /// The text that was tokenised.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    fn source_offset(&self, origin: Origin, offset: usize) -> Option<u32> {
        source_offset(self.pieces_of(origin)?, offset)
    }

    fn marker(&self, offset: u32) -> Option<&Marker> {
        let after = self
            .markers
            .partition_point(|marker| marker.offset <= offset);
        self.markers.get(after.checked_sub(1)?)
    }

    /// The line of the text, from zero, and the offset where it starts.
    fn text_line(&self, offset: u32) -> (u32, u32) {
        let line = self
            .line_starts
            .partition_point(|&start| start <= offset)
            .saturating_sub(1);
        (
            line as u32,
            self.line_starts.get(line).copied().unwrap_or(0),
        )
    }

    /// The place in the original file of an offset in the text.
    pub(crate) fn source_span(&self, offset: u32) -> Span {
        let Some(marker) = self.marker(offset) else {
            return Span::NONE;
        };
        let (line, start) = self.text_line(offset);
        let mut column = offset - start;
        if let Some(alignment) = self.alignments.get(&line) {
            let after = alignment.partition_point(|&(piece, _)| piece <= column);
            column = after.checked_sub(1).map_or(0, |piece| alignment[piece].1);
        }
        Span {
            line: marker
                .line
                .saturating_add(line - marker.text_line.min(line)),
            column: u16::try_from(column + 1).unwrap_or(u16::MAX),
            file: marker.file,
        }
    }

    /// Whether an offset in the text comes from a system header.
    pub fn is_system(&self, offset: u32) -> bool {
        self.marker(offset).is_some_and(|marker| marker.system)
    }

    /// `file:line:column` of an offset in the text.
    pub(crate) fn describe(&self, offset: u32) -> String {
        self.place_of_offset(offset).to_string()
    }

    fn file_name(&self, file: FileId) -> Arc<str> {
        self.files
            .get(file.0 as usize)
            .cloned()
            .unwrap_or_else(|| "<built-in>".into())
    }

    fn place_of_offset(&self, offset: u32) -> Place {
        let (_, start) = self.text_line(offset);
        self.place_on_line(self.source_span(offset), Some(start))
    }

    /// The place of a span on the line of the text that begins at an offset.
    fn place_on_line(&self, span: Span, start: Option<u32>) -> Place {
        let line = self
            .originals
            .get(&span.file)
            .and_then(|original| original.line(span.line))
            .or_else(|| start.map(|start| line_at(&self.text, start)));
        Place {
            file: self.file_name(span.file),
            line: span.line,
            column: u32::from(span.column),
            source_line: line.map(|line| String::from_utf8_lossy(line).trim_end().into()),
        }
    }

    /// The offset of the line of the text that a span is on; `None` for a span of another file of the program.
    fn line_of(&self, span: Span) -> Option<u32> {
        let inside = |index: usize| {
            let marker = self.markers.get(index)?;
            let text_line = marker
                .text_line
                .checked_add(span.line.checked_sub(marker.line)?)?;
            // The last line before the next marker's range is the marker itself.
            let valid = marker.file == span.file
                && self
                    .markers
                    .get(index + 1)
                    .is_none_or(|next| text_line < next.text_line.saturating_sub(1));
            self.line_starts
                .get(text_line as usize)
                .copied()
                .filter(|_| valid)
        };
        (0..self.markers.len()).find_map(inside)
    }

    /// Whether the text has the line that a span is on.
    pub fn covers(&self, span: Span) -> bool {
        self.line_of(span).is_some()
    }

    /// The place, with its source line, of a span from [`Self::span`].
    pub fn place(&self, span: Span) -> Option<Place> {
        if span == Span::NONE {
            return None;
        }
        let start = self.line_of(span);
        Some(self.place_on_line(span, start))
    }

    /// An error at an offset in the text.
    pub(crate) fn error_at(
        &self,
        kind: ErrorKind,
        message: impl Into<String>,
        offset: u32,
    ) -> Error {
        Error::new(kind, message)
            .with_span(self.source_span(offset))
            .at(self.place_of_offset(offset))
    }

    /// An error at a place in the syntax tree (`node.span.start`), with the source line.
    pub fn error(
        &self,
        kind: ErrorKind,
        message: impl Into<String>,
        origin: Origin,
        offset: usize,
    ) -> Error {
        match self.source_offset(origin, offset) {
            Some(offset) => self.error_at(kind, message, offset),
            None => Error::new(kind, message),
        }
    }
}

/// The word or the character at the beginning of the text.
fn first_piece(text: &[u8]) -> &[u8] {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let length = text.iter().take_while(|byte| is_part(byte)).count();
    &text[..length.max(1).min(text.len())]
}

/// The line that begins at an offset, without its end.
fn line_at(text: &[u8], start: u32) -> &[u8] {
    let rest = text.get(start as usize..).unwrap_or_default();
    rest.split(|&byte| byte == b'\n').next().unwrap_or_default()
}

/// The offset in the source of an offset in a rewritten text, by the text's pieces.
pub(crate) fn source_offset(pieces: &[(u32, u32)], offset: usize) -> Option<u32> {
    let offset = u32::try_from(offset).ok()?;
    let after = pieces.partition_point(|&(rewritten, _)| rewritten <= offset);
    let (rewritten, source) = *pieces.get(after.checked_sub(1)?)?;
    let limit = pieces
        .get(after)
        .map_or(u32::MAX, |&(_, next)| next.max(source));
    Some(source.saturating_add(offset - rewritten).min(limit))
}
