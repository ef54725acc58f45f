//! P̃ of section 5: the program with a counter for each loop, and with constraints that can be omitted.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::loops::Loops;
use crate::horn_clauses::encode::Encoding;
use regatta_solver::horn::{Application, HornClause, HornSystem, Predicate};
use regatta_term::{
    Arena, Build, Op, Pool, Sort, Symbol, TermId, TermKind, conjuncts, for_each_subterm, store,
    substitute,
};

/// P̃: locations, each with a predicate over its variables and the counters of the loops that it is in, and transitions.
///
/// A counter is the number of times that the loop's head will be reached again: it is chosen when the loop is entered,
/// decremented by each transition to the head, and zero when the loop is left. A bound of the counters thus bounds the
/// iterations.
pub struct CountedProgram {
    /// The arena of the terms.
    pub arena: Rc<Arena>,
    /// The predicates: their parameters are those of the encoding, then counters.
    pub predicates: Vec<Predicate>,
    /// The counters among the parameters of each predicate.
    pub counters: Vec<Vec<TermId>>,
    /// The transitions, one per clause of the encoding.
    pub transitions: Vec<Transition>,
}

/// A transition of the program.
pub struct Transition {
    /// The source and its state, which consists of variables; `None` for the program's start.
    pub from: Option<Application>,
    /// The target and its state, which consists of variables; `None` for the error location.
    pub to: Option<Application>,
    /// The part that every abstraction contains: τ_B without the bounds, and the part of τ that is not [`Omissible`].
    pub always: TermId,
    /// The rest of τ as constraints, each of which can be omitted (it has an assumption in Σ).
    pub constraints: Vec<Constraint>,
}

/// The parts of a transition that an abstraction can omit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Omissible {
    /// Any constraint (section 5).
    Constraints,
    /// An assignment to a next-state variable, whose value is arbitrary then; guards stay (section 6, after \[VGS12\]).
    Variables,
}

/// A constraint of a transition.
#[derive(Copy, Clone, Debug)]
pub enum Constraint {
    /// A condition.
    Holds(TermId),
    /// A variable and its definition, for later conditions and definitions. If omitted, the variable is arbitrary.
    Definition(TermId, TermId),
}

impl Constraint {
    /// Returns the constraint as a formula.
    pub fn formula(self, arena: &Arena) -> TermId {
        match self {
            Self::Holds(condition) => condition,
            Self::Definition(name, value) => arena.eq(name, value),
        }
    }
}

impl CountedProgram {
    /// Creates the program of the clauses, which must be an encoding of a program without recursion.
    pub fn new(encoding: &Encoding, system: &HornSystem, omissible: Omissible) -> Self {
        let arena = Rc::clone(&encoding.arena);
        let loops = loops(system);
        let mut counters = Vec::new();
        let mut predicates = Vec::new();
        for (number, predicate) in (0..).zip(&system.predicates) {
            let own: Vec<TermId> = loops.of(number).iter().map(|&head| counter(head)).collect();
            predicates.push(Predicate {
                name: predicate.name.clone(),
                parameters: [&predicate.parameters[..], &own].concat(),
            });
            counters.push(own);
        }
        let mut builder = Builder {
            arena: &arena,
            loops: &loops,
            omissible,
            fresh: 0,
        };
        let clauses = system.clauses.iter();
        let transitions = clauses.map(|clause| builder.transition(clause)).collect();
        Self {
            arena,
            predicates,
            counters,
            transitions,
        }
    }

    /// Instantiates a formula over the parameters of the place's predicate at the place.
    pub fn applied(&self, formula: TermId, place: &Application) -> TermId {
        let predicate = &self.predicates[place.predicate.index()];
        predicate.applied(&self.arena, formula, &place.arguments)
    }

    /// Instantiates the conjunction of the predicate's formulas at the place; returns true if there is no place.
    pub fn all_applied(&self, formulas: &[Vec<TermId>], place: Option<&Application>) -> TermId {
        let Some(place) = place else {
            return TermId::TRUE;
        };
        let formulas = formulas[place.predicate.index()].iter();
        let formulas = formulas.map(|&formula| self.applied(formula, place));
        self.arena.and(formulas.collect::<Vec<_>>())
    }

    /// Returns the bounds of the counters before and after a transition, which turn τ_B into τ_B(bvals).
    pub fn bounds(&self, transition: &Transition, bound: u32) -> TermId {
        let bound = self.arena.int(bound.into());
        let places = transition.from.iter().chain(&transition.to);
        let bounds = places.flat_map(|place| {
            let counters = self.counters[place.predicate.index()].len();
            let first = place.arguments.len() - counters;
            place.arguments[first..].iter()
        });
        let bounds = bounds.map(|&counter| self.arena.int_le(counter, bound));
        self.arena.and(bounds.collect::<Vec<_>>())
    }

    /// Returns |Σ|, the number of assumptions.
    pub fn assumptions(&self) -> usize {
        let transitions = self.transitions.iter();
        transitions.map(|one| one.constraints.len()).sum()
    }
}

fn counter(head: u32) -> TermId {
    store().variable(Symbol::new(&format!("counter#{head}"), Sort::Int))
}

/// Returns the loops of the predicates. The encoding orders predicates such that a loop's head is where it is entered.
fn loops(system: &HornSystem) -> Loops {
    let edges = system.clauses.iter().filter_map(|clause| {
        let from = clause.body.first()?.predicate;
        Some((from.0, clause.head.as_ref()?.predicate.0))
    });
    let count = system.predicates.len();
    let order: Vec<u32> = (0..count as u32).collect();
    Loops::new(count, &edges.collect::<Vec<_>>(), &order)
}

/// Checks whether the condition equates the variable to a term that does not contain it.
fn assigns(arena: &Arena, condition: TermId, variable: TermId) -> bool {
    let TermKind::Apply {
        op: Op::Eq,
        arguments: &[one, other],
    } = arena.kind(condition)
    else {
        return false;
    };
    let value = match variable {
        variable if variable == one => other,
        variable if variable == other => one,
        _ => return false,
    };
    let mut occurs = false;
    for_each_subterm(arena, [value], |term, _| occurs |= term == variable);
    !occurs
}

struct Builder<'b> {
    arena: &'b Arena,
    loops: &'b Loops,
    omissible: Omissible,
    fresh: u32,
}

impl Builder<'_> {
    fn fresh(&mut self, sort: Sort) -> TermId {
        self.fresh += 1;
        let symbol = Symbol::new("counted program", sort);
        self.arena.variable_at(symbol, self.fresh)
    }

    fn transition(&mut self, clause: &HornClause) -> Transition {
        debug_assert!(clause.body.len() <= 1);
        let mut from = clause.body.first().cloned();
        let mut to = clause.head.clone();
        let conditions = conjuncts(self.arena, clause.constraint);
        let before = from.as_ref().map_or(&[][..], |place| &place.arguments);
        let (guards, assignments) = self.next_state(conditions, before, to.as_mut());
        let (mut always, constraints) = match self.omissible {
            Omissible::Constraints => {
                let all = [guards, assignments].concat();
                (Vec::new(), self.with_names(all))
            }
            Omissible::Variables => {
                let assignments = assignments.into_iter().map(Constraint::Holds);
                (guards, assignments.collect())
            }
        };
        always.push(self.counting(from.as_mut(), to.as_mut()));
        Transition {
            from,
            to,
            always: self.arena.and(always),
            constraints,
        }
    }

    /// Makes the state after the transition consist of variables. Returns the guards, and the assignments to these variables.
    fn next_state(
        &mut self,
        conditions: Vec<TermId>,
        before: &[TermId],
        to: Option<&mut Application>,
    ) -> (Vec<TermId>, Vec<TermId>) {
        let arena = self.arena;
        let (mut guards, mut assignments) = (conditions, Vec::new());
        let mut taken: FxHashSet<TermId> = before.iter().copied().collect();
        for argument in to.into_iter().flat_map(|place| &mut place.arguments) {
            let is_variable = arena.is_variable(*argument) && taken.insert(*argument);
            let is_next_state = is_variable
                && match self.omissible {
                    Omissible::Constraints => true,
                    // Not an input: guards on the input are not guards on the variable that it is assigned to.
                    Omissible::Variables => {
                        let known = assignments.len();
                        assignments
                            .extend(guards.extract_if(.., |one| assigns(arena, *one, *argument)));
                        assignments.len() > known
                    }
                };
            if is_next_state {
                continue;
            }
            let after = self.fresh(arena.sort(*argument));
            assignments.push(arena.eq(after, *argument));
            *argument = after;
        }
        (guards, assignments)
    }

    /// Names the choices within the conditions by variables, so that they can be omitted one by one.
    fn with_names(&mut self, conditions: Vec<TermId>) -> Vec<Constraint> {
        let arena = self.arena;
        let mut names: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut constraints = Vec::new();
        for condition in conditions {
            let mut outermost = vec![condition];
            if let TermKind::Apply {
                op: Op::Not | Op::Eq,
                arguments,
            } = arena.kind(condition)
            {
                outermost.extend(arguments);
            }
            let mut choices = Vec::new();
            for_each_subterm(arena, [condition], |term, kind| {
                let is_choice = matches!(
                    kind,
                    TermKind::Apply {
                        op: Op::Ite | Op::And | Op::Or,
                        ..
                    }
                );
                if is_choice && !outermost.contains(&term) && !names.contains_key(&term) {
                    choices.push(term);
                }
            });
            for choice in choices {
                let value = substitute(arena, choice, &names);
                let name = self.fresh(arena.sort(choice));
                names.insert(choice, name);
                constraints.push(Constraint::Definition(name, value));
            }
            let condition = substitute(arena, condition, &names);
            constraints.push(Constraint::Holds(condition));
        }
        constraints
    }

    /// Adds counters to the arguments of the places; returns conditions (a) to (c) of section 5 on them.
    fn counting(&mut self, from: Option<&mut Application>, to: Option<&mut Application>) -> TermId {
        let (arena, loops) = (self.arena, self.loops);
        let heads = |place: &Option<&mut Application>| {
            let number = place.as_ref().map(|place| place.predicate.0);
            number.map_or(&[][..], |number| loops.of(number))
        };
        let zero = arena.int(0);
        let mut conditions = Vec::new();
        let (inside, outside) = (heads(&from), heads(&to));
        let target = to.as_ref().map(|place| place.predicate.0);
        let mut before = Vec::new();
        for head in inside {
            let counter = self.fresh(Sort::Int);
            before.push(counter);
            conditions.push(arena.int_le(zero, counter));
            if !outside.contains(head) {
                conditions.push(arena.eq(counter, zero));
            }
        }
        let mut after = Vec::new();
        for &head in outside {
            let counter = self.fresh(Sort::Int);
            after.push(counter);
            conditions.push(arena.int_le(zero, counter));
            if let Some(position) = inside.iter().position(|&other| other == head) {
                let iterations = i64::from(target == Some(head));
                let one_less = arena.int_sub(before[position], arena.int(iterations));
                conditions.push(arena.eq(counter, one_less));
            }
        }
        for (place, counters) in [(from, before), (to, after)] {
            if let Some(place) = place {
                place.arguments.extend(counters);
            }
        }
        arena.and(conditions)
    }
}
