//! Invariants as an engine takes them: without "any index".
//!
//! An invariant that speaks of any index of an array is taken for those indices at which the program reads or writes
//! arrays next, as far as they are terms over the state where it holds. These *instances* are invariants like others; in
//! a proof, the invariant that they are of takes their place.

use std::cell::OnceCell;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{BatchId, ByPlace, Candidate, Exchange, Snapshot, by_place};
use crate::certify::certificate::{indices_of, instances_at, quantified};
use crate::program::InlinedLocation;
use crate::program::block::Blocks;
use crate::term::{Pool, TermId, free_variables, store};

/// So many indices of a place are looked at.
const MOST_INDICES: usize = 32;

/// An invariant without "any index".
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    /// What holds where.
    pub fact: Candidate,
    /// The invariant of the store that it is, or is an instance of.
    pub of: Candidate,
    /// The batch of that.
    pub batch: BatchId,
}

/// What an engine has taken.
pub struct Taken {
    blocks: Arc<Blocks>,
    snapshot: Arc<Snapshot>,
    batches: FxHashSet<BatchId>,
    /// By what is told of them.
    origins: FxHashMap<Candidate, Ground>,
    all: Vec<Ground>,
    /// Those that speak of any index, as they are.
    about_cells: Vec<Ground>,
    /// Both by cut point, once somebody asks.
    by_place: OnceCell<ByPlace>,
    cells_by_place: OnceCell<ByPlace>,
    indices: FxHashMap<InlinedLocation, Vec<TermId>>,
}

impl Taken {
    /// Nothing yet.
    pub fn new(blocks: &Arc<Blocks>) -> Self {
        Self {
            blocks: Arc::clone(blocks),
            snapshot: Arc::default(),
            batches: FxHashSet::default(),
            origins: FxHashMap::default(),
            all: Vec::new(),
            about_cells: Vec::new(),
            by_place: OnceCell::new(),
            cells_by_place: OnceCell::new(),
            indices: FxHashMap::default(),
        }
    }

    /// Takes what the store has now, and says what of it is new. (What is withdrawn stays: whoever has it begins again.)
    pub fn refresh(&mut self, exchange: &Exchange<'_>) -> &[Ground] {
        let before = self.all.len();
        if let Some(snapshot) = exchange.newer_than(&self.snapshot) {
            for (batch, proved) in snapshot.batches() {
                if !self.batches.insert(batch) {
                    continue;
                }
                for &of in proved.invariants() {
                    if quantified(of.formula).is_some() {
                        let fact = of;
                        let ground = Ground { fact, of, batch };
                        self.about_cells.push(ground);
                        self.origins.insert(fact, ground);
                    }
                    for formula in self.without_any_index(of) {
                        let fact = Candidate { formula, ..of };
                        if let Entry::Vacant(entry) = self.origins.entry(fact) {
                            self.all.push(*entry.insert(Ground { fact, of, batch }));
                        }
                    }
                }
            }
            self.snapshot = snapshot;
            self.by_place.take();
            self.cells_by_place.take();
        }
        &self.all[before..]
    }

    /// The store as it was when it was looked at last.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// All that is taken.
    pub fn all(&self) -> &[Ground] {
        &self.all
    }

    /// Invariants that speak of any index, for who has more indices than those of the program's next step.
    pub fn about_cells(&self) -> &[Ground] {
        &self.about_cells
    }

    /// What a formula that was taken is of.
    pub fn origin(&self, fact: &Candidate) -> Ground {
        self.origins[fact]
    }

    /// The formulas of all that is taken.
    pub fn by_place(&self) -> &ByPlace {
        let facts = || by_place(self.all.iter().map(|ground| ground.fact));
        self.by_place.get_or_init(facts)
    }

    /// The same of what speaks of any index.
    pub fn cells_by_place(&self) -> &ByPlace {
        let facts = || by_place(self.about_cells.iter().map(|ground| ground.fact));
        self.cells_by_place.get_or_init(facts)
    }

    /// The batches of all that is taken.
    pub fn batches(&self) -> Vec<BatchId> {
        let mut batches: Vec<BatchId> = self.batches.iter().copied().collect();
        batches.sort_unstable();
        batches
    }

    fn without_any_index(&mut self, one: Candidate) -> Vec<TermId> {
        let Some(index) = quantified(one.formula) else {
            return vec![one.formula];
        };
        let blocks = &self.blocks;
        let indices = self
            .indices
            .entry(one.at)
            .or_insert_with(|| indices(blocks, one.at));
        let of_the_sort = indices.iter().copied();
        let of_the_sort = of_the_sort.filter(|&term| store().sort(term) == index.sort());
        let of_the_sort: Vec<TermId> = of_the_sort.collect();
        let instances = instances_at(store(), one.formula, index, &of_the_sort);
        let is_ground =
            |formula: &TermId| *formula != TermId::TRUE && quantified(*formula).is_none();
        instances.filter(is_ground).collect()
    }
}

/// The terms over the state at the place by which blocks that begin there read or write arrays.
fn indices(blocks: &Blocks, at: InlinedLocation) -> Vec<TermId> {
    let leaving = blocks.from(at);
    let terms = leaving.iter().flat_map(|block| {
        let updates = block.updates.iter().map(|(_, value)| *value);
        updates.chain([block.guard])
    });
    let mut indices = indices_of(store(), terms);
    let is_of_the_state = |&term: &TermId| {
        let variables = free_variables(store(), term);
        let mut variables = variables.into_iter();
        variables.all(|(symbol, instance)| instance == 0 && blocks.variable(symbol).is_some())
    };
    indices.retain(is_of_the_state);
    indices.truncate(MOST_INDICES);
    indices
}
