//! Tests of the store.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use regatta_certify::ProofStep;
use regatta_frontend::preprocess::Preprocessed;
use regatta_frontend::{LoadOptions, load_preprocessed};
use regatta_program::{CallStringId, InlinedProgram, LocationId};
use regatta_term::{Build, Sort, Symbol};

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

/// Nothing else may claim to have proved invariants.
#[test]
fn only_provers_make_batches_of_proved_invariants() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("a folder");
    let makes_batches = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a text");
        text.contains(&["Proved", "::new("].concat())
    };
    let mut makers = sources(crates);
    makers.retain(makes_batches);
    let mut makers: Vec<&str> = makers
        .iter()
        .filter_map(|path| path.strip_prefix(crates).ok()?.to_str())
        .collect();
    makers.sort_unstable();
    let provers = [
        "engines/invariants/houdini/mod.rs",
        "engines/invariants/states/mod.rs",
        "engines/k_induction/k_inductive.rs",
        "sharing/tests.rs",
    ];
    assert_eq!(makers, provers);
}
