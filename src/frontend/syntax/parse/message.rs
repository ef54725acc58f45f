//! Messages for syntax errors: lang-c's expectations in the user's terms.

use std::collections::HashSet;

use lang_c::driver::SyntaxError;

use crate::position::{PositionMap, source_offset};
use crate::syntax::token::{Token, TokenKind, Tokens, is_keyword, punctuator as p};
use regatta_base::diagnostic::{Error, ErrorKind};

/// The error at the token where lang-c stopped.
pub(super) fn syntax_error(
    error: &SyntaxError,
    pieces: &[(u32, u32)],
    start: u32,
    tokens: &Tokens,
    positions: &PositionMap,
) -> Error {
    let offset = source_offset(pieces, error.offset).unwrap_or(start);
    let mut index = tokens.tokens.partition_point(|token| token.end <= offset);
    let only_a_name = error
        .expected
        .iter()
        .all(|expected| matches!(*expected, "identifier" | "[_a-zA-Z0-9]"));
    let after_keyword = index.checked_sub(1).is_some_and(|before| {
        tokens.tokens[before].kind == TokenKind::Word && is_keyword(tokens.tokens[before].symbol)
    });
    if only_a_name && !error.expected.is_empty() && after_keyword {
        // lang-c reads a name before it detects that the name is reserved.
        index -= 1;
    }
    let Some(token) = tokens.tokens.get(index) else {
        let message = format!(
            "{}, found the end of the file",
            expectation(&error.expected)
        );
        return positions.error_at(ErrorKind::Syntax, message, positions.text().len() as u32);
    };
    if is_assignment(token) && !error.expected.contains("=") && error.expected.contains("==") {
        let operand = operand_start(tokens, index);
        return positions.error_at(
            ErrorKind::Type,
            "an lvalue is required as left operand of an assignment",
            tokens.tokens[operand].start,
        );
    }
    let text = &positions.text()[token.start as usize..token.end as usize];
    let text: String = String::from_utf8_lossy(text).chars().take(40).collect();
    let message = format!("{}, found `{text}`", expectation(&error.expected));
    let result = positions.error_at(ErrorKind::Syntax, message, token.start);
    match unknown_type_before(tokens, index, positions) {
        Some(name) => result.with_help(format!("if `{name}` is a type, it is not declared here")),
        None => result,
    }
}

fn is_assignment(token: &Token) -> bool {
    let operators: [&[u8]; 11] = [
        b"=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"<<=", b">>=",
    ];
    token.kind == TokenKind::Punctuator
        && operators.iter().any(|operator| p(operator) == token.symbol)
}

/// The first token of the statement, or of the brackets' content, that contains the token.
fn operand_start(tokens: &Tokens, index: usize) -> usize {
    let mut depth = 0_usize;
    let mut first = index;
    for before in (0..index).rev() {
        let token = tokens.tokens[before];
        if token.kind == TokenKind::Punctuator {
            match token.symbol {
                symbol if symbol == p(b")") || symbol == p(b"]") => depth += 1,
                symbol if depth > 0 && (symbol == p(b"(") || symbol == p(b"[")) => depth -= 1,
                symbol
                    if depth == 0
                        && [p(b"("), p(b"["), p(b"{"), p(b"}"), p(b";"), p(b",")]
                            .contains(&symbol) =>
                {
                    return first;
                }
                _ => {}
            }
        }
        first = before;
    }
    first
}

/// Returns the name `number` of `number x`, two names in a row, where `number` should have been a type.
fn unknown_type_before(tokens: &Tokens, index: usize, positions: &PositionMap) -> Option<String> {
    let is_name = |token: &Token| token.kind == TokenKind::Word && !is_keyword(token.symbol);
    let token = tokens.tokens.get(index)?;
    let before = tokens.tokens.get(index.checked_sub(1)?)?;
    if !is_name(before)
        || !(is_name(token) || (token.kind == TokenKind::Punctuator && token.symbol == p(b"*")))
    {
        return None;
    }
    let text = &positions.text()[before.start as usize..before.end as usize];
    Some(String::from_utf8_lossy(text).into_owned())
}

/// Groups the grammar's expectations into a message: "expected `;` or an operator".
fn expectation(expected: &HashSet<&'static str>) -> String {
    let has = |text: &str| expected.contains(text);
    let expression = has("~") && has("!");
    let operator = has("||") && has("<<");
    let declaration = has("<typedef_name>") && !expression;
    let mut items: Vec<String> = Vec::new();
    let mut tokens: Vec<&str> = expected
        .iter()
        .copied()
        .filter(|token| matches!(*token, ";" | ")" | "]" | "}" | ":" | "{" | "..." | "while"))
        .filter(|token| !(expression && *token == "{"))
        .collect();
    if !operator {
        tokens.extend(
            expected
                .iter()
                .copied()
                .filter(|token| matches!(*token, "," | "=")),
        );
    }
    if !operator && !expression {
        tokens.extend(expected.iter().copied().filter(|token| *token == "("));
    }
    tokens.sort_unstable();
    items.extend(tokens.iter().map(|token| format!("`{token}`")));
    if expression {
        items.push("an expression".to_owned());
    }
    if operator {
        items.push("an operator".to_owned());
    }
    if declaration {
        items.push("a declaration".to_owned());
    }
    if has("[_a-zA-Z]") && !expression && !declaration {
        items.push("a name".to_owned());
    }
    match items.as_slice() {
        [] => "expected something else".to_owned(),
        [one] => format!("expected {one}"),
        [some @ .., last] => format!("expected {} or {last}", some.join(", ")),
    }
}
