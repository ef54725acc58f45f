//! The properties of each class of objects that follow from all facts.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Facts;
use super::instructions::Site;
use super::lifetimes::{Lifetimes, Locals};
use super::reuse::Reuse;
use crate::memory::analysis::points_to::{NodeId, Target};

/// Sets of class roots with properties that follow from all facts.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// Roots of the classes with observable addresses.
    pub observable: FxHashSet<NodeId>,
    /// Roots of the classes of which only comparisons observe the addresses, where these are not among the former.
    pub compared: FxHashSet<NodeId>,
    /// Roots of the classes that unknown code can change.
    pub exposed: FxHashSet<NodeId>,
}

impl Facts<'_> {
    /// Computes the properties; `single` tells whether a class has only one object, and `locals` describes the objects
    /// that are local to calls. `has_slots` tells that comparisons do not make addresses observable (see
    /// [`crate::memory::placement::lives`]).
    pub fn classes(
        &self,
        single: impl Fn(NodeId) -> bool,
        locals: &Locals<'_>,
        has_slots: bool,
    ) -> Classes {
        let mut classes = Classes::default();
        let mut compared = FxHashSet::default();
        let root = |target: &Target| self.graph.root(target.node).0;
        // What unknown code does with an address is arbitrary anyway.
        let escapes = match has_slots {
            true => &self.converted,
            false => &self.escapes,
        };
        classes
            .observable
            .extend(escapes.iter().chain(&self.observed).map(root));
        if self.forged {
            classes.observable.insert(self.graph.root(self.universe).0);
        }
        for (a, b) in &self.ordered {
            let (a, b) = (root(a), root(b));
            if a != b || !single(a) {
                compared.extend([a, b]);
            }
        }
        let inside = self.places_inside();
        let freed: FxHashSet<NodeId> = self.freed.iter().map(|(_, target)| root(target)).collect();
        let sites = self.sites.iter().filter(|site| site.on_heap);
        let heap: FxHashSet<NodeId> = sites.map(|site| self.graph.root(site.node).0).collect();
        // With 32-bit addresses, an arena, which never reuses one, would soon be exhausted by large objects of which
        // one ends before the next begins.
        let exhausts = |site: &Site| {
            !site.is_small() && (!site.on_heap || freed.contains(&self.graph.root(site.node).0))
        };
        if self.pointer_bits < 64 && !has_slots {
            let sites = self.sites.iter().enumerate();
            let sites = sites.filter(|&(number, site)| exhausts(site) && !(locals.once)(number));
            let roots = sites.map(|(_, site)| self.graph.root(site.node).0);
            classes.observable.extend(roots);
        }
        let mut reuse = None;
        let mut lifetimes = None;
        for (a, b) in &self.compared {
            let roots = [root(a), root(b)];
            // One past the end of an object may be where another one begins.
            let are_several = roots[0] != roots[1] || !single(roots[0]);
            let may_touch = are_several && !(inside(a) && inside(b));
            // A new heap object may lie where a freed one was.
            let may_return = roots.iter().all(|root| heap.contains(root))
                && roots.iter().any(|root| freed.contains(root))
                && reuse
                    .get_or_insert_with(|| Reuse::new(self))
                    .may_return(roots);
            // A local of a call may lie where a local of an earlier call was.
            let may_return = may_return
                || lifetimes
                    .get_or_insert_with(|| Lifetimes::new(self, locals))
                    .may_return(roots);
            if may_touch || may_return {
                compared.extend(roots);
            }
        }
        match has_slots {
            true => classes.compared = compared,
            false => classes.observable.extend(compared),
        }
        classes.exposed.clone_from(&self.reached_outside);
        classes
    }

    /// Returns a test whether a target cannot be the end of an object.
    fn places_inside(&self) -> impl Fn(&Target) -> bool + '_ {
        let mut ends: FxHashMap<NodeId, Vec<(i64, i64)>> = FxHashMap::default();
        if !self.compared.is_empty() {
            let objects = self.unit.objects.iter().zip(&self.objects);
            for (object, &node) in objects {
                let start = self.graph.canonical(Target { node, offset: 0 });
                let size = i64::try_from(object.size).unwrap_or(i64::MAX);
                let end = start.offset.saturating_add(size);
                ends.entry(start.node)
                    .or_default()
                    .push((start.offset, end));
            }
            for site in &self.sites {
                let start = self.graph.canonical(Target {
                    node: site.node,
                    offset: 0,
                });
                // A dynamic object has at least one byte, as a rule.
                let end = start.offset.saturating_add(1);
                ends.entry(start.node)
                    .or_default()
                    .push((start.offset, end));
            }
        }
        move |target| {
            let place = self.graph.canonical(*target);
            let offsets = self.graph.offsets(place);
            let inside = |&(start, end): &(i64, i64)| {
                let mut offsets = offsets.iter();
                offsets.all(|offset| (start..end).contains(offset))
            };
            self.graph.period(place.node) == 0
                && ends
                    .get(&place.node)
                    .is_none_or(|objects| objects.iter().all(inside))
        }
    }
}
