//! Tests of the store.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use regatta_certify::ProofStep;
use regatta_certify::certificate::any_index;
use regatta_frontend::preprocess::Preprocessed;
use regatta_frontend::{LoadOptions, load_preprocessed};
use regatta_program::block::Blocks;
use regatta_program::{CallStringId, InlinedProgram, LocationId};
use regatta_term::{ArrayValue, Build, ScalarSort, Sort, Symbol, Value};

fn candidate(location: u32, name: &str) -> Candidate {
    Candidate {
        at: InlinedLocation {
            location: LocationId(location),
            call_string: CallStringId(0),
        },
        formula: regatta_term::store().variable(Symbol::new(name, Sort::Bool)),
    }
}

fn batch(invariants: Vec<Candidate>, relies_on: Vec<BatchId>) -> Proved {
    Proved::new(invariants, 1, relies_on, |_| Publisher::from("test"))
}

#[test]
fn a_snapshot_does_not_change() {
    let invariants = InvariantStore::new();
    let before = invariants.snapshot();
    let first = invariants.publish(batch(vec![candidate(1, "p")], vec![]));
    assert!(first.is_some());
    assert!(before.is_empty());
    assert_eq!(invariants.snapshot().len(), 1);
    assert_eq!(invariants.version(), before.version() + 1);
    assert_eq!(invariants.version(), invariants.snapshot().version());
}

#[test]
fn dependents_of_a_withdrawn_batch_are_withdrawn() {
    let invariants = InvariantStore::new();
    let first = invariants
        .publish(batch(vec![candidate(1, "p")], vec![]))
        .unwrap();
    let second = invariants
        .publish(batch(vec![candidate(1, "q")], vec![first]))
        .unwrap();
    let third = invariants
        .publish(batch(vec![candidate(2, "r")], vec![second]))
        .unwrap();
    let other = invariants
        .publish(batch(vec![candidate(2, "s")], vec![]))
        .unwrap();
    let version = invariants.version();
    assert_eq!(invariants.withdraw(first), [first, second, third]);
    let left: Vec<BatchId> = invariants.snapshot().batches().map(|(id, _)| id).collect();
    assert_eq!(left, [other]);
    assert!(invariants.version() > version);
    // No batch may rely on a withdrawn one, which can be withdrawn only once.
    assert_eq!(
        invariants.publish(batch(vec![candidate(3, "t")], vec![second])),
        None
    );
    assert_eq!(invariants.withdraw(first), []);
}

#[test]
fn engines_that_have_taken_a_withdrawn_batch_start_again() {
    let invariants = InvariantStore::new();
    let tokens: [CancellationToken; 4] = Default::default();
    let [early, user, late, idle] = &tokens;
    let exchange = |token| Exchange::new(&invariants, "engine", token);
    let [first, second, third, fourth] = [early, user, late, idle].map(exchange);
    let sound = batch(vec![candidate(1, "p")], vec![]);
    let sound = first.publish(sound).expect("nothing is refuted yet");
    first.snapshot();
    let wrong = batch(vec![candidate(2, "q")], vec![]);
    let wrong = first.publish(wrong).expect("nothing is refuted yet");
    let user_s = batch(vec![candidate(3, "r")], vec![sound, wrong]);
    second.snapshot();
    let user_s = second.publish(user_s).expect("nothing is refuted yet");
    third.snapshot();
    assert_eq!(invariants.withdraw(wrong), [wrong, user_s]);
    let stopped = tokens.each_ref().map(CancellationToken::is_cancelled);
    assert_eq!(stopped, [false, true, true, false]);
    assert!(fourth.taken().is_empty());
    // It cannot be published again, by any engine.
    let again = batch(vec![candidate(4, "s"), candidate(2, "q")], vec![]);
    assert_eq!(fourth.publish(again), None);
    assert!(fourth.newer_than(&Snapshot::default()).is_some());
    assert_eq!(invariants.snapshot().len(), 1);
}

#[test]
fn a_certificate_has_what_its_batches_rely_on_before_them() {
    let invariants = InvariantStore::new();
    let source = Preprocessed::from_text("t.c", "int main(void) { return 0; }");
    let loaded = load_preprocessed(source, &LoadOptions::default());
    let program = InlinedProgram::new(Arc::new(loaded.expect("a program").program));
    // The call string of the candidates.
    assert_eq!(program.entry().call_string, CallStringId(0));
    let first = invariants
        .publish(batch(vec![candidate(0, "p")], vec![]))
        .unwrap();
    let unneeded = invariants
        .publish(batch(vec![candidate(0, "q")], vec![]))
        .unwrap();
    let last = invariants
        .publish(batch(vec![candidate(0, "r")], vec![first]))
        .unwrap();
    let snapshot = invariants.snapshot();
    let own = [candidate(0, "s")];
    let certificate = snapshot.certificate(1, &[last], &own, &program);
    let relied: Vec<&[usize]> = certificate
        .steps
        .iter()
        .map(|step| match step {
            ProofStep::Inductive { relies_on, .. } | ProofStep::Safety { relies_on, .. } => {
                &relies_on[..]
            }
            step => panic!("{step:?}"),
        })
        .collect();
    // First, last, the certificate's own, and safety.
    assert_eq!(relied, [&[][..], &[0], &[1], &[1, 2]]);
    assert!(snapshot.batch(unneeded).is_some());
}

/// Returns the source files below the folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let below = |path: PathBuf| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    };
    let all = paths.flat_map(below);
    all.filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .collect()
}

/// Returns the sources that make values of the type.
fn makers_of(of: &str) -> Vec<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("a folder");
    let makes = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a text");
        text.contains(&format!("{of}::new("))
    };
    let mut makers = sources(crates);
    makers.retain(makes);
    let mut makers: Vec<String> = makers
        .iter()
        .filter_map(|path| Some(path.strip_prefix(crates).ok()?.to_str()?.to_owned()))
        .collect();
    makers.sort_unstable();
    makers
}

/// Nothing else may claim that no run reaches a target within some steps.
#[test]
fn only_base_cases_and_frames_make_bounded_results() {
    let makers = [
        "engines/ctigar/exchange.rs",
        "engines/unrolling/base_case.rs",
        "engines/unrolling/tests.rs",
        "sharing/tests.rs",
    ];
    assert_eq!(makers_of("Bounded"), makers);
}

/// Nothing else may claim to have proved invariants.
#[test]
fn only_provers_make_batches_of_proved_invariants() {
    let provers = [
        "engines/invariants/closing/tests.rs",
        "engines/invariants/houdini/mod.rs",
        "engines/invariants/states/mod.rs",
        "engines/k_induction/k_inductive.rs",
        "sharing/tests.rs",
    ];
    assert_eq!(makers_of("Proved"), provers);
}

fn predicate(location: u32, name: &str) -> Predicate {
    let Candidate { at, formula } = candidate(location, name);
    Predicate::new(at, formula)
}

#[test]
fn a_predicate_is_sent_once_to_each_other_engine_and_no_more_if_none_has_used_it() {
    let store = InvariantStore::new();
    let token = CancellationToken::new();
    let engine = |name| Exchange::new(&store, name, &token);
    let publisher = engine("publisher");
    let (plain, useful) = (predicate(1, "p"), predicate(1, "q"));
    publisher.tell_predicates([plain, useful]);
    // A formula and its negation are one predicate; a constant is no predicate.
    let negated = regatta_term::store().not(plain.formula());
    publisher.tell_predicates([
        Predicate::new(plain.at(), negated),
        Predicate::new(plain.at(), TermId::TRUE),
    ]);
    assert_eq!(publisher.predicates(), []);
    let others = ["one", "two", "three"].map(engine);
    for other in &others {
        assert_eq!(other.predicates(), [plain, useful]);
        assert_eq!(other.predicates(), []);
    }
    // The use by the publisher says nothing.
    publisher.use_predicates([plain]);
    others[0].use_predicates([useful]);
    assert_eq!(engine("late").predicates(), [useful]);
    let messages = store.messages();
    assert_eq!((messages.predicates, messages.used_predicates), (2, 1));
}

/// A program with the number of error locations, in blocks.
fn program_with_errors() -> Arc<Blocks> {
    let text = "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
        int main(void) { unsigned x = __VERIFIER_nondet_uint();
            if (x == 1) reach_error(); if (x == 2) reach_error(); return 0; }";
    let source = Preprocessed::from_text("t.c", text);
    let loaded = load_preprocessed(source, &LoadOptions::default());
    let program = InlinedProgram::new(Arc::new(loaded.expect("a program").program));
    Arc::new(Blocks::new(Arc::new(program)))
}

#[test]
fn a_bounded_result_holds_for_its_blocks_and_its_targets_alone() {
    let store = InvariantStore::new();
    let token = CancellationToken::new();
    let (one, other) = (
        Exchange::new(&store, "one", &token),
        Exchange::new(&store, "other", &token),
    );
    let (blocks, same_again) = (program_with_errors(), program_with_errors());
    let all: BTreeSet<LocationId> = blocks.inlined().program().errors.iter().copied().collect();
    let first: BTreeSet<LocationId> = all.iter().take(1).copied().collect();
    assert_eq!(all.len(), 2);
    one.tell_bounded(Bounded::new(&blocks, first.clone(), 9));
    assert_eq!(other.bounded(&blocks, &first), 9);
    assert_eq!(other.bounded(&blocks, &all), 0);
    one.tell_bounded(Bounded::new(&blocks, all.clone(), 5));
    one.tell_bounded(Bounded::new(&blocks, all.clone(), 3));
    assert_eq!(other.bounded(&blocks, &all), 5);
    assert_eq!(other.bounded(&blocks, &first), 9);
    // Another program, be it with the same text, has other locations.
    assert_eq!(other.bounded(&same_again, &all), 0);
    // What it may have relied on is withdrawn.
    let wrong = batch(vec![candidate(2, "q")], vec![]);
    let wrong = one.publish(wrong).expect("nothing is refuted yet");
    store.withdraw(wrong);
    assert_eq!(other.bounded(&blocks, &first), 0);
    // One that has begun before may rest on it, one that begins now does not.
    one.tell_bounded(Bounded::new(&blocks, all.clone(), 5));
    assert_eq!(other.bounded(&blocks, &all), 0);
    let again = Exchange::new(&store, "one", &token);
    again.tell_bounded(Bounded::new(&blocks, all.clone(), 5));
    assert_eq!(other.bounded(&blocks, &all), 5);
}

fn state(values: impl IntoIterator<Item = (Symbol, Value)>, steps: u32) -> ReachedState {
    ReachedState::new(values.into_iter().collect(), &Arc::default(), 0, steps)
}

#[test]
fn a_reached_state_refutes_what_it_violates_for_some_index() {
    let pool = regatta_term::store();
    let store = InvariantStore::new();
    let exchange = Exchange::new(&store, "engine", &CancellationToken::new());
    let at = candidate(1, "p").at;
    let elsewhere = candidate(2, "p").at;
    let (number, word) = (ScalarSort::BitVec(8), ScalarSort::BitVec(32));
    let x = Symbol::new("reached::x", word.into());
    let array = Symbol::new(
        "reached::a",
        Sort::Array {
            index: word,
            element: number,
        },
    );
    let left_out = pool.variable(Symbol::new("reached::large", word.into()));
    let cells = [(Value::bit_vec(32, 7), Value::bit_vec(8, 3))];
    let contents = ArrayValue::new(word, Value::bit_vec(8, 0), cells);
    let values = [(x, Value::bit_vec(32, 5)), (array, Value::Array(contents))];
    assert!(exchange.lacks_reached_states() && exchange.claims_reached_states());
    assert!(!exchange.claims_reached_states());
    exchange.tell_reached([(at, state(values, 4))]);
    let x = pool.variable(x);
    let any = any_index(word.into());
    let cell = pool.select(pool.variable(array), any);
    let refuted = |at, formula| exchange.is_violated(&Candidate { at, formula });
    assert!(refuted(at, pool.eq(x, pool.bv(32, 6))));
    assert!(!refuted(at, pool.eq(x, pool.bv(32, 5))));
    assert!(!refuted(elsewhere, pool.eq(x, pool.bv(32, 6))));
    assert!(!refuted(at, pool.eq(left_out, pool.bv(32, 6))));
    // All cells are zero but for one.
    assert!(refuted(at, pool.eq(cell, pool.bv(8, 0))));
    let before = pool.ult(any, pool.bv(32, 7));
    let zero_before = pool.implies(before, pool.eq(cell, pool.bv(8, 0)));
    assert!(!refuted(at, zero_before));
    // A later state refutes what the earlier ones satisfy.
    let later = [(
        Symbol::new("reached::x", word.into()),
        Value::bit_vec(32, 8),
    )];
    exchange.tell_reached([(at, state(later, 2))]);
    assert!(refuted(at, pool.eq(x, pool.bv(32, 5))));
    let nearest = exchange.nearest_reached(at, |_| true);
    assert_eq!(nearest.expect("a state").steps(), 2);
}

#[test]
fn reached_states_are_bounded_in_number() {
    let store = InvariantStore::new();
    let exchange = Exchange::new(&store, "engine", &CancellationToken::new());
    let at = candidate(1, "p").at;
    let x = Symbol::new("reached::x", Sort::BitVec(32));
    let states = (0..1_000u128).map(|value| (at, state([(x, Value::bit_vec(32, value))], 0)));
    exchange.tell_reached(states);
    // The same state is no other.
    exchange.tell_reached([(at, state([(x, Value::bit_vec(32, 0))], 0))]);
    assert_eq!(store.messages().reached_states, 40);
}

#[test]
fn kinds_that_are_off_are_neither_given_nor_taken() {
    let store = InvariantStore::new();
    let token = CancellationToken::new();
    let on = Exchange::new(&store, "on", &token);
    let off = Exchange::new(&store, "off", &token).with_kinds(Kinds::NONE);
    let blocks = program_with_errors();
    let none = BTreeSet::new();
    let x = Symbol::new("reached::x", Sort::BitVec(32));
    let give = |exchange: &Exchange<'_>| {
        exchange.tell_predicates([predicate(1, "p")]);
        exchange.tell_bounded(Bounded::new(&blocks, BTreeSet::new(), 4));
        let zero = state([(x, Value::bit_vec(32, 0))], 0);
        exchange.tell_reached([(candidate(1, "p").at, zero)]);
        exchange.share_runs(&[]);
    };
    let pool = regatta_term::store();
    let formula = pool.ne(pool.variable(x), pool.bv(32, 0));
    let at = candidate(1, "p").at;
    let takes = |exchange: &Exchange<'_>| {
        [
            !exchange.predicates().is_empty(),
            exchange.bounded(&blocks, &none) > 0,
            exchange.is_violated(&Candidate { at, formula }),
            exchange.nearest_reached(at, |_| true).is_some(),
            exchange.runs().is_some(),
        ]
    };
    give(&off);
    assert!(!off.lacks_reached_states() && !off.claims_reached_states());
    let reader = Exchange::new(&store, "reader", &token);
    assert_eq!(takes(&reader), [false; 5]);
    give(&on);
    assert_eq!(takes(&reader), [true; 5]);
    assert_eq!(takes(&off), [false; 5]);
}
