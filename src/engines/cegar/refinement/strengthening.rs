//! IMPACT refinement (\[BDW18\], section 3.2.4): interpolants strengthen the states of the path. For UFO (\[AGC12\]; \[BDW18\],
//! section 4.5.1), their atoms become predicates of new states as well.

use std::rc::Rc;

use super::coverage::Coverage;
use super::{Known, Refinement, Use};
use crate::cegar::PredicateSource;
use crate::cegar::atoms::atoms;
use crate::cegar::counterexample::AbstractPath;
use crate::cegar::model::Model;
use crate::cegar::selection::Language;
use regatta_base::counters::{self, Counter};
use regatta_cpa::location::Place;
use regatta_cpa::predicate::abstraction::Abstraction as _;
use regatta_cpa::predicate::precision::Precision;
use regatta_cpa::predicate::representation::Representation;
use regatta_sharing::Candidate;
use regatta_term::TermId;

/// Maximum number of predicates of a place for new states.
const MAXIMUM_PREDICATES: usize = 60;

impl Refinement<'_> {
    /// Strengthens the states of the path, the last of which is removed.
    pub(super) fn strengthen<A: Representation>(
        &mut self,
        mut model: Model<'_, A>,
        path: &AbstractPath,
        known: Known<'_>,
    ) -> Result<(), String> {
        let interpolants = known.of_path_program;
        let interpolants =
            interpolants.or_else(|| model.interpolants_beyond(path, known.invariants));
        let interpolants = match self.operators.source {
            PredicateSource::Program => interpolants.or_else(|| self.by_predicates(&model, path)),
            PredicateSource::Interpolants => interpolants,
        };
        let mut all = interpolants.ok_or("no interpolants were found")?;
        for (&state, &formula) in path.states[1..].iter().zip(&all) {
            if let Place::At(at) = model.cpa.domain.abstraction_state(state).place {
                self.used.push(Candidate { at, formula });
            }
        }
        if self.operators.interpolants == Use::Both {
            self.track(&mut model, path, &all)?;
        }
        all.push(TermId::FALSE);
        Coverage::new(model).strengthen(&path.states[1..], &all);
        Ok(())
    }

    /// Makes the atoms of interpolants predicates of all states that are computed from now on.
    fn track<A: Representation>(
        &mut self,
        model: &mut Model<'_, A>,
        path: &AbstractPath,
        interpolants: &[TermId],
    ) -> Result<(), String> {
        let mut precision = Precision::clone(&self.precision);
        let domain = &mut model.cpa.domain;
        for (&state, &interpolant) in path.states[1..].iter().zip(interpolants) {
            let Place::At(at) = domain.abstraction_state(state).place else {
                continue;
            };
            for atom in atoms(interpolant) {
                let predicate = domain.abstraction.predicate(atom);
                let predicate = predicate.map_err(|error| error.to_string())?;
                if precision.at(at).len() < MAXIMUM_PREDICATES {
                    precision.add(at, predicate);
                }
            }
        }
        let predicates = precision.places().map(|(_, list)| list.len());
        counters::set(Counter::Predicates, predicates.sum::<usize>() as u64);
        self.precision = Rc::new(precision);
        let elements: Vec<_> = model.reached.since(0).map(|(id, _)| id).collect();
        for id in elements {
            model.reached.set_precision(id, Rc::clone(&self.precision));
        }
        Ok(())
    }

    /// Computes interpolants by Boolean abstraction along the path, with a few predicates that exclude it.
    fn by_predicates<A: Representation>(
        &mut self,
        model: &Model<'_, A>,
        path: &AbstractPath,
    ) -> Option<Vec<TermId>> {
        let domain = &model.cpa.domain;
        let boolean = self.boolean.as_mut()?;
        let invariants = |at| boolean.invariants_at(at);
        let selected =
            self.selection
                .select(domain, path, Language::Values, &|_| Vec::new(), &invariants)?;
        let mut precision = Precision::default();
        for (at, predicate) in selected {
            precision.add(at, boolean.predicate(predicate).ok()?);
        }
        let precision = Rc::new(precision);
        let mut region = Some(boolean.top());
        let mut interpolants = Vec::new();
        for states in path.states[..path.block_count()].windows(2) {
            let state = domain.abstraction_state(states[1]);
            let (_, formula) = state.before.as_ref()?;
            let block = domain.block_formula(states[0], formula, state.place);
            region = region.and_then(|region| boolean.compute(&region, &block, &precision));
            let interpolant = region.as_ref().map(|region| boolean.term(region));
            interpolants.push(interpolant.unwrap_or(TermId::FALSE));
        }
        Some(interpolants)
    }
}
