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

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::call_graph::CallSite;
use super::function_pointers;
use super::points_to::{Graph, NodeId, Target};
use super::walk::{self, Congruence};
use crate::frontend::ir::{
    Argument, BinaryOp, BlockIndex, Callee, Expr, FunctionIndex, InitialContents, Instruction,
    Leaf, ObjectIndex, Place, ResultPlace, ScalarType, Storage, Terminator, UnaryOp, Unit,
    UnknownEffect,
};
use crate::program::Lifetime;
use crate::term::FloatFormat;

/// How an access reads the bits.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum View {
    /// As an integer.
    Integer,
    /// As a pointer.
    Pointer,
    /// As a float.
    Float(FloatFormat),
    /// As a truth value.
    Bool,
    /// As part of something larger.
    Part,
}

impl From<ScalarType> for View {
    fn from(scalar: ScalarType) -> Self {
        match scalar {
            ScalarType::Integer { .. } => Self::Integer,
            ScalarType::Bool => Self::Bool,
            ScalarType::Float(format) => Self::Float(format),
            ScalarType::Pointer => Self::Pointer,
        }
    }
}

/// Whether an access reads or writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// It reads.
    Load,
    /// It writes.
    Store,
}

/// An access in the program.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The first byte.
    pub place: Target,
    /// The first bit, from the first byte's least significant one.
    pub bit: u32,
    /// Number of bits.
    pub bits: u32,
    /// How it reads them.
    pub view: View,
    /// Whether it reads or writes.
    pub direction: Direction,
}

/// A copy of a range of bytes.
#[derive(Copy, Clone, Debug)]
pub struct CopyFact {
    /// Where to.
    pub destination: Target,
    /// Where from.
    pub source: Target,
    /// Bytes.
    pub size: u64,
}

/// An object that is made at run time by an instruction.
#[derive(Clone, Debug)]
pub struct Site {
    /// The function.
    pub function: FunctionIndex,
    /// The block.
    pub block: BlockIndex,
    /// Its node.
    pub node: NodeId,
    /// Alignment in bytes.
    pub alignment: u64,
    /// What the object holds at first.
    pub contents: InitialContents,
    /// Whether it lasts until it is freed.
    pub on_heap: bool,
}

/// A call as far as pointers are concerned.
#[derive(Clone, Debug)]
struct CallFact {
    pointer: Option<Target>,
    site: usize,
    arguments: Vec<ArgumentFact>,
    result: Option<ResultFact>,
}

#[derive(Clone, Debug)]
enum ArgumentFact {
    Scalar {
        value: Option<Target>,
        scalar: ScalarType,
    },
    Object {
        address: Target,
        size: u64,
    },
}

#[derive(Clone, Debug)]
enum ResultFact {
    Scalar { place: Target, scalar: ScalarType },
    Object { address: Target, size: u64 },
}

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
    /// Targets that are freed.
    pub freed: Vec<Target>,
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
    /// Targets of expressions that are addresses of places or ranges, by the expression's identity in the unit.
    targets: FxHashMap<*const Expr, Target>,
}

/// Properties of the node classes that follow from the facts, by root.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// Roots whose objects' addresses can be observed.
    pub observable: FxHashSet<NodeId>,
    /// Roots that unknown code can change.
    pub exposed: FxHashSet<NodeId>,
}

/// The accesses of each class, by root: offset in bits in the root's frame (reduced), width, view and direction.
pub type AccessTable = FxHashMap<NodeId, FxHashSet<(i64, u32, View, Direction)>>;

/// How many repetitions of a class are looked at one by one before its period is imposed on another class.
const REPETITIONS: i64 = 16;

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
            escapes: Vec::new(),
            exposed: Vec::new(),
            unknown_code: false,
            from_outside: false,
            reached_outside: FxHashSet::default(),
            forged: false,
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

    /// The target of an address that occurs in the unit as that of a place or range.
    pub fn target(&self, address: &Expr) -> Target {
        let target = self.targets.get(&std::ptr::from_ref(address));
        self.graph.canonical(target.copied().unwrap_or(Target {
            node: self.nowhere,
            offset: 0,
        }))
    }

    /// The target of the pointer to the object's first byte.
    pub fn object(&self, object: ObjectIndex) -> Target {
        let node = self
            .objects
            .get(object.0 as usize)
            .copied()
            .unwrap_or(self.nowhere);
        Target { node, offset: 0 }
    }

    // --- the walk ---

    fn block(&mut self, function: FunctionIndex, block: BlockIndex) {
        let unit = self.unit;
        let data = &unit.functions[function.0 as usize].blocks[block.0 as usize];
        for (number, (instruction, _)) in data.instructions.iter().enumerate() {
            self.instruction((function.0, block.0, number as u32), instruction);
        }
        match &data.terminator {
            Terminator::Branch { condition, .. } => {
                self.value(condition);
            }
            Terminator::Switch { value, .. } => {
                self.value(value);
            }
            _ => {}
        }
    }

    fn instruction(&mut self, position: (u32, u32, u32), instruction: &'a Instruction) {
        match instruction {
            Instruction::Assign { place, value } => {
                let target = self.access(place, Direction::Store);
                let value = self.value(value);
                self.assign(target, place.scalar, value);
            }
            Instruction::Copy {
                destination,
                source,
                size,
                ..
            } => {
                let destination = self.address(destination);
                let source = self.address(source);
                self.copies.push(CopyFact {
                    destination,
                    source,
                    size: *size,
                });
            }
            Instruction::Fill {
                destination, size, ..
            } => {
                let destination = self.address(destination);
                self.fills.push((destination, *size));
            }
            Instruction::Padding { destination, .. } => {
                self.address(destination);
            }
            Instruction::Call {
                callee,
                arguments,
                result,
            } => self.call(position, callee, arguments, result.as_ref()),
            Instruction::CallUnknown {
                arguments,
                result,
                effect,
                ..
            } => self.unknown_call(arguments, result.as_ref(), *effect),
            Instruction::Nondet { place, .. }
            | Instruction::Approximate { place, .. }
            | Instruction::Choice { place } => {
                let target = self.access(place, Direction::Store);
                self.assign_from_outside(target, place.scalar);
            }
            Instruction::Declare(_)
            | Instruction::Unsupported(_)
            | Instruction::Assumption { .. } => {}
            Instruction::Allocate {
                place,
                size,
                alignment,
                contents,
                lifetime,
            } => {
                let target = self.access(place, Direction::Store);
                self.value(size);
                if let (InitialContents::Kept, Expr::ObjectAddress(object)) =
                    (contents, &*place.address)
                {
                    self.resized.insert(*object);
                }
                let node = self.graph.add_node();
                self.site_of.insert(position, self.sites.len());
                self.sites.push(Site {
                    function: FunctionIndex(position.0),
                    block: BlockIndex(position.1),
                    node,
                    alignment: (*alignment).max(1),
                    contents: *contents,
                    on_heap: *lifetime == Lifetime::Heap,
                });
                self.assign(target, place.scalar, Some(Target { node, offset: 0 }));
            }
            Instruction::Free(pointer) => {
                let target = self.remembered(pointer);
                self.freed.extend(target);
            }
            Instruction::Assume(Expr::Binary { left, right, .. }) if self.is_resized(left) => {
                self.value(left);
                self.value(right);
            }
            Instruction::Assume(value) | Instruction::SetRounding(value) => {
                self.value(value);
            }
        }
    }

    fn is_resized(&self, pointer: &Expr) -> bool {
        match pointer {
            Expr::Load(place) => {
                matches!(&*place.address, Expr::ObjectAddress(object) if self.resized.contains(object))
            }
            _ => false,
        }
    }

    fn call(
        &mut self,
        position: (u32, u32, u32),
        callee: &'a Callee,
        arguments: &'a [Argument],
        result: Option<&'a ResultPlace>,
    ) {
        let pointer = match callee {
            Callee::Direct(_) | Callee::Escaped(_) => None,
            Callee::Indirect(pointer) => Some(self.remembered(pointer)),
        };
        let arguments = arguments
            .iter()
            .map(|argument| self.argument(argument))
            .collect();
        let result = result.map(|result| match result {
            ResultPlace::Scalar(place) => ResultFact::Scalar {
                place: self.access(place, Direction::Store),
                scalar: place.scalar,
            },
            ResultPlace::Object { address, size, .. } => ResultFact::Object {
                address: self.address(address),
                size: *size,
            },
        });
        let site = self.calls.len();
        self.call_of.insert(position, site);
        self.calls.push(CallSite {
            caller: FunctionIndex(position.0),
            block: BlockIndex(position.1),
            callees: Vec::new(),
        });
        let fact = CallFact {
            pointer: pointer.flatten(),
            site,
            arguments,
            result,
        };
        match callee {
            Callee::Direct(function) => self.bind(&fact, *function),
            Callee::Indirect(_) => self.indirect.push(fact),
            Callee::Escaped(function) => self.callbacks.push((fact, *function)),
        }
    }

    fn argument(&mut self, argument: &'a Argument) -> ArgumentFact {
        match argument {
            Argument::Scalar { value, scalar } => ArgumentFact::Scalar {
                value: self.remembered(value),
                scalar: *scalar,
            },
            Argument::Object { address, size, .. } => ArgumentFact::Object {
                address: self.address(address),
                size: *size,
            },
        }
    }

    fn unknown_call(
        &mut self,
        arguments: &'a [Argument],
        result: Option<&'a ResultPlace>,
        effect: UnknownEffect,
    ) {
        for argument in arguments {
            match self.argument(argument) {
                ArgumentFact::Scalar { value: None, .. } => {}
                ArgumentFact::Scalar {
                    value: Some(target),
                    ..
                } => {
                    self.escapes.push(target);
                    if effect == UnknownEffect::Reachable {
                        self.exposed.push(target);
                    }
                }
                // A copy is passed, so the object itself is safe; what its pointers reach is not.
                ArgumentFact::Object { address, size } => {
                    let copy = Target {
                        node: self.graph.add_node(),
                        offset: 0,
                    };
                    if let Argument::Object { leaves, .. } = argument {
                        self.access_leaves(copy, leaves, Direction::Load);
                        self.forge_leaves(copy, leaves);
                    }
                    self.copies.push(CopyFact {
                        destination: copy,
                        source: address,
                        size,
                    });
                    self.escapes.push(copy);
                    if effect == UnknownEffect::Reachable {
                        self.exposed.push(copy);
                    }
                }
            }
        }
        if effect == UnknownEffect::Reachable {
            self.unknown_code = true;
        }
        match result {
            Some(ResultPlace::Scalar(place)) => {
                let target = self.access(place, Direction::Store);
                self.assign_from_outside(target, place.scalar);
            }
            Some(ResultPlace::Object {
                address, leaves, ..
            }) => {
                let target = self.address(address);
                self.access_leaves(target, leaves, Direction::Store);
                self.from_outside |= self.forge_leaves(target, leaves);
            }
            None => {}
        }
    }

    fn access_leaves(&mut self, target: Target, leaves: &[Leaf], direction: Direction) {
        for leaf in leaves {
            for number in 0..leaf.count.min(REPETITIONS as u64) {
                let start = leaf
                    .bit_offset
                    .wrapping_add(leaf.stride.wrapping_mul(number));
                self.accesses.push(Access {
                    place: target.shifted((start / 8) as i64),
                    bit: (start % 8) as u32,
                    bits: leaf.bits,
                    view: leaf.scalar.into(),
                    direction,
                });
            }
            if leaf.count > REPETITIONS as u64 {
                self.graph.fold(target.node, (leaf.stride / 8).max(1));
            }
        }
    }

    /// The pointers in an object of the type are forged; tells whether there are any.
    fn forge_leaves(&mut self, target: Target, leaves: &[Leaf]) -> bool {
        let mut any = false;
        for leaf in leaves
            .iter()
            .filter(|leaf| leaf.scalar == ScalarType::Pointer)
        {
            for number in 0..leaf.count.min(REPETITIONS as u64) {
                let start = leaf
                    .bit_offset
                    .wrapping_add(leaf.stride.wrapping_mul(number));
                self.assign_forged(target.shifted((start / 8) as i64));
            }
            if leaf.count > REPETITIONS as u64 {
                self.graph.fold(target.node, (leaf.stride / 8).max(1));
            }
            any = true;
        }
        any
    }

    fn assign(&mut self, place: Target, scalar: ScalarType, value: Option<Target>) {
        if scalar == ScalarType::Pointer
            && let Some(value) = value
        {
            let link = self.graph.link(place);
            self.graph.unify(link, value);
        }
    }

    fn assign_forged(&mut self, place: Target) {
        let value = self.forge();
        self.assign(place, ScalarType::Pointer, Some(value));
    }

    fn assign_from_outside(&mut self, place: Target, scalar: ScalarType) {
        if scalar == ScalarType::Pointer {
            self.from_outside = true;
            self.assign_forged(place);
        }
    }

    /// The target of a pointer that is made from an integer.
    fn forge(&mut self) -> Target {
        self.forged = true;
        Target {
            node: self.universe,
            offset: 0,
        }
    }

    /// Records an access, and what the address's parts do; gives the target of the address.
    fn access(&mut self, place: &'a Place, direction: Direction) -> Target {
        let target = self.address(&place.address);
        let (bit, bits) = walk::place_bits(place, self.pointer_bits);
        self.accesses.push(Access {
            place: target,
            bit: bit.into(),
            bits,
            view: place.scalar.into(),
            direction,
        });
        target
    }

    /// The target of an address that is used to access memory; constant offsets from an object's start leave it free
    /// to become scalar variables.
    fn address(&mut self, address: &'a Expr) -> Target {
        let target = self.direct(address).unwrap_or(Target {
            node: self.nowhere,
            offset: 0,
        });
        self.targets.insert(std::ptr::from_ref(address), target);
        target
    }

    fn direct(&mut self, address: &'a Expr) -> Option<Target> {
        match address {
            Expr::ObjectAddress(object) => Some(self.object(*object)),
            Expr::Offset { base, bytes } => match walk::byte_distance(bytes) {
                Congruence {
                    modulus: 0,
                    remainder,
                } => Some(self.direct(base)?.shifted(remainder)),
                _ => self.value(address),
            },
            _ => self.value(address),
        }
    }

    /// As [`Facts::value`], and [`Facts::target`] will know it.
    fn remembered(&mut self, expr: &'a Expr) -> Option<Target> {
        let target = self.value(expr);
        if let Some(target) = target {
            self.targets.insert(std::ptr::from_ref(expr), target);
        }
        target
    }

    /// Walks over an expression; for a pointer, gives what it points to, unless it is null or another constant.
    fn value(&mut self, expr: &'a Expr) -> Option<Target> {
        match expr {
            Expr::Integer { .. } | Expr::Float { .. } | Expr::Rounding => None,
            Expr::ObjectAddress(object) => {
                if let Some(in_memory) = self.in_memory.get_mut(object.0 as usize) {
                    *in_memory = true;
                }
                Some(self.object(*object))
            }
            Expr::FunctionAddress(function) => {
                let graph = &mut self.graph;
                let node = *self
                    .functions
                    .entry(*function)
                    .or_insert_with(|| graph.add_node());
                Some(Target { node, offset: 0 })
            }
            Expr::ExternalFunctionAddress(name) => {
                let graph = &mut self.graph;
                let node = *self
                    .externals
                    .entry(name)
                    .or_insert_with(|| graph.add_node());
                Some(Target { node, offset: 0 })
            }
            Expr::Offset { base, bytes } => {
                let target = self.value(base);
                self.value(bytes);
                let distance = walk::byte_distance(bytes);
                match target {
                    Some(target) => {
                        if distance.modulus != 0 {
                            self.graph.fold(target.node, distance.modulus);
                        }
                        Some(target.shifted(distance.remainder))
                    }
                    // An address computed from nothing but integers.
                    None if distance.modulus != 0 => Some(self.forge()),
                    None => None,
                }
            }
            Expr::Load(place) => {
                let target = self.access(place, Direction::Load);
                (place.scalar == ScalarType::Pointer).then(|| self.graph.link(target))
            }
            Expr::Unary { op, operand, .. } => {
                let target = self.value(operand);
                if *op != UnaryOp::LogicalNot
                    && let Some(target) = target
                {
                    self.escapes.push(target);
                }
                None
            }
            Expr::Binary {
                op,
                left,
                right,
                scalar,
            } => {
                let left_target = self.value(left);
                let right_target = self.value(right);
                if *scalar == ScalarType::Pointer {
                    self.compare(*op, (left, left_target), (right, right_target));
                }
                None
            }
            Expr::Conditional {
                condition,
                then,
                otherwise,
                ..
            } => {
                self.value(condition);
                match (self.value(then), self.value(otherwise)) {
                    (Some(a), Some(b)) => {
                        self.graph.unify(a, b);
                        Some(a)
                    }
                    (a, b) => a.or(b),
                }
            }
            Expr::Convert { operand, from, to } => self.convert(operand, *from, *to),
            Expr::Math { arguments, .. } => {
                for argument in arguments {
                    self.value(argument);
                }
                None
            }
            Expr::AllocatedSize(pointer) => {
                if let Some(target) = self.remembered(pointer) {
                    self.sized.push(target);
                }
                None
            }
        }
    }

    fn compare(
        &mut self,
        op: BinaryOp,
        left: (&Expr, Option<Target>),
        right: (&Expr, Option<Target>),
    ) {
        match (left.1, right.1) {
            (Some(a), Some(b)) => match op {
                BinaryOp::Equal | BinaryOp::NotEqual => self.compared.push((a, b)),
                BinaryOp::PointerDifference => {
                    self.graph.unify(a, b);
                    self.ordered.push((a, b));
                }
                BinaryOp::LogicalAnd | BinaryOp::LogicalOr => {}
                _ => self.ordered.push((a, b)),
            },
            (Some(target), None) | (None, Some(target)) => {
                let constant =
                    walk::constant_integer(if left.1.is_some() { right.0 } else { left.0 });
                // Null and what functions return for an error (`(void *)-1`) are no object's address.
                let harmless = match op {
                    BinaryOp::Equal | BinaryOp::NotEqual => constant.is_some_and(is_null_or_error),
                    BinaryOp::LogicalAnd | BinaryOp::LogicalOr => true,
                    _ => false,
                };
                if !harmless {
                    self.observed.push(target);
                    if op == BinaryOp::PointerDifference {
                        self.escapes.push(target);
                    }
                }
            }
            (None, None) => {}
        }
    }

    fn convert(&mut self, operand: &'a Expr, from: ScalarType, to: ScalarType) -> Option<Target> {
        let target = self.value(operand);
        match (from, to) {
            (ScalarType::Pointer, ScalarType::Pointer) => target,
            (ScalarType::Pointer, ScalarType::Bool) => None,
            (ScalarType::Pointer, _) => {
                if let Some(target) = target {
                    self.escapes.push(target);
                }
                None
            }
            (_, ScalarType::Pointer) => {
                if walk::constant_integer(operand).is_some() {
                    None
                } else {
                    Some(self.forge())
                }
            }
            _ => None,
        }
    }

    // --- what follows ---

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

    /// Binds the arguments and the result of a call to a function's parameters and result.
    fn bind(&mut self, call: &CallFact, function: FunctionIndex) {
        if !self.bound.insert((call.site, function)) {
            return;
        }
        self.calls[call.site].callees.push(function);
        let Some(callee) = self.unit.functions.get(function.0 as usize) else {
            return;
        };
        for (&parameter, argument) in callee.parameters.iter().zip(&call.arguments) {
            let place = self.object(parameter);
            match argument {
                ArgumentFact::Scalar { value, scalar } => {
                    self.whole(place, *scalar, Direction::Store);
                    self.assign(place, *scalar, *value);
                }
                ArgumentFact::Object { address, size } => self.copies.push(CopyFact {
                    destination: place,
                    source: *address,
                    size: *size,
                }),
            }
        }
        if let (Some(object), Some(result)) = (callee.result, &call.result) {
            let source = self.object(object);
            match result {
                ResultFact::Scalar { place, scalar } => {
                    self.whole(source, *scalar, Direction::Load);
                    if *scalar == ScalarType::Pointer {
                        let value = self.graph.link(source);
                        self.assign(*place, *scalar, Some(value));
                    }
                }
                ResultFact::Object { address, size } => self.copies.push(CopyFact {
                    destination: *address,
                    source,
                    size: *size,
                }),
            }
        }
    }

    fn whole(&mut self, place: Target, scalar: ScalarType, direction: Direction) {
        self.accesses.push(Access {
            place,
            bit: 0,
            bits: walk::scalar_bits(scalar, self.pointer_bits),
            view: scalar.into(),
            direction,
        });
    }

    /// Adds what follows from calls through pointers, copies, and pointers in disguise, until nothing changes.
    fn fixpoint(&mut self) -> AccessTable {
        let size = |this: &Self| {
            let unknown = (this.reached_outside.len(), this.unknown_callee.len());
            (this.graph.changes(), this.bound.len(), unknown)
        };
        loop {
            let before = size(self);
            self.bind_indirect_calls();
            self.bind_callbacks();
            self.copy_links();
            self.escape();
            let table = self.access_table();
            self.pointers_in_disguise(&table);
            if before == size(self) {
                return table;
            }
        }
    }

    /// Unknown code calls the functions that it may have the addresses of.
    fn bind_callbacks(&mut self) {
        let calls = std::mem::take(&mut self.callbacks);
        for (call, function) in &calls {
            if self.is_known_outside(*function) {
                self.bind(call, *function);
            }
        }
        self.callbacks = calls;
    }

    fn is_known_outside(&self, function: FunctionIndex) -> bool {
        self.functions.get(&function).is_some_and(|&node| {
            let root = self.graph.root(node).0;
            self.reached_outside.contains(&root) || (self.forged && self.is_universe(root))
        })
    }

    /// A call through a pointer that may come from outside may be one of unknown code.
    fn call_unknown_callee(&mut self, call: &CallFact) {
        if self.unit.outside.effect == UnknownEffect::Pure || !self.unknown_callee.insert(call.site)
        {
            return;
        }
        self.unknown_code = true;
        for argument in &call.arguments {
            // Of an object that is passed by value, the original stands for the copy.
            let target = match argument {
                ArgumentFact::Scalar { value: None, .. } => continue,
                ArgumentFact::Scalar {
                    value: Some(target),
                    ..
                } => *target,
                ArgumentFact::Object { address, .. } => *address,
            };
            self.escapes.push(target);
            self.exposed.push(target);
        }
        match &call.result {
            Some(ResultFact::Scalar { place, scalar }) => {
                self.assign_from_outside(*place, *scalar);
            }
            Some(ResultFact::Object { address, .. }) => {
                self.escapes.push(*address);
                self.exposed.push(*address);
            }
            None => {}
        }
        if let Some(environment) = self.unit.outside.environment {
            let call = CallFact {
                pointer: None,
                site: call.site,
                arguments: Vec::new(),
                result: None,
            };
            self.bind(&call, environment);
        }
    }

    /// What code elsewhere can name, and what it has for itself.
    fn outside_objects(&self) -> Vec<Target> {
        let objects = self.unit.objects.iter().enumerate();
        let named = objects.filter(|(_, object)| {
            matches!(
                object.storage,
                Storage::Static { external: true } | Storage::Outside
            )
        });
        named
            .map(|(index, _)| self.object(ObjectIndex(index as u32)))
            .collect()
    }

    fn bind_indirect_calls(&mut self) {
        if self.indirect.is_empty() {
            return;
        }
        let calls = std::mem::take(&mut self.indirect);
        let mut by_root: FxHashMap<NodeId, Vec<FunctionIndex>> = FxHashMap::default();
        for (&function, &node) in &self.functions {
            by_root
                .entry(self.graph.root(node).0)
                .or_default()
                .push(function);
        }
        for call in &calls {
            let Some(pointer) = call.pointer else {
                continue;
            };
            let root = self.graph.root(pointer.node).0;
            for &function in by_root.get(&root).map_or(&[][..], Vec::as_slice) {
                if self.compatible(call, function) {
                    self.bind(call, function);
                }
            }
            if (self.from_outside || self.unknown_code) && self.may_be_forged(pointer) {
                self.call_unknown_callee(call);
            }
        }
        self.indirect = calls;
    }

    fn compatible(&self, call: &CallFact, function: FunctionIndex) -> bool {
        let arguments = call.arguments.iter().map(|argument| match argument {
            ArgumentFact::Scalar { scalar, .. } => function_pointers::Shape::Scalar(*scalar),
            ArgumentFact::Object { size, .. } => function_pointers::Shape::Object(*size),
        });
        let result = call.result.as_ref().map(|result| match result {
            ResultFact::Scalar { scalar, .. } => function_pointers::Shape::Scalar(*scalar),
            ResultFact::Object { size, .. } => function_pointers::Shape::Object(*size),
        });
        function_pointers::compatible(self.unit, function, arguments, result)
    }

    /// What is read as a pointer from a copy was one in the original.
    fn copy_links(&mut self) {
        for index in 0..self.copies.len() {
            let copy = self.copies[index];
            let destination = self.graph.canonical(copy.destination);
            let period = self.graph.period(destination.node);
            let size = i64::try_from(copy.size).unwrap_or(i64::MAX);
            let links: Vec<(i64, Target)> = if period == 0 {
                let end = destination.offset.saturating_add(size);
                self.graph
                    .links_between(destination.node, destination.offset, end)
                    .collect()
            } else {
                self.graph.links(destination.node).collect()
            };
            for (offset, target) in links {
                for relative in self.repetitions(&copy, offset - destination.offset, period) {
                    let link = self.graph.link(copy.source.shifted(relative));
                    self.graph.unify(link, target);
                }
            }
        }
    }

    /// All places in the range of a copy, relative to its start, that are so far from the destination's start modulo
    /// the period; if there are many, the source gets the period too and the first few stand for them all.
    fn repetitions(&mut self, copy: &CopyFact, relative: i64, period: u64) -> Vec<i64> {
        let size = i64::try_from(copy.size).unwrap_or(i64::MAX);
        if period == 0 {
            return if (0..size).contains(&relative) {
                vec![relative]
            } else {
                Vec::new()
            };
        }
        let Ok(step) = i64::try_from(period) else {
            return Vec::new();
        };
        let first = relative.rem_euclid(step);
        if size / step > REPETITIONS {
            self.graph.fold(copy.source.node, period);
            return vec![first];
        }
        (0..=REPETITIONS)
            .map(|number| first + number * step)
            .take_while(|&place| place < size)
            .collect()
    }

    /// Closes what unknown code reaches, and gives it all to the universe if a pointer into it can be forged.
    fn escape(&mut self) {
        let mut seen = FxHashSet::default();
        let mut queue = self.exposed.clone();
        if self.unknown_code {
            queue.extend(self.outside_objects());
            // An integer that unknown code gets may be an address.
            queue.extend(&self.escapes);
        }
        while let Some(target) = queue.pop() {
            let root = self.graph.root(target.node).0;
            if !seen.insert(root) {
                continue;
            }
            let links: Vec<Target> = self.graph.links(root).map(|link| link.1).collect();
            for link in links {
                // Unknown code may store any pointer that it knows there.
                let universe = self.forge();
                self.graph.unify(link, universe);
                queue.push(link);
            }
        }
        self.reached_outside = seen;
        if !self.forged {
            return;
        }
        let universe = self.forge();
        let mut escapes = self.escapes.clone();
        if self.from_outside || self.unknown_code {
            escapes.extend(self.outside_objects());
        }
        for target in escapes {
            self.graph.unify(target, universe);
        }
        for index in 0..self.compared.len() + self.ordered.len() {
            let (a, b) = match self.compared.get(index) {
                Some(pair) => *pair,
                None => self.ordered[index - self.compared.len()],
            };
            if self.may_be_forged(a) || self.may_be_forged(b) {
                self.graph.unify(a, b);
            }
        }
        if self.from_outside {
            let root = self.graph.root(self.universe).0;
            let links: Vec<Target> = self.graph.links(root).map(|link| link.1).collect();
            for link in links {
                self.graph.unify(link, universe);
            }
        }
    }

    /// All accesses by class, what copies demand of their originals included.
    fn access_table(&mut self) -> AccessTable {
        let mut table = AccessTable::default();
        for access in &self.accesses {
            let place = self.graph.canonical(access.place);
            let start = place
                .offset
                .wrapping_mul(8)
                .wrapping_add(i64::from(access.bit));
            table.entry(place.node).or_default().insert((
                start,
                access.bits,
                access.view,
                access.direction,
            ));
        }
        loop {
            let mut grown = false;
            for index in 0..self.copies.len() {
                grown |= self.demand(index, &mut table);
            }
            if !grown {
                return table;
            }
        }
    }

    /// Adds to the table what one copy demands of its source; tells whether that was something new.
    fn demand(&mut self, index: usize, table: &mut AccessTable) -> bool {
        let copy = self.copies[index];
        let destination = self.graph.canonical(copy.destination);
        let period = self.graph.period(destination.node);
        let start = destination.offset.wrapping_mul(8);
        let size = i64::try_from(copy.size)
            .unwrap_or(i64::MAX)
            .saturating_mul(8);
        let Some(accesses) = table.get(&destination.node) else {
            return false;
        };
        let loads: Vec<(i64, u32, View)> = accesses
            .iter()
            .filter(|access| access.3 == Direction::Load)
            .map(|access| (access.0, access.1, access.2))
            .collect();
        let mut grown = false;
        for (offset, bits, view) in loads {
            // Relative to the range's start; a place before it may reach into it.
            let relative = offset.wrapping_sub(start);
            let places: Vec<i64> = if period == 0 {
                vec![relative]
            } else {
                let mut places: Vec<i64> = self
                    .repetitions(&copy, relative.div_euclid(8), period)
                    .into_iter()
                    .map(|place| place * 8 + relative.rem_euclid(8))
                    .collect();
                if let Some(&first) = places.first() {
                    places.push(first - period as i64 * 8);
                }
                places
            };
            for place in places {
                let from = place.max(0);
                let to = place.saturating_add(i64::from(bits)).min(size);
                if from >= to {
                    continue;
                }
                let view = if to - from == i64::from(bits) {
                    view
                } else {
                    View::Part
                };
                let byte = from.div_euclid(8);
                let source = self.graph.canonical(copy.source.shifted(byte));
                let bit = source
                    .offset
                    .wrapping_mul(8)
                    .wrapping_add(from.rem_euclid(8));
                grown |= table.entry(source.node).or_default().insert((
                    bit,
                    (to - from) as u32,
                    view,
                    Direction::Load,
                ));
            }
        }
        grown
    }

    /// Bytes that are a pointer to one access and something else to another: the pointer escapes, and it may be forged.
    fn pointers_in_disguise(&mut self, table: &AccessTable) {
        for (&root, accesses) in table {
            let period = self.graph.period(root).saturating_mul(8);
            let pointers: Vec<i64> = accesses
                .iter()
                .filter(|access| access.2 == View::Pointer)
                .map(|access| access.0)
                .collect::<FxHashSet<i64>>()
                .into_iter()
                .collect();
            if pointers.is_empty() {
                continue;
            }
            let width = i64::from(self.pointer_bits);
            let mut sorted: Vec<(i64, u32, View)> = accesses
                .iter()
                .map(|access| (access.0, access.1, access.2))
                .collect();
            sorted.sort_unstable();
            let widest = sorted
                .iter()
                .map(|access| i64::from(access.1))
                .max()
                .unwrap_or(0);
            for pointer in pointers {
                let clashes = |from: i64| {
                    let first = sorted.partition_point(|access| access.0 <= from - widest);
                    sorted[first..]
                        .iter()
                        .take_while(|access| access.0 < from + width)
                        .any(|&(start, bits, view)| {
                            start + i64::from(bits) > from
                                && (start != from || view != View::Pointer)
                        })
                };
                let period = i64::try_from(period).unwrap_or(0);
                let disguised = if period == 0 {
                    clashes(pointer)
                } else {
                    // Looked at once around; the pointer itself may reach into its own repetition.
                    width > period
                        || clashes(pointer)
                        || clashes(pointer - period)
                        || clashes(pointer + period)
                };
                if disguised {
                    let link = self.graph.link(Target {
                        node: root,
                        offset: pointer.div_euclid(8),
                    });
                    let link_root = self.graph.root(link.node).0;
                    if !self.is_universe(link_root) {
                        self.escapes.push(link);
                        let universe = self.forge();
                        self.graph.unify(link, universe);
                    }
                }
            }
        }
    }

    fn is_universe(&self, root: NodeId) -> bool {
        self.graph.root(self.universe).0 == root
    }

    /// The functions whose addresses are in the target's class.
    pub fn functions_at(&self, target: Target) -> impl Iterator<Item = FunctionIndex> + '_ {
        let root = self.graph.root(target.node).0;
        let functions = self.functions.iter();
        functions
            .filter(move |entry| self.graph.root(*entry.1).0 == root)
            .map(|entry| *entry.0)
    }

    /// The functions without a body whose addresses are in the target's class.
    pub fn externals_at(&self, target: Target) -> impl Iterator<Item = &'a str> + '_ {
        let root = self.graph.root(target.node).0;
        let externals = self.externals.iter();
        externals
            .filter(move |entry| self.graph.root(*entry.1).0 == root)
            .map(|entry| *entry.0)
    }

    /// Whether the call may be one of unknown code.
    pub fn may_call_unknown(&self, site: usize) -> bool {
        self.unknown_callee.contains(&site)
    }

    /// Whether the call by unknown code can happen.
    pub fn is_bound(&self, site: usize, function: FunctionIndex) -> bool {
        self.bound.contains(&(site, function))
    }

    /// Whether a pointer of the class may have been made in a way that the analysis does not see.
    pub fn may_be_forged(&self, target: Target) -> bool {
        self.forged && self.is_universe(self.graph.root(target.node).0)
    }

    /// What the whole of the facts says of each class; `single` tells whether a class has only one object.
    pub fn classes(&self, single: impl Fn(NodeId) -> bool) -> Classes {
        let mut classes = Classes::default();
        let root = |target: &Target| self.graph.root(target.node).0;
        classes
            .observable
            .extend(self.escapes.iter().chain(&self.observed).map(root));
        if self.forged {
            classes.observable.insert(self.graph.root(self.universe).0);
        }
        for (a, b) in &self.ordered {
            let (a, b) = (root(a), root(b));
            if a != b || !single(a) {
                classes.observable.extend([a, b]);
            }
        }
        let inside = self.places_inside();
        let freed: FxHashSet<NodeId> = self.freed.iter().map(root).collect();
        let sites = self.sites.iter().filter(|site| site.on_heap);
        let heap: FxHashSet<NodeId> = sites.map(|site| self.graph.root(site.node).0).collect();
        for (a, b) in &self.compared {
            let roots = [root(a), root(b)];
            // One past the end of an object may be where another one begins.
            let may_touch = roots[0] != roots[1] && !(inside(a) && inside(b));
            // What was freed may be where something is now.
            let may_return = roots.iter().all(|root| heap.contains(root))
                && roots.iter().any(|root| freed.contains(root));
            if may_touch || may_return {
                classes.observable.extend(roots);
            }
        }
        classes.exposed.clone_from(&self.reached_outside);
        classes
    }

    /// Tells of a target whether it cannot be the end of an object.
    fn places_inside(&self) -> impl Fn(&Target) -> bool + '_ {
        let mut ends: FxHashMap<NodeId, Vec<(i64, i64)>> = FxHashMap::default();
        if self.compared.iter().any(|(a, b)| {
            let roots = [a, b].map(|target| self.graph.root(target.node).0);
            roots[0] != roots[1]
        }) {
            let objects = self.unit.objects.iter().zip(&self.objects);
            for (object, &node) in objects {
                let start = self.graph.canonical(Target { node, offset: 0 });
                let size = i64::try_from(object.size).unwrap_or(i64::MAX);
                let end = start.offset.saturating_add(size);
                ends.entry(start.node)
                    .or_default()
                    .push((start.offset, end));
            }
            for site in &self.sites {
                let start = self.graph.canonical(Target {
                    node: site.node,
                    offset: 0,
                });
                // At least one byte, as a rule.
                let end = start.offset.saturating_add(1);
                ends.entry(start.node)
                    .or_default()
                    .push((start.offset, end));
            }
        }
        move |target| {
            let place = self.graph.canonical(*target);
            let inside = |&(start, end): &(i64, i64)| start <= place.offset && place.offset < end;
            self.graph.period(place.node) == 0
                && ends
                    .get(&place.node)
                    .is_none_or(|objects| objects.iter().all(inside))
        }
    }
}

const fn is_null_or_error(value: i128) -> bool {
    value >= -4096 && value <= 0
}
