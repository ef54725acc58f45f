//! Conversion of a solution of the clauses to a certificate.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::encode::{Encoding, Place};
use crate::Context;
use crate::invariants::houdini::Houdini;
use crate::invariants::samples::Samples;
use crate::unrolling::inner_cut_points;
use regatta_certify::certificate::{AT_ENTRY, Certificate, InvariantLocation, ProofStep};
use regatta_program::InlinedLocation;
use regatta_program::block::Blocks;
use regatta_sharing::Candidate;
use regatta_solver::horn::{Application, HornClause};
use regatta_solver::z3::text::{TextAnswer, TextSolver};
use regatta_solver::{SolverConfig, new_solver};
use regatta_term::{Arena, Build, TermId, at_instance, smtlib_script, store};

impl Encoding {
    /// Checks the solution over bit vectors and returns its certificate, or else the reason in words. The check of a clause
    /// takes at most the given time, and is not interrupted.
    pub fn certificate(
        &self,
        blocks: &Arc<Blocks>,
        formulas: &[TermId],
        clause_time: Duration,
        context: &Context<'_>,
    ) -> Result<Certificate, String> {
        // The checker uses the same solver in the same way: what is confirmed here will be confirmed there.
        let mut solver = TextSolver::default();
        for number in 0..self.system.clauses.len() {
            if context.token.is_cancelled() {
                return Err("stopped".to_owned());
            }
            context.safe_point();
            if !self.holds(&mut solver, number, (formulas, clause_time)) {
                return Err("a solution that was not confirmed over bit vectors".to_owned());
            }
        }
        if let Some((snapshot, batches)) = &self.relies_on {
            let places = self.places.iter().zip(formulas);
            let invariants = places.map(|(&Place { at, .. }, &formula)| Candidate { at, formula });
            let inner = inner_cut_points(blocks);
            let invariants: Vec<Candidate> = invariants
                .filter(|one| one.formula != TermId::TRUE && inner.contains(&one.at))
                .collect();
            // Reduces the invariants to those that are needed, if that succeeds in time.
            let least = || {
                let solver = new_solver(SolverConfig::default(), Rc::new(Arena::new())).ok()?;
                let mut houdini = Houdini::new(blocks, solver, context.token, context.workers);
                houdini.publish(&invariants, &Samples::default(), context, &mut |_| {});
                houdini.safety(&context.exchange.snapshot())
            };
            let whole = || snapshot.certificate(1, batches, &invariants, blocks.inlined());
            return Ok(least().unwrap_or_else(whole));
        }
        Ok(self.summaries(blocks, formulas))
    }

    /// Returns the certificate of a checked solution that does not rely on invariants of other engines.
    pub fn summaries(&self, blocks: &Blocks, formulas: &[TermId]) -> Certificate {
        let batch = self.batch(blocks, formulas);
        Certificate::of_all(vec![ProofStep::Summaries { batch }])
    }

    /// Checks whether the formulas satisfy a clause.
    fn holds(
        &self,
        solver: &mut TextSolver,
        clause: usize,
        (formulas, clause_time): (&[TermId], Duration),
    ) -> bool {
        let HornClause {
            constraint,
            body,
            head,
            ..
        } = &self.system.clauses[clause];
        let applied = |one: &Application| {
            let number = one.predicate.index();
            let predicate = &self.system.predicates[number];
            predicate.applied(&self.arena, formulas[number], &one.arguments)
        };
        let mut conditions = vec![*constraint];
        conditions.extend(body.iter().map(applied));
        if let Some(head) = head {
            let head = applied(head);
            conditions.push(self.arena.not(head));
        }
        let script = smtlib_script(&*self.arena, &conditions);
        solver.check(&script, &[], clause_time) == TextAnswer::Unsatisfiable
    }

    /// Returns the formula of each location: the conjunction of the formulas in the two layers.
    fn batch(&self, blocks: &Blocks, formulas: &[TermId]) -> Vec<(InvariantLocation, TermId)> {
        let inlined = blocks.inlined();
        let used = self.used();
        let mut order: Vec<InlinedLocation> = Vec::new();
        let mut known: FxHashMap<InlinedLocation, TermId> = FxHashMap::default();
        for (number, &Place { at, .. }) in self.places.iter().enumerate() {
            if !used[number] {
                continue;
            }
            let root = inlined.root_function(at.call_string);
            let mut formula = formulas[number];
            if root != inlined.program().start && at == inlined.entry_of(root) {
                formula = at_instance(store(), formula, AT_ENTRY);
            }
            let known = known.entry(at).or_insert_with(|| {
                order.push(at);
                TermId::TRUE
            });
            *known = store().and2(*known, formula);
        }
        let places = order.into_iter();
        places
            .map(|at| (InvariantLocation::new(inlined, at), known[&at]))
            .collect()
    }
}
