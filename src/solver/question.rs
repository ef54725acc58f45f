//! Questions that are asked once, as SMT-LIB text, of Bitwuzla and of Z3.
//!
//! The checker of proofs asks so, and engines ask so what is better asked without all that their solver has been told. Bitwuzla
//! is first: to begin costs it a millisecond, where Z3 needs seven for a context and four more for anything that is not
//! easy (the check of a proof takes 8.6 ms in the median of 22 quick tasks, and 13 to 15 ms with Z3 first). What it does not
//! decide soon they take turns at. With floats Z3's first turn is short, for it compares their circuits for minutes where Bitwuzla
//! takes seconds; with arrays it is much the same. What Bitwuzla cannot express (mathematical integers, x87's floats) is for Z3 alone. Neither
//! reads anything that engines' ways to a solver have translated.

use std::time::{Duration, Instant};

use super::z3::text::{TextAnswer, TextSolver};
use regatta_term::{FloatFormat, Op, Pool, Sort, TermId, for_each_subterm, smtlib_script};

/// What Z3 may take for a question with floats or arrays before Bitwuzla is asked again.
const FLOATS: Duration = Duration::from_millis(100);
const ARRAYS: Duration = Duration::from_millis(200);

/// What it may take without.
const FIRST: Duration = Duration::from_secs(2);

/// What Bitwuzla may take before Z3 is asked.
const BRIEF: Duration = Duration::from_millis(200);

/// Who is asked.
#[derive(Copy, Clone)]
enum Respondent {
    Z3,
    Bitwuzla,
}

/// Assertions as text.
pub struct Question {
    script: String,
    /// In the words that Bitwuzla reads, where they differ.
    #[cfg(feature = "bitwuzla")]
    standard: Option<String>,
    has_floats: bool,
    has_arrays: bool,
    /// Bitwuzla knows the sorts of all terms.
    is_for_bitwuzla: bool,
}

impl Question {
    /// Whether the assertions have a model.
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

    /// The text for Z3: declarations, definitions and assertions.
    pub fn script(&self) -> &str {
        &self.script
    }

    /// Bitwuzla's answer.
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

/// Who answers questions, one after the other; nothing of one is left when the next is asked.
#[derive(Default)]
pub struct Respondents {
    z3: TextSolver,
}

impl Respondents {
    /// Whether the question's assertions have a model. With one, the values of the Boolean constants with these names (as they
    /// are written in the script) are told. `timeout` is the wall time of all together.
    pub fn check(
        &mut self,
        question: &Question,
        names: &[String],
        timeout: Duration,
    ) -> TextAnswer {
        let end = Instant::now().checked_add(timeout);
        let left = || end.map_or(timeout, |end| end.saturating_duration_since(Instant::now()));
        let first_of_z3 = match question.has_floats {
            true => FLOATS.min(timeout / 4),
            false if question.has_arrays => ARRAYS.min(timeout / 3),
            false => FIRST.min(timeout / 2),
        };
        let second_of_bitwuzla = match question.has_floats {
            true => Duration::MAX,
            false => timeout / 2,
        };
        let turns: &[(Respondent, Duration)] = match question.is_for_bitwuzla {
            true => &[
                (Respondent::Bitwuzla, BRIEF.min(timeout / 4)),
                (Respondent::Z3, first_of_z3),
                (Respondent::Bitwuzla, second_of_bitwuzla),
                (Respondent::Z3, Duration::MAX),
            ],
            false => &[(Respondent::Z3, Duration::MAX)],
        };
        let mut answer = TextAnswer::Unknown("nobody was asked".to_owned());
        for &(respondent, most) in turns {
            let time = most.min(left());
            answer = match respondent {
                Respondent::Z3 => self.z3.check(&question.script, names, time),
                Respondent::Bitwuzla => question.to_bitwuzla(names, time),
            };
            if !matches!(answer, TextAnswer::Unknown(_)) {
                break;
            }
        }
        answer
    }

    /// The answer of Z3 alone.
    pub fn z3(&mut self, question: &Question, timeout: Duration) -> TextAnswer {
        self.z3.check(&question.script, &[], timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::{Arena, Build, RoundingMode, Symbol};

    /// A Newton step of the sine (D'Silva et al., TACAS 2012, program newton_2_1): Z3 says nothing within a minute.
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
            Respondents::default().z3(&question, Duration::from_secs(1)),
            TextAnswer::Unknown(_)
        ));
        let answer = Respondents::default().check(&question, &[], timeout);
        assert_eq!(answer, TextAnswer::Unsatisfiable);
    }

    #[test]
    fn bits_of_floats_have_other_words() {
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
                assert_eq!(Respondents::default().z3(&question, second), expected);
                if cfg!(feature = "bitwuzla") {
                    assert_eq!(question.to_bitwuzla(&[], second), expected);
                }
            }
        }
    }
}
