//! Attributes and assembly.

use super::Rewriter;
use crate::frontend::diagnostic::Error;
use crate::frontend::token::{punctuator as p, word};

impl Rewriter<'_> {
    /// Reads `__attribute__((…))` and writes what is left of it; the index after it.
    pub(super) fn attributes(&mut self, index: usize) -> Result<usize, Error> {
        if !self.is(index + 1, p(b"(")) {
            return Ok(index + 1);
        }
        let previous = self.previous;
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
                if super::ATTRIBUTES.contains(&name) {
                    kept.push((item, item_end));
                }
                item = item_end + 1;
            }
        }
        let statement_start = self.statement_start;
        if !kept.is_empty() {
            let start = self.tokens[index].start;
            let aggregate = self.aggregate.take();
            if aggregate.is_none() {
                self.insert("__attribute__((", start);
            }
            // Those of a struct are written to a text of their own, which goes behind the closing brace.
            let held = aggregate.map(|_| {
                let out = std::mem::take(&mut self.out);
                (
                    out,
                    self.pieces.len(),
                    std::mem::take(&mut self.held_attributes),
                )
            });
            for (number, (item, end)) in kept.into_iter().enumerate() {
                if number > 0 {
                    self.insert(",", start);
                }
                let mut argument = item;
                while argument < end {
                    argument = self.advance(argument)?;
                }
            }
            match held {
                None => self.insert("))", start),
                Some((out, pieces, mut attributes)) => {
                    if !attributes.is_empty() {
                        attributes.push(b',');
                    }
                    attributes.extend(std::mem::replace(&mut self.out, out));
                    self.pieces.truncate(pieces);
                    self.held_attributes = attributes;
                    self.aggregate = aggregate;
                    self.previous = previous;
                    self.last_end = u32::MAX;
                }
            }
        }
        self.statement_start = statement_start;
        Ok(close + 1)
    }

    /// `asm goto` is not parsed by lang-c, nor is the qualifier `inline`.
    pub(super) fn assembly(&mut self, index: usize) -> usize {
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
}
