//! The invariants that an engine has taken, with quantified ones instantiated.
//!
//! An invariant about all cells of an array is instantiated at the indices at which the program next reads or writes
//! arrays, as far as they are terms over the state where the invariant holds. These *instances* are used like other
//! invariants; in a proof, the quantified invariant takes their place.

use std::cell::OnceCell;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{BatchId, ByPlace, Candidate, Exchange, Snapshot, by_place};
use regatta_certify::certificate::{indices_of, instances_at, quantified};
use regatta_program::InlinedLocation;
use regatta_program::block::Blocks;
use regatta_term::{Pool, TermId, free_variables, store};

/// Maximum number of indices of a location at which invariants are instantiated.
const MAXIMUM_INDICES_PER_LOCATION: usize = 32;

/// An invariant without quantified indices.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    /// The formula with its location.
    pub fact: Candidate,
    /// The invariant of the store that it is or instantiates.
    pub of: Candidate,
    /// The batch of that invariant.
    pub batch: BatchId,
}

/// The invariants that an engine has taken.
pub struct Taken {
    blocks: Arc<Blocks>,
    snapshot: Arc<Snapshot>,
    batches: FxHashSet<BatchId>,
    /// The invariants by their formulas with locations.
    origins: FxHashMap<Candidate, Ground>,
    all: Vec<Ground>,
    /// Quantified invariants, as they are.
    about_cells: Vec<Ground>,
    /// Both by cut point, computed on demand.
    by_place: OnceCell<ByPlace>,
    cells_by_place: OnceCell<ByPlace>,
    indices: FxHashMap<InlinedLocation, Vec<TermId>>,
}

impl Taken {
    /// Starts without invariants.
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

    /// Takes the store's invariants, and returns the new ones. (Withdrawn ones stay: their engine starts again.)
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
                    for formula in self.instances_of(of) {
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

    /// The snapshot that was taken last.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// All invariants that are taken.
    pub fn all(&self) -> &[Ground] {
        &self.all
    }

    /// Quantified invariants, for engines that have more indices than those of the program's next step.
    pub fn about_cells(&self) -> &[Ground] {
        &self.about_cells
    }

    /// Returns the origin of a formula that was taken.
    pub fn origin(&self, fact: &Candidate) -> Ground {
        self.origins[fact]
    }

    /// The formulas of all that are taken, by cut point.
    pub fn by_place(&self) -> &ByPlace {
        let facts = || by_place(self.all.iter().map(|ground| ground.fact));
        self.by_place.get_or_init(facts)
    }

    /// The formulas of quantified invariants, by cut point.
    pub fn cells_by_place(&self) -> &ByPlace {
        let facts = || by_place(self.about_cells.iter().map(|ground| ground.fact));
        self.cells_by_place.get_or_init(facts)
    }

    /// The batches of all that are taken.
    pub fn batches(&self) -> Vec<BatchId> {
        let mut batches: Vec<BatchId> = self.batches.iter().copied().collect();
        batches.sort_unstable();
        batches
    }

    fn instances_of(&mut self, one: Candidate) -> Vec<TermId> {
        let Some(index) = quantified(one.formula) else {
            return vec![one.formula];
        };
        let blocks = &self.blocks;
        let indices = self
            .indices
            .entry(one.at)
            .or_insert_with(|| indices(blocks, one.at));
        let indices_of_sort = indices.iter().copied();
        let indices_of_sort = indices_of_sort.filter(|&term| store().sort(term) == index.sort());
        let indices_of_sort: Vec<TermId> = indices_of_sort.collect();
        let instances = instances_at(store(), one.formula, index, &indices_of_sort);
        let is_ground =
            |formula: &TermId| *formula != TermId::TRUE && quantified(*formula).is_none();
        instances.filter(is_ground).collect()
    }
}

/// Returns the terms over the state at the location that blocks from there use as indices of arrays.
fn indices(blocks: &Blocks, at: InlinedLocation) -> Vec<TermId> {
    let leaving = blocks.from(at);
    let terms = leaving.iter().flat_map(|block| {
        let updates = block.updates.iter().map(|(_, value)| *value);
        updates.chain([block.guard])
    });
    let mut indices = indices_of(store(), terms);
    let is_over_state = |&term: &TermId| {
        let variables = free_variables(store(), term);
        let mut variables = variables.into_iter();
        variables.all(|(symbol, instance)| instance == 0 && blocks.variable(symbol).is_some())
    };
    indices.retain(is_over_state);
    indices.truncate(MAXIMUM_INDICES_PER_LOCATION);
    indices
}
