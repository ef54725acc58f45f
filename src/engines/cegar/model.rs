//! The abstract model, which refinements change.

use rustc_hash::FxHashMap;

use super::counterexample::{AbstractPath, Assumed, PathSequence};
use regatta_base::counters::{self, Counter};
use regatta_cpa::predicate::abstraction::Abstraction;
use regatta_cpa::predicate::{AbstractionId, PredicateCpa};
use regatta_cpa::{Composite, ElementId, Reached};
use regatta_solver::interpolation::{Interpolation, Interpolator};
use regatta_term::TermId;

/// The composite of the Predicate CPA and the auxiliary CPAs.
pub type Cpa<A> = Composite<PredicateCpa<A>>;

/// The abstract model explored so far, and an interpolator.
pub struct Model<'m, A: Abstraction> {
    /// The CPAs.
    pub cpa: &'m mut Cpa<A>,
    /// The reached states.
    pub reached: &'m mut Reached<Cpa<A>>,
    /// The interpolator for refinements.
    pub interpolator: &'m mut dyn Interpolator,
}

impl<A: Abstraction> Model<'_, A> {
    /// Returns the reached set's element of each abstraction state.
    pub fn elements(&self) -> FxHashMap<AbstractionId, ElementId> {
        let all = self.reached.since(0);
        let states = all.filter(|(_, element)| element.state.domain.is_abstraction);
        states
            .map(|(id, element)| (element.state.domain.abstraction, id))
            .collect()
    }

    /// For each abstraction state, returns its successors by one block in the reached set.
    pub fn children(&self) -> FxHashMap<AbstractionId, Vec<AbstractionId>> {
        let mut children: FxHashMap<AbstractionId, Vec<AbstractionId>> = FxHashMap::default();
        for (_, element) in self.reached.since(0) {
            let state = &element.state.domain;
            let data = self.cpa.domain.abstraction_state(state.abstraction);
            if let Some((before, _)) = data.before
                && state.is_abstraction
            {
                children.entry(before).or_default().push(state.abstraction);
            }
        }
        children
    }

    /// Returns the block formulas of a path.
    pub fn sequence(&self, path: &AbstractPath) -> PathSequence {
        PathSequence::new(&self.cpa.domain, path, self.interpolator.arena())
    }

    /// Returns interpolants of the path that need not say the invariants.
    pub fn interpolants_beyond(
        &mut self,
        path: &AbstractPath,
        invariants: &[Assumed],
    ) -> Option<Vec<TermId>> {
        let mut sequence = self.sequence(path);
        for &invariant in invariants {
            sequence.assume(&self.cpa.domain, invariant);
        }
        self.interpolants(&sequence)
    }

    /// Returns interpolants of the sequence over the state variables themselves; `None` if there are none.
    pub fn interpolants(&mut self, sequence: &PathSequence) -> Option<Vec<TermId>> {
        let interpolate = || self.interpolator.interpolate(sequence.sequence());
        match counters::time(Counter::Interpolation, interpolate) {
            Interpolation::Interpolants(interpolants) => {
                let all = interpolants.into_iter();
                Some(all.map(|term| sequence.original(term)).collect())
            }
            _ => None,
        }
    }
}
