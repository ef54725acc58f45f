//! C's tokens, and the source position of each line of a preprocessed text.
//!
//! Comments, line splices and the preprocessor's lines (line markers, pragmas) are handled here, so that later steps
//! see only tokens. Texts are bytes: a C file need not be UTF-8.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::standard::Dialect;
use regatta_base::diagnostic::{Error, ErrorKind, Place};
use regatta_program::FileId;

/// The kind of a token.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An identifier or a keyword; [`Token::symbol`] says which.
    Word,
    Number,
    /// A character constant with its prefix.
    Character,
    /// A string literal with its prefix.
    String,
    /// An operator or separator; [`Token::symbol`] has its bytes, see [`punctuator`].
    Punctuator,
    /// `#pragma pack(…)`; the other pragmas are skipped.
    PragmaPack,
}

/// The number of a word in its [`Words`], or a punctuator's bytes.
pub(crate) type Symbol = u32;

/// A token: its bytes are `text[start..end]`.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Token {
    pub start: u32,
    pub end: u32,
    pub symbol: Symbol,
    pub kind: TokenKind,
    /// Whether a line splice (backslash, newline) lies within.
    pub spliced: bool,
}

/// The symbol of an operator of at most three bytes.
pub(crate) const fn punctuator(text: &[u8]) -> Symbol {
    let mut symbol = 0;
    let mut index = 0;
    while index < text.len() {
        symbol = symbol << 8 | text[index] as u32;
        index += 1;
    }
    symbol
}

/// The interned words of a text; C's keywords have the first numbers, see [`word`].
pub(crate) struct Words {
    numbers: FxHashMap<Box<[u8]>, Symbol>,
    texts: Vec<Box<[u8]>>,
}

macro_rules! words {
    ($($constant:ident = $text:literal),* $(,)?) => {
        /// Numbers of the words that the rewriting looks for.
        #[derive(Copy, Clone)]
        #[repr(u32)]
        enum Known { $($constant),* }

        /// The words with a meaning of their own; `word::X` is the number of each in every [`Words`].
        #[allow(dead_code, non_upper_case_globals, reason = "a table of the language, named like the words themselves")]
        pub(crate) mod word {
            use super::{Known, Symbol};
            $(pub(crate) const $constant: Symbol = Known::$constant as u32;)*
        }

        const KNOWN: &[&str] = &[$($text),*];
    };
}

words! {
    // Type specifiers: the first group, up to `TypeofUnqualGnu`.
    Void = "void", Char = "char", Short = "short", Int = "int", Long = "long", Float = "float", Double = "double",
    Signed = "signed", SignedGnu = "__signed__", SignedGnu2 = "__signed", Unsigned = "unsigned", Bool = "_Bool",
    Complex = "_Complex", ComplexGnu = "__complex__", ComplexGnu2 = "__complex",
    Float16 = "_Float16", Float32 = "_Float32", Float64 = "_Float64", Float128 = "_Float128",
    Float32x = "_Float32x", Float64x = "_Float64x", Float128x = "_Float128x", Float16x = "_Float16x",
    Decimal32 = "_Decimal32", Decimal64 = "_Decimal64", Decimal128 = "_Decimal128",
    Decimal32x = "_Decimal32x", Decimal64x = "_Decimal64x", Decimal128x = "_Decimal128x",
    Float128Gnu = "__float128", Float80Gnu = "__float80", Float16Gnu = "__fp16",
    Int128 = "__int128", Int128Gnu = "__int128__", Int128Type = "__int128_t", Uint128Type = "__uint128_t",
    VaList = "__builtin_va_list", AutoType = "__auto_type",
    Struct = "struct", Union = "union", Enum = "enum",
    Typeof = "typeof", TypeofGnu = "__typeof__", TypeofGnu2 = "__typeof",
    BitInt = "_BitInt",
    // `typeof_unqual`, where it is a keyword; so for the other words with the prefix `__regatta_` (see `modern`).
    TypeofUnqual = "__regatta_typeof_unqual", TypeofUnqualGnu = "__typeof_unqual__",
    // Storage classes, qualifiers and function specifiers: the second group, up to `Alignas`.
    Typedef = "typedef", Extern = "extern", Static = "static", Auto = "auto", Register = "register",
    ThreadLocal = "_Thread_local", ThreadLocalGnu = "__thread",
    Const = "const", ConstGnu = "__const", ConstGnu2 = "__const__", Volatile = "volatile", VolatileGnu = "__volatile__",
    VolatileGnu2 = "__volatile", Restrict = "restrict", RestrictGnu = "__restrict", RestrictGnu2 = "__restrict__",
    Atomic = "_Atomic", Inline = "inline", InlineGnu = "__inline", InlineGnu2 = "__inline__", Noreturn = "_Noreturn",
    Constexpr = "__regatta_constexpr", Alignas = "_Alignas",
    // The other keywords, up to `Label`.
    Attribute = "__attribute__", AttributeGnu = "__attribute", Asm = "asm", AsmGnu = "__asm__", AsmGnu2 = "__asm",
    Extension = "__extension__",
    Break = "break", Case = "case", Continue = "continue", Default = "default", Do = "do", Else = "else", For = "for",
    Goto = "goto", If = "if", Return = "return", Sizeof = "sizeof", Switch = "switch", While = "while",
    Alignof = "_Alignof", AlignofGnu = "__alignof__", AlignofGnu2 = "__alignof",
    Generic = "_Generic", StaticAssert = "_Static_assert", Imaginary = "_Imaginary",
    Real = "__real__", RealGnu = "__real", Imag = "__imag__", ImagGnu = "__imag",
    Label = "__label__",
    // Names that are no keywords.
    Nullptr = "__regatta_nullptr", True = "__regatta_true", False = "__regatta_false",
    TypesCompatible = "__builtin_types_compatible_p",
    ConvertVector = "__builtin_convertvector",
    CtypeB = "__ctype_b_loc",
    CtypeTolower = "__ctype_tolower_loc",
    CtypeToupper = "__ctype_toupper_loc",
}

/// Whether the word is a keyword that specifies a type.
pub(crate) const fn is_type_specifier(symbol: Symbol) -> bool {
    symbol <= word::TypeofUnqualGnu
}

/// Whether the word is a storage class, a qualifier or a function specifier.
pub(crate) const fn is_other_specifier(symbol: Symbol) -> bool {
    symbol >= word::Typedef && symbol <= word::Alignas
}

/// Whether the word is reserved, so that it cannot be declared.
pub(crate) const fn is_keyword(symbol: Symbol) -> bool {
    symbol <= word::Label
}

impl Words {
    pub(crate) fn new() -> Self {
        let mut words = Self {
            numbers: FxHashMap::default(),
            texts: Vec::new(),
        };
        for text in KNOWN {
            words.number(text.as_bytes());
        }
        words
    }

    /// The number of a word; equal words have equal numbers.
    pub(crate) fn number(&mut self, text: &[u8]) -> Symbol {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as Symbol;
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    /// The number of a word, if it occurs.
    pub(crate) fn find(&self, text: &[u8]) -> Option<Symbol> {
        self.numbers.get(text).copied()
    }

    /// The word with a number.
    pub(crate) fn text(&self, symbol: Symbol) -> &[u8] {
        self.texts.get(symbol as usize).map_or(&[], |text| text)
    }

    /// The number of words.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}

/// The source position of the lines from an offset on: a line marker, or the start of the text.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Marker {
    /// The offset from which it holds.
    pub offset: u32,
    /// The line of the text that begins there, from zero.
    pub text_line: u32,
    pub file: FileId,
    /// The number of that line in the file.
    pub line: u32,
    /// Whether the file is a system header.
    pub system: bool,
}

/// How line markers (`# 12 "file.h" 3`) are read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Markers {
    /// They give the positions: the text is the preprocessor's output.
    Resolve,
    /// Positions are those of the text itself, the user's file. Markers still tell which lines come from system
    /// headers.
    Ignore,
}

/// A text cut into tokens.
pub(crate) struct Tokens {
    pub tokens: Vec<Token>,
    pub words: Words,
    /// In order of their offsets; never empty.
    pub markers: Vec<Marker>,
    /// The offset of each line of the text.
    pub line_starts: Vec<u32>,
    /// File names by [`FileId`].
    pub files: Vec<Arc<str>>,
    /// The offsets of the pragmas other than `pack`: their beginning (after `#pragma`) and end.
    pub pragmas: Vec<(u32, u32)>,
    /// The detected dialect of the text; see `modern`.
    pub dialect: Dialect,
}

/// Cuts a text into tokens. `file` is its name.
pub(crate) fn tokenise(text: &[u8], file: &str, markers: Markers) -> Result<Tokens, Error> {
    tokenise_next(text, file, markers, Vec::new())
}

/// [`tokenise`] for a further file of a program: the files that others name keep their numbers.
pub(crate) fn tokenise_next(
    text: &[u8],
    file: &str,
    markers: Markers,
    mut files: Vec<Arc<str>>,
) -> Result<Tokens, Error> {
    if u32::try_from(text.len()).is_err() {
        return Err(
            Error::new(ErrorKind::Unreadable, "the file has more than 4 GiB").at(Place::file(file)),
        );
    }
    let mut file_numbers: FxHashMap<Vec<u8>, FileId> = FxHashMap::default();
    for (number, name) in files.iter().enumerate() {
        let number = u16::try_from(number).unwrap_or(u16::MAX);
        file_numbers.insert(name.as_bytes().to_vec(), FileId(number));
    }
    let own = match (
        file_numbers.get(file.as_bytes()),
        u16::try_from(files.len()),
    ) {
        (Some(&known), _) => known,
        (None, Ok(number)) => {
            files.push(file.into());
            file_numbers.insert(file.as_bytes().to_vec(), FileId(number));
            FileId(number)
        }
        (None, Err(_)) => {
            let error = Error::new(
                ErrorKind::Unsupported,
                "a program of more than 65,535 files",
            );
            return Err(error.at(Place::file(file)));
        }
    };
    let mut lexer = Lexer {
        text,
        own,
        position: 0,
        at_line_start: true,
        markers_mode: markers,
        out: Tokens {
            tokens: Vec::with_capacity(text.len() / 5),
            words: Words::new(),
            markers: vec![Marker {
                offset: 0,
                text_line: 0,
                file: own,
                line: 1,
                system: false,
            }],
            line_starts: vec![0],
            pragmas: Vec::new(),
            dialect: Dialect::default(),
            files,
        },
        file_numbers,
    };
    lexer.run()?;
    Ok(lexer.out)
}

struct Lexer<'text> {
    text: &'text [u8],
    /// The file that has the text.
    own: FileId,
    position: usize,
    at_line_start: bool,
    markers_mode: Markers,
    out: Tokens,
    file_numbers: FxHashMap<Vec<u8>, FileId>,
}

/// Whether the byte can be in a word; bytes above ASCII count as letters of the file's encoding.
const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.position + ahead).copied().unwrap_or(0)
    }

    fn error(&self, start: usize, message: impl Into<String>) -> Error {
        let text = String::from_utf8_lossy(&self.text[..self.text.len().min(start + 400)]);
        // The lossy text has the same lines; the column is exact where the line is UTF-8.
        Error::new(ErrorKind::Syntax, message).at(Place::in_text(
            self.out.files[usize::from(self.own.0)].clone(),
            &text,
            start,
        ))
    }

    fn newline(&mut self) {
        self.out.line_starts.push(self.position as u32);
        self.at_line_start = true;
    }

    fn run(&mut self) -> Result<(), Error> {
        while self.position < self.text.len() {
            let byte = self.text[self.position];
            match byte {
                b'\n' => {
                    self.position += 1;
                    self.newline();
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.position += 1,
                b'\\' if self.splice() => {}
                b'/' if self.peek(1) == b'/' => self.line_comment(),
                b'/' if self.peek(1) == b'*' => self.block_comment()?,
                b'#' if self.at_line_start => self.directive()?,
                b'%' if self.at_line_start && self.peek(1) == b':' => self.directive()?,
                _ => {
                    self.at_line_start = false;
                    self.token(byte)?;
                }
            }
        }
        Ok(())
    }

    /// Skips a line splice, a backslash with the end of its line; returns whether there is one.
    fn splice(&mut self) -> bool {
        let length = match (self.peek(1), self.peek(2)) {
            (b'\n', _) => 2,
            (b'\r', b'\n') => 3,
            _ => return false,
        };
        if self.peek(0) != b'\\' {
            return false;
        }
        self.position += length;
        self.out.line_starts.push(self.position as u32);
        true
    }

    fn line_comment(&mut self) {
        while self.position < self.text.len() && self.text[self.position] != b'\n' {
            if !self.splice() {
                self.position += 1;
            }
        }
    }

    fn block_comment(&mut self) -> Result<(), Error> {
        let start = self.position;
        self.position += 2;
        loop {
            match self.text.get(self.position) {
                None => return Err(self.error(start, "expected the end of this comment")),
                Some(b'*') if self.peek(1) == b'/' => {
                    self.position += 2;
                    return Ok(());
                }
                Some(b'\n') => {
                    self.position += 1;
                    self.out.line_starts.push(self.position as u32);
                }
                Some(_) => self.position += 1,
            }
        }
    }

    /// Reads a line that begins with `#`: a line marker, `#line`, or a pragma.
    fn directive(&mut self) -> Result<(), Error> {
        let start = self.position;
        let end = self.text[start..]
            .iter()
            .position(|&byte| byte == b'\n')
            .map_or(self.text.len(), |length| start + length);
        let line = &self.text[start..end];
        let content = line
            .strip_prefix(b"#")
            .or_else(|| line.strip_prefix(b"%:"))
            .unwrap_or_default()
            .trim_ascii();
        let word_length = content
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let (name, rest) = content.split_at(word_length);
        match name {
            b"" | b"line" if content.is_empty() => {}
            b"" | b"line" => match parse_marker(rest.trim_ascii()) {
                Some(marker) => self.marker(&marker, (end + 1).min(self.text.len())),
                None => return Err(self.error(start, "this line marker cannot be read")),
            },
            b"pragma" => {
                let pragma = rest.trim_ascii();
                let is_pack = pragma
                    .strip_prefix(b"pack")
                    .is_some_and(|rest| rest.trim_ascii().starts_with(b"("));
                if is_pack {
                    self.push(start, end, TokenKind::PragmaPack, 0, false);
                } else {
                    let first = end - (line.len() - line.trim_ascii_end().len()) - pragma.len();
                    self.out.pragmas.push((first as u32, end as u32));
                }
            }
            b"ident" | b"sccs" | b"warning" | b"assert" | b"unassert" => {}
            _ => {
                let message = format!(
                    "`#{}` in a text that is taken as preprocessed",
                    String::from_utf8_lossy(name)
                );
                return Err(self.error(start, message));
            }
        }
        self.position = end;
        Ok(())
    }

    fn marker(&mut self, marker: &MarkerLine, offset: usize) {
        let number = match self.file_numbers.get(&marker.file) {
            _ if marker.file.is_empty() => self.out.markers[self.out.markers.len() - 1].file,
            Some(&number) => number,
            None => match u16::try_from(self.out.files.len()) {
                Ok(number) => {
                    self.out
                        .files
                        .push(String::from_utf8_lossy(&marker.file).into());
                    self.file_numbers
                        .insert(marker.file.clone(), FileId(number));
                    FileId(number)
                }
                Err(_) => self.own,
            },
        };
        let text_line = self.out.line_starts.len() as u32;
        self.out.markers.push(match self.markers_mode {
            Markers::Resolve => Marker {
                offset: offset as u32,
                text_line,
                file: number,
                line: marker.line,
                system: marker.system,
            },
            Markers::Ignore => Marker {
                offset: offset as u32,
                text_line,
                file: self.own,
                line: text_line + 1,
                system: marker.system,
            },
        });
    }

    fn push(&mut self, start: usize, end: usize, kind: TokenKind, symbol: Symbol, spliced: bool) {
        self.out.tokens.push(Token {
            start: start as u32,
            end: end as u32,
            symbol,
            kind,
            spliced,
        });
    }

    fn token(&mut self, byte: u8) -> Result<(), Error> {
        let next = self.peek(1);
        match byte {
            b'0'..=b'9' => self.number(),
            b'.' if next.is_ascii_digit() => self.number(),
            b'"' | b'\'' => return self.quoted(self.position),
            _ if is_word_byte(byte) || (byte == b'\\' && matches!(next, b'u' | b'U')) => {
                return self.word();
            }
            _ => return self.operator(),
        }
        Ok(())
    }

    fn number(&mut self) {
        let start = self.position;
        let mut spliced = false;
        loop {
            match self.peek(0) {
                b'e' | b'E' | b'p' | b'P'
                    if matches!(self.peek(1), b'+' | b'-') && self.exponent_sign(start) =>
                {
                    self.position += 2;
                }
                b'.' => self.position += 1,
                // C23's digit separator.
                b'\'' if is_word_byte(self.peek(1)) && self.peek(1).is_ascii() => {
                    self.position += 2
                }
                byte if byte.is_ascii() && is_word_byte(byte) => self.position += 1,
                _ if self.splice() => spliced = true,
                _ => break,
            }
        }
        self.push(start, self.position, TokenKind::Number, 0, spliced);
    }

    /// Whether the letter at the position begins an exponent: `0xe+1` is read as a sum, unlike in gcc, since no other
    /// reading is valid.
    fn exponent_sign(&self, start: usize) -> bool {
        let hexadecimal =
            self.text[start] == b'0' && matches!(self.text.get(start + 1), Some(b'x' | b'X'));
        match self.peek(0) {
            b'e' | b'E' => !hexadecimal,
            _ => hexadecimal,
        }
    }

    fn word(&mut self) -> Result<(), Error> {
        let start = self.position;
        let mut spliced = false;
        loop {
            match self.peek(0) {
                byte if is_word_byte(byte) => self.position += 1,
                b'\\' if matches!(self.peek(1), b'u' | b'U') => self.position += 2,
                _ if self.splice() => spliced = true,
                _ => break,
            }
        }
        let text = &self.text[start..self.position];
        if matches!(self.peek(0), b'"' | b'\'') && matches!(text, b"L" | b"u" | b"U" | b"u8") {
            return self.quoted(start);
        }
        let symbol = if spliced {
            self.out.words.number(&without_splices(text))
        } else {
            self.out.words.number(text)
        };
        self.push(start, self.position, TokenKind::Word, symbol, spliced);
        Ok(())
    }

    /// Reads a string or character constant with a prefix that begins at `start` and the quote at the position.
    fn quoted(&mut self, start: usize) -> Result<(), Error> {
        let quote = self.peek(0);
        let (kind, what) = if quote == b'"' {
            (TokenKind::String, "string")
        } else {
            (TokenKind::Character, "character constant")
        };
        let mut spliced = false;
        self.position += 1;
        loop {
            match self.text.get(self.position).copied() {
                None | Some(b'\n') => {
                    return Err(self.error(
                        start,
                        format!("expected the end of this {what} on its line"),
                    ));
                }
                Some(b'\\') if self.splice() => spliced = true,
                Some(b'\\') => self.position += 2,
                Some(byte) => {
                    self.position += 1;
                    if byte == quote {
                        break;
                    }
                }
            }
        }
        let end = self.position.min(self.text.len());
        self.push(start, end, kind, 0, spliced);
        Ok(())
    }

    fn operator(&mut self) -> Result<(), Error> {
        const THREE: &[&[u8]] = &[b"...", b"<<=", b">>="];
        const TWO: &[&[u8]] = &[
            b"->", b"++", b"--", b"<<", b">>", b"<=", b">=", b"==", b"!=", b"&&", b"||", b"*=",
            b"/=", b"%=", b"+=", b"-=", b"&=", b"^=", b"|=", b"<:", b":>", b"<%", b"%>",
        ];
        let start = self.position;
        let rest = &self.text[start..];
        let length = if THREE.iter().any(|operator| rest.starts_with(operator)) {
            3
        } else if TWO.iter().any(|operator| rest.starts_with(operator)) {
            2
        } else if b"[](){}.&*+-~!/%<>^|?:;=,".contains(&rest[0]) {
            1
        } else {
            let character = String::from_utf8_lossy(&rest[..1]).into_owned();
            return Err(self.error(
                start,
                format!(
                    "expected a token of C, found `{}`",
                    character.escape_default()
                ),
            ));
        };
        let symbol = match &rest[..length] {
            b"<:" => punctuator(b"["),
            b":>" => punctuator(b"]"),
            b"<%" => punctuator(b"{"),
            b"%>" => punctuator(b"}"),
            operator => punctuator(operator),
        };
        self.position += length;
        self.push(start, self.position, TokenKind::Punctuator, symbol, false);
        Ok(())
    }
}

/// A token's text without line splices.
pub(crate) fn without_splices(text: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = match after {
            [b'\n', after @ ..] | [b'\r', b'\n', after @ ..] if byte == b'\\' => after,
            _ => {
                result.push(byte);
                after
            }
        };
    }
    result
}

struct MarkerLine {
    line: u32,
    /// The file's name; empty if the marker has none.
    file: Vec<u8>,
    system: bool,
}

/// Parses a line marker `12 "file" 1 3`: a line number, optionally a file name, optionally flags.
fn parse_marker(content: &[u8]) -> Option<MarkerLine> {
    let digits = content
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let line = std::str::from_utf8(&content[..digits]).ok()?.parse().ok()?;
    let rest = content[digits..].trim_ascii();
    let Some(quoted) = rest.strip_prefix(b"\"") else {
        return Some(MarkerLine {
            line,
            file: Vec::new(),
            system: false,
        });
    };
    let mut file = Vec::new();
    let mut bytes = quoted.iter();
    loop {
        match bytes.next()? {
            b'"' => break,
            b'\\' => file.push(*bytes.next()?),
            &byte => file.push(byte),
        }
    }
    let system = bytes
        .as_slice()
        .split(|byte| *byte == b' ')
        .any(|flag| flag == b"3");
    Some(MarkerLine { line, file, system })
}

#[cfg(test)]
mod tests;
