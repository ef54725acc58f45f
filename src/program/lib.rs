//! Programs as control-flow automata, and the analyses of them that need no solver.
//!
//! * [`cfa`]: the automaton and its semantics; [`waypoint`]: the statements and branches of the
//!   source on each edge, and the C names in scope there; [`builder`]: automata made by hand; [`validate`]: well-formedness;
//!   [`assumption`]: assumptions made by the lowering; [`external`]: functions and objects that the source does not define.
//! * [`graph`], [`call_graph`], [`cut_points`], [`weak_order`]: edges by location, calls, loops, and iteration orders;
//!   [`digraph`]: graph algorithms.
//! * [`c_value`]: values and types as C text; [`short_names`]: variable names for messages; [`dot`]: automata as Graphviz;
//!   [`ghost`]: ghost variables of a witness.
//! * [`features`]: numbers by which a portfolio classifies programs.
//! * [`variables`], [`liveness`]: variables read and written, and live variables.
//! * [`simplify`](mod@simplify): from the lowered program to the program that engines analyse; [`conditions`]: syntactic checks
//!   of branch conditions; [`arena`]: allocation counters of equally sized objects.
//! * [`inline`]: the automaton with calls inlined on demand; [`block`]: formulas for the paths between cut points.
//! * [`interpreter`]: runs a program on given inputs.
//! * [`persistent`]: maps that share subtrees.

pub mod arena;
pub mod assumption;
pub mod block;
pub mod builder;
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
pub mod testing;
pub mod validate;
pub mod variables;
pub mod waypoint;
pub mod weak_order;

pub use assumption::{Assumption, AssumptionKind, Doubt, Operand};
pub use block::{Block, BlockEnd, BlockInput, Blocks, InputSource};
pub use builder::ProgramBuilder;
pub use call_graph::CallGraph;
pub use cfa::*;
pub use cut_points::{CutPointKind, CutPoints, Loop, LoopId, LoopShape};
pub use dot::to_dot;
pub use external::{External, ExternalKind, ReturnType};
pub use graph::Graph;
pub use inline::{CallStringId, InlinedLocation, InlinedProgram, Step, StepKind};
pub use liveness::Liveness;
pub use regatta_base::source::{FileId, SourceMap, Span};
pub use short_names::{ShortNames, last_part};
pub use simplify::{Simplified, open_assumptions, simplify};
pub use validate::Malformed;
pub use variables::VariableUse;
pub use waypoint::{
    Cells, DeclaredName, NamedPart, Names, PartHome, Passed, Waypoint, WaypointKind, Waypoints,
};
pub use weak_order::WeakOrder;
