//! EXTRACTINVS: extraction of invariants of the program from a proof of an under-approximation.

use super::limits::MAXIMUM_COUNTER_INSTANCES;
use super::program::CountedProgram;
use super::steps::{Steps, check};
use regatta_solver::horn::Application;
use regatta_solver::{Answer, retain_holding};
use regatta_term::{Build, TermId, conjuncts, instantiate, store};

/// For each predicate, formulas over its parameters; their conjunction counts.
pub type Lemmas = Vec<Vec<TermId>>;

/// Returns the lemmas of a proof: the conjuncts of its formulas.
pub fn lemmas(proof: &[TermId]) -> Lemmas {
    let formulas = proof.iter();
    formulas
        .map(|&formula| conjuncts(store(), formula))
        .collect()
}

/// Lines 27 to 31: returns the largest subset of the lemmas that is inductive relative to the invariants, without known
/// invariants. It may be smaller if the solver does not decide a query.
///
/// A transition is checked again when a lemma at its start has been dropped; each model drops all the lemmas that it
/// violates, as in Figure 7.
pub fn extract_invariants(steps: &mut Steps<'_>, invariants: &Lemmas, lemmas: &Lemmas) -> Lemmas {
    let program = steps.program();
    let mut left = lemmas.clone();
    for (left, known) in left.iter_mut().zip(invariants) {
        left.retain(|lemma| !known.contains(lemma));
    }
    let mut open: Vec<bool> = vec![true; program.transitions.len()];
    while let Some(next) = open.iter().position(|&open| open) {
        open[next] = false;
        let Some(to) = &program.transitions[next].to else {
            continue;
        };
        let target = to.predicate.index();
        let before = left[target].len();
        left[target] = consecution(steps, invariants, &left, (next, to));
        if left[target].len() < before {
            for (number, other) in program.transitions.iter().enumerate() {
                let from = other.from.as_ref();
                open[number] |= from.is_some_and(|from| from.predicate.index() == target);
            }
        }
    }
    left
}

/// Returns the lemmas at the transition's end that hold after it if all lemmas and invariants hold before it.
fn consecution(
    steps: &mut Steps<'_>,
    invariants: &Lemmas,
    lemmas: &Lemmas,
    (transition, to): (usize, &Application),
) -> Vec<TermId> {
    let program = steps.program();
    let from = program.transitions[transition].from.as_ref();
    let goals = lemmas[to.predicate.index()].iter();
    let mut holding: Vec<(TermId, TermId)> = goals
        .map(|&goal| (goal, program.applied(goal, to)))
        .collect();
    let assumed = [
        steps.concrete(transition),
        program.all_applied(invariants, from),
        program.all_applied(invariants, Some(to)),
        program.all_applied(lemmas, from),
    ];
    let arena = &program.arena;
    steps.within(transition, assumed, |solver| {
        while !holding.is_empty() {
            let broken = holding.iter().map(|&(_, after)| arena.not(after));
            let any = arena.or(broken.collect::<Vec<_>>());
            match check(solver, &[any]) {
                Answer::Unsatisfiable => break,
                Answer::Satisfiable => {
                    let before = holding.len();
                    retain_holding(solver, &mut holding, |&(_, after)| after);
                    if holding.len() == before {
                        holding.clear();
                    }
                }
                // Single lemmas may be easier to decide.
                Answer::Unknown(_) => holding.retain(|&(_, after)| {
                    check(solver, &[arena.not(after)]) == Answer::Unsatisfiable
                }),
            }
        }
    });
    holding.into_iter().map(|(goal, _)| goal).collect()
}

/// Line 7: checks whether the invariants exclude the error location.
pub fn is_safe(steps: &mut Steps<'_>, invariants: &Lemmas) -> bool {
    let program = steps.program();
    let mut transitions = program.transitions.iter().enumerate();
    transitions.all(|(number, step)| {
        let assumed = [
            steps.concrete(number),
            program.all_applied(invariants, step.from.as_ref()),
        ];
        step.to.is_some()
            || steps.within(number, assumed, |solver| {
                check(solver, &[]) == Answer::Unsatisfiable
            })
    })
}

/// Eliminates the counters from the lemma (Lemma 2): ∀C ≥ 0. φ. A proof for a bound compares counters only with numbers up
/// to the bound, so that one greater number represents all greater ones; for other lemmas, the result is weaker.
pub fn without_counters(
    program: &CountedProgram,
    predicate: usize,
    lemma: TermId,
    bound: u32,
) -> Vec<TermId> {
    let mut instances = vec![lemma];
    for &counter in &program.counters[predicate] {
        let mut next = Vec::new();
        for lemma in instances {
            for value in 0..=i64::from(bound) + 2 {
                let instance = at(lemma, counter, value);
                if !next.contains(&instance) {
                    next.push(instance);
                }
            }
        }
        if next.len() > MAXIMUM_COUNTER_INSTANCES {
            return Vec::new();
        }
        instances = next;
    }
    instances.retain(|&instance| instance != TermId::TRUE);
    instances
}

fn at(lemma: TermId, counter: TermId, value: i64) -> TermId {
    instantiate(store(), lemma, |symbol, instance| {
        (store().variable_at(symbol, instance) == counter).then(|| store().int(value))
    })
}
