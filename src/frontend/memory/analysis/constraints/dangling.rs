//! Objects to which a pointer may remain when they end with their function or block.
//!
//! The pointer is stored in an object that lasts longer: in a static or heap object, in a local of a direct or indirect
//! caller, or, for the end of a block, in a local of the same function that is outside of the block.

use rustc_hash::FxHashMap;

use super::Facts;
use super::lifetimes::{Holder, callers};
use crate::ir::{FunctionIndex, Storage};
use crate::memory::analysis::points_to::NodeId;

/// The end of an object after which a pointer to it may remain.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Remains {
    /// The return of its function.
    pub after_return: bool,
    /// The end of its block.
    pub after_block: bool,
}

impl Remains {
    pub const fn any(self) -> bool {
        self.after_return || self.after_block
    }
}

/// An answer for each object of the unit and each allocation site.
pub struct Dangling {
    pub objects: Vec<Remains>,
    pub sites: Vec<Remains>,
}

/// The holders of pointers to a class; of a local, the function and its blocks.
type Holders<'a> = FxHashMap<NodeId, Vec<(Holder, &'a [u32])>>;

impl Facts<'_> {
    /// Computes after which ends pointers to local objects may remain.
    pub fn dangling(&self) -> Dangling {
        let holders = self.holders();
        let callers = callers(self);
        let remains = |node: NodeId, function: FunctionIndex, blocks: &[u32]| {
            let root = self.graph.root(node).0;
            let mut remains = Remains::default();
            for &(holder, around) in holders.get(&root).into_iter().flatten() {
                match holder {
                    Holder::Lasting => {
                        return Remains {
                            after_return: true,
                            after_block: !blocks.is_empty(),
                        };
                    }
                    Holder::LocalOf(other) => {
                        remains.after_return |= callers[function.0 as usize].contains(&other.0);
                        remains.after_block |= other == function && !around.starts_with(blocks);
                    }
                }
            }
            remains.after_block |= remains.after_return && !blocks.is_empty();
            remains
        };
        let objects = self.unit.objects.iter().zip(&self.objects);
        let objects = objects.map(|(object, &node)| match object.storage {
            Storage::Automatic(function) => remains(node, function, &object.blocks),
            Storage::Static { .. } | Storage::Outside | Storage::Literal => Remains::default(),
        });
        let sites = self.sites.iter().map(|site| match site.on_heap {
            true => Remains::default(),
            false => remains(site.node, site.function, &site.blocks),
        });
        Dangling {
            objects: objects.collect(),
            sites: sites.collect(),
        }
    }

    fn holders(&self) -> Holders<'_> {
        let mut holders = Holders::default();
        let mut add = |node: NodeId, holder: Holder, blocks| {
            for (_, target) in self.graph.links(node) {
                let root = self.graph.root(target.node).0;
                holders.entry(root).or_default().push((holder, blocks));
            }
        };
        for (object, &node) in self.unit.objects.iter().zip(&self.objects) {
            match object.storage {
                Storage::Automatic(function) => {
                    add(node, Holder::LocalOf(function), object.blocks.as_slice());
                }
                Storage::Static { .. } | Storage::Outside | Storage::Literal => {
                    add(node, Holder::Lasting, &[]);
                }
            }
        }
        for site in &self.sites {
            match site.on_heap {
                true => add(site.node, Holder::Lasting, &[]),
                false => add(
                    site.node,
                    Holder::LocalOf(site.function),
                    site.blocks.as_slice(),
                ),
            }
        }
        holders
    }
}
