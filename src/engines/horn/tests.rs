//! Proofs with summaries, the refutation of wrong summaries, and random programs.

use proptest::prelude::*;

use super::*;
use crate::testing::{Setting, blocks, default_solver, lowered, not_wrong};
use regatta_certify::certificate::{AT_ENTRY, InvariantLocation, ProofStep};
use regatta_certify::{Budget, Check, check};
use regatta_program::testing::{Recursion, random_program};
use regatta_program::{Function, LocationId, Program, Simplified, simplify};
use regatta_term::{Build, store};

const BUDGET: Duration = Duration::from_secs(60);

/// A C program whose property is that no assertion fails.
fn c(text: &str) -> Task {
    let declarations =
        "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assert(int);\n";
    let text = format!("{declarations}{text}").replace("assert(", "__VERIFIER_assert(");
    let text = text.replace("VERIFIER___VERIFIER_", "VERIFIER_");
    Task::new(lowered(&text))
}

struct Task {
    lowered: Program,
    simplified: Simplified,
}

impl Task {
    fn new(lowered: Program) -> Self {
        Self {
            simplified: simplify(&lowered),
            lowered,
        }
    }

    fn blocks(&self) -> Arc<Blocks> {
        blocks(self.simplified.program.clone())
    }

    /// Returns the engine's answer within the time.
    fn answer(&self, time: Duration) -> Answer {
        let setting = Setting::of(&self.lowered);
        let options = Options {
            programs: Programs::All,
            ..Options::default()
        };
        let blocks = self.blocks();
        let report = setting.run_within(time, |context| {
            options.run(&Subject::of(&blocks, &default_solver), context)
        });
        report.answer
    }

    fn proof(&self) -> Vec<(InvariantLocation, TermId)> {
        match self.answer(BUDGET) {
            Answer::Safe(Certificate { mut steps, .. }) => match steps.pop() {
                Some(ProofStep::Summaries { batch }) => batch,
                step => panic!("{step:?}"),
            },
            answer => panic!("no proof: {answer:?}"),
        }
    }

    /// Returns the proof by cases without Z3's engine, if there is one.
    fn cases(&self) -> Option<Vec<(InvariantLocation, TermId)>> {
        let blocks = self.blocks();
        let proof = Setting::default().run(|context| {
            let queries = queries(
                &blocks,
                &Options::default(),
                &Taken::new(&blocks),
                &default_solver,
                context,
            )
            .expect("a solver");
            by_cases(&blocks, &queries, BUDGET, context)
        })?;
        match proof.steps.into_iter().next() {
            Some(ProofStep::Summaries { batch }) => Some(batch),
            _ => None,
        }
    }

    fn check(&self, batch: Vec<(InvariantLocation, TermId)>) -> Check {
        let steps = vec![ProofStep::Summaries { batch }];
        let certificate = Certificate::of_all(steps);
        check(
            &self.lowered,
            &self.simplified,
            &certificate,
            Budget::of(BUDGET),
        )
    }

    fn function(&self, name: &str) -> &Function {
        let mut functions = self.simplified.program.functions.iter();
        let function = functions.find(|function| function.name == name);
        function.expect("the function")
    }

    /// Returns a parameter at the entry.
    fn argument(&self, name: &str, number: usize) -> TermId {
        let parameter = self.function(name).parameters[number];
        let symbol = self.simplified.program.variable(parameter).symbol;
        store().variable_at(symbol, AT_ENTRY)
    }

    fn result(&self, name: &str) -> TermId {
        let result = self.function(name).results[0];
        store().variable(self.simplified.program.variable(result).symbol)
    }
}

/// Replaces the formula of one location in the proof.
fn with(
    batch: &[(InvariantLocation, TermId)],
    location: LocationId,
    formula: TermId,
) -> Vec<(InvariantLocation, TermId)> {
    let mut batch = batch.to_vec();
    let place = batch.iter_mut().find(|(at, _)| at.location == location);
    place.expect("the place").1 = formula;
    batch
}

const IDENTITY: &str = "
    int same(int n) { return n == 0 ? 0 : same(n - 1) + 1; }
    int main(void) { int n = __VERIFIER_nondet_int(); if (n > 0) assert(same(n) == n); return 0; }";

/// No call violates the assertion, but some state at the function's entry does.
const GUARDED: &str = "
    void down(int n, int m) { assert(n == m); if (n > 0) down(n - 1, m - 1); }
    int main(void) { int n = __VERIFIER_nondet_int(); if (n > 5) down(n, n); return 0; }";

#[test]
fn proofs_pass_their_check() {
    let mccarthy = "
        int m(int n) { return n > 100 ? n - 10 : m(m(n + 11)); }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n < 101) assert(m(n) == 91); return 0; }";
    let global = "
        int depth;
        void f(int n) { depth++; if (n > 3) f(n - 1); depth--; }
        int main(void) { f(__VERIFIER_nondet_int()); assert(depth == 0); return 0; }";
    let looping = "
        int f(int n) { int i = 0; while (i < n) { f(i); i++; } return i; }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n >= 0) assert(f(n) >= 0); return 0; }";
    let without_recursion = "
        int main(void) {
            int x = 0, y = 0;
            while (__VERIFIER_nondet_int()) { x++; y++; }
            assert(x == y);
            return 0;
        }";
    for text in [
        IDENTITY,
        GUARDED,
        mccarthy,
        global,
        looping,
        without_recursion,
    ] {
        let task = c(text);
        assert_eq!(task.check(task.proof()), Check::Confirmed, "{text}");
    }
}

#[test]
fn wide_recursion_is_proved_by_cases() {
    let fibonacci = "
        int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n > 9 && n < 20) assert(f(n) >= 55); return 0; }";
    let global = "
        int moves;
        void hanoi(int n) { if (n == 0) return; hanoi(n - 1); moves++; hanoi(n - 1); }
        int main(void) {
            int n = __VERIFIER_nondet_int();
            if (n < 0 || n > 12) return 0;
            hanoi(n);
            assert(moves == (1 << n) - 1);
            return 0;
        }";
    for text in [fibonacci, global] {
        let task = c(text);
        assert_eq!(task.check(task.proof()), Check::Confirmed, "{text}");
    }
    // The cases suffice: this does not use SPACER.
    let task = c(fibonacci);
    assert_eq!(
        task.cases().map(|batch| task.check(batch)),
        Some(Check::Confirmed)
    );
    let wrong = c(&fibonacci.replace("55", "56"));
    assert_eq!(wrong.cases(), None);
    // No finite number of cases covers this program.
    assert_eq!(c(IDENTITY).cases(), None);
}

#[test]
fn a_wrong_summary_is_refuted() {
    let task = c(IDENTITY);
    let proof = task.proof();
    let exit = task.function("same").exit;
    let s = store();
    let (n, result) = (task.argument("same", 0), task.result("same"));
    let zero = s.bv(32, 0);
    // Too strong, or too weak.
    let wrong = [
        TermId::FALSE,
        s.eq(result, zero),
        s.eq(result, s.add(n, s.bv(32, 1))),
        s.sle(zero, result),
        TermId::TRUE,
    ];
    for formula in wrong {
        let result = task.check(with(&proof, exit, formula));
        assert!(matches!(result, Check::Refuted { .. }), "{result:?}");
    }
    // The first of two claims about a location counts as well.
    let mut twice = with(&proof, exit, TermId::FALSE);
    let place = twice.iter().find(|(at, _)| at.location == exit).cloned();
    let (place, _) = place.expect("the exit");
    twice.push((place, TermId::TRUE));
    assert_ne!(task.check(twice), Check::Confirmed);
    // A correct summary written by hand.
    assert_eq!(
        task.check(with(&proof, exit, s.eq(result, n))),
        Check::Confirmed
    );
}

#[test]
fn a_call_condition_that_a_call_violates_is_not_confirmed() {
    let task = c(GUARDED);
    let proof = task.proof();
    let entry = task.function("down").entry;
    let s = store();
    let (n, m) = (task.argument("down", 0), task.argument("down", 1));
    let equal = s.eq(n, m);
    let at_least = |bound| s.and2(equal, s.sle(s.bv(32, bound), n));
    // The program's call satisfies the first formula and the recursive call does not; the last formula does not exclude the
    // error.
    for formula in [at_least(1), at_least(7), TermId::FALSE, TermId::TRUE] {
        let result = task.check(with(&proof, entry, formula));
        assert_ne!(result, Check::Confirmed, "{formula:?}");
    }
    for formula in [equal, at_least(0)] {
        assert_eq!(task.check(with(&proof, entry, formula)), Check::Confirmed);
    }
}

#[test]
fn incomplete_proofs_are_not_confirmed() {
    let task = c(IDENTITY);
    let proof = task.proof();
    let function = task.function("same");
    for location in [function.entry, function.exit] {
        let mut less = proof.clone();
        less.retain(|(at, _)| at.location != location);
        let result = task.check(less);
        assert!(matches!(result, Check::Undecided(_)), "{result:?}");
    }
    assert_ne!(task.check(Vec::new()), Check::Confirmed);
}

#[test]
fn the_state_at_the_entry_is_not_the_present_one() {
    // The parameter changes: the summary would be right if it were about the final value.
    let task = c("
        int f(int n) {
            while (__VERIFIER_nondet_int()) { n++; if (n == 77) f(n); }
            return n;
        }
        int main(void) { int n = __VERIFIER_nondet_int(); assert(f(n) == n); return 0; }");
    let function = task.function("f");
    let at = |location| InvariantLocation {
        location,
        calls: Vec::new(),
    };
    let claim = store().eq(task.result("f"), task.argument("f", 0));
    let blocks = task.blocks();
    let mut batch: Vec<_> = blocks
        .cut_points()
        .into_iter()
        .filter(|place| place.location != function.exit)
        .map(|place| {
            (
                InvariantLocation::new(blocks.inlined(), place),
                TermId::TRUE,
            )
        })
        .collect();
    batch.push((at(function.exit), claim));
    assert_ne!(task.check(batch), Check::Confirmed);
}

/// The claim holds from one iteration of the loop to the next, but not from the entry to the exit.
#[test]
fn every_place_is_related_to_the_entry() {
    let task = c("
        int f(int n) {
            while (__VERIFIER_nondet_int()) { if (n > 0) n = n - 1; if (n == 77) f(n); }
            return n;
        }
        int main(void) { int m = __VERIFIER_nondet_int(), n = f(m); if (m > 0) assert(n <= m); return 0; }");
    let proof = task.proof();
    let function = task.function("f");
    let (before, s) = (task.argument("f", 0), store());
    let at_most_one_less = |now| s.or2(s.eq(now, before), s.eq(now, s.sub(before, s.bv(32, 1))));
    let parameter = task.simplified.program.variable(function.parameters[0]);
    let wrong = proof.into_iter().map(|(at, formula)| {
        let owner = task.simplified.program.location(at.location).function;
        let is_inside = task.simplified.program.function(owner).name == "f";
        let formula = match at.location {
            location if location == function.exit => at_most_one_less(task.result("f")),
            location if is_inside && location != function.entry => {
                at_most_one_less(s.variable(parameter.symbol))
            }
            _ if is_inside => TermId::TRUE,
            _ => formula,
        };
        (at, formula)
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.iter().any(|(at, _)| at.location == function.exit));
    assert_ne!(task.check(wrong), Check::Confirmed);
}

#[test]
fn violations_are_replayed() {
    let task = c("
        int f(int n) { return n <= 0 ? 0 : f(n - 2) + 1; }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n > 0) assert(f(n) * 2 == n); return 0; }");
    assert!(matches!(task.answer(BUDGET), Answer::Unsafe(_)));
}

#[test]
fn cancelling_interrupts_a_query() {
    let task = c("
        int times(int a, int b) { return b == 0 ? 0 : a + times(a, b - 1); }
        int main(void) {
            int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
            if (a >= 0 && b >= 0) assert(times(a, b) == times(b, a));
            return 0;
        }");
    let begin = Instant::now();
    let answer = task.answer(Duration::from_millis(700));
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    assert!(begin.elapsed() < Duration::from_secs(20));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_program_that_fails_is_proved(
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        seed in 0u64..1000,
    ) {
        let task = Task::new(random_program(&bytes, Recursion::Allowed));
        let answer = task.answer(Duration::from_secs(1));
        not_wrong(&task.lowered, &task.simplified, &answer, seed)?;
    }
}
