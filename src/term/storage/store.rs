//! The shared store of terms, one for the process.
//!
//! It is split into shards by hash. Interning locks one shard; reading a term locks nothing. A term is never removed:
//! terms that belong to one query go into an [`crate::Arena`] instead.

use std::num::NonZeroU32;
use std::sync::LazyLock;

use crossbeam::utils::CachePadded;
use num_bigint::BigInt;
use parking_lot::Mutex;

use super::node::{Key, Nodes, Table};
use super::pool::{Intern, LOCAL};
use crate::{Op, Pool, Sort, Symbol, TermId, TermKind, Value};

/// log2 of the number of shards. The shard is the low part of an id, so that ids grow with age all the same.
const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;

struct Shard {
    table: CachePadded<Mutex<Table>>,
    nodes: Nodes,
}

/// The process-wide store; see [`store`].
pub struct Store {
    shards: Box<[Shard]>,
}

static STORE: LazyLock<Store> = LazyLock::new(Store::new);

/// The store of the process.
pub fn store() -> &'static Store {
    &STORE
}

impl Store {
    fn new() -> Self {
        let shards = (0..SHARDS)
            .map(|_| Shard {
                table: CachePadded::new(Mutex::new(Table::new())),
                nodes: Nodes::new(),
            })
            .collect();
        let store = Self { shards };
        // Reserve the id 0, which no term has, and the ids of `TermId::FALSE` and `TermId::TRUE`.
        for (shard, value) in [(0, 0), (1, 0), (2, 1)] {
            // SAFETY: nobody else has the store yet.
            unsafe { store.shards[shard].nodes.push(Key::bits(Sort::Bool, value)) };
        }
        store
    }

    pub fn len(&self) -> usize {
        self.shards
            .iter()
            .map(|shard| shard.nodes.len() as usize)
            .sum::<usize>()
            - 1
    }

    /// Returns false: the truth values are in the store from the start.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The bytes that nodes and tables take, unused capacity included.
    pub fn allocated_bytes(&self) -> usize {
        let shard =
            |shard: &Shard| shard.nodes.allocated_bytes() + shard.table.lock().allocated_bytes();
        self.shards.iter().map(shard).sum()
    }

    fn shard(&self, hash: u64) -> u32 {
        hash as u32 & (SHARDS as u32 - 1)
    }

    fn id(shard: u32, index: u32) -> TermId {
        assert!(index < LOCAL >> SHARD_BITS, "the term store is full");
        NonZeroU32::new(index << SHARD_BITS | shard).map_or(TermId::FALSE, TermId)
    }

    /// The term with the key, if it exists.
    pub(super) fn find(&self, key: Key<'_>, hash: u64) -> Option<TermId> {
        let number = self.shard(hash);
        let shard = &self.shards[number as usize];
        let index = shard.table.lock().find(&shard.nodes, key, hash)?;
        Some(Self::id(number, index))
    }

    fn find_or_insert(&self, key: Key<'_>) -> TermId {
        let hash = key.hash();
        let number = self.shard(hash);
        let shard = &self.shards[number as usize];
        let mut table = shard.table.lock();
        let index = match table.find(&shard.nodes, key, hash) {
            Some(index) => index,
            // SAFETY: under the shard's lock.
            None => unsafe { table.insert(&shard.nodes, key, hash) },
        };
        Self::id(number, index)
    }
}

impl Pool for Store {
    fn record(&self, op: Op, arguments: &[TermId], result: TermId) {
        super::rewrite_log::note_shared(self, op, arguments, result);
    }

    fn records(&self) -> bool {
        super::rewrite_log::records_shared()
    }

    /// # Panics
    /// If an argument lives in an arena: it would be gone before this term. [`crate::transfer`] copies it.
    fn intern(&self, op: Op, sort: Sort, arguments: &[TermId]) -> TermId {
        assert!(
            !arguments.iter().any(|term| term.is_local()),
            "a shared term over an arena's"
        );
        self.find_or_insert(Key::apply(op, sort, arguments))
    }

    fn intern_constant(&self, value: &Value) -> TermId {
        self.intern_value(value)
    }

    fn intern_bits(&self, sort: Sort, bits: u128) -> TermId {
        match sort {
            Sort::Bool => TermId::from_bool(bits != 0),
            _ => self.find_or_insert(Key::bits(sort, bits)),
        }
    }

    fn intern_variable(&self, symbol: Symbol, instance: u32) -> TermId {
        self.find_or_insert(Key::variable(symbol, instance))
    }

    fn kind(&self, term: TermId) -> TermKind<'_> {
        let (nodes, index) = self.place(term);
        // SAFETY: shared ids are made here only, from indices that `insert` has returned.
        nodes.kind(unsafe { nodes.get_unchecked(index) })
    }

    fn sort(&self, term: TermId) -> Sort {
        let (nodes, index) = self.place(term);
        // SAFETY: as above.
        unsafe { nodes.get_unchecked(index) }.sort()
    }
}

impl Store {
    fn place(&self, term: TermId) -> (&Nodes, u32) {
        assert!(!term.is_local(), "the term lives in an arena");
        let id = term.as_u32();
        (
            &self.shards[id as usize & (SHARDS - 1)].nodes,
            id >> SHARD_BITS,
        )
    }
}

impl Intern for Store {
    fn intern_integer(&self, value: &BigInt) -> TermId {
        self.find_or_insert(Key::Integer(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, Build, Constant, Value};

    #[test]
    fn terms_are_shared() {
        let store = store();
        let x = store.variable(Symbol::new("store test x", Sort::BitVec(32)));
        let sum = store.add(x, store.bv(32, 5));
        assert_eq!(sum, store.add(x, store.bv(32, 5)));
        assert_ne!(sum, store.add(x, store.bv(32, 6)));
        assert_eq!(store.sort(sum), Sort::BitVec(32));
        assert!(matches!(
            store.kind(x),
            TermKind::Variable { instance: 0, .. }
        ));
        let wide = store.intern_bits(Sort::BitVec(128), u128::MAX - 7);
        assert_eq!(
            store.constant(wide),
            Some(Constant::BitVec(crate::BitVecValue::new(
                128,
                u128::MAX - 7
            )))
        );
        assert_eq!(
            store.kind(TermId::TRUE),
            TermKind::Constant(Constant::Bool(true))
        );
    }

    #[test]
    fn long_lists_and_big_integers() {
        let store = store();
        let names = ["a", "b", "c", "d", "e", "f"]
            .map(|name| store.variable(Symbol::new(name, Sort::Bool)));
        let all = store.and(names);
        assert_eq!(all, store.and(names.into_iter().rev()));
        assert!(
            matches!(store.kind(all), TermKind::Apply { op: Op::And, arguments } if arguments.len() == 6)
        );
        let big = store.int_big(BigInt::from(3) << 300);
        assert_eq!(store.int_constant(big), Some(&(BigInt::from(3) << 300)));
    }

    #[test]
    fn an_arena_is_a_layer() {
        let x = store().variable(Symbol::new("arena test x", Sort::Int));
        let shared = store().intern(Op::IntNeg, Sort::Int, &[x]);
        let arena = Arena::new();
        assert_eq!(arena.intern(Op::IntNeg, Sort::Int, &[x]), shared);
        let own = arena.intern(Op::IntMul, Sort::Int, &[x, shared]);
        assert!(own.is_local());
        assert_eq!(arena.intern(Op::IntMul, Sort::Int, &[x, shared]), own);
        let copy = crate::transfer(&arena, store(), own);
        assert!(!copy.is_local());
        assert_eq!(
            crate::evaluate(store(), copy, &|_, _| Some(Value::int(3))),
            Ok(Value::int(-9))
        );
    }

    #[test]
    fn threads_agree() {
        let symbol = Symbol::new("thread test x", Sort::BitVec(64));
        let build = || {
            let x = store().variable(symbol);
            (0..5000)
                .map(|i| store().bvxor(store().bv(64, i), x))
                .collect::<Vec<_>>()
        };
        let (a, b) = std::thread::scope(|scope| {
            let other = scope.spawn(build);
            (build(), other.join().expect("no panic"))
        });
        assert_eq!(a, b);
    }
}
