//! Refinement by preimages (\[Bir13\], section 3.4): the domain gets the predicates of the preimage of the abstract state
//! that comes next on the trace, so that states that do not lead there can be told apart from those that do. If it has
//! them, the states after these are next, up to the error.
//!
//! Departures: the inputs of a step keep the model's values, as in lifting ([`super::lift`]), where the thesis eliminates
//! them as quantified variables; the preimage is smaller then, and the trace stays one that can be replayed. If the domain
//! has all these predicates already, the thesis uncovers another trace; here the states' own formula becomes a predicate.

use super::Ctigar;
use super::cube::State;
use super::domain::atoms;
use super::preimage::preimage;
use super::system::Model;
use regatta_term::{Build, Symbol, TermId, Value, instantiate, store};

/// A step of a trace, and the states that it leads to; `None` stands for an error.
#[derive(Clone, Debug)]
pub struct TraceStep {
    pub model: Model,
    pub to: Option<State>,
}

impl Ctigar<'_> {
    /// Adds the predicates of the first preimage on the trace that has new ones; returns their number.
    pub(super) fn refine_by_preimage(&mut self, trace: &[TraceStep]) -> usize {
        for step in trace {
            let preimage = self.preimage_of(step);
            let new: usize = atoms([preimage])
                .into_iter()
                .map(|one| self.domain.add(one))
                .sum();
            if new > 0 {
                self.statistics.preimages += 1;
                return new;
            }
        }
        0
    }

    /// Returns the preimage of the step's target, with the inputs of its model.
    fn preimage_of(&self, step: &TraceStep) -> TermId {
        let Model {
            step: taken,
            values,
        } = &step.model;
        let place = self.system.place(taken.from);
        let mut conditions = vec![place.blocks[taken.block].guard];
        if let Some(state) = &step.to {
            let literals = self.domain.literals_of(state).into_iter();
            let updates = place.updates(taken.block);
            conditions.extend(literals.map(|literal| preimage(store(), updates, literal)));
        }
        let input = |symbol: Symbol, instance: u32| {
            let zero = || Value::zero(symbol.sort());
            let value = values.get(&(symbol, instance)).cloned();
            (instance > 0).then(|| store().value(&value.unwrap_or_else(zero)))
        };
        instantiate(store(), store().and(conditions), input)
    }
}
