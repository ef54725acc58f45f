//! Lazy predicate abstraction (\[BDW18\], section 4.3): the Predicate CPA with blk^l, abstraction formulas as decision
//! diagrams and predicate refinement (section 3.2.4), under CEGAR.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cegar::atoms::atoms;
use super::cegar::counterexample::AbstractPath;
use super::cegar::selection::{Language, Located, Selection};
use super::cegar::{
    self, BlockEnds, Cegar, Generator, Model, PathPrograms, PredicateSource, Strategy,
};
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::{Answer, Context, SolverFactory};
use regatta_base::counters::{self, Counter};
use regatta_base::{choice, options};
use regatta_cpa::location::Place;
use regatta_cpa::predicate::AbstractionId;
use regatta_cpa::predicate::boolean::{BooleanAbstraction, Covering, INITIAL_MODELS, Precision};
use regatta_cpa::predicate::regions::{Region, TooLarge};
use regatta_program::InlinedLocation;
use regatta_program::block::{Block, Blocks};
use regatta_sharing::Candidate;
use regatta_solver::SolverError;
use regatta_solver::interpolation::Choice;
use regatta_term::{Build, TermId, store};

options! {
    /// Options of predicate abstraction.
    pub struct Options {
        /// Where abstractions are computed.
        pub blocks: BlockEnds = BlockEnds::Loops;
        /// Maximum number of edges of a block.
        pub block_size: u32 = u32::MAX, in 1..=u32::MAX;
        /// Where predicates come from: from the program's conditions, from interpolants where these do not suffice, and from
        /// values in models ("program"), or from interpolants alone.
        pub predicates: PredicateSource = PredicateSource::Program;
        /// The states that may cover another: all others at its location together, or a single one of them (stop^sep).
        pub covering: Covering = Covering::Union;
        /// Maximum number of models of an abstraction at first; of further ones, only the relations between pairs of
        /// predicates are kept, until that is too coarse.
        pub models: usize = INITIAL_MODELS, in 1..=usize::MAX;
        /// The abstraction at the end of a block: the strongest Boolean combination of predicates, or the conjunction of those
        /// predicates and negations that each hold.
        pub abstraction: Combination = Combination::Boolean;
        /// Whether it is checked at the end of every block whether the block can be executed. If not, the abstraction is true
        /// where there are no predicates.
        pub block_queries: bool = true;
        /// The states that get new predicates: all that are expanded from then on, or only those from which the removed
        /// states are explored again.
        pub precision: Scope = Scope::All;
        /// CPU time that a path program is given at least for invariants that exclude all unrollings of a
        /// counterexample; with zero, there are none.
        pub path_invariants: Duration = Duration::from_millis(1_000);
        /// The engine that looks for these invariants.
        pub path_invariants_by: Generator = Generator::DataFlow;
        /// The path programs whose invariants are computed: those that recur, or all.
        pub path_programs: PathPrograms = PathPrograms::Recurring;
        /// The sources of interpolants: strongest postconditions and weakest preconditions ("conditions"), or Z3's engine for
        /// Horn clauses.
        pub interpolator: Choice = Choice::ConditionsFirst;
        /// Maximum wall time of an interpolation.
        pub interpolation_time: Duration = cegar::INTERPOLATION_TIME;
        /// Maximum wall time of a query whether a counterexample is feasible.
        pub feasibility_time: Duration = cegar::FEASIBILITY_TIME;
    }
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "predicate_abstraction",
            summary: "Lazy predicate abstraction.",
            has_solver: true,
            recursion: Recursion::Excluded,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        run(subject.blocks, self, subject.solver, context).into()
    }
}

/// How predicates are combined.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Combination {
    /// Boolean predicate abstraction.
    Boolean,
    /// Cartesian predicate abstraction.
    Cartesian,
}
choice!(Combination: "boolean" = Self::Boolean, "cartesian" = Self::Cartesian);

/// The states that get new predicates.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All that are expanded from then on.
    All,
    /// Those from which states that a refinement has removed are explored again, and what is reached from these
    /// (\[BDW18\], section 3.2.4).
    Local,
}
choice!(Scope: "all" = Self::All, "local" = Self::Local);

/// Runs predicate abstraction.
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
    let mut abstraction =
        BooleanAbstraction::new(&solvers, options.covering).with_models(options.models);
    if options.abstraction == Combination::Cartesian {
        abstraction = abstraction.with_cartesian_abstraction();
    }
    if !options.block_queries {
        abstraction = abstraction.without_queries_for_empty_precision();
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
        PredicateRefinement {
            source: options.predicates,
            scope: options.precision,
            checks_all_blocks: options.block_queries,
            selection: Selection::new(&solvers)?,
            precision: Rc::default(),
        },
        solver,
        context,
    )?;
    cegar.run(context)
}

/// The refinement strategy: interpolants become predicates, and states that lack them are explored again.
pub struct PredicateRefinement<'f> {
    source: PredicateSource,
    scope: Scope,
    checks_all_blocks: bool,
    selection: Selection<'f>,
    /// The predicates with which new abstractions are computed; of [`Scope::Local`] all predicates together.
    precision: Rc<Precision>,
}

impl<'f> Strategy<BooleanAbstraction<'f>> for PredicateRefinement<'f> {
    fn refine(
        &mut self,
        mut model: Model<'_, BooleanAbstraction<'f>>,
        path: &AbstractPath,
        path_invariants: Option<Vec<TermId>>,
    ) -> Result<(), String> {
        let mut precision = match self.scope {
            Scope::All => Precision::clone(&self.precision),
            Scope::Local => precision_of_target(&model, path),
        };
        let invariants = path_invariants.unwrap_or_default();
        if !self.checks_all_blocks && !invariants.is_empty() {
            add_false(&model, path, &invariants, &mut precision);
        }
        let mut invariants = self.predicates(&model, path, invariants);
        let regions = &mut model.cpa.domain.abstraction.regions;
        invariants.retain(|&(at, predicate)| {
            let id = regions.predicate(predicate);
            id.is_ok_and(|id| !precision.at(at).contains(&id))
        });
        let selected = match invariants.is_empty() {
            true if self.source == PredicateSource::Interpolants => None,
            true => self.select(&model, path, &precision, Language::Conditions),
            false => Some(invariants),
        };
        let selected = match selected {
            Some(selected) => selected,
            None => match self.of_interpolants(&mut model, path, &mut precision) {
                Some(selected) => selected,
                None if self.source == PredicateSource::Interpolants => {
                    return Err("no interpolants were found".to_owned());
                }
                None => {
                    let values = self.select(&model, path, &precision, Language::Values);
                    values.ok_or("neither interpolants nor predicates were found")?
                }
            },
        };
        for (at, predicate) in selected {
            let regions = &mut model.cpa.domain.abstraction.regions;
            let id = regions.predicate(predicate).map_err(|e| e.to_string())?;
            precision.add(at, id);
        }
        let lacks = |&&state: &&AbstractionId| {
            let state = model.cpa.domain.abstraction_state(state);
            let Place::At(at) = state.place else {
                return false;
            };
            let used = state.precision.as_ref();
            used.is_some_and(|used| used.differs_at(at, &precision))
        };
        let pivot = match path.states.iter().find(lacks) {
            Some(&pivot) => pivot,
            None if model.cpa.domain.abstraction.refine_limits() => path.states[1],
            None => return Err("a counterexample was not excluded".to_owned()),
        };
        let predicates = precision
            .places()
            .map(|(_, list)| list.len())
            .sum::<usize>();
        counters::set(Counter::Predicates, predicates as u64);
        let precision = Rc::new(precision);
        self.precision = match self.scope {
            Scope::All => Rc::clone(&precision),
            Scope::Local => {
                let mut all = Precision::clone(&self.precision);
                all.join(&precision);
                Rc::new(all)
            }
        };
        let explored = self.explore_again(model, pivot, &precision);
        explored.map_err(|error| error.to_string())
    }

    fn precision(&self) -> Rc<Precision> {
        Rc::clone(&self.precision)
    }

    fn assume(
        &mut self,
        abstraction: &mut BooleanAbstraction<'f>,
        at: InlinedLocation,
        invariant: TermId,
    ) {
        abstraction.assume(at, invariant);
    }

    fn term(&self, abstraction: &BooleanAbstraction<'f>, formula: &Region) -> TermId {
        abstraction.term(formula)
    }

    /// Returns the predicates and their negations.
    fn used(&self, abstraction: &BooleanAbstraction<'f>) -> Vec<Candidate> {
        let mut all = Vec::new();
        for (at, predicates) in self.precision.places() {
            for &predicate in predicates {
                let formula = abstraction.regions.term_of(predicate);
                all.extend(Candidate::each(at, [formula, store().not(formula)]));
            }
        }
        all
    }

    fn failure(&self, abstraction: &BooleanAbstraction<'f>) -> Option<String> {
        abstraction.failure.clone()
    }
}

impl PredicateRefinement<'_> {
    /// Selects predicates that exclude the path.
    fn select(
        &mut self,
        model: &Model<'_, BooleanAbstraction<'_>>,
        path: &AbstractPath,
        precision: &Precision,
        language: Language,
    ) -> Option<Vec<Located>> {
        let domain = &model.cpa.domain;
        let used = |at| {
            let regions = &domain.abstraction.regions;
            let used = precision.at(at).iter();
            used.map(|&id| regions.term_of(id)).collect()
        };
        let invariants = |at| domain.abstraction.invariants_at(at).to_vec();
        self.selection
            .select(domain, path, language, &used, &invariants)
    }

    fn of_interpolants(
        &mut self,
        model: &mut Model<'_, BooleanAbstraction<'_>>,
        path: &AbstractPath,
        precision: &mut Precision,
    ) -> Option<Vec<Located>> {
        let sequence = model.sequence(path);
        let interpolants = model.interpolants(&sequence)?;
        if !self.checks_all_blocks {
            add_false(model, path, &interpolants, precision);
        }
        Some(self.predicates(model, path, interpolants))
    }

    /// Returns the atoms of interpolants as predicates.
    fn predicates(
        &mut self,
        model: &Model<'_, BooleanAbstraction<'_>>,
        path: &AbstractPath,
        interpolants: Vec<TermId>,
    ) -> Vec<Located> {
        let mut all = Vec::new();
        for (&state, interpolant) in path.states[1..].iter().zip(interpolants) {
            let Place::At(at) = model.cpa.domain.abstraction_state(state).place else {
                continue;
            };
            for predicate in atoms(interpolant) {
                self.selection.suggest(at, predicate);
                all.push((at, predicate));
            }
        }
        all
    }

    /// Removes the subgraph from the pivot state on and the states that it covers; their parents return to the
    /// waitlist.
    ///
    /// Departure with [`Scope::All`]: all states of the waitlist get the new precision, not only the parents of removed
    /// states.
    fn explore_again(
        &self,
        mut model: Model<'_, BooleanAbstraction<'_>>,
        pivot: AbstractionId,
        precision: &Rc<Precision>,
    ) -> Result<(), TooLarge> {
        let children = model.children();
        let elements = model.elements();
        let mut removed: FxHashSet<AbstractionId> = FxHashSet::default();
        let mut stack = vec![pivot];
        while let Some(state) = stack.pop() {
            if removed.insert(state) {
                stack.extend(children.get(&state).into_iter().flatten());
                let all = elements.keys().copied();
                let data = |id| model.cpa.domain.abstraction_state(id);
                stack.extend(all.filter(|&id| data(id).covered_by == Some(state)));
            }
        }
        let before = |&id| Some(model.cpa.domain.abstraction_state(id).before.as_ref()?.0);
        let mut parents: FxHashSet<AbstractionId> = removed.iter().filter_map(before).collect();
        if model.cpa.domain.abstraction.covers_by_union() {
            parents.extend(dependent_on(&mut model, &removed)?);
        }
        parents.retain(|parent| !removed.contains(parent));
        // Intermediate states of blocks that are built again are removed with the others.
        let gone: Vec<_> = model
            .reached
            .since(0)
            .filter(|(_, element)| {
                let state = &element.state.domain;
                let id = state.abstraction;
                removed.contains(&id) || !state.is_abstraction && parents.contains(&id)
            })
            .map(|(id, _)| id)
            .collect();
        for id in gone {
            model.reached.remove(model.cpa, id);
        }
        for parent in parents {
            if let Some(&id) = elements.get(&parent) {
                model.reached.wait(model.cpa, id);
                if self.scope == Scope::Local
                    && let Some(element) = model.reached.get(id)
                {
                    // It keeps what other refinements have given it, so that these need not be repeated.
                    let mut own = Precision::clone(&element.precision);
                    own.join(precision);
                    model.reached.set_precision(id, Rc::new(own));
                }
            }
        }
        if self.scope == Scope::All {
            for id in model.reached.waitlist() {
                model.reached.set_precision(id, Rc::clone(precision));
            }
        }
        Ok(())
    }
}

/// Returns the precision with which the last state of the path was reached.
fn precision_of_target(
    model: &Model<'_, BooleanAbstraction<'_>>,
    path: &AbstractPath,
) -> Precision {
    let last = path.states.last();
    let last = last.map(|&id| model.cpa.domain.abstraction_state(id));
    let used = last.and_then(|state| state.precision.as_deref());
    used.cloned().unwrap_or_default()
}

/// Adds the predicate `false` where the path ends, and where an interpolant is false.
fn add_false(
    model: &Model<'_, BooleanAbstraction<'_>>,
    path: &AbstractPath,
    interpolants: &[TermId],
    precision: &mut Precision,
) {
    let last = std::iter::once(&TermId::FALSE);
    let interpolants = interpolants.iter().chain(last);
    for (&state, &interpolant) in path.states[1..].iter().zip(interpolants) {
        if interpolant == TermId::FALSE
            && let Place::At(at) = model.cpa.domain.abstraction_state(state).place
        {
            precision.add_false(at);
        }
    }
}

/// Returns the states that may lack a successor because a removed state covered it.
fn dependent_on(
    model: &mut Model<'_, BooleanAbstraction<'_>>,
    removed: &FxHashSet<AbstractionId>,
) -> Result<Vec<AbstractionId>, TooLarge> {
    let mut left: FxHashMap<InlinedLocation, Vec<AbstractionId>> = FxHashMap::default();
    let mut changed: FxHashSet<InlinedLocation> = FxHashSet::default();
    for (_, element) in model.reached.since(0) {
        let state = &element.state.domain;
        if let (Place::At(at), true) = (element.state.place, state.is_abstraction) {
            match removed.contains(&state.abstraction) {
                true => _ = changed.insert(at),
                false => left.entry(at).or_default().push(state.abstraction),
            }
        }
    }
    let domain = &mut model.cpa.domain;
    for &place in &changed {
        let states = left.get(&place).into_iter().flatten();
        let regions = states.map(|id| &domain.abstractions[id.0 as usize].formula);
        domain.abstraction.set_union(place, regions)?;
    }
    let mut dependent = Vec::new();
    for (&at, states) in &left {
        let blocks = domain.blocks().from(at);
        let may_lead_there = |block: &Block| {
            let target = block.target();
            target.is_some_and(|to| changed.contains(&to) || !domain.ends_block(Place::At(to)))
        };
        if blocks.iter().any(may_lead_there) {
            dependent.extend(states);
        }
    }
    Ok(dependent)
}
