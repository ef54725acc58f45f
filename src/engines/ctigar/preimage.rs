//! Preimages under a block: the condition on the state before it for a formula to hold after it.

use super::cube::{Cell, State};
use super::system::Updates;
use regatta_term::{Arena, Build, Pool, TermId, instantiate};

/// Returns the preimage of a formula.
pub fn preimage(pool: &(impl Pool + ?Sized), updates: &Updates, formula: TermId) -> TermId {
    instantiate(pool, formula, |symbol, _| updates.get(&symbol).copied())
}

/// Returns the preimage of a set of states, as conjuncts.
pub fn state_preimage(arena: &Arena, updates: &Updates, state: &State) -> Vec<TermId> {
    let cells = state.cells.iter();
    cells
        .map(|(cell, value)| arena.eq(cell_preimage(arena, updates, cell), arena.value(value)))
        .collect()
}

fn cell_preimage(arena: &Arena, updates: &Updates, cell: &Cell) -> TermId {
    let variable = updates.get(&cell.symbol).copied();
    cell.of(
        arena,
        variable.unwrap_or_else(|| arena.variable(cell.symbol)),
    )
}
