//! Operators with a type or an expression as operand.

use crate::rewrite::{Rewriter, encoding};
use crate::syntax::token::{TokenKind, punctuator as p, word};
use regatta_base::diagnostic::{Error, ErrorKind};

impl Rewriter<'_> {
    /// Rewrites `_Alignas` of a member, for which lang-c accepts only an attribute.
    pub(super) fn member_alignment(&mut self, index: usize) -> usize {
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

    pub(super) fn alignof(&mut self, index: usize) -> usize {
        let start = self.tokens[index].start;
        let operand = index + 1;
        let end = self.operand_end(operand);
        if self.begins_with_typeof(operand) && self.partner(operand) == end {
            self.insert("_Alignof(__typeof__(__regatta_type(sizeof", start);
            self.edit(end, "", None, ")))");
        } else if self.is(operand, p(b"(")) && self.partner(operand) == end {
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

    /// Rewrites `__alignof__`, which differs from `_Alignof` in ABIs with a preferred alignment.
    pub(super) fn preferred_alignof(&mut self, index: usize) -> usize {
        let operand = index + 1;
        let end = self.operand_end(operand);
        let start = self.tokens[index].start;
        self.insert("__regatta_preferred_alignment(sizeof", start);
        self.edit(end, "", None, ")");
        self.previous = Some(index);
        self.statement_start = false;
        operand
    }

    /// The index of the last token of the unary expression that begins at an index.
    pub(super) fn operand_end(&self, first: usize) -> usize {
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

    pub(super) fn types_compatible(&mut self, index: usize) -> Result<usize, Error> {
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

    /// Rewrites `__builtin_convertvector`, which has a type as its second argument.
    pub(super) fn convert_vector(&mut self, index: usize) -> Result<usize, Error> {
        let open = index + 1;
        let comma = match self.is(open, p(b"(")) {
            true => self.top_level_comma(open),
            false => None,
        };
        let Some(comma) = comma else {
            return Err(self.error(
                index,
                ErrorKind::Syntax,
                "`__builtin_convertvector` takes a vector and a type",
            ));
        };
        let close = self.partner(open);
        self.edit(comma, "", None, "sizeof(");
        self.edit(close, ")", None, "");
        Ok(self.replace(index, encoding::CONVERT_VECTOR))
    }

    /// Rewrites `(*__ctype_b_loc())[c]` to a call: glibc's macros for `<ctype.h>` look characters up in a table.
    /// Returns the index after the `[`, if such a lookup begins here.
    pub(super) fn character_table(&mut self, open: usize) -> Option<usize> {
        let function = match self.word(open + 2)? {
            word::CtypeB => "__regatta_ctype_b(",
            word::CtypeTolower => "__regatta_ctype_tolower(",
            word::CtypeToupper => "__regatta_ctype_toupper(",
            _ => return None,
        };
        let expected: [(usize, &[u8]); 5] = [(1, b"*"), (3, b"("), (4, b")"), (5, b")"), (6, b"[")];
        if !expected
            .iter()
            .all(|&(ahead, text)| self.is(open + ahead, p(text)))
        {
            return None;
        }
        let index = open + 6;
        self.insert(function, self.tokens[open].start);
        self.edit(self.partner(index), "", Some(")"), "");
        self.previous = Some(index);
        self.statement_start = false;
        Some(index + 1)
    }
}
