//! Splitting of a block into its paths, up to a bound.
//!
//! A block encodes all paths between two cut points, and selects values by conditions. An abstract state that follows all
//! paths at once loses the relation between them; with the conditions decided, each path has its own guard and values.

use regatta_program::VariableId;
use regatta_program::block::Block;
use regatta_term::{Arena, Build, Op, Rebuild, TermId, TermKind, atoms, for_each_subterm, size};

/// Maximum size of a block that is split (subterms).
const MAXIMUM_BLOCK_SIZE: usize = 4_000;

/// A subset of a block's paths.
#[derive(Clone, Debug)]
pub struct Path {
    /// The condition that one of them is taken.
    pub guard: TermId,
    /// The new values of the variables that change.
    pub updates: Vec<(VariableId, TermId)>,
}

/// Splits the block into at most the given number of parts.
pub fn paths(arena: &Arena, block: &Block, most: usize) -> Vec<Path> {
    let whole = Path {
        guard: block.guard,
        updates: block.updates.clone(),
    };
    let terms = |path: &Path| {
        let values = path.updates.iter().map(|(_, value)| *value);
        values.chain([path.guard]).collect::<Vec<TermId>>()
    };
    let total: usize = match most {
        0 | 1 => return vec![whole],
        _ => terms(&whole).iter().map(|&term| size(arena, term)).sum(),
    };
    if total > MAXIMUM_BLOCK_SIZE {
        return vec![whole];
    }
    let mut open = std::collections::VecDeque::from([whole]);
    let mut done = Vec::new();
    while let Some(path) = open.pop_front() {
        let condition = match done.len() + open.len() + 2 <= most {
            true => condition(arena, &terms(&path)),
            false => None,
        };
        let Some(condition) = condition else {
            done.push(path);
            continue;
        };
        for truth in [true, false] {
            let decided = |term| (term == condition).then(|| arena.boolean(truth));
            let mut rebuild = Rebuild::new(arena, arena, decided);
            let guard = rebuild.rebuild(path.guard);
            let literal = if truth {
                condition
            } else {
                arena.not(condition)
            };
            let guard = arena.and2(guard, literal);
            if guard == TermId::FALSE {
                continue;
            }
            let updates = path.updates.iter();
            let updates = updates.map(|&(variable, value)| (variable, rebuild.rebuild(value)));
            open.push_back(Path {
                guard,
                updates: updates.collect(),
            });
        }
    }
    done
}

/// Returns an atom of a condition that selects a value, or of a disjunction.
fn condition(arena: &Arena, terms: &[TermId]) -> Option<TermId> {
    let mut stack = Vec::new();
    for_each_subterm(arena, terms.iter().copied(), |_, kind| {
        if let TermKind::Apply { op, arguments } = kind {
            match op {
                Op::Ite => stack.push(arguments[0]),
                Op::Or => stack.extend_from_slice(arguments),
                _ => {}
            }
        }
    });
    // Conditions that contain choices are decided later, when those have been made.
    atoms(arena, stack).find(|&atom| !has_choice(arena, atom))
}

fn has_choice(arena: &Arena, term: TermId) -> bool {
    let mut found = false;
    for_each_subterm(arena, [term], |_, kind| {
        found |= matches!(kind, TermKind::Apply { op: Op::Ite, .. });
    });
    found
}
