//! Calls: arguments and results, and the functions that calls through pointers may call.

use rustc_hash::FxHashMap;

use super::Facts;
use super::accesses::Direction;
use super::copies::CopyFact;
use crate::ir::{Argument, BlockIndex, Callee, FunctionIndex, ResultPlace, ScalarType};
use crate::memory::analysis::call_graph::CallSite;
use crate::memory::analysis::function_pointers;
use crate::memory::analysis::points_to::{NodeId, Target};

/// A call as far as pointers are concerned.
#[derive(Clone, Debug)]
pub(super) struct CallFact {
    pub pointer: Option<Target>,
    pub site: usize,
    pub arguments: Vec<ArgumentFact>,
    pub result: Option<ResultFact>,
}

#[derive(Clone, Debug)]
pub(super) enum ArgumentFact {
    Scalar {
        value: Option<Target>,
        scalar: ScalarType,
    },
    Object {
        address: Target,
        size: u64,
    },
}

#[derive(Clone, Debug)]
pub(super) enum ResultFact {
    Scalar { place: Target, scalar: ScalarType },
    Object { address: Target, size: u64 },
}

impl<'a> Facts<'a> {
    pub(super) fn call(
        &mut self,
        position: (u32, u32, u32),
        callee: &'a Callee,
        arguments: &'a [Argument],
        result: Option<&'a ResultPlace>,
    ) {
        let pointer = match callee {
            Callee::Direct(_) | Callee::Escaped(_) => None,
            Callee::Indirect(pointer) => self.pointer(pointer),
        };
        let arguments = arguments
            .iter()
            .map(|argument| self.argument(argument))
            .collect();
        let result = result.map(|result| match result {
            ResultPlace::Scalar(place) => ResultFact::Scalar {
                place: self.access(place, Direction::Store),
                scalar: place.scalar,
            },
            ResultPlace::Object { address, size, .. } => ResultFact::Object {
                address: self.address(address),
                size: *size,
            },
        });
        let site = self.calls.len();
        self.call_of.insert(position, site);
        self.calls.push(CallSite {
            caller: FunctionIndex(position.0),
            block: BlockIndex(position.1),
            callees: Vec::new(),
        });
        let fact = CallFact {
            pointer,
            site,
            arguments,
            result,
        };
        match callee {
            Callee::Direct(function) => self.bind(&fact, *function),
            Callee::Indirect(_) => self.indirect.push(fact),
            Callee::Escaped(function) => self.callbacks.push((fact, *function)),
        }
    }

    pub(super) fn argument(&mut self, argument: &'a Argument) -> ArgumentFact {
        match argument {
            Argument::Scalar { value, scalar } => ArgumentFact::Scalar {
                value: self.value(value),
                scalar: *scalar,
            },
            Argument::Object { address, size, .. } => ArgumentFact::Object {
                address: self.address(address),
                size: *size,
            },
        }
    }

    /// Binds the arguments and the result of a call to a function's parameters and result.
    pub(super) fn bind(&mut self, call: &CallFact, function: FunctionIndex) {
        if !self.bound.insert((call.site, function)) {
            return;
        }
        self.calls[call.site].callees.push(function);
        let callee = &self.unit.functions[function.0 as usize];
        for (&parameter, argument) in callee.parameters.iter().zip(&call.arguments) {
            let place = self.object(parameter);
            match argument {
                ArgumentFact::Scalar { value, scalar } => {
                    self.whole(place, *scalar, Direction::Store);
                    self.assign(place, *scalar, *value);
                }
                ArgumentFact::Object { address, size } => self.copies.push(CopyFact {
                    destination: place,
                    source: *address,
                    size: *size,
                }),
            }
        }
        if let (Some(object), Some(result)) = (callee.result, &call.result) {
            let source = self.object(object);
            match result {
                ResultFact::Scalar { place, scalar } => {
                    self.whole(source, *scalar, Direction::Load);
                    if *scalar == ScalarType::Pointer {
                        let value = self.graph.link(source);
                        self.assign(*place, *scalar, Some(value));
                    }
                }
                ResultFact::Object { address, size } => self.copies.push(CopyFact {
                    destination: *address,
                    source,
                    size: *size,
                }),
            }
        }
    }

    pub(super) fn bind_indirect_calls(&mut self) {
        if self.indirect.is_empty() {
            return;
        }
        let calls = std::mem::take(&mut self.indirect);
        let mut by_root: FxHashMap<NodeId, Vec<FunctionIndex>> = FxHashMap::default();
        for (&function, &node) in &self.functions {
            by_root
                .entry(self.graph.root(node).0)
                .or_default()
                .push(function);
        }
        for call in &calls {
            let Some(pointer) = call.pointer else {
                continue;
            };
            let root = self.graph.root(pointer.node).0;
            for &function in by_root.get(&root).map_or(&[][..], Vec::as_slice) {
                if self.compatible(call, function) {
                    self.bind(call, function);
                }
            }
            if (self.from_outside || self.unknown_code) && self.may_be_forged(pointer) {
                self.call_unknown_callee(call);
            }
        }
        self.indirect = calls;
    }

    fn compatible(&self, call: &CallFact, function: FunctionIndex) -> bool {
        let arguments = call.arguments.iter().map(|argument| match argument {
            ArgumentFact::Scalar { scalar, .. } => function_pointers::Shape::Scalar(*scalar),
            ArgumentFact::Object { size, .. } => function_pointers::Shape::Object(*size),
        });
        let result = call.result.as_ref().map(|result| match result {
            ResultFact::Scalar { scalar, .. } => function_pointers::Shape::Scalar(*scalar),
            ResultFact::Object { size, .. } => function_pointers::Shape::Object(*size),
        });
        function_pointers::compatible(self.unit, function, arguments, result)
    }

    /// The functions in the target's class.
    pub fn functions_at(&self, target: Target) -> impl Iterator<Item = FunctionIndex> + '_ {
        let root = self.graph.root(target.node).0;
        let functions = self.functions.iter();
        functions
            .filter(move |entry| self.graph.root(*entry.1).0 == root)
            .map(|entry| *entry.0)
    }

    /// The functions without a body in the target's class.
    pub fn externals_at(&self, target: Target) -> impl Iterator<Item = &'a str> + '_ {
        let root = self.graph.root(target.node).0;
        let externals = self.externals.iter();
        externals
            .filter(move |entry| self.graph.root(*entry.1).0 == root)
            .map(|entry| *entry.0)
    }

    /// Whether the call by unknown code can happen.
    pub fn is_bound(&self, site: usize, function: FunctionIndex) -> bool {
        self.bound.contains(&(site, function))
    }
}
