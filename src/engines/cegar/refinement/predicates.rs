//! Predicate refinement (\[BDW18\], section 3.2.4): the atoms of interpolants become predicates, and states that lack them are
//! explored again.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Known, Refinement, Scope};
use crate::cegar::PredicateSource;
use crate::cegar::atoms::atoms;
use crate::cegar::counterexample::{AbstractPath, Assumed};
use crate::cegar::model::Model;
use crate::cegar::selection::{Language, Located};
use regatta_base::counters::{self, Counter};
use regatta_cpa::location::Place;
use regatta_cpa::predicate::AbstractionId;
use regatta_cpa::predicate::precision::Precision;
use regatta_cpa::predicate::regions::TooLarge;
use regatta_cpa::predicate::representation::Representation;
use regatta_program::InlinedLocation;
use regatta_program::block::Block;
use regatta_term::TermId;

impl Refinement<'_> {
    /// Adds predicates, and has states that lack them explored again.
    pub(super) fn add_predicates<A: Representation>(
        &mut self,
        mut model: Model<'_, A>,
        path: &AbstractPath,
        known: Known<'_>,
    ) -> Result<(), String> {
        let source = self.operators.source;
        let mut precision = match self.operators.scope {
            Scope::All => Precision::clone(&self.precision),
            Scope::Local => precision_of_target(&model, path),
        };
        let invariants = known.of_path_program.unwrap_or_default();
        if !self.operators.checks_all_blocks && !invariants.is_empty() {
            add_false(&model, path, &invariants, &mut precision);
        }
        let mut invariants = self.predicates(&model, path, invariants);
        let abstraction = &mut model.cpa.domain.abstraction;
        invariants.retain(|&(at, predicate)| {
            let id = abstraction.predicate(predicate);
            id.is_ok_and(|id| !precision.at(at).contains(&id))
        });
        let selected = match invariants.is_empty() {
            true if source == PredicateSource::Interpolants => None,
            true => self.select(&model, path, &mut precision, Language::Conditions),
            false => Some(invariants),
        };
        let selected = match selected {
            Some(selected) => selected,
            None => {
                match self.of_interpolants(&mut model, path, known.invariants, &mut precision) {
                    Some(selected) => selected,
                    None if source == PredicateSource::Interpolants => {
                        return Err("no interpolants were found".to_owned());
                    }
                    None => {
                        let values = self.select(&model, path, &mut precision, Language::Values);
                        values.ok_or("neither interpolants nor predicates were found")?
                    }
                }
            }
        };
        add(&mut model, &selected, &mut precision)?;
        let mut pivot = first_that_lacks(&model, path, &precision);
        if pivot.is_none() && model.cpa.domain.abstraction.refine_limits() {
            pivot = Some(path.states[1]);
        }
        if pivot.is_none() && !known.invariants.is_empty() {
            // States on the path may have been reached before the invariants were known.
            let alone = self.of_interpolants(&mut model, path, &[], &mut precision);
            add(&mut model, &alone.unwrap_or_default(), &mut precision)?;
            pivot = first_that_lacks(&model, path, &precision);
        }
        if pivot.is_none() && source == PredicateSource::Program {
            // The Cartesian abstraction may lose what atoms say only together. With the interpolants as predicates, each
            // follows from the one before, so that it excludes the path, too.
            let whole = self.whole_interpolants(&mut model, path);
            add(&mut model, &whole, &mut precision)?;
            pivot = first_that_lacks(&model, path, &precision);
        }
        let pivot = pivot.ok_or("a counterexample was not excluded")?;
        let predicates = precision
            .places()
            .map(|(_, list)| list.len())
            .sum::<usize>();
        counters::set(Counter::Predicates, predicates as u64);
        let precision = Rc::new(precision);
        self.precision = match self.operators.scope {
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

    /// Selects predicates that exclude the path, with the predicate `false` wherever a block may turn out not to be executed.
    fn select<A: Representation>(
        &mut self,
        model: &Model<'_, A>,
        path: &AbstractPath,
        precision: &mut Precision,
        language: Language,
    ) -> Option<Vec<Located>> {
        let domain = &model.cpa.domain;
        let used = |at| {
            let used = precision.at(at).iter();
            used.map(|&id| domain.abstraction.term_of(id)).collect()
        };
        let invariants = |at| domain.abstraction.invariants_at(at);
        let selected = self
            .selection
            .select(domain, path, language, &used, &invariants)?;
        if !self.operators.checks_all_blocks {
            for &state in &path.states[1..] {
                if let Place::At(at) = domain.abstraction_state(state).place {
                    precision.add_false(at);
                }
            }
        }
        Some(selected)
    }

    fn of_interpolants<A: Representation>(
        &mut self,
        model: &mut Model<'_, A>,
        path: &AbstractPath,
        known: &[Assumed],
        precision: &mut Precision,
    ) -> Option<Vec<Located>> {
        let interpolants = model.interpolants_beyond(path, known)?;
        if !self.operators.checks_all_blocks {
            add_false(model, path, &interpolants, precision);
        }
        Some(self.predicates(model, path, interpolants))
    }

    /// Returns interpolants of the path as predicates, each as a whole.
    fn whole_interpolants<A: Representation>(
        &self,
        model: &mut Model<'_, A>,
        path: &AbstractPath,
    ) -> Vec<Located> {
        let sequence = model.sequence(path);
        let interpolants = model.interpolants(&sequence).unwrap_or_default();
        let mut whole = located(model, path, interpolants);
        whole.retain(|&(_, interpolant)| !atoms(interpolant).is_empty());
        whole
    }

    /// Returns the atoms of interpolants as predicates.
    fn predicates<A: Representation>(
        &mut self,
        model: &Model<'_, A>,
        path: &AbstractPath,
        interpolants: Vec<TermId>,
    ) -> Vec<Located> {
        let mut all = Vec::new();
        for (at, interpolant) in located(model, path, interpolants) {
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
    fn explore_again<A: Representation>(
        &self,
        mut model: Model<'_, A>,
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
                if self.operators.scope == Scope::Local
                    && let Some(element) = model.reached.get(id)
                {
                    // It keeps what other refinements have given it, so that these need not be repeated.
                    let mut own = Precision::clone(&element.precision);
                    own.join(precision);
                    model.reached.set_precision(id, Rc::new(own));
                }
            }
        }
        if self.operators.scope == Scope::All {
            for id in model.reached.waitlist() {
                model.reached.set_precision(id, Rc::clone(precision));
            }
        }
        Ok(())
    }
}

/// Returns the interpolants with their places on the path, as far as they are at cut points.
fn located<A: Representation>(
    model: &Model<'_, A>,
    path: &AbstractPath,
    interpolants: Vec<TermId>,
) -> Vec<Located> {
    let states = path.states[1..].iter().zip(interpolants);
    let all = states.filter_map(|(&state, interpolant)| {
        match model.cpa.domain.abstraction_state(state).place {
            Place::At(at) => Some((at, interpolant)),
            _ => None,
        }
    });
    all.collect()
}

/// Adds the predicates to the precision.
fn add<A: Representation>(
    model: &mut Model<'_, A>,
    predicates: &[Located],
    precision: &mut Precision,
) -> Result<(), String> {
    for &(at, predicate) in predicates {
        let id = model.cpa.domain.abstraction.predicate(predicate);
        precision.add(at, id.map_err(|error| error.to_string())?);
    }
    Ok(())
}

/// Returns the first state of the path whose own precision lacks one of these predicates.
fn first_that_lacks<A: Representation>(
    model: &Model<'_, A>,
    path: &AbstractPath,
    precision: &Precision,
) -> Option<AbstractionId> {
    let lacks = |&&state: &&AbstractionId| {
        let state = model.cpa.domain.abstraction_state(state);
        let Place::At(at) = state.place else {
            return false;
        };
        let used = state.precision.as_ref();
        used.is_some_and(|used| used.differs_at(at, precision))
    };
    path.states.iter().find(lacks).copied()
}

/// Returns the precision with which the last state of the path was reached.
fn precision_of_target<A: Representation>(model: &Model<'_, A>, path: &AbstractPath) -> Precision {
    let last = path.states.last();
    let last = last.map(|&id| model.cpa.domain.abstraction_state(id));
    let used = last.and_then(|state| state.precision.as_deref());
    used.cloned().unwrap_or_default()
}

/// Adds the predicate `false` where the path ends, and where an interpolant is false.
fn add_false<A: Representation>(
    model: &Model<'_, A>,
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
fn dependent_on<A: Representation>(
    model: &mut Model<'_, A>,
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
        let formulas = states.map(|id| &domain.abstractions[id.0 as usize].formula);
        let formulas: Vec<_> = formulas.collect();
        domain.abstraction.set_union(place, &formulas)?;
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
