//! Programs as control-flow automata, and everything that is known about one without a solver.
//!
//! Uses [`crate::term`]. The front end makes programs; every engine reads them.
//!
//! * [`cfa`]: the automaton and what it means; [`source`]: source positions; [`waypoint`]: what control passes there, and
//!   what names mean; [`build`]: automata made by hand; [`validate`]: whether one is well formed; [`assumption`]: what was
//!   assumed when it was made; [`external`]: what the source does not define.
//! * [`graph`], [`call_graph`], [`cut_points`], [`weak_order`]: its edges, calls, loops, and the order to visit them in; [`digraph`]: the
//!   algorithms for that.
//! * [`c_value`]: types and values in C; [`short_names`]: variables' names for people; [`dot`]: automata as Graphviz; [`ghost`]: what watches a program's runs.
//! * [`features`]: numbers by which a portfolio tells kinds of programs.
//! * [`variables`], [`liveness`]: what is read and written, and what can still matter.
//! * [`simplify`](mod@simplify): from the program as lowered to the program to analyse; [`conditions`]: what can be seen of conditions.
//! * [`inline`]: the automaton with calls inlined on demand; [`block`]: formulas for the paths between cut points.
//! * [`interpreter`]: runs a program on given inputs.

pub mod arena;
pub mod assumption;
pub mod block;
pub mod build;
pub mod c_value;
pub mod call_graph;
pub mod cfa;
pub mod conditions;
pub mod cut_points;
pub mod digraph;
pub mod dot;
pub mod external;
pub mod features;
pub mod ghost;
pub mod graph;
pub mod inline;
pub mod interpreter;
pub mod liveness;
pub mod persistent;
pub mod short_names;
pub mod simplify;
pub mod source;
#[cfg(test)]
pub(crate) mod testing;
pub mod validate;
pub mod variables;
pub mod waypoint;
pub mod weak_order;

pub use assumption::{Assumption, AssumptionKind, Doubt, Operand};
pub use block::{Block, BlockEnd, BlockInput, Blocks, InputSource};
pub use build::ProgramBuilder;
pub use call_graph::CallGraph;
pub use cfa::*;
pub use cut_points::{CutPointKind, CutPoints, Loop, LoopId, LoopShape};
pub use dot::to_dot;
pub use external::{External, ExternalKind, ReturnType};
pub use graph::Graph;
pub use inline::{CallStringId, InlinedLocation, InlinedProgram, Step, StepKind};
pub use liveness::Liveness;
pub use short_names::{ShortNames, last_part};
pub use simplify::{Simplified, open_assumptions, simplify};
pub use source::{FileId, SourceMap, Span};
pub use validate::Malformed;
pub use variables::VariableUse;
pub use waypoint::{
    Cells, DeclaredName, NamedPart, Names, PartHome, Passed, Waypoint, WaypointKind, Waypoints,
};
pub use weak_order::WeakOrder;
