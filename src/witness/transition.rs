//! Transition invariants: expressions that relate any visit of a point to any earlier one, whose values are
//! `\at(x, AnyPrev)`.
//!
//! If such a relation is a disjunction of well-founded ones, no execution visits the point infinitely often (Podelski and
//! Rybalchenko, LICS 2004). A disjunct is accepted if one of its conjuncts is `f(before) > f(now)`, or the opposite, by its
//! tokens: expressions of C have finitely many values, so there is no infinite descent, whether they wrap around or not.

use super::instrument::{PREVIOUS, previous};
use regatta_frontend::pure::pure_expression;

/// A transition invariant with names for the values of before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// The expression, with [`previous`] in the place of `\at(…, AnyPrev)`.
    pub text: String,
    /// What has these values.
    pub earlier: Vec<String>,
}

/// Replaces `\at(x, AnyPrev)` by names; `None` if there is another label.
pub(crate) fn read(text: &str) -> Option<Read> {
    const AT: &str = "\\at";
    let mut result = Read {
        text: String::new(),
        earlier: Vec::new(),
    };
    let mut rest = text;
    while let Some(begin) = rest.find(AT) {
        let inner = rest[begin + AT.len()..].trim_start().strip_prefix('(')?;
        let end = closing(inner)?;
        let (about, label) = inner[..end].rsplit_once(',')?;
        if label.trim() != "AnyPrev" || about.contains(AT) {
            return None;
        }
        let about = about.trim().to_owned();
        let known = result.earlier.iter().position(|known| *known == about);
        let number = known.unwrap_or(result.earlier.len());
        if known.is_none() {
            result.earlier.push(about);
        }
        result.text.push_str(&rest[..begin]);
        result.text.push_str(&format!(" {} ", previous(number)));
        rest = &inner[end + 1..];
    }
    // Names of this kind would be taken for values of before.
    let is_ours = |text: &str| text.contains(PREVIOUS);
    let is_clear = !is_ours(text) && !rest.contains(AT);
    result.text.push_str(rest);
    is_clear.then_some(result)
}

/// The offset of the parenthesis that closes one before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Whether the text has the word.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let mut words = text.split(|one: char| !one.is_alphanumeric() && one != '_');
    words.any(|one| one == word)
}

/// Whether the invariant is seen to be a disjunction of well-founded relations.
pub(crate) fn is_well_founded(read: &Read) -> bool {
    let tokens = |text: &str| -> Option<Vec<String>> {
        let expression = pure_expression(text).ok()?;
        Some(expression.text.split(' ').map(str::to_owned).collect())
    };
    let earlier: Option<Vec<Vec<String>>> = read.earlier.iter().map(|text| tokens(text)).collect();
    let (Some(all), Some(earlier)) = (tokens(&read.text), earlier) else {
        return false;
    };
    Relation { earlier }.ends(&all)
}

struct Relation {
    /// The tokens of what has the values of before.
    earlier: Vec<Vec<String>>,
}

impl Relation {
    /// Whether the tokens are a disjunction of relations that end.
    fn ends(&self, tokens: &[String]) -> bool {
        let tokens = without_parentheses(tokens);
        let binds_less = |token: &str| matches!(token, "?" | ":" | ",");
        if at_top(tokens).any(|(_, token)| binds_less(token)) {
            return false;
        }
        let disjuncts = split(tokens, "||");
        if disjuncts.len() > 1 {
            return disjuncts.iter().all(|disjunct| self.ends(disjunct));
        }
        let conjuncts = split(tokens, "&&");
        match conjuncts.len() {
            1 => self.descends(tokens),
            _ => conjuncts.iter().any(|conjunct| self.ends(conjunct)),
        }
    }

    /// Whether the tokens are a comparison of the same function of before and of now, or never true.
    fn descends(&self, tokens: &[String]) -> bool {
        if let [only] = tokens {
            return only == "0";
        }
        let other = |token: &str| matches!(token, "==" | "!=" | "<=" | ">=" | "|" | "^" | "&");
        // An operator `&` may be unary, an address; that is no number that descends either.
        if at_top(tokens).any(|(_, token)| other(token)) {
            return false;
        }
        let mut comparisons = at_top(tokens).filter(|(_, token)| matches!(*token, "<" | ">"));
        let (Some((at, _)), None) = (comparisons.next(), comparisons.next()) else {
            return false;
        };
        let (left, right) = (&tokens[..at], &tokens[at + 1..]);
        self.is_same(left, right) || self.is_same(right, left)
    }

    /// Whether one is a function of the values of before and the other the same function of those of now.
    fn is_same(&self, before: &[String], now: &[String]) -> bool {
        let mut replaced: Vec<String> = Vec::new();
        let mut has_value = false;
        let mut last = "(";
        for token in before {
            let number = token.strip_prefix(PREVIOUS);
            match number.map(|number| number.parse::<usize>()) {
                Some(Ok(number)) if number < self.earlier.len() => {
                    has_value = true;
                    let earlier = self.earlier[number].iter().cloned();
                    let is_alone = before.len() == 1;
                    match is_alone || is_postfix(&self.earlier[number]) {
                        true => replaced.extend(earlier),
                        false => {
                            replaced.push("(".to_owned());
                            replaced.extend(earlier);
                            replaced.push(")".to_owned());
                        }
                    }
                }
                None if is_fixed(token, last) => replaced.push(token.clone()),
                _ => return false,
            }
            last = token;
        }
        has_value && replaced == now
    }
}

/// Whether the tokens are a name with members and indices, which binds as tightly as a name.
fn is_postfix(tokens: &[String]) -> bool {
    let is_part = |token: &String| {
        let is_name = token.starts_with(|first: char| first.is_alphanumeric() || first == '_');
        is_name || matches!(token.as_str(), "." | "->" | "[" | "]")
    };
    tokens.iter().all(is_part)
}

/// Whether the token after the last one means the same at each visit: a number, the name of an integer type, or an operator
/// that does not read memory.
fn is_fixed(token: &str, last: &str) -> bool {
    let is_number = |token: &str| token.starts_with(|first: char| first.is_ascii_digit());
    match token {
        "char" | "short" | "int" | "long" | "signed" | "unsigned" | "__int128" | "_Bool" => true,
        "(" | ")" | "+" | "-" | "~" | "/" | "%" | "<<" | ">>" => true,
        "?" | ":" | "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||" | "!" => true,
        // Otherwise it may be unary.
        "*" | "&" => is_number(last) || last.starts_with(PREVIOUS),
        _ => is_number(token),
    }
}

/// The tokens without parentheses around all of them.
fn without_parentheses(tokens: &[String]) -> &[String] {
    let mut tokens = tokens;
    while let [first, inner @ .., last] = tokens {
        let mut depth = 0;
        let is_closed_before = inner.iter().any(|token| {
            depth += i32::from(token == "(") - i32::from(token == ")");
            depth < 0
        });
        match first == "(" && last == ")" && !is_closed_before {
            true => tokens = inner,
            false => break,
        }
    }
    tokens
}

/// The tokens outside of all parentheses and brackets, with their positions.
fn at_top(tokens: &[String]) -> impl Iterator<Item = (usize, &str)> {
    let mut depth = 0;
    tokens.iter().enumerate().filter_map(move |(at, token)| {
        match token.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            token if depth == 0 => return Some((at, token)),
            _ => {}
        }
        None
    })
}

/// The parts between the operators outside of parentheses.
fn split<'t>(tokens: &'t [String], operator: &str) -> Vec<&'t [String]> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for (at, token) in at_top(tokens) {
        if token == operator {
            parts.push(&tokens[begin..at]);
            begin = at + 1;
        }
    }
    parts.push(&tokens[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_that_descend_end() {
        for (text, expected) in [
            ("\\at(x, AnyPrev) > x", true),
            ("(x < \\at(x,AnyPrev))", true),
            ("\\at(x, AnyPrev) < x", true),
            ("0", true),
            (
                "((__int128)\\at(n, AnyPrev)) - ((__int128)\\at(i, AnyPrev)) > ((__int128)n) - ((__int128)i)",
                true,
            ),
            (
                "(\\at(x, AnyPrev) > x && \\at(x, AnyPrev) >= 0) || (\\at(x, AnyPrev) >= x && \\at(y, AnyPrev) > y)",
                true,
            ),
            ("\\at(a[i], AnyPrev) > a[i]", true),
            (
                "x >= 0 && (\\at(x, AnyPrev) > x || \\at(y, AnyPrev) > y)",
                true,
            ),
            ("\\at(x, AnyPrev) >= x", false),
            ("\\at(x, AnyPrev) != x", false),
            ("\\at(x, AnyPrev) > y", false),
            ("\\at(x, AnyPrev) + y > x + y", false),
            ("\\at(x, AnyPrev) > x || 1", false),
            ("\\at(x, AnyPrev) > x || \\at(y, AnyPrev) >= y", false),
            ("!(\\at(x, AnyPrev) > x)", false),
            ("\\at(x, AnyPrev) > x == 0", false),
            ("(\\at(x, AnyPrev) > x) == 0", false),
            ("c ? \\at(x, AnyPrev) > x : 1", false),
            ("\\at(x, AnyPrev) > x + 1", false),
            ("2 * \\at(a + b, AnyPrev) > 2 * a + b", false),
            ("2 * \\at(a + b, AnyPrev) > 2 * (a + b)", true),
            ("*\\at(p, AnyPrev) > *p", false),
            ("\\at(*p, AnyPrev) > *p", true),
            ("(int)*\\at(p, AnyPrev) > (int)*p", false),
            ("\\at(p, AnyPrev)[0] > p[0]", false),
            ("(int)(\\at(x, AnyPrev) > x)", false),
            (
                "(\\at(x, AnyPrev) < 3 ? \\at(x, AnyPrev) : 7) > (x < 3 ? x : 7)",
                true,
            ),
            ("\\at(x, AnyPrev) < 3 ? \\at(x, AnyPrev) > x : 0", false),
            ("1 > 0", false),
            ("x > x", false),
            ("1", false),
            ("\\at(x, AnyPrev) > x > 0", false),
            ("\\at(x, AnyPrev) > x, 1", false),
            ("\\at(x, AnyPrev) > x | 1", false),
        ] {
            let read = read(text).expect(text);
            assert_eq!(is_well_founded(&read), expected, "{text}");
        }
    }

    #[test]
    fn only_values_of_any_earlier_visit_are_read() {
        assert_eq!(read("\\at(x, LastPrev) > x"), None);
        assert_eq!(read("\\at(x, AnyPrev > x"), None);
        assert_eq!(read("\\at(\\at(x, AnyPrev), AnyPrev) > x"), None);
        assert_eq!(read("__regatta_previous_0 > x"), None);
        let read = read("\\at(x, AnyPrev) > x && \\at( x ,AnyPrev) > \\at(y, AnyPrev)");
        let earlier = read.expect("an invariant").earlier;
        assert_eq!(earlier, ["x", "y"]);
    }
}
