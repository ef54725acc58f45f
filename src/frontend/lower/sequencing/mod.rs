//! Order of evaluation: which operands conflict, and their evaluation in several orders.
//!
//! Operands are lowered from left to right. C leaves the order open for most of them: those of operators (all but `&&`,
//! `||`, `?:` and the comma), both sides of an assignment, the arguments of a call with what is called, the elements of an
//! initialiser. That makes a difference only where two of them *conflict*: one has a side effect on what the other one
//! reads or changes, or one may end the program and the other one violate the property.
//!
//! # How conflicts are found
//! While a program is lowered, each place with operands of an open order (a *site*) notes what every operand does, as
//! a list of [`Step`]s: reads, writes and calls. When all functions are known, so is what their calls do
//! ([`Effects`]), and the sites with conflicts are found. If there are any, the program is lowered once more, and at those
//! sites in several orders, between which an input chooses ([`Instruction::Choice`]). A program without conflicts is
//! lowered once and as if this file did not exist.
//!
//! Operands through pointers conflict unless the types of the accesses exclude it; of named objects, only those whose
//! address is taken somewhere can be meant by a pointer.
//!
//! # Which orders
//! Operands of a tree of plain operators (`f() + g() * h()`) count as the operands of one site. Two orders are
//! the same if they do not differ in the order of two operands that conflict. The first is from left to right; what gcc
//! does on x86 is among them (arguments and both sides of an assignment from right to left, a variable after the calls
//! beside it). Where an operand has several steps that conflict with others, they might be interleaved, and where there
//! are too many orders, not all are tried: there the program has a further branch to where nothing is claimed, so that
//! no proof is possible, but a violation is.
//!
//! A conflict of which no part is in a call makes the behaviour undefined (`i = i++`, `a[i] = i++`). It is noted in the
//! ledger, and the orders of the operands are tried all the same.
//!
//! # The modules
//! * [`step`]: what the evaluation of an operand does, in steps.
//! * [`log`]: the sites with their operands' steps, noted while a program is lowered.
//! * [`addresses`], [`effects`]: whose addresses are taken, and what calls do, in the whole program.
//! * [`conflict`]: the sites with operands that conflict.
//! * [`orders`]: the orders to be tried there.
//! * [`evaluation`]: the operands, lowered in each of them; [`home`]: where their values are kept.
//! * [`operators`]: trees of plain operators, and which expressions have side effects.
//!
//! [`Effects`]: effects::Effects
//! [`Instruction::Choice`]: crate::ir::Instruction::Choice

mod addresses;
mod conflict;
mod effects;
mod evaluation;
mod home;
mod log;
mod operators;
mod orders;
mod step;

use rustc_hash::FxHashMap;

pub(super) use conflict::Conflict;
pub(super) use log::OpenSite;
pub(super) use operators::{has_loose_effects, leaves_of, plain_operation};
pub(super) use step::{Spot, Step};

/// A site's name: the address of a part of its syntax, which is the site's alone and does not move.
pub(super) type Key = usize;

/// The key of a site with a node of its own.
pub(super) fn key<T>(node: *const T) -> Key {
    node as usize
}

/// A site where something happens.
#[derive(Debug)]
struct Site {
    key: Key,
    operands: Vec<Vec<Step>>,
    /// What an assignment writes in the end.
    stores: Option<Spot>,
    /// Whether the operands can be lowered several times.
    repeatable: bool,
}

/// What is known of order while a program is lowered.
#[derive(Debug, Default)]
pub(super) struct Sequencing {
    /// The steps of the sites that are open.
    log: Vec<Step>,
    open: usize,
    sites: Vec<Site>,
    /// How many statement expressions there were.
    pub statements: usize,
    /// Whether what is lowered is not evaluated.
    unevaluated: bool,
    /// The conflicts that an earlier lowering has found.
    conflicts: FxHashMap<Key, Conflict>,
    /// Of how many copies of its site the current code is part.
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

    /// What comes next is not evaluated; to be ended by [`Self::resume`].
    pub fn suspend(&mut self) -> Suspended {
        Suspended {
            log: std::mem::take(&mut self.log),
            open: std::mem::take(&mut self.open),
            unevaluated: std::mem::replace(&mut self.unevaluated, true),
        }
    }

    /// What comes next is a function of its own; to be ended by [`Self::resume`].
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

/// What was being noted before something that is not evaluated.
#[derive(Debug)]
pub(super) struct Suspended {
    log: Vec<Step>,
    open: usize,
    unevaluated: bool,
}
