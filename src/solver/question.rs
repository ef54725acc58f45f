//! Single questions as SMT-LIB text, answered by Bitwuzla and Z3 in turns.
//!
//! The proof checker uses them because no term passes through the translations that engines use; engines use them for
//! questions that do not need their solver's assertions.
//!
//! Bitwuzla is asked first: it starts in a millisecond, whereas Z3 needs seven for a context and four more for anything
//! that is not easy (the check of a proof takes 8.6 ms in the median of 22 quick tasks, and 13 to 15 ms with Z3 first).
//! After that the solvers take turns. Z3's first turn is short for floats and arrays, since it compares float circuits
//! for minutes where Bitwuzla takes seconds. Questions that Bitwuzla cannot express (mathematical integers, x87 floats)
//! go to Z3 alone.

use std::time::{Duration, Instant};

use super::z3::text::{TextAnswer, TextSolver};
use crate::limits::{
    FIRST_BITWUZLA_TURN, FIRST_Z3_TURN, FIRST_Z3_TURN_WITH_ARRAYS, FIRST_Z3_TURN_WITH_FLOATS,
};
use regatta_term::{FloatFormat, Op, Pool, Sort, TermId, for_each_subterm, smtlib_script};

/// A solver that answers text.
#[derive(Copy, Clone)]
enum TextBackend {
    Z3,
    Bitwuzla,
}

/// Assertions as SMT-LIB text.
pub struct Question {
    script: String,
    /// The script in the operators of the standard, which Bitwuzla reads, where it differs.
    #[cfg(feature = "bitwuzla")]
    standard: Option<String>,
    has_floats: bool,
    has_arrays: bool,
    /// Whether Bitwuzla has the sorts of all terms.
    is_for_bitwuzla: bool,
}

impl Question {
    /// The question whether the assertions have a model.
    pub fn new(pool: &(impl Pool + ?Sized), assertions: &[TermId]) -> Self {
        let (mut has_floats, mut has_arrays, mut has_bits) = (false, false, false);
        let mut is_for_bitwuzla = cfg!(feature = "bitwuzla");
        for_each_subterm(pool, assertions.iter().copied(), |term, _| {
            let sort = pool.sort(term);
            has_floats |= matches!(sort, Sort::Float(_));
            has_arrays |= sort.is_array();
            is_for_bitwuzla &= !matches!(sort, Sort::Int | Sort::Float(FloatFormat::F80));
            let application = pool.as_application(term);
            has_bits |= application.is_some_and(|(op, _)| op == Op::FpToBits);
        });
        #[cfg(not(feature = "bitwuzla"))]
        let _ = has_bits;
        Self {
            script: smtlib_script(pool, assertions),
            #[cfg(feature = "bitwuzla")]
            standard: has_bits.then(|| regatta_term::standard_script(pool, assertions)),
            has_floats,
            has_arrays,
            is_for_bitwuzla,
        }
    }

    /// The script for Z3: declarations, definitions and assertions.
    pub fn script(&self) -> &str {
        &self.script
    }

    /// Asks Bitwuzla alone.
    pub fn to_bitwuzla(&self, names: &[String], timeout: Duration) -> TextAnswer {
        #[cfg(feature = "bitwuzla")]
        {
            let script = self.standard.as_ref().unwrap_or(&self.script);
            super::bitwuzla::text::check(script, names, timeout)
        }
        #[cfg(not(feature = "bitwuzla"))]
        {
            let _ = (names, timeout);
            TextAnswer::Unknown("regatta was built without Bitwuzla".to_owned())
        }
    }
}

/// The solvers that answer questions, one after the other. No question affects a later one.
#[derive(Default)]
pub struct TextSolvers {
    z3: TextSolver,
}

impl TextSolvers {
    /// Checks whether the question's assertions have a model. If so, returns its values of the Boolean constants with the
    /// given names (as the script writes them). `timeout` is the wall time of all turns together.
    pub fn check(
        &mut self,
        question: &Question,
        names: &[String],
        timeout: Duration,
    ) -> TextAnswer {
        let end = Instant::now().checked_add(timeout);
        let left = || end.map_or(timeout, |end| end.saturating_duration_since(Instant::now()));
        let first_of_z3 = match question.has_floats {
            true => FIRST_Z3_TURN_WITH_FLOATS.min(timeout / 4),
            false if question.has_arrays => FIRST_Z3_TURN_WITH_ARRAYS.min(timeout / 3),
            false => FIRST_Z3_TURN.min(timeout / 2),
        };
        let second_of_bitwuzla = match question.has_floats {
            true => Duration::MAX,
            false => timeout / 2,
        };
        let turns: &[(TextBackend, Duration)] = match question.is_for_bitwuzla {
            true => &[
                (TextBackend::Bitwuzla, FIRST_BITWUZLA_TURN.min(timeout / 4)),
                (TextBackend::Z3, first_of_z3),
                (TextBackend::Bitwuzla, second_of_bitwuzla),
                (TextBackend::Z3, Duration::MAX),
            ],
            false => &[(TextBackend::Z3, Duration::MAX)],
        };
        let mut answer = TextAnswer::Unknown("no solver was asked".to_owned());
        for &(backend, maximum) in turns {
            let time = maximum.min(left());
            answer = match backend {
                TextBackend::Z3 => self.z3.check(&question.script, names, time),
                TextBackend::Bitwuzla => question.to_bitwuzla(names, time),
            };
            if !matches!(answer, TextAnswer::Unknown(_)) {
                break;
            }
        }
        answer
    }

    /// Asks Z3 alone.
    pub fn z3(&mut self, question: &Question, timeout: Duration) -> TextAnswer {
        self.z3.check(&question.script, &[], timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::{Arena, Build, RoundingMode, Symbol};

    /// A Newton step of the sine (\[DHKT12\], program newton_2_1): Z3 does not decide it within a minute.
    #[test]
    #[cfg(feature = "bitwuzla")]
    fn bitwuzla_decides_what_z3_leaves_open() {
        let t = Arena::new();
        let sort = Sort::Float(FloatFormat::F32);
        let mode = t.rounding(RoundingMode::NearestEven);
        let constant = |value: f32| {
            t.value(&regatta_term::Value::Float(
                regatta_term::FloatValue::from_f32(value),
            ))
        };
        let x = t.variable(Symbol::new("question::x", sort));
        let product = |a, b| t.fp_mul(mode, a, b);
        let (square, cube) = (product(x, x), product(product(x, x), x));
        let powers = [
            square,
            product(cube, x),
            product(product(cube, x), product(x, x)),
        ];
        let [second, fourth, sixth] = powers;
        let quotient = |a, b| t.fp_div(mode, a, constant(b));
        let sine = t.fp_add(
            mode,
            t.fp_sub(mode, x, quotient(cube, 6.0)),
            quotient(product(cube, second), 120.0),
        );
        let slope = t.fp_sub(mode, constant(1.0), quotient(second, 2.0));
        let slope = t.fp_sub(
            mode,
            t.fp_add(mode, slope, quotient(fourth, 24.0)),
            quotient(sixth, 720.0),
        );
        let next = t.fp_sub(mode, x, t.fp_div(mode, sine, slope));
        let inside = t.and2(t.fp_lt(constant(-0.4), x), t.fp_lt(x, constant(0.4)));
        let outside = t.not(t.fp_lt(next, constant(0.2)));
        let question = Question::new(&t, &[inside, outside]);
        let timeout = Duration::from_secs(120);
        assert!(matches!(
            TextSolvers::default().z3(&question, Duration::from_secs(1)),
            TextAnswer::Unknown(_)
        ));
        let answer = TextSolvers::default().check(&question, &[], timeout);
        assert_eq!(answer, TextAnswer::Unsatisfiable);
    }

    #[test]
    fn bits_of_floats_are_asked_in_standard_operators() {
        let t = Arena::new();
        let second = Duration::from_secs(10);
        for format in [FloatFormat::F16, FloatFormat::F32, FloatFormat::F64] {
            let name = format!("question::{format:?}");
            let f = t.variable(Symbol::new(&name, Sort::Float(format)));
            let bits = t.fp_to_bits(f);
            let width = format.storage_bits() as u8;
            let sign = t.eq(t.extract(bits, width - 1, width - 1), t.bv(1, 1));
            let satisfiable = TextAnswer::Satisfiable(Vec::new());
            let cases = [
                (vec![sign], satisfiable),
                (vec![sign, t.fp_is_nan(f)], TextAnswer::Unsatisfiable),
                (
                    vec![sign, t.not(t.fp_is_negative(f))],
                    TextAnswer::Unsatisfiable,
                ),
            ];
            for (assertions, expected) in cases {
                let question = Question::new(&t, &assertions);
                assert_eq!(TextSolvers::default().z3(&question, second), expected);
                if cfg!(feature = "bitwuzla") {
                    assert_eq!(question.to_bitwuzla(&[], second), expected);
                }
            }
        }
    }
}
