//! Boolean predicate abstraction (\[BPR01\]; with all models of a solver as in \[LNO06\]),
//! block by block (\[BKW10\]).
//!
//! The abstraction of a formula is the strongest Boolean combination of predicates that it implies. Each block has an
//! incremental solver to which the block is asserted once, and a cache of results. A predicate at the block's end is
//! translated to a formula over its beginning; if that formula is constant, or a predicate whose value the region before
//! the block determines, no query is needed. If there are many models, relations between pairs of predicates approximate
//! them ([`super::hull`]), until a counterexample requires more precision.

// The hash of a decision diagram does not change, although it has interior mutability.
#![allow(clippy::mutable_key_type)]

use std::rc::Rc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::abstraction::{Abstraction, BlockFormula};
use super::hull::Hull;
use super::path_formula::PathFormula;
use super::precision::{Precision, PredicateId};
use super::regions::{Region, Regions, TooLarge};
use super::representation::Representation;
use crate::location::Place;
use regatta_base::choice;
use regatta_base::counters::{self, Counter};
use regatta_program::InlinedLocation;
use regatta_solver::{Answer, CheckLimit, Solver, SolverError};
use regatta_term::{Build, Op, Pool, Sort, Symbol, TermId, store};

/// Maximum resources of a query in the solver's own unit (a limit in time would cost a thread each). A query that exceeds
/// it is undecided, which excludes nothing.
const QUERY_RESOURCES: u32 = 20_000_000;

/// Initial maximum number of enumerated models, if no other is given.
pub const INITIAL_MODELS: usize = 48;
/// Factor by which the maximum grows when the abstraction was too coarse.
const MODEL_LIMIT_FACTOR: usize = 16;

/// Maximum number of blocks with solvers; beyond it, all solvers are dropped and created anew.
const MAXIMUM_SOLVERS: usize = 400;

/// The states that may cover an abstraction state: the operator stop.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Covering {
    /// A single other abstraction state (stop^sep).
    Single,
    /// All others at the location together. What they cover is removed from new states, so that no combination of predicates
    /// is expanded twice.
    Union,
}
choice!(Covering: "union" = Self::Union, "single" = Self::Single);

/// A factory of solvers.
pub type Solvers<'f> = dyn Fn() -> Result<Box<dyn Solver>, SolverError> + 'f;

/// Counters of Boolean abstraction.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Computations of an abstraction.
    pub abstractions: u64,
    /// Computations that were found in the cache.
    pub remembered: u64,
    /// Queries to solvers.
    pub checks: u64,
    /// Models.
    pub models: u64,
    /// Undecided queries.
    pub unanswered: u64,
    /// Wall time of the computations.
    pub time: Duration,
}

/// The operator, with abstraction formulas as regions.
pub struct BooleanAbstraction<'f> {
    solvers: &'f Solvers<'f>,
    /// The predicates.
    pub regions: Regions,
    blocks: FxHashMap<*const PathFormula, BlockImage>,
    invariants: FxHashMap<InlinedLocation, Vec<TermId>>,
    /// The union of the regions at each location, for [`Covering::Union`].
    union: Option<FxHashMap<InlinedLocation, Region>>,
    limits: Limits,
    /// Whether every block is checked for whether it can be executed.
    checks_all_blocks: bool,
    is_cartesian: bool,
    /// The reason why it cannot continue, if any.
    pub failure: Option<String>,
    /// The counters.
    pub statistics: Statistics,
}

/// The current precision of the enumeration of models.
#[derive(Copy, Clone, Debug)]
struct Limits {
    /// Maximum number of models; beyond it, only relations between pairs of predicates are kept.
    models: usize,
    /// Whether the maximum has been reached.
    reached: bool,
}

/// The image operator of a block.
struct BlockImage {
    /// Keeps the block alive, so that its address, which is the key, is not reused.
    _formula: Rc<PathFormula>,
    solver: Box<dyn Solver>,
    /// The number of invariants of the source that have been asserted.
    asserted_invariants: usize,
    /// Predicates at the end as formulas over the beginning, with the variables that stand for them.
    images: FxHashMap<PredicateId, (TermId, TermId)>,
    remembered: FxHashMap<(Region, Rc<[PredicateId]>), Region>,
}

impl<'f> BooleanAbstraction<'f> {
    /// Creates it without predicates. With [`Covering::Union`], the caller must call
    /// [`Representation::set_union`] when states are removed.
    pub fn new(solvers: &'f Solvers<'f>, covering: Covering) -> Self {
        Self {
            union: (covering == Covering::Union).then(FxHashMap::default),
            solvers,
            regions: Regions::default(),
            blocks: FxHashMap::default(),
            invariants: FxHashMap::default(),
            limits: Limits {
                models: INITIAL_MODELS,
                reached: false,
            },
            checks_all_blocks: true,
            is_cartesian: false,
            failure: None,
            statistics: Statistics::default(),
        }
    }

    /// Sets the maximum number of models that are enumerated at first; beyond it only relations between pairs of predicates
    /// are kept.
    pub fn with_models(self, models: usize) -> Self {
        let limits = Limits {
            models,
            ..self.limits
        };
        Self { limits, ..self }
    }

    /// Computes Cartesian abstractions: conjunctions of predicates and of negations, each of which holds by itself.
    pub fn with_cartesian_abstraction(self) -> Self {
        Self {
            is_cartesian: true,
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

    /// With [`Covering::Union`], returns the states of the region that are in no other state at the end of the block, and adds
    /// them to the union.
    fn new_in(&mut self, block: &BlockFormula<'_>, region: Region) -> Result<Region, TooLarge> {
        let (Place::At(at), Some(union)) = (block.target, &mut self.union) else {
            return Ok(region);
        };
        let union = union.entry(at).or_insert_with(|| self.regions.nothing());
        let new = region.without(union)?;
        *union = union.or(&new)?;
        Ok(new)
    }

    fn image<'i>(
        blocks: &'i mut FxHashMap<*const PathFormula, BlockImage>,
        solvers: &Solvers<'_>,
        block: &BlockFormula<'_>,
    ) -> Result<&'i mut BlockImage, SolverError> {
        let key = Rc::as_ptr(block.formula);
        if !blocks.contains_key(&key) {
            if blocks.len() >= MAXIMUM_SOLVERS {
                blocks.clear();
            }
            let mut solver = solvers()?;
            solver.set_limit(CheckLimit {
                time: None,
                resource: Some(QUERY_RESOURCES),
            });
            let arena = Rc::clone(solver.arena());
            for formula in block.guard(&arena) {
                solver.assert(formula);
            }
            let image = BlockImage {
                _formula: Rc::clone(block.formula),
                solver,
                asserted_invariants: 0,
                images: FxHashMap::default(),
                remembered: FxHashMap::default(),
            };
            blocks.insert(key, image);
        }
        Ok(blocks.get_mut(&key).expect("it has just been inserted"))
    }

    fn region(
        &mut self,
        before: &Region,
        block: &BlockFormula<'_>,
        predicates: &[PredicateId],
    ) -> Result<Region, Failure> {
        let Self {
            solvers,
            regions,
            blocks,
            invariants,
            limits,
            is_cartesian,
            statistics,
            ..
        } = self;
        let image = Self::image(blocks, solvers, block)?;
        let key = (before.clone(), Rc::from(predicates));
        if let Some(result) = image.remembered.get(&key) {
            statistics.remembered += 1;
            return Ok(result.clone());
        }
        if let Place::At(source) = block.source
            && let Some(known) = invariants.get(&source)
        {
            for &invariant in &known[image.asserted_invariants..] {
                image.solver.assert(invariant);
            }
            image.asserted_invariants = known.len();
        }
        let limits = (!*is_cartesian).then_some(limits);
        let result = image.abstraction(before, block, predicates, regions, limits, statistics)?;
        image.remembered.insert(key, result.clone());
        Ok(result)
    }
}

/// The reason why there is no abstraction.
#[derive(Clone, Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    #[error(transparent)]
    Solver(#[from] SolverError),
}

impl BlockImage {
    /// Returns the abstraction; without limits on models it is Cartesian.
    fn abstraction(
        &mut self,
        before: &Region,
        block: &BlockFormula<'_>,
        predicates: &[PredicateId],
        regions: &Regions,
        limits: Option<&mut Limits>,
        statistics: &mut Statistics,
    ) -> Result<Region, TooLarge> {
        let arena = Rc::clone(self.solver.arena());
        let mut decided = Vec::new();
        let mut open = Vec::new();
        for &predicate in predicates {
            let (image, literal) = self.predicate_at_end(block, predicate, regions);
            match known_value(regions, before, image, &*arena)? {
                Some(value) => decided.push((predicate, value)),
                None => open.push((predicate, literal)),
            }
        }
        let decided = regions.cube(&decided)?;
        self.solver.push();
        self.solver.assert(regions.term(&*arena, before));
        let result = match limits {
            Some(limits) => self.all_models(&open, regions, limits, statistics),
            None => self.cartesian(&open, regions, statistics),
        };
        self.solver.pop();
        result?.and(&decided)
    }

    /// Returns the conjunction of those literals, and negations, that hold in all models.
    fn cartesian(
        &mut self,
        literals: &[(PredicateId, TermId)],
        regions: &Regions,
        statistics: &mut Statistics,
    ) -> Result<Region, TooLarge> {
        let arena = Rc::clone(self.solver.arena());
        statistics.checks += 1;
        if self.solver.check(&[]) == Answer::Unsatisfiable {
            return Ok(regions.nothing());
        }
        let mut holding = Vec::new();
        for &(predicate, literal) in literals {
            for value in [true, false] {
                let other = match value {
                    true => arena.not(literal),
                    false => literal,
                };
                statistics.checks += 1;
                if self.solver.check(&[other]) == Answer::Unsatisfiable {
                    holding.push((predicate, value));
                    break;
                }
            }
        }
        regions.cube(&holding)
    }

    /// Returns the region of the literals' values in all models, or the relations between pairs of them if there are too many.
    fn all_models(
        &mut self,
        literals: &[(PredicateId, TermId)],
        regions: &Regions,
        limits: &mut Limits,
        statistics: &mut Statistics,
    ) -> Result<Region, TooLarge> {
        let arena = Rc::clone(self.solver.arena());
        let predicates: Vec<PredicateId> = literals.iter().map(|&(id, _)| id).collect();
        let literal = |(index, value): (usize, bool)| match value {
            true => literals[index].1,
            false => arena.not(literals[index].1),
        };
        let mut result = regions.nothing();
        let mut hull: Option<Hull> = None;
        let mut models = 0;
        loop {
            let outside = hull.as_ref().filter(|_| models >= limits.models);
            let outside = outside.map(|hull| {
                let clauses = hull.clauses().into_iter();
                let broken =
                    clauses.map(|(one, two)| arena.not(arena.or2(literal(one), literal(two))));
                arena.or(broken.collect::<Vec<_>>())
            });
            limits.reached |= outside.is_some();
            statistics.checks += 1;
            match self.solver.check(outside.as_slice()) {
                Answer::Unsatisfiable => break,
                Answer::Satisfiable => {}
                Answer::Unknown(_) => {
                    statistics.unanswered += 1;
                    return Ok(regions.everything());
                }
            }
            models += 1;
            statistics.models += 1;
            let asked: Vec<TermId> = literals.iter().map(|&(_, literal)| literal).collect();
            let values = self.solver.holding(&asked);
            match &mut hull {
                Some(hull) => hull.add(&values),
                None => hull = Some(Hull::of(&values)),
            }
            if models > limits.models {
                continue;
            }
            let pairs = predicates.iter().copied().zip(values.iter().copied());
            result = result.or(&regions.cube(&pairs.collect::<Vec<_>>())?)?;
            if literals.is_empty() {
                break;
            }
            let others = values.iter().enumerate();
            let others = others.map(|(index, &value)| literal((index, !value)));
            self.solver.assert(arena.or(others.collect::<Vec<_>>()));
        }
        match hull {
            Some(hull) if models >= limits.models => hull.region(regions, &predicates),
            _ => Ok(result),
        }
    }

    /// Returns the predicate at the block's end as a formula over its beginning, and a variable that stands for it; asserts
    /// their definitions.
    fn predicate_at_end(
        &mut self,
        block: &BlockFormula<'_>,
        predicate: PredicateId,
        regions: &Regions,
    ) -> (TermId, TermId) {
        if let Some(&known) = self.images.get(&predicate) {
            return known;
        }
        let arena = Rc::clone(self.solver.arena());
        let image = block.at_end(&arena, regions.term_of(predicate));
        for equation in block.definitions(&arena, image) {
            self.solver.assert(equation);
        }
        let literal = Symbol::new("predicate#", Sort::Bool);
        let literal = arena.variable_at(literal, predicate.0 + 1);
        let meaning = arena.intern(Op::Eq, Sort::Bool, &[literal, image]);
        self.solver.assert(meaning);
        self.images.insert(predicate, (image, literal));
        (image, literal)
    }
}

/// Returns the value of a predicate's image, if it follows from the region without a query.
fn known_value(
    regions: &Regions,
    before: &Region,
    image: TermId,
    arena: &impl Build,
) -> Result<Option<bool>, TooLarge> {
    if image == TermId::TRUE || image == TermId::FALSE {
        return Ok(Some(image == TermId::TRUE));
    }
    for (term, value) in [(image, true), (arena.not(image), false)] {
        let Some(predicate) = regions.known(term) else {
            continue;
        };
        for holds in [true, false] {
            if before.is_within(&regions.literal(predicate, holds)?)? {
                return Ok(Some(holds == value));
            }
        }
    }
    Ok(None)
}

impl Abstraction for BooleanAbstraction<'_> {
    type Formula = Region;
    type Precision = Rc<Precision>;

    fn top(&self) -> Region {
        self.regions.everything()
    }

    /// Computes (ψ ∧ φ)^π. At a location without predicates, and at targets, it only checks satisfiability.
    fn compute(
        &mut self,
        before: &Region,
        block: &BlockFormula<'_>,
        precision: &Rc<Precision>,
    ) -> Option<Region> {
        let begin = std::time::Instant::now();
        self.statistics.abstractions += 1;
        let predicates = match block.target {
            Place::At(at) if !block.is_target => precision.at(at),
            _ => &[],
        };
        if let Place::At(at) = block.target
            && !self.checks_all_blocks
            && precision.is_empty_at(at)
        {
            return self.new_in(block, self.regions.everything()).ok();
        }
        let region = || self.region(before, block, predicates);
        let result = counters::time(Counter::Abstraction, region);
        self.statistics.time += begin.elapsed();
        let result = result.and_then(|region| Ok(self.new_in(block, region)?));
        match result {
            Ok(region) => (!region.is_empty()).then_some(region),
            Err(failure) => {
                self.failure.get_or_insert(failure.to_string());
                Some(self.regions.everything())
            }
        }
    }

    fn entails(&mut self, one: &Region, other: &Region, _: Place) -> bool {
        one.is_within(other).unwrap_or_else(|failure| {
            self.failure.get_or_insert(failure.to_string());
            false
        })
    }
}

impl Representation for BooleanAbstraction<'_> {
    fn predicate(&mut self, term: TermId) -> Result<PredicateId, TooLarge> {
        self.regions.predicate(term)
    }

    fn term_of(&self, predicate: PredicateId) -> TermId {
        self.regions.term_of(predicate)
    }

    fn term(&self, formula: &Region) -> TermId {
        self.regions.term(store(), formula)
    }

    fn is_top(&self, formula: &Region) -> bool {
        *formula == self.regions.everything()
    }

    /// The atoms of the term become predicates, although no precision need have them.
    fn strengthened(&mut self, formula: &Region, by: TermId, _: Place) -> Option<Region> {
        let by = self.regions.region(by);
        match by.and_then(|by| formula.and(&by)) {
            Ok(after) => (after != *formula).then_some(after),
            Err(failure) => {
                self.failure.get_or_insert(failure.to_string());
                None
            }
        }
    }

    /// A conjunct that needs no predicate.
    fn assume(&mut self, at: InlinedLocation, invariant: TermId) {
        self.invariants.entry(at).or_default().push(invariant);
    }

    fn invariants_at(&self, at: InlinedLocation) -> Vec<TermId> {
        self.invariants.get(&at).cloned().unwrap_or_default()
    }

    fn failure(&self) -> Option<String> {
        self.failure.clone()
    }

    /// Raises the maximum number of models and clears the cache.
    fn refine_limits(&mut self) -> bool {
        if !std::mem::take(&mut self.limits.reached) {
            return false;
        }
        self.limits.models = self.limits.models.saturating_mul(MODEL_LIMIT_FACTOR);
        for image in self.blocks.values_mut() {
            image.remembered.clear();
        }
        true
    }

    fn covers_by_union(&self) -> bool {
        self.union.is_some()
    }

    fn set_union(&mut self, at: InlinedLocation, states: &[&Region]) -> Result<(), TooLarge> {
        if let Some(union) = &mut self.union {
            let mut all = self.regions.nothing();
            for state in states {
                all = all.or(state)?;
            }
            union.insert(at, all);
        }
        Ok(())
    }
}
