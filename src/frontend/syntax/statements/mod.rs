//! The positions of statements, controlling expressions and calls in a C file before preprocessing.
//!
//! Witnesses refer to positions in the user's file before preprocessing. It has no syntax tree, and needs none:
//! brackets, keywords and semicolons delimit statements. Macros are not expanded; directives are skipped.

mod divide;
mod functions;

use std::sync::Arc;

use functions::Body;

use super::token::{
    Markers, Symbol, Token, TokenKind, Tokens, is_keyword, punctuator as p, tokenise, word,
};
use crate::parse::with_large_stack;
use regatta_base::diagnostic::{Error, ErrorKind, Place};

/// The index of a token.
pub type TokenIndex = usize;

/// The text of a file with its statements.
pub struct SourceText {
    name: Arc<str>,
    text: Vec<u8>,
    tokens: Tokens,
    /// The matching bracket of each bracket; for other tokens their own index.
    partner: Vec<u32>,
    functions: Vec<Body>,
    statements: Vec<StatementText>,
}

/// A statement, or a declaration within a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementText {
    /// Its first token.
    pub first: TokenIndex,
    /// Its last token.
    pub last: TokenIndex,
    pub kind: StatementKind,
    /// Whether it is an item of a block, so that another statement can be inserted before it.
    pub is_item: bool,
}

/// The kind of a statement, as far as its tokens tell.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// `{ … }`
    Block,
    If(Header),
    While(Header),
    /// The header is at the end.
    Do(Header),
    /// With its two semicolons.
    For(Header, [TokenIndex; 2]),
    Switch(Header),
    /// A label, with the statement that follows.
    Labelled,
    /// `return`, `goto`, `break`, `continue`.
    Jump,
    /// An expression, a declaration, assembly, or nothing.
    Other,
}

impl StatementKind {
    /// Whether it is a loop.
    pub fn is_loop(self) -> bool {
        matches!(self, Self::While(_) | Self::Do(_) | Self::For(..))
    }

    /// The parentheses around the controlling expression.
    pub fn header(self) -> Option<Header> {
        match self {
            Self::If(header)
            | Self::While(header)
            | Self::Do(header)
            | Self::For(header, _)
            | Self::Switch(header) => Some(header),
            Self::Block | Self::Labelled | Self::Jump | Self::Other => None,
        }
    }
}

/// A pair of parentheses.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub open: TokenIndex,
    pub close: TokenIndex,
}

impl SourceText {
    /// Parses a text; `name` is for messages.
    ///
    /// # Errors
    /// When it cannot be cut into tokens, or its brackets do not match.
    pub fn new(name: impl Into<Arc<str>>, text: Vec<u8>) -> Result<Self, Error> {
        let name = name.into();
        let tokens = tokenise(&without_directives(&text), &name, Markers::Ignore)?;
        let mut result = Self {
            partner: (0..tokens.tokens.len() as u32).collect(),
            tokens,
            functions: Vec::new(),
            statements: Vec::new(),
            name,
            text,
        };
        result.match_brackets()?;
        with_large_stack(move || {
            result.find_functions();
            Ok(result)
        })?
    }

    /// The file's name, as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The number of lines.
    pub fn line_count(&self) -> u32 {
        let starts = &self.tokens.line_starts;
        let is_last_empty = starts.last() == Some(&(self.text.len() as u32)) && starts.len() > 1;
        (starts.len() - usize::from(is_last_empty)) as u32
    }

    /// A line, numbered from one, without its end.
    pub fn line(&self, number: u32) -> &[u8] {
        let index = number.saturating_sub(1) as usize;
        let start = self.tokens.line_starts.get(index).copied().unwrap_or(0) as usize;
        let rest = self.text.get(start..).unwrap_or_default();
        let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// The statements, outer ones before inner ones.
    pub fn statements(&self) -> &[StatementText] {
        &self.statements
    }

    /// Line and column of a token, from one.
    pub fn position(&self, token: TokenIndex) -> (u32, u32) {
        let start = self.token(token).map_or(0, |token| token.start);
        let starts = &self.tokens.line_starts;
        let line = starts.partition_point(|&line| line <= start);
        let first = starts
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or_default();
        (line as u32, start - first + 1)
    }

    /// `file:line:column` of a token.
    pub fn describe(&self, token: TokenIndex) -> String {
        let (line, column) = self.position(token);
        format!("{}:{line}:{column}", self.name)
    }

    /// The offsets where a token begins and ends.
    pub fn range(&self, token: TokenIndex) -> (usize, usize) {
        let token = self.token(token);
        token.map_or((0, 0), |token| (token.start as usize, token.end as usize))
    }

    /// A token's bytes.
    pub fn bytes(&self, token: TokenIndex) -> &[u8] {
        let (start, end) = self.range(token);
        self.text.get(start..end).unwrap_or_default()
    }

    /// The text of a range of tokens, on one line and without comments.
    pub fn words(&self, tokens: std::ops::Range<TokenIndex>) -> String {
        let texts = tokens.map(|token| String::from_utf8_lossy(self.bytes(token)));
        let texts: Vec<String> = texts
            .map(|text| text.replace("\\\n", "").replace("\\\r\n", ""))
            .collect();
        texts.join(" ")
    }

    /// The case values of the `switch` with the number, without those of nested ones.
    pub fn cases(&self, number: usize) -> Vec<std::ops::Range<TokenIndex>> {
        let outer = &self.statements[number];
        let inside = &self.statements[number + 1..];
        let mut after_inner = 0;
        let mut cases = Vec::new();
        for statement in inside.iter().take_while(|one| one.first <= outer.last) {
            let is_inner = statement.first < after_inner;
            if is_inner {
                continue;
            }
            match statement.kind {
                StatementKind::Switch(_) => after_inner = statement.last + 1,
                StatementKind::Labelled if self.bytes(statement.first) == b"case" => {
                    let begin = statement.first + 1;
                    cases.push(begin..self.colon(begin, statement.last));
                }
                _ => {}
            }
        }
        cases
    }

    /// The colon of the label whose expression begins at the token.
    fn colon(&self, begin: TokenIndex, end: TokenIndex) -> TokenIndex {
        let mut at = begin;
        let mut choices = 0;
        while at < end && !(choices == 0 && self.is(at, b":")) {
            choices += usize::from(self.is(at, b"?"));
            choices -= usize::from(self.is(at, b":") && choices > 0);
            at = self.partner(at).max(at) + 1;
        }
        at
    }

    /// The tokens that begin on a line.
    pub fn on_line(&self, line: u32) -> std::ops::Range<TokenIndex> {
        let starts = &self.tokens.line_starts;
        let Some(&begin) = starts.get(line.saturating_sub(1) as usize) else {
            return 0..0;
        };
        let end = starts.get(line as usize).copied().unwrap_or(u32::MAX);
        let tokens = &self.tokens.tokens;
        let first = tokens.partition_point(|token| token.start < begin);
        let last = tokens.partition_point(|token| token.start < end);
        first..last
    }

    /// The token that begins at the column of the line, both from one.
    pub fn at(&self, line: u32, column: u32) -> Option<TokenIndex> {
        self.on_line(line)
            .find(|&token| self.position(token).1 == column)
    }

    /// The opening parenthesis of the call that the token `)` closes.
    pub fn call_closed_by(&self, token: TokenIndex) -> Option<TokenIndex> {
        if !self.is(token, b")") {
            return None;
        }
        let open = self.partner(token);
        let before = open.checked_sub(1)?;
        let is_callee = self.is_name(before) || self.is(before, b")") || self.is(before, b"]");
        // Neither the header of a statement nor a cast after one is a call.
        let is_header = || {
            let statements = self.statements.iter();
            let headers = statements.filter_map(|statement| statement.kind.header());
            headers.into_iter().any(|header| header.close == before)
        };
        (is_callee && self.function(token).is_some() && !is_header()).then_some(open)
    }

    /// The first token of the callee's expression before an opening parenthesis.
    pub fn callee_start(&self, open: TokenIndex) -> TokenIndex {
        let mut at = open.saturating_sub(1);
        loop {
            if self.is(at, b")") || self.is(at, b"]") {
                let opening = self.partner(at);
                let before = opening.wrapping_sub(1);
                let goes_on = opening > 0
                    && (self.is_name(before) || self.is(before, b")") || self.is(before, b"]"));
                if !goes_on {
                    return opening;
                }
                at = before;
            } else if at > 1 && (self.is(at - 1, b".") || self.is(at - 1, b"->")) {
                at -= 2;
            } else {
                return at;
            }
        }
    }

    /// The first token of the condition of the `?`.
    pub fn choice_start(&self, question: TokenIndex) -> TokenIndex {
        const ENDS: &[&[u8]] = &[
            b";", b"{", b"}", b"(", b"[", b",", b"?", b":", b"=", b"+=", b"-=", b"*=", b"/=",
            b"%=", b"&=", b"|=", b"^=", b"<<=", b">>=",
        ];
        let mut at = question;
        while at > 0 {
            let before = at - 1;
            if self.is(before, b")") || self.is(before, b"]") || self.is(before, b"}") {
                at = self.partner(before);
                continue;
            }
            let is_end = ENDS.iter().any(|end| self.is(before, end))
                || [word::Return, word::Case]
                    .iter()
                    .any(|&keyword| self.is_word(before, keyword));
            if is_end {
                break;
            }
            at = before;
        }
        at
    }

    /// Whether the token is this operator or separator.
    pub fn is(&self, token: TokenIndex, text: &[u8]) -> bool {
        self.token(token)
            .is_some_and(|token| token.kind == TokenKind::Punctuator && token.symbol == p(text))
    }

    /// Whether the token is a name and not a keyword.
    pub fn is_name(&self, token: TokenIndex) -> bool {
        self.token(token)
            .is_some_and(|token| token.kind == TokenKind::Word && !is_keyword(token.symbol))
    }

    /// The matching bracket of a bracket.
    pub fn partner(&self, token: TokenIndex) -> TokenIndex {
        self.partner.get(token).map_or(token, |&at| at as usize)
    }

    /// Whether a full expression begins at the token: in a statement's header, after `return`, or as a statement.
    pub fn begins_full_expression(&self, token: TokenIndex) -> bool {
        let mut statements = self.statements.iter();
        statements.any(|statement| {
            let begins = match statement.kind {
                StatementKind::Other => statement.first == token,
                StatementKind::Jump => {
                    self.is_word(statement.first, word::Return) && statement.first + 1 == token
                }
                StatementKind::For(header, [first, second]) => {
                    [header.open, first, second].contains(&token.wrapping_sub(1))
                }
                kind => kind.header().is_some_and(|header| header.open + 1 == token),
            };
            begins && !self.is(token, b";") && !self.is(token, b")")
        })
    }

    /// The last token of the full expression that begins at the token.
    pub fn end_of_expression(&self, first: TokenIndex) -> TokenIndex {
        let mut at = first;
        while self.token(at).is_some() && !self.is(at, b";") && !self.is(at, b")") {
            at = self.partner(at).max(at) + 1;
        }
        at.saturating_sub(1).max(first)
    }

    /// Whether the tokens contain a call of a function that is not defined in this file.
    pub fn calls_unknown(&self, first: TokenIndex, last: TokenIndex) -> bool {
        (first..=last)
            .filter_map(|token| self.call_closed_by(token))
            .any(|open| {
                let name = String::from_utf8_lossy(self.bytes(open.saturating_sub(1)));
                !self.defines(&name) && !name.starts_with("__VERIFIER_")
            })
    }

    /// Whether directives change the line numbers.
    pub fn has_line_directives(&self) -> bool {
        self.text.split(|&byte| byte == b'\n').any(|line| {
            let rest = line.trim_ascii_start().strip_prefix(b"#");
            let rest = rest.map(<[u8]>::trim_ascii_start).unwrap_or_default();
            rest.starts_with(b"line") || rest.first().is_some_and(u8::is_ascii_digit)
        })
    }

    /// Whether a statement certainly ends at its last token. A macro can be a whole statement without a semicolon; then
    /// one apparent statement is two.
    pub fn ends_certainly(&self, number: usize) -> bool {
        let Some(whole) = self.statements.get(number) else {
            return false;
        };
        let within = self.statements[number..].iter();
        let within = within.take_while(|statement| statement.first <= whole.last);
        let mut simple = within.filter(|statement| {
            !statement.is_item && matches!(statement.kind, StatementKind::Other)
        });
        simple.all(|statement| {
            (statement.first..statement.last).all(|token| {
                let after_call = || self.call_closed_by(token).is_some();
                let ends_operand = self.is_name(token) || after_call();
                let next = self.token(token + 1).map(|next| next.kind);
                let begins_another = self.is(token + 1, b"{")
                    || next.is_some_and(|kind| kind != TokenKind::Punctuator);
                !(ends_operand && begins_another)
            })
        })
    }

    fn token(&self, token: TokenIndex) -> Option<&Token> {
        self.tokens.tokens.get(token)
    }

    fn is_word(&self, token: TokenIndex, keyword: Symbol) -> bool {
        self.token(token)
            .is_some_and(|token| token.kind == TokenKind::Word && token.symbol == keyword)
    }

    fn match_brackets(&mut self) -> Result<(), Error> {
        let mut open: Vec<(usize, &[u8])> = Vec::new();
        for index in 0..self.tokens.tokens.len() {
            let opened: [(&[u8], &[u8]); 3] = [(b"(", b")"), (b"[", b"]"), (b"{", b"}")];
            for (opening, closing) in opened {
                if self.is(index, opening) {
                    open.push((index, closing));
                } else if self.is(index, closing) {
                    match open.pop() {
                        Some((first, expected)) if expected == closing => {
                            self.partner[index] = first as u32;
                            self.partner[first] = index as u32;
                        }
                        _ => return Err(self.unmatched(index)),
                    }
                }
            }
        }
        match open.pop() {
            Some((index, _)) => Err(self.unmatched(index)),
            None => Ok(()),
        }
    }

    fn unmatched(&self, token: TokenIndex) -> Error {
        let text = String::from_utf8_lossy(&self.text);
        let (start, _) = self.range(token);
        Error::new(ErrorKind::Syntax, "a bracket without its partner").at(Place::in_text(
            Arc::clone(&self.name),
            &text,
            start,
        ))
    }
}

/// The text with spaces in place of the preprocessor's directives.
fn without_directives(text: &[u8]) -> Vec<u8> {
    let mut result = text.to_vec();
    let mut at = 0;
    let mut at_line_start = true;
    let skip_comment = |from: usize| {
        let rest = &text[from..];
        let end = rest.windows(2).position(|pair| pair == b"*/");
        end.map_or(text.len(), |end| from + end + 2)
    };
    while at < text.len() {
        match text[at] {
            b'\n' => {
                at_line_start = true;
                at += 1;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            b'/' if text.get(at + 1) == Some(&b'*') => at = skip_comment(at + 2),
            b'/' if text.get(at + 1) == Some(&b'/') => {
                while at < text.len() && text[at] != b'\n' {
                    at += 1 + usize::from(text[at] == b'\\');
                }
            }
            b'#' if at_line_start => {
                let begin = at;
                while at < text.len() && text[at] != b'\n' {
                    match text[at] {
                        b'\\' => at += 1 + line_end(&text[at + 1..]).max(1),
                        b'/' if text.get(at + 1) == Some(&b'*') => at = skip_comment(at + 2),
                        _ => at += 1,
                    }
                }
                at = at.min(text.len());
                for byte in &mut result[begin..at] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
            }
            quote @ (b'"' | b'\'') => {
                at_line_start = false;
                at += 1;
                while at < text.len() && text[at] != quote && text[at] != b'\n' {
                    at += 1 + usize::from(text[at] == b'\\');
                }
                at += usize::from(text.get(at) == Some(&quote));
            }
            _ => {
                at_line_start = false;
                at += 1;
            }
        }
    }
    result
}

/// The length of the line end at the beginning of the text; 0 if there is none.
fn line_end(text: &[u8]) -> usize {
    match text {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#include <x.h>\n#define A(x) { \\\n  x }\nstruct s { int f; } g = { 1 };\nint k(a) int a; { return a; }\n\
        int (*f(void))(int) {\n  int i = k(1);\n  for (int j = 0; j < 3; j++)\n    if (i) k(i + k(2)); else { i = 4; }\n  \
        do i--; while (i > 0);\n  switch (i) {\n  case 1: i = i ? 2 : 3; break;\n  default: ;\n  }\nend: return 0;\n}\n";

    fn source() -> SourceText {
        SourceText::new("a.c", TEXT.into()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn found(source: &SourceText, wanted: fn(&StatementText) -> bool) -> Vec<(u32, u32)> {
        let statements = source.statements().iter();
        let wanted = statements.filter(|statement| wanted(statement));
        wanted.map(|one| source.position(one.first)).collect()
    }

    #[test]
    fn statements_have_their_places() {
        let source = source();
        let loops = found(&source, |statement| statement.kind.is_loop());
        assert_eq!(loops, [(8, 3), (10, 3)]);
        let choices = found(&source, |one| matches!(one.kind, StatementKind::If(_)));
        assert_eq!(choices, [(9, 5)]);
        let is_switch = |one: &StatementText| matches!(one.kind, StatementKind::Switch(_));
        let switch = source.statements().iter().position(is_switch);
        let cases = source.cases(switch.expect("a switch"));
        let cases: Vec<String> = cases.into_iter().map(|case| source.words(case)).collect();
        assert_eq!(cases, ["1"]);
        let labels = found(&source, |one| one.kind == StatementKind::Labelled);
        assert_eq!(labels, [(12, 3), (13, 3), (15, 1)]);
        let others = found(&source, |one| one.kind == StatementKind::Other);
        let expected = [(7, 3), (9, 12), (9, 32), (10, 6), (12, 11), (13, 12)];
        assert_eq!(others, expected);
        let ends: Vec<u32> = source
            .statements()
            .iter()
            .filter(|one| one.kind.is_loop())
            .map(|one| source.position(one.last).0)
            .collect();
        assert_eq!(ends, [9, 10]);
    }

    #[test]
    fn functions_have_their_names() {
        let source = source();
        assert!(source.defines("f") && source.defines("k") && !source.defines("A"));
        let token = |line, column| source.at(line, column).expect("a token");
        assert_eq!(source.function(token(5, 19)), Some("k"));
        assert_eq!(source.function(token(10, 6)), Some("f"));
        assert_eq!(source.function(token(4, 1)), None);
    }

    #[test]
    fn calls_and_choices_have_their_beginnings() {
        let source = source();
        let token = |line, column| source.at(line, column).expect("a token");
        let call = source.call_closed_by(token(9, 21)).expect("a call");
        assert_eq!(source.position(source.callee_start(call)), (9, 18));
        assert_eq!(
            source.words(source.callee_start(call)..token(9, 22)),
            "k ( 2 )"
        );
        // The parenthesis of an `if`.
        assert_eq!(source.call_closed_by(token(9, 10)), None);
        assert_eq!(
            source.position(source.choice_start(token(12, 17))),
            (12, 15)
        );
        assert!(source.begins_full_expression(token(8, 19)));
        assert!(!source.begins_full_expression(token(9, 18)));
    }

    #[test]
    fn a_macro_may_hide_the_end_of_a_statement() {
        let text =
            "int f(void) { if (x) A(y) z; if (x) g(y); if (x) { A(y) z; } if (x) forever { } z; }";
        let source = SourceText::new("a.c", text.into()).unwrap_or_else(|error| panic!("{error}"));
        let ends = |(number, one): (usize, &StatementText)| {
            matches!(one.kind, StatementKind::If(_)).then(|| source.ends_certainly(number))
        };
        let certain: Vec<bool> = source
            .statements()
            .iter()
            .enumerate()
            .filter_map(ends)
            .collect();
        assert_eq!(certain, [false, true, true, false]);
    }

    #[test]
    fn brackets_have_to_match() {
        for text in ["int f() { ( }", "int f() {", "}"] {
            assert!(SourceText::new("a.c", text.into()).is_err(), "{text}");
        }
    }
}
