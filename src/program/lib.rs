//! Programs as control-flow automata, and the analyses of them that need no solver.
//!
//! * `automaton`: [`cfa`], the automaton and its semantics; [`waypoint`]: the statements and branches of the
//!   source on each edge, and the C names in scope there; [`builder`]: automata made by hand; [`validate`]: well-formedness;
//!   [`assumption`]: assumptions made by the lowering; [`external`]: functions and objects that the source does not define;
//!   [`ghost`]: ghost variables of a witness; [`targets`]: the checks, numbered.
//! * `graphs`: [`graph`], [`call_graph`], [`cut_points`], [`weak_order`]: edges by location, calls, loops, and iteration
//!   orders; [`inline`]: the automaton with calls inlined on demand; [`digraph`]: graph algorithms.
//! * `analyses`: [`variables`], [`liveness`]: variables read and written, and live variables; [`conditions`]: syntactic checks
//!   of branch conditions; [`arena`]: allocation counters of equally sized objects; [`features`]: numbers by which a portfolio
//!   classifies programs.
//! * `printing`: [`c_value`]: values and types as C text; [`short_names`]: variable names for messages; [`dot`]: automata as
//!   Graphviz.
//! * [`simplify`](mod@simplify): from the lowered program to the program that engines analyse.
//! * [`termination`]: the question whether all executions end, put as reachability.
//! * [`block`]: formulas for the paths between cut points.
//! * [`interpreter`]: runs a program on given inputs.
//! * [`persistent`]: maps that share subtrees.

mod analyses;
mod automaton;
pub mod block;
mod graphs;
pub mod interpreter;
pub mod persistent;
mod printing;
pub mod simplify;
pub mod termination;
pub mod testing;

pub use analyses::{arena, conditions, features};
pub(crate) use analyses::{liveness, variables};
pub use assumption::{Assumption, AssumptionKind, Doubt, Operand};
pub use automaton::{assumption, ghost, targets, waypoint};
pub(crate) use automaton::{builder, cfa, copy, external, validate};
pub use block::{Block, BlockEnd, BlockInput, Blocks, InputSource};
pub use builder::ProgramBuilder;
pub use call_graph::CallGraph;
pub use cfa::*;
pub use cut_points::{CutPointKind, CutPoints, Loop, LoopId, LoopShape};
pub use dot::to_dot;
pub use external::{External, ExternalKind, ReturnType};
pub use graph::Graph;
pub(crate) use graphs::{call_graph, cut_points, weak_order};
pub use graphs::{digraph, graph, inline, nesting};
pub use inline::{CallStringId, InlinedLocation, InlinedProgram, Step, StepKind};
pub(crate) use printing::short_names;
pub use printing::{c_value, dot};
pub use regatta_base::source::{FileId, SourceMap, Span};
pub use short_names::{ShortNames, last_part};
pub use simplify::{Simplified, Slicing, open_assumptions, simplify, simplify_loosely};
pub use targets::{Target, TargetId, TargetSet, Targets};
pub use validate::Malformed;
pub use waypoint::{
    Cells, DeclaredName, NamedPart, Names, PartHome, Passed, Waypoint, WaypointKind, Waypoints,
};
pub use weak_order::WeakOrder;
