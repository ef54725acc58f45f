//! Abstraction formulas as terms (\[BDW18\], section 4.4). A solver decides entailment.
//!
//! Where the precision is empty, a new state is true, as in IMPACT. Where it has predicates, as for UFO (\[AGC12\]; \[BDW18\],
//! section 4.5.1), it is their abstraction: Cartesian, the conjunction of those predicates and negations that each hold after
//! the block; or Boolean, the strongest combination of the predicates that holds there.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::abstraction::{Abstraction, BlockFormula};
use super::boolean::Solvers;
use super::path_formula::PathFormula;
use super::precision::{Precision, PredicateId, Predicates};
use super::regions::TooLarge;
use super::representation::Representation;
use crate::location::Place;
use regatta_base::counters::{self, Counter};
use regatta_program::InlinedLocation;
use regatta_solver::{Answer, CheckLimit, Solver, SolverError, retain_holding};
use regatta_term::{Build, TermId, store};

/// Maximum resources of a query in the solver's own unit (a limit in time would cost a thread each). A query that exceeds
/// it is undecided, which excludes nothing.
const QUERY_RESOURCES: u32 = 20_000_000;

/// Maximum number of blocks with solvers; beyond it, all solvers are dropped and created anew.
const MAXIMUM_SOLVERS: usize = 400;

/// The operator, with abstraction formulas as terms.
pub struct SyntacticAbstraction<'f> {
    solvers: &'f Solvers<'f>,
    entailment: Box<dyn Solver>,
    blocks: FxHashMap<*const PathFormula, (Rc<PathFormula>, Box<dyn Solver>)>,
    runs: FxHashMap<(*const PathFormula, TermId), bool>,
    entails: FxHashMap<(TermId, TermId, Place), bool>,
    invariants: FxHashMap<InlinedLocation, TermId>,
    predicates: Predicates,
    /// Whether the abstraction with predicates is Boolean rather than Cartesian.
    is_boolean: bool,
    /// Whether every block is checked for whether it can be executed.
    checks_all_blocks: bool,
    /// The number of queries.
    pub checks: u64,
    /// The reason why it cannot continue, if any.
    pub failure: Option<String>,
}

impl<'f> SyntacticAbstraction<'f> {
    /// Creates it without invariants.
    ///
    /// # Errors
    /// When there is no solver.
    pub fn new(solvers: &'f Solvers<'f>) -> Result<Self, SolverError> {
        let mut entailment = solvers()?;
        entailment.set_limit(limit());
        Ok(Self {
            solvers,
            entailment,
            blocks: FxHashMap::default(),
            runs: FxHashMap::default(),
            entails: FxHashMap::default(),
            invariants: FxHashMap::default(),
            predicates: Predicates::default(),
            is_boolean: false,
            checks_all_blocks: true,
            checks: 0,
            failure: None,
        })
    }

    /// Computes Boolean abstractions, not Cartesian ones.
    pub fn with_boolean_abstraction(self) -> Self {
        Self {
            is_boolean: true,
            ..self
        }
    }

    /// Asks no query about a block that ends where there are no predicates, not even `false`: the abstraction is true there.
    pub fn without_queries_for_empty_precision(self) -> Self {
        Self {
            checks_all_blocks: false,
            ..self
        }
    }

    /// Returns the abstraction with the predicates at the block's end, if the block starts in a state that satisfies the
    /// formula.
    fn abstraction(
        &mut self,
        before: TermId,
        block: &BlockFormula<'_>,
        predicates: &[PredicateId],
    ) -> TermId {
        let Some((_, solver)) = self.blocks.get_mut(&Rc::as_ptr(block.formula)) else {
            return TermId::TRUE;
        };
        let arena = Rc::clone(solver.arena());
        solver.push();
        solver.assert(before);
        let mut open: Vec<(TermId, TermId)> = Vec::new();
        for &predicate in predicates {
            let predicate = self.predicates.term_of(predicate);
            let image = block.at_end(&arena, predicate);
            for equation in block.definitions(&arena, image) {
                solver.assert(equation);
            }
            open.extend([
                (predicate, image),
                (store().not(predicate), arena.not(image)),
            ]);
        }
        if self.is_boolean {
            let literals: Vec<_> = open.into_iter().step_by(2).collect();
            let formula = all_models(&mut **solver, &literals, &mut self.checks);
            solver.pop();
            return formula;
        }
        loop {
            let broken = open.iter().map(|&(_, image)| arena.not(image));
            let any = arena.or(broken.collect::<Vec<_>>());
            self.checks += 1;
            match solver.check(&[any]) {
                Answer::Unsatisfiable => break,
                Answer::Satisfiable => {
                    let before = open.len();
                    retain_holding(&mut **solver, &mut open, |&(_, image)| image);
                    if open.len() == before {
                        open.clear();
                    }
                }
                Answer::Unknown(_) => open.clear(),
            }
            if open.is_empty() {
                break;
            }
        }
        solver.pop();
        store().and(open.into_iter().map(|(predicate, _)| predicate))
    }

    fn known(&self, at: Place) -> TermId {
        match at {
            Place::At(at) => self.invariants.get(&at).copied().unwrap_or(TermId::TRUE),
            Place::Unsupported { .. } => TermId::TRUE,
        }
    }

    /// Checks whether the block is feasible from a state that satisfies the formula.
    fn runs(&mut self, before: TermId, block: &BlockFormula<'_>) -> Result<bool, SolverError> {
        let key = Rc::as_ptr(block.formula);
        let before = store().and2(before, self.known(block.source));
        if let Some(&known) = self.runs.get(&(key, before)) {
            return Ok(known);
        }
        if !self.blocks.contains_key(&key) {
            if self.blocks.len() >= MAXIMUM_SOLVERS {
                self.blocks.clear();
                self.runs.clear();
            }
            let mut solver = (self.solvers)()?;
            solver.set_limit(limit());
            let arena = Rc::clone(solver.arena());
            for formula in block.guard(&arena) {
                solver.assert(formula);
            }
            self.blocks.insert(key, (Rc::clone(block.formula), solver));
        }
        self.checks += 1;
        let runs = self
            .blocks
            .get_mut(&key)
            .is_none_or(|(_, solver)| solver.check(&[before]) != Answer::Unsatisfiable);
        self.runs.insert((key, before), runs);
        Ok(runs)
    }
}

/// Returns the strongest Boolean combination of the predicates that holds in all models; each comes with the term that
/// stands for it in the solver. True, if that is not decided.
fn all_models(
    solver: &mut dyn Solver,
    predicates: &[(TermId, TermId)],
    checks: &mut u64,
) -> TermId {
    let arena = Rc::clone(solver.arena());
    let images: Vec<TermId> = predicates.iter().map(|&(_, image)| image).collect();
    let mut cubes = Vec::new();
    loop {
        *checks += 1;
        match solver.check(&[]) {
            Answer::Unsatisfiable => return store().or(cubes),
            Answer::Unknown(_) => return TermId::TRUE,
            Answer::Satisfiable => {}
        }
        let values = solver.holding(&images);
        let literal = |(&(predicate, image), &value): (&(TermId, TermId), &bool)| match value {
            true => (predicate, arena.not(image)),
            false => (store().not(predicate), image),
        };
        let (cube, others): (Vec<_>, Vec<_>) = predicates.iter().zip(&values).map(literal).unzip();
        cubes.push(store().and(cube));
        solver.assert(arena.or(others));
    }
}

fn limit() -> CheckLimit {
    CheckLimit {
        time: None,
        resource: Some(QUERY_RESOURCES),
    }
}

impl Abstraction for SyntacticAbstraction<'_> {
    type Formula = TermId;
    type Precision = Rc<Precision>;

    fn top(&self) -> TermId {
        TermId::TRUE
    }

    fn compute(
        &mut self,
        before: &TermId,
        block: &BlockFormula<'_>,
        precision: &Rc<Precision>,
    ) -> Option<TermId> {
        let predicates = match block.target {
            Place::At(at) if !self.checks_all_blocks && precision.is_empty_at(at) => {
                return Some(TermId::TRUE);
            }
            Place::At(at) if !block.is_target => precision.at(at),
            _ => &[],
        };
        match counters::time(Counter::Abstraction, || self.runs(*before, block)) {
            Ok(false) => None,
            Ok(true) if predicates.is_empty() => Some(TermId::TRUE),
            Ok(true) => {
                let before = store().and2(*before, self.known(block.source));
                Some(self.abstraction(before, block, predicates))
            }
            Err(error) => {
                self.failure.get_or_insert(error.to_string());
                Some(TermId::TRUE)
            }
        }
    }

    fn entails(&mut self, one: &TermId, other: &TermId, at: Place) -> bool {
        if one == other || *other == TermId::TRUE || *one == TermId::FALSE {
            return true;
        }
        if let Some(&known) = self.entails.get(&(*one, *other, at)) {
            return known;
        }
        let known = self.known(at);
        self.checks += 1;
        let not = store().not(*other);
        let answer = self.entailment.check(&[*one, known, not]);
        let entails = answer == Answer::Unsatisfiable;
        self.entails.insert((*one, *other, at), entails);
        entails
    }
}

impl Representation for SyntacticAbstraction<'_> {
    fn predicate(&mut self, term: TermId) -> Result<PredicateId, TooLarge> {
        Ok(self.predicates.add(term))
    }

    fn term_of(&self, predicate: PredicateId) -> TermId {
        self.predicates.term_of(predicate)
    }

    fn term(&self, formula: &TermId) -> TermId {
        *formula
    }

    fn is_top(&self, formula: &TermId) -> bool {
        *formula == TermId::TRUE
    }

    fn strengthened(&mut self, formula: &TermId, by: TermId, at: Place) -> Option<TermId> {
        let after = store().and2(*formula, by);
        (after != *formula && !self.entails(formula, &by, at)).then_some(after)
    }

    fn assume(&mut self, at: InlinedLocation, invariant: TermId) {
        let known = self.invariants.entry(at).or_insert(TermId::TRUE);
        *known = store().and2(*known, invariant);
        self.runs.clear();
        self.entails.retain(|_, entails| *entails);
    }

    fn invariants_at(&self, at: InlinedLocation) -> Vec<TermId> {
        self.invariants.get(&at).copied().into_iter().collect()
    }

    fn failure(&self) -> Option<String> {
        self.failure.clone()
    }
}
