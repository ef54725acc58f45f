//! Whether a dangling pointer to a local object may be compared with a pointer to an object now at the same address.
//!
//! Locals of two successive calls may have the same address, as freed memory may be allocated again ([`super::reuse`]).
//! A comparison needs a pointer that outlives its target: one that is stored in a static or heap object, or in a local
//! of a direct or indirect caller.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Facts;
use crate::ir::{FunctionIndex, ObjectIndex, Storage};
use crate::memory::analysis::points_to::NodeId;

/// An object that ends before the program.
struct Ending {
    function: FunctionIndex,
    /// Whether there may be several, one after the other.
    returns: bool,
    /// Whether it may end before its function.
    within: bool,
}

/// The kind of object that holds a pointer.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub(super) enum Holder {
    Lasting,
    LocalOf(FunctionIndex),
}

/// The objects that are local to calls and the holders of pointers to them, by class.
pub(super) struct Lifetimes {
    endings: FxHashMap<NodeId, Vec<Ending>>,
    holders: FxHashMap<NodeId, FxHashSet<Holder>>,
    /// See [`callers`].
    callers: Vec<FxHashSet<u32>>,
}

/// Queries on the lifetimes of objects that are local to calls or made at run time.
pub struct Locals<'l> {
    /// For an object of the unit: `None` if it lasts; else whether its function may be called again, and whether the
    /// object may end before its function.
    pub object: &'l dyn Fn(ObjectIndex) -> Option<(bool, bool)>,
    /// For an allocation site: `None` if its objects last as long as the program; else whether there may be several,
    /// and whether they are made in a loop of the function.
    pub site: &'l dyn Fn(usize) -> Option<(bool, bool)>,
    /// Whether the site makes at most one object.
    pub once: &'l dyn Fn(usize) -> bool,
}

impl Lifetimes {
    /// Collects the lifetimes and holders of all objects.
    pub fn new(facts: &Facts<'_>, locals: &Locals<'_>) -> Self {
        let root = |node: NodeId| facts.graph.root(node).0;
        let mut endings: FxHashMap<NodeId, Vec<Ending>> = FxHashMap::default();
        let mut holders: FxHashMap<NodeId, FxHashSet<Holder>> = FxHashMap::default();
        let mut holds = |node: NodeId, holder: Holder| {
            for (_, target) in facts.graph.links(node) {
                holders.entry(root(target.node)).or_default().insert(holder);
            }
        };
        for (index, object) in facts.unit.objects.iter().enumerate() {
            let node = facts.objects[index];
            let Storage::Automatic(function) = object.storage else {
                holds(node, Holder::Lasting);
                continue;
            };
            holds(node, Holder::LocalOf(function));
            if let Some((returns, within)) = (locals.object)(ObjectIndex(index as u32)) {
                let ending = Ending {
                    function,
                    returns,
                    within,
                };
                endings.entry(root(node)).or_default().push(ending);
            }
        }
        for (number, site) in facts.sites.iter().enumerate() {
            if site.on_heap {
                holds(site.node, Holder::Lasting);
                continue;
            }
            holds(site.node, Holder::LocalOf(site.function));
            if let Some((returns, within)) = (locals.site)(number) {
                let ending = Ending {
                    function: site.function,
                    returns,
                    within,
                };
                endings.entry(root(site.node)).or_default().push(ending);
            }
        }
        Self {
            endings,
            holders,
            callers: callers(facts),
        }
    }

    /// Whether an object of one of the classes may lie where an object of the other one was, while a pointer to the
    /// latter exists.
    pub fn may_return(&self, roots: [NodeId; 2]) -> bool {
        let [a, b] = roots.map(|root| self.endings.get(&root).map_or(&[][..], Vec::as_slice));
        let is_one = roots[0] == roots[1] && a.len() == 1;
        let comes = |of: &[Ending]| of.iter().any(|one| one.returns || !is_one);
        (comes(a) && self.outlives(roots[1], b)) || (comes(b) && self.outlives(roots[0], a))
    }

    /// Whether some pointer to the class may outlive what it points to.
    fn outlives(&self, root: NodeId, endings: &[Ending]) -> bool {
        let holders = self.holders.get(&root);
        endings.iter().any(|ending| {
            let callers = &self.callers[ending.function.0 as usize];
            holders.into_iter().flatten().any(|&holder| match holder {
                Holder::Lasting => true,
                Holder::LocalOf(function) => {
                    callers.contains(&function.0) || (ending.within && function == ending.function)
                }
            })
        })
    }
}

/// The direct and indirect callers of each function.
pub(super) fn callers(facts: &Facts<'_>) -> Vec<FxHashSet<u32>> {
    let mut direct: Vec<Vec<u32>> = vec![Vec::new(); facts.unit.functions.len()];
    for call in &facts.calls {
        for callee in &call.callees {
            direct[callee.0 as usize].push(call.caller.0);
        }
    }
    let all = direct.iter().map(|first| {
        let mut seen = FxHashSet::default();
        let mut open = first.clone();
        while let Some(caller) = open.pop() {
            if seen.insert(caller) {
                open.extend(&direct[caller as usize]);
            }
        }
        seen
    });
    all.collect()
}
