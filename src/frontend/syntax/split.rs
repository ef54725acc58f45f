//! Divides a translation unit into its external declarations, by tokens alone.
//!
//! lang-c is a PEG parser with tables that grow with its input, and its list of typedef names is not accessible. So it
//! parses one external declaration at a time, preceded by declarations of the typedef names that occur in it; that
//! bounds its memory and backtracking, gives errors better positions, and permits parsing by several threads.

use rustc_hash::FxHashMap;

use super::token::{
    Symbol, Token, TokenKind, Tokens, is_keyword, is_other_specifier, is_type_specifier,
    punctuator as p, word,
};
use crate::position::PositionMap;
use regatta_base::diagnostic::{Error, ErrorKind};

/// An external declaration: the tokens from `first` up to, not including, `end`.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Chunk {
    pub first: usize,
    pub end: usize,
    pub kind: ChunkKind,
}

/// The kind of an external declaration, as far as the tokens tell.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChunkKind {
    /// A declaration, or something that cannot be parsed.
    Declaration,
    Typedef,
    Function,
    /// `asm("…");`
    Asm,
    /// An unused declaration of a system header.
    Unused,
}

/// The matching brackets, the chunks, and the typedef names of a text.
pub(crate) struct Outline {
    /// The matching bracket of each bracket; for other tokens their own index.
    pub partner: Vec<u32>,
    pub chunks: Vec<Chunk>,
    /// For each word the index of the first chunk that declares it as a typedef name, or `u32::MAX`.
    pub typedefs: Vec<u32>,
    /// The alignment that `#pragma pack` sets at a closing brace.
    pub packs: FxHashMap<u32, u32>,
}

impl Outline {
    /// Whether a word is a typedef name at file scope before the given chunk.
    pub(crate) fn is_typedef(&self, symbol: Symbol, chunk: usize) -> bool {
        self.typedefs
            .get(symbol as usize)
            .is_some_and(|&since| (since as usize) < chunk)
    }
}

/// Finds brackets, chunks and typedef names.
pub(crate) fn outline(
    tokens: &Tokens,
    text: &[u8],
    positions: &PositionMap,
) -> Result<Outline, Error> {
    let (partner, packs) = match_brackets(tokens, text, positions)?;
    let mut splitter = Splitter {
        tokens: &tokens.tokens,
        outline: Outline {
            partner,
            chunks: Vec::new(),
            typedefs: vec![u32::MAX; tokens.words.len()],
            packs,
        },
    };
    splitter.run();
    splitter.leave_unused_out(positions);
    Ok(splitter.outline)
}

type Brackets = (Vec<u32>, FxHashMap<u32, u32>);

fn match_brackets(
    tokens: &Tokens,
    text: &[u8],
    positions: &PositionMap,
) -> Result<Brackets, Error> {
    let mut partner: Vec<u32> = (0..tokens.tokens.len() as u32).collect();
    let mut packs = FxHashMap::default();
    let mut pack_stack: Vec<Option<u32>> = Vec::new();
    let mut pack = None;
    let mut open: Vec<usize> = Vec::new();
    for (index, token) in tokens.tokens.iter().enumerate() {
        if token.kind == TokenKind::PragmaPack {
            pack = pragma_pack(
                &text[token.start as usize..token.end as usize],
                pack,
                &mut pack_stack,
            );
            continue;
        }
        if token.kind != TokenKind::Punctuator {
            continue;
        }
        const OPENERS: [Symbol; 3] = [p(b"("), p(b"["), p(b"{")];
        const CLOSERS: [Symbol; 3] = [p(b")"), p(b"]"), p(b"}")];
        if OPENERS.contains(&token.symbol) {
            open.push(index);
        } else if let Some(kind) = CLOSERS.iter().position(|&closer| closer == token.symbol) {
            let closer = ["`)`", "`]`", "`}`"][kind];
            let Some(opener) = open.pop() else {
                let message =
                    format!("expected a declaration, found a {closer} that closes nothing");
                return Err(positions.error_at(ErrorKind::Syntax, message, token.start));
            };
            if tokens.tokens[opener].symbol != OPENERS[kind] {
                return Err(unclosed(tokens, opener, index, positions));
            }
            partner[index] = opener as u32;
            partner[opener] = index as u32;
            if let (2, Some(alignment)) = (kind, pack) {
                packs.insert(index as u32, alignment);
            }
        }
    }
    if let Some(&opener) = open.last() {
        return Err(unclosed(tokens, opener, tokens.tokens.len(), positions));
    }
    Ok((partner, packs))
}

/// The error for a bracket that is still open where another bracket closes or the text ends.
fn unclosed(tokens: &Tokens, opener: usize, end: usize, positions: &PositionMap) -> Error {
    let is = |index: usize, symbol: Symbol| {
        let token = tokens.tokens[index];
        token.kind == TokenKind::Punctuator && token.symbol == symbol
    };
    let open = tokens.tokens[opener];
    let closer = match open.symbol {
        symbol if symbol == p(b"(") => ")",
        symbol if symbol == p(b"[") => "]",
        _ => "}",
    };
    // A token that cannot be within parentheses shows where they should have been closed.
    let mut place = end;
    if closer != "}" {
        let is_for = opener > 0 && tokens.tokens[opener - 1].symbol == word::For;
        let mut depth = 0_usize;
        for index in opener + 1..end {
            let before = index - 1;
            if is(index, p(b"(")) || is(index, p(b"[")) {
                depth += 1;
            } else if is(index, p(b")")) || is(index, p(b"]")) {
                depth = depth.saturating_sub(1);
            } else if depth == 0
                && ((is(index, p(b";")) && !is_for)
                    || (is(index, p(b"{")) && !is(before, p(b"(")) && !is(before, p(b")"))))
            {
                place = index;
                break;
            }
        }
    }
    let opened = positions.describe(open.start);
    let (found, offset) = match tokens.tokens.get(place) {
        Some(token) => {
            let text = &positions.text()[token.start as usize..token.end as usize];
            (format!("`{}`", String::from_utf8_lossy(text)), token.start)
        }
        None => (
            "the end of the file".to_owned(),
            positions.text().len() as u32,
        ),
    };
    let message = format!("expected `{closer}`, found {found}");
    positions
        .error_at(ErrorKind::Syntax, message, offset)
        .with_help(format!("the bracket that is not closed is at {opened}"))
}

/// The new alignment after a `#pragma pack(…)`; `None` is the natural one.
fn pragma_pack(pragma: &[u8], current: Option<u32>, stack: &mut Vec<Option<u32>>) -> Option<u32> {
    let text = String::from_utf8_lossy(pragma);
    let inner = text
        .split_once('(')
        .map_or("", |(_, rest)| rest.split(')').next().unwrap_or(""));
    let mut result = current;
    let mut reset = true;
    for item in inner.split(',').map(str::trim) {
        match item {
            "push" => {
                stack.push(current);
                reset = false;
            }
            "pop" => {
                result = stack.pop().flatten();
                reset = false;
            }
            _ => {
                if let Ok(alignment) = item.parse::<u32>() {
                    result = (alignment > 0).then_some(alignment);
                    reset = false;
                }
            }
        }
    }
    if reset { None } else { result }
}

/// A range of tokens with their matching brackets.
struct Stretch<'tokens> {
    tokens: &'tokens [Token],
    partner: &'tokens [u32],
}

impl Stretch<'_> {
    fn is(&self, index: usize, symbol: Symbol) -> bool {
        self.tokens
            .get(index)
            .is_some_and(|token| token.kind == TokenKind::Punctuator && token.symbol == symbol)
    }

    fn word(&self, index: usize) -> Option<Symbol> {
        self.tokens
            .get(index)
            .filter(|token| token.kind == TokenKind::Word)
            .map(|token| token.symbol)
    }

    /// The index after the parentheses that open at an index; the index itself if none do.
    fn after_group(&self, index: usize) -> usize {
        if self.is(index, p(b"(")) {
            self.partner[index] as usize + 1
        } else {
            index
        }
    }

    /// Whether C23's attributes begin at an index.
    fn begins_attributes(&self, index: usize) -> bool {
        self.is(index, p(b"[")) && self.is(index + 1, p(b"["))
    }

    /// The index after an enumeration's underlying type, if one follows the colon at an index and not the width of a
    /// bit-field.
    fn after_underlying_type(&self, colon: usize) -> usize {
        let mut index = colon + 1;
        let mut type_seen = false;
        while let Some(word) = self.word(index) {
            if is_type_specifier(word) || is_other_specifier(word) {
                type_seen |= is_type_specifier(word);
                index = match word {
                    word::Typeof
                    | word::TypeofGnu
                    | word::TypeofGnu2
                    | word::TypeofUnqual
                    | word::TypeofUnqualGnu
                    | word::BitInt => self.after_group(index + 1),
                    _ => index + 1,
                };
            } else if !type_seen && !is_keyword(word) {
                type_seen = true;
                index += 1;
            } else {
                break;
            }
        }
        if type_seen { index } else { colon }
    }

    /// The index after `struct tag { … }`, `enum tag`, and so on.
    fn after_aggregate(&self, keyword: usize) -> usize {
        let mut index = keyword + 1;
        loop {
            if self.begins_attributes(index) {
                index = self.partner[index] as usize + 1;
            } else if let Some(word::Attribute | word::AttributeGnu) = self.word(index) {
                index = self.after_group(index + 1);
            } else {
                break;
            }
        }
        if self.word(index).is_some_and(|word| !is_keyword(word)) {
            index += 1;
        }
        if self.word(keyword) == Some(word::Enum) && self.is(index, p(b":")) {
            index = self.after_underlying_type(index);
        }
        if self.is(index, p(b"{")) {
            index = self.partner[index] as usize + 1;
        }
        index
    }
}

struct Splitter<'tokens> {
    tokens: &'tokens [Token],
    outline: Outline,
}

impl Splitter<'_> {
    fn stretch(&self) -> Stretch<'_> {
        Stretch {
            tokens: self.tokens,
            partner: &self.outline.partner,
        }
    }

    fn is(&self, index: usize, symbol: Symbol) -> bool {
        self.stretch().is(index, symbol)
    }

    fn word(&self, index: usize) -> Option<Symbol> {
        self.stretch().word(index)
    }

    fn partner(&self, index: usize) -> usize {
        self.outline.partner[index] as usize
    }

    fn run(&mut self) {
        let mut index = 0;
        while index < self.tokens.len() {
            if self.tokens[index].kind == TokenKind::PragmaPack || self.is(index, p(b";")) {
                index += 1;
                continue;
            }
            let chunk = self.chunk(index);
            if chunk.kind == ChunkKind::Typedef {
                let number = self.outline.chunks.len() as u32;
                for name in self.typedef_names(chunk) {
                    let since = &mut self.outline.typedefs[name as usize];
                    *since = (*since).min(number);
                }
            }
            index = chunk.end;
            self.outline.chunks.push(chunk);
        }
    }

    /// Marks the unused declarations of system headers, from the last declaration to the first, so that a declaration
    /// that only unused ones use counts as unused, too. This greatly reduces the parsing time of a short program that
    /// includes `<stdio.h>`.
    fn leave_unused_out(&mut self, positions: &PositionMap) {
        let words = |chunk: Chunk| {
            let tokens = self.tokens[chunk.first..chunk.end].iter();
            tokens
                .filter(|token| token.kind == TokenKind::Word)
                .map(|token| token.symbol as usize)
        };
        let mut uses = vec![0_u32; self.outline.typedefs.len()];
        for token in self
            .tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Word)
        {
            uses[token.symbol as usize] += 1;
        }
        let mut unused = Vec::new();
        for (number, &chunk) in self.outline.chunks.iter().enumerate().rev() {
            let has_body =
                |chunk: Chunk| (chunk.first..chunk.end).any(|index| self.is(index, p(b"{")));
            if !positions.is_system(self.tokens[chunk.first].start)
                || chunk.kind == ChunkKind::Asm
                || (chunk.kind != ChunkKind::Function && has_body(chunk))
            {
                continue;
            }
            let names = self.typedef_names(chunk);
            let names = if chunk.kind == ChunkKind::Function {
                &names[..names.len().min(1)]
            } else {
                &names[..]
            };
            let own =
                |name: Symbol| words(chunk).filter(|&word| word == name as usize).count() as u32;
            if !names.is_empty() && names.iter().all(|&name| uses[name as usize] == own(name)) {
                unused.push(number);
                words(chunk).for_each(|word| uses[word] -= 1);
            }
        }
        for number in unused {
            self.outline.chunks[number].kind = ChunkKind::Unused;
        }
    }

    /// The external declaration that begins at a token.
    fn chunk(&self, first: usize) -> Chunk {
        let mut kind = match self.word(first) {
            Some(word::Asm | word::AsmGnu | word::AsmGnu2) => ChunkKind::Asm,
            _ => ChunkKind::Declaration,
        };
        // The index after a declarator's parameter list.
        let mut after_parameters = None;
        let mut old_style = false;
        let mut initialised = false;
        let mut index = first;
        while index < self.tokens.len() {
            if after_parameters == Some(index) {
                old_style |= self.begins_old_style_parameters(index);
            }
            let token = self.tokens[index];
            match (token.kind, token.symbol) {
                (TokenKind::Word, word::Typedef) => kind = ChunkKind::Typedef,
                (TokenKind::Word, word::Struct | word::Union | word::Enum) => {
                    index = self.stretch().after_aggregate(index);
                    continue;
                }
                (TokenKind::Punctuator, symbol) if symbol == p(b";") && !old_style => {
                    return Chunk {
                        first,
                        end: index + 1,
                        kind,
                    };
                }
                (TokenKind::Punctuator, symbol) if symbol == p(b"(") || symbol == p(b"[") => {
                    let close = self.partner(index);
                    if symbol == p(b"(") && index > first && self.ends_declarator(index - 1) {
                        after_parameters = Some(close + 1);
                    }
                    index = close;
                }
                (TokenKind::Punctuator, symbol) if symbol == p(b"=") => initialised = true,
                (TokenKind::Punctuator, symbol) if symbol == p(b"{") => {
                    let close = self.partner(index);
                    if !initialised {
                        return Chunk {
                            first,
                            end: close + 1,
                            kind: ChunkKind::Function,
                        };
                    }
                    index = close;
                }
                _ => {}
            }
            index += 1;
        }
        Chunk {
            first,
            end: index,
            kind,
        }
    }

    /// Whether a parenthesis after this token is a declarator's parameter list.
    fn ends_declarator(&self, index: usize) -> bool {
        self.is(index, p(b")")) || self.word(index).is_some_and(|word| !is_keyword(word))
    }

    fn begins_old_style_parameters(&self, index: usize) -> bool {
        self.word(index).is_some_and(|word| {
            is_type_specifier(word)
                || is_other_specifier(word)
                || (!is_keyword(word) && self.outline.typedefs[word as usize] != u32::MAX)
        })
    }

    /// The names that a typedef declares.
    fn typedef_names(&self, chunk: Chunk) -> Vec<Symbol> {
        let known = |word: Symbol| self.outline.typedefs[word as usize] != u32::MAX;
        typedef_names(
            self.tokens,
            &self.outline.partner,
            chunk.first,
            chunk.end,
            &known,
        )
    }
}

/// The index of the first token after the specifiers of a declaration that begins at `first`, and whether they contain
/// a type.
pub(crate) fn after_specifiers(
    tokens: &[Token],
    partner: &[u32],
    first: usize,
    end: usize,
    is_typedef: &dyn Fn(Symbol) -> bool,
) -> (usize, bool) {
    let stretch = Stretch {
        tokens: &tokens[..end],
        partner,
    };
    let mut index = first;
    let mut type_seen = false;
    while let Some(token) = stretch.tokens.get(index) {
        if token.kind == TokenKind::PragmaPack {
            index += 1;
            continue;
        }
        if stretch.begins_attributes(index) {
            index = partner[index] as usize + 1;
            continue;
        }
        if token.kind != TokenKind::Word {
            break;
        }
        match token.symbol {
            word::Attribute | word::AttributeGnu | word::Alignas => {
                index = stretch.after_group(index + 1);
            }
            word::Extension => index += 1,
            word::Atomic => {
                type_seen |= stretch.is(index + 1, p(b"("));
                index = stretch.after_group(index + 1);
            }
            word::Struct | word::Union | word::Enum => {
                type_seen = true;
                index = stretch.after_aggregate(index);
            }
            symbol if is_type_specifier(symbol) => {
                type_seen = true;
                index = match symbol {
                    word::Typeof
                    | word::TypeofGnu
                    | word::TypeofGnu2
                    | word::TypeofUnqual
                    | word::TypeofUnqualGnu
                    | word::BitInt => stretch.after_group(index + 1),
                    _ => index + 1,
                };
            }
            symbol if is_other_specifier(symbol) => index += 1,
            symbol if !is_keyword(symbol) && !type_seen && is_typedef(symbol) => {
                type_seen = true;
                index += 1;
            }
            _ => break,
        }
    }
    (index, type_seen)
}

/// The names that a declaration between two tokens declares: in each declarator the first word that is not a keyword.
pub(crate) fn typedef_names(
    tokens: &[Token],
    partner: &[u32],
    first: usize,
    end: usize,
    is_typedef: &dyn Fn(Symbol) -> bool,
) -> Vec<Symbol> {
    let (mut index, _) = after_specifiers(tokens, partner, first, end, is_typedef);
    let stretch = Stretch {
        tokens: &tokens[..end],
        partner,
    };
    let mut names = Vec::new();
    let mut name = None;
    while index < end {
        let token = tokens[index];
        match (token.kind, token.symbol) {
            (
                TokenKind::Word,
                word::Attribute | word::AttributeGnu | word::Asm | word::AsmGnu | word::AsmGnu2,
            ) => {
                index = stretch.after_group(index + 1) - 1;
            }
            (TokenKind::Word, symbol) if name.is_none() && !is_keyword(symbol) => {
                name = Some(symbol)
            }
            (TokenKind::Punctuator, symbol) => {
                let opens = symbol == p(b"(") || symbol == p(b"[") || symbol == p(b"{");
                if opens && name.is_some() {
                    index = partner[index] as usize;
                } else if symbol == p(b",") || symbol == p(b";") {
                    names.extend(name.take());
                    if symbol == p(b";") {
                        break;
                    }
                }
            }
            _ => {}
        }
        index += 1;
    }
    names.extend(name);
    names
}
