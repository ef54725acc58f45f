//! IMPACT refinement and forced covering (\[BDW18\], sections 3.2.4 and 3.3): states are strengthened, and the covering relation
//! follows.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cegar::counterexample::AbstractPath;
use crate::cegar::model::Model;
use regatta_cpa::ElementId;
use regatta_cpa::predicate::AbstractionId;
use regatta_cpa::predicate::representation::Representation;
use regatta_term::{Build, TermId, store};

/// The covering relation. A state is covered only by one that was created before it, so that there are no cycles.
pub(super) struct Coverage<'m, A: Representation> {
    model: Model<'m, A>,
    elements: FxHashMap<AbstractionId, ElementId>,
    children: FxHashMap<AbstractionId, Vec<AbstractionId>>,
}

impl<'m, A: Representation> Coverage<'m, A> {
    pub fn new(model: Model<'m, A>) -> Self {
        Self {
            elements: model.elements(),
            children: model.children(),
            model,
        }
    }

    fn formula(&self, id: AbstractionId) -> &A::Formula {
        &self.model.cpa.domain.abstraction_state(id).formula
    }

    /// Returns the state's formula as a term of the shared store.
    fn term(&self, id: AbstractionId) -> TermId {
        self.model.cpa.domain.abstraction.term(self.formula(id))
    }

    fn covered_by(&self, id: AbstractionId) -> Option<AbstractionId> {
        self.model.cpa.domain.abstraction_state(id).covered_by
    }

    fn set_covered_by(&mut self, id: AbstractionId, by: Option<AbstractionId>) {
        self.model.cpa.domain.abstractions[id.0 as usize].covered_by = by;
    }

    fn entails(&mut self, one: AbstractionId, other: AbstractionId) -> bool {
        let domain = &mut self.model.cpa.domain;
        let state = |id: AbstractionId| &domain.abstractions[id.0 as usize];
        let (from, to) = (state(one), state(other));
        let abstraction = &mut domain.abstraction;
        abstraction.entails(&from.formula, &to.formula, from.place)
    }

    /// IMPACT refinement: conjoins the formulas to those of the states, removes states that become false, and checks
    /// the affected coverings again (\[BDW18\], Figure 3).
    pub fn strengthen(&mut self, states: &[AbstractionId], formulas: &[TermId]) {
        let mut strengthened = Vec::new();
        for (&state, &formula) in states.iter().zip(formulas) {
            if formula == TermId::FALSE {
                self.remove(state);
                break;
            }
            let domain = &mut self.model.cpa.domain;
            let data = &mut domain.abstractions[state.0 as usize];
            let abstraction = &mut domain.abstraction;
            if let Some(after) = abstraction.strengthened(&data.formula, formula, data.place) {
                data.formula = after;
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
    pub fn force(&mut self, id: ElementId, attempts: usize) -> bool {
        let Some(element) = self.model.reached.get(id) else {
            return false;
        };
        let state = &element.state.domain;
        if !state.is_abstraction {
            return false;
        }
        let state = state.abstraction;
        let mut candidates = self.candidates(state);
        let abstraction = &self.model.cpa.domain.abstraction;
        candidates.retain(|&other| !abstraction.is_top(self.formula(other)));
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
            let goal = self.term(other);
            sequence.assume_first(&self.model.cpa.domain, self.term(ancestor));
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
