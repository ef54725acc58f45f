//! The check of a solution of the program's Horn clauses ([`ProofStep::Summaries`]).
//!
//! The conditions are derived from the edges of the program as lowered, for each segment from a cut point to the next ones:
//! the claim about a cut point implies that about the next; a call of a function with a summary is entered in a state that
//! satisfies the claim about the function's entry, and returns in a state that the summary relates to it; and no target is
//! reached. That proves the property by induction on the length of runs: the summary of every activation that ends holds.
//!
//! Recursive functions that the simplified program does not call (a loose slice has no calls on whose results nothing depends)
//! have the trivial summary. Other functions without one are executed where they are called. A segment from a cut point without
//! a claim starts in any state.
//!
//! [`ProofStep::Summaries`]: super::super::certificate::ProofStep::Summaries

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::certificate::{AT_ENTRY, InvariantLocation};
use super::super::walk::{Frontier, Recursion, State, Summaries, Walk};
use super::{Checker, Failure, Places};
use crate::lowered::call_strings::{CallStrings, Node};
use crate::lowered::passed::uncalled;
use crate::lowered::places::{Cuts, is_relation_in_scope};
use crate::queries::query::{Answer, ask};
use crate::verification_conditions::What;
use regatta_program::{EdgeId, FunctionId, LocationId, VariableId};
use regatta_term::{Build, TermId, conjuncts, free_variables, store};

/// The claims of a solution, by node.
#[derive(Default)]
struct Claims {
    formulas: FxHashMap<Node, TermId>,
    cuts: Cuts,
    summaries: Summaries,
    /// The variables whose values at an entry occur in formulas.
    known_at_entry: Vec<VariableId>,
}

impl Claims {
    fn of(&self, node: Node) -> TermId {
        self.formulas.get(&node).copied().unwrap_or(TermId::TRUE)
    }

    /// The conditions under which the state violates the claim: one for each conjunct, since conjuncts can be decided
    /// separately.
    fn violations(
        &self,
        walk: &Walk<'_, '_>,
        node: Node,
        (entry, state): (&State, &State),
    ) -> Vec<TermId> {
        let parts = conjuncts(store(), self.of(node)).into_iter();
        let violations = parts.map(|part| {
            let claim = walk.relation(node, part, entry, state);
            let violation = walk.arena.and2(state.guard, walk.arena.not(claim));
            walk.label(violation, node, What::Violates(part));
            violation
        });
        violations.collect()
    }
}

impl Checker<'_> {
    /// Checks a solution with summaries.
    pub(super) fn summaries(
        &mut self,
        batch: &[(InvariantLocation, TermId)],
    ) -> Result<(), Failure> {
        self.confirm_facts()?;
        let claims = self.claims(batch)?;
        let mut approximate = claims.summaries.is_partial();
        let mut walk = Walk::new(
            &self.lowered,
            &mut self.stacks,
            &claims.cuts,
            &mut self.facts,
            Recursion::Related(&claims.summaries),
            (self.deadline, &self.solver),
        );
        let start = walk.entry();
        let mut places = Places::default();
        places.add(start)?;
        while let Some(place) = places.next() {
            // 1. The state at the start of the segment, and the one at the activation's entry.
            let mut goals = Vec::new();
            let (entry, state) = if place == start {
                let state = walk.arbitrary();
                goals.extend(claims.violations(&walk, place, (&state, &state)));
                (state.clone(), state)
            } else {
                approximate |= !claims.formulas.contains_key(&place);
                walk.start_related(place, claims.of(place), &claims.known_at_entry)
            };
            // 2. The ends of the segment.
            walk.targets.clear();
            let ends = walk.segment(Frontier::from([(place, state)]))?;
            for (&end, state) in &ends {
                goals.extend(claims.violations(&walk, end, (&entry, state)));
                places.add(end)?;
            }
            for (callee, inner) in std::mem::take(&mut walk.entered) {
                goals.extend(claims.violations(&walk, callee, (&inner, &inner)));
                places.add(callee)?;
            }
            goals.append(&mut walk.targets.conditions);
            // 3. All conditions in one question.
            goals.retain(|&goal| goal != TermId::FALSE);
            if ask(&walk, &goals)? != Answer::Impossible {
                let reason = "the solution of the clauses is none".to_owned();
                let approximate = approximate || walk.over_approximated;
                return Err(self.precision(approximate).failure(reason));
            }
        }
        Ok(())
    }

    /// Translates the solution to the program as lowered.
    fn claims(&mut self, batch: &[(InvariantLocation, TermId)]) -> Result<Claims, Failure> {
        let mut claims = Claims::default();
        let program = self.lowered.program;
        claims
            .cuts
            .add(program.function(program.start).entry, Vec::new());
        let mut entries: FxHashSet<FunctionId> = FxHashSet::default();
        for (at, formula) in batch {
            let no_counterpart = || Failure::Unclear("a formula without a counterpart".to_owned());
            let (location, calls) = self.counterpart(at).ok_or_else(no_counterpart)?;
            let outermost = match calls.first() {
                Some(&call) => program.edge(call).source,
                None => location,
            };
            let root = program.location(outermost).function;
            let stack = match root == program.start {
                true => CallStrings::EMPTY,
                false if self.lowered.calls.is_recursive(root) => self.stacks.root(root),
                false => return Err(no_counterpart()),
            };
            let stack = self.stacks.extended(&self.lowered, stack, &calls);
            let stack = stack.ok_or_else(no_counterpart)?;
            if self.stacks.function(stack) != program.location(location).function {
                return Err(no_counterpart());
            }
            let node = Node { stack, location };
            let formula = self.meaning.relation(*formula).ok_or_else(no_counterpart)?;
            if !is_relation_in_scope(&self.lowered, &self.stacks, node, formula) {
                return Err(no_counterpart());
            }
            if root != program.start && calls.is_empty() {
                let function = program.function(root);
                if location == function.entry {
                    entries.insert(root);
                }
                if location == function.exit {
                    claims.summaries.add(root, formula);
                }
            }
            for (symbol, instance) in free_variables(store(), formula) {
                if instance == AT_ENTRY {
                    claims
                        .known_at_entry
                        .extend(self.lowered.by_symbol.get(&symbol));
                }
            }
            claims.cuts.add(location, calls);
            let known = claims.formulas.entry(node).or_insert(TermId::TRUE);
            *known = store().and2(*known, formula);
        }
        entries.extend(uncalled(&self.lowered, self.simplified));
        claims.known_at_entry.sort_unstable();
        claims.known_at_entry.dedup();
        claims.summaries.restrict(&entries);
        for &function in &entries {
            // Otherwise the segment that ends an activation would not be checked against the summary.
            claims.cuts.add(program.function(function).exit, Vec::new());
        }
        Ok(claims)
    }

    /// Translates a location to the program as lowered; entries and exits of functions to entries and exits.
    fn counterpart(&self, at: &InvariantLocation) -> Option<(LocationId, Vec<EdgeId>)> {
        let simplified = &self.simplified.program;
        if at.calls.is_empty() {
            let function = simplified.locations.get(at.location.index())?.function;
            let (here, there) = (
                simplified.function(function),
                self.lowered.program.function(function),
            );
            if function != simplified.start && at.location == here.entry {
                return Some((there.entry, Vec::new()));
            }
            if function != simplified.start && at.location == here.exit {
                return Some((there.exit, Vec::new()));
            }
        }
        self.meaning.place(at.location, &at.calls)
    }
}
