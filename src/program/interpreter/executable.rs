//! A compiled program.

use rustc_hash::{FxHashMap, FxHashSet};

use super::assembler::ArrayShape;
use super::bytecode::{Address, CallSite, General, Instruction, Locals, Place, Register};
use super::integer::Integer;
use crate::program::{EdgeId, Input, LocationId, Object, ObjectId, RegionId, VariableId};
use crate::term::Sort;

/// Which accesses to memory are judged.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum AccessChecks {
    /// All of them.
    #[default]
    All,
    /// Only those to regions of a single static object: for a simplified program, in which nothing says any more when
    /// other objects begin and end.
    SingleObjects,
}

/// How a region's accesses are judged.
#[derive(Clone, Debug)]
pub(crate) enum Validity {
    /// Not at all: the array is no region.
    Unchecked,
    /// The first cells belong to the region's only object.
    Cells(u64),
    /// By the table of live objects.
    Table {
        /// The region, for its static objects.
        region: RegionId,
        element_bytes: u64,
        /// Address of cell zero.
        base: Option<AddressTerm>,
    },
}

/// A term for an address: a constant, or a variable's register.
#[derive(Copy, Clone, Debug)]
pub(crate) enum AddressTerm {
    Constant(u64),
    Variable(Place),
}

/// An array register: its shape, and what it stands for.
#[derive(Clone, Debug)]
pub(crate) struct ArrayDescription {
    pub(crate) shape: ArrayShape,
    pub(crate) validity: Validity,
}

/// What is needed of a variable to read it.
#[derive(Clone, Debug)]
pub(crate) struct VariableDescription {
    pub(crate) place: Place,
    pub(crate) sort: Sort,
}

/// A program compiled for [`super::Machine`]; it may be shared among threads.
#[derive(Clone, Debug)]
pub struct Executable {
    pub(crate) code: Vec<Instruction>,
    /// The edge that each instruction belongs to.
    pub(crate) edge_of: Vec<EdgeId>,
    pub(crate) entry: Address,
    /// What registers hold at first; variables zero.
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
    /// Whether each input's value is one that a real execution determines.
    pub(crate) unknown: Vec<bool>,
    pub(crate) objects: Vec<Object>,
    /// Where each static object is.
    pub(crate) object_addresses: Vec<Option<AddressTerm>>,
    /// For each region, its array register, element size and address of cell zero.
    pub(crate) regions: Vec<RegionDescription>,
    /// For each edge, where it leads.
    pub(crate) edge_targets: Vec<LocationId>,
    pub(crate) deterministic: bool,
}

/// What is needed of a region to read an object in it.
#[derive(Clone, Debug)]
pub(crate) struct RegionDescription {
    pub(crate) array: Register,
    pub(crate) element_bytes: u64,
    pub(crate) base: Option<AddressTerm>,
    pub(crate) single: bool,
    /// The static objects within.
    pub(crate) objects: FxHashSet<ObjectId>,
    /// Whether memory that the program knows nothing of is within.
    pub(crate) is_outside: bool,
}

impl Executable {
    pub fn instruction_count(&self) -> usize {
        self.code.len()
    }

    /// Whether the inputs alone decide how a run goes: no two edges that leave a location can both be taken. False
    /// may only mean that this could not be seen.
    pub fn is_deterministic(&self) -> bool {
        self.deterministic
    }

    pub fn target(&self, edge: EdgeId) -> LocationId {
        self.edge_targets[edge.index()]
    }

    /// The places where values come from outside.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The variable with the name; the last one if several have it.
    pub fn variable(&self, name: &str) -> Option<VariableId> {
        self.names.get(name).copied()
    }
}
