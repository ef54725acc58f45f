//! Order of evaluation: finds operands that conflict, and evaluates them in several orders.
//!
//! Operands are lowered from left to right. C leaves the order unspecified for most of them: operands of operators
//! (all but `&&`, `||`, `?:` and the comma), both sides of an assignment, the callee and arguments of a call, the
//! elements of an initialiser. The order matters only if two of them *conflict*: one has a side effect on memory that
//! the other one reads or writes, or one may end the program and the other one violate the property.
//!
//! # Detection
//! During lowering, each place with operands of unspecified order (a *site*) records the [`Step`]s of every operand:
//! reads, writes and calls. When all functions are known, so are the effects of their calls ([`Effects`]), and the
//! conflicting sites are determined. If there are any, the program is lowered a second time; conflicting sites are then
//! lowered in several orders, between which an input chooses ([`Instruction::Choice`]). A program without conflicts is
//! lowered only once, and unchanged.
//!
//! Accesses through pointers conflict unless their types exclude it. A pointer can refer to a named object only if the
//! object's address is taken somewhere.
//!
//! # Orders
//! The operands of a tree of plain operators (`f() + g() * h()`) are operands of one site. Two orders are equivalent if
//! they agree on the order of every conflicting pair. The first order is from left to right; gcc's order on x86 is
//! among them (arguments and both sides of an assignment from right to left, a variable after the calls beside it). If
//! several steps of an operand conflict, they might be interleaved with others, and if there are too many orders, not
//! all are tried. In these cases a further branch leads to an unmodelled order, so that no proof is possible, but a
//! violation is.
//!
//! A conflict without a call makes the behaviour undefined (`i = i++`, `a[i] = i++`). The ledger records the
//! assumption that the side effects happen one after the other, and the orders of the operands are tried all the same.
//!
//! # The modules
//! * [`step`]: the steps of an evaluation.
//! * [`log`]: the sites and their operands' steps, recorded during lowering.
//! * [`addresses`], [`effects`]: taken addresses and effects of calls, in the whole program.
//! * [`conflict`]: the sites with conflicting operands.
//! * [`orders`]: the orders to be tried there.
//! * [`evaluation`]: lowers the operands in each order; [`branch_result`]: joins their values.
//! * [`operators`]: trees of plain operators, and expressions with side effects.
//!
//! [`Effects`]: effects::Effects
//! [`Instruction::Choice`]: crate::ir::Instruction::Choice

mod addresses;
mod branch_result;
mod conflict;
mod effects;
mod evaluation;
mod log;
mod operators;
mod orders;
mod step;

use rustc_hash::FxHashMap;

pub(super) use conflict::Conflict;
pub(super) use log::OpenSite;
pub(super) use operators::{has_loose_effects, leaves_of, plain_operation};
pub(super) use step::{Region, Step};

/// The key of a site: the address of a syntax node that belongs only to the site and does not move.
pub(super) type Key = usize;

/// The key of a site that has its own node.
pub(super) fn key<T>(node: *const T) -> Key {
    node as usize
}

/// A site whose operands have side effects.
#[derive(Debug)]
struct Site {
    key: Key,
    operands: Vec<Vec<Step>>,
    /// The memory written by the assignment itself.
    stores: Option<Region>,
    /// Whether the operands can be lowered several times.
    repeatable: bool,
}

/// The state of the detection of conflicts during lowering.
#[derive(Debug, Default)]
pub(super) struct Sequencing {
    /// The steps of open sites.
    log: Vec<Step>,
    open: usize,
    sites: Vec<Site>,
    /// Number of statement expressions so far.
    pub statements: usize,
    /// Whether the current code is not evaluated.
    unevaluated: bool,
    /// The conflicts found by an earlier lowering.
    conflicts: FxHashMap<Key, Conflict>,
    /// Number of copies in which the current code is lowered.
    copies: usize,
}

impl Sequencing {
    pub fn new(conflicts: FxHashMap<Key, Conflict>) -> Self {
        Self {
            conflicts,
            copies: 1,
            ..Self::default()
        }
    }

    /// Begins code that is not evaluated; [`Self::resume`] ends it.
    pub fn suspend(&mut self) -> Suspended {
        Suspended {
            log: std::mem::take(&mut self.log),
            open: std::mem::take(&mut self.open),
            unevaluated: std::mem::replace(&mut self.unevaluated, true),
        }
    }

    /// Begins a nested function; [`Self::resume`] ends it.
    pub fn enter_function(&mut self) -> Suspended {
        let suspended = self.suspend();
        self.unevaluated = false;
        suspended
    }

    pub fn resume(&mut self, suspended: Suspended) {
        self.log = suspended.log;
        self.open = suspended.open;
        self.unevaluated = suspended.unevaluated;
    }
}

/// The suspended state of the log.
#[derive(Debug)]
pub(super) struct Suspended {
    log: Vec<Step>,
    open: usize,
    unevaluated: bool,
}
