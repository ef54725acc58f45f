//! Counterexamples to induction lifted to sets of states (\[BD19\], section 3, the function `lift`; \[Bir13\], sections
//! 3.2 and 3.3).
//!
//! The inputs of the model are kept. The condition under which a state leads to the violation with these inputs, guards
//! included, is a formula over the state. The lifted set is a cube of its atoms that the model's state satisfies and
//! that implies the formula; an unsat core removes the literals that the others and the invariants imply. Or it is an
//! interpolant between the state and the formula's negation under the invariants, as in \[BD19\]: its conjuncts are the
//! literals then.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Context;
use crate::unrolling::Unrolling;
use regatta_base::choice;
use regatta_program::InlinedLocation;
use regatta_solver::interpolation::{
    Interpolation, InterpolationConfig, Interpolator, Interpolators, Sequence,
};
use regatta_solver::{Answer, CheckLimit, Solver};
use regatta_term::{
    Arena, Build, Evaluator, Op, Pool, Rebuild, Sort, Store, Symbol, TermId, TermKind, Value,
    conjuncts, free_variables, size, store, transfer,
};

/// A set of states at a cut point from which certain inputs lead to a violation: those that satisfy all literals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cube {
    /// The cut point.
    pub at: InlinedLocation,
    /// Boolean terms of the shared store over state variables at instance 0; atoms and negated atoms.
    pub literals: Vec<TermId>,
}

/// Maximum size of a precondition that is lifted (nodes).
const MAXIMUM_PRECONDITION_NODES: usize = 20_000;

/// How a state becomes a set of states.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Lifting {
    /// By atoms of the weakest precondition of the violation, of which an unsat core keeps those that are needed.
    Preconditions,
    /// By an interpolant between the state and the states without the violation, from an interpolation procedure.
    Interpolation,
    /// By the weakest of these interpolants: the weakest precondition as a whole.
    WeakestInterpolant,
}
choice!(
    Lifting: "preconditions" = Self::Preconditions, "interpolation" = Self::Interpolation,
    "weakest-interpolant" = Self::WeakestInterpolant,
);

/// Lifts states to sets of states.
pub struct Lifter {
    means: Means,
    limit: CheckLimit,
}

enum Means {
    /// The cube is made of atoms, or else of the precondition's conjuncts.
    Core {
        solver: Box<dyn Solver>,
        has_atoms: bool,
    },
    Interpolant(Box<Interpolators>),
}

impl Lifter {
    /// Creates a lifter with a solver of its own.
    pub fn new(
        lifting: Lifting,
        solver: Box<dyn Solver>,
        limit: CheckLimit,
        context: &Context<'_>,
    ) -> Self {
        let means = match lifting {
            Lifting::Preconditions => Means::Core {
                solver,
                has_atoms: true,
            },
            Lifting::WeakestInterpolant => Means::Core {
                solver,
                has_atoms: false,
            },
            Lifting::Interpolation => {
                let config = InterpolationConfig::default();
                let mut interpolators =
                    Interpolators::new(config, solver).with_workers(context.workers);
                interpolators.set_limit(limit);
                context.token.interrupts(interpolators.interrupter());
                Means::Interpolant(Box::new(interpolators))
            }
        };
        Self { means, limit }
    }

    /// Returns the states from which the inputs of the unrolling's model lead to the violation (a term that holds in
    /// the model); `invariants` gives those of a cut point. `None` if the model is incomplete, or the precondition too
    /// large.
    pub fn lift(
        &mut self,
        unrolling: &mut Unrolling,
        violation: TermId,
        invariants: &dyn Fn(InlinedLocation) -> Vec<TermId>,
    ) -> Option<Cube> {
        let (at, precondition) = unrolling.precondition(violation)?;
        if size(store(), precondition) > MAXIMUM_PRECONDITION_NODES {
            return None;
        }
        let mut state: FxHashMap<(Symbol, u32), Value> = FxHashMap::default();
        for (symbol, instance) in free_variables(store(), precondition) {
            let value = unrolling
                .solver()
                .value(store().variable_at(symbol, instance))
                .unwrap_or_else(|| Value::zero(symbol.sort()));
            state.insert((symbol, instance), value);
        }
        let literals = match &mut self.means {
            Means::Core { solver, has_atoms } => {
                let literals = match has_atoms {
                    true => Justification::new(&state).of(precondition)?,
                    false => conjuncts(store(), precondition),
                };
                core(
                    &mut **solver,
                    self.limit,
                    precondition,
                    literals,
                    &invariants(at),
                )
            }
            Means::Interpolant(interpolators) => {
                interpolant(interpolators, precondition, &state, invariants(at))?
            }
        };
        Some(Cube { at, literals })
    }
}

/// Returns a subset of the literals that implies the formula under the invariants.
fn core(
    solver: &mut dyn Solver,
    limit: CheckLimit,
    formula: TermId,
    literals: Vec<TermId>,
    invariants: &[TermId],
) -> Vec<TermId> {
    if literals.len() < 2 {
        return literals;
    }
    let arena: Rc<Arena> = Rc::clone(solver.arena());
    solver.push();
    solver.assert(arena.not(formula));
    for &invariant in invariants {
        solver.assert(invariant);
    }
    solver.set_limit(limit);
    let core = (solver.check(&literals) == Answer::Unsatisfiable).then(|| solver.unsat_core());
    solver.pop();
    match core {
        // The invariants exclude the state if the core is empty: then there is nothing to lift.
        Some(core) if !core.is_empty() => {
            let mut literals = literals;
            literals.retain(|literal| core.contains(literal));
            literals
        }
        _ => literals,
    }
}

/// Returns the conjuncts of a formula that the state satisfies and that, under the invariants, implies the formula.
fn interpolant(
    interpolators: &mut Interpolators,
    formula: TermId,
    state: &FxHashMap<(Symbol, u32), Value>,
    invariants: Vec<TermId>,
) -> Option<Vec<TermId>> {
    let mut cut = Vec::new();
    let mut equations = Vec::new();
    for (&(symbol, instance), value) in state {
        let variable = store().variable_at(symbol, instance);
        cut.push(variable);
        equations.push(store().eq(variable, store().value(value)));
    }
    let without = invariants.into_iter().chain([store().not(formula)]);
    let formulas = [
        store().and(equations),
        store().and(without.collect::<Vec<_>>()),
    ];
    let answer = interpolators.interpolate(Sequence {
        formulas: &formulas,
        cuts: &[cut],
    });
    let Interpolation::Interpolants(interpolants) = answer else {
        return None;
    };
    let set = transfer(&**interpolators.arena(), store(), interpolants[0]);
    (set != TermId::TRUE && set != TermId::FALSE).then(|| conjuncts(store(), set))
}

/// The search for literals that make a formula true in a state.
struct Justification<'s> {
    state: &'s FxHashMap<(Symbol, u32), Value>,
    literals: Vec<TermId>,
    seen: FxHashSet<(TermId, bool)>,
    open: Vec<(TermId, bool)>,
}

impl<'s> Justification<'s> {
    fn new(state: &'s FxHashMap<(Symbol, u32), Value>) -> Self {
        Self {
            state,
            literals: Vec::new(),
            seen: FxHashSet::default(),
            open: Vec::new(),
        }
    }

    /// Returns literals that are true in the state and imply the formula; `None` if it is not true there.
    fn of(mut self, formula: TermId) -> Option<Vec<TermId>> {
        let state = self.state;
        let assignment = |symbol, instance| state.get(&(symbol, instance)).cloned();
        let mut evaluator = Evaluator::new(store(), &assignment);
        let mut holds = |term: TermId| {
            evaluator
                .evaluate(term)
                .ok()
                .map(|value| value == Value::Bool(true))
        };
        if !holds(formula)? {
            return None;
        }
        self.open.push((formula, true));
        while let Some((term, wanted)) = self.open.pop() {
            if !self.seen.insert((term, wanted)) {
                continue;
            }
            let TermKind::Apply { op, arguments } = store().kind(term) else {
                if term != TermId::TRUE && term != TermId::FALSE {
                    self.literals.push(literal(term, wanted));
                }
                continue;
            };
            let boolean = |term: &TermId| store().sort(*term) == Sort::Bool;
            match op {
                Op::Not => self.open.push((arguments[0], !wanted)),
                Op::And | Op::Or if wanted == (op == Op::And) => {
                    self.open.extend(arguments.iter().map(|&one| (one, wanted)));
                }
                Op::And | Op::Or => {
                    let deciding = arguments.iter().filter(|&&one| holds(one) == Some(wanted));
                    let simplest = deciding.min_by_key(|&&one| size(store(), one));
                    self.open.push((*simplest?, wanted));
                }
                Op::Ite if boolean(&arguments[1]) => {
                    let condition = holds(arguments[0])?;
                    self.open.push((arguments[0], condition));
                    self.open
                        .push((arguments[if condition { 1 } else { 2 }], wanted));
                }
                Op::Eq if boolean(&arguments[0]) => {
                    for &side in arguments {
                        self.open.push((side, holds(side)?));
                    }
                }
                _ => {
                    let (atom, conditions) = without_conditional_terms(store(), term, &mut holds)?;
                    if atom != term {
                        self.open.push((atom, wanted));
                    } else {
                        self.literals.push(literal(term, wanted));
                    }
                    self.open.extend(conditions);
                }
            }
        }
        self.literals.sort_unstable();
        self.literals.dedup();
        Some(self.literals)
    }
}

fn literal(atom: TermId, wanted: bool) -> TermId {
    if wanted { atom } else { store().not(atom) }
}

/// Replaces the atom's conditional terms by the branches taken, and returns it with the conditions of these.
fn without_conditional_terms(
    pool: &Store,
    atom: TermId,
    holds: &mut impl FnMut(TermId) -> Option<bool>,
) -> Option<(TermId, Vec<(TermId, bool)>)> {
    let mut conditions = Vec::new();
    let mut atom = atom;
    // Each pass removes the outermost conditional terms.
    loop {
        let mut undecided = false;
        let mut fresh = Vec::new();
        let replace = |term| match pool.kind(term) {
            TermKind::Apply {
                op: Op::Ite,
                arguments,
            } => {
                let Some(condition) = holds(arguments[0]) else {
                    undecided = true;
                    return Some(term);
                };
                fresh.push((arguments[0], condition));
                Some(arguments[if condition { 1 } else { 2 }])
            }
            _ => None,
        };
        let next = Rebuild::new(pool, pool, replace).rebuild(atom);
        if undecided {
            return None;
        }
        if fresh.is_empty() {
            return Some((next, conditions));
        }
        conditions.append(&mut fresh);
        atom = next;
    }
}
