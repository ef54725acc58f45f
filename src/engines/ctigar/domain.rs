//! The abstract domain: predicates and the implications between them (\[Bir13\], sections 3.1 and 3.6).

use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cube::{Cube, Literal, PredicateId, State};
use super::system::{PlaceId, System};
use super::{Options, Stop};
use crate::Context;
use crate::invariants::guess::Vocabulary;
use regatta_program::{CScalar, Program, VariableId};
use regatta_solver::{Answer, CheckLimit, Solver};
use regatta_term::{
    Build, Evaluator, Op, Pool, Sort, Symbol, TermId, TermKind, Value, conjuncts, for_each_subterm,
    free_variables, store,
};

/// Maximum wall time of a query whether one predicate implies another, if no other is given.
pub const IMPLICATION_TIME: Duration = Duration::from_millis(100);

/// Returns the atoms of the formulas: comparisons, and Boolean variables.
pub fn atoms(formulas: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
    let mut all = Vec::new();
    for_each_subterm(store(), formulas, |term, kind| {
        let is_atom = match kind {
            TermKind::Apply { op, arguments } => {
                !matches!(op, Op::Not | Op::And | Op::Or | Op::Ite)
                    && store().sort(arguments[0]) != Sort::Bool
            }
            TermKind::Variable { .. } => true,
            TermKind::Constant(_) => false,
        };
        if is_atom && store().sort(term) == Sort::Bool {
            all.push(term);
        }
    });
    all
}

/// A predicate of the domain.
#[derive(Debug)]
struct Predicate {
    /// A Boolean term of the shared store over state variables.
    formula: TermId,
    symbols: Vec<Symbol>,
}

/// The predicates that an equation between numbers is split into (\[Bir13\], section 3.6).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Equations {
    /// The equation.
    Whole,
    /// Its two inequalities.
    Split,
    /// The equation and one inequality.
    Both,
}

/// The abstract domain.
pub struct Domain {
    predicates: Vec<Predicate>,
    known: FxHashMap<TermId, Literal>,
    /// For each place, the predicates over its variables.
    by_place: Vec<Vec<PredicateId>>,
    /// For each place, its variables.
    state: Vec<FxHashSet<Symbol>>,
    unsigned: FxHashSet<Symbol>,
    equations: Equations,
    /// The implications between predicates that have been checked.
    implied: FxHashMap<(PredicateId, PredicateId), bool>,
    implication_time: Duration,
}

impl Domain {
    /// Creates the initial domain that the options describe.
    pub fn new(system: &System<'_>, options: &Options) -> Self {
        let program = system.blocks().inlined().program();
        let symbol = |id: &VariableId| program.variable(*id).symbol;
        let unsigned = program.variables.iter().filter(|variable| {
            matches!(
                variable.c_type,
                Some(CScalar::Integer { signed: false, .. } | CScalar::Pointer | CScalar::Bool)
            )
        });
        let mut domain = Self {
            predicates: Vec::new(),
            known: FxHashMap::default(),
            by_place: system.places().map(|_| Vec::new()).collect(),
            state: system
                .places()
                .map(|(_, place)| place.variables.iter().map(symbol).collect())
                .collect(),
            unsigned: unsigned.map(|variable| variable.symbol).collect(),
            equations: options.equations,
            implied: FxHashMap::default(),
            implication_time: options.implication_time,
        };
        if options.initial_conditions {
            domain.add_conditions(system, options.maximum_conditions as usize);
        }
        if options.initial_orders {
            domain.add_orders(system, program, options.maximum_orders as usize);
        }
        domain
    }

    /// Adds the conditions of the program, and those of its blocks that depend on the state alone, up to a number of
    /// predicates.
    fn add_conditions(&mut self, system: &System<'_>, most: usize) {
        let program = system.blocks().inlined().program();
        let vocabulary = Vocabulary::of(program);
        let variables: Vec<TermId> = (program.variables.iter())
            .map(|variable| store().variable(variable.symbol))
            .collect();
        let mut all = vocabulary.conditions_over(variables.into_iter());
        for (_, place) in system.places() {
            all.extend(atoms(place.blocks.iter().map(|block| block.guard)));
        }
        for condition in all {
            if self.predicates.len() < most
                && free_variables(store(), condition)
                    .iter()
                    .all(|(_, instance)| *instance == 0)
            {
                self.add(condition);
            }
        }
    }

    /// Adds the predicates that one variable is less than another of the same type. `most` is the maximum number of such
    /// predicates at a place; a place that would have more gets none.
    fn add_orders(&mut self, system: &System<'_>, program: &Program, most: usize) {
        let numbers = |id: &VariableId| {
            let variable = program.variable(*id);
            (variable.c_type, variable.symbol)
        };
        for (_, place) in system.places() {
            let all: Vec<_> = place.variables.iter().map(numbers).collect();
            let mut orders = Vec::new();
            for (kind, one) in &all {
                for (other_kind, other) in &all {
                    let comparable = matches!(one.sort(), Sort::Int | Sort::BitVec(8..))
                        && one != other
                        && kind == other_kind
                        && one.sort() == other.sort();
                    if comparable {
                        let (one, other) = (store().variable(*one), store().variable(*other));
                        orders.push(store().not(self.at_most(other, one)));
                    }
                }
            }
            if orders.len() <= most {
                for order in orders {
                    self.add(order);
                }
            }
        }
    }

    pub fn len(&self) -> usize {
        self.predicates.len()
    }

    /// Returns the predicates that were added last, as terms of the store.
    pub fn last(&self, count: usize) -> Vec<TermId> {
        let begin = self.predicates.len().saturating_sub(count);
        let last = self.predicates[begin..].iter();
        last.map(|predicate| predicate.formula).collect()
    }

    /// Adds each conjunct of the formula as a predicate, with equations split according to the options. Returns the number of
    /// new predicates.
    pub fn add(&mut self, formula: TermId) -> usize {
        let before = self.predicates.len();
        for part in conjuncts(store(), formula) {
            match (self.equations, self.inequalities(part)) {
                (Equations::Split, Some([one, other])) => {
                    self.add_one(one);
                    self.add_one(other);
                }
                (Equations::Both, Some([one, _])) => {
                    self.add_one(part);
                    self.add_one(one);
                }
                _ => self.add_one(part),
            }
        }
        self.predicates.len() - before
    }

    fn add_one(&mut self, formula: TermId) {
        let formula = match store().kind(formula) {
            TermKind::Apply {
                op: Op::Not,
                arguments,
            } => arguments[0],
            TermKind::Constant(_) => return,
            _ => formula,
        };
        if self.known.contains_key(&formula) {
            return;
        }
        let symbols: Vec<Symbol> = free_variables(store(), formula)
            .into_iter()
            .map(|(symbol, _)| symbol)
            .collect();
        let predicate = PredicateId(self.predicates.len() as u32);
        for (place, state) in self.by_place.iter_mut().zip(&self.state) {
            if symbols.iter().all(|symbol| state.contains(symbol)) {
                place.push(predicate);
            }
        }
        for is_true in [true, false] {
            let literal = Literal { predicate, is_true };
            let term = if is_true {
                formula
            } else {
                store().not(formula)
            };
            self.known.insert(term, literal);
        }
        self.predicates.push(Predicate { formula, symbols });
    }

    /// Splits an equation between numbers into two inequalities.
    pub fn inequalities(&self, formula: TermId) -> Option<[TermId; 2]> {
        let TermKind::Apply {
            op: Op::Eq,
            arguments: &[one, other],
        } = store().kind(formula)
        else {
            return None;
        };
        match store().sort(one) {
            Sort::Int => {}
            Sort::BitVec(width) if width > 1 => {}
            _ => return None,
        }
        Some([self.at_most(one, other), self.at_most(other, one)])
    }

    /// Returns the formula `one <= other` with the signedness of the comparison in C.
    pub fn at_most(&self, one: TermId, other: TermId) -> TermId {
        if store().sort(one) == Sort::Int {
            return store().int_le(one, other);
        }
        let mut variables = free_variables(store(), one);
        variables.extend(free_variables(store(), other));
        let unsigned = variables
            .iter()
            .filter(|(symbol, _)| !symbol.sort().is_array())
            .any(|(symbol, _)| self.unsigned.contains(symbol));
        match unsigned {
            true => store().ule(one, other),
            false => store().sle(one, other),
        }
    }

    /// Returns the literal's predicate as a term of the store.
    pub fn predicate(&self, literal: Literal) -> TermId {
        self.predicates[literal.predicate.0 as usize].formula
    }

    /// Returns the literal as a term of the store.
    pub fn literal(&self, literal: Literal) -> TermId {
        let formula = self.predicates[literal.predicate.0 as usize].formula;
        match literal.is_true {
            true => formula,
            false => store().not(formula),
        }
    }

    /// Returns the conjunction of the cube's literals as a term of the store.
    pub fn cube(&self, cube: &Cube) -> TermId {
        let literals = cube.literals().iter();
        store().and(
            literals
                .map(|&literal| self.literal(literal))
                .collect::<Vec<_>>(),
        )
    }

    /// Checks whether the variable is of an unsigned type.
    pub fn is_unsigned(&self, symbol: Symbol) -> bool {
        self.unsigned.contains(&symbol)
    }

    /// Returns those predicates, or their negations, whose value the cells of the states determine.
    pub fn literals_of(&self, state: &State) -> Vec<TermId> {
        let cells: FxHashMap<Symbol, Value> = (state.cells.iter())
            .filter(|(cell, _)| cell.index.is_none())
            .map(|(cell, value)| (cell.symbol, value.clone()))
            .collect();
        let assignment = |symbol, _| cells.get(&symbol).cloned();
        let mut evaluator = Evaluator::new(store(), &assignment);
        let predicates = self.at(state.at).iter().filter_map(|&predicate| {
            let formula = self.predicates[predicate.0 as usize].formula;
            match evaluator.evaluate(formula).ok()? {
                Value::Bool(true) => Some(formula),
                _ => Some(store().not(formula)),
            }
        });
        predicates.collect()
    }

    /// Returns the predicates over the variables of the place.
    pub fn at(&self, place: PlaceId) -> &[PredicateId] {
        &self.by_place[place.index()]
    }

    /// Checks whether one of the symbols occurs in the predicate.
    pub fn mentions(&self, predicate: PredicateId, symbols: &FxHashSet<Symbol>) -> bool {
        let own = &self.predicates[predicate.0 as usize].symbols;
        own.iter().any(|symbol| symbols.contains(symbol))
    }

    /// Returns the nearest literals that the literal implies: PARENTS of a predicate, CHILDREN of a negated one (\[Bir13\],
    /// section 3.1). Implications are checked lazily.
    pub fn weaker(
        &mut self,
        literal: Literal,
        at: PlaceId,
        solver: &mut dyn Solver,
        context: &Context<'_>,
    ) -> Result<Vec<Literal>, Stop> {
        let own: FxHashSet<Symbol> = self.predicates[literal.predicate.0 as usize]
            .symbols
            .iter()
            .copied()
            .collect();
        let others: Vec<PredicateId> = self.at(at).to_vec();
        let mut implied = Vec::new();
        for other in others {
            if other == literal.predicate || !self.mentions(other, &own) {
                continue;
            }
            let pair = match literal.is_true {
                true => (literal.predicate, other),
                false => (other, literal.predicate),
            };
            if self.implies(pair, solver, context)? {
                implied.push(other);
            }
        }
        let mut nearest = implied.clone();
        for &one in &implied {
            let mut keep = true;
            for &between in &implied {
                let pair = match literal.is_true {
                    true => (between, one),
                    false => (one, between),
                };
                if one != between && self.implies(pair, solver, context)? {
                    // Of equivalent predicates, the first one stays.
                    let back = self.implies((pair.1, pair.0), solver, context)?;
                    keep &= back && one < between;
                }
            }
            if !keep {
                nearest.retain(|&other| other != one);
            }
        }
        let is_true = literal.is_true;
        Ok(nearest
            .into_iter()
            .map(|predicate| Literal { predicate, is_true })
            .collect())
    }

    fn implies(
        &mut self,
        pair: (PredicateId, PredicateId),
        solver: &mut dyn Solver,
        context: &Context<'_>,
    ) -> Result<bool, Stop> {
        if let Some(&known) = self.implied.get(&pair) {
            return Ok(known);
        }
        if context.token.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let formula = |id: PredicateId| self.predicates[id.0 as usize].formula;
        let both = store().not(store().implies(formula(pair.0), formula(pair.1)));
        solver.push();
        solver.assert(both);
        solver.set_limit(CheckLimit {
            time: Some(self.implication_time),
            resource: None,
        });
        let implies = solver.check(&[]) == Answer::Unsatisfiable;
        solver.pop();
        self.implied.insert(pair, implies);
        Ok(implies)
    }
}
