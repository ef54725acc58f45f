//! Path formulas.
//!
//! A path formula is a function, like a block (see [`crate::program::block`]): given the state where it began (state
//! variables at instance 0) and inputs, `guard` is the condition that one of its paths is taken, and `values` are the
//! variables' values at its end. Constants are folded during construction, and infeasible paths are never encoded. Where
//! paths join, values are selected by the guards, which exclude one another: a state and inputs determine a single path
//! among all paths of equal length.

use std::rc::Rc;

use super::definitions::Definitions;
use crate::program::VariableId;
use crate::program::persistent::PersistentMap;
use crate::term::{Arena, Build, Symbol, TermId};

/// The values of the variables that have changed since the path formula began, by the variables' numbers.
pub type Values = PersistentMap<TermId>;

/// A formula of a set of paths.
#[derive(Clone, Debug)]
pub struct PathFormula {
    /// The condition that one of the paths is taken.
    pub guard: TermId,
    /// The variables' values at the end; variables that are missing are unchanged.
    pub values: Values,
    /// The callers of the active functions of recursive components.
    pub frames: Option<Rc<Frame>>,
}

/// The caller of an active function of a recursive component.
#[derive(Debug)]
pub struct Frame {
    /// The caller's variables at the call.
    pub values: Values,
    /// The caller of the caller.
    pub caller: Option<Rc<Frame>>,
}

impl PathFormula {
    /// Creates the formula of the empty path.
    pub fn new(guard: TermId) -> Self {
        Self {
            guard,
            values: Values::new(),
            frames: None,
        }
    }

    /// Joins the paths of both formulas, which exclude each other.
    pub fn join(
        &self,
        other: &Self,
        arena: &Arena,
        definitions: &mut Definitions,
        symbol: &dyn Fn(VariableId) -> Symbol,
    ) -> Self {
        let guard = arena.or2(self.guard, other.guard);
        let mut choose = |one: &Values, two: &Values| {
            one.union(two, &mut |variable, one, two| {
                let unchanged = || arena.variable(symbol(VariableId(variable)));
                let one = one.copied().unwrap_or_else(unchanged);
                let two = two.copied().unwrap_or_else(unchanged);
                definitions.name(arena.ite(self.guard, one, two))
            })
        };
        let values = choose(&self.values, &other.values);
        let frames = join_frames(&self.frames, &other.frames, &mut choose);
        Self {
            guard: definitions.name(guard),
            values,
            frames,
        }
    }
}

fn join_frames(
    one: &Option<Rc<Frame>>,
    two: &Option<Rc<Frame>>,
    choose: &mut impl FnMut(&Values, &Values) -> Values,
) -> Option<Rc<Frame>> {
    let (Some(a), Some(b)) = (one, two) else {
        return None;
    };
    if Rc::ptr_eq(a, b) {
        return one.clone();
    }
    Some(Rc::new(Frame {
        values: choose(&a.values, &b.values),
        caller: join_frames(&a.caller, &b.caller, choose),
    }))
}
