//! Consecution queries of one thread: whether candidates hold after a block.

use std::convert::Infallible;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::Refutation;
use super::models::{Models, Point};
use crate::CancellationToken;
use crate::invariants::samples::{SampledVariable, Samples, number};
use regatta_certify::certificate::{indices_of, instances_at, quantified};
use regatta_entailment::unknowns::is_hard;
use regatta_entailment::{Core, Oracle, Premises, Stage};
use regatta_program::InlinedLocation;
use regatta_program::block::{Block, Blocks};
use regatta_solver::question::{Question, TextSolvers};
use regatta_solver::z3::text::TextAnswer;
use regatta_solver::{Answer, CheckLimit, Solver, SolverConfig, SolverError, new_solver};
use regatta_term::{
    Arena, Build, Op, Pool, Sort, Symbol, TermId, TermKind, free_variables, prefix_sums, store,
};

/// Limits of the wall time of queries.
#[derive(Copy, Clone, Debug)]
pub struct QueryLimits {
    /// For a query over many candidates.
    together: Duration,
    /// For a query over one candidate, after one over many was undecided.
    single: Duration,
    /// For all such queries together.
    all_single: Duration,
}

pub const ORDINARY_LIMITS: QueryLimits = QueryLimits {
    together: Duration::from_millis(400),
    single: Duration::from_millis(300),
    all_single: Duration::from_millis(1_500),
};

/// For many candidates, each of which needs queries on several clauses.
pub const SHORT_LIMITS: QueryLimits = QueryLimits {
    together: Duration::from_millis(150),
    single: Duration::from_millis(100),
    all_single: Duration::from_millis(300),
};

/// For candidates that are soon followed by others.
pub(super) const SHORTEST_LIMITS: QueryLimits = QueryLimits {
    together: Duration::from_millis(50),
    single: Duration::ZERO,
    all_single: Duration::ZERO,
};

impl QueryLimits {
    /// Multiplies the limit of a query over many candidates, up to that of [`ORDINARY_LIMITS`].
    pub fn times(self, factor: u32) -> Self {
        Self {
            together: self
                .together
                .saturating_mul(factor)
                .min(ORDINARY_LIMITS.together),
            ..self
        }
    }
}

/// Decides whether formulas hold after blocks, or after other steps.
pub struct Consecution {
    pub blocks: Arc<Blocks>,
    pub solver: Box<dyn Solver>,
    single_query_solver: TextSolvers,
    pub token: CancellationToken,
    pub limits: QueryLimits,
    pub means: Means,
    /// Models of questions that failed, if they are kept.
    pub(super) models: Option<Models>,
}

/// The means by which goals are proved.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Means {
    /// All stages of [`regatta_entailment`].
    All,
    /// Only the stages without a solver, such as multiplying out.
    Algebra,
}

/// The settings from which another thread makes its own [`Consecution`].
pub(super) struct Recipe {
    blocks: Arc<Blocks>,
    solver: SolverConfig,
    token: CancellationToken,
    limits: QueryLimits,
    means: Means,
}

impl Recipe {
    /// Makes one, with a solver of its own.
    pub fn make(&self) -> Result<Consecution, SolverError> {
        let solver = new_solver(self.solver, Rc::new(Arena::new()))?;
        let token = &self.token;
        let made = Consecution::new(&self.blocks, solver, token, self.limits);
        Ok(Consecution {
            means: self.means,
            ..made
        })
    }
}

impl Consecution {
    /// Returns the settings for another thread.
    pub(super) fn recipe(&self) -> Recipe {
        Recipe {
            blocks: Arc::clone(&self.blocks),
            solver: self.solver.for_another_thread(),
            token: self.token.clone(),
            limits: self.limits,
            means: self.means,
        }
    }

    pub fn new(
        blocks: &Arc<Blocks>,
        solver: Box<dyn Solver>,
        token: &CancellationToken,
        limits: QueryLimits,
    ) -> Self {
        token.interrupts(solver.interrupter());
        Self {
            blocks: Arc::clone(blocks),
            solver,
            single_query_solver: TextSolvers::default(),
            token: token.clone(),
            limits,
            means: Means::All,
            models: None,
        }
    }

    /// Returns the goals that hold after the block, from all states that satisfy the assumptions.
    pub fn holding(
        &mut self,
        block: &Block,
        assumed: &[TermId],
        goals: Vec<TermId>,
        samples: &Samples,
        observe: &mut dyn FnMut(Refutation),
    ) -> Vec<TermId> {
        let arena = self.solver.arena().clone();
        let mut open: Vec<(TermId, TermId)> = goals
            .into_iter()
            .map(|goal| (goal, self.preimage(block, goal)))
            .collect();
        let mut held: Vec<TermId> = Vec::new();
        // The first stages run first, before array indices are collected.
        let premises = Premises::new(&arena, assumed);
        open.retain(|&(goal, preimage)| {
            let is_decided = block.guard == TermId::FALSE || premises.imply(preimage);
            if is_decided {
                held.push(goal);
            }
            !is_decided
        });
        if self.means == Means::Algebra {
            let premises = [assumed, &[block.guard]].concat();
            let premises = Premises::new(&arena, &premises);
            open.retain(|&(_, preimage)| premises.by_multiplying_out(preimage).is_some());
            held.extend(open.into_iter().map(|(goal, _)| goal));
            return held;
        }
        if open.is_empty() {
            return held;
        }
        self.by_arrays(block, assumed, &mut open, &mut held);
        let preimages: Vec<TermId> = open.iter().map(|&(_, preimage)| preimage).collect();
        let instances = self.instances(block, assumed, &preimages);
        let assumed: Vec<TermId> = instances.into_iter().map(|(formula, _)| formula).collect();
        let goals: Vec<TermId> = open.iter().map(|&(_, preimage)| preimage).collect();
        let at = block.target();
        let holds = self.entailed(block.guard, &assumed, &goals, &mut |consecution| {
            if let Some(at) = at {
                let row = consecution.row(block, at, samples);
                observe(Refutation { at, row });
            }
        });
        let holding = open.iter().zip(holds).filter(|(_, holds)| *holds);
        held.extend(holding.map(|((goal, _), _)| *goal));
        held
    }

    /// Decides which of the goals follow from the guard and the assumptions, by the stages of [`regatta_entailment`];
    /// undecided ones count as not following. `observe` is called while the solver has a model that refutes some.
    pub fn entailed(
        &mut self,
        guard: TermId,
        assumed: &[TermId],
        goals: &[TermId],
        observe: &mut dyn FnMut(&mut Self),
    ) -> Vec<bool> {
        let arena = self.solver.arena().clone();
        let premises = Premises::new(&arena, assumed);
        let coarse_guard = premises.product_free(guard);
        let easy = premises.without_products();
        let coarse = goals.iter().map(|&goal| premises.product_free(goal));
        let mut coarse: Vec<TermId> = coarse.collect();
        let mut holds = vec![false; goals.len()];
        if premises.have_products() {
            for (coarse, &goal) in coarse.iter_mut().zip(goals) {
                if premises.imply(goal) {
                    *coarse = TermId::TRUE;
                }
            }
            holds = self.split(coarse_guard, easy, &coarse, &mut |_| {});
            self.by_arithmetic(guard, assumed, goals, &mut holds);
        }
        let open: Vec<usize> = (0..goals.len()).filter(|&goal| !holds[goal]).collect();
        let left: Vec<TermId> = open.iter().map(|&goal| goals[goal]).collect();
        let found = self.split(guard, assumed, &left, observe);
        for (goal, found) in open.into_iter().zip(found) {
            holds[goal] = found;
        }
        holds
    }

    /// Marks further goals that follow by the laws of division, or by multiplying out.
    fn by_arithmetic(
        &mut self,
        guard: TermId,
        assumed: &[TermId],
        goals: &[TermId],
        holds: &mut [bool],
    ) {
        let arena = self.solver.arena().clone();
        let premises = [assumed, &[guard]].concat();
        let premises = Premises::new(&arena, &premises);
        let limit = self.limits.together;
        for (&goal, holds) in goals.iter().zip(holds) {
            if *holds || self.token.is_cancelled() {
                continue;
            }
            let Ok(mut core) = premises.by_remainders(goal, &mut LimitedOracle::new(self, limit));
            if core.is_none() {
                let Ok(found) = premises.by_polynomials(goal, &mut LimitedOracle::new(self, limit));
                core = found;
            }
            *holds = core.is_some();
        }
    }

    /// Returns the indices of premises that imply the goal together with the guard; `None` if undecided. `observe` is called
    /// while the solver has a model in which they do not.
    pub fn core(
        &mut self,
        guard: TermId,
        premises: &[TermId],
        goal: TermId,
        limit: Duration,
        observe: &mut dyn FnMut(&mut Self),
    ) -> Option<Core> {
        let arena = self.solver.arena().clone();
        let count = premises.len();
        let all = [premises, &[guard]].concat();
        let early = Premises::new(&arena, &all)
            .before_last_stage(goal, &mut LimitedOracle::new(self, limit));
        let Ok(early) = early;
        if let Some(mut core) = early {
            core.retain(|&place| place < count);
            return Some(core);
        }
        let broken = arena.and2(guard, arena.not(goal));
        self.solver.push();
        self.solver.assert(broken);
        self.limit(limit);
        let answer = self.solver.check(premises);
        let core = (answer == Answer::Unsatisfiable).then(|| self.solver.unsat_core());
        if answer == Answer::Satisfiable {
            observe(self);
        }
        self.solver.pop();
        match core {
            Some(core) => {
                let places = 0..count;
                Some(
                    places
                        .filter(|&place| core.contains(&premises[place]))
                        .collect(),
                )
            }
            None => {
                let holds = answer != Answer::Satisfiable
                    && self.holds_by_single_query(broken, premises, TermId::FALSE);
                holds.then(|| (0..count).collect())
            }
        }
    }

    /// A quantified formula has many instances. So goals are first tried with those quantified assumptions only that
    /// are about the same arrays; those that hold move from `open` to `held`.
    fn by_arrays(
        &mut self,
        block: &Block,
        assumed: &[TermId],
        open: &mut Vec<(TermId, TermId)>,
        held: &mut Vec<TermId>,
    ) {
        let arrays = |formula: TermId| quantified(formula).map(|_| arrays_of(formula));
        let assumed: Vec<(TermId, Option<Vec<Symbol>>)> =
            assumed.iter().map(|&one| (one, arrays(one))).collect();
        if assumed.iter().all(|(_, of)| of.is_none()) {
            return;
        }
        let mut groups: FxHashMap<Option<Vec<Symbol>>, Vec<(TermId, TermId)>> =
            FxHashMap::default();
        for goal in std::mem::take(open) {
            groups.entry(arrays(goal.0)).or_default().push(goal);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_unstable();
        for (about, goals) in groups {
            let related = assumed
                .iter()
                .filter(|(_, of)| of.is_none() || *of == about);
            let related: Vec<TermId> = related.map(|&(one, _)| one).collect();
            let preimages: Vec<TermId> = goals.iter().map(|&(_, preimage)| preimage).collect();
            let instances = self.instances(block, &related, &preimages).into_iter();
            let related: Vec<TermId> = instances.map(|(formula, _)| formula).collect();
            let holds = self.split(block.guard, &related, &preimages, &mut |_| {});
            for (goal, holds) in goals.into_iter().zip(holds) {
                match holds {
                    true => held.push(goal.0),
                    false => open.push(goal),
                }
            }
        }
    }

    /// Decides which of the goals follow from the guard and the assumptions, by the solver; undecided ones count as not
    /// following. `observe` is called while the solver has a model that refutes some.
    fn split(
        &mut self,
        guard: TermId,
        assumed: &[TermId],
        goals: &[TermId],
        observe: &mut dyn FnMut(&mut Self),
    ) -> Vec<bool> {
        let arena = self.solver.arena().clone();
        let mut holds = vec![false; goals.len()];
        let mut open: Vec<usize> = Vec::new();
        for (index, &goal) in goals.iter().enumerate() {
            holds[index] = goal == TermId::TRUE;
            open.extend((!holds[index]).then_some(index));
        }
        if let Some(models) = &self.models {
            models.refute(&*arena, guard, assumed, goals, &mut open);
        }
        if open.is_empty() {
            return holds;
        }
        self.solver.push();
        self.solver.assert(guard);
        for &formula in assumed {
            self.solver.assert(formula);
        }
        while !open.is_empty() && !self.token.is_cancelled() {
            let broken = open.iter().map(|&index| arena.not(goals[index]));
            let any = arena.or(broken.collect::<Vec<_>>());
            self.limit(self.limits.together);
            match self.solver.check(&[any]) {
                Answer::Unsatisfiable => {
                    for index in open.drain(..) {
                        holds[index] = true;
                    }
                }
                Answer::Satisfiable => {
                    let open_goals: Vec<TermId> = open.iter().map(|&index| goals[index]).collect();
                    let mut holding = self.solver.holding(&open_goals).into_iter();
                    let (left, refuted): (Vec<usize>, Vec<usize>) =
                        open.iter().partition(|_| holding.next() == Some(true));
                    // A model that refutes no goal is not usable.
                    if refuted.is_empty() {
                        break;
                    }
                    observe(self);
                    if let Some(models) = &mut self.models {
                        let of = assumed.iter().chain(goals).copied().chain([guard]);
                        let point = Point::of_model(&mut *self.solver, of);
                        models.keep(guard, point);
                    }
                    for index in refuted {
                        holds[index] = false;
                    }
                    open = left;
                }
                Answer::Unknown(_) => break,
            }
        }
        self.solver.pop();
        // Where incremental solving fails, single queries follow, equations first: more formulas rely on them.
        open.sort_by_key(|&index| arena.arguments(Op::Eq, goals[index]).is_none());
        let begin = Instant::now();
        for index in open {
            if self.token.is_cancelled() || begin.elapsed() >= self.limits.all_single {
                break;
            }
            // If only the block is hard, a goal that holds nearly always does so whatever the values of the hard terms.
            if !is_hard(&arena, &[goals[index]]) && is_hard(&arena, &[guard]) {
                continue;
            }
            let premises = [assumed, &[guard]].concat();
            let premises = Premises::new(&arena, &premises);
            let limit = self.limits.single;
            let Ok(mut core) =
                premises.by_powers(goals[index], &mut LimitedOracle::new(self, limit));
            if core.is_none() {
                let Ok(found) =
                    premises.by_polynomials(goals[index], &mut LimitedOracle::new(self, limit));
                core = found;
            }
            holds[index] =
                core.is_some() || self.holds_by_single_query(guard, assumed, goals[index]);
        }
        holds
    }

    /// Checks whether the goal follows, by a solver that is not incremental.
    pub(super) fn holds_by_single_query(
        &mut self,
        guard: TermId,
        assumed: &[TermId],
        goal: TermId,
    ) -> bool {
        if self.limits.single.is_zero() {
            return false;
        }
        let arena = self.solver.arena();
        let assertions = assumed.iter().copied().chain([guard, arena.not(goal)]);
        let question = Question::new(&**arena, &assertions.collect::<Vec<_>>());
        self.single_query_solver
            .check(&question, &[], self.limits.single)
            == TextAnswer::Unsatisfiable
    }

    /// Returns the formulas, each with the one that it instantiates: quantified ones are instantiated at the indices in
    /// the block and the goals; valid facts about sums are instances of `true`.
    pub(super) fn instances(
        &self,
        block: &Block,
        formulas: &[TermId],
        goals: &[TermId],
    ) -> Vec<(TermId, TermId)> {
        let arena = &**self.solver.arena();
        let mut all: Vec<(TermId, TermId)> = formulas.iter().map(|&one| (one, one)).collect();
        let mut indices = None;
        for &formula in formulas {
            let Some(symbol) = quantified(formula) else {
                continue;
            };
            let indices = indices.get_or_insert_with(|| {
                let updates = block.updates.iter().map(|(_, value)| *value);
                let terms = updates.chain([block.guard]).chain(goals.iter().copied());
                indices_of(arena, terms)
            });
            let instances = instances_at(arena, formula, symbol, indices);
            all.extend(instances.map(|instance| (instance, formula)));
        }
        let formulas: Vec<TermId> = all.iter().map(|&(formula, _)| formula).collect();
        let sums = prefix_sums::facts(arena, formulas.into_iter().chain(goals.iter().copied()));
        all.extend(sums.into_iter().map(|fact| (fact, TermId::TRUE)));
        all
    }

    pub(super) fn limit(&mut self, time: Duration) {
        self.solver.set_limit(CheckLimit {
            time: Some(time),
            resource: None,
        });
    }

    /// Returns the values of the terms in the model of the last check, as numbers.
    pub fn numbers(&mut self, terms: &[TermId]) -> Vec<Option<i128>> {
        let values = self.solver.values(terms).into_iter();
        values.map(|value| number(&value?)).collect()
    }

    /// Returns the weakest precondition of the formula at the block's end, without the block's guard.
    pub(super) fn preimage(&self, block: &Block, formula: TermId) -> TermId {
        block.preimage(&**self.solver.arena(), &self.blocks, formula)
    }

    /// Returns the state after the block in the model of the last check.
    fn row(&mut self, block: &Block, at: InlinedLocation, samples: &Samples) -> Option<Vec<i128>> {
        let variables = samples.places.get(&at)?.variables.clone();
        let term = |variable: SampledVariable| {
            let updated = block.updates.iter().find(|(id, _)| *id == variable.id);
            match (updated, store().kind(variable.term)) {
                (None, _) => variable.term,
                (Some(&(_, array)), TermKind::Apply { arguments, .. }) => {
                    self.solver.arena().select(array, arguments[1])
                }
                (Some(&(_, value)), _) => value,
            }
        };
        let terms: Vec<TermId> = variables.into_iter().map(term).collect();
        self.numbers(&terms).into_iter().collect()
    }
}

/// An oracle of the solver with a limit of time.
pub(super) struct LimitedOracle<'c> {
    consecution: &'c mut Consecution,
    limit: Duration,
    /// Whether the last query was satisfiable.
    has_model: bool,
}

impl<'c> LimitedOracle<'c> {
    pub fn new(consecution: &'c mut Consecution, limit: Duration) -> Self {
        Self {
            consecution,
            limit,
            has_model: false,
        }
    }
}

impl Oracle for LimitedOracle<'_> {
    type Stop = Infallible;

    fn unsatisfiable_core(
        &mut self,
        assertions: &[TermId],
        _: Stage,
    ) -> Result<Option<Core>, Infallible> {
        let consecution = &mut *self.consecution;
        self.has_model = false;
        if consecution.token.is_cancelled() {
            return Ok(None);
        }
        consecution.limit(self.limit);
        let answer = consecution.solver.check(assertions);
        self.has_model = answer == Answer::Satisfiable;
        if answer != Answer::Unsatisfiable {
            return Ok(None);
        }
        let core = consecution.solver.unsat_core();
        let places = 0..assertions.len();
        Ok(Some(
            places
                .filter(|&place| core.contains(&assertions[place]))
                .collect(),
        ))
    }

    fn hold_in_model(&mut self, formulas: &[TermId]) -> Vec<bool> {
        match self.has_model {
            true => self.consecution.solver.holding(formulas),
            false => vec![false; formulas.len()],
        }
    }
}

/// Returns the arrays that the formula reads.
fn arrays_of(formula: TermId) -> Vec<Symbol> {
    let variables = free_variables(store(), formula).into_iter();
    let symbols = variables.map(|(symbol, _)| symbol);
    let mut arrays: Vec<Symbol> = symbols
        .filter(|symbol| matches!(symbol.sort(), Sort::Array { .. }))
        .collect();
    arrays.sort_unstable();
    arrays
}
