//! Certificates: the proofs that engines submit for their claim that no error is reachable.
//!
//! A certificate is about the *simplified* program, on which the engines work; [`mod@crate::check`] translates it to the
//! program as lowered. A *step* of an execution leads from one cut point of the simplified program
//! ([`regatta_program::CutPoints`]) to the next; error locations are cut points.

use serde::{Deserialize, Serialize};

use crate::boxes::Covering;
use regatta_program::{EdgeId, InlinedLocation, InlinedProgram, LocationId, Targets};
use regatta_term::{
    Build, Op, Pool, Sort, Symbol, TermId, TermKind, for_each_subterm, free_variables, instantiate,
    solve_for, store,
};

/// A proof: steps, each of which may rely on earlier ones.
///
/// It proves the property if one of its steps is a [`ProofStep::Safety`], a [`ProofStep::Unrolling`], a
/// [`ProofStep::Unwinding`], a [`ProofStep::Summaries`], a [`ProofStep::Boxes`] or [`ProofStep::Simplified`]; the last of
/// these is used.
///
/// `F` is the type of formulas: a term, or in [`super::portable`] its index in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate<F = TermId> {
    /// The targets that it excludes, by their numbers in the program as lowered. The other targets end paths.
    pub targets: Targets,
    /// In order.
    pub steps: Vec<ProofStep<F>>,
}

impl<F> Certificate<F> {
    /// Returns the certificate with these steps for all targets of the program.
    pub fn of_all(steps: Vec<ProofStep<F>>) -> Self {
        Self {
            targets: Targets::All,
            steps,
        }
    }
}

/// A step of a proof, which relies on others by their index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProofStep<F = TermId> {
    /// A k-inductive batch of invariants: Boolean terms of the shared store over the simplified program's variables at
    /// instance 0. Each holds whenever its location, a cut point, is reached. The variable [`any_index`] is universally
    /// quantified, so that a formula can state a property of all cells of an array. Relative to the batches named, the
    /// formulas hold at the entry and at the first k cut points on every path; and if they hold at k consecutive cut
    /// points, they hold at the next.
    Inductive {
        /// The formulas with their locations; several at one location are a conjunction.
        batch: Vec<(InvariantLocation, F)>,
        /// From 1.
        k: u32,
        /// Indices of earlier steps that are batches.
        relies_on: Vec<usize>,
    },
    /// k-induction for the property: no target is reached in the first k steps from the entry, nor in the last of k steps
    /// from any cut point, in any state, provided that the batches named hold at all cut points of the path. (An error after
    /// more than k steps is in the last of k steps from some cut point.) A proof that needs the target's absence in k steps
    /// to exclude it in the (k+1)-st is accepted as well.
    Safety {
        /// From 1.
        k: u32,
        /// Indices of earlier steps that are batches.
        relies_on: Vec<usize>,
    },
    /// Every path ends within the bound, and none in an error.
    Unrolling {
        /// Maximum number of steps.
        bound: u32,
    },
    /// Every path ends, and none in an error. To show it, the given number of consecutive open rounds of loops (whose
    /// condition the path does not decide), and of open activations of recursive functions, is enough.
    Unwinding {
        /// A location of the loop, or the function's entry, with the number of open rounds; zero for others.
        rounds: Vec<(LocationId, u32)>,
        /// Whether paths are merged where they join. Otherwise there are few, and each is executed separately.
        merge: bool,
    },
    /// A solution of the program's Horn clauses, with summaries of recursive functions.
    ///
    /// The calls of a formula's location begin in the start function or in a recursive function. In the latter case the
    /// formula is about any activation of that function, and may refer to the state at its entry by variables at instance
    /// [`AT_ENTRY`]. A formula at the entry of such a function (in these variables alone) holds whenever it is called; one
    /// at its exit is its summary, which relates the states at entry and exit. Locations without a formula are no cut
    /// points.
    Summaries {
        /// The formulas with their locations; several at one location are a conjunction.
        batch: Vec<(InvariantLocation, F)>,
    },
    /// No run from any box of the covering reaches an error; see [`boxes`](crate::boxes).
    Boxes {
        /// A covering of the inputs of the program as lowered.
        covering: Covering,
    },
    /// The simplifier has removed all targets; its facts at cut points are the reason.
    Simplified,
}

impl<F> Certificate<F> {
    /// Returns the number of formulas.
    pub fn formulas(&self) -> usize {
        let batches = self.steps.iter().map(|step| match step {
            ProofStep::Inductive { batch, .. } | ProofStep::Summaries { batch } => batch.len(),
            ProofStep::Safety { .. }
            | ProofStep::Unrolling { .. }
            | ProofStep::Unwinding { .. }
            | ProofStep::Boxes { .. }
            | ProofStep::Simplified => 0,
        });
        batches.sum()
    }

    /// Maps the formulas; `None` if that fails for one of them.
    pub(crate) fn try_map<G>(
        &self,
        mut formula: impl FnMut(&F) -> Option<G>,
    ) -> Option<Certificate<G>> {
        let mut map = |batch: &[(InvariantLocation, F)]| {
            let formulas = batch.iter();
            let formulas = formulas.map(|(at, one)| Some((at.clone(), formula(one)?)));
            formulas.collect::<Option<Vec<_>>>()
        };
        let steps = self.steps.iter().map(|step| {
            Some(match step {
                ProofStep::Inductive {
                    batch,
                    k,
                    relies_on,
                } => ProofStep::Inductive {
                    batch: map(batch)?,
                    k: *k,
                    relies_on: relies_on.clone(),
                },
                ProofStep::Safety { k, relies_on } => ProofStep::Safety {
                    k: *k,
                    relies_on: relies_on.clone(),
                },
                ProofStep::Unrolling { bound } => ProofStep::Unrolling { bound: *bound },
                ProofStep::Unwinding { rounds, merge } => ProofStep::Unwinding {
                    rounds: rounds.clone(),
                    merge: *merge,
                },
                ProofStep::Summaries { batch } => ProofStep::Summaries { batch: map(batch)? },
                ProofStep::Boxes { covering } => ProofStep::Boxes {
                    covering: covering.clone(),
                },
                ProofStep::Simplified => ProofStep::Simplified,
            })
        });
        Some(Certificate {
            targets: self.targets.clone(),
            steps: steps.collect::<Option<Vec<_>>>()?,
        })
    }
}

/// The instance of the variables that stand for the state at an activation's entry in a [`ProofStep::Summaries`].
pub const AT_ENTRY: u32 = 1;

/// The universally quantified variable of the sort, which formulas of certificates may have besides the program's variables.
pub fn any_index(sort: Sort) -> TermId {
    store().variable(any_index_symbol(sort))
}

/// The symbol of [`any_index`].
pub(crate) fn any_index_symbol(sort: Sort) -> Symbol {
    Symbol::new("any index#", sort)
}

/// Checks whether the symbol is that of [`any_index`].
pub fn is_any_index(symbol: Symbol) -> bool {
    symbol == any_index_symbol(symbol.sort())
}

/// The variable [`any_index`] that occurs in the formula, if one does.
pub fn quantified(formula: TermId) -> Option<Symbol> {
    let variables = free_variables(store(), formula).into_iter();
    variables
        .map(|(symbol, _)| symbol)
        .find(|&symbol| is_any_index(symbol))
}

/// The indices at which the terms read and write arrays, each once.
pub fn indices_of(
    pool: &(impl Pool + ?Sized),
    terms: impl IntoIterator<Item = TermId>,
) -> Vec<TermId> {
    let mut indices = Vec::new();
    for_each_subterm(pool, terms, |_, kind| {
        if let TermKind::Apply {
            op: Op::Select | Op::Store,
            arguments,
        } = kind
        {
            indices.push(arguments[1]);
        }
    });
    indices.sort_unstable();
    indices.dedup();
    indices
}

/// Instantiates the formula with those values of the variable ([`any_index`] of some sort) for which it is about a cell at
/// one of the indices. If an index consists of the lower bits of a wider value, the formula is instantiated with the whole
/// value as well: if that value is in the formula's range, nothing is cut off, and conditions on the value can be
/// multiplied out, unlike those on its lower bits. For ring buffers, the lower bits are needed.
pub fn instances_at(
    pool: &(impl Pool + ?Sized),
    formula: TermId,
    variable: Symbol,
    indices: &[TermId],
) -> impl Iterator<Item = TermId> {
    let mut values = Vec::new();
    for_each_subterm(pool, [formula], |_, kind| {
        if let TermKind::Apply {
            op: Op::Select,
            arguments,
        } = kind
        {
            let solve = |&index: &TermId| solve_for(pool, variable, arguments[1], index);
            let solutions = indices.iter().filter_map(solve);
            let both = solutions.flat_map(|value| [Some(value), uncut(pool, value)]);
            values.extend(both.flatten());
        }
    });
    values.sort_unstable();
    values.dedup();
    let values = values.into_iter();
    values.map(move |value| {
        instantiate(pool, formula, |symbol, _| {
            (symbol == variable).then_some(value)
        })
    })
}

/// Returns a term of the value's width with the same lower bits: for zero-extended lower bits of a sum, the sum.
fn uncut(pool: &(impl Pool + ?Sized), value: TermId) -> Option<TermId> {
    let width = bits(pool, value)?;
    let &[low] = pool.arguments(Op::ZeroExtend(width), value)? else {
        return None;
    };
    uncut_sum(pool, low, width)
}

/// Returns a term of the width whose lower bits are the given sum.
fn uncut_sum(pool: &(impl Pool + ?Sized), low: TermId, width: u8) -> Option<TermId> {
    match pool.kind(low) {
        TermKind::Constant(_) => Some(pool.sign_resize(low, width)),
        TermKind::Apply {
            op: Op::BvAdd,
            arguments: &[a, b],
        } => Some(pool.add(uncut_sum(pool, a, width)?, uncut_sum(pool, b, width)?)),
        TermKind::Apply {
            op: Op::Extract { low: 0, .. },
            arguments: &[whole],
        } => (bits(pool, whole)? == width).then_some(whole),
        _ => None,
    }
}

fn bits(pool: &(impl Pool + ?Sized), term: TermId) -> Option<u8> {
    match pool.sort(term) {
        Sort::BitVec(width) => Some(width),
        _ => None,
    }
}

/// A location of the simplified program with its call string.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InvariantLocation {
    /// The location.
    pub location: LocationId,
    /// The calls (edges of the simplified program) that lead there, outermost first: from the start function, or, in a
    /// [`ProofStep::Summaries`], from the entry of a recursive function.
    pub calls: Vec<EdgeId>,
}

impl InvariantLocation {
    /// Converts a location of the inlined program.
    pub fn new(inlined: &InlinedProgram, at: InlinedLocation) -> Self {
        Self {
            location: at.location,
            calls: inlined.call_edges(at.call_string),
        }
    }
}
