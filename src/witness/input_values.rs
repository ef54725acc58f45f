//! The values of inputs named by the path of a violation, with which an interpreter can follow it.
//!
//! Verifiers write one waypoint for each input, in order: a condition on the result of a call of `__VERIFIER_nondet_int`, or an
//! assumption about the variable that it was assigned to (`1` if its value does not matter). So the conditions of these
//! waypoints, in order, are taken as the inputs' values. This is a guess; the automaton decides whether it was right.

use super::lint::ViolationPath;
use super::points::Point;

/// The value of an input by a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessInput {
    /// The variable that has the value, if any.
    pub variable: Option<String>,
    /// The value; `None` for any.
    pub value: Option<i128>,
}

/// Returns the values of inputs by the path, in order.
pub fn values_of(path: &ViolationPath) -> Vec<WitnessInput> {
    let steps = path.steps.iter().filter(|(_, step)| step.advances);
    let named = steps.filter(|(point, _)| {
        matches!(
            point,
            Point::Statement(_) | Point::Expression(_) | Point::Return(_)
        )
    });
    let conditions = named.filter_map(|(_, step)| step.condition.as_deref());
    conditions.flat_map(input_values).collect()
}

/// Returns the input values of a condition, one for each conjunct; its tokens are separated by spaces.
fn input_values(condition: &str) -> Vec<WitnessInput> {
    let tokens: Vec<&str> = condition.split_whitespace().collect();
    let mut depth = 0;
    let conjuncts = tokens.split(|&token| {
        depth += i32::from(token == "(") - i32::from(token == ")");
        token == "&&" && depth == 0
    });
    conjuncts.map(input_value).collect()
}

/// Returns the term that is compared with a number by `==`, and the number.
fn input_value(tokens: &[&str]) -> WitnessInput {
    let sides = tokens.iter().position(|&token| token == "==").map(|equal| {
        let (left, right) = (&tokens[..equal], &tokens[equal + 1..]);
        match number(right) {
            Some(value) => (left, Some(value)),
            None => (right, number(left)),
        }
    });
    let Some((compared, value)) = sides else {
        return WitnessInput {
            variable: None,
            value: None,
        };
    };
    let mut names = compared.iter().filter(|token| !"()".contains(**token));
    let variable = names.next().filter(|_| names.next().is_none());
    WitnessInput {
        variable: variable.map(|&name| name.to_owned()),
        value,
    }
}

/// Parses a number with signs, casts and parentheses, or a sum of such (`- 2147483647 - 1` is the smallest `int`).
fn number(tokens: &[&str]) -> Option<i128> {
    let is_type =
        |token: &str| token.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let mut sum: Option<i128> = None;
    let mut sign = 1;
    for &token in tokens {
        match token {
            "-" => sign = -sign,
            "(" | ")" | "+" => {}
            _ if is_type(token) => {
                // Only casts are skipped: `x - 1` is not a number.
                let is_cast = matches!(
                    token,
                    "int"
                        | "unsigned"
                        | "signed"
                        | "long"
                        | "short"
                        | "char"
                        | "_Bool"
                        | "__int128"
                );
                if !is_cast {
                    return None;
                }
            }
            _ => {
                let value = sign * integer(token)?;
                sum = Some(sum.unwrap_or(0).checked_add(value)?);
                sign = 1;
            }
        }
    }
    sum
}

/// Parses an integer constant of C.
fn integer(token: &str) -> Option<i128> {
    let digits = token.trim_end_matches(['u', 'U', 'l', 'L']);
    let hexadecimal = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => i128::from_str_radix(digits, 8).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found() {
        for (condition, expected) in [
            ("x == 7", Some(7)),
            ("__regatta_result == - 3", Some(-3)),
            ("( x ) == ( unsigned int ) ( 0xffU )", Some(255)),
            ("( int ) - 2 == x", Some(-2)),
            ("4 == y", Some(4)),
            ("x == 010", Some(8)),
            ("x == - 2147483647 - 1", Some(-0x8000_0000)),
            (
                "x == ( - 9223372036854775807LL - 1 )",
                Some(i128::from(i64::MIN)),
            ),
            ("( - 2147483647 - 1 ) == x", Some(-0x8000_0000)),
            ("1", None),
            ("x < 3", None),
            ("x == y - 1", None),
        ] {
            let said = input_values(condition);
            assert_eq!(said.len(), 1, "{condition}");
            assert_eq!(said[0].value, expected, "{condition}");
        }
    }

    #[test]
    fn each_conjunct_is_of_an_input() {
        let said = input_values("x == 7 && ( y ) == - 1");
        let of = |variable: &str, value| WitnessInput {
            variable: Some(variable.to_owned()),
            value: Some(value),
        };
        assert_eq!(said, [of("x", 7), of("y", -1)]);
    }
}
