//! Simplification: from the lowered program to the program that engines analyse.
//!
//! Each pass is one module. The passes run in rounds until none changes much, or for [`MAXIMUM_ROUNDS`] rounds:
//!
//! 1. [`prune`]: removes unreachable code, and code that cannot reach a target;
//! 2. [`expand`]: replaces calls of small functions, and of functions called once, by the functions' bodies;
//! 3. [`constants`]: propagates constants and ranges of values through calls, branches and loops;
//! 4. [`forward`]: substitutes expressions and copies for the temporaries that hold them;
//! 5. [`regions`]: replaces regions of which only fixed cells are used by scalars;
//! 6. [`dead`]: removes assignments to dead variables;
//! 7. [`slice`](mod@slice): removes code on which no target depends;
//! 8. [`chains`]: joins chains of edges, and merges parallel edges.
//!
//! Of a large program, constants are propagated again only where calls or regions were replaced meanwhile: the other passes
//! enable it to find hardly anything, and it takes most of the time.
//!
//! After a loose slice ([`simplify_loosely`]), [`once`] removes the edges that go around loops which carry nothing from one
//! round to the next.
//!
//! # Preserved properties
//! The *targets* are the error locations and the edges with [`Operation::Unsupported`]. A target is reachable in the
//! result if and only if it is reachable in the lowered program. More precisely: for all values of the inputs, a target is
//! reached in the result if and only if it is reached in the lowered program with the same values, where inputs that the
//! result does not read are arbitrary; and for each [`InputId`], the result reads either all the values that the lowered
//! program reads until then, or none. A sequence of inputs found on the result can therefore be replayed on the lowered
//! program, if the values of every [`InputId`] are a sequence of their own.
//!
//! Not preserved: executions that reach no target may stop early. [`Operation::Allocate`], [`Operation::Free`] and
//! [`Operation::Claim`] are removed, so that accesses cannot be checked; the replay checks them. Ids of variables, inputs, regions, objects and
//! functions keep their meaning (new variables come after the old ones); locations and edges have new ids, and
//! [`Simplified::origins`] maps the locations to those of the lowered program.

mod chains;
mod constants;
mod dead;
mod dependence;
mod expand;
mod forward;
mod globals;
mod limits;
mod once;
mod prune;
mod range;
mod regions;
mod slice;
mod termination;
#[cfg(test)]
mod tests;
mod workspace;

use std::fmt;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::cfa::*;
use crate::simplify::limits::{
    EDGES_PER_CHANGE, MAXIMUM_EDGES_FOR_FURTHER_CONSTANTS, MAXIMUM_ROUNDS,
};
pub(crate) use prune::leads_to_targets;
pub use range::Abstract;
use regatta_term::TermId;
use workspace::Workspace;

/// A simplified program, with its relation to the lowered program.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The program to analyse.
    pub program: Program,
    /// The kind of its slice.
    pub slicing: Slicing,
    /// The origin of each location.
    pub origins: Vec<Origin>,
    /// For each variable, the variable of the lowered program of which it is a copy, or which it is; `None` if it has no
    /// counterpart.
    pub variable_origins: Vec<Option<VariableId>>,
    /// For the variables that are cells of a region, the cell as a term over the variables of the lowered program.
    pub cells: FxHashMap<VariableId, TermId>,
    /// For each edge that is a call, the call of the lowered program; arbitrary for the others.
    pub call_origins: Vec<EdgeId>,
    /// The facts because of which edges were removed.
    pub facts: Vec<Fact>,
    /// The facts at the cut points in each round: they justify the removal of edges in a form that can be checked.
    pub invariants: Vec<CutPointFacts>,
    /// The changes and times of the passes.
    pub statistics: Statistics,
}

impl Simplified {
    /// Whether no target is left: the property holds.
    pub fn is_safe(&self) -> bool {
        self.program.errors.is_empty() && !self.has_unsupported()
    }

    /// Whether an unsupported edge is left.
    pub(crate) fn has_unsupported(&self) -> bool {
        let mut edges = self.program.edges.iter();
        edges.any(|edge| matches!(edge.operations.last(), Some(Operation::Unsupported(_))))
    }
}

/// The origin of a simplified program's location.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The location of the lowered program.
    pub location: LocationId,
    /// The calls of the lowered program that were replaced by the bodies around it, outermost first.
    pub calls: Vec<EdgeId>,
}

/// A formula that holds whenever a location is reached, and excludes an edge that leaves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The pass that found it.
    pub pass: Pass,
    /// The location where it holds, in the lowered program.
    pub origin: Origin,
    /// A Boolean term over the variables of the simplified program.
    pub formula: TermId,
}

/// The abstract state computed by [`Pass::Constants`] in one round, at a cut point of that round or of the result.
///
/// The states of a round are inductive on the lowered program, from one of these cut points to the next, relative to the
/// states of earlier rounds. A removed loop no longer has a cut point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutPointFacts {
    /// The round, from one.
    pub round: u32,
    /// The location where it holds, in the lowered program: at every call string that ends in the origin's calls.
    pub origin: Origin,
    /// Abstract values of the simplified program's variables; `None` if the location is unreachable.
    pub values: Option<Vec<(VariableId, Abstract)>>,
}

/// The passes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pass {
    /// Unreachable code and dead ends.
    Prune,
    /// Calls replaced by bodies.
    Expand,
    /// Constants and ranges.
    Constants,
    /// Forward substitution.
    Forward,
    /// Regions as scalars.
    Regions,
    /// Dead assignments.
    Dead,
    Slice,
    /// Loops that carry nothing from one round to the next.
    Once,
    /// Chains of edges.
    Chains,
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prune => "prune",
            Self::Expand => "expand",
            Self::Constants => "constants",
            Self::Forward => "forward",
            Self::Regions => "regions",
            Self::Dead => "dead",
            Self::Slice => "slice",
            Self::Once => "once",
            Self::Chains => "chains",
        })
    }
}

/// The changes and times of the passes.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The number of rounds of all passes.
    pub rounds: u32,
    /// For each run of a pass the number of changes (of edges or operations) and its time.
    pub runs: Vec<(Pass, usize, Duration)>,
    /// The numbers of locations and edges of the lowered program.
    pub before: (usize, usize),
    /// The numbers of locations and edges of the result.
    pub after: (usize, usize),
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((locations, edges), (fewer_locations, fewer_edges)) = (self.before, self.after);
        write!(
            f,
            "{locations} locations and {edges} edges, simplified to {fewer_locations} and {fewer_edges}"
        )?;
        write!(f, " in {} rounds", self.rounds)?;
        let mut passes: Vec<Pass> = self.runs.iter().map(|run| run.0).collect();
        passes.sort();
        passes.dedup();
        for pass in passes {
            let runs = || self.runs.iter().filter(|run| run.0 == pass);
            let changes: usize = runs().map(|run| run.1).sum();
            let time: Duration = runs().map(|run| run.2).sum();
            write!(f, "; {pass} {changes} ({:.1} ms)", time.as_secs_f64() * 1e3)?;
        }
        Ok(())
    }
}

/// The function that runs a pass; it returns the number of changes.
type Run = fn(&mut Workspace) -> usize;

/// The passes of a round.
const PASSES: [(Pass, Run); 9] = [
    (Pass::Prune, prune::run),
    (Pass::Chains, chains::run),
    (Pass::Expand, expand::run),
    (Pass::Constants, constants::run),
    (Pass::Forward, forward::run),
    (Pass::Dead, dead::run),
    (Pass::Regions, regions::run),
    (Pass::Slice, slice::run),
    (Pass::Prune, prune::run),
];

/// The program without simplification, except that [`Operation::Allocate`], [`Operation::Free`] and [`Operation::Claim`] are
/// removed: for an analysis that must not rely on the passes.
pub fn unsimplified(lowered: &Program) -> Simplified {
    Workspace::new(lowered).finish()
}

/// Returns for each of [`Program::assumptions`] whether it is open: whether an execution that reaches a target may violate
/// it, as far as the analysis of reachability, constants and ranges can tell.
pub fn open_assumptions(lowered: &Program) -> Vec<bool> {
    let mut workspace = Workspace::new(lowered);
    // The analysis needs allocations and deallocations to know which objects exist.
    for (edge, original) in workspace.program.edges.iter_mut().zip(&lowered.edges) {
        edge.operations.clone_from(&original.operations);
    }
    prune::run(&mut workspace);
    constants::open(&mut workspace, lowered)
}

/// What of a program a slice keeps that only decides whether execution comes as far as a target.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slicing {
    /// All: the slice reaches a target if and only if the program does.
    #[default]
    Exact,
    /// Neither loops that may not terminate, nor calls that may not return, nor assumptions, unless data flows between them
    /// and what else decides: the slice reaches every target that the program reaches, and perhaps others. So it is for proofs
    /// only. Alarms are replayed on the program as lowered, as always.
    Loose,
}

/// Simplifies the program.
pub fn simplify(lowered: &Program) -> Simplified {
    simplify_by(lowered, &[], &PASSES)
}

/// Simplifies the program after a loose slice ([`Slicing::Loose`]): what is said above of preserved properties holds in one
/// direction only, from the lowered program to the result.
pub fn simplify_loosely(lowered: &Program) -> Simplified {
    let first: [(Pass, Run); 1] = [(Pass::Slice, slice::run_loosely)];
    let passes = [&PASSES[..], &[(Pass::Once, once::run as Run)]].concat();
    Simplified {
        slicing: Slicing::Loose,
        ..simplify_by(lowered, &first, &passes)
    }
}

/// Simplifies the program with the given passes: the first ones once, the others in rounds.
fn simplify_by(lowered: &Program, first: &[(Pass, Run)], passes: &[(Pass, Run)]) -> Simplified {
    let mut workspace = Workspace::new(lowered);
    let mut statistics = Statistics {
        before: (lowered.locations.len(), lowered.edges.len()),
        ..Statistics::default()
    };
    for &(pass, run) in first {
        let start = Instant::now();
        let changed = run(&mut workspace);
        statistics.runs.push((pass, changed, start.elapsed()));
    }
    // The changes, since the last propagation of constants, of the passes that enable it to find more.
    let mut enabling = 0;
    while statistics.rounds < MAXIMUM_ROUNDS {
        statistics.rounds += 1;
        let mut changes = 0;
        for &(pass, run) in passes {
            let edges = workspace.program.edges.len();
            if edges == 0 {
                break;
            }
            if pass == Pass::Constants {
                let few = enabling <= edges / EDGES_PER_CHANGE;
                if statistics.rounds > 1 && few && edges > MAXIMUM_EDGES_FOR_FURTHER_CONSTANTS {
                    continue;
                }
                enabling = 0;
            }
            let start = Instant::now();
            let changed = run(&mut workspace);
            statistics.runs.push((pass, changed, start.elapsed()));
            debug_assert_eq!(
                workspace.program.validate(),
                Ok(()),
                "after the pass {pass}"
            );
            if matches!(pass, Pass::Expand | Pass::Regions) {
                enabling += changed;
            }
            changes += match pass {
                // Joined edges enable no other pass.
                Pass::Chains => 0,
                // These passes enable hardly any other pass, only further changes of their own for a round or two.
                Pass::Forward | Pass::Dead if statistics.rounds > 2 => 0,
                _ => changed,
            };
        }
        let few = if statistics.rounds > 1 {
            workspace.program.edges.len() / EDGES_PER_CHANGE
        } else {
            0
        };
        if changes <= few {
            break;
        }
    }
    chains::finish(&mut workspace);
    constants::finish(&mut workspace);
    let mut result = workspace.finish();
    statistics.after = (result.program.locations.len(), result.program.edges.len());
    result.statistics = statistics;
    debug_assert_eq!(result.program.validate(), Ok(()));
    result
}
