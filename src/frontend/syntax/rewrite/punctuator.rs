//! Brackets, separators and operators: the open contexts and the nesting depth.

use crate::rewrite::{BracketKind, Context, Rewriter, encoding};
use crate::syntax::split::ChunkKind;
use crate::syntax::token::{
    Symbol, TokenKind, is_keyword, is_other_specifier, is_type_specifier, punctuator as p, word,
};
use regatta_base::diagnostic::Error;

/// The left-associative binary operators.
const LEFT_ASSOCIATIVE: [&[u8]; 18] = [
    b"*", b"/", b"%", b"+", b"-", b"<<", b">>", b"<", b">", b"<=", b">=", b"==", b"!=", b"&", b"^",
    b"|", b"&&", b"||",
];

impl Rewriter<'_> {
    pub(super) fn punctuator(&mut self, index: usize, symbol: Symbol) -> Result<usize, Error> {
        const OPEN_PARENTHESIS: Symbol = p(b"(");
        const CLOSE_PARENTHESIS: Symbol = p(b")");
        const OPEN_INDEX: Symbol = p(b"[");
        const CLOSE_INDEX: Symbol = p(b"]");
        const OPEN_BRACE: Symbol = p(b"{");
        const CLOSE_BRACE: Symbol = p(b"}");
        const SEMICOLON: Symbol = p(b";");
        const COMMA: Symbol = p(b",");
        const COLON: Symbol = p(b":");
        const QUESTION: Symbol = p(b"?");
        const AND: Symbol = p(b"&&");
        const ELLIPSIS: Symbol = p(b"...");
        let start = self.tokens[index].start;
        if symbol == OPEN_INDEX
            && self.is(index + 1, OPEN_INDEX)
            && self.partner(index + 1) + 1 == self.partner(index)
        {
            // C23's attributes: nothing else begins with two brackets.
            return self.standard_attributes(index);
        }
        if symbol == COLON && self.is_underlying_colon(index) {
            return self.underlying_type(index);
        }
        if symbol != OPEN_BRACE {
            self.aggregate = None;
            self.held_attributes.clear();
        }
        match symbol {
            OPEN_PARENTHESIS | OPEN_INDEX => {
                if let Some(next) = self.character_table(index) {
                    return Ok(next);
                }
                self.open_bracket(index)?;
                self.copy(index);
                if symbol == OPEN_PARENTHESIS
                    && let Some(text) = self.literal_storage(index)
                {
                    self.insert(text, start);
                }
                let kind = if symbol == OPEN_INDEX {
                    BracketKind::Index
                } else {
                    BracketKind::Parenthesis
                };
                self.contexts.push(Context::new(kind));
                self.previous = Some(index);
                self.statement_start = symbol == OPEN_PARENTHESIS && self.begins_parameters(index);
                return Ok(index + 1);
            }
            OPEN_BRACE => return self.open_brace(index),
            CLOSE_PARENTHESIS | CLOSE_INDEX | CLOSE_BRACE => return Ok(self.close(index, symbol)),
            SEMICOLON => {
                if self.kind() == BracketKind::Aggregate
                    && (self.previous_is(OPEN_BRACE) || self.previous_is(SEMICOLON))
                {
                    return Ok(index + 1);
                }
                if std::mem::take(&mut self.context().in_computed_goto) {
                    self.insert(")", start);
                }
                self.copy(index);
                self.end_expression();
                self.end_statement(index);
                self.previous = Some(index);
                return Ok(index + 1);
            }
            COMMA => {
                self.copy(index);
                self.end_expression();
                self.previous = Some(index);
                self.statement_start = self.in_parameters();
                return Ok(index + 1);
            }
            QUESTION => {
                if self.is(index + 1, COLON) {
                    self.copy(index);
                    self.insert(encoding::CONDITION_VALUE, start);
                    self.copy(index + 1);
                    self.previous = Some(index + 1);
                    self.operator(index)?;
                    return Ok(index + 2);
                }
                self.context().questions += 1;
            }
            COLON => {
                let was_label = self.is_label_colon();
                let context = self.context();
                if context.questions > 0 {
                    context.questions -= 1;
                } else {
                    context.in_case = false;
                }
                self.copy(index);
                self.previous = Some(index);
                self.statement_start = false;
                if was_label {
                    self.end_expression();
                    self.after_label(index)?;
                } else {
                    self.operator(index)?;
                }
                return Ok(index + 1);
            }
            AND if self.begins_operand()
                && self.word(index + 1).is_some_and(|word| !is_keyword(word)) =>
            {
                let label = self.tokens[index + 1].symbol;
                self.insert("__regatta_label_address(", start);
                let name = self.renamed(label);
                match name {
                    Some(name) => self.insert(&name, start),
                    None => self.copy(index + 1),
                }
                self.insert(")", start);
                self.previous = Some(index + 1);
                self.operator(index)?;
                return Ok(index + 2);
            }
            ELLIPSIS
                if self.previous_is(OPEN_PARENTHESIS) && self.is(index + 1, CLOSE_PARENTHESIS) =>
            {
                self.insert("void,", start);
            }
            _ => {}
        }
        let is_chain = LEFT_ASSOCIATIVE.iter().any(|text| p(text) == symbol);
        let chained = is_chain && !self.begins_operand();
        self.copy(index);
        self.previous = Some(index);
        self.statement_start = false;
        if chained {
            let context = self.context();
            context.chained += 1;
            if !context
                .chained
                .is_multiple_of(crate::rewrite::CHAINED_OPERATORS)
            {
                return Ok(index + 1);
            }
        }
        self.operator(index)?;
        Ok(index + 1)
    }

    pub(super) fn operator(&mut self, index: usize) -> Result<(), Error> {
        self.context().operators += 1;
        self.deepen(index)
    }

    pub(super) fn end_expression(&mut self) {
        let context = self.context();
        let operators = std::mem::take(&mut context.operators);
        context.questions = 0;
        self.nesting -= operators.min(self.nesting);
    }

    /// Ends the statement at a `;` or `}`.
    pub(super) fn end_statement(&mut self, index: usize) {
        self.statement_start = matches!(
            self.kind(),
            BracketKind::Block | BracketKind::Aggregate | BracketKind::File
        );
        if self.word(index + 1) != Some(word::Else) {
            let statements = std::mem::take(&mut self.context().statements);
            self.nesting -= statements.min(self.nesting);
        }
    }

    pub(super) fn open_brace(&mut self, index: usize) -> Result<usize, Error> {
        let start = self.tokens[index].start;
        let kind = self.brace_kind(index);
        if self.begins_nested_function(index) {
            self.insert("= (", start);
            self.edit(self.partner(index), "", None, ");");
        }
        self.deepen(index)?;
        self.copy(index);
        let is_literal = kind == BracketKind::Initialiser && self.previous_is(p(b")"));
        if is_literal && self.is(index + 1, p(b"}")) {
            self.insert(encoding::NOTHING, start);
        }
        let mut context = Context::new(kind);
        if matches!(kind, BracketKind::Aggregate | BracketKind::Enum) {
            context.attributes = std::mem::take(&mut self.held_attributes);
        }
        self.aggregate = None;
        self.held_attributes.clear();
        let is_body = self.contexts.len() == 1 && kind == BracketKind::Block;
        self.contexts.push(context);
        self.previous = Some(index);
        self.statement_start = matches!(kind, BracketKind::Block | BracketKind::Aggregate);
        if is_body {
            for name in self.shadowed {
                self.insert(&format!("int {name};"), start);
            }
        }
        Ok(index + 1)
    }

    /// The kind of the brace that opens next.
    pub(super) fn brace_kind(&self, index: usize) -> BracketKind {
        match self.aggregate {
            Some(word::Enum) => return BracketKind::Enum,
            Some(_) => return BracketKind::Aggregate,
            None => {}
        }
        if self.kind() == BracketKind::Initialiser || self.previous_is(p(b"=")) {
            return BracketKind::Initialiser;
        }
        if self.kind() == BracketKind::File {
            let is_body =
                self.chunk.kind == ChunkKind::Function && self.partner(index) + 1 == self.chunk.end;
            return if is_body {
                BracketKind::Block
            } else {
                BracketKind::Initialiser
            };
        }
        if !self.previous_is(p(b")")) || self.begins_nested_function(index) {
            return BracketKind::Block;
        }
        // After a parenthesis: the body of `if (…)`, or a compound literal.
        match self
            .before_parenthesis()
            .and_then(|before| self.word(before))
        {
            Some(word::If | word::For | word::While | word::Switch) => BracketKind::Block,
            _ => BracketKind::Initialiser,
        }
    }

    /// The token before the last closed parentheses.
    fn before_parenthesis(&self) -> Option<usize> {
        let open = self.previous.map_or(0, |previous| self.partner(previous));
        let before = open.checked_sub(1)?;
        (before >= self.chunk.first).then_some(before)
    }

    /// Whether the brace opens the body of a nested function.
    fn begins_nested_function(&self, index: usize) -> bool {
        let name = self
            .before_parenthesis()
            .and_then(|before| self.word(before));
        self.is(index, p(b"{"))
            && self.aggregate.is_none()
            && self.kind() == BracketKind::Block
            && self.previous_is(p(b")"))
            && name.is_some_and(|name| !is_keyword(name))
    }

    pub(super) fn close(&mut self, index: usize, symbol: Symbol) -> usize {
        let start = self.tokens[index].start;
        self.copy(index);
        let context = if self.contexts.len() > 1 {
            self.contexts.pop()
        } else {
            None
        };
        let context = context.unwrap_or_else(|| Context::new(BracketKind::Parenthesis));
        self.nesting -= (context.operators + context.statements + 1).min(self.nesting);
        self.previous = Some(index);
        self.statement_start = false;
        if symbol != p(b"}") {
            self.brackets = self.brackets.saturating_sub(1);
        }
        match context.kind {
            BracketKind::Block => {
                self.end_expression();
                self.end_statement(index);
            }
            BracketKind::Aggregate | BracketKind::Enum => {
                if !context.attributes.is_empty() {
                    let attributes = String::from_utf8_lossy(&context.attributes).into_owned();
                    self.insert(&format!("__attribute__(({attributes}))"), start);
                }
                let pack = self.outline.packs.get(&(index as u32));
                if let (BracketKind::Aggregate, Some(alignment)) = (context.kind, pack) {
                    self.insert(
                        &format!("__attribute__(({}({alignment})))", encoding::PACK),
                        start,
                    );
                }
            }
            BracketKind::Parenthesis if symbol == p(b")") => {
                let open = self.partner(index);
                let before = open
                    .checked_sub(1)
                    .filter(|&before| before >= self.chunk.first);
                let control = before.and_then(|before| self.word(before));
                self.statement_start = matches!(
                    control,
                    Some(word::If | word::For | word::While | word::Switch)
                ) && self.kind() == BracketKind::Block;
                if self.statement_start {
                    self.end_expression();
                } else {
                    // Chains of casts and calls nest as well.
                    self.context().operators += 1;
                    self.nesting += 1;
                }
            }
            _ => {
                self.context().operators += 1;
                self.nesting += 1;
            }
        }
        index + 1
    }

    /// Whether the next token begins an operand, so that `&&` there is the label operator.
    pub(super) fn begins_operand(&self) -> bool {
        let Some(previous) = self.previous else {
            return true;
        };
        let token = self.tokens[previous];
        match token.kind {
            TokenKind::Word => is_keyword(token.symbol),
            TokenKind::Punctuator if token.symbol == p(b")") => {
                let open = self.partner(previous);
                let before = open.checked_sub(1).and_then(|before| self.word(before));
                // What stands in front of any other parenthesis with a type has it as an operand.
                let may_be_cast = before.is_none_or(|before| {
                    matches!(before, word::Return | word::Case | word::Else | word::Do)
                });
                may_be_cast && self.begins_type(open + 1)
            }
            // `++` and `--` may be postfix operators; a label's address cannot follow them.
            TokenKind::Punctuator => {
                ![p(b"]"), p(b"}"), p(b"++"), p(b"--")].contains(&token.symbol)
            }
            _ => false,
        }
    }

    pub(super) fn begins_type(&self, index: usize) -> bool {
        self.word(index).is_some_and(|word| {
            is_type_specifier(word)
                || is_other_specifier(word)
                || (!is_keyword(word) && self.is_typedef(word))
        })
    }
}
