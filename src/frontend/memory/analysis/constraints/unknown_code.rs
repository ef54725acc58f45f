//! The objects that unknown code reaches, and the functions that it calls.

use rustc_hash::FxHashSet;

use super::Facts;
use super::accesses::Direction;
use super::calls::{ArgumentFact, CallFact, ResultFact};
use super::copies::CopyFact;
use crate::ir::{Argument, FunctionIndex, ObjectIndex, ResultPlace, Storage, UnknownEffect};
use crate::memory::analysis::points_to::Target;

impl<'a> Facts<'a> {
    pub(super) fn unknown_call(
        &mut self,
        arguments: &'a [Argument],
        result: Option<&'a ResultPlace>,
        effect: UnknownEffect,
    ) {
        for argument in arguments {
            match self.argument(argument) {
                ArgumentFact::Scalar { value: None, .. } => {}
                ArgumentFact::Scalar {
                    value: Some(target),
                    ..
                } => {
                    self.escapes.push(target);
                    if effect == UnknownEffect::Reachable {
                        self.exposed.push(target);
                    }
                }
                // A copy is passed: the object itself is not exposed, but what its pointers reach is.
                ArgumentFact::Object { address, size } => {
                    let copy = Target {
                        node: self.graph.add_node(),
                        offset: 0,
                    };
                    if let Argument::Object { leaves, .. } = argument {
                        self.access_leaves(copy, leaves, Direction::Load);
                        self.forge_leaves(copy, leaves);
                    }
                    self.copies.push(CopyFact {
                        destination: copy,
                        source: address,
                        size,
                    });
                    self.escapes.push(copy);
                    if effect == UnknownEffect::Reachable {
                        self.exposed.push(copy);
                    }
                }
            }
        }
        if effect == UnknownEffect::Reachable {
            self.unknown_code = true;
        }
        match result {
            Some(ResultPlace::Scalar(place)) => {
                let target = self.access(place, Direction::Store);
                self.assign_from_outside(target, place.scalar);
            }
            Some(ResultPlace::Object {
                address, leaves, ..
            }) => {
                let target = self.address(address);
                self.access_leaves(target, leaves, Direction::Store);
                self.from_outside |= self.forge_leaves(target, leaves);
            }
            None => {}
        }
    }

    /// Treats a call through a pointer that may come from outside as a possible call of unknown code.
    pub(super) fn call_unknown_callee(&mut self, call: &CallFact) {
        if self.unit.outside.effect == UnknownEffect::Pure || !self.unknown_callee.insert(call.site)
        {
            return;
        }
        self.unknown_code = true;
        for argument in &call.arguments {
            // For an object that is passed by value, the original stands for the copy.
            let target = match argument {
                ArgumentFact::Scalar { value: None, .. } => continue,
                ArgumentFact::Scalar {
                    value: Some(target),
                    ..
                } => *target,
                ArgumentFact::Object { address, .. } => *address,
            };
            self.escapes.push(target);
            self.exposed.push(target);
        }
        match &call.result {
            Some(ResultFact::Scalar { place, scalar }) => {
                self.assign_from_outside(*place, *scalar);
            }
            Some(ResultFact::Object { address, .. }) => {
                self.escapes.push(*address);
                self.exposed.push(*address);
            }
            None => {}
        }
        if let Some(environment) = self.unit.outside.environment {
            let call = CallFact {
                pointer: None,
                site: call.site,
                arguments: Vec::new(),
                result: None,
            };
            self.bind(&call, environment);
        }
    }

    /// Binds calls by unknown code to the functions that it may have the addresses of.
    pub(super) fn bind_callbacks(&mut self) {
        let calls = std::mem::take(&mut self.callbacks);
        for (call, function) in &calls {
            if self.is_known_outside(*function) {
                self.bind(call, *function);
            }
        }
        self.callbacks = calls;
    }

    fn is_known_outside(&self, function: FunctionIndex) -> bool {
        self.functions.get(&function).is_some_and(|&node| {
            let root = self.graph.root(node).0;
            self.reached_outside.contains(&root) || (self.forged && self.is_universe(root))
        })
    }

    /// The objects with external linkage, and those of code outside of the unit.
    fn outside_objects(&self) -> Vec<Target> {
        let objects = self.unit.objects.iter().enumerate();
        let named = objects.filter(|(_, object)| {
            matches!(
                object.storage,
                Storage::Static { external: true } | Storage::Outside
            )
        });
        named
            .map(|(index, _)| self.object(ObjectIndex(index as u32)))
            .collect()
    }

    /// Computes what unknown code reaches, and unifies all that escapes with the universe if there is a forged pointer.
    pub(super) fn escape(&mut self) {
        let mut seen = FxHashSet::default();
        let mut queue = self.exposed.clone();
        if self.unknown_code {
            queue.extend(self.outside_objects());
            // An integer that is passed to unknown code may be an address.
            queue.extend(&self.escapes);
        }
        while let Some(target) = queue.pop() {
            let root = self.graph.root(target.node).0;
            if !seen.insert(root) {
                continue;
            }
            let links: Vec<Target> = self.graph.links(root).map(|link| link.1).collect();
            for link in links {
                // Unknown code may store any pointer that it knows there.
                let universe = self.forge();
                self.graph.unify(link, universe);
                queue.push(link);
            }
        }
        self.reached_outside = seen;
        if !self.forged {
            return;
        }
        let universe = self.forge();
        let mut escapes = self.escapes.clone();
        if self.from_outside || self.unknown_code {
            escapes.extend(self.outside_objects());
        }
        for target in escapes {
            self.graph.unify(target, universe);
        }
        for index in 0..self.compared.len() + self.ordered.len() {
            let (a, b) = match self.compared.get(index) {
                Some(pair) => *pair,
                None => self.ordered[index - self.compared.len()],
            };
            if self.may_be_forged(a) || self.may_be_forged(b) {
                self.graph.unify(a, b);
            }
        }
        if self.from_outside {
            let root = self.graph.root(self.universe).0;
            let links: Vec<Target> = self.graph.links(root).map(|link| link.1).collect();
            for link in links {
                self.graph.unify(link, universe);
            }
        }
    }

    /// Whether the call may call unknown code.
    pub fn may_call_unknown(&self, site: usize) -> bool {
        self.unknown_callee.contains(&site)
    }
}
