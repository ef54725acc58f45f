//! Weak topological orders (\[Bou93\]) of the locations of each function.
//!
//! Locations are numbered so that an edge leads to a greater number, or back to the *head* of a component that it is in.
//! A component, the loops nested in it included, has consecutive numbers, of which its head has the first. An analysis that
//! visits locations in this order, and iterates a component until it is stable before it continues, visits within one
//! iteration all predecessors of a location before the location itself. A call counts as an edge.

use super::graph::Graph;
use super::nesting::Nesting;
use crate::cfa::*;

/// The weak topological order of every function of a program.
#[derive(Clone, Debug)]
pub struct WeakOrder {
    numbers: Vec<u32>,
    /// The innermost component around each location, as an index into `heads`.
    innermost: Vec<Option<u32>>,
    /// For each component the heads of the components around it, outermost first, and its own.
    heads: Vec<Box<[LocationId]>>,
}

impl WeakOrder {
    /// Computes the orders of the program; `graph` is the index of its edges.
    pub fn new(program: &Program, graph: &Graph) -> Self {
        let mut by_function: Vec<Vec<u32>> = vec![Vec::new(); program.functions.len()];
        for (location, index) in program.locations.iter().zip(0..) {
            by_function[location.function.index()].push(index);
        }
        let edges = program.intraprocedural();
        let mut nesting = Nesting::new(&edges);
        for (function, locations) in program.functions.iter().zip(by_function) {
            nesting.add(locations, |members| {
                first_entered(program, graph, function.entry, members)
            });
        }
        let mut numbers = vec![0; program.locations.len()];
        for (&location, number) in nesting.order.iter().zip(0..) {
            numbers[location as usize] = number;
        }
        let mut heads: Vec<Box<[LocationId]>> = Vec::with_capacity(nesting.cycles.len());
        for cycle in &nesting.cycles {
            let around = cycle
                .parent
                .map_or(&[][..], |parent| &heads[parent as usize]);
            heads.push([around, &[LocationId(cycle.head)]].concat().into());
        }
        Self {
            numbers,
            innermost: nesting.innermost,
            heads,
        }
    }

    /// The location's number in the order of its function.
    pub fn number(&self, location: LocationId) -> u32 {
        self.numbers[location.index()]
    }

    /// The heads of the components that the location is in, outermost first. A head is in its own component.
    pub fn heads(&self, location: LocationId) -> &[LocationId] {
        match self.innermost[location.index()] {
            Some(component) => &self.heads[component as usize],
            None => &[],
        }
    }

    /// Whether the location is the head of a component.
    pub fn is_head(&self, location: LocationId) -> bool {
        self.heads(location).last() == Some(&location)
    }
}

/// The first of the locations, which are ordered by id, to which an edge from elsewhere leads or that is the function's entry;
/// the first of all if there is none.
fn first_entered(program: &Program, graph: &Graph, entry: LocationId, members: &[u32]) -> u32 {
    let is_inside = |edge: &EdgeId| members.binary_search(&program.edge(*edge).source.0).is_ok();
    let is_entered = |&node: &u32| {
        let incoming = graph.incoming(LocationId(node));
        node == entry.0 || !incoming.iter().all(is_inside)
    };
    let head = members.iter().copied().find(is_entered);
    head.unwrap_or(members[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramBuilder;
    use regatta_term::Sort;

    #[test]
    fn edges_ascend_or_lead_back_to_an_enclosing_head() {
        let mut b = ProgramBuilder::new();
        let go = b.global("go", Sort::Bool);
        b.repeat_while(b.value(go), |b| {
            b.repeat_while(b.value(go), |b| b.assign(go, b.value(go)));
            b.repeat_while(b.value(go), |b| b.assign(go, b.value(go)));
        });
        b.error_unless(b.value(go));
        let program = b.finish();
        let order = WeakOrder::new(&program, &Graph::new(&program));
        let mut deepest = 0;
        for edge in &program.edges {
            let (from, to) = (edge.source, edge.target);
            deepest = deepest.max(order.heads(to).len());
            let on = order.number(from) < order.number(to);
            let back = order.is_head(to) && order.heads(from).contains(&to);
            assert!(on != back, "{from:?} to {to:?}");
        }
        assert_eq!(deepest, 2);
    }
}
