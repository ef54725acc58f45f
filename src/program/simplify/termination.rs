//! Termination of loops and functions, as slicing needs it.
//!
//! A loop may be sliced away only if it terminates; otherwise the code after it is not reached. Only the simplest argument
//! is used: the loop is natural; on every path through it there is a location at which it is left as soon as a comparison
//! of a variable with a loop-invariant bound fails; and on every path there is the only assignment to that variable, which
//! moves it by a constant towards the bound without stepping over it and wrapping around. Inner loops must terminate too.
//! A function is total if every call returns: its branches are exhaustive, its loops terminate, and so do its callees.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::call_graph::CallGraph;
use crate::cfa::*;
use crate::conditions::always_go_on;
use crate::cut_points::{CutPoints, Loop, LoopId, LoopShape};
use crate::digraph::Digraph;
use crate::graph::{Graph, callee, goes_on};
use crate::simplify::range::{full, number};
use crate::variables::VariableUse;
use regatta_term::{Op, Pool, Sort, TermId, conjuncts, store};

/// The loops and functions that are proved to terminate.
pub(super) struct Termination {
    /// For each loop of the cut points, whether it is proved to terminate.
    pub loops: Vec<bool>,
    /// For each function, whether each of its calls is proved to return.
    pub total: Vec<bool>,
}

impl Termination {
    pub fn new(
        program: &Program,
        graph: &Graph,
        calls: &CallGraph,
        cut_points: &CutPoints,
        modified: &[Vec<VariableId>],
        uses: &mut VariableUse,
    ) -> Self {
        let mut search = Search {
            program,
            graph,
            cut_points,
            modified,
            uses,
            children: vec![Vec::new(); cut_points.loops().len()],
            result: Self {
                loops: vec![false; cut_points.loops().len()],
                total: vec![false; program.functions.len()],
            },
        };
        let mut loops_of: Vec<Vec<LoopId>> = vec![Vec::new(); program.functions.len()];
        for (index, cycle) in cut_points.loops().iter().enumerate() {
            let id = LoopId(index as u32);
            loops_of[cycle.function.index()].push(id);
            if let Some(parent) = cycle.parent {
                search.children[parent.index()].push(id);
            }
        }
        let mut locations_of: Vec<Vec<LocationId>> = vec![Vec::new(); program.functions.len()];
        for (index, location) in program.locations.iter().enumerate() {
            locations_of[location.function.index()].push(LocationId(index as u32));
        }
        for &function in calls.bottom_up() {
            // Inner loops come after outer ones.
            for &id in loops_of[function.index()].iter().rev() {
                search.result.loops[id.index()] = search.ends(id);
            }
            let loops = loops_of[function.index()]
                .iter()
                .all(|id| search.result.loops[id.index()]);
            // A recursive function is never total: one of its callees is not decided yet.
            search.result.total[function.index()] = loops
                && locations_of[function.index()]
                    .iter()
                    .all(|&location| search.goes_on(function, location));
        }
        search.result
    }
}

struct Search<'a> {
    program: &'a Program,
    graph: &'a Graph,
    cut_points: &'a CutPoints,
    modified: &'a [Vec<VariableId>],
    uses: &'a mut VariableUse,
    children: Vec<Vec<LoopId>>,
    result: Termination,
}

/// A variable's only assignment in a loop.
#[derive(Copy, Clone)]
struct Step {
    edge: EdgeId,
    /// The constant that is added, for a bit vector as a signed number.
    amount: i128,
}

impl Search<'_> {
    /// Whether an execution at the location can continue, or is at the function's exit; also if the location is unreachable.
    fn goes_on(&self, function: FunctionId, location: LocationId) -> bool {
        let outgoing = self.graph.outgoing(location);
        if location == self.program.function(function).exit {
            return true;
        }
        if outgoing.is_empty() {
            return self.graph.incoming(location).is_empty()
                && location != self.program.function(function).entry;
        }
        let edges = || outgoing.iter().map(|&id| self.program.edge(id));
        always_go_on(edges())
            && edges()
                .all(|edge| callee(edge).is_none_or(|callee| self.result.total[callee.index()]))
    }

    fn ends(&mut self, id: LoopId) -> bool {
        let cycle = self.cut_points.get(id);
        if cycle.shape != LoopShape::Natural
            || !self.children[id.index()]
                .iter()
                .all(|c| self.result.loops[c.index()])
        {
            return false;
        }
        let members: FxHashSet<LocationId> = cycle.members.iter().copied().collect();
        let inside: Vec<EdgeId> = cycle
            .members
            .iter()
            .flat_map(|&location| self.graph.outgoing(location))
            .copied()
            .filter(|&edge| {
                goes_on(self.program.edge(edge))
                    && members.contains(&self.program.edge(edge).target)
            })
            .collect();
        let Some(steps) = self.steps(&inside) else {
            return false;
        };
        let within: FxHashSet<EdgeId> = inside.iter().copied().collect();
        cycle.members.iter().any(|&location| {
            let outgoing = self.graph.outgoing(location);
            let stay: Vec<EdgeId> = outgoing
                .iter()
                .copied()
                .filter(|edge| within.contains(edge))
                .collect();
            stay.len() < outgoing.len()
                && !stay.is_empty()
                && self.bounded(id, &inside, &stay, &steps)
        })
    }

    /// The variables that the loop changes: each with its step if its only assignment adds a constant, else with `None`.
    /// The result is `None` if a callee may not return.
    fn steps(&mut self, inside: &[EdgeId]) -> Option<FxHashMap<VariableId, Option<Step>>> {
        let mut steps: FxHashMap<VariableId, Option<Step>> = FxHashMap::default();
        for &id in inside {
            let edge = self.program.edge(id);
            if let Some(callee) = callee(edge) {
                if !self.result.total[callee.index()] {
                    return None;
                }
                let modified = &self.modified[callee.index()];
                steps.extend(modified.iter().map(|&variable| (variable, None)));
            }
            for operation in &edge.operations {
                for variable in operation.written(self.program) {
                    let step = match operation {
                        Operation::Assign { value, .. } => self
                            .increment(variable, *value)
                            .map(|amount| Step { edge: id, amount }),
                        _ => None,
                    };
                    steps
                        .entry(variable)
                        .and_modify(|step| *step = None)
                        .or_insert(step);
                }
            }
        }
        Some(steps)
    }

    /// The constant that the term adds to the variable.
    fn increment(&self, variable: VariableId, value: TermId) -> Option<i128> {
        let Some((Op::BvAdd | Op::IntAdd, &[a, b])) = store().as_application(value) else {
            return None;
        };
        let is_it = |term| match store().as_variable(term) {
            Some((symbol, 0)) => self.uses.variable(symbol) == Some(variable),
            _ => false,
        };
        if is_it(a) {
            number(b)
        } else {
            number(a).filter(|_| is_it(b))
        }
    }

    /// Whether a common condition of `stay`, a location's edges that stay in the loop, bounds the number of iterations.
    fn bounded(
        &mut self,
        id: LoopId,
        inside: &[EdgeId],
        stay: &[EdgeId],
        steps: &FxHashMap<VariableId, Option<Step>>,
    ) -> bool {
        let first_condition = |edge: EdgeId| match self.program.edge(edge).operations.first() {
            Some(Operation::Assume(condition)) => conjuncts(store(), *condition),
            _ => Vec::new(),
        };
        let mut common = first_condition(stay[0]);
        for &edge in &stay[1..] {
            let other = first_condition(edge);
            common.retain(|part| other.contains(part));
        }
        common.into_iter().any(|condition| {
            let Some(step) = self.approaches(condition, steps) else {
                return false;
            };
            // Every iteration passes the condition, and the step exactly once: a cycle through an inner loop remains a
            // cycle without the edges of that loop.
            let without = |left_out: &[EdgeId]| {
                let rest = inside.iter().filter(|edge| !left_out.contains(edge));
                rest.copied().collect::<Vec<_>>()
            };
            self.acyclic(id, &without(stay)) && self.acyclic(id, &without(&[step]))
        })
    }

    /// Returns the edge of a step that makes the condition false after finitely many iterations, if there is one: the
    /// condition compares the step's variable with a loop-invariant bound.
    fn approaches(
        &mut self,
        condition: TermId,
        steps: &FxHashMap<VariableId, Option<Step>>,
    ) -> Option<EdgeId> {
        let (condition, holds) = match store().as_application(condition) {
            Some((Op::Not, arguments)) => (arguments[0], false),
            _ => (condition, true),
        };
        let Some((op, &[a, b])) = store().as_application(condition) else {
            return None;
        };
        let sort = store().sort(a);
        if op == Op::Eq {
            // The step must meet the bound exactly: an odd step reaches every value of a bit vector.
            let (step, _) = self
                .moving(a, b, steps)
                .or_else(|| self.moving(b, a, steps))?;
            let fits = !holds && matches!(sort, Sort::BitVec(_)) && step.amount % 2 != 0;
            return fits.then_some(step.edge);
        }
        // Normalise to a < b or a <= b.
        let (strict, signed) = match op {
            Op::BvSlt | Op::IntLt => (true, true),
            Op::BvSle | Op::IntLe => (false, true),
            Op::BvUlt => (true, false),
            Op::BvUle => (false, false),
            _ => return None,
        };
        let (a, b, strict) = if holds {
            (a, b, strict)
        } else {
            (b, a, !strict)
        };
        let (minimum, maximum) = match (full(sort), signed) {
            (_, _) if sort == Sort::Int => (None, None),
            (Some((minimum, maximum)), true) => (Some(minimum), Some(maximum)),
            (Some((minimum, maximum)), false) => (Some(0), Some(maximum - minimum)),
            (None, _) => return None,
        };
        let unsigned = |value: i128| match minimum {
            Some(0) if value < 0 => value + maximum.unwrap_or(0) + 1,
            _ => value,
        };
        // One step from the last value for which the condition holds must not wrap around.
        if let Some((step, bound)) = self.moving(a, b, steps).filter(|(step, _)| step.amount > 0) {
            let last = |bound: i128| unsigned(bound) - i128::from(strict);
            let fits = match (maximum, bound) {
                (None, _) => true,
                (Some(maximum), Some(bound)) => last(bound) + step.amount <= maximum,
                (Some(_), None) => strict && step.amount == 1,
            };
            return fits.then_some(step.edge);
        }
        let (step, bound) = self
            .moving(b, a, steps)
            .filter(|(step, _)| step.amount < 0)?;
        let last = |bound: i128| unsigned(bound) + i128::from(strict);
        let fits = match (minimum, bound) {
            (None, _) => true,
            (Some(minimum), Some(bound)) => last(bound) + step.amount >= minimum,
            (Some(_), None) => strict && step.amount == -1,
        };
        fits.then_some(step.edge)
    }

    /// The step of the term and the value of the bound, if the term is a variable with a step and the bound is
    /// loop-invariant.
    fn moving(
        &mut self,
        term: TermId,
        bound: TermId,
        steps: &FxHashMap<VariableId, Option<Step>>,
    ) -> Option<(Step, Option<i128>)> {
        let Some((symbol, 0)) = store().as_variable(term) else {
            return None;
        };
        let step = (*steps.get(&self.uses.variable(symbol)?)?)?;
        let fixed = self
            .uses
            .of(bound)
            .iter()
            .all(|variable| !steps.contains_key(variable));
        fixed.then(|| (step, number(bound)))
    }

    /// Whether the edges form no cycle other than those of inner loops.
    fn acyclic(&self, id: LoopId, edges: &[EdgeId]) -> bool {
        let cycle = self.cut_points.get(id);
        let mut numbers: FxHashMap<LocationId, u32> = FxHashMap::default();
        for (index, &member) in cycle.members.iter().enumerate() {
            numbers.insert(member, index as u32);
        }
        for &child in &self.children[id.index()] {
            let child = self.cut_points.get(child);
            let number = numbers[&child.head];
            for member in &child.members {
                numbers.insert(*member, number);
            }
        }
        let children = self.children[id.index()].iter();
        let children: Vec<&Loop> = children.map(|&id| self.cut_points.get(id)).collect();
        let mut pairs = Vec::new();
        for &edge in edges {
            let edge = self.program.edge(edge);
            let (source, target) = (numbers[&edge.source], numbers[&edge.target]);
            if children.iter().any(|child| child.contains_edge(edge)) {
                continue;
            }
            pairs.push((source, target));
        }
        let graph = Digraph::new(cycle.members.len(), pairs.iter().copied());
        !graph.on_cycles().contains(&true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramBuilder;
    use crate::simplify::globals::modified_globals;
    use regatta_term::{Build, store};

    const INT: Sort = Sort::BitVec(32);
    const LARGEST: u128 = u32::MAX as u128;

    fn termination(program: &Program) -> Termination {
        let graph = Graph::new(program);
        let calls = CallGraph::new(program);
        let cut_points = CutPoints::new(program, &calls);
        let modified = modified_globals(program, &calls);
        let mut uses = VariableUse::new(program);
        Termination::new(program, &graph, &calls, &cut_points, &modified, &mut uses)
    }

    fn number(value: u128) -> TermId {
        store().bv(32, value)
    }

    /// Returns for each loop of the built program, outer ones first, whether it is proved to terminate. The variables `i`,
    /// `n` and `x` have unknown values.
    fn loops(make: impl FnOnce(&mut ProgramBuilder, [VariableId; 3])) -> Vec<bool> {
        let mut b = ProgramBuilder::new();
        let variables = ["i", "n", "x"].map(|name| b.global(name, INT));
        make(&mut b, variables);
        termination(&b.finish()).loops
    }

    fn grow(b: &mut ProgramBuilder, variable: VariableId, amount: i128) {
        let sum = store().add(b.value(variable), store().bv_signed(32, amount));
        b.assign(variable, sum);
    }

    /// Whether the loop that adds the amount to `i` while the condition on `i` and `n` holds is proved to terminate.
    fn ends(condition: impl FnOnce(TermId, TermId) -> TermId, amount: i128) -> bool {
        let loops = loops(|b, [i, n, _]| {
            let condition = condition(b.value(i), b.value(n));
            b.repeat_while(condition, |b| grow(b, i, amount));
        });
        assert_eq!(loops.len(), 1);
        loops[0]
    }

    #[test]
    fn a_counter_comes_to_its_bound() {
        let pool = store();
        assert!(ends(|i, n| pool.ult(i, n), 1));
        assert!(ends(|i, n| pool.slt(n, i), -1));
        assert!(ends(|i, _| pool.ult(i, number(LARGEST - 1)), 2));
        assert!(ends(|i, _| pool.slt(number(5), i), -3));
        assert!(ends(|i, n| pool.ne(i, n), 3));
        // The step may miss the bound, or lead away from it.
        assert!(!ends(|i, n| pool.ult(i, n), 2));
        assert!(!ends(|i, n| pool.slt(n, i), -2));
        assert!(!ends(|i, n| pool.ule(i, n), 1));
        assert!(!ends(|i, n| pool.sle(n, i), -1));
        assert!(!ends(|i, _| pool.ult(i, number(LARGEST - 1)), 3));
        assert!(!ends(|i, _| pool.slt(number(0x8000_0001), i), -3));
        assert!(!ends(|i, n| pool.ne(i, n), 2));
        assert!(!ends(|i, _| pool.ult(i, number(9)), -1));
        assert!(!ends(|i, n| pool.ult(i, n), 0));
    }

    #[test]
    fn every_iteration_has_the_condition_and_the_step() {
        let below = |b: &ProgramBuilder, i| store().ult(b.value(i), number(10));
        let open = |b: &ProgramBuilder, x| store().eq(b.value(x), number(3));
        // A step on one of two paths, and two steps.
        let one_way = loops(|b, [i, _, x]| {
            b.repeat_while(below(b, i), |b| {
                b.branch(open(b, x), |b| grow(b, i, 1), |_| {});
            });
        });
        assert_eq!(one_way, [false]);
        let two_steps = loops(|b, [i, ..]| {
            b.repeat_while(below(b, i), |b| {
                grow(b, i, 1);
                grow(b, i, -1);
            });
        });
        assert_eq!(two_steps, [false]);
        // The bound changes.
        let moving = loops(|b, [i, n, _]| {
            b.repeat_while(store().ult(b.value(i), b.value(n)), |b| {
                grow(b, i, 1);
                grow(b, n, 1);
            });
        });
        assert_eq!(moving, [false]);
        // Only one of two edges that stay in the loop has the condition.
        let one_edge = loops(|b, [i, _, x]| {
            let (head, body, end) = (b.new_location(), b.new_location(), b.new_location());
            let conditions = [below(b, i), open(b, x), store().not(below(b, i))];
            b.jump(head);
            for (condition, to) in conditions.into_iter().zip([body, body, end]) {
                b.edge(head, to, vec![Operation::Assume(condition)]);
            }
            b.at(body);
            grow(b, i, 1);
            b.jump(head);
            b.at(end);
        });
        assert_eq!(one_edge, [false]);
    }

    #[test]
    fn inner_loops_must_terminate() {
        let below = |b: &ProgramBuilder, i| store().ult(b.value(i), number(10));
        let both = loops(|b, [i, n, _]| {
            b.repeat_while(below(b, i), |b| {
                b.assign(n, number(0));
                b.repeat_while(below(b, n), |b| grow(b, n, 1));
                grow(b, i, 1);
            });
        });
        assert_eq!(both, [true, true]);
        let outer = loops(|b, [i, n, x]| {
            b.repeat_while(below(b, i), |b| {
                b.repeat_while(below(b, n), |b| grow(b, x, 1));
                grow(b, i, 1);
            });
        });
        assert_eq!(outer, [false, false]);
        // The outer loop's step is in the inner loop, and so happens any number of times.
        let within = loops(|b, [i, n, _]| {
            b.repeat_while(store().ne(b.value(i), number(10)), |b| {
                b.repeat_while(below(b, n), |b| {
                    grow(b, n, 1);
                    grow(b, i, 1);
                });
            });
        });
        assert_eq!(within, [false, true]);
    }

    #[test]
    fn an_irreducible_loop_is_not_proved_to_terminate() {
        let program = |second: bool| {
            loops(|b, [i, n, x]| {
                let (head, middle, end) = (b.new_location(), b.new_location(), b.new_location());
                let condition = store().ult(b.value(i), number(10));
                let open = store().eq(b.value(x), number(3));
                let start = b.cursor();
                b.edge(start, head, vec![Operation::Assume(open)]);
                if second {
                    b.edge(start, middle, vec![Operation::Assume(store().not(open))]);
                }
                b.edge(head, middle, vec![Operation::Assume(condition)]);
                b.edge(head, end, vec![Operation::Assume(store().not(condition))]);
                b.at(middle);
                grow(b, i, 1);
                b.jump(head);
                b.at(end);
                grow(b, n, 1);
            })
        };
        assert_eq!(program(false), [true]);
        assert_eq!(program(true), [false]);
    }

    /// For a program that calls the built function in a loop that counts to ten: whether the loop and the function are
    /// proved to terminate.
    fn with_function(make: impl FnOnce(&mut ProgramBuilder, FunctionId, VariableId)) -> [bool; 2] {
        let mut b = ProgramBuilder::new();
        let i = b.global("i", INT);
        let f = b.function("f", &[], &[]);
        b.assign(i, number(0));
        b.repeat_while(store().ult(b.value(i), number(10)), |b| {
            b.call(f, vec![], vec![]);
            grow(b, i, 1);
        });
        b.enter(f);
        make(&mut b, f, i);
        b.leave();
        let program = b.finish();
        let result = termination(&program);
        let outermost = result.loops.iter().enumerate();
        let calls = CallGraph::new(&program);
        let cut_points = CutPoints::new(&program, &calls);
        let is_first =
            |index: usize| cut_points.get(LoopId(index as u32)).function == program.start;
        let mut first = outermost.filter(|&(index, _)| is_first(index));
        [*first.next().expect("a loop").1, result.total[f.index()]]
    }

    #[test]
    fn functions_are_total_if_their_loops_and_callees_terminate() {
        let open = |b: &ProgramBuilder, i| store().eq(b.value(i), number(3));
        assert_eq!(with_function(|_, _, _| {}), [true, true]);
        // The function may change the counter.
        assert_eq!(with_function(|b, _, i| grow(b, i, -1)), [false, true]);
        // The function may block, call itself, or loop for ever; or a callee may block.
        assert_eq!(
            with_function(|b, _, i| b.assume(open(b, i))),
            [false, false]
        );
        let recursive = with_function(|b, f, i| {
            b.branch(open(b, i), |b| b.call(f, vec![], vec![]), |_| {});
        });
        assert_eq!(recursive, [false, false]);
        let busy = with_function(|b, _, i| b.repeat_while(open(b, i), |_| {}));
        assert_eq!(busy, [false, false]);
        let calling = with_function(|b, _, i| {
            let g = b.function("g", &[], &[]);
            b.call(g, vec![], vec![]);
            b.leave();
            b.enter(g);
            b.assume(open(b, i));
        });
        assert_eq!(calling, [false, false]);
    }
}
