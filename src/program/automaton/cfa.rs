//! The control-flow automaton of a whole program.
//!
//! # Meaning
//! A state is a location, a value for every variable in scope, and the call stack. An edge may be taken when all its
//! operations can be executed in order (an [`Operation::Assume`] that is false blocks). Execution starts at the
//! entry of [`Program::start`], a function without parameters that initialises the globals and calls `main`.
//!
//! * **Calls.** An edge whose only operation is [`Operation::Call`] evaluates the arguments, assigns them to the
//!   callee's parameters at once, and continues at the callee's entry; from the callee's exit it continues at the
//!   edge's target, with the callee's result variable copied to the call's. The exit of a function has no outgoing
//!   edges. A variable local to a function has one copy for each activation, which matters only for functions in a
//!   recursive component: elsewhere there is one activation at a time, so that inlining needs no renaming.
//! * **Uninitialised locals** are made arbitrary where their declaration is reached, by [`Operation::Havoc`]; nothing
//!   relies on the value of a variable in an earlier activation.
//! * **Errors.** The property is violated when a location of [`Program::errors`] is reached; it has no successors.
//! * **Memory** is a set of regions, each an array-sorted variable ([`Region`]). Reading is `Select` in a term, writing
//!   is [`Operation::Store`]. Arrays are total; whether an access was within a live object is bookkeeping
//!   ([`Operation::Allocate`], [`Operation::Free`]) that only the interpreter evaluates.
//! * **Evaluation order** is fixed by the lowering, which makes branches where several orders can differ. A term has no
//!   side effects and may be evaluated in any order. Operands that can fault (memory reads, division, shifts by a
//!   variable) appear under `Ite`, `And` or `Or` only if they are harmless when the guard fails; the lowering makes
//!   branches of the others.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::assumption::Assumption;
use super::external::External;
use super::waypoint::Waypoints;
use regatta_base::source::{SourceMap, Span};
use regatta_term::{Sort, Symbol, TermId};

/// Declares for each table of a program the type of its indices and an accessor of its entries.
macro_rules! tables {
    ($($id:ident: $table:ident, $entry:ident -> $of:ident;)*) => {
        $(
            #[doc = concat!("Index into [`Program::", stringify!($table), "`].")]
            #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
            pub struct $id(pub u32);

            impl $id {
                /// The id as an index into the table it belongs to.
                pub const fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*

        impl Program {
            $(
                #[doc = concat!("The entry of [`Program::", stringify!($table), "`].")]
                pub fn $entry(&self, id: $id) -> &$of {
                    &self.$table[id.index()]
                }
            )*
        }
    };
}

tables! {
    VariableId: variables, variable -> Variable;
    FunctionId: functions, function -> Function;
    LocationId: locations, location -> Location;
    EdgeId: edges, edge -> Edge;
    RegionId: regions, region -> Region;
    ObjectId: objects, object -> Object;
    InputId: inputs, input -> Input;
}

/// The semantics of C's integer types (the command's `--arithmetic`).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Arithmetic {
    /// Machine integers: bit vectors that wrap around.
    #[default]
    BitVector,
    /// Mathematical integers, as \[KGCC13\] and \[Bir13\] read C. See `frontend::memory::integer` for each operator's meaning.
    Integer,
}

/// Sizes of C's types.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum DataModel {
    /// `int`, `long` and pointers of 32 bits.
    Ilp32,
    /// `int` of 32 bits, `long` and pointers of 64 bits.
    #[default]
    Lp64,
}

impl DataModel {
    /// The name used on the command line, in task definitions and in witnesses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ilp32 => "ILP32",
            Self::Lp64 => "LP64",
        }
    }

    /// Width of a pointer in bits.
    pub const fn pointer_bits(self) -> u8 {
        match self {
            Self::Ilp32 => 32,
            Self::Lp64 => 64,
        }
    }
}

/// A program: the control-flow automaton with everything that its edges refer to.
#[derive(Clone, Debug)]
pub struct Program {
    /// The source files, for messages and witnesses.
    pub sources: SourceMap,
    pub arithmetic: Arithmetic,
    /// Sizes of C's types.
    pub data_model: DataModel,
    /// All variables, regions' arrays included.
    pub variables: Vec<Variable>,
    /// All functions; some may be unreachable.
    pub functions: Vec<Function>,
    /// All locations of all functions.
    pub locations: Vec<Location>,
    pub edges: Vec<Edge>,
    pub regions: Vec<Region>,
    /// Objects that exist from the program's start: globals, string literals, and locals whose address is taken.
    pub objects: Vec<Object>,
    /// The places where the program receives an arbitrary value.
    pub inputs: Vec<Input>,
    /// The function where execution starts.
    pub start: FunctionId,
    /// Locations whose reachability violates a property ([`Location::violates`] says which), all without successors.
    pub errors: Vec<LocationId>,
    /// The assumptions made by the lowering; empty in a simplified program.
    pub assumptions: Vec<Assumption>,
    /// The names that the source uses and does not define, each once.
    pub externals: Vec<External>,
    /// The statements and branches of the source on each edge; empty in a simplified program.
    pub waypoints: Arc<Waypoints>,
}

#[derive(Clone, Debug)]
pub struct Variable {
    /// The C name, or a generated name that is not a C identifier (`main::1::tmp`, `&a`, `region#2`).
    pub name: String,
    /// The variable's symbol; [`regatta_term::Build::variable`] of it is the variable as a term.
    pub symbol: Symbol,
    /// The sort of its values; an array for a region's contents.
    pub sort: Sort,
    pub scope: Scope,
    /// Why the variable exists.
    pub role: Role,
    /// The C type of the value, for printing invariants and witnesses.
    pub c_type: Option<CScalar>,
    pub span: Span,
}

/// The C type of a scalar, as far as values are printed with it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum CScalar {
    /// An integer of the width in bits, of either signedness.
    Integer {
        bits: u8,
        signed: bool,
    },
    /// `_Bool`.
    Bool,
    Float,
    Pointer,
}

/// The functions that may use a variable.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Every function.
    Global,
    /// One function; a copy for each activation.
    Local(FunctionId),
}

/// Why a variable exists.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A variable of the source, or a scalar member of one that was split up.
    Source,
    /// An intermediate value, or a function's result.
    Temporary,
    /// The contents of a memory region.
    Region(RegionId),
    /// Bookkeeping of the memory model: the next free address, the rounding mode, an object's address.
    Model,
    /// A history variable \[AL91\]: it records something of the past of the variable, a region's, say, or an earlier history
    /// variable, and the program reads it nowhere, but invariants may be about it: the index at which a zero was written last to a region of bytes, where a string
    /// may end; where the pointer to an object was written last, and on which side of another it is in its list.
    History(VariableId),
}

/// Separates the C name of a function or object from the file that keeps the name to itself, if other files of the program
/// have the name, too: `next@list.c`.
pub const FILE_MARK: char = '@';

/// The C name of a function or object.
pub fn source_name(name: &str) -> &str {
    match name.split_once(FILE_MARK) {
        Some((plain, _)) if !plain.is_empty() => plain,
        _ => name,
    }
}

#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, which no other function has.
    pub name: String,
    /// The parameters, in order; a struct passed by value is one parameter for each scalar part.
    pub parameters: Vec<VariableId>,
    /// The variables that hold the result at the exit: none for `void`, several for a struct.
    pub results: Vec<VariableId>,
    pub entry: LocationId,
    /// Where it returns; without outgoing edges.
    pub exit: LocationId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Location {
    /// The function it belongs to.
    pub function: FunctionId,
    /// The source position of the statement that starts here.
    pub span: Span,
    /// The source label, if it carries one.
    pub label: Option<String>,
    /// The property that is violated when execution reaches the location; `Some` exactly in [`Program::errors`].
    pub violates: Option<Property>,
}

/// A property: of the Competition on Software Verification, under its name there, or one of ours.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// No call of `reach_error`, no error label and no failing assertion is reachable.
    UnreachCall,
    /// No signed arithmetic overflows (C11 6.5p5).
    NoOverflow,
    /// Every access lies within an object that exists (C11 6.5.3.2p4, 6.5.6p8).
    ValidDeref,
    /// Only null and the beginnings of objects of the heap that exist are freed (C11 7.22.3.3p2).
    ValidFree,
    /// Every object of the heap is freed, or can be reached through pointers.
    ValidMemtrack,
    /// Every object of the heap is freed before the program ends.
    ValidMemcleanup,
    /// Every execution ends.
    Termination,
    /// No integer is divided by zero (C11 6.5.5p5).
    ValidDivision,
    /// Integers are shifted by less than their width, and not by negative counts (C11 6.5.7p3).
    ValidShift,
    /// Floating-point numbers are in the integer types that they are converted to (C11 6.3.1.4p1).
    ValidConversion,
    /// Local variables are set before they are read (C11 6.3.2.1p2).
    ValidInitialisation,
    /// Control does not come to what is promised to be unreachable (C23 7.21.1p2, C11 6.7.4p8).
    ValidControl,
    /// Pointers are aligned for the types of pointers that they are converted to (C11 6.3.2.3p7).
    ValidAlignment,
}

impl Property {
    /// Returns what happens where it is violated, as a sentence without an initial capital.
    pub const fn violation(self) -> &'static str {
        match self {
            Self::UnreachCall => "an error location is reached",
            Self::NoOverflow => "signed arithmetic overflows",
            Self::ValidDeref => "an access is outside of the objects that exist",
            Self::ValidFree => {
                "what is freed is neither null nor the beginning of an object of the heap that exists"
            }
            Self::ValidMemtrack => "memory is lost",
            Self::ValidMemcleanup => "memory is not freed before the program ends",
            Self::Termination => "a loop goes on for ever",
            Self::ValidDivision => "an integer is divided by zero",
            Self::ValidShift => "a shift is by a negative count, or by the width or more",
            Self::ValidConversion => {
                "a floating-point number is not in the type that it is converted to"
            }
            Self::ValidInitialisation => "a local variable is read before it is set",
            Self::ValidAlignment => "a pointer is not aligned for the type that it is converted to",
            Self::ValidControl => "control comes to what is promised to be unreachable",
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnreachCall => "unreach-call",
            Self::NoOverflow => "no-overflow",
            Self::ValidDeref => "valid-deref",
            Self::ValidFree => "valid-free",
            Self::ValidMemtrack => "valid-memtrack",
            Self::ValidMemcleanup => "valid-memcleanup",
            Self::Termination => "termination",
            Self::ValidDivision => "valid-division",
            Self::ValidShift => "valid-shift",
            Self::ValidConversion => "valid-conversion",
            Self::ValidInitialisation => "valid-initialisation",
            Self::ValidControl => "valid-control",
            Self::ValidAlignment => "valid-alignment",
        })
    }
}

/// An edge, whose operations are executed in order, all or none.
#[derive(Clone, Debug)]
pub struct Edge {
    pub source: LocationId,
    pub target: LocationId,
    /// The operations in order; empty for a skip. A call stands alone on its edge.
    pub operations: Vec<Operation>,
    /// The statement or condition it comes from.
    pub span: Span,
}

/// A single step. Terms are in the shared store, over the variables' symbols at instance 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `target := value`. For a region's variable the value may be a constant array, a store chain or another array.
    Assign {
        target: VariableId,
        /// A term of the variable's sort.
        value: TermId,
    },
    /// Goes on only if the Boolean term holds.
    Assume(TermId),
    /// `region[index] := value`.
    Store {
        region: RegionId,
        /// A term of the region's index sort; see [`Region`].
        index: TermId,
        /// A term of the region's element sort.
        value: TermId,
    },
    /// `target := ` an input.
    Havoc {
        /// The variable written; for a region's variable, all of its contents.
        target: VariableId,
        /// Where the value comes from.
        input: InputId,
    },
    /// Calls a function; the module documentation gives the semantics.
    Call {
        callee: FunctionId,
        /// One term for each of its parameters.
        arguments: Vec<TermId>,
        /// The variables that receive its results: as many as the callee has, or none if they are dropped.
        results: Vec<VariableId>,
    },
    /// From here on `[address, address + size)` is a live object. No effect on any variable.
    Allocate {
        /// The address of the first byte, a term of the pointer's sort.
        address: TermId,
        /// The size in bytes, of the pointer's sort.
        size: TermId,
        /// How the object's lifetime may end.
        lifetime: Lifetime,
    },
    /// The object that starts at the address is not live any more; a null pointer is allowed and does nothing. No effect
    /// on any variable.
    Free {
        /// A term of the pointer's sort.
        address: TermId,
        /// The kind of object that may be freed here.
        lifetime: Lifetime,
    },
    /// What is said to be wrong with memory here; stands on the way to an error location. No effect on any variable: the
    /// interpreter, which knows the objects, judges whether it is true.
    Claim(Claim),
    /// A construct that is not modelled and may have any effect. The path ends here: a proof needs the edge to be
    /// unreachable, and a violation must be found on a path without it.
    Unsupported(UnsupportedReason),
}

/// A statement about the objects of memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No object that exists contains all bytes of `[address, address + bytes)`. Both are terms of the pointer's sort. An access
    /// to no bytes is no access.
    InvalidAccess { address: TermId, bytes: TermId },
    /// The address, a term of the pointer's sort, is neither null nor the first of an object of the heap that exists.
    InvalidFree { address: TermId },
    /// An object of the heap exists that no pointer in memory or in a variable leads to.
    Lost,
    /// An object of the heap exists.
    Allocated,
}

/// How the lifetime of a dynamically created object may end.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lifetime {
    /// By `free`.
    Heap,
    /// By leaving a scope (locals whose address is taken, variable-length arrays, `alloca`).
    Automatic,
}

/// Why an edge is not supported, in words for the user (`"setjmp"`, `"call through a pointer that may point to a
/// function that is not known"`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedReason(pub String);

/// A memory region: objects that the points-to analysis could not tell apart, as one array.
///
/// Struct members of these objects that no access mixes have a region each: then several regions stand for the same
/// addresses, an object lies in several regions, and of each region only the cells of its member are used.
///
/// Cell `i` of the array stands for the addresses `base + i * element_bytes` and the following `element_bytes - 1`
/// ones. In a bit-vector program the index is a bit vector of exactly the width that reaches every such address: a
/// pointer's width less log2(`element_bytes`) (the address less the base, shifted right). In an integer program it is
/// an Int, `(address - base) div element_bytes`.
#[derive(Clone, Debug)]
pub struct Region {
    /// The array-sorted variable with the contents.
    pub variable: VariableId,
    /// The size of an element in bytes.
    pub element_bytes: u64,
    /// Address of cell 0: the object's own for a region of a single static object, else the constant zero.
    pub base: TermId,
    /// The static objects in the region.
    pub objects: Vec<ObjectId>,
    /// Whether objects created at run time may lie in the region too.
    pub dynamic: bool,
}

/// A static object that lives in memory.
#[derive(Clone, Debug)]
pub struct Object {
    /// The C name, or a generated name.
    pub name: String,
    /// Its address: a constant where the layout cannot be observed, else a variable constrained at the program's start.
    pub address: TermId,
    /// Size in bytes.
    pub size: u64,
    /// Where it lives: the first of the regions that have it among their objects.
    pub region: RegionId,
    /// Whether the object stands for memory outside of the program. Then every address that is far from all other objects
    /// of its regions belongs to it as well.
    pub is_outside: bool,
}

/// A place where the program receives an arbitrary value.
#[derive(Clone, Debug)]
pub struct Input {
    pub kind: InputKind,
    pub sort: Sort,
    /// The C type of the value.
    pub c_type: Option<CScalar>,
    /// The part of a larger value that the input is; `None` if it is the whole.
    pub part: Option<InputPart>,
    pub span: Span,
}

/// A part of the value returned by a call of a function without a definition, or of an object that the program does not
/// define.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum InputPart {
    /// The marker that precedes the parts of such a call's value. The input's own value has no meaning.
    Begin,
    /// A range of bits of the value's representation.
    Bits {
        /// The first bit.
        start: u32,
        /// The number of bits.
        count: u32,
    },
    /// The whole representation as an array.
    Cells {
        /// The number of bytes in a cell.
        bytes: u32,
    },
    /// A part whose position is not known.
    Some,
}

/// Where an input's value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A call of `__VERIFIER_nondet_…`, or of another function without a definition; its name. Of a generated entry: a part
    /// of an argument, which is described with backquotes.
    Nondet(String),
    /// A variable or memory that the program has not initialised.
    Uninitialised,
    /// Memory that is defined elsewhere, or that code without a definition may have written; the object's or code's name.
    Outside(String),
    /// A volatile read of an object that is defined elsewhere, or of an address without an object; the name of which.
    Volatile(String),
    /// A choice of the memory model, such as an object's address.
    MemoryModel,
    /// The number of an object that may be any, the *watched* one; the program does the same whichever it is. Runs take zero.
    Watched,
    /// Whether a check that no memory is lost is about the watched objects, or about the number of all. If some objects are left,
    /// the one about the number is violated, and the other one for some choice of watched objects. So each of the two answers
    /// for both: runs take the number, since one run would have to be made for each choice, and formulas the watched objects,
    /// of which invariants can tell without counting.
    Watching,
    /// A value that a real execution determines, but that is not computed here (`sin(x)`). No violation may rest on it.
    Unknown(String),
}

impl InputKind {
    /// Whether a run takes zero without asking for the input.
    pub fn is_zero_in_runs(&self) -> bool {
        matches!(self, InputKind::Watched | InputKind::Watching)
    }

    /// The value that formulas have for the input, if it is not any value.
    pub fn in_formulas(&self) -> Option<TermId> {
        (*self == InputKind::Watching).then_some(TermId::TRUE)
    }

    /// How a [`InputKind::Nondet`] input is called: a call of its function, or the part of an argument that it is.
    pub fn call(name: &str) -> String {
        match name.contains('`') {
            true => name.to_owned(),
            false => format!("{name}()"),
        }
    }
}

impl Program {
    /// The variables by their symbols.
    pub fn variables_by_symbol(&self) -> FxHashMap<Symbol, VariableId> {
        let variables = (0..).map(VariableId).zip(&self.variables);
        variables
            .map(|(id, variable)| (variable.symbol, id))
            .collect()
    }

    /// The local variables of each function.
    pub fn locals_by_function(&self) -> Vec<Vec<VariableId>> {
        let mut locals = vec![Vec::new(); self.functions.len()];
        for (id, variable) in (0..).map(VariableId).zip(&self.variables) {
            if let Scope::Local(function) = variable.scope {
                locals[function.index()].push(id);
            }
        }
        locals
    }

    /// For each location whether it is an error location.
    pub fn error_marks(&self) -> Vec<bool> {
        let mut is_error = vec![false; self.locations.len()];
        for error in &self.errors {
            is_error[error.index()] = true;
        }
        is_error
    }

    /// Adds a location.
    pub fn add_location(&mut self, location: Location) -> LocationId {
        let id = LocationId(self.locations.len() as u32);
        self.locations.push(location);
        id
    }

    /// Adds a location of the same function and at the same place in the source, which violates nothing.
    pub fn add_location_like(&mut self, like: LocationId) -> LocationId {
        let Location { function, span, .. } = *self.location(like);
        self.add_location(Location {
            function,
            span,
            label: None,
            violates: None,
        })
    }

    /// Adds an edge.
    pub fn add_edge(&mut self, edge: Edge) -> EdgeId {
        let id = EdgeId(self.edges.len() as u32);
        self.edges.push(edge);
        id
    }

    /// Adds an edge at its source's place in the source text.
    pub fn connect(
        &mut self,
        source: LocationId,
        target: LocationId,
        operations: Vec<Operation>,
    ) -> EdgeId {
        let span = self.location(source).span;
        self.add_edge(Edge {
            source,
            target,
            operations,
            span,
        })
    }

    /// Adds a variable that the source does not have. No other variable may have its symbol.
    pub fn add_ghost(&mut self, name: String, symbol: Symbol, scope: Scope) -> VariableId {
        self.add_variable(Variable {
            name,
            symbol,
            sort: symbol.sort(),
            scope,
            role: Role::Model,
            c_type: None,
            span: Span::NONE,
        })
    }

    /// Adds a variable. No other variable may have its symbol.
    pub fn add_variable(&mut self, variable: Variable) -> VariableId {
        let id = VariableId(self.variables.len() as u32);
        self.variables.push(variable);
        id
    }

    /// Makes the location an error location: reaching it violates the property.
    pub fn add_error(&mut self, location: LocationId, property: Property) {
        self.errors.push(location);
        self.locations[location.index()].violates = Some(property);
    }

    /// Keeps the error locations that `is_kept` accepts and makes ordinary locations of the others.
    pub(crate) fn retain_errors(&mut self, is_kept: impl Fn(LocationId) -> bool) {
        let Self {
            errors, locations, ..
        } = self;
        errors.retain(|&error| {
            let kept = is_kept(error);
            if !kept {
                locations[error.index()].violates = None;
            }
            kept
        });
    }

    /// The edges that leave each location, by location.
    pub fn outgoing(&self) -> Vec<Vec<EdgeId>> {
        let mut result = vec![Vec::new(); self.locations.len()];
        for (index, edge) in self.edges.iter().enumerate() {
            result[edge.source.index()].push(EdgeId(index as u32));
        }
        result
    }
}
