//! Divides function bodies into statements.

use crate::statements::{Header, SourceText, StatementKind, StatementText, TokenIndex};
use crate::syntax::token::{TokenKind, word};

impl SourceText {
    /// Records the statements of a block; returns the token after it.
    pub(super) fn block(&mut self, open: TokenIndex) -> TokenIndex {
        let close = self.partner(open);
        let mut at = open + 1;
        while at < close {
            at = self.statement(at, close, true);
        }
        close + 1
    }

    /// Records a statement and its parts; returns the token after it, at most `end`.
    fn statement(&mut self, first: TokenIndex, end: TokenIndex, is_item: bool) -> TokenIndex {
        let number = self.statements.len();
        self.statements.push(StatementText {
            first,
            last: first,
            kind: StatementKind::Other,
            is_item,
        });
        let (kind, after) = self.statement_text(first, end, is_item);
        let after = after.clamp(first + 1, end.max(first + 1));
        self.statements[number].kind = kind;
        self.statements[number].last = after - 1;
        after
    }

    fn statement_text(
        &mut self,
        first: TokenIndex,
        end: TokenIndex,
        is_item: bool,
    ) -> (StatementKind, TokenIndex) {
        if self.is(first, b"{") {
            return (StatementKind::Block, self.block(first));
        }
        let keyword = self
            .token(first)
            .filter(|token| token.kind == TokenKind::Word)
            .map(|token| token.symbol);
        let open = first + 1;
        let header = Header {
            open,
            close: self.partner(open),
        };
        let has_header = self.is(open, b"(");
        match keyword {
            Some(word::If) if has_header => {
                self.expressions(open + 1, header.close);
                let mut after = self.statement(header.close + 1, end, false);
                if after < end && self.is_word(after, word::Else) {
                    after = self.statement(after + 1, end, false);
                }
                (StatementKind::If(header), after)
            }
            Some(word::While | word::Switch) if has_header => {
                self.expressions(open + 1, header.close);
                let after = self.statement(header.close + 1, end, false);
                let kind = match keyword {
                    Some(word::While) => StatementKind::While(header),
                    _ => StatementKind::Switch(header),
                };
                (kind, after)
            }
            Some(word::For) if has_header => {
                let mut semicolons = Vec::new();
                let mut at = open + 1;
                while at < header.close {
                    if self.is(at, b";") {
                        semicolons.push(at);
                    }
                    at = self.partner(at).max(at) + 1;
                }
                self.expressions(open + 1, header.close);
                let after = self.statement(header.close + 1, end, false);
                match semicolons[..] {
                    [one, other] => (StatementKind::For(header, [one, other]), after),
                    _ => (StatementKind::Other, after),
                }
            }
            Some(word::Do) => {
                let after = self.statement(open, end, false);
                if self.is_word(after, word::While) && self.is(after + 1, b"(") {
                    let header = Header {
                        open: after + 1,
                        close: self.partner(after + 1),
                    };
                    self.expressions(header.open + 1, header.close);
                    let semicolon = usize::from(self.is(header.close + 1, b";"));
                    (StatementKind::Do(header), header.close + 1 + semicolon)
                } else {
                    (StatementKind::Other, after)
                }
            }
            Some(word::Case | word::Default) => {
                let at = self.colon(open, end);
                (StatementKind::Labelled, self.labelled(at + 1, end, is_item))
            }
            _ if self.is_name(first) && self.is(open, b":") => (
                StatementKind::Labelled,
                self.labelled(open + 1, end, is_item),
            ),
            _ => {
                let mut at = first;
                while at < end && !self.is(at, b";") {
                    at = self.expression_token(at);
                }
                let is_jump = [word::Return, word::Goto, word::Break, word::Continue]
                    .iter()
                    .any(|&jump| keyword == Some(jump));
                let kind = match is_jump {
                    true => StatementKind::Jump,
                    false => StatementKind::Other,
                };
                (kind, at + 1)
            }
        }
    }

    /// Records the statement after a label, if there is one before the block's end.
    fn labelled(&mut self, first: TokenIndex, end: TokenIndex, is_item: bool) -> TokenIndex {
        match first < end {
            true => self.statement(first, end, is_item),
            false => first,
        }
    }

    /// Records the statements within expressions.
    fn expressions(&mut self, first: TokenIndex, end: TokenIndex) {
        let mut at = first;
        while at < end {
            at = self.expression_token(at);
        }
    }

    /// Skips a token of an expression, or a nested block: a statement expression or an initialiser.
    fn expression_token(&mut self, at: TokenIndex) -> TokenIndex {
        if !self.is(at, b"{") {
            return at + 1;
        }
        match at > 0 && self.is(at - 1, b"(") {
            true => self.block(at),
            false => self.partner(at) + 1,
        }
    }
}
