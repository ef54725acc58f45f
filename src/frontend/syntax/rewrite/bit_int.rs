//! The types and literals of C23 that lang-c does not know: `_BitInt`, underlying types, `typeof_unqual`, storage
//! classes of compound literals.

use crate::rewrite::{BracketKind, Rewriter, encoding};
use crate::syntax::split::after_specifiers;
use crate::syntax::token::{
    is_keyword, is_other_specifier, is_type_specifier, punctuator as p, word,
};
use regatta_base::diagnostic::Error;

impl Rewriter<'_> {
    /// The indices of the adjacent specifiers around the one at an index that are words or `_BitInt(n)`.
    fn specifiers_around(&self, index: usize) -> Vec<usize> {
        let is_specifier = |index: usize| {
            self.word(index)
                .is_some_and(|word| is_type_specifier(word) || is_other_specifier(word))
        };
        let mut first = index;
        while let Some(before) = first
            .checked_sub(1)
            .filter(|&before| before >= self.chunk.first)
        {
            let start = match self.is(before, p(b")")) {
                true => match self.partner(before).checked_sub(1) {
                    Some(word) if self.word(word) == Some(word::BitInt) => word,
                    _ => break,
                },
                false => before,
            };
            if !is_specifier(start) {
                break;
            }
            first = start;
        }
        let mut found = Vec::new();
        while is_specifier(first) {
            found.push(first);
            first = match self.word(first) == Some(word::BitInt) && self.is(first + 1, p(b"(")) {
                true => self.partner(first + 1) + 1,
                false => first + 1,
            };
        }
        found
    }

    /// Whether `signed` or `unsigned` belongs to a `_BitInt`; the encoding's name then contains the signedness.
    pub(super) fn bit_int_beside(&self, index: usize) -> bool {
        let around = self.specifiers_around(index);
        around
            .iter()
            .any(|&index| self.word(index) == Some(word::BitInt))
    }

    /// Rewrites `_BitInt(n)`, with the adjacent `signed` or `unsigned`.
    pub(super) fn bit_int(&mut self, index: usize) -> usize {
        let around = self.specifiers_around(index);
        let unsigned = around
            .iter()
            .any(|&index| self.word(index) == Some(word::Unsigned));
        let name = match unsigned {
            true => encoding::UNSIGNED_BIT_INT,
            false => encoding::BIT_INT,
        };
        self.edit(self.partner(index + 1), "", None, ")");
        self.replace(index, &format!("__typeof__({name}"))
    }

    /// Whether a type in parentheses begins with `typeof`, which lang-c would parse as a function call.
    pub(super) fn begins_with_typeof(&self, open: usize) -> bool {
        self.is(open, p(b"("))
            && match self.word(open + 1) {
                Some(
                    word::Typeof
                    | word::TypeofGnu
                    | word::TypeofGnu2
                    | word::TypeofUnqual
                    | word::TypeofUnqualGnu
                    | word::BitInt,
                ) => true,
                Some(word::Unsigned | word::Signed | word::SignedGnu | word::SignedGnu2) => {
                    self.bit_int_beside(open + 1)
                }
                _ => false,
            }
    }

    /// Rewrites `typeof(type)` to `__typeof__(function(sizeof(type)))`.
    pub(super) fn typeof_of_type(&mut self, index: usize, function: &str) -> usize {
        self.edit(self.partner(index + 1), "", None, "))");
        self.replace(index, &format!("__typeof__({function}(sizeof"))
    }

    /// Whether a colon stands between an enumeration and its underlying type. No type follows the colon of a bit-field.
    pub(super) fn is_underlying_colon(&self, colon: usize) -> bool {
        if !self.is(colon, p(b":")) || !self.begins_type(colon + 1) {
            return false;
        }
        let mut before = colon;
        let step = |before: usize| {
            before
                .checked_sub(1)
                .filter(|&index| index >= self.chunk.first)
        };
        let Some(tag) = step(before) else {
            return false;
        };
        if self.word(tag).is_some_and(|word| !is_keyword(word)) {
            before = tag;
        }
        loop {
            match step(before) {
                Some(index) if self.is(index, p(b"]")) || self.is(index, p(b")")) => {
                    before = self.partner(index);
                }
                Some(index)
                    if matches!(self.word(index), Some(word::Attribute | word::AttributeGnu)) =>
                {
                    before = index;
                }
                Some(index) => return self.word(index) == Some(word::Enum),
                None => return false,
            }
        }
    }

    /// Rewrites the underlying type after a colon to an attribute of the enumeration; returns the index after it.
    pub(super) fn underlying_type(&mut self, colon: usize) -> Result<usize, Error> {
        let start = self.tokens[colon].start;
        let is_typedef = |word| self.is_typedef(word);
        let (after, _) = after_specifiers(
            self.tokens,
            &self.outline.partner,
            colon + 1,
            self.chunk.end,
            &is_typedef,
        );
        let held = std::mem::take(&mut self.held_attributes);
        let out = std::mem::take(&mut self.out);
        let pieces = self.pieces.len();
        self.out.extend_from_slice(b"__regatta_underlying(sizeof(");
        let mut index = colon + 1;
        while index < after {
            index = self.advance(index)?;
        }
        self.out.extend_from_slice(b"))");
        let text = std::mem::replace(&mut self.out, out);
        self.pieces.truncate(pieces);
        self.last_end = u32::MAX;
        self.statement_start = false;
        self.previous = Some(after - 1);
        if self.is(after, p(b"{")) {
            self.held_attributes = held;
            if !self.held_attributes.is_empty() {
                self.held_attributes.push(b',');
            }
            self.held_attributes.extend(text);
            self.aggregate = Some(word::Enum);
        } else {
            let text = String::from_utf8_lossy(&text).into_owned();
            self.insert(&format!("__attribute__(({text}))"), start);
        }
        Ok(after)
    }

    /// Removes the storage class of a compound literal; returns the text to insert after its opening parenthesis.
    pub(super) fn literal_storage(&mut self, open: usize) -> Option<&'static str> {
        let close = self.partner(open);
        if !self.is(close + 1, p(b"{")) || self.kind() == BracketKind::Enum {
            return None;
        }
        let before = open
            .checked_sub(1)
            .filter(|&before| before >= self.chunk.first);
        let is_operand = before.is_some_and(|before| match self.word(before) {
            Some(word) => matches!(word, word::Return | word::Sizeof | word::Case | word::Else),
            None => !self.is(before, p(b")")) && !self.is(before, p(b"]")),
        });
        if !is_operand {
            return None;
        }
        let is_class = |index: usize| {
            matches!(
                self.word(index),
                Some(
                    word::Static
                        | word::Constexpr
                        | word::Register
                        | word::ThreadLocal
                        | word::ThreadLocalGnu
                )
            )
        };
        let mut index = open + 1;
        let mut classes = Vec::new();
        while index < close {
            if is_class(index) {
                classes.push(index);
            }
            index = self.partner(index).max(index) + 1;
        }
        let has = |symbol| {
            classes
                .iter()
                .any(|&index| self.word(index) == Some(symbol))
        };
        let is_static = has(word::Static) || has(word::ThreadLocal) || has(word::ThreadLocalGnu);
        let text = match (is_static, has(word::Constexpr)) {
            (true, true) => "__typeof__(__regatta_static_constant_literal(sizeof(",
            (true, false) => "__typeof__(__regatta_static_literal(sizeof(",
            (false, true) => "__typeof__(__regatta_constant_literal(sizeof(",
            (false, false) if classes.is_empty() => return None,
            (false, false) => "",
        };
        if !text.is_empty() {
            self.edit(close, ")))", None, "");
        }
        for index in classes {
            self.edit(index, "", Some(""), "");
        }
        Some(text)
    }
}
