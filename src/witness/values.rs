//! The values of inputs that the path of a violation names: what an interpreter needs to follow it.
//!
//! Verifiers write one waypoint for each input, in order: what a call of `__VERIFIER_nondet_int` returns, or an
//! assumption about the variable that it was assigned to (`1` if its value does not matter). So the conditions of these
//! waypoints, in order, are taken for the inputs' values. It is a guess; the automaton tells whether it was right.

use super::lint::ViolationPath;
use super::points::Point;

/// The values of the path's inputs; `None` for any.
pub fn values_of(path: &ViolationPath) -> Vec<Option<i128>> {
    let steps = path.steps.iter().filter(|(_, step)| step.leads_on);
    let named = steps.filter(|(point, _)| {
        matches!(
            point,
            Point::Statement(_) | Point::Expression(_) | Point::Return(_)
        )
    });
    let conditions = named.filter_map(|(_, step)| step.condition.as_deref());
    conditions.map(value_of).collect()
}

/// The number that a condition compares something with by `==`, its tokens being separated by spaces.
fn value_of(condition: &str) -> Option<i128> {
    let tokens: Vec<&str> = condition.split_whitespace().collect();
    let equal = tokens.iter().position(|&token| token == "==")?;
    let number = |tokens: &mut dyn Iterator<Item = &&str>| {
        let mut sign = 1;
        let mut depth = 0;
        for &token in tokens {
            match token {
                "-" => sign = -sign,
                "(" => depth += 1,
                ")" if depth > 0 => depth -= 1,
                // Types in a cast.
                _ if depth > 0 && token.starts_with(|first: char| first.is_ascii_alphabetic()) => {}
                _ => return Some(sign * integer(token)?),
            }
        }
        None
    };
    let right = number(&mut tokens[equal + 1..].iter());
    right.or_else(|| {
        let before = equal.checked_sub(1).and_then(|last| tokens.get(last))?;
        let is_negative = equal > 1 && tokens[equal - 2] == "-";
        let value = integer(before)?;
        Some(if is_negative { -value } else { value })
    })
}

/// A constant of C.
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
            ("1", None),
            ("x < 3", None),
        ] {
            assert_eq!(value_of(condition), expected, "{condition}");
        }
    }
}
