//! Labels: local to a block, in front of declarations, their addresses.

use crate::rewrite::{BracketKind, Rewriter, encoding};
use crate::syntax::literal;
use crate::syntax::token::{Symbol, is_keyword, punctuator as p, word};
use regatta_base::diagnostic::Error;

impl Rewriter<'_> {
    /// Removes `__label__ a, b;` and records the names.
    pub(super) fn local_labels(&mut self, index: usize) -> usize {
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

    pub(super) fn renamed(&self, label: Symbol) -> Option<String> {
        self.contexts.iter().rev().find_map(|context| {
            let (_, number) = context.labels.iter().find(|(name, _)| *name == label)?;
            let name = literal::ascii_identifier(self.all.words.text(label));
            Some(format!("{name}{}{number}", encoding::BLOCK_LABEL))
        })
    }

    /// The new name of a word that is a block's local label.
    pub(super) fn label_name(&self, index: usize, symbol: Symbol) -> Option<String> {
        if self.previous_word() == Some(word::Goto) || self.label_before(index) {
            self.renamed(symbol)
        } else {
            None
        }
    }

    /// Whether the word at an index is a label before its colon.
    pub(super) fn label_before(&self, index: usize) -> bool {
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
        // `previous` is the word itself or the token before it, depending on the caller.
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

    /// Whether the next colon ends a label.
    pub(super) fn is_label_colon(&self) -> bool {
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

    /// Inserts the empty statement that C11 requires between a label and a declaration or the block's end.
    pub(super) fn after_label(&mut self, colon: usize) -> Result<(), Error> {
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
