//! Abstract pointers, which show that an access on the heap is within an existing object.
//!
//! An object is tracked from its allocation, if a lower bound of its size is known, until it may have been freed; a pointer
//! to it is tracked as long as its distance from the object's start is bounded.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::evaluator::{Evaluator, State};
use crate::call_graph::CallGraph;
use crate::cfa::*;
use crate::simplify::limits::MAXIMUM_DISTANCE;
use crate::simplify::range::{full, number};
use regatta_term::{Op, Pool, TermId, TermKind, store};

/// The abstract value of a pointer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Pointer {
    Null,
    /// Relative to an object that exists; the distance may be beyond its end.
    Inside(Inside),
}

/// A pointer relative to an object.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Inside {
    /// How the object's lifetime may end; `None` for a static object.
    lifetime: Option<Lifetime>,
    /// The allocation site, if it is unique.
    site: Option<Site>,
    /// A lower bound of the object's size in bytes.
    size: i128,
    /// The least and the greatest distance from the object's start.
    distance: (i128, i128),
    /// Whether it may be null instead.
    may_be_null: bool,
}

/// The position of an operation in the analysed program.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Site {
    /// The operation's edge.
    pub edge: EdgeId,
    /// The operation's index on the edge.
    pub operation: usize,
}

/// The objects of a program at constant addresses, and the functions that may free objects.
#[derive(Debug, Default)]
pub(super) struct Objects {
    /// For each constant address at which an object is allocated, the object's key in a state.
    fixed: FxHashMap<TermId, u32>,
    /// The objects at constant addresses, static ones included.
    constant: BTreeMap<i128, Constant>,
    /// For each function whether a call of it may free an object on the heap.
    frees: Vec<bool>,
}

/// An object at a constant address.
#[derive(Copy, Clone, Debug)]
enum Constant {
    /// A static object, with its size in bytes.
    Static(i128),
    /// An allocated object, with its key in a state.
    Allocated(u32),
}

impl Objects {
    pub fn new(program: &Program, calls: &CallGraph) -> Self {
        let mut result = Self {
            frees: vec![false; program.functions.len()],
            ..Self::default()
        };
        // The keys of objects follow those of the variables.
        let first = program.variables.len() as u32;
        for object in &program.objects {
            if let Some(start) = number(object.address) {
                let size = Constant::Static(object.size.into());
                result.constant.insert(start, size);
            }
        }
        for edge in &program.edges {
            let function = program.location(edge.source).function;
            for operation in &edge.operations {
                match operation {
                    Operation::Allocate { address, .. } => {
                        if let Some(start) = number(*address) {
                            let key = first + result.fixed.len() as u32;
                            let key = *result.fixed.entry(*address).or_insert(key);
                            result.constant.insert(start, Constant::Allocated(key));
                        }
                    }
                    Operation::Free {
                        lifetime: Lifetime::Heap,
                        ..
                    } => result.frees[function.index()] = true,
                    _ => {}
                }
            }
        }
        loop {
            let mut changed = false;
            for &function in calls.bottom_up() {
                let frees = calls
                    .callees(function)
                    .any(|callee| result.frees[callee.index()]);
                if frees && !result.frees[function.index()] {
                    result.frees[function.index()] = true;
                    changed = true;
                }
            }
            if !changed {
                return result;
            }
        }
    }

    /// The abstract value of a constant address.
    fn at(&self, state: &State, address: i128) -> Option<Pointer> {
        let (&start, &there) = self.constant.range(..=address).next_back()?;
        let inside = match there {
            Constant::Static(size) => Inside {
                lifetime: None,
                site: None,
                size,
                distance: (0, 0),
                may_be_null: false,
            },
            Constant::Allocated(key) => match *state.objects.get(key)? {
                Pointer::Inside(inside) => inside,
                Pointer::Null => return None,
            },
        };
        let distance = address - start;
        (distance < inside.size).then_some(Pointer::Inside(Inside {
            distance: (distance, distance),
            ..inside
        }))
    }

    /// Whether the key is that of an object at a constant address.
    pub fn is_fixed(&self, key: u32, program: &Program) -> bool {
        key as usize >= program.variables.len()
    }
}

impl Pointer {
    /// The join of two values; `None` if it is not known to point to an object.
    pub fn join(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Null, Self::Null) => Some(Self::Null),
            (Self::Null, Self::Inside(inside)) | (Self::Inside(inside), Self::Null) => {
                Some(Self::Inside(Inside {
                    may_be_null: true,
                    ..inside
                }))
            }
            (Self::Inside(a), Self::Inside(b)) => {
                let ((low, high), (other_low, other_high)) = (a.distance, b.distance);
                (a.lifetime == b.lifetime).then_some(Self::Inside(Inside {
                    lifetime: a.lifetime,
                    site: a.site.filter(|_| a.site == b.site),
                    size: a.size.min(b.size),
                    distance: (low.min(other_low), high.max(other_high)),
                    may_be_null: a.may_be_null || b.may_be_null,
                }))
            }
        }
    }

    /// The widening: a pointer whose distance or size changes is no longer tracked.
    pub fn widen(self, now: Self) -> Option<Self> {
        match (self, now) {
            (Self::Inside(a), Self::Inside(b)) if a.distance != b.distance || a.size != b.size => {
                None
            }
            _ => Some(now),
        }
    }

    /// The pointer plus a distance between the bounds.
    fn moved(self, (low, high): (i128, i128)) -> Option<Self> {
        match self {
            Self::Inside(inside) if !inside.may_be_null => {
                let (least, most) = inside.distance;
                let distance = (least.checked_add(low)?, most.checked_add(high)?);
                let near = -MAXIMUM_DISTANCE < distance.0 && distance.1 < MAXIMUM_DISTANCE;
                near.then_some(Self::Inside(Inside { distance, ..inside }))
            }
            _ => None,
        }
    }
}

impl Evaluator<'_> {
    /// The abstract pointer of a term.
    pub(super) fn pointer(&self, state: &State, term: TermId) -> Option<Pointer> {
        match store().kind(term) {
            TermKind::Constant(_) => self.objects.as_ref()?.at(state, number(term)?),
            TermKind::Variable {
                symbol,
                instance: 0,
            } => {
                let variable = self.uses.borrow().variable(symbol)?;
                match (state.objects.get(variable.0), self.get(state, variable)) {
                    (Some(&pointer), _) => Some(pointer),
                    (None, Some(super::Abstract::Constant(value))) => self.pointer(state, value),
                    _ => None,
                }
            }
            TermKind::Apply {
                op: Op::BvAdd | Op::IntAdd,
                arguments,
            } => {
                let mut base = None;
                let mut distance = (0_i128, 0_i128);
                for &argument in arguments {
                    let is_number = number(argument).is_some();
                    match self.pointer(state, argument).filter(|_| !is_number) {
                        Some(Pointer::Inside(inside)) if base.is_none() => {
                            base = Some(Pointer::Inside(inside));
                        }
                        Some(_) => return None,
                        None => {
                            let (low, high) = self.bounds(state, argument)?;
                            distance =
                                (distance.0.checked_add(low)?, distance.1.checked_add(high)?);
                        }
                    }
                }
                base?.moved(distance)
            }
            _ => None,
        }
    }

    /// The bounds of a term as a signed number.
    pub(super) fn bounds(&self, state: &State, term: TermId) -> Option<(i128, i128)> {
        self.evaluate(state, term)
            .and_then(super::Abstract::bounds)
            .or_else(|| full(store().sort(term)))
    }

    /// Updates the abstract pointers for an assignment.
    pub(super) fn assign_pointer(&self, state: &mut State, target: VariableId, value: TermId) {
        let data = self.program.variable(target);
        let is_pointer = data.c_type == Some(CScalar::Pointer);
        let pointer = match number(value) {
            Some(0) => is_pointer.then_some(Pointer::Null),
            _ if data.sort.is_array() => None,
            _ => self.pointer(state, value),
        };
        match pointer {
            Some(pointer) => state.objects.insert(target.0, pointer),
            None => state.objects.remove(target.0),
        }
    }

    /// Updates the abstract pointers that a condition excludes from being null.
    pub(super) fn learn_pointers(&self, state: &mut State, condition: TermId) {
        let mut work = vec![condition];
        while let Some(term) = work.pop() {
            let Some((op, arguments)) = store().as_application(term) else {
                continue;
            };
            match (op, arguments) {
                (Op::And, _) => work.extend(arguments),
                (Op::Not, &[equal]) => {
                    let Some((Op::Eq, &[a, b])) = store().as_application(equal) else {
                        continue;
                    };
                    for (a, b) in [(a, b), (b, a)] {
                        if number(b) == Some(0)
                            && let Some((symbol, 0)) = store().as_variable(a)
                            && let Some(variable) = self.uses.borrow().variable(symbol)
                            && let Some(&Pointer::Inside(inside)) = state.objects.get(variable.0)
                            && inside.may_be_null
                        {
                            let inside = Inside {
                                may_be_null: false,
                                ..inside
                            };
                            state.objects.insert(variable.0, Pointer::Inside(inside));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Starts to track an allocated object.
    pub(super) fn begin_object(
        &self,
        state: &mut State,
        objects: &Objects,
        (address, size): (TermId, TermId),
        (lifetime, site): (Lifetime, Option<Site>),
    ) {
        let size = self
            .evaluate(state, size)
            .and_then(super::Abstract::bounds)
            .map_or(0, |(low, _)| low);
        let pointer = Pointer::Inside(Inside {
            lifetime: Some(lifetime),
            site,
            size,
            distance: (0, 0),
            may_be_null: false,
        });
        let key = match store().as_variable(address) {
            _ if size <= 0 => None,
            Some((symbol, 0)) => {
                let variable = self.uses.borrow().variable(symbol);
                variable.map(|variable| variable.0)
            }
            _ => objects.fixed.get(&address).copied(),
        };
        if let Some(key) = key {
            state.objects.insert(key, pointer);
        }
    }

    pub(super) fn end_object(
        &self,
        state: &mut State,
        objects: &Objects,
        address: TermId,
        lifetime: Lifetime,
    ) {
        let freed = match self.evaluate(state, address) {
            Some(super::Abstract::Constant(address)) => {
                if number(address) == Some(0) {
                    return;
                }
                let key = objects.fixed.get(&address);
                key.and_then(|&key| state.objects.get(key).copied())
            }
            _ => self.pointer(state, address),
        };
        let site = match freed {
            Some(Pointer::Null) => return,
            Some(Pointer::Inside(inside)) => inside.site,
            None => None,
        };
        state.objects.retain(|_, pointer| match pointer {
            Pointer::Null => true,
            Pointer::Inside(other) => {
                other.lifetime != Some(lifetime)
                    || (site.is_some() && other.site.is_some() && other.site != site)
            }
        });
    }

    /// Updates the objects after a call: heap objects that it may have freed are no longer tracked, and objects at constant
    /// addresses are taken from the state at the callee's exit.
    pub(super) fn return_objects(
        &self,
        after: &mut State,
        exit: &State,
        objects: &Objects,
        callee: FunctionId,
    ) {
        if objects.frees[callee.index()] {
            after.objects.retain(|_, pointer| match pointer {
                Pointer::Null => true,
                Pointer::Inside(inside) => inside.lifetime != Some(Lifetime::Heap),
            });
        }
        for &key in objects.fixed.values() {
            if let Some(&pointer) = exit.objects.get(key) {
                after.objects.insert(key, pointer);
            }
        }
    }

    /// Whether an access to `bytes` bytes at the pointer plus a distance between the bounds is within the object.
    pub(super) fn is_inside(
        &self,
        state: &State,
        pointer: TermId,
        (low, high): (i128, i128),
        bytes: u64,
    ) -> bool {
        let Some(Pointer::Inside(inside)) = self.pointer(state, pointer) else {
            return false;
        };
        let (least, most) = inside.distance;
        let first = least.checked_add(low);
        let end = most
            .checked_add(high)
            .and_then(|last| last.checked_add(i128::from(bytes)));
        !inside.may_be_null
            && first.is_some_and(|first| first >= 0)
            && end.is_some_and(|end| end <= inside.size)
    }

    /// Whether an access to `bytes` bytes at an address between the bounds is within one allocated object at a constant
    /// address.
    pub(super) fn is_in_fixed(
        &self,
        state: &State,
        objects: &Objects,
        (low, high): (i128, i128),
        bytes: u64,
    ) -> bool {
        objects.fixed.iter().any(|(&address, &key)| {
            let start = number(address);
            let known = state.objects.get(key).copied();
            match (start, known) {
                (Some(start), Some(Pointer::Inside(inside))) => {
                    start <= low && high + i128::from(bytes) <= start + inside.size
                }
                _ => false,
            }
        })
    }
}
