//! Questions to Z3 as SMT-LIB text, in a separate context.
//!
//! The proof checker uses them because it must not depend on the engines' translation ([`super::translate`] is not used
//! here); engines use them for questions that do not need their solver's assertions.

use std::ffi::CString;
use std::time::Duration;

use z3_sys::*;

use super::context::{Context, text};
use crate::limits::EASY_STRATEGY_TIME;

/// The answer of a solver to a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextAnswer {
    /// There is a model, with these values of the requested Boolean constants.
    Satisfiable(Vec<bool>),
    /// There is no model.
    Unsatisfiable,
    /// Not decided, with the solver's reason.
    Unknown(String),
}

/// Answers scripts one after the other. No script affects a later one.
#[derive(Default)]
pub struct TextSolver {
    /// Made for the first question in 7 ms; later questions pay 1 ms for a reset.
    context: Option<Context>,
}

impl TextSolver {
    /// Checks whether the script's assertions have a model. If so, returns its values of the Boolean constants with the
    /// given names (as the script writes them).
    pub fn check(&mut self, script: &str, names: &[String], timeout: Duration) -> TextAnswer {
        let context = match self.context.take().map_or_else(Context::new, Ok) {
            Ok(context) => context,
            Err(reason) => return TextAnswer::Unknown(reason),
        };
        match answer(&context, script, names, timeout) {
            Ok(answer) => {
                self.context = Some(context);
                answer
            }
            // After an error the context is not used again.
            Err(reason) => TextAnswer::Unknown(reason),
        }
    }
}

fn answer(
    context: &Context,
    script: &str,
    names: &[String],
    timeout: Duration,
) -> Result<TextAnswer, String> {
    let milliseconds = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX - 1);
    let easy = timeout.min(EASY_STRATEGY_TIME).as_millis().max(1);
    let mut said = evaluate(
        context,
        format!("(reset)\n{script}(check-sat-using (try-for smt {easy}))\n"),
    )?;
    if is_unknown(&said) && timeout > EASY_STRATEGY_TIME {
        // Not by the option `:timeout`, which all contexts of the process share.
        said = evaluate(
            context,
            format!("(check-sat-using (try-for default {milliseconds}))\n"),
        )?;
    }
    // Anything else in the answer is an error message.
    match said.trim() {
        "unsat" => Ok(TextAnswer::Unsatisfiable),
        "sat" if names.is_empty() => Ok(TextAnswer::Satisfiable(Vec::new())),
        "sat" => {
            let values = evaluate(context, format!("(get-value ({}))\n", names.join(" ")))?;
            match truth_values(&values, names.len()) {
                Some(values) => Ok(TextAnswer::Satisfiable(values)),
                None => Err(format!("no values: {}", values.trim())),
            }
        }
        _ if is_unknown(&said) => {
            let reason = evaluate(context, "(get-info :reason-unknown)\n".to_owned());
            let reason = reason.unwrap_or_default();
            Ok(TextAnswer::Unknown(reason.trim().to_owned()))
        }
        other => Err(other.chars().take(300).collect()),
    }
}

fn is_unknown(answer: &str) -> bool {
    matches!(answer.trim(), "unknown" | "timeout")
}

/// Parses the values in an answer to `get-value`: each is in parentheses after its name.
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
            TextSolver::default().check(declared, &names, SECOND),
            TextAnswer::Satisfiable(vec![true, false])
        );
        let contradiction = format!("{declared}(assert c)\n");
        assert_eq!(
            TextSolver::default().check(&contradiction, &names, SECOND),
            TextAnswer::Unsatisfiable
        );
    }

    #[test]
    fn nothing_is_left_of_earlier_questions() {
        let mut solver = TextSolver::default();
        let one = "(declare-const c Bool)(assert c)\n";
        let other = "(declare-const c (_ BitVec 8))(assert (bvult c #x01))\n";
        let contradiction = format!("{one}(assert (not c))\n");
        let error = "(assert c)\n";
        for _ in 0..2 {
            let sat = TextAnswer::Satisfiable(Vec::new());
            assert_eq!(solver.check(one, &[], SECOND), sat);
            let unsat = solver.check(&contradiction, &[], SECOND);
            assert_eq!(unsat, TextAnswer::Unsatisfiable);
            assert_eq!(solver.check(other, &[], SECOND), sat);
            let failed = solver.check(error, &[], SECOND);
            assert!(matches!(failed, TextAnswer::Unknown(_)));
        }
    }

    #[test]
    fn hard_questions_are_decided_by_the_default_strategy() {
        let sum = "(declare-const a (_ BitVec 16))(declare-const b (_ BitVec 16))\n\
            (assert (not (= (bvmul (bvadd a b) (bvadd a b)) (bvadd (bvmul a a) (bvadd (bvmul b b) \
            (bvmul #x0002 (bvmul a b)))))))\n";
        let answer = TextSolver::default().check(sum, &[], 20 * SECOND);
        assert_eq!(answer, TextAnswer::Unsatisfiable);
    }

    #[test]
    fn neither_an_error_nor_a_timeout_is_an_answer() {
        let broken = "(declare-const c Bool)(assert (and c undeclared))\n(assert false)\n";
        assert!(matches!(
            TextSolver::default().check(broken, &[], SECOND),
            TextAnswer::Unknown(_)
        ));
        let hard = "(declare-const a (_ BitVec 64))(declare-const b (_ BitVec 64))\n\
            (assert (= (bvmul a b) #x7fffffffffffffe7))(assert (bvugt a #x0000000000000001))\n\
            (assert (bvugt b #x0000000000000001))(assert (bvult a #x0000000100000000))\n\
            (assert (bvult b #x0000000100000000))\n";
        assert!(matches!(
            TextSolver::default().check(hard, &[], Duration::from_millis(20)),
            TextAnswer::Unknown(_)
        ));
    }
}
