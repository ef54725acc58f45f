//! What an engine hands in for its claim that no error can be reached.
//!
//! A certificate speaks of the *simplified* program, which is what the engines see; [`mod@super::check`] carries it over to
//! the program as lowered. A *step* is a move from one cut point of the simplified program
//! ([`regatta_program::CutPoints`]) to the next, an error location being one.

use serde::{Deserialize, Serialize};

use super::boxes::Covering;
use regatta_program::{EdgeId, InlinedLocation, InlinedProgram, LocationId};
use regatta_term::{
    Build, Op, Pool, Sort, Symbol, TermId, TermKind, for_each_subterm, free_variables, instantiate,
    solve_for, store,
};

/// A proof: steps, each of which may rely on earlier ones.
///
/// It proves the property if one of its steps is a [`ProofStep::Safety`], a [`ProofStep::Unrolling`], a
/// [`ProofStep::Unwinding`], a [`ProofStep::Summaries`], a [`ProofStep::Boxes`] or [`ProofStep::Simplified`]; of those the last counts.
///
/// `F` is a formula: a term, or in [`super::portable`] its place in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate<F = TermId> {
    /// In order.
    pub steps: Vec<ProofStep<F>>,
}

/// A step of a proof, which relies on others by their index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProofStep<F = TermId> {
    /// Formulas (Boolean terms of the shared store over the simplified program's variables at instance 0), each of which
    /// holds whenever its location, a cut point, is reached. A formula with the variable [`any_index`] holds for each of
    /// its values, which is how formulas speak of all cells of an array. Together, relative to the batches named, they are
    /// k-inductive: they hold at the entry and at the first k cut points on every path; and if they hold at k cut points
    /// in a row, they hold at the next.
    Inductive {
        /// The formulas with their places; several for one place are a conjunction.
        batch: Vec<(InvariantLocation, F)>,
        /// From 1.
        k: u32,
        /// Indices of earlier steps that are batches.
        relies_on: Vec<usize>,
    },
    /// No target is reached in the first k steps from the entry, nor in the last of k steps from any cut point, whatever
    /// the state there, if only the batches named hold wherever the path comes by. (An error in a later step than the
    /// k-th is the last of k steps from some cut point.) A proof that needs the target's absence in k steps to exclude
    /// it in the next, the (k+1)-st, is accepted as well.
    Safety {
        /// From 1.
        k: u32,
        /// Indices of earlier steps that are batches.
        relies_on: Vec<usize>,
    },
    /// Every path ends within so many steps, and none in an error.
    Unrolling {
        /// How many.
        bound: u32,
    },
    /// Every path ends, and none in an error. Where conditions are open that the way there does not decide, so many rounds of
    /// loops, one after the other, are enough to see it, and so many activations of functions that call themselves.
    Unwinding {
        /// A location of the loop, or the function's entry, with the number of rounds. Others have none.
        rounds: Vec<(LocationId, u32)>,
        /// Whether paths are merged where they join. Otherwise there are few, and each is to be walked by itself.
        merge: bool,
    },
    /// A solution of the program's Horn clauses, with summaries of recursive functions.
    ///
    /// A place's calls begin in the start function, or in a function of a recursive component: then the formula is about
    /// any activation of that one, and speaks of the state at its entry as well, by variables at instance
    /// [`AT_ENTRY`]. What is said of such a function's entry (in these variables alone) holds whenever it is called; what
    /// is said of its exit is its summary, and relates the states at entry and exit. Places of which nothing is said
    /// are passed.
    Summaries {
        /// The formulas with their places; several for one place are a conjunction.
        batch: Vec<(InvariantLocation, F)>,
    },
    /// No run from any box of the covering reaches an error; see [`boxes`](super::boxes).
    Boxes {
        /// Of the inputs of the program as lowered.
        covering: Covering,
    },
    /// The simplifier left no target; what it knew at cut points is the reason.
    Simplified,
}

impl<F> Certificate<F> {
    /// How many formulas it has.
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

    /// The same proof with other formulas; `None` if there is none for one of them.
    pub fn try_map<G>(&self, mut formula: impl FnMut(&F) -> Option<G>) -> Option<Certificate<G>> {
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
            steps: steps.collect::<Option<Vec<_>>>()?,
        })
    }
}

/// The instance of the variables that stand for the state at an activation's entry in a [`ProofStep::Summaries`].
pub const AT_ENTRY: u32 = 1;

/// The variable of the sort that formulas of certificates may speak of besides the program's: they hold for each of its
/// values.
pub fn any_index(sort: Sort) -> TermId {
    store().variable(any_index_symbol(sort))
}

pub fn any_index_symbol(sort: Sort) -> Symbol {
    Symbol::new("any index#", sort)
}

/// Whether the symbol is that of [`any_index`].
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

/// The formula for those values of the variable, [`any_index`] of some sort, with which it is of use where arrays are read
/// or written at the indices: it speaks of one of these cells. Of a value whose lower bits an index is, it is the whole value as
/// well: where that is in the formula's range nothing is cut off, and what is said of the value multiplies out, which what is said
/// of its lower bits does not. In a ring it is the lower bits that count.
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

/// A number of the value's width with the same lower bits: for lower bits of sums, which are extended, the sum.
fn uncut(pool: &(impl Pool + ?Sized), value: TermId) -> Option<TermId> {
    let width = bits(pool, value)?;
    let &[low] = pool.arguments(Op::ZeroExtend(width), value)? else {
        return None;
    };
    uncut_sum(pool, low, width)
}

/// A number of the width whose lower bits the sum is.
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

/// A location of the simplified program with its calls inlined.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InvariantLocation {
    /// Where.
    pub location: LocationId,
    /// The calls (edges of the simplified program) that lead there, outermost first: from the start function, or, in a
    /// [`ProofStep::Summaries`], from the entry of a recursive function.
    pub calls: Vec<EdgeId>,
}

impl InvariantLocation {
    /// The place with the calls of its call string.
    pub fn new(inlined: &InlinedProgram, at: InlinedLocation) -> Self {
        Self {
            location: at.location,
            calls: inlined.call_edges(at.call_string),
        }
    }
}
