//! EXTRACTINVS: what of a proof of an under-approximation are invariants of the program.

use super::program::CountedProgram;
use super::steps::{Steps, check};
use crate::solver::horn::Application;
use crate::solver::{Answer, retain_holding};
use crate::term::{Build, TermId, conjuncts, instantiate, store};

/// Formulas over the parameters of each predicate; all of them hold.
pub type Lemmas = Vec<Vec<TermId>>;

/// The lemmas of a proof: the conjuncts of what it says of each predicate.
pub fn lemmas(proof: &[TermId]) -> Lemmas {
    let formulas = proof.iter();
    formulas
        .map(|&formula| conjuncts(store(), formula))
        .collect()
}

/// Lines 27 to 31: the largest subset of the lemmas that is inductive relative to the invariants, without what these say
/// already. Where the solver is at a loss, it is a smaller one.
///
/// The conditions of a transition are looked at again when a lemma where it starts has been dropped; a model drops all the
/// lemmas that it breaks, as Figure 7 does.
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

/// The lemmas at the transition's end that hold after it, if all lemmas and invariants hold before it.
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
                // One after the other, some may be within reach.
                Answer::Unknown(_) => holding.retain(|&(_, after)| {
                    check(solver, &[arena.not(after)]) == Answer::Unsatisfiable
                }),
            }
        }
    });
    holding.into_iter().map(|(goal, _)| goal).collect()
}

/// Line 7: whether the invariants exclude the error location.
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

/// So many values of counters are put into a lemma.
const VALUES: usize = 64;

/// What the lemma says of the program without counters (Lemma 2): ∀C ≥ 0. φ. In a proof for a bound, counters are compared
/// with numbers up to the bound, so that a greater number stands for all of these; elsewhere, what comes out is weaker.
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
        if next.len() > VALUES {
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
