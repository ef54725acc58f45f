//! Checks that a text to be inserted into a program is one C expression without side effects.
//!
//! The check uses only tokens. Whether the names are declared and the types fit is checked where the text is inserted.

use super::token::{
    Markers, TokenKind, Tokens, is_keyword, is_other_specifier, is_type_specifier, punctuator as p,
    tokenise, word,
};

/// The text of an expression without side effects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PureExpression {
    /// Its tokens, on one line.
    pub text: String,
    /// Names in parentheses before another parenthesis: they must be types, or it would be a call.
    pub types: Vec<String>,
}

/// Why a text is not an expression without side effects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotPure {
    /// The byte offset of the error in the text.
    pub offset: usize,
    /// One sentence without a full stop.
    pub message: String,
}

/// Reads an expression.
///
/// # Errors
/// When it is not an expression, or has side effects.
pub fn pure_expression(text: &str) -> Result<PureExpression, NotPure> {
    let wrong = |offset: usize, message: String| NotPure { offset, message };
    for (character, message) in [
        ('#', "`#` in an expression"),
        ('\\', "`\\` in a C expression"),
    ] {
        if let Some(offset) = text.find(character) {
            return Err(wrong(offset, message.to_owned()));
        }
    }
    let tokens = tokenise(text.as_bytes(), "", Markers::Ignore).map_err(|error| {
        let column = error.place().map_or(0, |place| place.column as usize);
        wrong(column.saturating_sub(1), error.message().to_owned())
    })?;
    Reader {
        text,
        tokens,
        open: Vec::new(),
        types: Vec::new(),
    }
    .read()
}

struct Reader<'t> {
    text: &'t str,
    tokens: Tokens,
    /// The open brackets.
    open: Vec<usize>,
    types: Vec<String>,
}

impl Reader<'_> {
    fn read(mut self) -> Result<PureExpression, NotPure> {
        let count = self.tokens.tokens.len();
        if count == 0 {
            return Err(self.wrong(0, "the expression is empty"));
        }
        // For each closing bracket, its opening bracket.
        let mut began = vec![0; count];
        for index in 0..count {
            let token = self.tokens.tokens[index];
            match token.kind {
                TokenKind::Word if is_keyword(token.symbol) => {
                    let is_operator = matches!(
                        token.symbol,
                        word::Sizeof | word::Alignof | word::AlignofGnu | word::AlignofGnu2
                    );
                    let is_qualifier = is_other_specifier(token.symbol)
                        && !matches!(
                            token.symbol,
                            word::Typedef | word::Extern | word::Static | word::Auto
                        );
                    if !is_operator && !is_qualifier && !is_type_specifier(token.symbol) {
                        let message = format!("`{}` in an expression", self.bytes(index));
                        return Err(self.wrong(index, message));
                    }
                }
                TokenKind::PragmaPack => return Err(self.wrong(index, "`#` in an expression")),
                TokenKind::Punctuator => self.punctuator(index, &mut began)?,
                _ => {}
            }
        }
        if let Some(&first) = self.open.first() {
            return Err(self.wrong(first, "a bracket without its partner"));
        }
        let texts: Vec<&str> = (0..count).map(|index| self.bytes(index)).collect();
        Ok(PureExpression {
            text: texts.join(" "),
            types: self.types,
        })
    }

    fn punctuator(&mut self, index: usize, began: &mut [usize]) -> Result<(), NotPure> {
        const ASSIGNMENTS: &[&[u8]] = &[
            b"=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"<<=", b">>=", b"++",
            b"--",
        ];
        let symbol = self.tokens.tokens[index].symbol;
        if ASSIGNMENTS.iter().any(|one| symbol == p(one)) {
            let message = format!("`{}`: the expression has a side effect", self.bytes(index));
            return Err(self.wrong(index, message));
        }
        if [b"{", b"}", b";"].iter().any(|one| symbol == p(*one)) {
            let message = format!("`{}` in an expression", self.bytes(index));
            return Err(self.wrong(index, message));
        }
        if symbol == p(b"(") {
            self.call(index, began)?;
        }
        if symbol == p(b"(") || symbol == p(b"[") {
            self.open.push(index);
        }
        for (opening, closing) in [(b"(", b")"), (b"[", b"]")] {
            if symbol != p(closing) {
                continue;
            }
            match self.open.pop() {
                Some(first) if self.tokens.tokens[first].symbol == p(opening) => {
                    began[index] = first;
                }
                _ => return Err(self.wrong(index, "a bracket without its partner")),
            }
        }
        Ok(())
    }

    /// Rejects a call: checks the tokens before an opening parenthesis.
    fn call(&mut self, index: usize, began: &[usize]) -> Result<(), NotPure> {
        let Some(before) = index.checked_sub(1) else {
            return Ok(());
        };
        let token = self.tokens.tokens[before];
        let is_name = |index: usize| {
            let token = self.tokens.tokens[index];
            token.kind == TokenKind::Word && !is_keyword(token.symbol)
        };
        let is_call = match token.kind {
            TokenKind::Word => !is_keyword(token.symbol),
            TokenKind::Punctuator if token.symbol == p(b"]") => true,
            TokenKind::Punctuator if token.symbol == p(b")") => {
                let first = began[before] + 1;
                let begins = first < before && self.tokens.tokens[first].kind == TokenKind::Word;
                if begins && first + 1 == before && is_name(first) {
                    self.types.push(self.bytes(first).to_owned());
                }
                !begins
            }
            _ => false,
        };
        match is_call {
            true => Err(self.wrong(before, "the expression calls a function")),
            false => Ok(()),
        }
    }

    fn bytes(&self, index: usize) -> &str {
        let token = self.tokens.tokens[index];
        let bytes = self.text.get(token.start as usize..token.end as usize);
        bytes.unwrap_or_default()
    }

    fn wrong(&self, index: usize, message: impl Into<String>) -> NotPure {
        let token = self.tokens.tokens.get(index);
        NotPure {
            offset: token.map_or(0, |token| token.start as usize),
            message: message.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_without_side_effects_are_read() {
        for text in [
            "x == 7",
            "0 <= x && x <= 40",
            "(long long)(x) + (unsigned int)(y) < a[i + 1]",
            "p->f.g != (void*)0 || *(int *)(q) > 'c'",
            "sizeof(int) == 4 ? (x) : -(y)",
            "1",
        ] {
            let read = pure_expression(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
            assert!(read.types.is_empty(), "{text}: {read:?}");
        }
        let cast = pure_expression("(word)\n(x) > 3").expect("an expression");
        assert_eq!(cast.text, "( word ) ( x ) > 3");
        assert_eq!(cast.types, ["word"]);
    }

    #[test]
    fn everything_else_is_not() {
        for (text, message) in [
            ("", "empty"),
            ("x = 7", "side effect"),
            ("x++ > 0", "side effect"),
            ("f(x)", "calls a function"),
            ("(*f)(x)", "calls a function"),
            ("a[0](x)", "calls a function"),
            ("(x + f)(y)", ""),
            ("x) || (1", "without its partner"),
            ("(x", "without its partner"),
            ("({ f(); })", "`{`"),
            ("x; y", "`;`"),
            ("return", "`return`"),
            ("\\result == 1", "`\\`"),
            ("x\n#define y", "`#`"),
            ("x ? \"", "expected"),
        ] {
            match pure_expression(text) {
                Err(error) => assert!(error.message.contains(message), "{text}: {error:?}"),
                // A leading name may be a type; then the text is a syntax error.
                Ok(_) => assert_eq!(text, "(x + f)(y)"),
            }
        }
    }
}
