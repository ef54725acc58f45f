//! The largest set of candidates that Horn clauses preserve (Houdini: \[FL01\]), and solutions made of
//! such sets.
//!
//! A candidate for a predicate is kept as long as every clause with this predicate in its head implies it, given the
//! candidates for the predicates in the clause's body. For calls this is induction over the call tree: a summary is assumed
//! of the calls that a function makes and proved of the function.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::limits::{MAXIMUM_BRIEF_QUERIES, MAXIMUM_BRIEF_QUERY_TIME, MAXIMUM_PROOF_QUERY_TIME};
use super::pairs::Pairs;
use crate::Context;
use crate::horn_clauses::encode::Encoding;
use crate::invariants::houdini::Consecution;
use regatta_certify::Certificate;
use regatta_entailment::unknowns::is_hard;
use regatta_program::LocationId;
use regatta_program::block::Blocks;
use regatta_solver::horn::{Application, HornClause, PredicateId};
use regatta_term::{
    Build, Pool, Rebuild, TermId, conjuncts, free_variables, size, store, transfer,
};

/// For each predicate, formulas over its parameters.
pub type Formulas = Vec<Vec<TermId>>;

/// A state that a model derives for a predicate and that refutes candidates for it.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The predicate.
    pub predicate: PredicateId,
    /// The state, as a row of the predicate's samples.
    pub row: Vec<i128>,
}

/// The proved formulas over the clauses of a program.
pub struct Inductive<'e> {
    encoding: &'e Encoding,
    consecution: Consecution,
    /// The proved formulas.
    proved: Formulas,
}

/// A formula for a predicate.
type Claim = (PredicateId, TermId);

impl<'e> Inductive<'e> {
    /// Creates it without proved formulas. The arena of `consecution` is that of the encoding.
    pub fn new(encoding: &'e Encoding, consecution: Consecution) -> Self {
        Self {
            encoding,
            consecution,
            proved: vec![Vec::new(); encoding.places.len()],
        }
    }

    /// Returns the proof by a solution of the clauses.
    pub fn certificate(&self, blocks: &Blocks, solution: &[TermId]) -> Certificate {
        self.encoding.summaries(blocks, solution)
    }

    /// Returns the number of proved formulas.
    pub fn count(&self) -> usize {
        self.proved.iter().map(Vec::len).sum()
    }

    fn clauses(&self) -> &'e [HornClause] {
        &self.encoding.system.clauses
    }

    fn applied(&self, application: &Application, formula: TermId) -> TermId {
        let predicate = &self.encoding.system.predicates[application.predicate.index()];
        predicate.applied(&self.encoding.arena, formula, &application.arguments)
    }

    /// Returns the premises of the clause if the formulas hold: first the conjuncts of its constraint, without a claim, then the
    /// formulas for the predicates in its body.
    fn premises(&self, clause: &HornClause, known: &[&Formulas]) -> Vec<(TermId, Option<Claim>)> {
        let constraint = conjuncts(&*self.encoding.arena, clause.constraint);
        let mut all: Vec<(TermId, Option<Claim>)> =
            constraint.into_iter().map(|part| (part, None)).collect();
        for application in &clause.body {
            let predicate = application.predicate;
            let formulas = known.iter().flat_map(|known| &known[predicate.index()]);
            all.extend(formulas.map(|&formula| {
                let applied = self.applied(application, formula);
                (applied, Some((predicate, formula)))
            }));
        }
        all.retain(|&(formula, _)| formula != TermId::TRUE);
        all
    }

    /// Moves the largest set of candidates that the clauses preserve, as far as the solver decides that in brief queries, to the
    /// proved formulas, and returns their number. The others stay in `candidates`. `observe` receives refutations.
    pub fn prove(
        &mut self,
        candidates: &mut Formulas,
        pairs: &Pairs,
        context: &Context<'_>,
        observe: &mut dyn FnMut(Refutation),
    ) -> usize {
        for (candidates, proved) in candidates.iter_mut().zip(&self.proved) {
            candidates.retain(|one| *one != TermId::TRUE && !proved.contains(one));
        }
        let mut open = candidates.clone();
        let clauses = self.clauses();
        let mut dirty = vec![true; clauses.len()];
        while let Some(next) = dirty.iter().position(|&dirty| dirty) {
            context.safe_point();
            if context.token.is_cancelled() {
                return 0;
            }
            dirty[next] = false;
            let clause = &clauses[next];
            let Some(head) = &clause.head else { continue };
            let number = head.predicate.index();
            if open[number].is_empty() {
                continue;
            }
            let premises = self.premises(clause, &[&open, &self.proved]);
            let premises: Vec<TermId> = premises.into_iter().map(|(formula, _)| formula).collect();
            let goals = open[number].iter();
            let goals: Vec<TermId> = goals.map(|&goal| self.applied(head, goal)).collect();
            let sampled = pairs.places[number].as_ref();
            let holds = self.consecution.entailed(
                TermId::TRUE,
                &premises,
                &goals,
                &mut |consecution: &mut Consecution| {
                    let row = sampled.and_then(|place| {
                        let parameters = &self.encoding.system.predicates[number].parameters;
                        let arguments = place.variables.iter().map(|variable| {
                            let position =
                                parameters.iter().position(|one| *one == variable.term)?;
                            Some(head.arguments[position])
                        });
                        let arguments: Vec<TermId> = arguments.collect::<Option<_>>()?;
                        let numbers = consecution.numbers(&arguments).into_iter();
                        numbers.collect::<Option<Vec<i128>>>()
                    });
                    if let Some(row) = row {
                        observe(Refutation {
                            predicate: head.predicate,
                            row,
                        });
                    }
                },
            );
            let before = open[number].len();
            let mut holds = holds.into_iter();
            open[number].retain(|_| holds.next() == Some(true));
            if open[number].len() < before {
                for (dirty, clause) in dirty.iter_mut().zip(clauses) {
                    let mut body = clause.body.iter();
                    *dirty |= body.any(|one| one.predicate == head.predicate);
                }
            }
        }
        let mut new = 0;
        for ((candidates, proved), mut open) in
            candidates.iter_mut().zip(&mut self.proved).zip(open)
        {
            candidates.retain(|one| !open.contains(one));
            new += open.len();
            proved.append(&mut open);
        }
        new
    }

    /// For each predicate, returns what the property requires of it, from clauses that yield a formula over its parameters.
    pub fn demanded(&self) -> Formulas {
        let mut demanded = vec![Vec::new(); self.encoding.places.len()];
        for clause in self.clauses().iter().filter(|clause| clause.head.is_none()) {
            for application in &clause.body {
                let number = application.predicate.index();
                demanded[number].extend(self.demand(clause.constraint, application));
            }
        }
        demanded
    }

    /// Returns the negation of the constraint as a formula over the parameters of the predicate.
    fn demand(&self, constraint: TermId, application: &Application) -> Option<TermId> {
        let arena = &*self.encoding.arena;
        let predicate = &self.encoding.system.predicates[application.predicate.index()];
        let arguments = application.arguments.iter().copied();
        let values: FxHashMap<TermId, TermId> = arguments
            .zip(predicate.parameters.iter().copied())
            .filter(|&(argument, _)| arena.is_variable(argument))
            .collect();
        let mut rebuild = Rebuild::new(arena, arena, |term| values.get(&term).copied());
        let denied = rebuild.rebuild(arena.not(constraint));
        let denied = transfer(arena, store(), denied);
        let is_parameter = |&(symbol, instance): &(_, u32)| {
            let variable = store().variable_at(symbol, instance);
            predicate.parameters.contains(&variable)
        };
        let variables = free_variables(store(), denied);
        let is_closed = variables.iter().all(is_parameter);
        (is_closed && denied != TermId::FALSE).then_some(denied)
    }

    /// Returns a solution of the clauses by the proved formulas that it needs, if they prove the property. With `left`, they need not
    /// prove it of the error locations that are in it, and further ones are added of which they do not.
    pub fn solution(
        &mut self,
        mut left: Option<&mut BTreeSet<LocationId>>,
        context: &Context<'_>,
    ) -> Option<Vec<TermId>> {
        let clauses = self.clauses();
        let mut needed: Vec<Claim> = Vec::new();
        for clause in clauses.iter().filter(|clause| clause.head.is_none()) {
            let divisible = left.as_deref_mut().zip(clause.error.map(LocationId));
            if let Some((left, error)) = &divisible
                && left.contains(error)
            {
                continue;
            }
            match (self.core(clause, TermId::FALSE), divisible) {
                (Some(core), _) => needed.extend(core),
                (None, Some((left, error))) => _ = left.insert(error),
                (None, None) => return None,
            }
        }
        let mut seen: FxHashSet<Claim> = FxHashSet::default();
        while let Some((predicate, formula)) = needed.pop() {
            context.safe_point();
            if context.token.is_cancelled() {
                return None;
            }
            if !seen.insert((predicate, formula)) {
                continue;
            }
            for clause in clauses {
                if let Some(head) = &clause.head
                    && head.predicate == predicate
                {
                    let goal = self.applied(head, formula);
                    needed.extend(self.core(clause, goal)?);
                }
            }
        }
        let mut claims = vec![Vec::new(); self.encoding.places.len()];
        for (predicate, formula) in seen {
            claims[predicate.index()].push(formula);
        }
        let formulas = claims.into_iter().map(|claims| {
            let claims = self.without_redundant(claims);
            store().and(claims)
        });
        Some(formulas.collect())
    }

    /// Removes formulas that follow from the others, products first.
    fn without_redundant(&mut self, mut formulas: Vec<TermId>) -> Vec<TermId> {
        let arena = Rc::clone(&self.encoding.arena);
        formulas
            .sort_unstable_by_key(|&formula| (is_hard(&arena, &[formula]), size(store(), formula)));
        for place in (0..formulas.len()).rev() {
            if formulas.len() == 1 {
                break;
            }
            let formula = formulas.remove(place);
            let holds = self
                .consecution
                .entailed(TermId::TRUE, &formulas, &[formula], &mut |_| {});
            if holds != [true] {
                formulas.insert(place, formula);
            }
        }
        formulas
    }

    /// Returns claims from which the clause derives the goal; `None` if that is not proved in time.
    fn core(&mut self, clause: &HornClause, goal: TermId) -> Option<Vec<Claim>> {
        if goal == TermId::TRUE {
            return Some(Vec::new());
        }
        let mut premises = self.premises(clause, &[&self.proved]);
        // A goal without products often needs none of the premises with products, or only one.
        let arena = Rc::clone(&self.encoding.arena);
        let (hard, easy): (Vec<_>, Vec<_>) = premises
            .iter()
            .copied()
            .partition(|&(formula, claim)| claim.is_some() && is_hard(&arena, &[formula]));
        let alone = std::iter::once(None).chain(hard.iter().map(Some));
        for one in alone.take(MAXIMUM_BRIEF_QUERIES) {
            let mut few = easy.clone();
            few.extend(one);
            if let Some(core) = self.claims_of(few, goal, MAXIMUM_BRIEF_QUERY_TIME) {
                return Some(core);
            }
        }
        premises.retain(|&(formula, _)| formula != TermId::TRUE);
        self.claims_of(premises, goal, MAXIMUM_PROOF_QUERY_TIME)
    }

    /// Returns the claims of the premises that the goal needs.
    fn claims_of(
        &mut self,
        premises: Vec<(TermId, Option<Claim>)>,
        goal: TermId,
        most: Duration,
    ) -> Option<Vec<Claim>> {
        let (formulas, claims): (Vec<TermId>, Vec<Option<Claim>>) = premises.into_iter().unzip();
        let core = self
            .consecution
            .core(TermId::TRUE, &formulas, goal, most, &mut |_| {})?;
        Some(core.into_iter().filter_map(|place| claims[place]).collect())
    }
}
