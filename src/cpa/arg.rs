//! The ARG CPA: the abstract reachability graph, which tells by which edges a state was reached (paper 000, section 4).

use smallvec::SmallVec;

/// A node of the graph.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArgNode(pub u32);

/// The graph. `L` is what an edge carries.
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
    /// A node without parents.
    pub fn root(&mut self) -> ArgNode {
        self.parents.push(SmallVec::new());
        ArgNode(self.parents.len() as u32 - 1)
    }

    /// The transfer relation: a new node with one parent.
    pub fn child(&mut self, parent: ArgNode, label: L) -> ArgNode {
        let node = self.root();
        self.parents[node.0 as usize].push((parent, label));
        node
    }

    /// The merge operator: `old` takes over the parents of `new`.
    pub fn merge(&mut self, new: ArgNode, old: ArgNode) -> ArgNode {
        if new != old {
            let parents = std::mem::take(&mut self.parents[new.0 as usize]);
            self.parents[old.0 as usize].extend(parents);
        }
        old
    }

    /// Where the node was reached from, and over what.
    pub fn parents(&self, node: ArgNode) -> &[(ArgNode, L)] {
        &self.parents[node.0 as usize]
    }

    /// The number of nodes, those included that were merged into others.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }
}
