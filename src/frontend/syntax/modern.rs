//! Decides which words that are keywords only in some editions of C are keywords in a text.
//!
//! The user's choice of a standard decides. Without one, a word of C23 (`nullptr`, `bool`, `constexpr`) is a keyword if
//! the program declares nothing of that name; older programs declare it as a `typedef`, an enumerator or a variable. A
//! program that uses such an undeclared word, or a number with separators, can only be C23, and is read as such.

use std::sync::Arc;

use super::token::{
    Markers, Symbol, Token, TokenKind, Tokens, is_keyword, is_other_specifier, is_type_specifier,
    punctuator as p, tokenise, word,
};
use crate::standard::{Dialect, Edition};

/// The syntactic role of a word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Role {
    /// An expression.
    Value,
    /// A type.
    Type,
    /// A storage class.
    Specifier,
    /// An operator with an operand in parentheses.
    Operator,
}

/// The words of C23: spelling, keyword and role.
const MODERN: &[(&str, Symbol, Role)] = &[
    ("nullptr", word::Nullptr, Role::Value),
    ("true", word::True, Role::Value),
    ("false", word::False, Role::Value),
    ("bool", word::Bool, Role::Type),
    ("constexpr", word::Constexpr, Role::Specifier),
    ("thread_local", word::ThreadLocal, Role::Specifier),
    ("alignas", word::Alignas, Role::Operator),
    ("alignof", word::Alignof, Role::Operator),
    ("static_assert", word::StaticAssert, Role::Operator),
    ("typeof_unqual", word::TypeofUnqual, Role::Operator),
];

/// Marks the words that are keywords as such and the others as names; records whether the text is C23.
pub(crate) fn adapt(tokens: &mut Tokens, text: &[u8], dialect: Dialect) {
    let mut names: Vec<&str> = Vec::new();
    let mut is_c23 = dialect.is_c23;
    let keywords: Vec<(Symbol, Symbol)> = match dialect.standard {
        Some(standard) => {
            if !standard.has_extensions() {
                names.push("asm");
                if standard.edition() < Edition::C23 {
                    names.push("typeof");
                }
            }
            if standard.edition() == Edition::C89 {
                names.push("restrict");
                if !standard.has_extensions() {
                    names.push("inline");
                }
            }
            let all = MODERN.iter().filter(|_| is_c23);
            all.filter_map(|&(name, keyword, _)| {
                Some((tokens.words.find(name.as_bytes())?, keyword))
            })
            .collect()
        }
        None => {
            let used = undeclared(tokens);
            is_c23 |= !used.is_empty() || has_modern_syntax(tokens, text);
            used
        }
    };
    let mut changes = keywords;
    for name in names {
        if let Some(keyword) = tokens.words.find(name.as_bytes()) {
            // No program has a word with a dollar at its end.
            let plain = tokens.words.number(format!("{name}$").as_bytes());
            changes.push((keyword, plain));
        }
    }
    if !changes.is_empty() {
        let words = tokens.tokens.iter_mut();
        for token in words.filter(|token| token.kind == TokenKind::Word) {
            if let Some(&(_, new)) = changes.iter().find(|(old, _)| *old == token.symbol) {
                token.symbol = new;
            }
        }
    }
    tokens.dialect = Dialect { is_c23, ..dialect };
}

/// Whether a text that was preprocessed as C17 can only be C23, or neither.
pub(crate) fn may_be_c23_alone(text: &[u8], name: &Arc<str>) -> bool {
    match tokenise(text, name, Markers::Ignore) {
        Ok(tokens) => !undeclared(&tokens).is_empty() || has_modern_syntax(&tokens, text),
        Err(_) => true,
    }
}

/// The words of C23 that the text uses and does not declare, with their keywords.
fn undeclared(tokens: &Tokens) -> Vec<(Symbol, Symbol)> {
    let mut candidates: Vec<Candidate> = MODERN
        .iter()
        .filter_map(|&(name, keyword, role)| {
            Some(Candidate {
                symbol: tokens.words.find(name.as_bytes())?,
                keyword,
                role,
                is_declared: false,
            })
        })
        .collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    Walk {
        tokens: &tokens.tokens,
        levels: vec![Level::default()],
        aggregate: None,
    }
    .run(&mut candidates);
    candidates
        .into_iter()
        .filter(|candidate| !candidate.is_declared)
        .map(|candidate| (candidate.symbol, candidate.keyword))
        .collect()
}

struct Candidate {
    symbol: Symbol,
    keyword: Symbol,
    role: Role,
    is_declared: bool,
}

/// An open bracket, or the file.
#[derive(Clone, Debug, Default)]
struct Level {
    /// Whether it is a parenthesis or an index.
    is_parenthesis: bool,
    /// Whether it contains enumerators.
    is_enum: bool,
    /// Whether it is the body of a struct, union or enum.
    is_aggregate: bool,
    /// Whether the current declaration or statement began with a specifier.
    is_declaration: bool,
    /// Whether the first token of the current declaration or statement was read.
    has_begun: bool,
    /// Whether the position is after an `=`.
    is_value: bool,
}

impl Level {
    fn begin(&mut self) {
        self.is_declaration = false;
        self.has_begun = false;
        self.is_value = false;
    }

    /// Whether a name may be declared here.
    fn declares(&self) -> bool {
        self.is_declaration && self.has_begun && !self.is_value
    }
}

struct Walk<'a> {
    tokens: &'a [Token],
    levels: Vec<Level>,
    /// The keyword `struct`, `union` or `enum`, up to its body or the end of its tag.
    aggregate: Option<Symbol>,
}

impl Walk<'_> {
    fn is(&self, index: usize, symbol: Symbol) -> bool {
        self.tokens
            .get(index)
            .is_some_and(|token| token.kind == TokenKind::Punctuator && token.symbol == symbol)
    }

    fn is_any(&self, index: usize, symbols: &[&[u8]]) -> bool {
        symbols.iter().any(|symbol| self.is(index, p(symbol)))
    }

    fn word(&self, index: usize) -> Option<Symbol> {
        let token = self.tokens.get(index)?;
        (token.kind == TokenKind::Word).then_some(token.symbol)
    }

    fn run(mut self, candidates: &mut [Candidate]) {
        for index in 0..self.tokens.len() {
            let token = self.tokens[index];
            match token.kind {
                TokenKind::Word => {
                    let found = candidates
                        .iter()
                        .position(|candidate| candidate.symbol == token.symbol);
                    if let Some(found) = found
                        && !candidates[found].is_declared
                    {
                        candidates[found].is_declared =
                            self.declares(index, candidates[found].role, candidates);
                    }
                    self.pass_word(index, token.symbol);
                }
                TokenKind::Punctuator => self.pass_punctuator(token.symbol),
                TokenKind::PragmaPack => {}
                _ => self.level().has_begun = true,
            }
        }
    }

    fn level(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn pass_word(&mut self, index: usize, symbol: Symbol) {
        match symbol {
            word::Struct | word::Union | word::Enum => self.aggregate = Some(symbol),
            _ if self.is(index + 1, p(b"{")) || self.is(index + 1, p(b":")) => {}
            _ => self.aggregate = None,
        }
        let level = self.level();
        if !level.has_begun && !matches!(symbol, word::Extension) {
            level.has_begun = true;
            level.is_declaration = is_type_specifier(symbol) || is_other_specifier(symbol);
        }
    }

    fn pass_punctuator(&mut self, symbol: Symbol) {
        if symbol == p(b"(") || symbol == p(b"[") || symbol == p(b"{") {
            self.level().has_begun = true;
            let aggregate = match symbol == p(b"{") {
                true => self.aggregate.take(),
                false => self.aggregate,
            };
            self.levels.push(Level {
                is_parenthesis: symbol != p(b"{"),
                is_aggregate: symbol == p(b"{") && aggregate.is_some(),
                is_enum: symbol == p(b"{") && aggregate == Some(word::Enum),
                ..Level::default()
            });
        } else if symbol == p(b")") || symbol == p(b"]") || symbol == p(b"}") {
            let inner = self.levels.pop().unwrap_or_default();
            let level = self.level();
            if symbol == p(b"}") && !inner.is_aggregate && !level.is_value && !level.is_parenthesis
            {
                level.begin();
            }
        } else if symbol == p(b";") {
            self.level().begin();
        } else if symbol == p(b",") {
            let level = self.level();
            level.is_value = false;
            if level.is_parenthesis {
                level.begin();
            }
        } else if symbol == p(b"=") {
            self.level().is_value = true;
        } else {
            self.level().has_begun = true;
        }
    }

    /// Whether the word at an index, a possible keyword of C23, is declared there, or cannot be a keyword there.
    fn declares(&self, index: usize, role: Role, candidates: &[Candidate]) -> bool {
        let level = self.levels.last().cloned().unwrap_or_default();
        let Some(before) = index.checked_sub(1) else {
            return matches!(role, Role::Specifier) && self.word(index + 1).is_none();
        };
        let is_candidate = |symbol: Symbol| {
            candidates
                .iter()
                .any(|candidate| candidate.symbol == symbol)
        };
        let word_before = self.word(before);
        let after_name = word_before.is_some_and(|word| !is_keyword(word) && !is_candidate(word));
        let after_type = word_before.is_some_and(is_type_specifier);
        let in_list = self.is(before, p(b",")) && level.declares() && !level.is_parenthesis;
        let after_body =
            self.is(before, p(b"}")) && self.is_any(index + 1, &[b";", b",", b"=", b"["]);
        let is_label = self.is(index + 1, p(b":")) && self.is_any(before, &[b";", b"{", b"}"]);
        if self.is_any(before, &[b".", b"->"])
            || matches!(
                word_before,
                Some(word::Struct | word::Union | word::Enum | word::Goto)
            )
            || self.is(index + 1, p(b"="))
            || (level.is_enum && self.is_any(before, &[b"{", b","]))
        {
            return true;
        }
        let after_star = self.is(before, p(b"*"));
        match role {
            Role::Value => {
                after_name
                    || after_type
                    || word_before.is_some_and(is_other_specifier)
                    || (after_star && level.declares())
                    || in_list
                    || after_body
                    || is_label
            }
            Role::Type => after_name || after_type || after_star || in_list || after_body,
            Role::Specifier => self.word(index + 1).is_none() && !self.is(index + 1, p(b"[")),
            Role::Operator => {
                if !self.is(index + 1, p(b"(")) {
                    return true;
                }
                if self.tokens[index].symbol == self.alignas(candidates) {
                    return self.word(self.after_group(index + 1)).is_none();
                }
                after_name || after_type || (after_star && level.declares())
            }
        }
    }

    /// The symbol of the word `alignas`, which may follow a type.
    fn alignas(&self, candidates: &[Candidate]) -> Symbol {
        let mut found = candidates.iter();
        found
            .find(|candidate| candidate.keyword == word::Alignas)
            .map_or(Symbol::MAX, |candidate| candidate.symbol)
    }

    /// The index after the parentheses that open at an index.
    fn after_group(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for index in open..self.tokens.len() {
            if self.is(index, p(b"(")) {
                depth += 1;
            } else if self.is(index, p(b")")) {
                depth -= 1;
                if depth == 0 {
                    return index + 1;
                }
            }
        }
        self.tokens.len()
    }
}

/// Whether the text has syntax, other than words, that only C23 has.
fn has_modern_syntax(tokens: &Tokens, text: &[u8]) -> bool {
    let walk = Walk {
        tokens: &tokens.tokens,
        levels: Vec::new(),
        aggregate: None,
    };
    tokens.tokens.iter().enumerate().any(|(index, token)| {
        let source = || &text[token.start as usize..token.end as usize];
        match (token.kind, token.symbol) {
            (TokenKind::Number, _) => {
                source().contains(&b'\'') || super::literal::bit_precise(source()).is_some()
            }
            (TokenKind::Character, _) => source().starts_with(b"u8"),
            (TokenKind::Word, word::BitInt) => true,
            (TokenKind::Word, word::Enum) => {
                let tag = usize::from(walk.word(index + 1).is_some_and(|word| !is_keyword(word)));
                let colon = index + 1 + tag;
                walk.is(colon, p(b":"))
                    && walk.word(colon + 1).is_some_and(|word| {
                        is_type_specifier(word)
                            || (!is_keyword(word) && walk.is(colon + 2, p(b"{")))
                    })
            }
            (TokenKind::Word, word::Auto) => {
                let mut name = index + 1;
                while walk.word(name).is_some_and(is_other_specifier) {
                    name += 1;
                }
                let mut before = index;
                while before > 0 && walk.word(before - 1).is_some_and(is_other_specifier) {
                    before -= 1;
                }
                let after_type = before > 0
                    && walk
                        .word(before - 1)
                        .is_some_and(|word| is_type_specifier(word) || !is_keyword(word));
                walk.word(name).is_some_and(|word| !is_keyword(word))
                    && walk.is(name + 1, p(b"="))
                    && !after_type
            }
            (TokenKind::Punctuator, symbol) if symbol == p(b"...") => {
                index > 0 && walk.is(index - 1, p(b"(")) && walk.is(index + 1, p(b")"))
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_c23(text: &str) -> bool {
        may_be_c23_alone(text.as_bytes(), &"t.c".into())
    }

    #[test]
    fn programs_that_declare_the_words_are_older() {
        let older = [
            "int nullptr = 1, constexpr = 2, alignas = 3, bool = 4, thread_local = 5;",
            "typedef enum { false, true } bool; bool b = true;",
            "typedef int bool; bool f(bool x) { return x; }",
            "enum { false = 0, true = 1 };",
            "typedef struct s { int a; } *nullptr;",
            "struct s { int true; }; int f(struct s *p) { return p->true; }",
            "struct bool { int a; } x;",
            "int *nullptr; int f(void) { return *nullptr; }",
            "int a, nullptr;",
            "void f(int true) { true++; }",
            "void f(void) { goto nullptr; nullptr: ; }",
            "int alignof(int x); int y = sizeof(int);",
            "int alignas(int x) { return x; }",
            "void static_assert(int x);",
            "int f(int constexpr, int x) { return constexpr + x; }",
            "void f(void) { int x, true; true = 3; }",
            "enum e { A }; struct s { enum e : 3; };",
            "enum e { A }; struct s { enum e b : 3; };",
            "auto int x;",
            "int f(void) { int auto x = 1; return x; }",
            "int printf(const char *, ...);",
            "char c = 'x'; int d = 0xbul;",
        ];
        for text in older {
            assert!(!is_c23(text), "{text}");
        }
        let modern = [
            "int *p = nullptr;",
            "bool b;",
            "struct s { bool b : 1; bool : 2; };",
            "void f(int a, bool b) { f(a, true); }",
            "int x = 3 * true;",
            "int constexpr x = 3;",
            "constexpr int n = 3;",
            "static thread_local int x;",
            "int alignas(16) x;",
            "alignas(double) char c[8];",
            "static_assert(1);",
            "unsigned n = alignof(int);",
            "typeof_unqual(int) x;",
            "enum e : unsigned char { A };",
            "typedef int T; enum : T { A };",
            "void f(void) { auto x = 1.5; }",
            "const auto x = 1;",
            "int f(...);",
            "int x = 1'000;",
            "int x = (int)3wb;",
            "int c = u8'x';",
            "_BitInt(7) x;",
            "int f(void) { return c ? true : false; }",
        ];
        for text in modern {
            assert!(is_c23(text), "{text}");
        }
    }
}
