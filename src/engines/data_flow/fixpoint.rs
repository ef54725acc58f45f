//! Fixpoints of the value analysis, with growing precision.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::limits::{
    INITIAL_MAXIMUM_PATHS, MAXIMUM_DISJUNCTS, MAXIMUM_NARROWINGS, MAXIMUM_NEAR_DISTANCE,
    MAXIMUM_NEAR_VARIABLES, MAXIMUM_PATHS,
};
use super::relevance::{Relevance, thresholds};
use crate::Context;
use crate::unrolling::inner_cut_points;
use regatta_base::choice;
use regatta_certify::certificate::any_index;
use regatta_cpa::location::Place;
use regatta_cpa::loop_bound::LoopBoundCpa;
use regatta_cpa::value_analysis::{Precision, Relations, Remainders, ValueAnalysis, ValueState};
use regatta_cpa::{Composite, CompositeState, Cpa, Reached, algorithm::End, cpa_plus_plus};
use regatta_program::block::{Block, Blocks};
use regatta_program::{CScalar, InlinedLocation};
use regatta_sharing::Candidate;
use regatta_sharing::taken::Taken;
use regatta_term::domain::{AbstractValue, Thresholds, Values};
use regatta_term::{Build, Pool, Sort, TermId, TermKind, store};

/// What a round adds to the precision of the rounds before it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Refinement {
    /// One interval for each variable near the property.
    Intervals,
    /// Congruences, such as parity.
    Congruences,
    /// Parities alone: the template Mod2 of \[BD19\], section 4.10.
    Parities,
    /// All variables on which the property depends.
    Variables,
    /// Several intervals for a variable, and separate paths through a block.
    Disjunctions,
    /// Equalities of variables.
    Equalities,
    /// Bounds on the difference of two variables.
    Offsets,
    /// One abstract value for all cells of an array.
    Cells,
}

choice!(
    Refinement: "intervals" = Self::Intervals,
    "congruences" = Self::Congruences,
    "parities" = Self::Parities,
    "variables" = Self::Variables,
    "disjunctions" = Self::Disjunctions,
    "equalities" = Self::Equalities,
    "offsets" = Self::Offsets,
    "cells" = Self::Cells,
);

impl Refinement {
    /// Those that run if no others are given, in order.
    pub const ALL: [Self; 7] = [
        Self::Intervals,
        Self::Congruences,
        Self::Variables,
        Self::Disjunctions,
        Self::Equalities,
        Self::Offsets,
        Self::Cells,
    ];

    /// The name in events.
    pub fn name(self) -> &'static str {
        match self {
            Self::Intervals => "intervals",
            Self::Congruences => "congruences",
            Self::Parities => "parities",
            Self::Variables => "all variables",
            Self::Disjunctions => "disjunctions of intervals",
            Self::Equalities => "equal variables",
            Self::Offsets => "offsets of variables",
            Self::Cells => "array cells",
        }
    }

    /// Returns the precision with this refinement.
    fn refined(self, precision: &Precision, relevance: &Relevance) -> Precision {
        let mut precision = precision.clone();
        match self {
            Self::Intervals => {
                precision.variables =
                    Rc::new(relevance.within(MAXIMUM_NEAR_DISTANCE, MAXIMUM_NEAR_VARIABLES));
            }
            Self::Congruences => precision.remainders = Remainders::All,
            Self::Parities if precision.remainders == Remainders::None => {
                precision.remainders = Remainders::Parities;
            }
            Self::Parities => {}
            Self::Variables => {
                precision.variables = Rc::new(relevance.within(u32::MAX, usize::MAX));
            }
            Self::Disjunctions => {
                precision.disjuncts = MAXIMUM_DISJUNCTS;
                precision.paths = MAXIMUM_PATHS;
            }
            Self::Equalities | Self::Offsets => {
                precision.pairs = relevance.pairs.clone().into();
                precision.paths = precision.paths.max(MAXIMUM_PATHS);
                precision.relations = match self {
                    Self::Equalities => Relations::Equalities,
                    _ => Relations::Differences,
                };
            }
            Self::Cells => precision.cells = true,
        }
        precision
    }
}

/// A sound abstract state at each cut point that may be reached.
pub type Fixpoint = FxHashMap<InlinedLocation, ValueState>;

/// Computes fixpoints of one program.
pub struct Fixpoints<'b> {
    blocks: &'b Arc<Blocks>,
    relevance: Relevance,
    thresholds: Thresholds,
    precision: Precision,
    budget: Duration,
    /// Invariants of other engines, which each fixpoint assumes.
    taken: Taken,
}

impl<'b> Fixpoints<'b> {
    /// Creates an analysis of a program without recursion; `budget` is the wall time of each fixpoint.
    pub fn new(blocks: &'b Arc<Blocks>, budget: Duration) -> Self {
        let points = blocks.cut_points();
        let all: Vec<Block> = points
            .iter()
            .flat_map(|&at| blocks.from(at).to_vec())
            .collect();
        Self {
            blocks,
            relevance: Relevance::of(blocks, &all),
            thresholds: thresholds(&all),
            precision: Precision {
                variables: Rc::default(),
                pairs: Rc::from([]),
                relations: Relations::None,
                disjuncts: 1,
                paths: INITIAL_MAXIMUM_PATHS,
                remainders: Remainders::None,
                cells: false,
            },
            budget,
            taken: Taken::new(blocks),
        }
    }

    /// Computes a fixpoint with the precision refined, and returns what it implies at the cut points; `None` if the
    /// time was not enough, and the precision stays as it was.
    pub fn refine(
        &mut self,
        refinement: Refinement,
        context: &Context<'_>,
    ) -> Option<Vec<Candidate>> {
        let precision = refinement.refined(&self.precision, &self.relevance);
        let mut domain = ValueAnalysis::new(Arc::clone(self.blocks), self.thresholds.clone());
        self.taken.refresh(context.exchange);
        domain.assume(self.taken.by_place().clone());
        let mut cpa = Composite::new(Arc::clone(self.blocks), domain);
        cpa.loop_bound = LoopBoundCpa::unbounded();
        let precision = Rc::new(precision);
        let fixpoint = self.fixpoint(&mut cpa, &precision, context)?;
        self.precision = Precision::clone(&precision);
        Some(self.candidates(&cpa.domain, &fixpoint, &precision))
    }

    /// Computes a fixpoint with widening, and narrows it.
    fn fixpoint(
        &self,
        cpa: &mut Composite<ValueAnalysis>,
        precision: &Rc<Precision>,
        context: &Context<'_>,
    ) -> Option<Fixpoint> {
        let begin = Instant::now();
        let mut waited = Duration::ZERO;
        let mut late = || {
            waited += context.safe_point();
            context.token.is_cancelled() || begin.elapsed().saturating_sub(waited) > self.budget
        };
        let entry = Place::At(self.blocks.inlined().entry());
        let initial = cpa.initial(entry, cpa.domain.initial());
        let (initial, _) = cpa.adjust_precision(initial, precision)?;
        let mut reached = Reached::new();
        reached.add(cpa, initial.clone(), Rc::clone(precision));
        if cpa_plus_plus(cpa, &mut reached, |_| late()) == End::Aborted {
            return None;
        }
        let states = reached.since(0).map(|(_, element)| element.state.clone());
        let mut states: Vec<CompositeState<ValueState>> = states.collect();
        for _ in 0..MAXIMUM_NARROWINGS {
            if late() {
                break;
            }
            if !descend(cpa, &mut states, &initial, precision) {
                break;
            }
        }
        let at = |state: CompositeState<ValueState>| match state.place {
            Place::At(at) => Some((at, state.domain)),
            Place::Unsupported { .. } => None,
        };
        Some(states.into_iter().filter_map(at).collect())
    }

    /// Returns the states as formulas.
    fn candidates(
        &self,
        domain: &ValueAnalysis,
        fixpoint: &Fixpoint,
        precision: &Precision,
    ) -> Vec<Candidate> {
        let mut all = Vec::new();
        for at in inner_cut_points(self.blocks) {
            let Some(state) = fixpoint.get(&at) else {
                all.extend(Candidate::each(at, [TermId::FALSE]));
                continue;
            };
            for (&term, value) in &*state.values {
                all.extend(Candidate::each(at, self.formulas(term, value)));
            }
            if precision.relations == Relations::Differences {
                let orders = self.orders(domain, &state.values, precision);
                all.extend(Candidate::each(at, orders));
            }
        }
        all
    }

    fn is_unsigned(&self, term: TermId) -> bool {
        let TermKind::Variable { symbol, .. } = store().kind(term) else {
            return false;
        };
        let program = self.blocks.inlined().program();
        let c_type = self
            .blocks
            .variable(symbol)
            .and_then(|id| program.variable(id).c_type);
        matches!(
            c_type,
            Some(CScalar::Integer { signed: false, .. } | CScalar::Pointer | CScalar::Bool)
        )
    }

    fn formulas(&self, term: TermId, value: &AbstractValue) -> Vec<TermId> {
        match store().sort(term) {
            Sort::Array { index, .. } => {
                let cell = store().select(term, any_index(index.into()));
                value.formulas(cell, false)
            }
            _ => value.formulas(term, self.is_unsigned(term)),
        }
    }

    /// Returns orders of variables that follow from their difference and their bounds.
    fn orders(
        &self,
        domain: &ValueAnalysis,
        values: &Values,
        precision: &Precision,
    ) -> Vec<TermId> {
        let program = self.blocks.inlined().program();
        let mut environment = domain.environment(values, precision);
        let mut orders = Vec::new();
        for &(x, y) in &*precision.pairs {
            let unsigned = |id| self.is_unsigned(store().variable(program.variable(id).symbol));
            let term = |id| store().variable(program.variable(id).symbol);
            for (a, b) in [(term(x), term(y)), (term(y), term(x))] {
                let is_int = store().sort(a) == Sort::Int;
                let (less, at_most) = match unsigned(x) {
                    _ if is_int => (store().int_lt(a, b), store().int_le(a, b)),
                    true => (store().ult(a, b), store().ule(a, b)),
                    false => (store().slt(a, b), store().sle(a, b)),
                };
                let mut holds = |order| {
                    let value = environment.value(order);
                    value.and_then(|value| value.as_truth()) == Some(true)
                };
                if holds(less) {
                    orders.push(less);
                } else if holds(at_most) {
                    orders.push(at_most);
                }
            }
        }
        orders
    }
}

/// One step of narrowing, which drops states that no state reaches. Returns whether anything has changed.
fn descend(
    cpa: &mut Composite<ValueAnalysis>,
    states: &mut Vec<CompositeState<ValueState>>,
    initial: &CompositeState<ValueState>,
    precision: &Rc<Precision>,
) -> bool {
    let mut joined_successors: FxHashMap<Place, Values> = FxHashMap::default();
    joined_successors.insert(initial.place, Values::clone(&initial.domain.values));
    for state in &*states {
        for successor in cpa.successors(state, precision) {
            let values = &successor.domain.values;
            let joined = match joined_successors.get(&successor.place) {
                Some(known) => cpa.domain.join(known, values, precision),
                None => Values::clone(values),
            };
            joined_successors.insert(successor.place, joined);
        }
    }
    let before = states.len();
    states.retain(|state| joined_successors.contains_key(&state.place));
    let mut changed = states.len() < before;
    for state in states {
        let narrowed = cpa
            .domain
            .narrow(&state.domain, &joined_successors[&state.place]);
        changed |= narrowed.values != state.domain.values;
        state.domain = narrowed;
    }
    changed
}
