//! Tests of the exchange: one for each pair of a publisher and a consumer of invariants, and for each kind of other messages that
//! a consumer uses them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::engine::{Engine, Statistic, Subject};
use super::invariants::prover::Prover;
use super::testing::{Setting, blocks, default_solver, lowered};
use super::{
    Answer, CancellationToken, Context, bmc, ctigar, data_flow, fits, horn, impact, k_induction,
    polynomials, predicate_abstraction, spacer, states, ufo,
};
use crate::data_flow::Round;
use crate::invariants::guess;
use crate::invariants::rounds::find_reached_states;
use regatta_base::workers::Workers;
use regatta_program::Program;
use regatta_program::block::Blocks;
use regatta_program::simplify::simplify;
use regatta_sharing::{Exchange, InvariantStore, Predicate, Publisher};
use regatta_term::{Build, store};

const BUDGET: Duration = Duration::from_secs(60);

/// Time for a consumer that need not find a proof; it has more if it takes nothing in this time.
const SHORT_BUDGET: Duration = Duration::from_secs(4);

struct Task {
    lowered: Program,
    /// Shared by publisher and consumer: locations of invariants are numbered by them.
    blocks: Arc<Blocks>,
}

impl Task {
    fn new(text: &str) -> Self {
        let lowered = lowered(text);
        Self {
            blocks: blocks(simplify(&lowered).program),
            lowered,
        }
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Analysis {
    Bmc,
    KInduction,
    Kipdr,
    DataFlow,
    Cells,
    States,
    Fits,
    Polynomials,
    PredicateAbstraction,
    Impact,
    Ufo,
    Ctigar,
    Spacer,
    Horn,
}
use Analysis::*;

impl Analysis {
    fn name(self) -> String {
        format!("{self:?}")
    }

    fn run(self, blocks: &Arc<Blocks>, context: &mut Context<'_>) -> Answer {
        let subject = Subject::of(blocks, &default_solver);
        let rounds = |rounds: Vec<Round>| data_flow::Options {
            rounds,
            simulation: Duration::from_millis(50),
            ..data_flow::Options::default()
        };
        let report = match self {
            Bmc => bmc::Options {
                max_bound: 4,
                ..bmc::Options::default()
            }
            .run(&subject, context),
            KInduction | Kipdr => {
                let options = k_induction::Options {
                    max_bound: 6,
                    property_directed: self == Kipdr,
                    ..k_induction::Options::default()
                };
                options.run(&subject, context)
            }
            DataFlow => {
                let mut options = rounds(data_flow::Options::default().rounds);
                options.rounds.truncate(9);
                options.run(&subject, context)
            }
            Cells => rounds(vec![Round::Guess(guess::Round::Arrays)]).run(&subject, context),
            States => states::Options::default().run(&subject, context),
            Fits => fits::Options::default().run(&subject, context),
            Polynomials => polynomials::Options::default().run(&subject, context),
            PredicateAbstraction => {
                predicate_abstraction::Options::default().run(&subject, context)
            }
            Impact => impact::Options::default().run(&subject, context),
            Ufo => ufo::Options::default().run(&subject, context),
            Ctigar => ctigar::Options::default().run(&subject, context),
            Spacer => spacer::Options::default().run(&subject, context),
            Horn => {
                let options = horn::Options {
                    programs: horn::Programs::All,
                    ..horn::Options::default()
                };
                options.run(&subject, context)
            }
        };
        report.answer
    }
}

/// Returns what the analysis publishes, once the prover has proved what it offers.
fn published(analysis: Analysis, task: &Task) -> InvariantStore {
    let setting = Setting::of(&task.lowered);
    setting.run_as(&analysis.name(), BUDGET, |context| {
        let answer = analysis.run(&task.blocks, context);
        assert!(
            !matches!(answer, Answer::Unsafe(_)),
            "{analysis:?}: {answer:?}"
        );
    });
    let token = CancellationToken::new();
    let mut prover = Prover::new(
        &setting.invariants,
        &task.blocks,
        default_solver,
        &token,
        &Workers::none(),
    );
    let prover = prover.as_mut().expect("no recursion");
    while setting.invariants.wait_for_offers(Duration::ZERO) {
        prover.round(&|| Duration::ZERO);
    }
    let invariants = setting.invariants;
    let of = invariants.snapshot().publishers();
    assert!(
        of.contains_key(&*analysis.name()),
        "{analysis:?} has published {of:?}"
    );
    invariants
}

/// Makes another store with the same invariants.
fn again(invariants: &InvariantStore) -> InvariantStore {
    let other = InvariantStore::new();
    for (_, batch) in invariants.snapshot().batches() {
        other.publish(batch.clone());
    }
    other
}

/// Returns the number of invariants that the consumer has taken of each publisher, and its answer.
fn taken(
    consumer: Analysis,
    task: &Task,
    invariants: InvariantStore,
    time: Duration,
) -> (BTreeMap<Publisher, usize>, Answer) {
    let setting = Setting {
        invariants,
        ..Setting::of(&task.lowered)
    };
    // Not the publisher's name: a consumer does not take invariants that it published itself.
    setting.run_as("consumer", time, |context| {
        let answer = consumer.run(&task.blocks, context);
        (context.exchange.taken(), answer)
    })
}

/// The consumers. All but bounded model checking, whose proofs rest on no invariants, are to use them in a proof.
const CONSUMERS: [Analysis; 10] = [
    Bmc,
    KInduction,
    Kipdr,
    DataFlow,
    PredicateAbstraction,
    Impact,
    Ufo,
    Ctigar,
    Spacer,
    Horn,
];

/// Each consumer takes invariants of each publisher, and proves the program with them, except where a pair of publisher and
/// consumer is told: there, what the one publishes is not enough for the other.
fn all_consumers_use(publishers: &[Analysis], task: &Task, except: &[(Analysis, Analysis)]) {
    for &publisher in publishers {
        let invariants = published(publisher, task);
        for consumer in CONSUMERS {
            let run = |time| taken(consumer, task, again(&invariants), time);
            let is_prover = consumer != Bmc && !except.contains(&(publisher, consumer));
            let (mut taken, mut answer) = run(if is_prover { BUDGET } else { SHORT_BUDGET });
            if !is_prover && !taken.contains_key(&*publisher.name()) {
                (taken, answer) = run(BUDGET);
            }
            let cell = format!("{consumer:?} takes from {publisher:?}");
            assert!(taken.contains_key(&*publisher.name()), "{cell}: {taken:?}");
            assert!(!matches!(answer, Answer::Unsafe(_)), "{cell}: {answer:?}");
            if is_prover {
                let Answer::Safe(certificate) = answer else {
                    panic!("{cell}: {answer:?}");
                };
                // They are in the proof.
                let inlined = task.blocks.inlined();
                let in_proof = invariants.snapshot().publishers_in(&certificate, inlined);
                assert!(
                    in_proof.contains_key(&*publisher.name()),
                    "{cell}: {in_proof:?}"
                );
            }
        }
    }
}

#[test]
fn invariants_about_variables() {
    // Not k-inductive for any k.
    let task = Task::new(
        "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
         int main(void) {
            unsigned w = __VERIFIER_nondet_uint(), x = w, y = w + 1, z = x + 1, mode = 0;
            while (__VERIFIER_nondet_uint()) { y++; z++; mode = mode == 0 ? 1 : 0; }
            if (y != z || mode > 1) reach_error();
            return 0;
         }",
    );
    let publishers = [
        DataFlow,
        States,
        Kipdr,
        PredicateAbstraction,
        Impact,
        Ufo,
        Ctigar,
        Spacer,
    ];
    all_consumers_use(&publishers, &task, &[(Ufo, KInduction)]);
}

#[test]
fn invariants_about_cells() {
    let task = Task::new(
        "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
         int a[1000];
         int main(void) {
            for (unsigned i = 0; i < 1000; i++) a[i] = 7;
            unsigned j = __VERIFIER_nondet_uint();
            while (j < 1000 && __VERIFIER_nondet_uint()) {
                if (a[j] != 7) reach_error();
                j = __VERIFIER_nondet_uint();
            }
            return 0;
         }",
    );
    all_consumers_use(&[Cells], &task, &[]);
    // What the cells fit is not all that is to be known of them.
    let others = CONSUMERS.into_iter();
    let others = others.filter(|consumer| ![Kipdr, DataFlow].contains(consumer));
    let except: Vec<_> = others.map(|consumer| (Fits, consumer)).collect();
    all_consumers_use(&[Fits], &task, &except);
}

#[test]
fn invariants_about_products() {
    let task = Task::new(
        "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
         int main(void) {
            unsigned y = __VERIFIER_nondet_uint(), x = 0, n = 0;
            while (__VERIFIER_nondet_uint()) { x += y; n++; }
            if (x != n * y) reach_error();
            return 0;
         }",
    );
    all_consumers_use(&[Polynomials], &task, &[]);
}

/// That the two are equal is no condition of the program, and k steps do not show it.
const EQUAL_BITS: &str =
    "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
    int main(void) {
        unsigned a = __VERIFIER_nondet_uint(), b = a;
        while (__VERIFIER_nondet_uint()) { a += 3; b += 3; }
        if ((a ^ b) & 64) reach_error();
        return 0;
    }";

#[test]
fn predicates_are_used() {
    let task = Task::new(EQUAL_BITS);
    let program = task.blocks.inlined().program();
    let heads = crate::unrolling::inner_cut_points(&task.blocks);
    let named = |name: &str| {
        let mut variables = program.variables.iter();
        let variable = variables.find(|one| one.symbol.name() == name);
        store().variable(variable.expect("a variable").symbol)
    };
    let equal = store().eq(named("main::a"), named("main::b"));
    let bare = ctigar::Options {
        initial_conditions: false,
        initial_orders: false,
        ..ctigar::Options::default()
    };
    let kipdr = k_induction::Options {
        max_bound: 3,
        property_directed: true,
        ..k_induction::Options::default()
    };
    let abstraction = predicate_abstraction::Options::default();
    let consumers: [&dyn Engine; 3] = [&abstraction, &bare, &kipdr];
    for consumer in consumers {
        let name = consumer.registration().name;
        let setting = Setting::of(&task.lowered);
        let answer = setting.run_within(BUDGET, |context| {
            let token = CancellationToken::new();
            let publisher = Exchange::new(&setting.invariants, "publisher", &token);
            publisher.tell_predicates(heads.iter().map(|&at| Predicate::new(at, equal)));
            let subject = Subject::of(&task.blocks, &default_solver);
            consumer.run(&subject, context).answer
        });
        assert!(matches!(answer, Answer::Safe(_)), "{name}: {answer:?}");
        let messages = setting.invariants.messages();
        assert_eq!(messages.used_predicates, 1, "{name}");
    }
}

/// Runs the engine, which finds an alarm, where other engines have found states of runs or not. Returns how many formulas
/// the states have refuted, and the engine's number of obligations.
fn alarm_with_states(engine: &dyn Engine, text: &str, has_states: bool) -> (usize, Option<u64>) {
    let task = Task::new(text);
    let setting = Setting::of(&task.lowered);
    let report = setting.run_within(BUDGET, |context| {
        if has_states {
            find_reached_states(&task.blocks, context);
        }
        engine.run(&Subject::of(&task.blocks, &default_solver), context)
    });
    assert!(
        matches!(report.answer, Answer::Unsafe(_)),
        "{:?}",
        report.answer
    );
    let obligations = report.statistics.iter().find_map(|entry| match entry {
        ("obligations", Statistic::Count(count)) => Some(*count),
        _ => None,
    });
    (setting.invariants.messages().refuted, obligations)
}

/// Runs reach the second mode, but the input that leads to the error there is rare.
fn late_error(rounds: u32) -> String {
    format!(
        "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
         int main(void) {{
            unsigned i = 0, mode = 0;
            while (__VERIFIER_nondet_uint()) {{
                if (i < {rounds}) i++; else mode = 1;
            }}
            unsigned c = __VERIFIER_nondet_uint();
            if (mode == 1 && c == 770077) reach_error();
            return 0;
         }}"
    )
}

#[test]
fn an_obligation_that_a_reached_state_meets_is_an_alarm() {
    let engine = ctigar::Options::default();
    let text = late_error(100);
    let (_, with) = alarm_with_states(&engine, &text, true);
    let (_, without) = alarm_with_states(&engine, &text, false);
    assert!(with < without, "{with:?} {without:?}");
}

#[test]
fn an_obligation_that_a_reached_state_violates_is_not_asked_about() {
    let engine = k_induction::Options {
        property_directed: true,
        ..k_induction::Options::default()
    };
    let text = late_error(9);
    let (refuted, _) = alarm_with_states(&engine, &text, true);
    assert!(refuted > 0);
    let (refuted, _) = alarm_with_states(&engine, &text, false);
    assert_eq!(refuted, 0);
}

/// SPACER takes no invariants while it runs, so it starts again with those that come meanwhile.
#[test]
fn late_invariants_make_spacer_start_again() {
    // The invariant is a polynomial, of which SPACER knows nothing.
    let task = Task::new(
        "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
         int main(void) {
            unsigned i = 0, square = 0;
            while (__VERIFIER_nondet_uint()) { square += 2 * i + 1; i++; }
            if (square != i * i) reach_error();
            return 0;
         }",
    );
    let known = published(DataFlow, &task);
    let setting = Setting::of(&task.lowered);
    let store = &setting.invariants;
    let answer = std::thread::scope(|threads| {
        threads.spawn(|| {
            std::thread::sleep(Duration::from_millis(600));
            for (_, batch) in known.snapshot().batches() {
                store.publish(batch.clone());
            }
        });
        setting.run_as("consumer", BUDGET, |context| {
            Spacer.run(&task.blocks, context)
        })
    });
    assert!(matches!(answer, Answer::Safe(_)), "{answer:?}");
}
