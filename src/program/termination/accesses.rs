//! Accesses to memory: an execution whose access is outside of every object ends there, so the address may be taken to lie
//! before the end of the address space. A pointer that is moved on and accessed in each round then does not wrap around.

use rustc_hash::FxHashSet;

use super::loops::Loops;
use crate::assumption::{Assumption, AssumptionKind, Doubt};
use crate::cfa::*;
use crate::graph::{callee, goes_on};
use regatta_term::{Build, Pool, Sort, TermId, store};

/// An access through a pointer.
pub(super) struct Access {
    /// The address of its first byte.
    pub address: TermId,
    bytes: u64,
    /// Whether the address has no signed part, whose arithmetic may overflow.
    pub is_unsigned: bool,
    guards: Vec<TermId>,
    location: LocationId,
    /// The number of its edge's operations that come before it.
    pub operations: usize,
}

/// The accesses through pointers.
pub(super) fn of(program: &Program) -> impl Iterator<Item = Access> + '_ {
    let bits = program.data_model.pointer_bits();
    let accesses = program.assumptions.iter();
    accesses.filter_map(move |assumption| Access::new(assumption, bits))
}

impl Access {
    fn new(assumption: &Assumption, bits: u8) -> Option<Self> {
        let Doubt::NotInObject {
            parts,
            constant,
            bytes,
        } = &assumption.doubt
        else {
            return None;
        };
        if assumption.kind != AssumptionKind::WithinBounds {
            return None;
        }
        let mut address = store().bv_signed(bits, *constant);
        for &(factor, operand) in parts {
            let Sort::BitVec(1..=64) = store().sort(operand.term) else {
                return None;
            };
            let number = match operand.signed {
                true => store().sign_resize(operand.term, bits),
                false => store().zero_resize(operand.term, bits),
            };
            let factor = store().bv_signed(bits, factor);
            address = store().add(address, store().mul(factor, number));
        }
        Some(Self {
            address,
            is_unsigned: parts.iter().all(|(_, operand)| !operand.signed),
            bytes: *bytes,
            guards: assumption.guards.clone(),
            location: assumption.location,
            operations: assumption.operations,
        })
    }

    /// The edges on which it is made.
    pub fn edges(&self, loops: &Loops<'_>) -> Vec<EdgeId> {
        let mut edges = loops.outgoing[self.location.index()].clone();
        edges.retain(|&edge| {
            let edge = loops.program.edge(edge);
            let has_place = edge.operations.len() >= self.operations;
            has_place && callee(edge).is_none() && goes_on(edge)
        });
        match edges.len() {
            0 | 1 => edges,
            _ if self.operations == 0 => edges,
            // It is not known which of the edges it is.
            _ => Vec::new(),
        }
    }

    /// The condition that the object may end before the address space does.
    fn condition(&self) -> TermId {
        let Sort::BitVec(bits) = store().sort(self.address) else {
            return TermId::TRUE;
        };
        let last = store().bv(
            bits,
            ((1u128 << bits) - 1).saturating_sub(self.bytes.into()),
        );
        let is_before = store().ule(self.address, last);
        let guards = store().and(self.guards.iter().copied());
        store().implies(guards, is_before)
    }
}

/// Ends the executions that access memory at the end of the address space, in loops and recursive functions.
pub(super) fn bound(program: &mut Program, loops: &Loops<'_>) {
    let mut repeated: FxHashSet<LocationId> = FxHashSet::default();
    for cycle in loops.all() {
        repeated.extend(&cycle.members);
    }
    for function in loops.recursive() {
        let edges = loops.edges_of(function).iter();
        repeated.extend(edges.map(|&edge| loops.program.edge(edge).source));
    }
    let mut accesses: Vec<Access> = of(program)
        .filter(|access| repeated.contains(&access.location))
        .collect();
    // Positions stay what they are if the last ones change first.
    accesses.sort_by_key(|access| std::cmp::Reverse(access.operations));
    for access in accesses {
        let edges = access.edges(loops);
        if edges.is_empty() {
            continue;
        }
        let condition = access.condition();
        for edge in edges {
            let operations = &mut program.edges[edge.index()].operations;
            operations.insert(access.operations, Operation::Assume(condition));
        }
        for assumption in &mut program.assumptions {
            if assumption.location == access.location && assumption.operations > access.operations {
                assumption.operations += 1;
            }
        }
    }
}
