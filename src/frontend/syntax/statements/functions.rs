//! The functions of a file: their headers, parameters and bodies.

use crate::statements::{SourceText, TokenIndex};
use crate::syntax::token::{TokenKind, word};

/// The body of a function.
#[derive(Clone, Debug)]
pub(super) struct Body {
    name: String,
    /// The first token of its definition: the one after the previous declaration.
    start: TokenIndex,
    /// The opening parenthesis of its parameters.
    parameters: TokenIndex,
    open: TokenIndex,
    close: TokenIndex,
}

impl SourceText {
    /// The name of the function around a token.
    pub fn function(&self, token: TokenIndex) -> Option<&str> {
        let after = self.functions.partition_point(|body| body.open <= token);
        let body = self.functions.get(after.checked_sub(1)?)?;
        (token <= body.close).then_some(&body.name)
    }

    /// Whether a function with the name has a body here.
    pub fn defines(&self, function: &str) -> bool {
        self.functions.iter().any(|body| body.name == function)
    }

    /// The opening brace of the function with the token in its header.
    pub fn header_of(&self, token: TokenIndex) -> Option<TokenIndex> {
        let mut functions = self.functions.iter();
        let found = functions.find(|body| (body.start..=body.open).contains(&token));
        found.map(|body| body.open)
    }

    /// The text of a call of the function around the token with its own parameters as arguments.
    pub fn call_of_itself(&self, token: TokenIndex) -> Option<String> {
        let mut functions = self.functions.iter();
        let body = functions.find(|body| (body.open..=body.close).contains(&token))?;
        let close = self.partner(body.parameters);
        let mut names = Vec::new();
        let mut first = body.parameters + 1;
        let mut at = first;
        while at <= close {
            if at == close || self.is(at, b",") {
                names.extend(self.parameter(first..at));
                first = at + 1;
            }
            at = match at < close && (self.is(at, b"(") || self.is(at, b"[")) {
                true => self.partner(at) + 1,
                false => at + 1,
            };
        }
        Some(format!("{}({})", body.name, names.join(", ")))
    }

    /// The name of a parameter, from its declaration.
    fn parameter(&self, declaration: std::ops::Range<TokenIndex>) -> Option<String> {
        // `int (*name)(void)`: within the first parentheses; else in front of the first bracket.
        let mut range = declaration.clone();
        while let Some(open) = range
            .clone()
            .find(|&token| self.is(token, b"(") && self.is(token + 1, b"*"))
        {
            range = open + 1..self.partner(open);
        }
        let end = range
            .clone()
            .find(|&token| self.is(token, b"[") || self.is(token, b"("))
            .unwrap_or(range.end);
        let mut names = (range.start..end).rev();
        let name = names.find(|&token| self.is_name(token))?;
        Some(String::from_utf8_lossy(self.bytes(name)).into_owned())
    }

    /// Finds the functions' bodies, and the statements in them.
    pub(super) fn find_functions(&mut self) {
        let mut declarator: Option<TokenIndex> = None;
        let mut has_initialiser = false;
        let mut start = 0;
        let mut at = 0;
        while at < self.tokens.tokens.len() {
            if self.is(at, b"(") {
                let is_function = declarator.is_none()
                    && at > 0
                    && self.is_name(at - 1)
                    && !self.bytes(at - 1).starts_with(b"__declspec");
                if is_function {
                    declarator = Some(at - 1);
                }
                // `int (*f(void))(int)`: the name is within.
                let inner = self.is(at + 1, b"*") && declarator.is_none();
                at = if inner { at + 1 } else { self.partner(at) + 1 };
                continue;
            }
            has_initialiser |= self.is(at, b"=");
            if self.is(at, b"{") {
                let close = self.partner(at);
                if let Some(name) = declarator
                    && !has_initialiser
                    && !self.is_tag(at)
                {
                    self.functions.push(Body {
                        name: String::from_utf8_lossy(self.bytes(name)).into_owned(),
                        start,
                        parameters: name + 1,
                        open: at,
                        close,
                    });
                    self.block(at);
                    declarator = None;
                    start = close + 1;
                }
                at = close + 1;
                continue;
            }
            if self.is(at, b";") {
                // Declarations of parameters in the old style may follow.
                let is_old_style = declarator.is_some_and(|name| {
                    let after = self.partner(name + 1) + 1;
                    after < at && !self.is(after, b";") && self.is_declaration_of_parameters(after)
                });
                if !is_old_style {
                    declarator = None;
                    start = at + 1;
                }
                has_initialiser = false;
            }
            at += 1;
        }
    }

    /// Whether the brace has a `struct`, `union` or `enum` in front.
    fn is_tag(&self, brace: TokenIndex) -> bool {
        let is_tag = |at: Option<TokenIndex>| {
            at.is_some_and(|at| {
                [word::Struct, word::Union, word::Enum]
                    .iter()
                    .any(|&keyword| self.is_word(at, keyword))
            })
        };
        is_tag(brace.checked_sub(1)) || is_tag(brace.checked_sub(2))
    }

    /// Whether an old-style parameter declaration, not an attribute or assembly, follows a function's parameters.
    fn is_declaration_of_parameters(&self, after: TokenIndex) -> bool {
        let attributes = [
            word::Attribute,
            word::AttributeGnu,
            word::Asm,
            word::AsmGnu,
            word::AsmGnu2,
        ];
        self.token(after)
            .is_some_and(|token| token.kind == TokenKind::Word)
            && !attributes.iter().any(|&one| self.is_word(after, one))
    }
}
