//! Hash-consed terms.

mod append;
mod arena;
mod build;
mod evaluate;
mod exact;
mod float;
mod node;
pub mod op;
mod pool;
mod semantics;
mod smtlib;
pub mod sort;
mod store;
mod substitute;
mod symbol;
mod value;

pub use arena::Arena;
pub use build::Build;
pub use evaluate::{Evaluator, Unassigned, evaluate};
pub use float::FloatValue;
pub use op::{Op, RoundingMode};
pub use pool::{Constant, Pool, TermId, TermKind};
pub use semantics::apply as apply_op;
pub use smtlib::{smtlib_script, to_smtlib};
pub use sort::{FloatFormat, ScalarSort, Sort};
pub use store::{Store, store};
pub use substitute::{
    Rebuild, at_instance, for_each_subterm, free_variables, instantiate, size, substitute, transfer,
};
pub use symbol::Symbol;
pub use value::{ArrayValue, BitVecValue, Value};
