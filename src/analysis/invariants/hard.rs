//! What makes queries hard, left out: products, quotients and remainders become unknown values.
//!
//! What is unsatisfiable without them is so with them. Most candidates that hold at all hold for a reason that has
//! nothing to do with the products in the same block.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::term::{Arena, Build, Op, Pool, Rebuild, Symbol, TermId, TermKind};

/// Terms without their hard parts; equal parts become equal unknowns.
pub struct Abstraction {
    arena: Rc<Arena>,
    unknowns: FxHashMap<TermId, TermId>,
}

impl Abstraction {
    /// For terms of the arena.
    pub fn new(arena: &Rc<Arena>) -> Self {
        Self {
            arena: Rc::clone(arena),
            unknowns: FxHashMap::default(),
        }
    }

    /// The term with unknowns in the places of its hard parts.
    pub fn of(&mut self, term: TermId) -> TermId {
        let arena = Rc::clone(&self.arena);
        let unknowns = &mut self.unknowns;
        let mut rebuild = Rebuild::new(&*arena, &*arena, |part| {
            is_hard(&arena, part).then(|| {
                let number = unknowns.len() as u32 + 1;
                *unknowns.entry(part).or_insert_with(|| {
                    arena.variable_at(Symbol::new("unknown#", arena.sort(part)), number)
                })
            })
        });
        rebuild.rebuild(term)
    }

    /// Whether anything was left out.
    pub fn is_coarser(&self) -> bool {
        !self.unknowns.is_empty()
    }
}

fn is_hard(arena: &Arena, term: TermId) -> bool {
    let TermKind::Apply { op, arguments } = arena.kind(term) else {
        return false;
    };
    let constant = |term| matches!(arena.kind(term), TermKind::Constant(_));
    match op {
        Op::BvMul | Op::IntMul => !arguments.iter().any(|&argument| constant(argument)),
        Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem => true,
        Op::IntDiv | Op::IntMod => !constant(arguments[1]),
        _ => false,
    }
}
