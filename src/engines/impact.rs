//! Lazy abstraction with interpolants (\[McM06\]; \[BDW18\], section 4.4): the Predicate CPA with blk^l,
//! abstraction formulas as terms, IMPACT refinement (section 3.2.4) and forced covering (section 3.3), under CEGAR.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cegar::atoms::atoms;
use super::cegar::counterexample::AbstractPath;
use super::cegar::selection::{Language, Selection};
use super::cegar::{
    self, BlockEnds, Cegar, Generator, Model, PathPrograms, PredicateSource, Strategy,
};
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::{Answer, Context, SolverFactory};
use regatta_base::counters::{self, Counter};
use regatta_base::{choice, options};
use regatta_cpa::ElementId;
use regatta_cpa::location::Place;
use regatta_cpa::predicate::AbstractionId;
use regatta_cpa::predicate::abstraction::Abstraction;
use regatta_cpa::predicate::boolean::{BooleanAbstraction, Covering, Precision};
use regatta_cpa::predicate::syntactic::SyntacticAbstraction;
use regatta_program::InlinedLocation;
use regatta_program::block::Blocks;
use regatta_sharing::Candidate;
use regatta_solver::SolverError;
use regatta_solver::interpolation::Choice;
use regatta_term::{Build, TermId, store};

options! {
    /// Options of IMPACT.
    pub struct Options {
        /// Where blocks end.
        pub blocks: BlockEnds = BlockEnds::Loops;
        /// Maximum number of edges of a block.
        pub block_size: u32 = u32::MAX, in 1..=u32::MAX;
        /// Where interpolants come from: from predicates of the program if no interpolation succeeds ("program"), or from
        /// interpolation alone.
        pub predicates: PredicateSource = PredicateSource::Program;
        /// Whether it is checked for each new state whether its block can be executed. If not, the state is true.
        pub block_queries: bool = true;
        /// CPU time that a path program is given at least for invariants that exclude all unrollings of a
        /// counterexample; with zero, there are none.
        pub path_invariants: Duration = Duration::from_millis(1_000);
        /// The engine that looks for these invariants.
        pub path_invariants_by: Generator = Generator::DataFlow;
        /// The path programs whose invariants are computed: those that recur, or all.
        pub path_programs: PathPrograms = PathPrograms::Recurring;
        /// Whether states are strengthened to be covered before they are expanded.
        pub forced_covering: bool = true;
        /// Maximum number of states that are tried to cover another by force, the newest first.
        pub forced_covering_attempts: u32 = 3, in 1..=u32::MAX;
        /// The formula of a new state: true, the interpolants' predicates at its location that hold, or the strongest Boolean
        /// combination of them that holds (UFO); the latter two need `block_queries`.
        pub abstraction: NewStates = NewStates::True;
        /// The sources of interpolants: strongest postconditions and weakest preconditions ("conditions"), or Z3's engine for
        /// Horn clauses.
        pub interpolator: Choice = Choice::ConditionsFirst;
        /// Maximum wall time of an interpolation.
        pub interpolation_time: Duration = cegar::INTERPOLATION_TIME;
        /// Maximum wall time of a query whether a counterexample is feasible.
        pub feasibility_time: Duration = cegar::FEASIBILITY_TIME;
    }
}

/// The formulas of new states.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NewStates {
    /// True.
    True,
    /// Cartesian predicate abstraction.
    Cartesian,
    /// Boolean predicate abstraction.
    Boolean,
}
choice!(NewStates: "true" = Self::True, "cartesian" = Self::Cartesian, "boolean" = Self::Boolean);

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "impact",
            summary: "Lazy abstraction with interpolants.",
            has_solver: true,
            recursion: Recursion::Excluded,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        run(subject.blocks, self, subject.solver, context).into()
    }
}

/// Runs IMPACT.
///
/// # Errors
/// When there is no solver.
fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    let solvers = context.solvers(solver);
    let mut abstraction = SyntacticAbstraction::new(&solvers)?;
    if options.abstraction == NewStates::Boolean {
        abstraction = abstraction.with_boolean_abstraction();
    }
    if !options.block_queries && options.abstraction == NewStates::True {
        abstraction = abstraction.without_block_queries();
    }
    let mut cegar = Cegar::new(
        blocks,
        cegar::Options {
            blocks: options.blocks,
            block_size: options.block_size,
            path_invariants: options.path_invariants,
            path_invariants_by: options.path_invariants_by,
            path_programs: options.path_programs,
            interpolator: options.interpolator,
            interpolation_time: options.interpolation_time,
            feasibility_time: options.feasibility_time,
        },
        abstraction,
        ImpactRefinement {
            source: options.predicates,
            forced_covering: options.forced_covering,
            attempts: options.forced_covering_attempts as usize,
            abstraction: options.abstraction,
            selection: Selection::new(&solvers)?,
            boolean: BooleanAbstraction::new(&solvers, Covering::Single),
            used: Vec::new(),
        },
        solver,
        context,
    )?;
    cegar.run(context)
}

/// The refinement strategy of IMPACT: interpolants strengthen the states of the path.
pub struct ImpactRefinement<'f> {
    source: PredicateSource,
    forced_covering: bool,
    /// Maximum number of states that are tried to cover another by force.
    attempts: usize,
    abstraction: NewStates,
    selection: Selection<'f>,
    boolean: BooleanAbstraction<'f>,
    /// The interpolants so far, as candidate invariants.
    used: Vec<Candidate>,
}

impl ImpactRefinement<'_> {
    /// Computes interpolants by Boolean abstraction along the path, with a few predicates that exclude it.
    fn by_predicates(
        &mut self,
        model: &mut Model<'_, SyntacticAbstraction<'_>>,
        path: &AbstractPath,
    ) -> Option<Vec<TermId>> {
        let domain = &model.cpa.domain;
        let invariants = |at| self.boolean.invariants_at(at).to_vec();
        let selected =
            self.selection
                .select(domain, path, Language::Values, &|_| Vec::new(), &invariants)?;
        let mut precision = Precision::default();
        for (at, predicate) in selected {
            precision.add(at, self.boolean.regions.predicate(predicate).ok()?);
        }
        let precision = Rc::new(precision);
        let mut region = Some(self.boolean.top());
        let mut interpolants = Vec::new();
        for states in path.states[..path.block_count()].windows(2) {
            let state = domain.abstraction_state(states[1]);
            let (_, formula) = state.before.as_ref()?;
            let block = domain.block_formula(states[0], formula, state.place);
            region = region.and_then(|region| self.boolean.compute(&region, &block, &precision));
            let interpolant = region.as_ref().map(|region| self.boolean.term(region));
            interpolants.push(interpolant.unwrap_or(TermId::FALSE));
        }
        Some(interpolants)
    }
}

impl<'f> Strategy<SyntacticAbstraction<'f>> for ImpactRefinement<'f> {
    fn refine(
        &mut self,
        mut model: Model<'_, SyntacticAbstraction<'f>>,
        path: &AbstractPath,
        path_invariants: Option<Vec<TermId>>,
    ) -> Result<(), String> {
        let interpolants = path_invariants.or_else(|| {
            let sequence = model.sequence(path);
            model.interpolants(&sequence)
        });
        let interpolants = match self.source {
            PredicateSource::Program => {
                interpolants.or_else(|| self.by_predicates(&mut model, path))
            }
            PredicateSource::Interpolants => interpolants,
        };
        let mut all = interpolants.ok_or("no interpolants were found")?;
        for (&state, &interpolant) in path.states[1..].iter().zip(&all) {
            if let Place::At(at) = model.cpa.domain.abstraction_state(state).place {
                self.used.push(Candidate {
                    at,
                    formula: interpolant,
                });
                if self.abstraction != NewStates::True {
                    let tracked = &mut model.cpa.domain.abstraction;
                    for predicate in atoms(interpolant) {
                        tracked.track(at, predicate);
                    }
                }
            }
        }
        let mut coverage = Coverage::new(model);
        all.push(TermId::FALSE);
        coverage.strengthen(&path.states[1..], &all);
        Ok(())
    }

    fn force_cover(&mut self, model: Model<'_, SyntacticAbstraction<'f>>, id: ElementId) -> bool {
        let force = || Coverage::new(model).force(id, self.attempts);
        self.forced_covering && counters::time(Counter::ForcedCovering, force)
    }

    fn precision(&self) {}

    fn assume(
        &mut self,
        abstraction: &mut SyntacticAbstraction<'f>,
        at: InlinedLocation,
        invariant: TermId,
    ) {
        abstraction.assume(at, invariant);
        self.boolean.assume(at, invariant);
    }

    fn term(&self, _: &SyntacticAbstraction<'f>, formula: &TermId) -> TermId {
        *formula
    }

    fn used(&self, _: &SyntacticAbstraction<'f>) -> Vec<Candidate> {
        self.used.clone()
    }

    fn failure(&self, abstraction: &SyntacticAbstraction<'f>) -> Option<String> {
        abstraction.failure.clone().or(self.boolean.failure.clone())
    }
}

/// The covering relation. A state is covered only by one that was created before it, so that there are no cycles.
struct Coverage<'m, 'f> {
    model: Model<'m, SyntacticAbstraction<'f>>,
    elements: FxHashMap<AbstractionId, ElementId>,
    children: FxHashMap<AbstractionId, Vec<AbstractionId>>,
}

impl<'m, 'f> Coverage<'m, 'f> {
    fn new(model: Model<'m, SyntacticAbstraction<'f>>) -> Self {
        Self {
            elements: model.elements(),
            children: model.children(),
            model,
        }
    }

    fn formula(&self, id: AbstractionId) -> TermId {
        self.model.cpa.domain.abstraction_state(id).formula
    }

    fn covered_by(&self, id: AbstractionId) -> Option<AbstractionId> {
        self.model.cpa.domain.abstraction_state(id).covered_by
    }

    fn set_covered_by(&mut self, id: AbstractionId, by: Option<AbstractionId>) {
        self.model.cpa.domain.abstractions[id.0 as usize].covered_by = by;
    }

    fn entails(&mut self, one: AbstractionId, other: AbstractionId) -> bool {
        let (from, to) = (self.formula(one), self.formula(other));
        let domain = &mut self.model.cpa.domain;
        let place = domain.abstraction_state(one).place;
        domain.abstraction.entails(&from, &to, place)
    }

    /// IMPACT refinement: conjoins the formulas to those of the states, removes states that become false, and checks
    /// the affected coverings again (\[BDW18\], Figure 3).
    fn strengthen(&mut self, states: &[AbstractionId], formulas: &[TermId]) {
        let mut strengthened = Vec::new();
        for (&state, &formula) in states.iter().zip(formulas) {
            let before = self.formula(state);
            if formula == TermId::FALSE {
                self.remove(state);
                break;
            }
            let after = store().and2(before, formula);
            let domain = &mut self.model.cpa.domain;
            let place = domain.abstraction_state(state).place;
            if after != before && !domain.abstraction.entails(&before, &formula, place) {
                domain.abstractions[state.0 as usize].formula = after;
                strengthened.push(state);
            }
        }
        for &state in &strengthened {
            for other in self.covered_by_any(&[state]) {
                if !self.entails(other, state) {
                    self.uncover(other);
                }
            }
        }
        for &state in &strengthened {
            self.cover_if_possible(state);
        }
    }

    /// Returns the states that are covered by one of the given ones.
    fn covered_by_any(&self, states: &[AbstractionId]) -> Vec<AbstractionId> {
        let mut all: Vec<AbstractionId> = self.elements.keys().copied().collect();
        all.retain(|&id| self.covered_by(id).is_some_and(|by| states.contains(&by)));
        all.sort_unstable();
        all
    }

    /// Returns the state with all its descendants.
    fn subgraph(&self, state: AbstractionId) -> Vec<AbstractionId> {
        let mut all = vec![state];
        let mut next = 0;
        while let Some(state) = all.get(next) {
            next += 1;
            all.extend(self.children.get(state).into_iter().flatten());
        }
        all
    }

    /// Returns the elements of abstraction states and of the intermediate states after them.
    fn with_intermediate(&self, states: &[AbstractionId]) -> Vec<ElementId> {
        let set: FxHashSet<AbstractionId> = states.iter().copied().collect();
        let all = self.model.reached.since(0);
        all.filter(|(_, element)| set.contains(&element.state.domain.abstraction))
            .map(|(id, _)| id)
            .collect()
    }

    fn remove(&mut self, state: AbstractionId) {
        let gone = self.subgraph(state);
        let uncovered = self.covered_by_any(&gone);
        for id in self.with_intermediate(&gone) {
            self.model.reached.remove(self.model.cpa, id);
        }
        for id in gone {
            self.elements.remove(&id);
        }
        for id in uncovered {
            if self.elements.contains_key(&id) {
                self.uncover(id);
            }
        }
    }

    /// Removes a state's covering; its descendants are explored again.
    fn uncover(&mut self, state: AbstractionId) {
        self.set_covered_by(state, None);
        if self.is_below_covered(state) {
            return;
        }
        let mut all = vec![state];
        let mut next = 0;
        while let Some(&state) = all.get(next) {
            next += 1;
            if self.covered_by(state).is_none() {
                all.extend(self.children.get(&state).into_iter().flatten());
            }
        }
        all.retain(|&id| self.covered_by(id).is_none());
        for id in self.with_intermediate(&all) {
            self.model.reached.resume(self.model.cpa, id);
        }
        // Another state may cover it.
        self.cover_if_possible(state);
    }

    fn is_below_covered(&self, state: AbstractionId) -> bool {
        let mut state = state;
        while let Some((before, _)) = &self.model.cpa.domain.abstraction_state(state).before {
            if self.covered_by(*before).is_some() {
                return true;
            }
            state = *before;
        }
        false
    }

    /// Returns the states that could cover this one: older ones of the same location that are not covered.
    fn candidates(&self, state: AbstractionId) -> Vec<AbstractionId> {
        let Some(&element) = self.elements.get(&state) else {
            return Vec::new();
        };
        let others = self
            .model
            .reached
            .with_same_partition(self.model.cpa, element);
        let mut all: Vec<AbstractionId> = others
            .filter(|other| other.state.domain.is_abstraction)
            .map(|other| other.state.domain.abstraction)
            .filter(|&other| other < state)
            .collect();
        all.sort_unstable();
        all
    }

    fn cover_if_possible(&mut self, state: AbstractionId) {
        let Some(&element) = self.elements.get(&state) else {
            return;
        };
        if self.model.reached.is_suspended(element) {
            return;
        }
        for other in self.candidates(state) {
            if self.entails(state, other) {
                self.cover(state, other);
                return;
            }
        }
    }

    /// Marks a state as covered. Its descendants are suspended, and cover no states.
    fn cover(&mut self, state: AbstractionId, by: AbstractionId) {
        self.set_covered_by(state, Some(by));
        let all = self.subgraph(state);
        for id in self.with_intermediate(&all) {
            self.model.reached.suspend(self.model.cpa, id);
        }
        for other in self.covered_by_any(&all) {
            self.uncover(other);
        }
    }

    /// Forced covering, fcover^IMPACT; `attempts` is the maximum number of states that are tried.
    fn force(&mut self, id: ElementId, attempts: usize) -> bool {
        let Some(element) = self.model.reached.get(id) else {
            return false;
        };
        let state = &element.state.domain;
        if !state.is_abstraction {
            return false;
        }
        let state = state.abstraction;
        let mut candidates = self.candidates(state);
        candidates.retain(|&other| self.formula(other) != TermId::TRUE);
        for other in candidates.into_iter().rev().take(attempts) {
            if self.entails(state, other) {
                self.cover(state, other);
                return true;
            }
            let domain = &self.model.cpa.domain;
            let Some(ancestor) = nearest_common_ancestor(
                &AbstractPath::to(domain, None, state),
                &AbstractPath::to(domain, None, other),
            ) else {
                continue;
            };
            let path = AbstractPath::to(domain, Some(ancestor), state);
            let mut sequence = self.model.sequence(&path);
            let goal = self.formula(other);
            sequence.assume_first(&self.model.cpa.domain, self.formula(ancestor));
            sequence.assume_last(&self.model.cpa.domain, store().not(goal));
            if let Some(mut formulas) = self.model.interpolants(&sequence) {
                formulas.push(goal);
                self.strengthen(&path.states[1..], &formulas);
                return self.covered_by(state).is_some();
            }
        }
        false
    }
}

fn nearest_common_ancestor(one: &AbstractPath, other: &AbstractPath) -> Option<AbstractionId> {
    let both = one.states.iter().zip(&other.states);
    let common = both.take_while(|(one, other)| one == other);
    common.last().map(|(&state, _)| state)
}
