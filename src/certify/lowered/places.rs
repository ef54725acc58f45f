//! Cut points of the program as lowered, and the claims about them.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Lowered;
use super::call_strings::{CallStrings, Node};
use crate::certificate::{AT_ENTRY, is_any_index};
use regatta_program::simplify::{Abstract, Origin};
use regatta_program::{CallGraph, CutPoints, EdgeId, LocationId, Program, Simplified, VariableId};
use regatta_term::{
    Build, Op, Pool, Rebuild, Symbol, TermId, TermKind, at_instance, free_variables, store,
};

/// Cut points: locations with a suffix of call strings, each for all call strings with that suffix.
#[derive(Clone, Default)]
pub(crate) struct Cuts {
    places: FxHashMap<LocationId, FxHashSet<Vec<EdgeId>>>,
}

impl Cuts {
    /// The cut points of the simplified program, and the entry.
    pub(crate) fn of_simplified(simplified: &Simplified, lowered: &Program) -> Self {
        let mut cuts = Self::default();
        cuts.add(lowered.function(lowered.start).entry, Vec::new());
        let calls = CallGraph::new(&simplified.program);
        for (location, kind) in CutPoints::new(&simplified.program, &calls).iter() {
            if kind.is_inner() {
                let origin = &simplified.origins[location.index()];
                cuts.add(origin.location, origin.calls.clone());
            }
        }
        cuts
    }

    /// The simplifier's cut points in one of its rounds, and the entry.
    pub fn of_round(simplified: &Simplified, lowered: &Program, round: u32) -> Self {
        let mut cuts = Self::default();
        cuts.add(lowered.function(lowered.start).entry, Vec::new());
        for facts in &simplified.invariants {
            if facts.round == round {
                cuts.add(facts.origin.location, facts.origin.calls.clone());
            }
        }
        cuts
    }

    pub fn add(&mut self, location: LocationId, calls: Vec<EdgeId>) {
        self.places.entry(location).or_default().insert(calls);
    }

    /// The locations that are cut points at some call string.
    pub fn locations(&self) -> impl Iterator<Item = LocationId> + '_ {
        self.places.keys().copied()
    }

    pub fn contains(&self, stacks: &CallStrings, node: Node) -> bool {
        self.places.get(&node.location).is_some_and(|places| {
            let mut places = places.iter();
            places.any(|calls| stacks.ends_in(node.stack, calls))
        })
    }
}

/// Translates formulas over the simplified program to formulas over the program as lowered.
pub(crate) struct Meaning<'a> {
    simplified: &'a Simplified,
    lowered: &'a Program,
    by_symbol: FxHashMap<Symbol, VariableId>,
}

impl<'a> Meaning<'a> {
    pub fn new(simplified: &'a Simplified, lowered: &'a Program) -> Self {
        let variables = simplified.program.variables.iter().enumerate();
        Self {
            simplified,
            lowered,
            by_symbol: variables
                .map(|(index, variable)| (variable.symbol, VariableId(index as u32)))
                .collect(),
        }
    }

    /// The variable of the simplified program as a term over the program as lowered.
    pub fn variable(&self, variable: VariableId) -> Option<TermId> {
        if let Some(&cell) = self.simplified.cells.get(&variable) {
            return Some(cell);
        }
        let origin = (*self.simplified.variable_origins.get(variable.index())?)?;
        Some(store().variable(self.lowered.variables.get(origin.index())?.symbol))
    }

    /// The formula over the program as lowered; `None` if it has a variable without a counterpart.
    pub fn formula(&self, formula: TermId) -> Option<TermId> {
        self.translate(formula, 0)
    }

    /// [`Self::formula`] for a formula that may refer to the state at an activation's entry.
    pub fn relation(&self, formula: TermId) -> Option<TermId> {
        self.translate(formula, AT_ENTRY)
    }

    /// Translates a formula with program variables of instances up to the given one.
    fn translate(&self, formula: TermId, latest: u32) -> Option<TermId> {
        let mut complete = true;
        let replace = |term| match store().kind(term) {
            TermKind::Variable { symbol, .. } if is_any_index(symbol) => Some(term),
            TermKind::Variable { symbol, instance } => {
                let variable = self.by_symbol.get(&symbol).filter(|_| instance <= latest);
                let meaning = variable.and_then(|&variable| self.variable(variable));
                let meaning = meaning.map(|meaning| match instance {
                    0 => meaning,
                    _ => at_instance(store(), meaning, instance),
                });
                complete &= meaning.is_some();
                Some(meaning.unwrap_or(term))
            }
            _ => None,
        };
        let result = Rebuild::new(store(), store(), replace).rebuild(formula);
        complete.then_some(result)
    }

    /// Translates a location of the simplified program with its calls to the program as lowered.
    pub fn place(
        &self,
        location: LocationId,
        calls: &[EdgeId],
    ) -> Option<(LocationId, Vec<EdgeId>)> {
        let simplified = self.simplified;
        let mut lowered = Vec::new();
        for &call in calls {
            let source = simplified.program.edges.get(call.index())?.source;
            lowered.extend_from_slice(&simplified.origins[source.index()].calls);
            lowered.push(*simplified.call_origins.get(call.index())?);
        }
        let origin = simplified.origins.get(location.index())?;
        lowered.extend_from_slice(&origin.calls);
        Some((origin.location, lowered))
    }
}

/// A claim about a cut point.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// Its number.
    pub fact: usize,
    /// A Boolean term over the program as lowered.
    pub formula: TermId,
    /// If the claim states that a variable, or a region's cell, is a constant: that term, and the constant.
    pub constant: Option<(TermId, TermId)>,
}

/// Claims at a location with a suffix of call strings.
type ClaimsOfCalls<'a> = (&'a [EdgeId], Vec<Claim>);

/// The facts of the simplifier at its cut points. They are not trusted: those that are not inductive are dropped.
#[derive(Default)]
pub(crate) struct Facts<'a> {
    places: FxHashMap<LocationId, Vec<ClaimsOfCalls<'a>>>,
    known: FxHashSet<(&'a Origin, TermId)>,
    alive: Vec<bool>,
    /// The facts before this number are inductive, if they are still alive.
    pub confirmed: usize,
    by_node: FxHashMap<Node, Rc<[Claim]>>,
}

impl<'a> Facts<'a> {
    /// Adds the candidates of a round of the simplifier. Returns whether there are new ones.
    pub(crate) fn add_round(
        &mut self,
        simplified: &'a Simplified,
        meaning: &Meaning<'_>,
        round: u32,
    ) -> bool {
        let before = self.alive.len();
        for place in simplified.invariants.iter().filter(|p| p.round == round) {
            let origin = &place.origin;
            let mut claims = Vec::new();
            match &place.values {
                None => self.claim(&mut claims, origin, TermId::FALSE, None),
                Some(values) => {
                    for &(variable, known) in values {
                        let Some(term) = meaning.variable(variable) else {
                            continue;
                        };
                        let constant = match known {
                            Abstract::Constant(value) => Some((term, value)),
                            Abstract::Range(..) => None,
                        };
                        self.claim(&mut claims, origin, known.formula(term), constant);
                    }
                }
            }
            let at = self.places.entry(origin.location).or_default();
            at.push((&origin.calls, claims));
        }
        self.by_node.clear();
        self.alive.len() > before
    }

    /// The locations with claims at some call string.
    pub fn locations(&self) -> impl Iterator<Item = LocationId> + '_ {
        self.places.keys().copied()
    }

    fn claim(
        &mut self,
        claims: &mut Vec<Claim>,
        origin: &'a Origin,
        formula: TermId,
        constant: Option<(TermId, TermId)>,
    ) {
        // Most facts are found again in every round.
        if formula == TermId::TRUE || !self.known.insert((origin, formula)) {
            return;
        }
        claims.push(Claim {
            fact: self.alive.len(),
            formula,
            constant,
        });
        self.alive.push(true);
    }

    /// The numbers of the facts that were found to be inductive.
    pub(crate) fn confirmed_numbers(&self) -> Vec<u32> {
        let alive = self.alive[..self.confirmed].iter().zip(0..);
        alive
            .filter_map(|(alive, number)| alive.then_some(number))
            .collect()
    }

    /// All claims, with their locations and suffixes of call strings.
    pub fn claims(&self) -> impl Iterator<Item = (LocationId, &'a [EdgeId], &Claim)> {
        let places = self.places.iter();
        places.flat_map(|(&location, at)| {
            let claims = at
                .iter()
                .flat_map(|(calls, claims)| claims.iter().map(move |one| (*calls, one)));
            claims.map(move |(calls, claim)| (location, calls, claim))
        })
    }

    /// The number of facts so far, including dropped ones.
    pub fn count(&self) -> usize {
        self.alive.len()
    }

    /// Drops facts. Returns whether any of them was still alive.
    pub(crate) fn drop_facts(&mut self, dropped: impl IntoIterator<Item = usize>) -> bool {
        let mut changed = false;
        for fact in dropped {
            changed |= std::mem::replace(&mut self.alive[fact], false);
        }
        if changed {
            self.by_node.clear();
        }
        changed
    }

    /// The claims about the node, each formula once.
    pub fn at(&mut self, lowered: &Lowered<'_>, stacks: &CallStrings, node: Node) -> Rc<[Claim]> {
        if let Some(claims) = self.by_node.get(&node) {
            return claims.clone();
        }
        let mut seen = FxHashSet::default();
        let mut result = Vec::new();
        let places = self.places.get(&node.location).into_iter().flatten();
        for (_, claims) in places.filter(|(calls, _)| stacks.ends_in(node.stack, calls)) {
            for claim in claims {
                let alive = self.alive[claim.fact];
                // A variable of a function that is not being executed has no value.
                let exists = || {
                    let of = claim.constant.map_or(claim.formula, |(term, _)| term);
                    is_in_scope(lowered, stacks, node, of)
                };
                if alive && seen.insert(claim.formula) && exists() {
                    result.push(claim.clone());
                }
            }
        }
        let result: Rc<[Claim]> = result.into();
        self.by_node.insert(node, result.clone());
        result
    }
}

/// Checks whether all of the term's variables exist in the node's call string.
pub(crate) fn is_in_scope(
    lowered: &Lowered<'_>,
    stacks: &CallStrings,
    node: Node,
    term: TermId,
) -> bool {
    use regatta_program::Scope;
    let mut exists = true;
    let mut stack = vec![term];
    let mut seen = FxHashSet::default();
    while let Some(top) = stack.pop() {
        match store().kind(top) {
            TermKind::Constant(_) => {}
            TermKind::Variable { symbol, .. } if is_any_index(symbol) => {}
            TermKind::Variable { symbol, .. } => {
                exists &= lowered.by_symbol.get(&symbol).is_some_and(|&variable| {
                    match lowered.program.variable(variable).scope {
                        Scope::Global => true,
                        Scope::Local(function) => stacks.activation(node.stack, function).is_some(),
                    }
                });
            }
            TermKind::Apply { arguments, .. } => {
                if seen.insert(top) {
                    stack.extend_from_slice(arguments);
                }
            }
        }
    }
    exists
}

/// Checks whether the term's variables exist in the node's call string; those for the state at the entry have to exist in
/// the outermost activation.
pub(crate) fn is_relation_in_scope(
    lowered: &Lowered<'_>,
    stacks: &CallStrings,
    node: Node,
    term: TermId,
) -> bool {
    use regatta_program::Scope;
    let root = stacks.functions(node.stack).last().copied();
    let mut variables = free_variables(store(), term).into_iter();
    variables.all(|(symbol, instance)| {
        let Some(&variable) = lowered.by_symbol.get(&symbol) else {
            return false;
        };
        match lowered.program.variable(variable).scope {
            Scope::Global => true,
            Scope::Local(function) if instance == AT_ENTRY => Some(function) == root,
            Scope::Local(function) => stacks.activation(node.stack, function).is_some(),
        }
    })
}

/// The array and index of a `select` term.
pub(crate) fn as_cell(term: TermId) -> Option<(TermId, TermId)> {
    match store().kind(term) {
        TermKind::Apply {
            op: Op::Select,
            arguments: &[array, index],
        } => Some((array, index)),
        _ => None,
    }
}
