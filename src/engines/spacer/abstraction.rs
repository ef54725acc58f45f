//! ABSTRACT: the constraints that a proof needs. REFINE: the constraints that a spurious counterexample violates.

use rustc_hash::{FxHashMap, FxHashSet};

use super::invariants::Lemmas;
use super::program::{Constraint, CountedProgram};
use super::steps::{Core, Steps, minimal_core};
use regatta_solver::horn::{Application, HornClause, HornSystem};
use regatta_term::{Build, Pool, Symbol, TermId, instantiate, substitute};

/// A subset Σ̂ of the assumptions, which induces the abstraction P̃(Σ̂): for each constraint of each transition, whether it
/// is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abstraction {
    kept: Vec<Vec<bool>>,
}

impl Abstraction {
    /// Returns Σ, which induces the program itself.
    pub fn whole(program: &CountedProgram) -> Self {
        let transitions = program.transitions.iter();
        Self {
            kept: transitions
                .map(|one| vec![true; one.constraints.len()])
                .collect(),
        }
    }

    /// Returns the empty set.
    fn coarsest(program: &CountedProgram) -> Self {
        let mut empty = Self::whole(program);
        empty
            .kept
            .iter_mut()
            .flatten()
            .for_each(|kept| *kept = false);
        empty
    }

    /// Returns |Σ̂|.
    pub fn size(&self) -> usize {
        self.kept.iter().flatten().filter(|&&kept| kept).count()
    }

    fn is_kept(&self, transition: usize, constraint: usize) -> bool {
        self.kept[transition][constraint]
    }

    /// Keeps the constraints of the transition whose assumptions are in the core.
    fn keep(&mut self, steps: &Steps<'_>, transition: usize, core: &[TermId]) {
        let kept = self.kept[transition].iter_mut();
        for (kept, assumption) in kept.zip(steps.assumptions(transition)) {
            *kept |= core.contains(assumption);
        }
    }

    /// Returns the transition's assumptions that are in the set if `kept`, or else those that are not.
    fn assumptions(&self, steps: &Steps<'_>, transition: usize, kept: bool) -> Vec<TermId> {
        let pairs = self.kept[transition].iter();
        let pairs = pairs.zip(steps.assumptions(transition));
        pairs
            .filter(|pair| *pair.0 == kept)
            .map(|(_, &assumption)| assumption)
            .collect()
    }

    /// Returns the clauses, one per transition, of the under-approximation U(Σ̂, bvals) restricted to the invariants.
    pub fn bounded(&self, program: &CountedProgram, bound: u32, invariants: &Lemmas) -> HornSystem {
        let arena = &program.arena;
        let clauses = program.transitions.iter().enumerate();
        let clauses = clauses.map(|(number, step)| {
            let (from, to) = (step.from.as_ref(), step.to.as_ref());
            let mut conditions = vec![step.always];
            let mut definitions = FxHashMap::default();
            for (index, &constraint) in step.constraints.iter().enumerate() {
                if !self.is_kept(number, index) {
                    continue;
                }
                match constraint {
                    Constraint::Holds(condition) => {
                        conditions.push(substitute(&**arena, condition, &definitions));
                    }
                    Constraint::Definition(name, value) => {
                        let value = substitute(&**arena, value, &definitions);
                        definitions.insert(name, value);
                    }
                }
            }
            conditions.push(program.bounds(step, bound));
            conditions.push(program.all_applied(invariants, from));
            conditions.push(program.all_applied(invariants, to));
            HornClause {
                constraint: arena.and(conditions),
                body: from.cloned().into_iter().collect(),
                head: to.cloned(),
                error: None,
            }
        });
        HornSystem {
            predicates: program.predicates.clone(),
            clauses: clauses.collect(),
        }
    }
}

/// ABSTRACT: returns a small abstraction whose under-approximation for the bound, restricted to the invariants, the lemmas
/// prove safe.
///
/// The unsat core of Figure 6 is computed piecewise, backwards from the error location: a transition's constraints, and the
/// lemmas at its start, are kept if the goal at its end needs them. Thus only lemmas that are used count.
pub fn abstract_by_proof(
    steps: &mut Steps<'_>,
    lemmas: &Lemmas,
    invariants: &Lemmas,
    bound: u32,
) -> Abstraction {
    let program = steps.program();
    let arena = &program.arena;
    let mut result = Abstraction::coarsest(program);
    let mut needed: Vec<FxHashSet<TermId>> = vec![FxHashSet::default(); lemmas.len()];
    let transitions = program.transitions.iter().enumerate();
    let errors = transitions.filter(|(_, step)| step.to.is_none());
    let mut open: Vec<(usize, TermId)> =
        errors.map(|(number, _)| (number, TermId::FALSE)).collect();
    while let Some((number, goal)) = open.pop() {
        let step = &program.transitions[number];
        let (from, to) = (step.from.as_ref(), step.to.as_ref());
        let source = from.map(|place| place.predicate.index());
        // 1. The kept formulas, and the candidates; constraints precede lemmas, so that they are removed in favour of lemmas.
        let mut kept = result.assumptions(steps, number, true);
        let mut candidates = result.assumptions(steps, number, false);
        let mut lemma_of: FxHashMap<TermId, TermId> = FxHashMap::default();
        for &lemma in source.map_or(&[][..], |source| &lemmas[source]) {
            let before = from.map_or(lemma, |from| program.applied(lemma, from));
            if source.is_some_and(|source| needed[source].contains(&lemma)) {
                kept.push(before);
            } else {
                candidates.push(before);
                lemma_of.insert(before, lemma);
            }
        }
        kept.push(program.bounds(step, bound));
        kept.push(program.all_applied(invariants, from));
        kept.push(program.all_applied(invariants, to));
        kept.push(arena.not(to.map_or(goal, |to| program.applied(goal, to))));
        // 2. The candidates that are needed.
        let core = steps.within(number, kept, |solver| minimal_core(solver, &candidates));
        let core = match core {
            Core::Found(core) => core,
            // All candidates, if that is not decided.
            Core::Consistent | Core::Unknown => candidates,
        };
        result.keep(steps, number, &core);
        // 3. The needed lemmas are goals of the transitions into their location.
        let Some(source) = source else {
            continue;
        };
        for lemma in core.iter().filter_map(|one| lemma_of.get(one)) {
            if needed[source].insert(*lemma) {
                let transitions = program.transitions.iter().enumerate();
                let into = transitions.filter(|(_, step)| {
                    let place = step.to.as_ref();
                    place.is_some_and(|place| place.predicate.index() == source)
                });
                open.extend(into.map(|(number, _)| (number, *lemma)));
            }
        }
    }
    result
}

/// The result of REFINE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refined {
    /// The counterexample is feasible in the program.
    Feasible,
    /// The counterexample is spurious, and infeasible in this abstraction.
    Spurious(Abstraction),
    /// The solver did not decide it.
    Unknown,
}

/// REFINE: unrolls the program's transitions along the control path, and additionally keeps constraints that make it
/// infeasible (lines 18 to 20).
pub fn refine(
    steps: &mut Steps<'_>,
    abstraction: &Abstraction,
    invariants: &Lemmas,
    path: &[usize],
) -> Refined {
    let program = steps.program();
    let arena = &program.arena;
    let mut unrolling = Unrolling::new(program);
    let (mut fixed, mut assumptions) = (Vec::new(), Vec::new());
    for &number in path {
        let step = &program.transitions[number];
        unrolling.enter(number);
        fixed.push(unrolling.instance(step.always));
        for place in step.from.iter().chain(&step.to) {
            let known = program.all_applied(invariants, Some(place));
            fixed.push(unrolling.instance(known));
        }
        let pairs = step.constraints.iter().zip(steps.assumptions(number));
        for (index, (&constraint, &assumption)) in pairs.enumerate() {
            let constraint = unrolling.instance(constraint.formula(arena));
            if abstraction.is_kept(number, index) {
                fixed.push(constraint);
            } else {
                fixed.push(arena.implies(assumption, constraint));
                assumptions.push(assumption);
            }
        }
    }
    assumptions.sort_unstable();
    assumptions.dedup();
    match steps.about(fixed, |solver| minimal_core(solver, &assumptions)) {
        Core::Consistent => Refined::Feasible,
        Core::Found(core) => {
            let mut refined = abstraction.clone();
            for &number in path {
                refined.keep(steps, number, &core);
            }
            Refined::Spurious(refined)
        }
        Core::Unknown => Refined::Unknown,
    }
}

/// Instantiation of the variables of successive transitions.
struct Unrolling<'p> {
    program: &'p CountedProgram,
    /// The instances of the current transition's variables.
    names: FxHashMap<TermId, TermId>,
    /// The state after the previous transition.
    state: Vec<TermId>,
    fresh: u32,
}

impl<'p> Unrolling<'p> {
    fn new(program: &'p CountedProgram) -> Self {
        Self {
            program,
            names: FxHashMap::default(),
            state: Vec::new(),
            fresh: 0,
        }
    }

    /// Continues with the transition.
    fn enter(&mut self, transition: usize) {
        let step = &self.program.transitions[transition];
        self.names.clear();
        let before = step.from.iter().flat_map(|place| &place.arguments);
        let state = std::mem::take(&mut self.state);
        self.names.extend(before.copied().zip(state));
        let after = step.to.iter().flat_map(|place| &place.arguments);
        self.state = after.map(|&variable| self.name(variable)).collect();
    }

    fn name(&mut self, variable: TermId) -> TermId {
        let arena = &self.program.arena;
        let fresh = &mut self.fresh;
        *self.names.entry(variable).or_insert_with(|| {
            *fresh += 1;
            let symbol = Symbol::new("on a path", arena.sort(variable));
            arena.variable_at(symbol, *fresh)
        })
    }

    fn instance(&mut self, formula: TermId) -> TermId {
        let arena = std::rc::Rc::clone(&self.program.arena);
        instantiate(&*arena, formula, |symbol, instance| {
            Some(self.name(arena.variable_at(symbol, instance)))
        })
    }
}

/// Returns the clause numbers of a linear refutation in the order of execution, if they form a path to an error.
pub fn control_path(program: &CountedProgram, trace: &[usize]) -> Option<Vec<usize>> {
    let mut path = trace.to_vec();
    path.reverse();
    let place = |place: &Option<Application>| place.as_ref().map(|place| place.predicate);
    let mut at = None;
    for (position, &number) in path.iter().enumerate() {
        let step = program.transitions.get(number)?;
        let is_start = position == 0;
        if step.from.is_none() != is_start || place(&step.from) != at {
            return None;
        }
        at = place(&step.to);
    }
    (at.is_none() && !path.is_empty()).then_some(path)
}
