//! The ARG CPA: the abstract reachability graph, which records the edges by which a state was reached (\[BDW18\], section
//! 4).

use smallvec::SmallVec;

/// A node of the graph.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArgNode(pub u32);

/// The graph, with labels of type `L` on its edges.
#[derive(Clone, Debug)]
pub struct ArgCpa<L> {
    parents: Vec<SmallVec<[(ArgNode, L); 1]>>,
}

impl<L> Default for ArgCpa<L> {
    fn default() -> Self {
        Self {
            parents: Vec::new(),
        }
    }
}

impl<L> ArgCpa<L> {
    /// Adds a node without parents.
    pub fn root(&mut self) -> ArgNode {
        self.parents.push(SmallVec::new());
        ArgNode(self.parents.len() as u32 - 1)
    }

    /// The transfer relation: adds a node with one parent.
    pub fn child(&mut self, parent: ArgNode, label: L) -> ArgNode {
        let node = self.root();
        self.parents[node.0 as usize].push((parent, label));
        node
    }

    /// The merge operator: moves the parents of `new` to `old`.
    pub fn merge(&mut self, new: ArgNode, old: ArgNode) -> ArgNode {
        if new != old {
            let parents = std::mem::take(&mut self.parents[new.0 as usize]);
            self.parents[old.0 as usize].extend(parents);
        }
        old
    }

    /// Returns the node's parents, with the labels of the edges.
    pub fn parents(&self, node: ArgNode) -> &[(ArgNode, L)] {
        &self.parents[node.0 as usize]
    }

    /// Returns the number of nodes, including those that were merged into others.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }
}
