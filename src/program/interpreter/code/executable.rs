//! A compiled program.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bytecode::{Address, CallSite, General, Instruction, Locals, Place, Register};
use crate::interpreter::compiler::assembler::ArrayShape;
use crate::interpreter::outcome::Site;
use crate::interpreter::state::integer::Integer;
use crate::{EdgeId, FunctionId, Input, LocationId, Object, ObjectId, RegionId, Scope, VariableId};
use regatta_term::Sort;

/// The accesses to memory that are checked.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum AccessChecks {
    /// All accesses.
    #[default]
    All,
    /// Only accesses to regions of a single static object: for a simplified program, which has no allocations and
    /// deallocations any more.
    SingleObjects,
}

/// How accesses to an array are checked.
#[derive(Clone, Debug)]
pub(crate) enum Validity {
    /// No check.
    Unchecked,
    /// The index must be below this number: the first cells belong to the region's only object.
    Cells(u64),
    /// The table of live objects must have an object with the address.
    Table {
        /// The region, for its static objects.
        region: RegionId,
        element_bytes: u64,
        /// Address of cell zero.
        base: Option<AddressTerm>,
    },
}

/// An address: a constant, or the value of a variable's register.
#[derive(Copy, Clone, Debug)]
pub(crate) enum AddressTerm {
    Constant(u64),
    Variable(Place),
}

/// The shape of an array register, and the check of its accesses.
#[derive(Clone, Debug)]
pub(crate) struct ArrayDescription {
    pub(crate) shape: ArrayShape,
    pub(crate) validity: Validity,
}

/// The register and the sort of a variable.
#[derive(Clone, Debug)]
pub(crate) struct VariableDescription {
    pub(crate) place: Place,
    pub(crate) sort: Sort,
    pub(crate) scope: Scope,
    /// Whether it is the contents of a region, or the memory model's own.
    pub(crate) is_of_memory: bool,
}

/// A program compiled for [`crate::interpreter::Machine`]; it may be shared among threads.
#[derive(Clone, Debug)]
pub struct Executable {
    pub(crate) code: Vec<Instruction>,
    /// The edge that each instruction belongs to.
    pub(crate) edge_of: Vec<EdgeId>,
    pub(crate) entry: Address,
    /// The initial values of registers; variables are zero.
    pub(crate) narrow: Vec<u64>,
    pub(crate) wide: Vec<u128>,
    pub(crate) integer: Vec<Integer>,
    pub(crate) arrays: Vec<ArrayDescription>,
    pub(crate) general: Vec<General>,
    pub(crate) calls: Vec<CallSite>,
    pub(crate) locals: Vec<Locals>,
    pub(crate) unsupported: FxHashMap<EdgeId, String>,
    pub(crate) variables: Vec<VariableDescription>,
    pub(crate) names: FxHashMap<String, VariableId>,
    pub(crate) inputs: Vec<Input>,
    /// For each input whether a real execution determines its value ([`crate::InputKind::Unknown`]).
    pub(crate) unknown: Vec<bool>,
    pub(crate) objects: Vec<Object>,
    /// The address of each static object.
    pub(crate) object_addresses: Vec<Option<AddressTerm>>,
    pub(crate) regions: Vec<RegionDescription>,
    /// The target of each edge.
    pub(crate) edge_targets: Vec<LocationId>,
    pub(crate) deterministic: bool,
    /// The function where a run starts.
    pub(crate) start: FunctionId,
    /// Size of a pointer in bytes.
    pub(crate) pointer_bytes: u64,
}

/// The parts of a region's description that are needed to read and check its objects.
#[derive(Clone, Debug)]
pub(crate) struct RegionDescription {
    pub(crate) array: Register,
    pub(crate) element_bytes: u64,
    pub(crate) base: Option<AddressTerm>,
    pub(crate) single: bool,
    /// The static objects in the region.
    pub(crate) objects: FxHashSet<ObjectId>,
    /// Whether the region contains memory outside of the program.
    pub(crate) is_outside: bool,
}

impl Executable {
    pub fn instruction_count(&self) -> usize {
        self.code.len()
    }

    /// Whether the inputs alone determine a run: no two edges that leave a location can both be taken. `true` is definite.
    pub fn is_deterministic(&self) -> bool {
        self.deterministic
    }

    /// The operation that the instruction belongs to.
    pub(crate) fn site(&self, pc: usize, operation: u16) -> Option<Site> {
        let edge = *self.edge_of.get(pc)?;
        Some(Site { edge, operation })
    }

    pub fn target(&self, edge: EdgeId) -> LocationId {
        self.edge_targets[edge.index()]
    }

    /// The inputs of the program.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The variable with the name; the last one if several have it.
    pub fn variable(&self, name: &str) -> Option<VariableId> {
        self.names.get(name).copied()
    }
}
