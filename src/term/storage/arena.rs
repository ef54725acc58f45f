//! Arenas: pools of terms that belong to one query.

use std::cell::RefCell;
use std::fmt;
use std::num::NonZeroU32;

use num_bigint::BigInt;

use super::node::{Key, Nodes, Table};
use super::pool::{Intern, LOCAL};
use super::rewrite_log::{Record, Recorded};
use crate::{Op, Pool, Sort, Symbol, TermId, TermKind, Value, store};

/// A pool for what belongs to one query, such as unrolled instances: a layer over the shared store, whose terms it uses
/// and does not add to. Dropping it frees its terms.
///
/// A term that the store already has when it is first built in the arena is the store's term; any other is a term of the
/// arena, even if the store gets an equal term later. So ids of two arenas, or of an arena and the store, must not be
/// compared to decide whether terms are equal; [`crate::transfer`] copies a term from one pool into another.
pub struct Arena {
    table: RefCell<Table>,
    nodes: Nodes,
    /// A record of the constructors' simplifications, if one is kept.
    record: Option<RefCell<Record>>,
}

impl Arena {
    pub fn new() -> Self {
        Self {
            table: RefCell::new(Table::new()),
            nodes: Nodes::new(),
            record: None,
        }
    }

    /// An empty arena that keeps a record of what constructors simplify.
    pub fn recorded() -> Self {
        Self {
            record: Some(RefCell::default()),
            ..Self::new()
        }
    }

    /// Returns the constructors' simplifications since the last call.
    pub fn take_recorded(&self) -> Vec<Recorded> {
        let record = self.record.as_ref();
        record.map_or_else(Vec::new, |record| record.borrow_mut().take())
    }

    /// The number of the arena's own terms, without those of the store.
    pub fn len(&self) -> usize {
        self.nodes.len() as usize
    }

    /// Checks whether the arena has no term of its own.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that its nodes and its table take, unused capacity included.
    pub fn allocated_bytes(&self) -> usize {
        self.nodes.allocated_bytes() + self.table.borrow().allocated_bytes()
    }

    /// Interns the key. `shareable`: whether the store may have the term, which it does not if an argument is an arena's.
    fn find_or_insert(&self, key: Key<'_>, shareable: bool) -> TermId {
        let hash = key.hash();
        let mut table = self.table.borrow_mut();
        if let Some(index) = table.find(&self.nodes, key, hash) {
            return Self::id(index);
        }
        if shareable && let Some(term) = store().find(key, hash) {
            return term;
        }
        // SAFETY: an arena is used by one thread at a time, and the table is borrowed.
        Self::id(unsafe { table.insert(&self.nodes, key, hash) })
    }

    fn id(index: u32) -> TermId {
        assert!(index < LOCAL, "the arena is full");
        NonZeroU32::new(index | LOCAL).map_or(TermId::FALSE, TermId)
    }
}

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena").field("terms", &self.len()).finish()
    }
}

impl Pool for Arena {
    fn intern(&self, op: Op, sort: Sort, arguments: &[TermId]) -> TermId {
        let shareable = !arguments.iter().any(|term| term.is_local());
        self.find_or_insert(Key::apply(op, sort, arguments), shareable)
    }

    fn intern_constant(&self, value: &Value) -> TermId {
        self.intern_value(value)
    }

    fn intern_bits(&self, sort: Sort, bits: u128) -> TermId {
        match sort {
            Sort::Bool => TermId::from_bool(bits != 0),
            _ => self.find_or_insert(Key::bits(sort, bits), true),
        }
    }

    fn intern_variable(&self, symbol: Symbol, instance: u32) -> TermId {
        self.find_or_insert(Key::variable(symbol, instance), true)
    }

    /// # Panics
    /// If the term lives in another arena and this one is too small to have it.
    fn kind(&self, term: TermId) -> TermKind<'_> {
        if term.is_local() {
            self.nodes.kind(self.nodes.get(term.as_u32() & !LOCAL))
        } else {
            store().kind(term)
        }
    }

    fn sort(&self, term: TermId) -> Sort {
        if term.is_local() {
            self.nodes.get(term.as_u32() & !LOCAL).sort()
        } else {
            store().sort(term)
        }
    }

    fn record(&self, op: Op, arguments: &[TermId], result: TermId) {
        let Some(record) = &self.record else {
            return;
        };
        record.borrow_mut().note(self, op, arguments, result);
    }

    fn records(&self) -> bool {
        self.record.is_some()
    }
}

impl Intern for Arena {
    fn intern_integer(&self, value: &BigInt) -> TermId {
        self.find_or_insert(Key::Integer(value), true)
    }
}
