//! Questions to Z3 as SMT-LIB text, each in a context of its own.
//!
//! It is for the checker of proofs, which must not depend on the engines' way to the solver: nothing of
//! [`super::translate`] is used here.

use std::ffi::CString;
use std::time::Duration;

use z3_sys::*;

use super::context::{Context, text};

/// What Z3 says to a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextAnswer {
    /// There is a model, with these values for the Boolean constants asked for.
    Satisfiable(Vec<bool>),
    /// There is none.
    Unsatisfiable,
    /// It was not found out; why, in Z3's words.
    Unknown(String),
}

/// Whether what the script asserts has a model. With one, the values of the Boolean constants with these names (as they
/// are written in the script) are told.
pub fn check_text(script: &str, names: &[String], timeout: Duration) -> TextAnswer {
    let context = match Context::new() {
        Ok(context) => context,
        Err(reason) => return TextAnswer::Unknown(reason),
    };
    let milliseconds = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX - 1);
    let question = format!("(set-option :timeout {milliseconds})\n{script}(check-sat)\n");
    match evaluate(&context, question) {
        Err(reason) => TextAnswer::Unknown(reason),
        // Anything else in the answer is an error message.
        Ok(answer) => match answer.trim() {
            "unsat" => TextAnswer::Unsatisfiable,
            "sat" if names.is_empty() => TextAnswer::Satisfiable(Vec::new()),
            "sat" => match evaluate(&context, format!("(get-value ({}))\n", names.join(" "))) {
                Err(reason) => TextAnswer::Unknown(reason),
                Ok(values) => match truth_values(&values, names.len()) {
                    Some(values) => TextAnswer::Satisfiable(values),
                    None => TextAnswer::Unknown(format!("no values: {}", values.trim())),
                },
            },
            "unknown" | "timeout" => {
                let reason = evaluate(&context, "(get-info :reason-unknown)\n".to_owned());
                TextAnswer::Unknown(reason.unwrap_or_default().trim().to_owned())
            }
            other => TextAnswer::Unknown(other.chars().take(300).collect()),
        },
    }
}

/// The values in an answer to `get-value`: each is in parentheses after its name.
fn truth_values(answer: &str, count: usize) -> Option<Vec<bool>> {
    let mut values = Vec::with_capacity(count);
    for line in answer.split_inclusive(')') {
        let line = line.trim_end_matches(')').trim_end();
        if line.ends_with(" true") {
            values.push(true);
        } else if line.ends_with(" false") {
            values.push(false);
        }
    }
    (values.len() == count).then_some(values)
}

fn evaluate(context: &Context, commands: String) -> Result<String, String> {
    let commands = CString::new(commands).map_err(|error| error.to_string())?;
    // SAFETY: the context is alive; Z3 reads the string during the call, and the answer is copied at once.
    let answer = unsafe { text(Z3_eval_smtlib2_string(context.raw(), commands.as_ptr())) };
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn answers() {
        let declared =
            "(declare-const |a b| Bool)(declare-const c Bool)(assert (and |a b| (not c)))\n";
        let names = ["|a b|".to_owned(), "c".to_owned()];
        assert_eq!(
            check_text(declared, &names, SECOND),
            TextAnswer::Satisfiable(vec![true, false])
        );
        let contradiction = format!("{declared}(assert c)\n");
        assert_eq!(
            check_text(&contradiction, &names, SECOND),
            TextAnswer::Unsatisfiable
        );
    }

    #[test]
    fn neither_an_error_nor_a_timeout_is_an_answer() {
        let broken = "(declare-const c Bool)(assert (and c undeclared))\n(assert false)\n";
        assert!(matches!(
            check_text(broken, &[], SECOND),
            TextAnswer::Unknown(_)
        ));
        let hard = "(declare-const a (_ BitVec 64))(declare-const b (_ BitVec 64))\n\
            (assert (= (bvmul a b) #x7fffffffffffffe7))(assert (bvugt a #x0000000000000001))\n\
            (assert (bvugt b #x0000000000000001))(assert (bvult a #x0000000100000000))\n\
            (assert (bvult b #x0000000100000000))\n";
        assert!(matches!(
            check_text(hard, &[], Duration::from_millis(20)),
            TextAnswer::Unknown(_)
        ));
    }
}
