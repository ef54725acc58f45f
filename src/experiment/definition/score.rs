//! The scores of verdicts, by the rules of SV-COMP.

/// The scores of a correct proof, a correct alarm, a wrong alarm and a wrong proof.
pub const CORRECT_TRUE: i32 = 2;
pub const CORRECT_FALSE: i32 = 1;
pub const WRONG_FALSE: i32 = -16;
pub const WRONG_TRUE: i32 = -32;

/// Checks whether the text is an expected verdict.
pub fn is_expectation(text: &str) -> bool {
    text == "true" || text == "false" || (text.starts_with("false(") && text.ends_with(')'))
}

/// Returns the score of a verdict (`true`, `false(unreach-call)`, anything else for unknown), given the expected verdict.
/// Without an expected verdict it is zero.
pub fn score(expected: Option<&str>, verdict: &str) -> i32 {
    let Some(expected) = expected else {
        return 0;
    };
    let is_alarm = verdict.starts_with("false");
    match (expected, verdict) {
        ("true", "true") => CORRECT_TRUE,
        ("true", _) if is_alarm => WRONG_FALSE,
        ("false", _) if is_alarm => CORRECT_FALSE,
        (_, "true") => WRONG_TRUE,
        // If the expected verdict names a part of the property, an alarm for another part is a wrong alarm.
        (part, alarm) if is_alarm => match part == alarm || alarm == "false" {
            true => CORRECT_FALSE,
            false => WRONG_FALSE,
        },
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_have_their_scores() {
        for (expected, verdict, points) in [
            ("true", "true", 2),
            ("true", "false(unreach-call)", -16),
            ("true", "unknown", 0),
            ("false", "false(unreach-call)", 1),
            ("false", "false", 1),
            ("false", "true", -32),
            ("false", "crash", 0),
            ("false(valid-deref)", "false(valid-deref)", 1),
            ("false(valid-deref)", "false(valid-free)", -16),
            ("false(valid-deref)", "true", -32),
            ("false(valid-deref)", "unknown", 0),
        ] {
            assert_eq!(
                score(Some(expected), verdict),
                points,
                "{expected} {verdict}"
            );
        }
        assert_eq!(score(None, "true"), 0);
    }
}
