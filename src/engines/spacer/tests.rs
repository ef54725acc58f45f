//! Proofs and refutations by SPACER, and the steps that lead to them.

use std::cell::RefCell;
use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::CancellationToken;
use crate::invariants::prover::Prover;
use crate::testing::{Setting, blocks, default_solver, not_wrong};
use regatta_base::workers::Workers;
use regatta_certify::{Budget, Certificate, Check, check};
use regatta_frontend::preprocess::Preprocessed;
use regatta_frontend::{LoadOptions, load_preprocessed};
use regatta_program::testing::{Recursion, random_program};
use regatta_program::{Arithmetic, Program, Simplified, simplify};
use regatta_term::free_variables;

const BUDGET: Duration = Duration::from_secs(60);
const ATTEMPTS: u32 = 3;

struct Task {
    lowered: Program,
    simplified: Simplified,
}

/// The result of a run.
struct Ended {
    answer: Answer,
    /// Steps of abstraction: their kind, the bound, the number of kept constraints, and the number of all constraints.
    steps: Vec<(AbstractionStep, u32, usize, usize)>,
    /// Whether the prover has proved an offered invariant.
    offered: bool,
}

impl Task {
    fn new(lowered: Program) -> Self {
        Self {
            simplified: simplify(&lowered),
            lowered,
        }
    }

    /// A C program with inputs `input()` whose property is that no assertion fails.
    fn c(text: &str) -> Self {
        Self::over(text, Arithmetic::default())
    }

    fn over(text: &str, arithmetic: Arithmetic) -> Self {
        let declarations =
            "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assert(int);\n";
        let text = text.replace("input(", "__VERIFIER_nondet_int(");
        let text = text.replace("assert(", "__VERIFIER_assert(");
        let source = Preprocessed::from_text("t.c", format!("{declarations}{text}"));
        let options = LoadOptions {
            arithmetic,
            ..LoadOptions::default()
        };
        Self::new(
            load_preprocessed(source, &options)
                .expect("a program")
                .program,
        )
    }

    /// Runs SPACER with a time limit.
    fn run(&self, options: &Options, time: Duration) -> Ended {
        let steps = RefCell::new(Vec::new());
        let report = |progress| {
            if let Progress::Abstracted {
                step,
                bound,
                kept,
                all,
            } = progress
            {
                steps.borrow_mut().push((step, bound, kept, all));
            }
        };
        let setting = Setting {
            report: &report,
            ..Setting::of(&self.lowered)
        };
        let blocks = blocks(self.simplified.program.clone());
        let report = setting.run_within(time, |context| {
            options.run(&Subject::of(&blocks, &default_solver), context)
        });
        let (invariants, token) = (&setting.invariants, CancellationToken::new());
        let prover = Prover::new(
            invariants,
            &blocks,
            default_solver,
            &token,
            &Workers::none(),
        );
        let offered = prover.is_some_and(|mut prover| prover.round(&|| Duration::ZERO).proved > 0);
        Ended {
            answer: report.answer,
            offered,
            steps: steps.into_inner(),
        }
    }

    fn ended(&self, abstraction: Omissible) -> Ended {
        self.run(&by(abstraction), BUDGET)
    }

    fn check(&self, certificate: &Certificate) -> Check {
        check(
            &self.lowered,
            &self.simplified,
            certificate,
            Budget::of(BUDGET),
        )
    }

    /// Z3's search depends on the numbers of terms, which other tests change; a search that diverges is restarted.
    fn proved(&self, abstraction: Omissible) -> Ended {
        let mut attempts = (0..ATTEMPTS).map(|_| self.run(&by(abstraction), BUDGET / ATTEMPTS));
        let ended = attempts
            .find(|ended| matches!(ended.answer, Answer::Safe(_)))
            .unwrap_or_else(|| self.ended(abstraction));
        match &ended.answer {
            Answer::Safe(certificate) => assert_eq!(self.check(certificate), Check::Confirmed),
            answer => panic!("{abstraction:?}: {answer:?} after {:?}", ended.steps),
        }
        ended
    }
}

const BOTH: [Omissible; 2] = [Omissible::Constraints, Omissible::Variables];

fn by(abstraction: Omissible) -> Options {
    Options {
        abstraction,
        ..Options::default()
    }
}

/// Similar to the paper's Figure 2: four iterations show which of the three branches of a loop matter.
const THREE_WAYS: &str = "
    int main(void) {
        int x = 0, y = 0, z = 0, w = 0;
        while (x < 1000 && input()) {
            if (input()) { x++; y += 100; }
            else if (x >= 4) { x++; y++; }
            else if (y > 10 * w && z >= 100 * x) { x++; y = -y; }
            else return 0;
            w++;
            z += 10;
        }
        assert(x < 4 || y > 2);
        return 0;
    }";

/// Checks that, for each bound, counterexamples only add constraints.
fn assert_refined(ended: &Ended) {
    use AbstractionStep::{CounterexampleBased, ProofBased};
    let position = |kind| ended.steps.iter().position(|step| step.0 == kind);
    assert_eq!(position(ProofBased), Some(0), "{:?}", ended.steps);
    assert!(position(CounterexampleBased).is_some(), "{:?}", ended.steps);
    for pair in ended.steps.windows(2) {
        if pair[1].0 == CounterexampleBased {
            assert!(pair[0].2 < pair[1].2, "{:?}", ended.steps);
        }
    }
}

#[test]
fn both_kinds_of_abstraction_lead_to_a_proof() {
    let ended = Task::over(THREE_WAYS, Arithmetic::Integer).proved(Omissible::Constraints);
    assert_refined(&ended);
    for &(step, _, kept, all) in &ended.steps {
        assert!(kept < all, "{step:?}: {kept} of {all}");
    }
    assert!(ended.offered);
}

/// One initial value proves that zero iterations are safe; other assignments are added by counterexamples.
#[test]
fn counterexamples_add_assignments_of_variables() {
    let task = Task::over(THREE_WAYS, Arithmetic::Integer);
    let ended = task.run(&by(Omissible::Variables), BUDGET);
    assert_refined(&ended);
    let (_, bound, kept, all) = ended.steps[0];
    assert_eq!(bound, 0);
    assert!(kept < all, "{kept} of {all}");
    match &ended.answer {
        Answer::Safe(certificate) => assert_eq!(task.check(certificate), Check::Confirmed),
        Answer::Unknown(_) => {}
        answer => panic!("{answer:?}"),
    }
}

#[test]
fn loops_within_loops_and_after_loops_are_proved() {
    for text in [
        "int main(void) {
            int i = 0, s = 0;
            while (i < 10) { int j = 0; while (j < i) { j++; s++; } i++; }
            assert(i == 10);
            return 0;
        }",
        "int main(void) {
            unsigned a = 0, b = 0;
            while (input() && a < 1000) a++;
            while (b < a) b++;
            assert(a == b);
            return 0;
        }",
        // The counterexample over integers is spurious over bit vectors.
        "int main(void) {
            unsigned x = 1;
            while (input()) x = x ^ 6;
            assert(x != 2);
            return 0;
        }",
        "int main(void) { int x = input(); if (x > 3) x = 3; assert(x < 4); return 0; }",
    ] {
        for abstraction in BOTH {
            Task::c(text).proved(abstraction);
        }
    }
}

/// An abstraction of variables omits assignments, including assignments of inputs, and nothing else.
#[test]
fn only_assignments_can_be_left_out() {
    let task = Task::c(
        "int main(void) {
            unsigned x = 0, y = 0;
            while (input()) {
                unsigned z = input();
                if (z > 5 && x < 9) { x = x + 1; y = z; }
            }
            assert(x < 10 || y < 3);
            return 0;
        }",
    );
    let blocks = blocks(task.simplified.program.clone());
    let arena = Rc::clone(default_solver().expect("a solver").arena());
    let encoding = encode(&blocks, Contexts::Called, arena);
    let integers = to_integers(&encoding).expect("no arrays");
    for system in [&encoding.system, &integers.system] {
        let program = CountedProgram::new(&encoding, system, Omissible::Variables);
        for step in &program.transitions {
            let after = step.to.iter().flat_map(|place| {
                let counters = program.counters[place.predicate.index()].len();
                place
                    .arguments
                    .iter()
                    .take(place.arguments.len() - counters)
            });
            let after: Vec<TermId> = after.copied().collect();
            assert_eq!(step.constraints.len(), after.len());
            for (variable, constraint) in after.iter().zip(&step.constraints) {
                let formula = constraint.formula(&program.arena);
                let mentioned = |formula| {
                    let all = free_variables(&*program.arena, formula).into_iter();
                    let mut all = all.map(|(symbol, at)| program.arena.variable_at(symbol, at));
                    all.any(|one| one == *variable)
                };
                assert!(mentioned(formula));
            }
        }
    }
}

#[test]
fn violations_are_replayed() {
    for text in [
        "int main(void) { int x = input(); assert(x != 123456); return 0; }",
        "int main(void) {
            int x = 0, y = 0;
            while (input()) { x = x + 1; if (x == 5) y = 1; }
            assert(!y);
            return 0;
        }",
    ] {
        for abstraction in BOTH {
            let ended = Task::c(text).ended(abstraction);
            assert!(matches!(ended.answer, Answer::Unsafe(_)), "{text}");
        }
    }
}

#[test]
fn the_maximum_bound_ends_the_search() {
    let task = Task::c(
        "int main(void) {
            int x = 0;
            while (input()) { x = x + 1; assert(x != 5); }
            return 0;
        }",
    );
    for abstraction in BOTH {
        let bounded = |max_bound| {
            let options = Options {
                max_bound,
                ..by(abstraction)
            };
            task.run(&options, BUDGET).answer
        };
        let Answer::Unknown(reason) = bounded(2) else {
            panic!("an answer");
        };
        assert_eq!(reason, "the last bound was reached");
        assert!(matches!(bounded(6), Answer::Unsafe(_)));
    }
}

#[test]
fn recursion_is_not_supported() {
    let task = Task::c(
        "int same(int n) { return n == 0 ? 0 : same(n - 1) + 1; }
        int main(void) { int n = input(); if (n > 0) assert(same(n) == n); return 0; }",
    );
    let Answer::Unknown(reason) = task.ended(Omissible::Constraints).answer else {
        panic!("an answer");
    };
    assert_eq!(reason, "the engine does not handle recursion");
}

#[test]
fn cancelling_interrupts_a_query() {
    let task = Task::c(
        "int main(void) {
            unsigned a = input(), b = input(), p = 0, q = 0, i = 0;
            while (i < b) { p = p + a * i; q = q ^ p; i++; }
            assert(p * q != 123457 * a + b);
            return 0;
        }",
    );
    for abstraction in BOTH {
        let begin = Instant::now();
        let ended = task.run(&by(abstraction), Duration::from_millis(1500));
        assert!(
            matches!(ended.answer, Answer::Unknown(_)),
            "{:?}",
            ended.answer
        );
        assert!(begin.elapsed() < Duration::from_secs(20));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_program_that_fails_is_proved(
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        seed in 0u64..1000,
    ) {
        let task = Task::new(random_program(&bytes, Recursion::Excluded));
        for abstraction in BOTH {
            let ended = task.run(&by(abstraction), Duration::from_millis(700));
            not_wrong(&task.lowered, &task.simplified, &ended.answer, seed)?;
        }
    }
}
