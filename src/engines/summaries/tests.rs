//! Programs that guessed summaries prove, and programs that must stay undecided.

use super::*;
use crate::testing::{Setting, blocks, default_solver, left_open, lowered};
use regatta_certify::{Budget, Check, check};
use regatta_program::simplify;

const BUDGET: Duration = Duration::from_secs(60);
/// Time limit for programs that must not be proved.
const BRIEF_TIME: Duration = Duration::from_secs(8);

/// Returns whether the engine proves that no assertion of a C program fails; the proof is checked.
fn is_proved(text: &str) -> bool {
    is_proved_within(BUDGET, text)
}

fn is_proved_within(time: Duration, text: &str) -> bool {
    let declarations =
        "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assert(int);\n";
    let lowered = lowered(&format!("{declarations}{text}"));
    let simplified = simplify(&lowered);
    let setting = Setting::of(&lowered);
    let blocks = blocks(simplified.program.clone());
    let report = setting.run_within(time, |context| {
        Options::default().run(&Subject::of(&blocks, &default_solver), context)
    });
    match report.answer {
        Answer::Safe(certificate) => {
            let checked = check(&lowered, &simplified, &certificate, Budget::of(BUDGET));
            assert_eq!(checked, Check::Confirmed);
            true
        }
        Answer::Unknown(_) => false,
        answer => panic!("{answer:?}"),
    }
}

#[test]
fn a_product_by_sums() {
    let text = |operator: &str| {
        format!(
            "int times(int a, int b) {{ if (b == 0) return 0; return a + times(a, b - 1); }}
             int main() {{
                 int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
                 if (a < 0 || b < 0 || a > 1000 || b > 1000) return 0;
                 __VERIFIER_assert(times(a, b) {operator} times(b, a));
             }}"
        )
    };
    assert!(is_proved(&text("==")));
    let wrong = text(">=").replace("a + times", "a + 1 + times");
    assert!(!is_proved_within(BRIEF_TIME, &wrong));
}

/// Powers of two are guessed among the true formulas, but their recurrence cannot be proved yet.
#[test]
fn a_sum_of_powers_of_two_is_not_a_power_of_three() {
    let text = "int leaves;
                void visit(int height) {
                    if (height == 0) { leaves++; return; }
                    visit(height - 1);
                    visit(height - 1);
                }
                int power(int exponent) { if (exponent == 0) return 1; return 3 * power(exponent - 1); }
                int main() {
                    int height = __VERIFIER_nondet_int();
                    if (height < 0 || height > 20) return 0;
                    visit(height);
                    __VERIFIER_assert(leaves == power(height));
                }";
    assert!(!is_proved_within(BRIEF_TIME, text));
}

#[test]
fn a_bound_that_one_case_violates() {
    let text = "int a(int m, int n) {
                    if (m == 0) return n + 1;
                    if (n == 0) return a(m - 1, 1);
                    return a(m - 1, a(m, n - 1));
                }
                int main() {
                    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
                    if (m < 0 || m > 3 || n < 0 || n > 20) return 0;
                    int result = a(m, n);
                    __VERIFIER_assert(m != 2 || n < 1 || result >= 6);
                }";
    assert!(!is_proved_within(BRIEF_TIME, text));
}

#[test]
fn a_state_that_only_deep_calls_reach() {
    let text = "int f(int n, int d) { if (n <= 0) return d; return f(n - 1, d + 1); }
                int main() {
                    int n = __VERIFIER_nondet_int();
                    if (n > 100000) return 0;
                    __VERIFIER_assert(f(n, 0) != 70000);
                }";
    assert!(!is_proved_within(BRIEF_TIME, text));
}

/// A result that is a power of two in one case and linear in the others; the range of the arguments is known by cases.
#[test]
fn another_law_in_each_case() {
    let text = |claim: &str| {
        format!(
            "int a(int m, int n) {{
                 if (m == 0) return n + 1;
                 if (n == 0) return a(m - 1, 1);
                 return a(m - 1, a(m, n - 1));
             }}
             int main() {{
                 int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
                 if (m < 0 || m > 3 || n < 0 || n > 23) return 0;
                 int result = a(m, n);
                 __VERIFIER_assert({claim});
             }}"
        )
    };
    assert!(is_proved(&text("result > n")));
    assert!(!is_proved_within(BRIEF_TIME, &text("result > n + 1")));
}

/// The certificate has one step for all returns, at which the divisor is a choice among results.
#[test]
fn a_divisor_of_both() {
    let text = |result: &str| {
        format!(
            "int gcd(int a, int b) {{
                 if (a == b) return a;
                 if (a > b) return gcd(a - b, b);
                 return gcd(a, b - a);
             }}
             int divides(int n, int m) {{ if (m == 0) return 1; if (n > m) return 0; return divides(n, m - n); }}
             int main() {{
                 int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
                 if (a <= 0 || b <= 0) return 0;
                 __VERIFIER_assert(divides({result}, a));
             }}"
        )
    };
    assert!(is_proved(&text("gcd(a, b)")));
    assert!(!is_proved_within(BRIEF_TIME, &text("gcd(a, b) + 1")));
}

/// The first check needs a summary that is found, the second one a relation that no round guesses.
#[test]
fn what_no_summary_decides_is_in_no_other_checks_way() {
    let text = "extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
unsigned twice(unsigned n) { if (n == 0) return 0; return twice(n - 1) + 2; }
unsigned mixed(unsigned n) { if (n == 0) return 1; return (mixed(n - 1) * 7) ^ n; }
int main(void) {
    unsigned n = __VERIFIER_nondet_uint() % 1000;
    if (twice(n) != 2 * n) reach_error();
    if (mixed(n) == 77) reach_error();
    return 0;
}";
    let (left, confirmed, refused) = left_open(text, &Options::default());
    assert_eq!(left, [8]);
    assert!(confirmed > 0);
    assert_eq!(refused, 0);
}
