//! From preprocessed text to lang-c's syntax trees, with the places of everything in the original files.

use std::sync::atomic::{AtomicUsize, Ordering};

use lang_c::ast::{
    DeclaratorKind, DerivedDeclarator, ExternalDeclaration, FunctionDefinition, Statement,
};
use lang_c::driver::{Config, Flavor, parse_preprocessed};
use lang_c::span::Node;

use super::diagnostic::{Error, ErrorKind, Warning};
use super::position::{Origin, PositionMap};
use super::preprocess::Preprocessed;
use super::rewrite::{Rewritten, rewrite};
use super::split::{ChunkKind, Outline, outline};
use super::token::{Markers, TokenKind, Tokens, tokenise};
use crate::program::Span;

mod message;

#[derive(Debug, Default)]
pub struct ParsedUnit {
    /// The external declarations in their order. What was rewritten is described in [`super::rewrite`].
    pub declarations: Vec<ParsedDeclaration>,
    /// Where everything comes from.
    pub positions: PositionMap,
    /// What the user should know: the attributes that are unknown.
    pub warnings: Vec<Warning>,
    /// The pragmas with a meaning beyond their place.
    pub pragmas: Vec<Pragma>,
    /// The assembly outside of functions: the parts of its string literal.
    pub assembly: Vec<(Vec<String>, Span)>,
}

/// A pragma that says something about the whole program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pragma {
    /// `#pragma weak name`, or `#pragma weak name = target`.
    Weak {
        /// The symbol that is weak.
        name: String,
        /// What it stands for.
        target: Option<String>,
    },
    /// `#pragma redefine_extname old new`.
    RedefineExternalName {
        old: String,
        /// The symbol that it stands for.
        new: String,
    },
    /// `#pragma scalar_storage_order` with another order than the machine's.
    StorageOrder,
}

impl Pragma {
    /// The pragma with the text (without `#pragma`), if it is one of these.
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
    /// The syntax tree; its spans are offsets that [`PositionMap::span`] understands together with the origin.
    pub node: Node<ExternalDeclaration>,
    /// Which text the spans refer to.
    pub origin: Origin,
}

/// The stack that the parser, the type checker and the destructors of syntax trees need, in bytes, for what
/// [`super::rewrite`] lets pass. Only what is used is ever committed.
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

/// Parses a preprocessed text. To be called under [`with_large_stack`].
pub fn parse(source: Preprocessed) -> Result<ParsedUnit, Error> {
    let markers = if source.positions_from_markers {
        Markers::Resolve
    } else {
        Markers::Ignore
    };
    let mut tokens = tokenise(&source.text, &source.name, markers)?;
    let positions = PositionMap::new(source.text, &mut tokens, markers);
    let outline = outline(&tokens, positions.text(), &positions)?;
    let parsed = parse_chunks(&tokens, &outline, &positions);
    let mut unit = ParsedUnit {
        positions,
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

struct ParsedChunk {
    declarations: Vec<Node<ExternalDeclaration>>,
    pieces: Vec<(u32, u32)>,
    /// What the user should know, with offsets in the source.
    warnings: Vec<(u32, String)>,
}

/// Texts of at least this many tokens are parsed by several threads.
const PARALLEL_FROM: usize = 40_000;

fn parse_chunks(
    tokens: &Tokens,
    outline: &Outline,
    positions: &PositionMap,
) -> Vec<Result<ParsedChunk, Error>> {
    let count = outline.chunks.len();
    let threads = if tokens.tokens.len() < PARALLEL_FROM {
        1
    } else {
        std::thread::available_parallelism().map_or(1, |threads| threads.get().min(8))
    };
    if threads == 1 {
        return (0..count)
            .map(|number| parse_chunk(tokens, outline, number, positions))
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
            results.push((number, parse_chunk(tokens, outline, number, positions)));
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
) -> Result<ParsedChunk, Error> {
    let rewritten = rewrite(positions.text(), tokens, outline, number, positions, &[])?;
    let chunk = parse_text(rewritten, tokens, positions)?;
    let shadowed = match chunk.declarations.as_slice() {
        [declaration] => shadowing_parameters(&declaration.node, |name| {
            let symbol = tokens.words.find(name.as_bytes());
            symbol.is_some_and(|symbol| outline.is_typedef(symbol, number))
        }),
        _ => Vec::new(),
    };
    if shadowed.is_empty() {
        return Ok(chunk);
    }
    let rewritten = rewrite(
        positions.text(),
        tokens,
        outline,
        number,
        positions,
        &shadowed,
    )?;
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

/// The parameters of a function definition whose names are typedef names outside.
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
