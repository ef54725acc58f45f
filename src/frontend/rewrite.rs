//! Rewrites what lang-c 0.15.1 cannot parse into what it can, token by token.
//!
//! Every rewritten construct keeps its place in the source. The type checker recognises the encodings by the names in
//! [`encoding`]; no C program may use them.
//!
//! | C | what lang-c sees | recognise by |
//! | --- | --- | --- |
//! | `a ?: b` | `a ? __regatta_condition_value : b` | [`encoding::CONDITION_VALUE`], an identifier as second operand |
//! | `__int128`, `__int128_t` | `_Decimal128x`, also with `unsigned` | `TS18661Float { DecimalExtended, 128 }` |
//! | `__float128`, `__float80`, `__fp16` | `_Float128`, `_Float64x`, `_Float16` | |
//! | `&&label` | `__regatta_label_address(label)` | [`encoding::LABEL_ADDRESS`], a call with an identifier |
//! | `goto *e;` | `__regatta_computed_goto(e);` | [`encoding::COMPUTED_GOTO`], a call |
//! | `__label__ l;` | nothing; `l` becomes `l__in_block_N` within the block | |
//! | `_Alignof e`, `__alignof__(e)` | `_Alignof(__typeof__(e))` | alignment of a `typeof` of an expression |
//! | `__builtin_types_compatible_p(T, U)` | `__regatta_types_compatible(sizeof(T), sizeof(U))` | [`encoding::TYPES_COMPATIBLE`] |
//! | `__real__ e`, `__imag__ e` | `(__regatta_real_part) e`, `(__regatta_imaginary_part) e` | a cast to [`encoding::REAL_PART`], [`encoding::IMAGINARY_PART`] |
//! | `__auto_type x = e` | the same, `__auto_type` a typedef name | [`encoding::AUTO_TYPE`] |
//! | `asm goto (…);` | `__regatta_unsupported("asm goto");` | [`encoding::UNSUPPORTED`], a call |
//! | `#pragma pack(n)` | `struct { … } __attribute__((__regatta_pack(n)))` | [`encoding::PACK`], an attribute |
//! | `struct __attribute__((a)) s { … }` (also `union`, `enum`) | `struct s { … } __attribute__((a))` | |
//! | `struct { _Alignas(n) int a; }` | `struct { __attribute__((aligned(n))) int a; }` | |
//! | `static x;`, `main() { }` | `static int x;`, `int main() { }` | |
//! | `_Static_assert(e)` | `_Static_assert(e, "")` | |
//! | `sizeof (T){…}` | `sizeof ((T){…})` | |
//! | `__thread`, `typeof_unqual`, `__extension__`, `int f(...)` | `_Thread_local`, `__typeof__`, nothing, `int f()` | |
//! | `l: }`, `l: int x;` | `l: ; }`, `l: ; int x;` | |
//! | `"\e"`, `"\u00e9"`, `"é"` | `"\033"`, `"\303\251"` (wide strings: `L"\x000000e9"`) | |
//! | `1.0q`, `1.0w` | `1.0f128`, `1.0f64x` | |
//! | `x$y`, `é` | `x_dollar_y`, `_u00e9_` | |
//! | `[[attribute]]`, attributes on statements, attributes without a meaning here | nothing | |

use super::diagnostic::{Error, ErrorKind};
use super::literal;
use super::position::PositionMap;
use super::split::{Chunk, ChunkKind, Outline, after_specifiers, typedef_names};
use super::token::{
    Symbol, Token, TokenKind, Tokens, is_keyword, is_other_specifier, is_type_specifier,
    punctuator as p, without_splices, word,
};

/// The reserved names by which the type checker recognises what was rewritten.
pub mod encoding {
    /// Second operand of a conditional expression: the value of the first.
    pub const CONDITION_VALUE: &str = "__regatta_condition_value";
    /// Function: the address of the label that its argument names.
    pub const LABEL_ADDRESS: &str = "__regatta_label_address";
    /// Function: goes to the label whose address its argument is.
    pub const COMPUTED_GOTO: &str = "__regatta_computed_goto";
    /// Function: whether the types whose sizes its two arguments are agree (`sizeof(type)` each).
    pub const TYPES_COMPATIBLE: &str = "__regatta_types_compatible";
    /// Type of a cast: the operand's real part.
    pub const REAL_PART: &str = "__regatta_real_part";
    /// Type of a cast: the operand's imaginary part.
    pub const IMAGINARY_PART: &str = "__regatta_imaginary_part";
    /// Type specifier: the type of the initialiser.
    pub const AUTO_TYPE: &str = "__auto_type";
    /// Function: does what is not supported; the argument names it.
    pub const UNSUPPORTED: &str = "__regatta_unsupported";
    /// Attribute of a struct or union: no member has a larger alignment than the argument.
    pub const PACK: &str = "__regatta_pack";
}

/// The deepest nesting that is parsed: every open bracket counts, and within it every operator since the last separator
/// and every statement that the next one is part of. The parser and what walks its trees are recursive; the limit
/// keeps them within [`super::parse::STACK_SIZE`].
pub(super) const MAXIMAL_NESTING: usize = 6000;

/// What lang-c is given for one external declaration.
pub(super) struct Rewritten {
    /// The text: a typedef of the names that must be types, if there are any, and then the declaration.
    pub text: String,
    /// How many external declarations of the text are not the user's.
    pub added_declarations: usize,
    /// Pieces (offset in the text, offset in the source).
    pub pieces: Vec<(u32, u32)>,
    /// The offset in the source where the declaration begins.
    pub start: u32,
}

/// Attributes that say something about layout or control; all others are left out.
const ATTRIBUTES: &[&[u8]] = &[
    b"aligned",
    b"packed",
    b"mode",
    b"vector_size",
    b"noreturn",
    b"constructor",
    b"destructor",
    b"cleanup",
    b"transparent_union",
    b"weak",
    b"alias",
    b"ms_struct",
    b"scalar_storage_order",
];

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum BracketKind {
    File,
    Block,
    Aggregate,
    Enum,
    Initialiser,
    Parenthesis,
    Index,
}

/// An open bracket and what is pending in it.
struct Context {
    kind: BracketKind,
    /// `?` without its `:` so far.
    questions: u32,
    /// Between `case` and its `:`.
    in_case: bool,
    /// A `goto *` is open: its parenthesis closes before the next `;`.
    in_computed_goto: bool,
    /// Operators since the last separator.
    operators: usize,
    /// Statements that the next one is part of.
    statements: usize,
    /// Attributes that go behind the closing brace.
    attributes: Vec<u8>,
    /// Labels of the block, with the number that makes them distinct.
    labels: Vec<(Symbol, usize)>,
}

impl Context {
    fn new(kind: BracketKind) -> Self {
        Self {
            kind,
            questions: 0,
            in_case: false,
            in_computed_goto: false,
            operators: 0,
            statements: 0,
            attributes: Vec::new(),
            labels: Vec::new(),
        }
    }
}

/// What to do at a token that is still to come.
struct Edit {
    index: usize,
    before: &'static str,
    instead: Option<&'static str>,
    after: &'static str,
}

/// Rewrites a chunk. `shadowed` are typedef names that the function's parameters hide: lang-c forgets parameters when
/// a body begins, so an `int NAME;` goes in front of the body (see `parse`, which takes it out again).
pub(super) fn rewrite(
    text: &[u8],
    tokens: &Tokens,
    outline: &Outline,
    number: usize,
    positions: &PositionMap,
    shadowed: &[String],
) -> Result<Rewritten, Error> {
    let chunk = outline.chunks[number];
    let mut rewriter = Rewriter {
        text,
        tokens: &tokens.tokens,
        all: tokens,
        outline,
        number,
        chunk,
        positions,
        shadowed,
        out: Vec::with_capacity(256),
        pieces: Vec::new(),
        last_end: u32::MAX,
        contexts: vec![Context::new(BracketKind::File)],
        nesting: 0,
        edits: Vec::new(),
        held_attributes: Vec::new(),
        aggregate: None,
        types_used: Vec::new(),
        local_typedefs: Vec::new(),
        blocks_with_labels: 0,
        statement_start: true,
        previous: None,
    };
    rewriter.run()?;
    rewriter.finish()
}

struct Rewriter<'text> {
    text: &'text [u8],
    tokens: &'text [Token],
    all: &'text Tokens,
    outline: &'text Outline,
    number: usize,
    chunk: Chunk,
    positions: &'text PositionMap,
    shadowed: &'text [String],
    out: Vec<u8>,
    pieces: Vec<(u32, u32)>,
    /// Where the last token that was copied ended in the source.
    last_end: u32,
    contexts: Vec<Context>,
    /// The sum of all contexts' operators and statements, and their number.
    nesting: usize,
    edits: Vec<Edit>,
    /// Attributes of the struct, union or enum whose body comes next.
    held_attributes: Vec<u8>,
    /// The keyword `struct`, `union` or `enum`, until its body or the end of its tag is seen.
    aggregate: Option<Symbol>,
    types_used: Vec<Symbol>,
    local_typedefs: Vec<Symbol>,
    blocks_with_labels: usize,
    /// Whether the next token may begin a declaration or a statement.
    statement_start: bool,
    /// The last token that was not left out.
    previous: Option<usize>,
}

impl<'text> Rewriter<'text> {
    fn is(&self, index: usize, symbol: Symbol) -> bool {
        index < self.chunk.end
            && self.tokens[index].kind == TokenKind::Punctuator
            && self.tokens[index].symbol == symbol
    }

    fn word(&self, index: usize) -> Option<Symbol> {
        (index < self.chunk.end && self.tokens[index].kind == TokenKind::Word)
            .then(|| self.tokens[index].symbol)
    }

    fn previous_is(&self, symbol: Symbol) -> bool {
        self.previous.is_some_and(|index| self.is(index, symbol))
    }

    fn previous_word(&self) -> Option<Symbol> {
        self.previous.and_then(|index| self.word(index))
    }

    fn partner(&self, index: usize) -> usize {
        self.outline.partner[index] as usize
    }

    fn source(&self, token: Token) -> &'text [u8] {
        &self.text[token.start as usize..token.end as usize]
    }

    fn is_typedef(&self, symbol: Symbol) -> bool {
        self.outline.is_typedef(symbol, self.number) || self.local_typedefs.contains(&symbol)
    }

    fn context(&mut self) -> &mut Context {
        if self.contexts.is_empty() {
            self.contexts.push(Context::new(BracketKind::File));
        }
        let last = self.contexts.len() - 1;
        &mut self.contexts[last]
    }

    fn kind(&self) -> BracketKind {
        self.contexts
            .last()
            .map_or(BracketKind::File, |context| context.kind)
    }

    fn error(&self, index: usize, kind: ErrorKind, message: impl Into<String>) -> Error {
        let offset = self
            .tokens
            .get(index)
            .map_or(self.text.len() as u32, |token| token.start);
        self.positions.error_at(kind, message, offset)
    }

    // Output.

    /// Notes that what is written next comes from an offset of the source.
    fn mark(&mut self, source: u32) {
        let written = self.out.len() as u32;
        match self.pieces.last() {
            Some(&(last_written, last_source))
                if written.wrapping_sub(last_written) == source.wrapping_sub(last_source) => {}
            _ => self.pieces.push((written, source)),
        }
    }

    /// Writes words of ours, at the place of a token.
    fn insert(&mut self, text: &str, source: u32) {
        if text.is_empty() {
            return;
        }
        self.out.push(b' ');
        self.pieces.push((self.out.len() as u32, source));
        self.out.extend_from_slice(text.as_bytes());
        self.last_end = u32::MAX;
    }

    /// Writes a token as it is, but for what lang-c cannot read in it.
    fn copy(&mut self, index: usize) {
        let token = self.tokens[index];
        if token.start != self.last_end && !self.out.is_empty() {
            self.out.push(b' ');
        }
        self.mark(token.start);
        self.last_end = token.end;
        let source = self.source(token);
        match token.kind {
            TokenKind::Punctuator => {
                let bytes = token.symbol.to_be_bytes();
                self.out.extend(bytes.into_iter().filter(|&byte| byte != 0));
            }
            TokenKind::Word => {
                let text = self.all.words.text(token.symbol);
                if !is_keyword(token.symbol) {
                    if self.outline.is_typedef(token.symbol, self.number)
                        && !self.types_used.contains(&token.symbol)
                    {
                        self.types_used.push(token.symbol);
                    }
                    if !text
                        .iter()
                        .all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
                    {
                        self.out
                            .extend(literal::ascii_identifier(text).into_bytes());
                        return;
                    }
                }
                self.out.extend_from_slice(text);
            }
            TokenKind::Number => {
                let text = if token.spliced {
                    without_splices(source)
                } else {
                    source.to_vec()
                };
                self.out.extend(literal::plain_number(text));
            }
            TokenKind::String | TokenKind::Character => {
                if !token.spliced && literal::is_plain(source) {
                    self.out.extend_from_slice(source);
                } else {
                    self.out
                        .extend(literal::plain_quoted(&without_splices(source)));
                }
            }
            TokenKind::PragmaPack => {}
        }
    }

    fn finish(mut self) -> Result<Rewritten, Error> {
        let mut names: Vec<String> = self
            .types_used
            .iter()
            .map(|&symbol| literal::ascii_identifier(self.all.words.text(symbol)))
            .collect();
        for reserved in [
            encoding::REAL_PART,
            encoding::IMAGINARY_PART,
            encoding::AUTO_TYPE,
        ] {
            // Found by a search of the text only where a complex number or `__auto_type` is at all likely.
            if self
                .out
                .windows(reserved.len())
                .any(|window| window == reserved.as_bytes())
            {
                names.push(reserved.to_owned());
            }
        }
        let start = self
            .tokens
            .get(self.chunk.first)
            .map_or(0, |token| token.start);
        let added_declarations = usize::from(!names.is_empty());
        if !names.is_empty() {
            let mut prefix = format!("typedef int {};", names.join(",")).into_bytes();
            let length = prefix.len() as u32;
            prefix.append(&mut self.out);
            self.out = prefix;
            for piece in &mut self.pieces {
                piece.0 += length;
            }
            self.pieces.insert(0, (0, start));
        }
        let text = String::from_utf8(self.out)
            .map_err(|_| Error::new(ErrorKind::Syntax, "the text cannot be read as characters"))?;
        Ok(Rewritten {
            text,
            added_declarations,
            pieces: self.pieces,
            start,
        })
    }

    // The walk over the tokens.

    fn run(&mut self) -> Result<(), Error> {
        if matches!(self.chunk.kind, ChunkKind::Asm) {
            return Ok(());
        }
        let mut index = self.chunk.first;
        while index < self.chunk.end {
            if self.statement_start {
                self.declaration_start(index);
            }
            let before = self.edits.iter().filter(|edit| edit.index == index);
            let start = self.tokens[index].start;
            let texts: Vec<(&str, Option<&str>, &str)> = before
                .map(|edit| (edit.before, edit.instead, edit.after))
                .collect();
            if texts.is_empty() {
                index = self.step(index)?;
                continue;
            }
            self.edits.retain(|edit| edit.index != index);
            for (before, _, _) in &texts {
                self.insert(before, start);
            }
            let next = match texts.iter().find_map(|(_, instead, _)| *instead) {
                Some(instead) => {
                    self.insert(instead, start);
                    self.previous = Some(index);
                    index + 1
                }
                None => self.step(index)?,
            };
            for (_, _, after) in texts.iter().rev() {
                self.insert(after, start);
            }
            index = next;
        }
        Ok(())
    }

    /// Writes the token at an index, or what stands for it; the index after it.
    fn step(&mut self, index: usize) -> Result<usize, Error> {
        let token = self.tokens[index];
        match token.kind {
            TokenKind::PragmaPack => return Ok(index + 1),
            TokenKind::Punctuator => return self.punctuator(index, token.symbol),
            TokenKind::Word => {
                if let Some(next) = self.special_word(index, token.symbol)? {
                    return Ok(next);
                }
                if is_keyword(token.symbol) {
                    self.keyword(token.symbol);
                } else {
                    self.leave_aggregate_tag(index);
                }
            }
            _ => {}
        }
        self.copy(index);
        self.previous = Some(index);
        self.statement_start = matches!(self.word(index), Some(word::Else | word::Do));
        Ok(index + 1)
    }

    fn deepen(&mut self, index: usize) -> Result<(), Error> {
        self.nesting += 1;
        if self.nesting > MAXIMAL_NESTING {
            return Err(self
                .error(index, ErrorKind::Unsupported, "too deeply nested")
                .with_help(format!(
                    "at most {MAXIMAL_NESTING} brackets, operators and statements may be nested"
                )));
        }
        Ok(())
    }

    fn keyword(&mut self, symbol: Symbol) {
        match symbol {
            word::Struct | word::Union | word::Enum => self.aggregate = Some(symbol),
            word::Case => self.context().in_case = true,
            word::If | word::Else | word::For | word::While | word::Do | word::Switch => {
                self.context().statements += 1;
                self.nesting += 1;
            }
            _ => {}
        }
    }

    /// A tag may stand between `struct` and `{`; any other word ends the specifier.
    fn leave_aggregate_tag(&mut self, index: usize) {
        let after_keyword = matches!(
            self.previous_word(),
            Some(word::Struct | word::Union | word::Enum)
        );
        if !after_keyword || !self.is(index + 1, p(b"{")) {
            if !after_keyword || !self.held_attributes.is_empty() {
                self.held_attributes.clear();
            }
            self.aggregate = None;
        }
    }

    /// Words that are not copied; `None` for the others.
    fn special_word(&mut self, index: usize, symbol: Symbol) -> Result<Option<usize>, Error> {
        let start = self.tokens[index].start;
        let next = match symbol {
            word::Extension => index + 1,
            word::Attribute | word::AttributeGnu => self.attributes(index),
            word::Int128 | word::Int128Gnu | word::Int128Type => {
                self.replace(index, "_Decimal128x")
            }
            word::Uint128Type => self.replace(index, "unsigned _Decimal128x"),
            word::Float128Gnu => self.replace(index, "_Float128"),
            word::Float80Gnu => self.replace(index, "_Float64x"),
            word::Float16Gnu => self.replace(index, "_Float16"),
            word::ThreadLocalGnu => self.replace(index, "_Thread_local"),
            word::TypeofUnqual | word::TypeofUnqualGnu => self.replace(index, "__typeof__"),
            word::Real | word::RealGnu => self.replace(index, "(__regatta_real_part)"),
            word::Imag | word::ImagGnu => self.replace(index, "(__regatta_imaginary_part)"),
            word::Alignof | word::AlignofGnu | word::AlignofGnu2 => self.alignof(index),
            word::TypesCompatible => return self.types_compatible(index).map(Some),
            word::Label => self.local_labels(index),
            word::Alignas
                if self.kind() == BracketKind::Aggregate && self.is(index + 1, p(b"(")) =>
            {
                self.member_alignment(index)
            }
            word::Asm | word::AsmGnu | word::AsmGnu2 => self.assembly(index),
            word::Goto if self.is(index + 1, p(b"*")) => {
                self.insert("__regatta_computed_goto(", start);
                self.context().in_computed_goto = true;
                self.previous = Some(index);
                self.statement_start = false;
                index + 2
            }
            word::Sizeof if self.is(index + 1, p(b"(")) => {
                let close = self.partner(index + 1);
                if self.is(close + 1, p(b"{")) {
                    let end = self.partner(close + 1);
                    self.edit(index + 1, "(", None, "");
                    self.edit(end, "", None, ")");
                }
                return Ok(None);
            }
            word::StaticAssert if self.is(index + 1, p(b"(")) => {
                let close = self.partner(index + 1);
                if self.top_level_comma(index + 1).is_none() {
                    self.edit(close, ", \"\"", None, "");
                }
                return Ok(None);
            }
            _ if !is_keyword(symbol) => match self.label_name(index, symbol) {
                Some(name) => {
                    self.insert(&name, start);
                    self.previous = Some(index);
                    self.statement_start = false;
                    index + 1
                }
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(next))
    }

    fn replace(&mut self, index: usize, text: &str) -> usize {
        self.insert(text, self.tokens[index].start);
        self.previous = Some(index);
        self.statement_start = false;
        index + 1
    }

    fn edit(
        &mut self,
        index: usize,
        before: &'static str,
        instead: Option<&'static str>,
        after: &'static str,
    ) {
        self.edits.push(Edit {
            index,
            before,
            instead,
            after,
        });
    }

    /// The index of the first comma directly within the brackets that open at an index.
    fn top_level_comma(&self, open: usize) -> Option<usize> {
        let close = self.partner(open);
        let mut index = open + 1;
        while index < close {
            if self.is(index, p(b",")) {
                return Some(index);
            }
            index = self.partner(index).max(index) + 1;
        }
        None
    }

    // Punctuators.

    fn punctuator(&mut self, index: usize, symbol: Symbol) -> Result<usize, Error> {
        const OPEN_PARENTHESIS: Symbol = p(b"(");
        const CLOSE_PARENTHESIS: Symbol = p(b")");
        const OPEN_INDEX: Symbol = p(b"[");
        const CLOSE_INDEX: Symbol = p(b"]");
        const OPEN_BRACE: Symbol = p(b"{");
        const CLOSE_BRACE: Symbol = p(b"}");
        const SEMICOLON: Symbol = p(b";");
        const COMMA: Symbol = p(b",");
        const COLON: Symbol = p(b":");
        const QUESTION: Symbol = p(b"?");
        const AND: Symbol = p(b"&&");
        const ELLIPSIS: Symbol = p(b"...");
        let start = self.tokens[index].start;
        if symbol != OPEN_BRACE {
            self.aggregate = None;
            self.held_attributes.clear();
        }
        match symbol {
            OPEN_INDEX
                if self.is(index + 1, OPEN_INDEX)
                    && self.partner(index + 1) + 1 == self.partner(index) =>
            {
                // C23's attributes: nothing else begins with two brackets.
                return Ok(self.partner(index) + 1);
            }
            OPEN_PARENTHESIS | OPEN_INDEX => {
                self.deepen(index)?;
                self.copy(index);
                let kind = if symbol == OPEN_INDEX {
                    BracketKind::Index
                } else {
                    BracketKind::Parenthesis
                };
                self.contexts.push(Context::new(kind));
                self.previous = Some(index);
                self.statement_start = symbol == OPEN_PARENTHESIS && self.begins_parameters(index);
                return Ok(index + 1);
            }
            OPEN_BRACE => return self.open_brace(index),
            CLOSE_PARENTHESIS | CLOSE_INDEX | CLOSE_BRACE => return Ok(self.close(index, symbol)),
            SEMICOLON => {
                if self.kind() == BracketKind::Aggregate
                    && (self.previous_is(OPEN_BRACE) || self.previous_is(SEMICOLON))
                {
                    return Ok(index + 1);
                }
                if std::mem::take(&mut self.context().in_computed_goto) {
                    self.insert(")", start);
                }
                self.copy(index);
                self.end_expression();
                self.end_statement(index);
                self.previous = Some(index);
                return Ok(index + 1);
            }
            COMMA => {
                self.copy(index);
                self.end_expression();
                self.previous = Some(index);
                self.statement_start = self.in_parameters();
                return Ok(index + 1);
            }
            QUESTION => {
                if self.is(index + 1, COLON) {
                    self.copy(index);
                    self.insert(encoding::CONDITION_VALUE, start);
                    self.copy(index + 1);
                    self.previous = Some(index + 1);
                    self.operator(index)?;
                    return Ok(index + 2);
                }
                self.context().questions += 1;
            }
            COLON => {
                let was_label = self.is_label_colon();
                let context = self.context();
                if context.questions > 0 {
                    context.questions -= 1;
                } else {
                    context.in_case = false;
                }
                self.copy(index);
                self.previous = Some(index);
                self.statement_start = false;
                if was_label {
                    self.end_expression();
                    self.after_label(index)?;
                } else {
                    self.operator(index)?;
                }
                return Ok(index + 1);
            }
            AND if self.begins_operand()
                && self.word(index + 1).is_some_and(|word| !is_keyword(word)) =>
            {
                let label = self.tokens[index + 1].symbol;
                self.insert("__regatta_label_address(", start);
                let name = self.renamed(label);
                match name {
                    Some(name) => self.insert(&name, start),
                    None => self.copy(index + 1),
                }
                self.insert(")", start);
                self.previous = Some(index + 1);
                self.operator(index)?;
                return Ok(index + 2);
            }
            ELLIPSIS
                if self.previous_is(OPEN_PARENTHESIS) && self.is(index + 1, CLOSE_PARENTHESIS) =>
            {
                return Ok(index + 1);
            }
            _ => {}
        }
        self.copy(index);
        self.previous = Some(index);
        self.statement_start = false;
        self.operator(index)?;
        Ok(index + 1)
    }

    fn operator(&mut self, index: usize) -> Result<(), Error> {
        self.context().operators += 1;
        self.deepen(index)
    }

    fn end_expression(&mut self) {
        let context = self.context();
        let operators = std::mem::take(&mut context.operators);
        context.questions = 0;
        self.nesting -= operators.min(self.nesting);
    }

    /// After a `;` or a `}` that ends a statement.
    fn end_statement(&mut self, index: usize) {
        self.statement_start = matches!(
            self.kind(),
            BracketKind::Block | BracketKind::Aggregate | BracketKind::File
        );
        if self.word(index + 1) != Some(word::Else) {
            let statements = std::mem::take(&mut self.context().statements);
            self.nesting -= statements.min(self.nesting);
        }
    }

    fn open_brace(&mut self, index: usize) -> Result<usize, Error> {
        let start = self.tokens[index].start;
        let kind = self.brace_kind(index)?;
        self.deepen(index)?;
        self.copy(index);
        let mut context = Context::new(kind);
        if matches!(kind, BracketKind::Aggregate | BracketKind::Enum) {
            context.attributes = std::mem::take(&mut self.held_attributes);
        }
        self.aggregate = None;
        self.held_attributes.clear();
        let is_body = self.contexts.len() == 1 && kind == BracketKind::Block;
        self.contexts.push(context);
        self.previous = Some(index);
        self.statement_start = matches!(kind, BracketKind::Block | BracketKind::Aggregate);
        if is_body {
            for name in self.shadowed {
                self.insert(&format!("int {name};"), start);
            }
        }
        Ok(index + 1)
    }

    fn brace_kind(&self, index: usize) -> Result<BracketKind, Error> {
        match self.aggregate {
            Some(word::Enum) => return Ok(BracketKind::Enum),
            Some(_) => return Ok(BracketKind::Aggregate),
            None => {}
        }
        if self.kind() == BracketKind::Initialiser || self.previous_is(p(b"=")) {
            return Ok(BracketKind::Initialiser);
        }
        if self.kind() == BracketKind::File {
            let is_body =
                self.chunk.kind == ChunkKind::Function && self.partner(index) + 1 == self.chunk.end;
            return Ok(if is_body {
                BracketKind::Block
            } else {
                BracketKind::Initialiser
            });
        }
        if !self.previous_is(p(b")")) {
            return Ok(BracketKind::Block);
        }
        // After a parenthesis: the body of `if (…)`, a compound literal, or a function within a function.
        let open = self.previous.map_or(0, |previous| self.partner(previous));
        let before = open
            .checked_sub(1)
            .filter(|&before| before >= self.chunk.first);
        match before.and_then(|before| self.word(before)) {
            Some(word::If | word::For | word::While | word::Switch) => Ok(BracketKind::Block),
            Some(name) if !is_keyword(name) && self.kind() == BracketKind::Block => Err(self
                .error(
                    index,
                    ErrorKind::Unsupported,
                    "a function defined within a function",
                )
                .with_help("nested functions are an extension of gcc; move the function out")),
            _ => Ok(BracketKind::Initialiser),
        }
    }

    fn close(&mut self, index: usize, symbol: Symbol) -> usize {
        let start = self.tokens[index].start;
        self.copy(index);
        let context = if self.contexts.len() > 1 {
            self.contexts.pop()
        } else {
            None
        };
        let context = context.unwrap_or_else(|| Context::new(BracketKind::Parenthesis));
        self.nesting -= (context.operators + context.statements + 1).min(self.nesting);
        self.previous = Some(index);
        self.statement_start = false;
        match context.kind {
            BracketKind::Block => {
                self.end_expression();
                self.end_statement(index);
            }
            BracketKind::Aggregate | BracketKind::Enum => {
                if !context.attributes.is_empty() {
                    let attributes = String::from_utf8_lossy(&context.attributes).into_owned();
                    self.insert(&format!("__attribute__(({attributes}))"), start);
                }
                let pack = self.outline.packs.get(&(index as u32));
                if let (BracketKind::Aggregate, Some(alignment)) = (context.kind, pack) {
                    self.insert(
                        &format!("__attribute__(({}({alignment})))", encoding::PACK),
                        start,
                    );
                }
            }
            BracketKind::Parenthesis if symbol == p(b")") => {
                let open = self.partner(index);
                let before = open
                    .checked_sub(1)
                    .filter(|&before| before >= self.chunk.first);
                let control = before.and_then(|before| self.word(before));
                self.statement_start = matches!(
                    control,
                    Some(word::If | word::For | word::While | word::Switch)
                ) && self.kind() == BracketKind::Block;
                // Chains of casts and calls nest as well.
                self.context().operators += 1;
                self.nesting += 1;
            }
            _ => {
                self.context().operators += 1;
                self.nesting += 1;
            }
        }
        index + 1
    }

    /// Whether the token that comes next begins an operand, so that `&&` before it is the label operator.
    fn begins_operand(&self) -> bool {
        let Some(previous) = self.previous else {
            return true;
        };
        let token = self.tokens[previous];
        match token.kind {
            TokenKind::Word => is_keyword(token.symbol),
            TokenKind::Punctuator if token.symbol == p(b")") => {
                let open = self.partner(previous);
                let before = open.checked_sub(1).and_then(|before| self.word(before));
                before != Some(word::Sizeof) && self.begins_type(open + 1)
            }
            // After `++` and `--`, which may be postfix operators, no label's address can stand.
            TokenKind::Punctuator => {
                ![p(b"]"), p(b"}"), p(b"++"), p(b"--")].contains(&token.symbol)
            }
            _ => false,
        }
    }

    fn begins_type(&self, index: usize) -> bool {
        self.word(index).is_some_and(|word| {
            is_type_specifier(word)
                || is_other_specifier(word)
                || (!is_keyword(word) && self.is_typedef(word))
        })
    }

    // Declarations.

    /// Whether a `(` opens a parameter list that is declared here (not a call).
    fn begins_parameters(&self, open: usize) -> bool {
        match self.kind_outside() {
            BracketKind::File => open.checked_sub(1).is_some_and(|before| {
                self.is(before, p(b")")) || self.word(before).is_some_and(|word| !is_keyword(word))
            }),
            BracketKind::Block => {
                // `for (register i = 0; …)`
                open.checked_sub(1).and_then(|before| self.word(before)) == Some(word::For)
            }
            _ => false,
        }
    }

    /// The kind of bracket around the one that was opened last.
    fn kind_outside(&self) -> BracketKind {
        self.contexts
            .len()
            .checked_sub(2)
            .map_or(BracketKind::File, |index| self.contexts[index].kind)
    }

    fn in_parameters(&self) -> bool {
        self.kind() == BracketKind::Parenthesis && self.kind_outside() == BracketKind::File
    }

    /// Inserts the `int` that old programs leave out, and notes local typedefs.
    fn declaration_start(&mut self, index: usize) {
        self.statement_start = false;
        let kind = self.kind();
        if matches!(
            kind,
            BracketKind::Aggregate
                | BracketKind::Enum
                | BracketKind::Initialiser
                | BracketKind::Index
        ) {
            return;
        }
        let first = self.word(index);
        let begins = first.is_some_and(|word| {
            is_other_specifier(word) || matches!(word, word::Attribute | word::Extension)
        });
        let at_file_start = index == self.chunk.first;
        if !begins && !at_file_start {
            return;
        }
        let is_typedef = |word: Symbol| self.is_typedef(word);
        let (after, type_seen) = after_specifiers(
            self.tokens,
            &self.outline.partner,
            index,
            self.chunk.end,
            &is_typedef,
        );
        if kind == BracketKind::Block
            && self.tokens[index..after]
                .iter()
                .any(|token| token.kind == TokenKind::Word && token.symbol == word::Typedef)
        {
            let names = typedef_names(
                self.tokens,
                &self.outline.partner,
                index,
                self.chunk.end,
                &is_typedef,
            );
            self.local_typedefs.extend(names);
        }
        if type_seen || after >= self.chunk.end {
            return;
        }
        let has_specifier = self.tokens[index..after]
            .iter()
            .any(|token| token.kind == TokenKind::Word && is_other_specifier(token.symbol));
        if !has_specifier && !at_file_start {
            return;
        }
        let is_declarator = self.word(after).is_some_and(|word| !is_keyword(word))
            || self.is(after, p(b"*"))
            || self.is(after, p(b"("))
            || (kind == BracketKind::Parenthesis
                && (self.is(after, p(b",")) || self.is(after, p(b")"))));
        if is_declarator {
            self.edit(after, "int", None, "");
        }
    }

    /// Whether a declaration begins at an index; a typedef name must be followed by what a declaration goes on with.
    fn begins_declaration(&self, index: usize) -> bool {
        let Some(word) = self.word(index) else {
            return false;
        };
        if is_type_specifier(word) || is_other_specifier(word) || word == word::StaticAssert {
            return true;
        }
        if is_keyword(word) || !self.is_typedef(word) {
            return false;
        }
        self.word(index + 1).is_some_and(|next| {
            !is_keyword(next) || is_other_specifier(next) || is_type_specifier(next)
        }) || self.is(index + 1, p(b"*"))
    }

    // Attributes and assembly.

    /// Reads `__attribute__((…))` and writes what is left of it; the index after it.
    fn attributes(&mut self, index: usize) -> usize {
        if !self.is(index + 1, p(b"(")) {
            return index + 1;
        }
        let close = self.partner(index + 1);
        let mut kept: Vec<(usize, usize)> = Vec::new();
        if self.is(index + 2, p(b"(")) && self.partner(index + 2) + 1 == close {
            let end = self.partner(index + 2);
            let mut item = index + 3;
            while item < end {
                let mut item_end = item;
                while item_end < end && !self.is(item_end, p(b",")) {
                    item_end = self.partner(item_end).max(item_end) + 1;
                }
                let name = self
                    .word(item)
                    .map_or(&b""[..], |symbol| self.all.words.text(symbol));
                let name = name
                    .strip_prefix(b"__")
                    .and_then(|name| name.strip_suffix(b"__"))
                    .unwrap_or(name);
                if ATTRIBUTES.contains(&name) {
                    kept.push((item, item_end));
                }
                item = item_end + 1;
            }
        }
        let statement_start = self.statement_start;
        if !kept.is_empty() {
            let start = self.tokens[index].start;
            if self.aggregate.is_some() {
                let mut text = Vec::new();
                for (item, end) in kept {
                    if !self.held_attributes.is_empty() || !text.is_empty() {
                        text.extend_from_slice(b", ");
                    }
                    for token in &self.tokens[item..end] {
                        text.extend_from_slice(self.source(*token));
                        text.push(b' ');
                    }
                }
                self.held_attributes.append(&mut text);
            } else {
                self.insert("__attribute__((", start);
                for (number, (item, end)) in kept.into_iter().enumerate() {
                    if number > 0 {
                        self.insert(",", start);
                    }
                    for argument in item..end {
                        self.copy(argument);
                    }
                }
                self.insert("))", start);
            }
        }
        self.statement_start = statement_start;
        close + 1
    }

    /// `asm goto` is not parsed by lang-c, nor is the qualifier `inline`.
    fn assembly(&mut self, index: usize) -> usize {
        let start = self.tokens[index].start;
        let mut open = index + 1;
        let mut jumps = false;
        let mut is_volatile = false;
        while let Some(qualifier) = self.word(open) {
            jumps |= qualifier == word::Goto;
            is_volatile |= matches!(
                qualifier,
                word::Volatile | word::VolatileGnu | word::VolatileGnu2
            );
            open += 1;
        }
        self.statement_start = false;
        self.previous = Some(index);
        if jumps && self.is(open, p(b"(")) {
            self.insert("__regatta_unsupported(\"asm goto\")", start);
            let close = self.partner(open);
            self.previous = Some(close);
            return close + 1;
        }
        self.insert(
            if is_volatile {
                "__asm__ volatile"
            } else {
                "__asm__"
            },
            start,
        );
        open
    }

    // Operators with a type or an expression.

    /// `_Alignas` among a member's specifiers, where lang-c takes an attribute only.
    fn member_alignment(&mut self, index: usize) -> usize {
        let open = index + 1;
        let close = self.partner(open);
        if self.begins_type(open + 1) {
            self.edit(open, "", None, "_Alignof(");
            self.edit(close, ")", None, "))");
        } else {
            self.edit(close, "", None, "))");
        }
        self.replace(index, "__attribute__((aligned");
        open
    }

    fn alignof(&mut self, index: usize) -> usize {
        let start = self.tokens[index].start;
        let operand = index + 1;
        let end = self.operand_end(operand);
        if self.is(operand, p(b"(")) && self.partner(operand) == end {
            self.insert("_Alignof(__typeof__", start);
            self.edit(end, "", None, ")");
        } else {
            self.insert("_Alignof(__typeof__(", start);
            self.edit(end, "", None, "))");
        }
        self.previous = Some(index);
        self.statement_start = false;
        operand
    }

    /// The index of the last token of the unary expression that begins at an index.
    fn operand_end(&self, first: usize) -> usize {
        let mut index = first;
        while index + 1 < self.chunk.end
            && self.tokens[index].kind == TokenKind::Punctuator
            && !self.is(index, p(b"("))
        {
            index += 1;
        }
        if self.is(index, p(b"(")) {
            index = self.partner(index);
        }
        while index + 1 < self.chunk.end {
            if self.is(index + 1, p(b"[")) || self.is(index + 1, p(b"(")) {
                index = self.partner(index + 1);
            } else if (self.is(index + 1, p(b".")) || self.is(index + 1, p(b"->")))
                && self.word(index + 2).is_some()
            {
                index += 2;
            } else {
                break;
            }
        }
        index
    }

    fn types_compatible(&mut self, index: usize) -> Result<usize, Error> {
        let open = index + 1;
        let comma = if self.is(open, p(b"(")) {
            self.top_level_comma(open)
        } else {
            None
        };
        let Some(comma) = comma else {
            return Err(self.error(
                index,
                ErrorKind::Syntax,
                "`__builtin_types_compatible_p` takes two types",
            ));
        };
        let close = self.partner(open);
        self.edit(open, "", None, "sizeof(");
        self.edit(comma, ")", None, "sizeof(");
        self.edit(close, ")", None, "");
        Ok(self.replace(index, encoding::TYPES_COMPATIBLE))
    }

    // Labels.

    /// Leaves `__label__ a, b;` out and notes the names.
    fn local_labels(&mut self, index: usize) -> usize {
        let number = self.blocks_with_labels;
        self.blocks_with_labels += 1;
        let mut index = index + 1;
        while index < self.chunk.end && !self.is(index, p(b";")) {
            if let Some(label) = self.word(index) {
                self.context().labels.push((label, number));
            }
            index += 1;
        }
        self.statement_start = true;
        index + 1
    }

    fn renamed(&self, label: Symbol) -> Option<String> {
        self.contexts.iter().rev().find_map(|context| {
            let (_, number) = context.labels.iter().find(|(name, _)| *name == label)?;
            let name = literal::ascii_identifier(self.all.words.text(label));
            Some(format!("{name}__in_block_{number}"))
        })
    }

    /// The new name of a word that names a block's own label here.
    fn label_name(&self, index: usize, symbol: Symbol) -> Option<String> {
        if self.previous_word() == Some(word::Goto) || self.label_before(index) {
            self.renamed(symbol)
        } else {
            None
        }
    }

    /// Whether the word at an index is a label with its colon next.
    fn label_before(&self, index: usize) -> bool {
        let Some(context) = self.contexts.last() else {
            return false;
        };
        if context.kind != BracketKind::Block
            || context.questions > 0
            || context.in_case
            || !self.is(index + 1, p(b":"))
            || self.word(index).is_none_or(is_keyword)
        {
            return false;
        }
        // `previous` is the word itself or the one before it, depending on when this is asked.
        let before = match self.previous {
            Some(previous) if previous == index => index.checked_sub(1),
            previous => previous,
        };
        let Some(before) = before.filter(|&before| before >= self.chunk.first) else {
            return false;
        };
        matches!(self.word(before), Some(word::Else | word::Do))
            || [p(b"{"), p(b"}"), p(b";"), p(b":"), p(b")")]
                .iter()
                .any(|&symbol| self.is(before, symbol))
    }

    /// Whether the colon that comes now ends a label.
    fn is_label_colon(&self) -> bool {
        let Some(context) = self.contexts.last() else {
            return false;
        };
        if context.kind != BracketKind::Block || context.questions > 0 {
            return false;
        }
        context.in_case
            || self.previous_word() == Some(word::Default)
            || self
                .previous
                .is_some_and(|previous| self.label_before(previous))
    }

    /// Inserts the empty statement that C11 wants between a label and a declaration or the block's end.
    fn after_label(&mut self, colon: usize) -> Result<(), Error> {
        let mut next = colon + 1;
        while matches!(
            self.word(next),
            Some(word::Attribute | word::AttributeGnu | word::Extension)
        ) {
            let attribute = self.word(next) != Some(word::Extension);
            next += 1;
            if attribute && self.is(next, p(b"(")) {
                next = self.partner(next) + 1;
            }
        }
        if self.is(next, p(b"}")) || self.begins_declaration(next) {
            let start = self.tokens[colon].start;
            self.insert(";", start);
        }
        self.statement_start = true;
        self.context().statements += 1;
        self.deepen(colon)
    }
}
