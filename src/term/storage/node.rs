//! The memory layout of terms, and the hash table for hash-consing.
//!
//! A node takes 24 bytes: four words for up to four arguments, or for a constant of up to 128 bits; longer argument
//! lists and big integers are stored separately. The table holds eight bytes for each node (half of its hash, its index), so that
//! neither growing the table nor passing over a false hit touches a node.

use hashbrown::HashTable;
use num_bigint::BigInt;

use super::append_only::AppendOnly;
use crate::syntax::value::BitVecValue;
use crate::{Constant, FloatValue, Op, ScalarSort, Sort, Symbol, TermId, TermKind};

/// The kind of a node.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// An application; its arguments are the words, or a list.
    Apply(Op),
    /// A Boolean, bit-vector or float constant: the words are its bits.
    Bits,
    /// An integer constant: the first word is an index into [`Nodes::integers`].
    Integer,
    /// A variable: its symbol and its instance.
    Variable,
}

/// The arity of nodes with more arguments than fit into the words: the first word is an index into [`Nodes::lists`].
const LIST: u8 = u8::MAX;

/// A term.
#[derive(Copy, Clone, Debug)]
pub(super) struct Node {
    words: [u32; 4],
    sort: Sort,
    tag: Tag,
    arity: u8,
}

const _: () = assert!(size_of::<Node>() == 24);

/// The key by which a term is looked up.
#[derive(Copy, Clone)]
pub(super) enum Key<'k> {
    /// An application to at most four arguments, a constant that is its bits, or a variable.
    Words(Node),
    /// An application to more arguments.
    List(Op, Sort, &'k [TermId]),
    Integer(&'k BigInt),
}

impl<'k> Key<'k> {
    pub(super) fn apply(op: Op, sort: Sort, arguments: &'k [TermId]) -> Self {
        let mut words = [0; 4];
        if arguments.len() > words.len() {
            return Self::List(op, sort, arguments);
        }
        for (word, argument) in words.iter_mut().zip(arguments) {
            *word = argument.0.get();
        }
        Self::Words(Node {
            words,
            sort,
            tag: Tag::Apply(op),
            arity: arguments.len() as u8,
        })
    }

    /// A constant; of the bits only those that belong to the sort count.
    pub(super) fn bits(sort: Sort, bits: u128) -> Self {
        let bits = match sort {
            Sort::BitVec(width) => BitVecValue::new(width, bits).bits(),
            Sort::Float(format) => FloatValue::from_bits(format, bits).bits(),
            _ => bits,
        };
        Self::Words(Node {
            words: [
                bits as u32,
                (bits >> 32) as u32,
                (bits >> 64) as u32,
                (bits >> 96) as u32,
            ],
            sort,
            tag: Tag::Bits,
            arity: 0,
        })
    }

    pub(super) fn variable(symbol: Symbol, instance: u32) -> Self {
        Self::Words(Node {
            words: [symbol.0, instance, 0, 0],
            sort: symbol.sort(),
            tag: Tag::Variable,
            arity: 0,
        })
    }

    /// Returns a hash in which all bits are well distributed.
    pub(super) fn hash(&self) -> u64 {
        match self {
            Self::Words(node) => {
                let head = match node.tag {
                    Tag::Apply(op) => op_code(op),
                    Tag::Bits => 0x0100_0000,
                    Tag::Integer => 0x0200_0000,
                    Tag::Variable => 0x0300_0000,
                };
                let low = u64::from(node.words[0]) | u64::from(node.words[1]) << 32;
                let high = u64::from(node.words[2]) | u64::from(node.words[3]) << 32;
                let head = u64::from(head) << 32 | u64::from(sort_code(node.sort));
                mix(mix(low, head), high)
            }
            Self::List(op, _, arguments) => arguments
                .iter()
                .fold(op_code(*op).into(), |hash, argument| {
                    mix(hash, argument.0.get().into())
                }),
            Self::Integer(value) => {
                let start = u64::from(value.sign() == num_bigint::Sign::Minus);
                value.iter_u64_digits().fold(start, mix)
            }
        }
    }
}

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
const STEP: u64 = 0xD6E8_FEB8_6659_FD93;

/// Multiplies to 128 bits and folds the halves together, as wyhash does.
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ SEED) * u128::from(b ^ STEP);
    (product as u64) ^ ((product >> 64) as u64)
}

/// A number below 2^24 that tells operators with their parameters apart.
fn op_code(op: Op) -> u32 {
    // SAFETY: `Op` is `repr(u8)`: its first byte is the discriminant.
    let discriminant = u32::from(unsafe { *(&raw const op).cast::<u8>() });
    let parameters = match op {
        Op::Extract { high, low } => u32::from(high) | u32::from(low) << 8,
        Op::ZeroExtend(width)
        | Op::SignExtend(width)
        | Op::IntToBv(width)
        | Op::FpToSbv(width)
        | Op::FpToUbv(width) => u32::from(width),
        Op::FpToFp(format)
        | Op::SbvToFp(format)
        | Op::UbvToFp(format)
        | Op::IntToFp(format)
        | Op::FpFromBits(format) => format as u32,
        _ => 0,
    };
    discriminant << 16 | parameters
}

fn scalar_code(sort: ScalarSort) -> u32 {
    match sort {
        ScalarSort::Bool => 0,
        ScalarSort::Int => 1,
        ScalarSort::Float(format) => 2 + format as u32,
        ScalarSort::BitVec(width) => 16 + u32::from(width),
    }
}

fn sort_code(sort: Sort) -> u32 {
    match sort {
        Sort::Array { index, element } => (scalar_code(index) + 1) << 16 | scalar_code(element),
        Sort::Bool => 0,
        Sort::Int => 1,
        Sort::Float(format) => 2 + format as u32,
        Sort::BitVec(width) => 16 + u32::from(width),
    }
}

/// A table entry: half of the hash, and the node's index.
#[derive(Copy, Clone)]
struct Entry {
    hash: u32,
    index: u32,
}

/// The hash used by the table, made of half of the full hash, as entries store only that half.
fn table_hash(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

/// The half of a hash that goes into the table; the other half chooses the shard.
fn half(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// A hash table from keys to node indices.
pub(super) struct Table(HashTable<Entry>);

impl Table {
    pub(super) const fn new() -> Self {
        Self(HashTable::new())
    }

    pub(super) fn allocated_bytes(&self) -> usize {
        self.0.allocation_size()
    }

    /// The index of the node with the key. `hash` is the key's.
    pub(super) fn find(&self, nodes: &Nodes, key: Key<'_>, hash: u64) -> Option<u32> {
        let half = half(hash);
        self.0
            .find(table_hash(half), |entry| {
                entry.hash == half && nodes.is(entry.index, key)
            })
            .map(|entry| entry.index)
    }

    /// Appends a node for the key and returns its index.
    ///
    /// # Safety
    /// `nodes` belongs to this table, and is changed by nobody else meanwhile.
    pub(super) unsafe fn insert(&mut self, nodes: &Nodes, key: Key<'_>, hash: u64) -> u32 {
        // SAFETY: the caller's promise.
        let index = unsafe { nodes.push(key) };
        let half = half(hash);
        let entry = Entry { hash: half, index };
        self.0
            .insert_unique(table_hash(half), entry, |entry| table_hash(entry.hash));
        index
    }
}

/// The nodes of a shard or of an arena.
pub(super) struct Nodes {
    nodes: AppendOnly<Node>,
    lists: AppendOnly<Box<[TermId]>>,
    integers: AppendOnly<BigInt>,
}

impl Nodes {
    pub(super) const fn new() -> Self {
        Self {
            nodes: AppendOnly::new(),
            lists: AppendOnly::new(),
            integers: AppendOnly::new(),
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.nodes.len()
    }

    /// The bytes allocated, but for what long lists and big integers point to.
    pub(super) fn allocated_bytes(&self) -> usize {
        self.nodes.allocated_bytes()
            + self.lists.allocated_bytes()
            + self.integers.allocated_bytes()
    }

    /// Appends a node without looking for an equal one.
    ///
    /// # Safety
    /// No two calls at the same time.
    pub(super) unsafe fn push(&self, key: Key<'_>) -> u32 {
        let node = match key {
            Key::Words(node) => node,
            Key::List(op, sort, arguments) => Node {
                // SAFETY: the caller's promise.
                words: [unsafe { self.lists.push(arguments.into()) }, 0, 0, 0],
                sort,
                tag: Tag::Apply(op),
                arity: LIST,
            },
            Key::Integer(value) => Node {
                // SAFETY: the caller's promise.
                words: [unsafe { self.integers.push(value.clone()) }, 0, 0, 0],
                sort: Sort::Int,
                tag: Tag::Integer,
                arity: 0,
            },
        };
        // SAFETY: the caller's promise.
        unsafe { self.nodes.push(node) }
    }

    /// The node with the index.
    ///
    /// # Panics
    /// If there is none.
    pub(super) fn get(&self, index: u32) -> &Node {
        self.nodes
            .get(index)
            .expect("the term belongs to another arena")
    }

    /// The node with the index.
    ///
    /// # Safety
    /// The call of `insert` that returned the index must have happened before this one.
    pub(super) unsafe fn get_unchecked(&self, index: u32) -> &Node {
        // SAFETY: the caller's promise.
        unsafe { self.nodes.get_unchecked(index) }
    }

    fn is(&self, index: u32, key: Key<'_>) -> bool {
        let Some(node) = self.nodes.get(index) else {
            return false;
        };
        match key {
            Key::Words(other) => {
                node.words == other.words
                    && node.tag == other.tag
                    && node.sort == other.sort
                    && node.arity == other.arity
            }
            Key::List(op, sort, arguments) => {
                node.tag == Tag::Apply(op)
                    && node.sort == sort
                    && node.arity == LIST
                    && self
                        .lists
                        .get(node.words[0])
                        .is_some_and(|list| **list == *arguments)
            }
            Key::Integer(value) => {
                node.tag == Tag::Integer && self.integers.get(node.words[0]) == Some(value)
            }
        }
    }

    /// The term that the node represents. `node` must be one of these.
    pub(super) fn kind<'n>(&'n self, node: &'n Node) -> TermKind<'n> {
        let lost = "a node's list or integer is stored before it";
        match node.tag {
            Tag::Apply(op) if node.arity == LIST => TermKind::Apply {
                op,
                arguments: self.lists.get(node.words[0]).expect(lost),
            },
            Tag::Apply(op) => TermKind::Apply {
                op,
                arguments: node.arguments(),
            },
            Tag::Bits => TermKind::Constant(node.constant()),
            Tag::Integer => {
                TermKind::Constant(Constant::Int(self.integers.get(node.words[0]).expect(lost)))
            }
            Tag::Variable => TermKind::Variable {
                symbol: Symbol(node.words[0]),
                instance: node.words[1],
            },
        }
    }
}

impl Node {
    pub(super) fn sort(&self) -> Sort {
        self.sort
    }

    fn arguments(&self) -> &[TermId] {
        let count = usize::from(self.arity).min(self.words.len());
        // SAFETY: `TermId` is transparent over `NonZeroU32`, and `Key::apply` wrote so many of them.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast::<TermId>(), count) }
    }

    fn constant(&self) -> Constant<'_> {
        let [a, b, c, d] = self.words.map(u128::from);
        let bits = a | b << 32 | c << 64 | d << 96;
        match self.sort {
            Sort::BitVec(width) => Constant::BitVec(BitVecValue::new(width, bits)),
            Sort::Float(format) => Constant::Float(FloatValue::from_bits(format, bits)),
            _ => Constant::Bool(bits != 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that both halves of the hashes of different keys differ: for constants, sums, products, and lists.
    #[test]
    fn hashes_differ() {
        let mut halves = [
            rustc_hash::FxHashSet::default(),
            rustc_hash::FxHashSet::default(),
        ];
        let mut include = |hash: u64| {
            halves[0].insert(hash as u32);
            halves[1].insert((hash >> 32) as u32);
        };
        let sort = Sort::BitVec(32);
        let term = |n: u32| TermId(std::num::NonZeroU32::new(n + 1).expect("positive"));
        for n in 0..10_000 {
            include(Key::bits(sort, n.into()).hash());
            include(Key::apply(Op::BvAdd, sort, &[term(n), term(n + 1)]).hash());
            include(Key::apply(Op::BvMul, sort, &[term(1), term(n)]).hash());
            include(Key::apply(Op::And, Sort::Bool, &[0, 1, 2, 3, n].map(term)).hash());
            include(Key::Integer(&BigInt::from(n)).hash());
        }
        // 50,000 of 2^32: some 0.3 pairs are expected to collide.
        assert!(
            halves.iter().all(|half| half.len() > 49_990),
            "{} {}",
            halves[0].len(),
            halves[1].len()
        );
    }
}
