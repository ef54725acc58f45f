//! The points-to analysis: one walk over all functions that can run fills the points-to graph and lists the accesses;
//! then the consequences of copies, calls through pointers and disguised pointers are added up to a fixpoint.
//!
//! * The address of an object in an expression makes it a target; reading a pointer from a place gives the place's
//!   link. An assignment, argument or result of pointer type unifies what both sides point to.
//! * **Pointers and integers.** The target of a pointer that is converted to an integer, or whose bytes are read as
//!   something else, *escapes*, and so does what a forged pointer is compared with. A pointer made from an integer is
//!   *forged*: it points to the *universe*, a node with period one with which everything that escapes is unified as
//!   soon as a forged pointer exists.
//! * **Unknown code** may store pointers to everything that its arguments and the non-static globals reach: these
//!   objects escape, the pointers in them are forged, and each impure call of unknown code may change them, and call
//!   the functions among them.
//! * **Pointers from outside** (results of unknown code, inputs, objects that are defined elsewhere) are forged, too;
//!   they may point to all objects with external linkage, and to memory outside of the program's objects.
//! * **Copies** of whole objects do not unify the objects. A read from the copy counts as a read from the source at the
//!   same offset, and the links there are unified.
//!
//! # The modules
//! * The walk: [`instructions`], [`expressions`], [`accesses`], [`calls`].
//! * The fixpoint: [`calls`] through pointers, [`copies`], what [`unknown_code`] reaches, [`forged`] pointers.
//! * [`classes`]: which addresses can be observed; [`reuse`] and [`lifetimes`]: which objects may lie where others were
//!   before; [`dangling`]: to which objects pointers may remain when they end.

mod accesses;
mod alike;
mod calls;
mod classes;
mod copies;
mod dangling;
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

/// The points-to analysis has not visited the instruction or pointer that is asked for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the points-to analysis has not seen it")]
pub struct NotAnalysed;

/// The results of the points-to analysis.
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
    /// Allocation sites.
    pub sites: Vec<Site>,
    /// The sites by the instruction's position: function, block, number.
    pub site_of: FxHashMap<(u32, u32, u32), usize>,
    /// All accesses.
    pub accesses: Vec<Access>,
    /// All copies of ranges.
    pub copies: Vec<CopyFact>,
    /// Ranges that are filled: where, and how many bytes.
    pub fills: Vec<(Target, u64)>,
    /// Pointers that are moved by a constant number of bytes.
    moved: Vec<(Target, i64)>,
    /// Where padding is written.
    paddings: Vec<Target>,
    /// Targets whose addresses become integers.
    escapes: Vec<Target>,
    /// Those of them whose addresses the program itself makes integers, and not only unknown code may.
    converted: Vec<Target>,
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
    /// Whether the program itself makes a pointer from an integer.
    made_from_integer: bool,
    /// Whether a pointer is made from a constant too low for an object's address.
    made_from_low: bool,
    /// Pointers that are read through a pointer to a possible device: source and destination.
    read_through: Vec<(Target, Target)>,
    /// The node of all targets of forged pointers.
    pub universe: NodeId,
    /// The node of the targets of null and constant pointers.
    nowhere: NodeId,
    /// Targets whose addresses the program observes.
    observed: Vec<Target>,
    /// Pairs of pointers that are compared with `<` and its like, or subtracted.
    ordered: Vec<(Target, Target)>,
    /// Pairs of pointers that are compared for equality.
    compared: Vec<(Target, Target)>,
    /// The temporaries that hold results of `realloc`. The comparison of such a pointer with the old one is the
    /// model's, and no observation by the program.
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
    /// Calls by unknown code of functions that it may have the addresses of.
    callbacks: Vec<(CallFact, FunctionIndex)>,
    /// The indirect calls that may be calls of unknown code.
    unknown_callee: FxHashSet<usize>,
    bound: FxHashSet<(usize, FunctionIndex)>,
    /// The target of each pointer; `None`: it is null or another constant.
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
            converted: Vec::new(),
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

    /// Adds the consequences of calls through pointers, copies, and disguised pointers, until nothing changes.
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

    /// Gives each array in memory its element size as the period, also if it is only accessed at constant indices.
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

    /// The target of a pointer in a function that can run; null and other constants have the target [`Facts::nowhere`].
    pub fn target(&self, pointer: &Pointer) -> Result<Target, NotAnalysed> {
        let target = self.targets.get(&pointer.id()).ok_or(NotAnalysed)?;
        Ok(self
            .graph
            .canonical(target.unwrap_or_else(|| self.nowhere())))
    }

    /// The target of null and constant pointers.
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
