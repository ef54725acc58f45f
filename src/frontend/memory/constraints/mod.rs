//! What a program does with pointers: one walk over all functions that can run fills the points-to graph and lists the
//! accesses; then what follows from copies, calls through pointers and pointers in disguise is added until nothing
//! changes.
//!
//! * The address of an object in an expression makes it a target; reading a pointer from a place gives the place's
//!   link. An assignment, argument or result of pointer type unifies what both sides point to.
//! * **Pointers and integers.** The target of a pointer that is converted to an integer, or whose bytes are read as
//!   something else, *escapes*, and so does what a forged pointer is compared with. A pointer made from an integer is
//!   *forged*: it points to the *universe*, a node with period one with which everything that escapes is unified as soon
//!   as a forged pointer exists.
//! * **Unknown code** may keep what its arguments and the non-static globals reach: that escapes, the pointers therein
//!   are forged, and each impure call of unknown code may change it, and call the functions that are there.
//! * **Pointers from outside** (results of unknown code, inputs, objects that are defined elsewhere) are forged, too; they
//!   may point to all that code elsewhere can name, and to memory that the program knows nothing of.
//! * **Copies** of whole objects do not unify the objects. What is read from the copy is demanded of the original, at
//!   the same offsets, and the links there are unified.
//!
//! # The modules
//! * The walk: [`instructions`], [`expressions`], [`accesses`], [`calls`].
//! * What follows: [`calls`] through pointers, [`copies`], what [`unknown_code`] reaches, [`forged`] pointers.
//! * [`classes`]: what the whole of the facts says of the objects' addresses; [`reuse`] and [`lifetimes`]: what may be where
//!   something was before.

mod accesses;
mod alike;
mod calls;
mod classes;
mod copies;
mod expressions;
mod forged;
mod instructions;
mod lifetimes;
mod reuse;
mod unknown_code;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::call_graph::CallSite;
use super::points_to::{Graph, NodeId, Target};
use crate::ir::{BlockIndex, FunctionIndex, ObjectIndex, Pointer, PointerId, Storage, Unit};
use accesses::Access;
use calls::CallFact;
use copies::CopyFact;
use instructions::Site;

pub use accesses::{AccessTable, Direction, View};
pub use lifetimes::Locals;

/// How many repetitions of a class are looked at one by one before its period is imposed on another class.
const REPETITIONS: i64 = 16;

/// The walk has not come by what it is asked for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the points-to analysis has not seen it")]
pub struct NotAnalysed;

/// Everything that the walk found.
pub struct Facts<'a> {
    unit: &'a Unit,
    pointer_bits: u8,
    /// The points-to graph.
    pub graph: Graph,
    /// The node of each object; an object starts at offset zero in it.
    pub objects: Vec<NodeId>,
    /// Whether an object's address is used for more than accesses at constant offsets.
    pub in_memory: Vec<bool>,
    /// The functions whose address is taken, with their nodes.
    pub functions: BTreeMap<FunctionIndex, NodeId>,
    /// The functions without a body whose address is taken, with their nodes.
    pub externals: BTreeMap<&'a str, NodeId>,
    /// Objects made at run time.
    pub sites: Vec<Site>,
    /// The sites by the instruction's position: function, block, number.
    pub site_of: FxHashMap<(u32, u32, u32), usize>,
    /// All accesses.
    pub accesses: Vec<Access>,
    /// All copies of ranges.
    pub copies: Vec<CopyFact>,
    /// Ranges that are filled: where, and how many bytes.
    pub fills: Vec<(Target, u64)>,
    /// Pointers that are moved by so many bytes.
    moved: Vec<(Target, i64)>,
    /// Where padding is written.
    paddings: Vec<Target>,
    /// Targets whose addresses become integers.
    escapes: Vec<Target>,
    /// Targets that unknown code can reach and change.
    exposed: Vec<Target>,
    /// Whether some impure unknown code is called.
    unknown_code: bool,
    /// Whether there are pointers that come from outside.
    from_outside: bool,
    /// The roots that unknown code can reach.
    reached_outside: FxHashSet<NodeId>,
    /// Whether a pointer is made from an integer.
    forged: bool,
    /// Whether one is made from an integer by the program itself.
    made_from_integer: bool,
    /// Whether one is made from a constant too low for an object's address.
    made_from_low: bool,
    /// Pointers that are read through a pointer which may be one to a device: from where, and where to.
    read_through: Vec<(Target, Target)>,
    /// What forged pointers point to.
    pub universe: NodeId,
    /// What null and constant pointers point to: nothing.
    nowhere: NodeId,
    /// Targets whose addresses the program observes.
    observed: Vec<Target>,
    /// Pairs of pointers that are put in order or subtracted.
    ordered: Vec<(Target, Target)>,
    /// Pairs of pointers that are compared for equality.
    compared: Vec<(Target, Target)>,
    /// The pointers to objects that are made where one was. That such a pointer is the same as before is nothing that the
    /// program observes.
    resized: FxHashSet<ObjectIndex>,
    /// Targets that are freed, with the instructions' positions.
    pub freed: Vec<((u32, u32, u32), Target)>,
    /// Targets whose allocated size is asked for.
    pub sized: Vec<Target>,
    /// All call sites with the callees known so far.
    pub calls: Vec<CallSite>,
    /// The call sites by the instruction's position.
    pub call_of: FxHashMap<(u32, u32, u32), usize>,
    indirect: Vec<CallFact>,
    /// Calls by unknown code of functions whose addresses it may have.
    callbacks: Vec<(CallFact, FunctionIndex)>,
    /// The indirect calls that may be calls of unknown code.
    unknown_callee: FxHashSet<usize>,
    bound: FxHashSet<(usize, FunctionIndex)>,
    /// What each pointer that is asked for points to; `None`: it is null or another constant.
    targets: FxHashMap<PointerId, Option<Target>>,
}

impl<'a> Facts<'a> {
    /// Walks over the functions that can run and solves the constraints.
    pub fn solve(unit: &'a Unit, reached: &[bool]) -> (Self, AccessTable) {
        let mut graph = Graph::new();
        let universe = graph.add_node();
        graph.fold(universe, 1);
        let nowhere = graph.add_node();
        graph.fold(nowhere, 1);
        let objects = unit.objects.iter().map(|_| graph.add_node()).collect();
        let mut facts = Self {
            unit,
            pointer_bits: unit.data_model.pointer_bits(),
            graph,
            objects,
            in_memory: vec![false; unit.objects.len()],
            functions: BTreeMap::new(),
            externals: BTreeMap::new(),
            sites: Vec::new(),
            site_of: FxHashMap::default(),
            accesses: Vec::new(),
            copies: Vec::new(),
            fills: Vec::new(),
            moved: Vec::new(),
            paddings: Vec::new(),
            escapes: Vec::new(),
            exposed: Vec::new(),
            unknown_code: false,
            from_outside: false,
            reached_outside: FxHashSet::default(),
            forged: false,
            made_from_integer: false,
            made_from_low: false,
            read_through: Vec::new(),
            universe,
            nowhere,
            observed: Vec::new(),
            ordered: Vec::new(),
            compared: Vec::new(),
            resized: FxHashSet::default(),
            freed: Vec::new(),
            sized: Vec::new(),
            calls: Vec::new(),
            call_of: FxHashMap::default(),
            indirect: Vec::new(),
            callbacks: Vec::new(),
            unknown_callee: FxHashSet::default(),
            bound: FxHashSet::default(),
            targets: FxHashMap::default(),
        };
        for (index, function) in unit.functions.iter().enumerate() {
            if reached[index] {
                for block in 0..function.blocks.len() {
                    facts.block(FunctionIndex(index as u32), BlockIndex(block as u32));
                }
            }
        }
        for (index, object) in unit.objects.iter().enumerate() {
            if object.storage == Storage::Outside {
                let target = facts.object(ObjectIndex(index as u32));
                facts.from_outside |= facts.forge_leaves(target, &object.leaves);
            }
        }
        facts.fold_arrays();
        let table = facts.fixpoint();
        (facts, table)
    }

    /// Adds what follows from calls through pointers, copies, and pointers in disguise, until nothing changes.
    fn fixpoint(&mut self) -> AccessTable {
        let size = |this: &Self| {
            let unknown = (this.reached_outside.len(), this.unknown_callee.len());
            (
                this.graph.changes(),
                this.bound.len(),
                unknown,
                this.from_outside,
            )
        };
        loop {
            let before = size(self);
            self.bind_indirect_calls();
            self.bind_callbacks();
            self.move_alike();
            self.copy_links();
            self.read_from_devices();
            self.escape();
            let table = self.access_table();
            self.check_alike(&table);
            self.pointers_in_disguise(&table);
            if before == size(self) {
                return table;
            }
        }
    }

    /// An array in memory is one array, not as many fields as are accessed at constant indices.
    fn fold_arrays(&mut self) {
        for (index, object) in self.unit.objects.iter().enumerate() {
            if let [leaf] = object.leaves[..]
                && self.in_memory[index]
                && leaf.count > 1
                && leaf.stride % 8 == 0
            {
                self.graph.fold(self.objects[index], leaf.stride / 8);
            }
        }
    }

    /// What a pointer of a function that can run points to; null and other constants point nowhere.
    pub fn target(&self, pointer: &Pointer) -> Result<Target, NotAnalysed> {
        let target = self.targets.get(&pointer.id()).ok_or(NotAnalysed)?;
        Ok(self
            .graph
            .canonical(target.unwrap_or_else(|| self.nowhere())))
    }

    /// What null and constant pointers point to.
    pub const fn nowhere(&self) -> Target {
        Target {
            node: self.nowhere,
            offset: 0,
        }
    }

    /// The target of the pointer to the object's first byte.
    pub fn object(&self, object: ObjectIndex) -> Target {
        let node = self.objects[object.0 as usize];
        Target { node, offset: 0 }
    }
}
