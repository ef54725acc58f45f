//! Parses preprocessed text into lang-c's syntax trees, with positions in the original files.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lang_c::ast::{
    DeclaratorKind, DerivedDeclarator, ExternalDeclaration, FunctionDefinition, Statement,
};
use lang_c::driver::{Config, Flavor, parse_preprocessed};
use lang_c::span::Node;

use super::modern;
use super::split::{Chunk, ChunkKind, Outline, outline, typedef_names};
use super::token::{
    Markers, Symbol, TokenKind, Tokens, is_keyword, punctuator as p, tokenise_next, word,
};
use crate::load::DefinedFunction;
use crate::position::{Numbering, Origin, PositionMap};
use crate::preprocess::Preprocessed;
use crate::rewrite::{Rewritten, rewrite};
use crate::standard::Dialect;
use regatta_base::Span;
use regatta_base::diagnostic::{Error, ErrorKind, Warning};

mod message;

/// A file of the program.
#[derive(Debug, Default)]
pub struct ParsedUnit {
    /// The file that the user named.
    pub name: Arc<str>,
    /// The external declarations in order, with the encodings of [`crate::rewrite`].
    pub declarations: Vec<ParsedDeclaration>,
    /// The map from offsets to source positions.
    pub positions: PositionMap,
    /// The dialect of C.
    pub dialect: Dialect,
    /// Warnings for the user, such as unknown attributes.
    pub warnings: Vec<Warning>,
    /// The pragmas about the whole program.
    pub pragmas: Vec<Pragma>,
    /// The assembly outside of functions: its string literals, with positions.
    pub assembly: Vec<(Vec<String>, Span)>,
    /// The declarations that compilers accept and this parser does not.
    pub unread: Vec<Unread>,
}

impl ParsedUnit {
    /// The functions that the file defines, without those of the system's headers.
    pub fn defined_functions(&self) -> Vec<DefinedFunction> {
        let own = self.declarations.iter().filter(|declaration| {
            let start = declaration.node.span.start;
            !self.positions.is_from_system(declaration.origin, start)
        });
        let defined = own.filter_map(|declaration| {
            let ExternalDeclaration::FunctionDefinition(function) = &declaration.node.node else {
                return None;
            };
            let mut declarator = &function.node.declarator.node;
            let name = loop {
                match &declarator.kind.node {
                    DeclaratorKind::Identifier(name) => break name,
                    DeclaratorKind::Declarator(inner) => declarator = &inner.node,
                    DeclaratorKind::Abstract => return None,
                }
            };
            let span = self.positions.span(declaration.origin, name.span.start);
            let place = self.positions.place(span)?;
            Some(DefinedFunction {
                name: name.node.name.clone(),
                place: format!("{}:{}", place.file, place.line),
            })
        });
        defined.collect()
    }
}

/// A declaration at file scope that the parser cannot read; only the names that it declares are known.
#[derive(Clone, Debug)]
pub struct Unread {
    /// The names that it declares.
    pub names: Vec<String>,
    /// Whether it is the definition of a function.
    pub is_function: bool,
    /// Whether it may have other effects: it has an attribute such as `constructor`, or assembly.
    pub acts: bool,
    /// A description for messages.
    pub what: String,
    /// Where it begins.
    pub span: Span,
}

/// A pragma about the whole program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pragma {
    /// `#pragma weak name`, or `#pragma weak name = target`.
    Weak {
        /// The symbol that is weak.
        name: String,
        /// The symbol of which it is an alias.
        target: Option<String>,
    },
    /// `#pragma redefine_extname old new`.
    RedefineExternalName {
        old: String,
        /// The symbol that replaces it.
        new: String,
    },
    /// `#pragma scalar_storage_order` with another order than the machine's.
    StorageOrder,
}

impl Pragma {
    /// Parses the text of a pragma (without `#pragma`), if it is one of these.
    fn read(text: &str) -> Option<Self> {
        let spaced = text.replace('=', " = ");
        let mut words = spaced.split_whitespace();
        let first = words.next()?;
        let rest: Vec<&str> = words.collect();
        match (first, rest.as_slice()) {
            ("weak", [name]) => Some(Self::Weak {
                name: (*name).to_owned(),
                target: None,
            }),
            ("weak", [name, "=", target]) => Some(Self::Weak {
                name: (*name).to_owned(),
                target: Some((*target).to_owned()),
            }),
            ("redefine_extname", [old, new, ..]) => Some(Self::RedefineExternalName {
                old: (*old).to_owned(),
                new: (*new).to_owned(),
            }),
            ("scalar_storage_order", [order, ..])
                if !matches!(*order, "little-endian" | "default") =>
            {
                Some(Self::StorageOrder)
            }
            _ => None,
        }
    }
}

#[derive(Debug)]
pub struct ParsedDeclaration {
    /// The syntax tree; [`PositionMap::span`] translates its spans with the origin.
    pub node: Node<ExternalDeclaration>,
    /// The text to which the spans refer.
    pub origin: Origin,
}

/// Stack size (bytes) for the parser, the type checker and the destructors of syntax trees, which are recursive, up to
/// the nesting that [`crate::rewrite`] permits. Only the used part is committed.
pub const STACK_SIZE: usize = 1 << 30;

/// Runs a part of the front end on a thread with a stack of [`STACK_SIZE`]. Syntax trees must not leave it.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("front end".to_owned())
            .stack_size(STACK_SIZE)
            .spawn_scoped(scope, work)
            .map_err(|error| {
                Error::new(
                    ErrorKind::Unreadable,
                    format!("no thread for the front end: {error}"),
                )
            })?;
        match thread.join() {
            Ok(result) => Ok(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Parses a preprocessed text. Must be called under [`with_large_stack`].
///
/// # Errors
/// When a part of it cannot be read.
pub fn parse(source: Preprocessed) -> Result<ParsedUnit, Error> {
    parse_in_parts(source, &Numbering::default(), &|_| false)
}

/// Parses a preprocessed text; if a compiler accepts it, function bodies and declarations that cannot be read are left
/// out ([`ParsedUnit::unread`]). `before` is what the files of the program before this one have numbered.
///
/// # Errors
/// When a part of it cannot be read and the compiler does not accept it either.
pub fn parse_in_parts(
    source: Preprocessed,
    before: &Numbering,
    is_accepted: &dyn Fn(&[u8]) -> bool,
) -> Result<ParsedUnit, Error> {
    let markers = if source.positions_from_markers {
        Markers::Resolve
    } else {
        Markers::Ignore
    };
    let mut tokens = tokenise_next(&source.text, &source.name, markers, before.files.clone())?;
    modern::adapt(&mut tokens, &source.text, source.dialect);
    let mut positions = PositionMap::new(source.text, &mut tokens, markers);
    positions.go_on_from(before);
    let outline = outline(&tokens, positions.text(), &positions)?;
    let mut parsed = parse_chunks(&tokens, &outline, &positions);
    let mut unread = Vec::new();
    if parsed.iter().any(Result::is_err) && is_accepted(positions.text()) {
        for (number, result) in parsed.iter_mut().enumerate() {
            if let Err(error) = result {
                let unreadable = UnreadableChunk::new(&tokens, &outline, number, &positions);
                *result = Ok(unreadable.chunk(error, &mut unread));
            }
        }
    }
    let mut unit = ParsedUnit {
        name: source.name,
        positions,
        unread,
        dialect: tokens.dialect,
        ..ParsedUnit::default()
    };
    unit.pragmas = tokens
        .pragmas
        .iter()
        .filter_map(|&(start, end)| {
            let text = unit.positions.text().get(start as usize..end as usize)?;
            Pragma::read(&String::from_utf8_lossy(text))
        })
        .collect();
    let mut first_error: Option<Error> = None;
    for (chunk, result) in outline.chunks.iter().zip(parsed) {
        if chunk.kind == ChunkKind::Asm {
            let offset = tokens
                .tokens
                .get(chunk.first)
                .map_or(0, |token| token.start);
            let text = unit.positions.text();
            let strings: Vec<String> = tokens
                .tokens
                .get(chunk.first..chunk.end)
                .unwrap_or_default()
                .iter()
                .filter(|token| token.kind == TokenKind::String)
                .filter_map(|token| text.get(token.start as usize..token.end as usize))
                .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
                .collect();
            let span = unit.positions.source_span(offset);
            unit.assembly.push((strings, span));
        }
        match result {
            Ok(parsed) => {
                for (offset, message) in parsed.warnings {
                    unit.warnings.push(Warning {
                        message,
                        span: unit.positions.source_span(offset),
                    });
                }
                let origin = unit.positions.add_origin(parsed.pieces);
                let nodes = parsed.declarations.into_iter();
                unit.declarations
                    .extend(nodes.map(|node| ParsedDeclaration { node, origin }));
            }
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    match first_error {
        None => Ok(unit),
        Some(error) => Err(error),
    }
}

/// A chunk that cannot be read.
struct UnreadableChunk<'text> {
    tokens: &'text Tokens,
    outline: &'text Outline,
    number: usize,
    chunk: Chunk,
    positions: &'text PositionMap,
}

impl<'text> UnreadableChunk<'text> {
    fn new(
        tokens: &'text Tokens,
        outline: &'text Outline,
        number: usize,
        positions: &'text PositionMap,
    ) -> Self {
        Self {
            tokens,
            outline,
            number,
            chunk: outline.chunks[number],
            positions,
        }
    }

    /// The readable part of the chunk: a function without its body, or nothing; then its names are recorded.
    fn chunk(&self, error: &Error, unread: &mut Vec<Unread>) -> ParsedChunk {
        let (tokens, outline) = (self.tokens, self.outline);
        let what = format!("code that cannot be parsed ({})", error.message());
        let start = self.tokens.tokens[self.chunk.first].start;
        let is_function = self.chunk.kind == ChunkKind::Function;
        if is_function
            && let Ok(mut chunk) = parse_chunk(tokens, outline, self.number, self.positions, true)
        {
            chunk.warnings.push((start, what));
            return chunk;
        }
        unread.push(Unread {
            names: self.names(),
            is_function,
            acts: self.acts(),
            what: what.clone(),
            span: self.positions.source_span(start),
        });
        ParsedChunk {
            declarations: Vec::new(),
            pieces: Vec::new(),
            warnings: vec![(start, what)],
        }
    }

    fn words(&self) -> impl Iterator<Item = (usize, Symbol)> + '_ {
        let tokens = (self.chunk.first..self.chunk.end).zip(
            self.tokens
                .tokens
                .get(self.chunk.first..self.chunk.end)
                .unwrap_or_default(),
        );
        tokens
            .filter(|(_, token)| token.kind == TokenKind::Word)
            .map(|(index, token)| (index, token.symbol))
    }

    /// The names that the chunk declares: declarators and enumerators.
    fn names(&self) -> Vec<String> {
        let is_typedef = |symbol: Symbol| self.outline.is_typedef(symbol, self.number);
        let mut symbols = typedef_names(
            &self.tokens.tokens,
            &self.outline.partner,
            self.chunk.first,
            self.chunk.end,
            &is_typedef,
        );
        if self.chunk.kind == ChunkKind::Function {
            symbols.truncate(1);
        }
        // An enumerator follows a brace or a comma. Other words there are no names, or hide none.
        let has_enumerators = self.words().any(|(_, symbol)| symbol == word::Enum);
        let follows = |index: usize| {
            let before = index.checked_sub(1);
            let before = before.and_then(|before| self.tokens.tokens.get(before));
            before.is_some_and(|token| {
                token.kind == TokenKind::Punctuator
                    && (token.symbol == p(b"{") || token.symbol == p(b","))
            })
        };
        if has_enumerators && self.chunk.kind != ChunkKind::Function {
            let words = self.words();
            symbols.extend(words.filter_map(|(index, symbol)| {
                (follows(index) && !is_keyword(symbol)).then_some(symbol)
            }));
        }
        let text =
            |symbol: &Symbol| super::literal::ascii_identifier(self.tokens.words.text(*symbol));
        symbols.iter().map(text).collect()
    }

    /// Whether the chunk may have effects besides declaring names.
    fn acts(&self) -> bool {
        const ACTS: &[&[u8]] = &[
            b"asm",
            b"__asm",
            b"__asm__",
            b"constructor",
            b"destructor",
            b"alias",
            b"weakref",
            b"ifunc",
            b"section",
        ];
        self.words().any(|(_, symbol)| {
            let text = self.tokens.words.text(symbol);
            let plain = text
                .strip_prefix(b"__")
                .and_then(|text| text.strip_suffix(b"__"));
            ACTS.contains(&text) || plain.is_some_and(|plain| ACTS.contains(&plain))
        })
    }
}

struct ParsedChunk {
    declarations: Vec<Node<ExternalDeclaration>>,
    pieces: Vec<(u32, u32)>,
    /// Warnings, with offsets in the source.
    warnings: Vec<(u32, String)>,
}

/// Minimum number of tokens of a text that is parsed by several threads.
const MINIMUM_TOKENS_FOR_THREADS: usize = 40_000;

fn parse_chunks(
    tokens: &Tokens,
    outline: &Outline,
    positions: &PositionMap,
) -> Vec<Result<ParsedChunk, Error>> {
    let count = outline.chunks.len();
    let threads = if tokens.tokens.len() < MINIMUM_TOKENS_FOR_THREADS {
        1
    } else {
        std::thread::available_parallelism().map_or(1, |threads| threads.get().min(8))
    };
    if threads == 1 {
        return (0..count)
            .map(|number| parse_chunk(tokens, outline, number, positions, false))
            .collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut results = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return results;
            }
            results.push((
                number,
                parse_chunk(tokens, outline, number, positions, false),
            ));
        }
    };
    let mut results: Vec<(usize, Result<ParsedChunk, Error>)> = std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads)
            .filter_map(|_| {
                std::thread::Builder::new()
                    .stack_size(STACK_SIZE)
                    .spawn_scoped(scope, work)
                    .ok()
            })
            .collect();
        let mut results = work();
        for helper in helpers {
            match helper.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

fn parse_chunk(
    tokens: &Tokens,
    outline: &Outline,
    number: usize,
    positions: &PositionMap,
    without_body: bool,
) -> Result<ParsedChunk, Error> {
    let text = positions.text();
    let rewritten = rewrite(text, tokens, outline, number, positions, &[], without_body)?;
    let chunk = parse_text(rewritten, tokens, positions)?;
    let shadowed = match chunk.declarations.as_slice() {
        [declaration] => shadowing_parameters(&declaration.node, |name| {
            let symbol = tokens.words.find(name.as_bytes());
            symbol.is_some_and(|symbol| outline.is_typedef(symbol, number))
        }),
        _ => Vec::new(),
    };
    if shadowed.is_empty() || without_body {
        return Ok(chunk);
    }
    let rewritten = rewrite(text, tokens, outline, number, positions, &shadowed, false)?;
    let mut chunk = parse_text(rewritten, tokens, positions)?;
    for declaration in &mut chunk.declarations {
        if let ExternalDeclaration::FunctionDefinition(function) = &mut declaration.node
            && let Statement::Compound(items) = &mut function.node.statement.node
        {
            let count = shadowed.len().min(items.len());
            items.drain(..count);
        }
    }
    Ok(chunk)
}

fn parse_text(
    rewritten: Rewritten,
    tokens: &Tokens,
    positions: &PositionMap,
) -> Result<ParsedChunk, Error> {
    let Rewritten {
        text,
        added_declarations,
        pieces,
        start,
        warnings,
    } = rewritten;
    if text.is_empty() {
        return Ok(ParsedChunk {
            declarations: Vec::new(),
            pieces,
            warnings,
        });
    }
    // The preprocessor is never called: only the flavour matters.
    let config = Config {
        cpp_command: String::new(),
        cpp_options: Vec::new(),
        flavor: Flavor::GnuC11,
    };
    match parse_preprocessed(&config, text) {
        Ok(mut parse) => {
            let added = added_declarations.min(parse.unit.0.len());
            parse.unit.0.drain(..added);
            Ok(ParsedChunk {
                declarations: parse.unit.0,
                pieces,
                warnings,
            })
        }
        Err(error) => Err(message::syntax_error(
            &error, &pieces, start, tokens, positions,
        )),
    }
}

/// The parameters of a function definition that hide typedef names.
fn shadowing_parameters(
    declaration: &ExternalDeclaration,
    is_typedef: impl Fn(&str) -> bool,
) -> Vec<String> {
    let ExternalDeclaration::FunctionDefinition(function) = declaration else {
        return Vec::new();
    };
    parameter_names(&function.node)
        .into_iter()
        .filter(|name| is_typedef(name))
        .map(str::to_owned)
        .collect()
}

fn parameter_names(function: &FunctionDefinition) -> Vec<&str> {
    let mut declarator = &function.declarator.node;
    while let DeclaratorKind::Declarator(inner) = &declarator.kind.node {
        declarator = &inner.node;
    }
    let mut names = Vec::new();
    for derived in &declarator.derived {
        match &derived.node {
            DerivedDeclarator::Function(parameters) => {
                for parameter in &parameters.node.parameters {
                    let mut inner = parameter
                        .node
                        .declarator
                        .as_ref()
                        .map(|declarator| &declarator.node);
                    while let Some(declarator) = inner {
                        inner = match &declarator.kind.node {
                            DeclaratorKind::Identifier(name) => {
                                names.push(name.node.name.as_str());
                                None
                            }
                            DeclaratorKind::Declarator(next) => Some(&next.node),
                            DeclaratorKind::Abstract => None,
                        };
                    }
                }
            }
            DerivedDeclarator::KRFunction(identifiers) => {
                names.extend(identifiers.iter().map(|name| name.node.name.as_str()));
            }
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests;
