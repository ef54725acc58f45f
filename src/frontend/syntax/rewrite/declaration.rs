//! The beginnings of declarations, and implicit `int`.

use crate::rewrite::{BracketKind, Rewriter, encoding};
use crate::syntax::split::{after_specifiers, typedef_names};
use crate::syntax::token::{
    Symbol, TokenKind, is_keyword, is_other_specifier, is_type_specifier, punctuator as p, word,
};
use regatta_base::diagnostic::{Error, ErrorKind};

impl Rewriter<'_> {
    /// Whether a `(` opens the parameter list of a declarator (not a call).
    pub(super) fn begins_parameters(&self, open: usize) -> bool {
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

    /// The kind of bracket around the innermost open one.
    pub(super) fn kind_outside(&self) -> BracketKind {
        self.contexts
            .len()
            .checked_sub(2)
            .map_or(BracketKind::File, |index| self.contexts[index].kind)
    }

    pub(super) fn in_parameters(&self) -> bool {
        self.kind() == BracketKind::Parenthesis && self.kind_outside() == BracketKind::File
    }

    /// Inserts an implicit `int`, and records local typedefs.
    pub(super) fn declaration_start(&mut self, index: usize) -> Result<(), Error> {
        self.statement_start = false;
        let kind = self.kind();
        if matches!(
            kind,
            BracketKind::Aggregate
                | BracketKind::Enum
                | BracketKind::Initialiser
                | BracketKind::Index
        ) {
            return Ok(());
        }
        let at_file_start = index == self.chunk.first;
        // C23's attributes may come first.
        let mut index = index;
        while self.is(index, p(b"["))
            && self.is(index + 1, p(b"["))
            && self.partner(index + 1) + 1 == self.partner(index)
        {
            index = self.partner(index) + 1;
        }
        let first = self.word(index);
        let begins = first.is_some_and(|word| {
            is_other_specifier(word) || matches!(word, word::Attribute | word::Extension)
        });
        if !begins && !at_file_start {
            return Ok(());
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
            return Ok(());
        }
        let has = |symbol| {
            self.tokens[index..after]
                .iter()
                .any(|token| token.kind == TokenKind::Word && token.symbol == symbol)
        };
        let has_specifier = self.tokens[index..after]
            .iter()
            .any(|token| token.kind == TokenKind::Word && is_other_specifier(token.symbol));
        if !has_specifier && !at_file_start {
            return Ok(());
        }
        let is_declarator = self.word(after).is_some_and(|word| !is_keyword(word))
            || self.is(after, p(b"*"))
            || self.is(after, p(b"("))
            || (kind == BracketKind::Parenthesis
                && (self.is(after, p(b",")) || self.is(after, p(b")"))));
        let is_inferred = self.is(after + 1, p(b"=")) && has(word::Auto);
        if is_declarator && is_inferred && self.all.dialect.is_c23 {
            self.edit(after, encoding::AUTO_TYPE, None, "");
        } else if is_declarator {
            if self.all.dialect.is_c23_alone() {
                return Err(self.error(index, ErrorKind::Syntax, "a declaration without a type"));
            }
            self.edit(after, "int", None, "");
        }
        Ok(())
    }

    /// Whether a declaration begins at an index; a typedef name must be followed by a declarator or specifier.
    pub(super) fn begins_declaration(&self, index: usize) -> bool {
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
}
