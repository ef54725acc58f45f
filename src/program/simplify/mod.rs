//! From the program as lowered to the program to analyse.
//!
//! Each pass is one module. They run in rounds until none finds anything to do, or [`MAXIMAL_ROUNDS`] have passed:
//!
//! 1. [`prune`]: what cannot be reached, and what cannot reach a target;
//! 2. [`expand`]: calls of small functions, and of functions called once, replaced by their bodies;
//! 3. [`constants`]: constants and ranges of values, through calls, branches and loops;
//! 4. [`forward`]: expressions and copies put into the places of the temporaries that hold them;
//! 5. [`regions`]: regions of which only fixed cells are used, as scalars;
//! 6. [`dead`]: assignments whose values do not matter;
//! 7. [`slice`](mod@slice): what the targets do not depend on;
//! 8. [`chains`]: chains of edges joined, parallel edges merged.
//!
//! # What is preserved
//! The *targets* are the error locations and the edges with [`Operation::Unsupported`]. A target can be reached in the
//! result if and only if it can be in the program as lowered. More than that: for any values of the inputs, one is
//! reached in the one if and only if it is reached in the other with the same values, those that the result does not
//! ask for being arbitrary; and for each [`InputId`], either the result asks for all the values that the program as
//! lowered asks for until then, or for none. So a sequence of inputs found on the result replays on the program as
//! lowered when every [`InputId`] takes its values in order, by itself.
//!
//! What is not preserved: executions that reach no target may stop early. The bookkeeping of objects
//! ([`Operation::Allocate`], [`Operation::Free`]) is gone, so that accesses cannot be checked; that is left to the
//! replay. Ids of variables, inputs, regions, objects and functions keep their meaning (new variables come after
//! the old ones); locations and edges have new ids, and [`Simplified::origins`] tells where a location comes from.

mod chains;
mod constants;
mod dead;
mod dependence;
mod expand;
mod forward;
mod globals;
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

use crate::program::cfa::*;
use crate::term::TermId;
pub use range::Abstract;
#[cfg(test)]
pub(crate) use slice::fault;
use workspace::Workspace;

/// Rounds of all passes after which the program is taken as it is.
const MAXIMAL_ROUNDS: u32 = 6;

/// From the second round on, fewer changes than one in so many edges are not worth another round.
const WORTHWHILE: usize = 200;

/// A simplified program, with what ties it to the program as lowered.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The program to analyse.
    pub program: Program,
    /// Where each of its locations comes from.
    pub origins: Vec<Origin>,
    /// The variable of the program as lowered of which each of its variables is a copy; itself for those that are not
    /// copies, and `None` for what has no counterpart.
    pub variable_origins: Vec<Option<VariableId>>,
    /// For the variables that are cells of a region, the cell as a term over the variables of the program as lowered.
    pub cells: FxHashMap<VariableId, TermId>,
    /// For each edge that is a call, the call of the program as lowered; arbitrary for the others.
    pub call_origins: Vec<EdgeId>,
    /// What was found to hold and used to take edges out.
    pub facts: Vec<Fact>,
    /// What was known at the cut points in each round: what edges were taken out for, in a form that can be checked.
    pub invariants: Vec<CutPointFacts>,
    /// What each pass did.
    pub statistics: Statistics,
}

impl Simplified {
    /// Whether no target is left: the property holds.
    pub fn is_safe(&self) -> bool {
        self.program.errors.is_empty() && !self.has_unsupported()
    }

    /// Whether an edge that is not modelled may be reached.
    pub fn has_unsupported(&self) -> bool {
        let mut edges = self.program.edges.iter();
        edges.any(|edge| matches!(edge.operations.last(), Some(Operation::Unsupported(_))))
    }
}

/// Where a location of the program to analyse comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The location of the program as lowered.
    pub location: LocationId,
    /// The calls of the program as lowered that were replaced by bodies around it, outermost first.
    pub calls: Vec<EdgeId>,
}

/// Something that holds whenever a location is reached, and because of which an edge that leaves it can never be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The pass that found it.
    pub pass: Pass,
    /// Where it holds, in the program as lowered.
    pub origin: Origin,
    /// A Boolean term over the variables of the program to analyse.
    pub formula: TermId,
}

/// What the pass [`Pass::Constants`] knew in one of the rounds at a cut point of that round or of the result.
///
/// Those of a round are inductive on the program as lowered, from one of these cut points to the next, relative to
/// those of the rounds before. A loop that has been taken out has no cut point any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutPointFacts {
    /// The round, from one.
    pub round: u32,
    /// Where it holds, in the program as lowered: at every call string that ends in the origin's calls.
    pub origin: Origin,
    /// Variables of the program to analyse with what is known of their values; `None` if the place cannot be reached.
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
            Self::Chains => "chains",
        })
    }
}

/// What the passes did.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Rounds of all passes.
    pub rounds: u32,
    /// For each run of a pass what it changed (edges or operations) and how long it took.
    pub runs: Vec<(Pass, usize, Duration)>,
    /// Locations and edges of the program as lowered.
    pub before: (usize, usize),
    /// Locations and edges of the result.
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

/// What runs a pass; it tells how much it has changed.
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

/// The program as it is, but for the bookkeeping of objects: for an analysis that is not to rely on the passes.
pub fn unsimplified(lowered: &Program) -> Simplified {
    Workspace::new(lowered).finish()
}

/// For each of [`Program::assumptions`], whether an execution that reaches a target may meet it where it could be violated,
/// as far as reachability, constants and ranges tell.
pub fn open_assumptions(lowered: &Program) -> Vec<bool> {
    let mut workspace = Workspace::new(lowered);
    // With the bookkeeping of objects, which says which of them exist.
    for (edge, original) in workspace.program.edges.iter_mut().zip(&lowered.edges) {
        edge.operations.clone_from(&original.operations);
    }
    prune::run(&mut workspace);
    constants::open(&mut workspace, lowered)
}

/// Simplifies the program.
pub fn simplify(lowered: &Program) -> Simplified {
    simplify_by(lowered, &PASSES)
}

/// Simplifies the program by these passes.
fn simplify_by(lowered: &Program, passes: &[(Pass, Run)]) -> Simplified {
    let mut workspace = Workspace::new(lowered);
    let mut statistics = Statistics {
        before: (lowered.locations.len(), lowered.edges.len()),
        ..Statistics::default()
    };
    while statistics.rounds < MAXIMAL_ROUNDS {
        statistics.rounds += 1;
        let mut changes = 0;
        for &(pass, run) in passes {
            if workspace.program.edges.is_empty() {
                break;
            }
            let start = Instant::now();
            let changed = run(&mut workspace);
            statistics.runs.push((pass, changed, start.elapsed()));
            debug_assert_eq!(
                workspace.program.validate(),
                Ok(()),
                "after the pass {pass}"
            );
            changes += match pass {
                // Joined edges are for the reader; nothing else comes of them.
                Pass::Chains => 0,
                // Of these hardly anything else comes, either; but more of the same, for a round or two.
                Pass::Forward | Pass::Dead if statistics.rounds > 2 => 0,
                _ => changed,
            };
        }
        let few = if statistics.rounds > 1 {
            workspace.program.edges.len() / WORTHWHILE
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
