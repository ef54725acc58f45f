//! Rewrites constructs that lang-c 0.15.1 cannot parse into ones that it can, token by token.
//!
//! Rewritten constructs keep their source positions. The type checker recognises the encodings by the reserved names in
//! [`encoding`].
//!
//! | C | rewritten for lang-c | recognised by |
//! | --- | --- | --- |
//! | `a ?: b` | `a ? __regatta_condition_value : b` | [`encoding::CONDITION_VALUE`], an identifier as second operand |
//! | `__int128`, `__int128_t` | `_Decimal128x`, also with `unsigned` | `TS18661Float { DecimalExtended, 128 }` |
//! | `__float128`, `__float80`, `__fp16` | `_Float128`, `_Float64x`, `_Float16` | |
//! | `&&label` | `__regatta_label_address(label)` | [`encoding::LABEL_ADDRESS`], a call with an identifier |
//! | `goto *e;` | `__regatta_computed_goto(e);` | [`encoding::COMPUTED_GOTO`], a call |
//! | `__label__ l;` | nothing; `l` becomes `l__in_block_N` within the block | |
//! | `_Alignof e` | `_Alignof(__typeof__(e))` | alignment of a `typeof` of an expression |
//! | `__alignof__(e)`, also of a type | `__regatta_preferred_alignment(sizeof (e))` | [`encoding::PREFERRED_ALIGNMENT`], a call |
//! | `__builtin_types_compatible_p(T, U)` | `__regatta_types_compatible(sizeof(T), sizeof(U))` | [`encoding::TYPES_COMPATIBLE`] |
//! | `(*__ctype_b_loc())[c]`, which is `isdigit(c)` | `__regatta_ctype_b(c)` (also `tolower`) | functions of the library |
//! | `__builtin_convertvector(e, T)` | `__regatta_convert_vector(e, sizeof(T))` | [`encoding::CONVERT_VECTOR`] |
//! | `__real__ e`, which may be assigned to | `*(__regatta_real_part) e` | [`encoding::REAL_PART`], a cast behind a `*` |
//! | `__imag__ e` | `*(__regatta_imaginary_part) e` | [`encoding::IMAGINARY_PART`], a cast behind a `*` |
//! | `__auto_type x = e` | the same, `__auto_type` a typedef name | [`encoding::AUTO_TYPE`] |
//! | `asm goto ("…" : : : : l);` | `{ __asm__ volatile ("…" : : :); __regatta_assembly_jump(l); }` | [`encoding::ASSEMBLY_JUMP`] |
//! | `nullptr` (see `modern`) | `__regatta_nullptr` | [`encoding::NULL_POINTER`], an identifier |
//! | `true`, `false` (see `modern`) | `((_Bool)1)`, `((_Bool)0)` | |
//! | `constexpr` | `__attribute__((__regatta_constexpr))` | |
//! | `auto x = e` without a type | `auto __auto_type x = e` | [`encoding::AUTO_TYPE`] |
//! | `enum e : T { … }`, `enum e : T` | `enum e { … } __attribute__((__regatta_underlying(sizeof(T))))`, also without braces | |
//! | `unsigned _BitInt(n)` | `__typeof__(__regatta_unsigned_bit_int(n))` | [`encoding::BIT_INT`], a call |
//! | `3wb` | `((__typeof__(__regatta_bit_int(3)))3ull)` | [`encoding::BIT_INT`], a call |
//! | `typeof(typeof(e) *)`, also of `_BitInt` | `__typeof__(__regatta_type(sizeof(__typeof__(e) *)))` | [`encoding::TYPE`] |
//! | `typeof_unqual(e)` | `__typeof__(__regatta_unqualified(sizeof(e)))` | [`encoding::UNQUALIFIED`], a call |
//! | `(static T){ … }` | `(__typeof__(__regatta_static_literal(sizeof(T)))){ … }` | [`encoding::STATIC_LITERAL`], a call |
//! | `(constexpr T){ … }` | the same with `__regatta_constant_literal` | [`encoding::CONSTANT_LITERAL`], a call |
//! | `u8'x'` | `((unsigned char)'x')` | |
//! | `int f(int x) { … }` in a block | `int f(int x) = ({ … });` | a function with an initialiser |
//! | `#pragma pack(n)` | `struct { … } __attribute__((__regatta_pack(n)))` | [`encoding::PACK`], an attribute |
//! | `struct __attribute__((a)) s { … }` (also `union`, `enum`) | `struct s { … } __attribute__((a))` | |
//! | `struct { _Alignas(n) int a; }` | `struct { __attribute__((aligned(n))) int a; }` | |
//! | `(T){}` | `(T){__regatta_nothing}` | [`encoding::NOTHING`], an identifier as the only initialiser |
//! | `static x;`, `main() { }` | `static int x;`, `int main() { }` | |
//! | `_Static_assert(e)` | `_Static_assert(e, "")` | |
//! | `sizeof (T){…}` | `sizeof ((T){…})` | |
//! | `__thread`, `__extension__` | `_Thread_local`, nothing | |
//! | `int f(...)` | `int f(void, ...)` | |
//! | `l: }`, `l: int x;` | `l: ; }`, `l: ; int x;` | |
//! | `"\e"`, `"\u00e9"`, `"é"` | `"\033"`, `"\303\251"` (wide strings: `L"\xe9"`) | |
//! | `1.0q`, `1.0w` | `1.0f128`, `1.0f64x` | |
//! | `x$y`, `é` | `x_dollar_y`, `_u00e9_` | |
//! | `[[attribute]]` | `__attribute__((attribute))` | |
//! | attributes that change nothing (see [`attribute`]), and unknown ones, of which there is a warning | nothing | |

use super::literal;
use super::split::{Chunk, ChunkKind, Outline};
use super::token::{
    Symbol, Token, TokenKind, Tokens, is_keyword, punctuator as p, without_splices, word,
};
use crate::position::PositionMap;
use regatta_base::diagnostic::{Error, ErrorKind};

/// The reserved names by which the type checker recognises rewritten constructs.
pub mod encoding {
    /// Second operand of a conditional expression: the value of the first.
    pub const CONDITION_VALUE: &str = "__regatta_condition_value";
    /// Function: the address of the label that its argument names.
    pub const LABEL_ADDRESS: &str = "__regatta_label_address";
    /// What stands in the name of a label of a block (`__label__`).
    pub const BLOCK_LABEL: &str = "__in_block_";
    /// Function: jumps to the label with the address that the argument gives.
    pub const COMPUTED_GOTO: &str = "__regatta_computed_goto";
    /// Function of two arguments `sizeof(type)`: whether the types are compatible.
    pub const TYPES_COMPATIBLE: &str = "__regatta_types_compatible";
    /// Function: converts the first argument's elements to those of the type in the second argument, `sizeof(type)`.
    pub const CONVERT_VECTOR: &str = "__regatta_convert_vector";
    /// Type of a cast: the operand's real part.
    pub const REAL_PART: &str = "__regatta_real_part";
    /// Type of a cast: the operand's imaginary part.
    pub const IMAGINARY_PART: &str = "__regatta_imaginary_part";
    /// Type specifier: the type of the initialiser.
    pub const AUTO_TYPE: &str = "__auto_type";
    /// Initialiser of a compound literal: stands for an empty list.
    pub const NOTHING: &str = "__regatta_nothing";
    /// Function: an unsupported operation, named by the argument.
    pub const UNSUPPORTED: &str = "__regatta_unsupported";
    /// Function: the assembly in front jumps to one of the labels that the arguments name, or falls through.
    pub const ASSEMBLY_JUMP: &str = "__regatta_assembly_jump";
    /// Function: gcc's preferred alignment of the operand of `sizeof` in the argument.
    pub const PREFERRED_ALIGNMENT: &str = "__regatta_preferred_alignment";
    /// Identifier: C23's null pointer.
    pub const NULL_POINTER: &str = "__regatta_nullptr";
    /// Function in a `typeof`: the signed integer type with the width that the argument gives.
    pub const BIT_INT: &str = "__regatta_bit_int";
    /// Function in a `typeof`: the unsigned integer type with the width that the argument gives.
    pub const UNSIGNED_BIT_INT: &str = "__regatta_unsigned_bit_int";
    /// Function in a `typeof`: the type in the argument `sizeof(type)`.
    pub const TYPE: &str = "__regatta_type";
    /// Function in a `typeof`: the type in the argument `sizeof(type)`, without qualifiers.
    pub const UNQUALIFIED: &str = "__regatta_unqualified";
    /// Function in a `typeof`: the type in the argument `sizeof(type)`, of a compound literal that is a static object.
    pub const STATIC_LITERAL: &str = "__regatta_static_literal";
    /// Function in a `typeof`: the same, of a compound literal that is a constant.
    pub const CONSTANT_LITERAL: &str = "__regatta_constant_literal";
    /// Function in a `typeof`: the same, of one that is both.
    pub const STATIC_CONSTANT_LITERAL: &str = "__regatta_static_constant_literal";
    /// Attribute of a struct or union: no member has a larger alignment than the argument.
    pub const PACK: &str = "__regatta_pack";
}

/// Maximum nesting depth: counts open brackets, the operators in them since the last separator, and the enclosing
/// statements. The parser and the visitors of its trees are recursive; the limit keeps them within
/// [`crate::parse::STACK_SIZE`].
pub(crate) const MAXIMUM_NESTING: usize = 6000;

/// Number of binary operators in a row that count as one level: lang-c reads them in a loop, and only their trees are
/// deep.
pub(crate) const CHAINED_OPERATORS: usize = 4;

mod attribute;
mod bit_int;
mod declaration;
mod label;
mod operator;
mod punctuator;

/// Maximum number of open parentheses and indices: lang-c copies the contents of each, so its time is quadratic in
/// their number (clang's limit is 256).
pub(crate) const MAXIMUM_OPEN_BRACKETS: usize = 500;

/// The text for lang-c of one external declaration.
pub(crate) struct Rewritten {
    /// The declaration, after a typedef of the names that must be types, if there are any.
    pub text: String,
    /// The number of external declarations in the text that were added.
    pub added_declarations: usize,
    /// Pieces (offset in the text, offset in the source).
    pub pieces: Vec<(u32, u32)>,
    /// The offset in the source where the declaration begins.
    pub start: u32,
    /// Warnings, with offsets in the source.
    pub warnings: Vec<(u32, String)>,
}

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

/// An open bracket and the state of the rewriting in it.
struct Context {
    kind: BracketKind,
    /// The number of `?` without their `:` so far.
    questions: u32,
    /// Whether the position is between `case` and its `:`.
    in_case: bool,
    /// Whether a `goto *` is open: its parenthesis closes before the next `;`.
    in_computed_goto: bool,
    /// The number of operators since the last separator.
    operators: usize,
    /// The number of left-associative binary operators among them; see [`CHAINED_OPERATORS`].
    chained: usize,
    /// The number of statements that contain the next one.
    statements: usize,
    /// Attributes that go behind the closing brace.
    attributes: Vec<u8>,
    /// The block's local labels, with a number that makes them unique.
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
            chained: 0,
            statements: 0,
            attributes: Vec::new(),
            labels: Vec::new(),
        }
    }
}

/// A pending edit at a later token.
struct Edit {
    index: usize,
    before: &'static str,
    instead: Option<&'static str>,
    after: &'static str,
}

/// Rewrites a chunk. `shadowed` are typedef names that the function's parameters hide: lang-c forgets parameters when a
/// body begins, so an `int NAME;` is inserted at the body's beginning, which `parse` removes again. `without_body`
/// replaces the body by an unsupported operation.
pub(crate) fn rewrite(
    text: &[u8],
    tokens: &Tokens,
    outline: &Outline,
    number: usize,
    positions: &PositionMap,
    shadowed: &[String],
    without_body: bool,
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
        without_body,
        out: Vec::with_capacity(256),
        pieces: Vec::new(),
        last_end: u32::MAX,
        contexts: vec![Context::new(BracketKind::File)],
        nesting: 0,
        brackets: 0,
        edits: Vec::new(),
        late_attributes: Vec::new(),
        held_attributes: Vec::new(),
        aggregate: None,
        types_used: Vec::new(),
        local_typedefs: Vec::new(),
        blocks_with_labels: 0,
        statement_start: true,
        previous: None,
        warnings: Vec::new(),
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
    without_body: bool,
    out: Vec<u8>,
    pieces: Vec<(u32, u32)>,
    /// The end of the last copied token in the source.
    last_end: u32,
    contexts: Vec<Context>,
    /// The nesting depth: the contexts' operators and statements, and the number of contexts.
    nesting: usize,
    /// The number of open parentheses and indices.
    brackets: usize,
    edits: Vec<Edit>,
    /// Attributes to insert in front of a later token.
    late_attributes: Vec<(usize, String)>,
    /// Attributes of the struct, union or enum before its body.
    held_attributes: Vec<u8>,
    /// The keyword `struct`, `union` or `enum`, up to its body or the end of its tag.
    aggregate: Option<Symbol>,
    types_used: Vec<Symbol>,
    local_typedefs: Vec<Symbol>,
    blocks_with_labels: usize,
    /// Whether the next token may begin a declaration or a statement.
    statement_start: bool,
    /// The last token that was not removed.
    previous: Option<usize>,
    warnings: Vec<(u32, String)>,
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

    /// Records the source offset of the next output.
    fn mark(&mut self, source: u32) {
        let written = self.out.len() as u32;
        match self.pieces.last() {
            Some(&(last_written, last_source))
                if written.wrapping_sub(last_written) == source.wrapping_sub(last_source) => {}
            _ => self.pieces.push((written, source)),
        }
    }

    /// Writes text that is not in the source, at the position of a token.
    fn insert(&mut self, text: &str, source: u32) {
        if text.is_empty() {
            return;
        }
        self.out.push(b' ');
        self.pieces.push((self.out.len() as u32, source));
        self.out.extend_from_slice(text.as_bytes());
        self.last_end = u32::MAX;
    }

    /// Copies a token, in a spelling that lang-c can read.
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
                if let Some(text) = literal::bit_precise(source) {
                    self.out.extend(text.into_bytes());
                    return;
                }
                let text = if token.spliced {
                    without_splices(source)
                } else {
                    source.to_vec()
                };
                self.out.extend(literal::plain_number(text));
            }
            TokenKind::Character if source.starts_with(b"u8") => {
                let text = literal::plain_quoted(&without_splices(&source[2..]));
                self.out.extend_from_slice(b"((unsigned char)");
                self.out.extend(text);
                self.out.push(b')');
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
            // Declares the reserved typedef names that occur in the output.
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
        let text = String::from_utf8(self.out).map_err(|_| {
            let message = "the text cannot be read as characters";
            self.positions.error_at(ErrorKind::Syntax, message, start)
        })?;
        Ok(Rewritten {
            text,
            added_declarations,
            pieces: self.pieces,
            start,
            warnings: self.warnings,
        })
    }

    // The walk over the tokens.

    fn run(&mut self) -> Result<(), Error> {
        if matches!(self.chunk.kind, ChunkKind::Asm | ChunkKind::Unused) {
            return Ok(());
        }
        let mut index = self.chunk.first;
        let last = self.chunk.end.saturating_sub(1);
        let body = self.without_body.then(|| self.partner(last));
        while index < self.chunk.end {
            if body == Some(index) {
                let start = self.tokens[index].start;
                let what = "{ __regatta_unsupported(\"a function body that cannot be parsed\"); }";
                self.insert(what, start);
                return Ok(());
            }
            if self.statement_start {
                self.declaration_start(index)?;
            }
            index = self.advance(index)?;
        }
        Ok(())
    }

    /// Writes the token at an index with its pending edits; returns the index after it.
    fn advance(&mut self, index: usize) -> Result<usize, Error> {
        let start = self.tokens[index].start;
        while let Some(found) = self.late_attributes.iter().position(|(at, _)| *at == index) {
            let (_, text) = self.late_attributes.swap_remove(found);
            self.insert(&text, start);
        }
        if self.edits.iter().all(|edit| edit.index != index) {
            return self.step(index);
        }
        let due: Vec<Edit> = self
            .edits
            .extract_if(.., |edit| edit.index == index)
            .collect();
        for edit in &due {
            self.insert(edit.before, start);
        }
        let next = match due.iter().find_map(|edit| edit.instead) {
            Some(instead) => {
                self.insert(instead, start);
                self.previous = Some(index);
                index + 1
            }
            None => self.step(index)?,
        };
        for edit in due.iter().rev() {
            self.insert(edit.after, start);
        }
        Ok(next)
    }

    /// Writes the token at an index, rewritten if necessary; returns the index after it.
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
        if self.nesting > MAXIMUM_NESTING {
            return Err(self
                .error(index, ErrorKind::Unsupported, "too deeply nested")
                .with_help(format!(
                    "at most {MAXIMUM_NESTING} brackets, operators and statements may be nested"
                )));
        }
        Ok(())
    }

    /// Counts an opened parenthesis or index.
    fn open_bracket(&mut self, index: usize) -> Result<(), Error> {
        if self.brackets >= MAXIMUM_OPEN_BRACKETS {
            return Err(self
                .error(index, ErrorKind::Unsupported, "too deeply nested")
                .with_help(format!(
                    "at most {MAXIMUM_OPEN_BRACKETS} parentheses may be nested"
                )));
        }
        self.brackets += 1;
        self.deepen(index)
    }

    fn keyword(&mut self, symbol: Symbol) {
        match symbol {
            word::Struct | word::Union | word::Enum => self.aggregate = Some(symbol),
            word::Case => self.context().in_case = true,
            // The statement after `else` is as deep as the one after the `if`, which still counts.
            word::If | word::For | word::While | word::Do | word::Switch => {
                self.context().statements += 1;
                self.nesting += 1;
            }
            _ => {}
        }
    }

    /// Ends the specifier `struct` at a word, except at a tag before `{`.
    fn leave_aggregate_tag(&mut self, index: usize) {
        let after_keyword = matches!(
            self.previous_word(),
            Some(word::Struct | word::Union | word::Enum)
        );
        if !after_keyword || !(self.is(index + 1, p(b"{")) || self.is_underlying_colon(index + 1)) {
            if !after_keyword || !self.held_attributes.is_empty() {
                self.held_attributes.clear();
            }
            self.aggregate = None;
        }
    }

    /// Rewrites words that are not copied, and returns the index after them; `None` for other words.
    fn special_word(&mut self, index: usize, symbol: Symbol) -> Result<Option<usize>, Error> {
        let start = self.tokens[index].start;
        let next = match symbol {
            word::Extension => index + 1,
            word::Attribute | word::AttributeGnu => return self.attributes(index).map(Some),
            word::Int128 | word::Int128Gnu | word::Int128Type => {
                self.replace(index, "_Decimal128x")
            }
            word::Uint128Type => self.replace(index, "unsigned _Decimal128x"),
            word::Float128Gnu => self.replace(index, "_Float128"),
            word::Float80Gnu => self.replace(index, "_Float64x"),
            word::Float16Gnu => self.replace(index, "_Float16"),
            word::ThreadLocalGnu => self.replace(index, "_Thread_local"),
            word::Real | word::RealGnu => self.replace(index, "*(__regatta_real_part)"),
            word::Imag | word::ImagGnu => self.replace(index, "*(__regatta_imaginary_part)"),
            word::TypeofUnqual | word::TypeofUnqualGnu if self.is(index + 1, p(b"(")) => {
                self.typeof_of_type(index, encoding::UNQUALIFIED)
            }
            word::Typeof | word::TypeofGnu | word::TypeofGnu2
                if self.begins_with_typeof(index + 1) =>
            {
                self.typeof_of_type(index, encoding::TYPE)
            }
            word::Nullptr => self.replace(index, encoding::NULL_POINTER),
            word::True => self.replace(index, "((_Bool)1)"),
            word::False => self.replace(index, "((_Bool)0)"),
            word::Constexpr => self.replace(index, "__attribute__((__regatta_constexpr))"),
            word::Unsigned | word::Signed | word::SignedGnu | word::SignedGnu2
                if self.bit_int_beside(index) =>
            {
                index + 1
            }
            word::BitInt if self.is(index + 1, p(b"(")) => self.bit_int(index),
            word::Alignof => self.alignof(index),
            word::AlignofGnu | word::AlignofGnu2 => self.preferred_alignof(index),
            word::TypesCompatible => return self.types_compatible(index).map(Some),
            word::ConvertVector => return self.convert_vector(index).map(Some),
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

    /// The index of the first comma directly within the brackets that open at `open`.
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
}

#[cfg(test)]
mod tests;
