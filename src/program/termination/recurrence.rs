//! States that come again.
//!
//! At each visit of a loop's head, the program of the question may save the values of the variables on which the rest of the
//! execution depends. If they are the same at a later visit, without the loop having been left in between, an error is
//! reached: from there the same inputs lead to the same state again, and so for ever.
//!
//! Of the variables that are live at the head ([`Liveness`]: those that may decide whether and how the execution goes on) the
//! ones that the loop changes are compared. So are the variables on which the loop's accesses and divisions depend directly,
//! since these have to stay defined. Memory is not compared: it is required that each cell that a round writes holds
//! the value already. The frames of callers stay as they are while the loop is not left, and those of callees are gone at
//! the head, unless the loop's function is recursive: then nothing is asked.

use rustc_hash::FxHashSet;

use super::Obstacle;
use super::loops::{Detour, Loops, failure, ghost, lead, value};
use crate::cfa::*;
use crate::cut_points::{Loop, LoopShape};
use crate::external::{External, ExternalKind};
use crate::graph::Graph;
use crate::liveness::Liveness;
use crate::variables::VariableUse;
use regatta_base::source::Span;
use regatta_term::{Build, Op, Sort, TermId, TermKind, for_each_subterm, store};

/// The program in which an error is reached when a state comes again. What were errors before are ends of executions.
///
/// # Errors
/// When an execution that comes back to a state need not go on for ever.
pub fn recurrence(program: &Program) -> Result<Program, Obstacle> {
    if program.externals.iter().any(may_not_return) {
        return Err(Obstacle(
            "it is not known whether a function without a definition returns",
        ));
    }
    let mut result = program.clone();
    result.retain_errors(|_| false);
    let loops = Loops::new(program);
    let graph = Graph::new(program);
    let mut uses = VariableUse::new(program);
    let liveness = Liveness::new(program, &graph, &loops.calls, &mut uses);
    let mut question = Question {
        result,
        loops: &loops,
        liveness: &liveness,
        uses,
        edges: program.edges.len(),
    };
    for (number, cycle) in loops.all().iter().enumerate() {
        let is_natural = cycle.shape == LoopShape::Natural;
        let is_recursive = loops.calls.is_recursive(cycle.function);
        if is_natural && !is_recursive && !changes_heap(&loops, cycle) {
            question.ask(number, cycle);
        }
    }
    Ok(question.result)
}

/// Whether a call of the function may be the last thing that an execution does, although the program as lowered goes on.
fn may_not_return(external: &External) -> bool {
    match external.kind {
        ExternalKind::Function { is_library, .. } => {
            !is_library && !external.name.starts_with("__VERIFIER_nondet")
        }
        _ => false,
    }
}

/// Whether a round may make or free objects of the heap. Which of them are live is not compared.
fn changes_heap(loops: &Loops<'_>, cycle: &Loop) -> bool {
    let is_change = |operation: &Operation| {
        matches!(
            operation,
            Operation::Allocate {
                lifetime: Lifetime::Heap,
                ..
            } | Operation::Free {
                lifetime: Lifetime::Heap,
                ..
            }
        )
    };
    let mut edges = loops.edges_in(cycle).into_iter();
    edges.any(|edge| loops.program.edge(edge).operations.iter().any(is_change))
}

/// The program in the making.
struct Question<'l, 'p> {
    result: Program,
    loops: &'l Loops<'p>,
    liveness: &'l Liveness,
    uses: VariableUse,
    /// The number of edges of the original program.
    edges: usize,
}

impl Question<'_, '_> {
    fn ask(&mut self, number: usize, cycle: &Loop) {
        let relevant = self.relevant(cycle);
        let is_memory = |variable: &VariableId| {
            let sort = self.loops.program.variable(*variable).sort;
            matches!(sort, Sort::Array { .. })
        };
        let (memory, scalars): (Vec<_>, Vec<_>) = relevant.into_iter().partition(is_memory);
        let program = &mut self.result;
        let is_saved = ghost(
            program,
            format!("loop {number} is saved"),
            Sort::Bool,
            Scope::Global,
        );
        let saved: Vec<(VariableId, VariableId)> = scalars
            .iter()
            .map(|&variable| {
                let Variable { name, sort, .. } = program.variable(variable).clone();
                let name = format!("loop {number} saved {name}");
                let scope = Scope::Local(cycle.function);
                (variable, ghost(program, name, sort, scope))
            })
            .collect();
        self.watch_memory(cycle, &memory, is_saved);
        let program = &mut self.result;
        let (entries, rounds) = (
            program.add_location_like(cycle.head),
            program.add_location_like(cycle.head),
        );
        let visit = program.add_location_like(cycle.head);
        lead(program, self.edges, cycle, &Detour { entries, rounds });
        let forget = vec![assign(is_saved, TermId::FALSE)];
        program.connect(entries, visit, forget);
        let same = saved
            .iter()
            .map(|&(variable, saved)| store().eq(value(program, variable), value(program, saved)));
        let same: Vec<TermId> = same.collect();
        let same = store().and2(value(program, is_saved), store().and(same));
        let error = failure(program, cycle.head);
        program.connect(rounds, error, vec![Operation::Assume(same)]);
        let differs = store().not(same);
        program.connect(rounds, visit, vec![Operation::Assume(differs)]);
        self.save(number, cycle, visit, &saved, is_saved);
    }

    /// Saves the values or keeps those that are saved already.
    fn save(
        &mut self,
        number: usize,
        cycle: &Loop,
        visit: LocationId,
        saved: &[(VariableId, VariableId)],
        is_saved: VariableId,
    ) {
        let program = &mut self.result;
        let input = InputId(program.inputs.len() as u32);
        program.inputs.push(Input {
            kind: InputKind::MemoryModel,
            sort: Sort::Bool,
            c_type: None,
            part: None,
            span: Span::NONE,
        });
        let name = format!("loop {number} keeps");
        let keeps = ghost(program, name, Sort::Bool, Scope::Local(cycle.function));
        let chosen = program.add_location_like(cycle.head);
        let choose = Operation::Havoc {
            target: keeps,
            input,
        };
        program.connect(visit, chosen, vec![choose]);
        let keep = value(program, keeps);
        program.connect(chosen, cycle.head, vec![Operation::Assume(keep)]);
        let mut save = vec![Operation::Assume(store().not(keep))];
        let values = saved.iter();
        save.extend(values.map(|&(variable, saved)| assign(saved, value(program, variable))));
        save.push(assign(is_saved, TermId::TRUE));
        program.connect(chosen, cycle.head, save);
    }

    /// The variables that have to be the same, by number.
    fn relevant(&mut self, cycle: &Loop) -> Vec<VariableId> {
        let accessed = self.accessed(cycle);
        let mut relevant = self.loops.modified(cycle);
        relevant.retain(|&variable| {
            self.liveness.is_live(cycle.head, variable) || accessed.contains(&variable)
        });
        relevant
    }

    /// The variables on which accesses and divisions of the loop depend directly.
    fn accessed(&mut self, cycle: &Loop) -> FxHashSet<VariableId> {
        let mut accessed = FxHashSet::default();
        for edge in self.loops.edges_in(cycle) {
            for operation in &self.loops.program.edge(edge).operations {
                let mut operands = Vec::new();
                if let Operation::Store { index, .. } = operation {
                    operands.push(*index);
                }
                for_each_subterm(store(), operation.terms(), |_, kind| {
                    if let TermKind::Apply { op, arguments } = kind
                        && can_fault(op)
                    {
                        operands.extend(&arguments[1..]);
                    }
                });
                for operand in operands {
                    accessed.extend(self.uses.of(operand));
                }
            }
        }
        accessed
    }

    /// Forgets what is saved when a round changes the memory.
    fn watch_memory(&mut self, cycle: &Loop, memory: &[VariableId], is_saved: VariableId) {
        let saved = value(&self.result, is_saved);
        for id in self.loops.edges_in(cycle) {
            let mut operations = Vec::new();
            // Loops around this one may watch the edge as well.
            for operation in std::mem::take(&mut self.result.edges[id.index()].operations) {
                let program = &self.result;
                match &operation {
                    Operation::Store {
                        region,
                        index,
                        value: element,
                    } if memory.contains(&program.region(*region).variable) => {
                        let contents = value(program, program.region(*region).variable);
                        let before = store().select(contents, *index);
                        let stays = store().eq(before, *element);
                        operations.push(assign(is_saved, store().and2(saved, stays)));
                    }
                    Operation::Assign { target, .. } | Operation::Havoc { target, .. }
                        if memory.contains(target) =>
                    {
                        operations.push(assign(is_saved, TermId::FALSE));
                    }
                    _ => {}
                }
                operations.push(operation);
            }
            self.result.edges[id.index()].operations = operations;
        }
    }
}

fn assign(target: VariableId, value: TermId) -> Operation {
    Operation::Assign { target, value }
}

/// Whether the operator is undefined in C for some values of its operands after the first one.
const fn can_fault(op: Op) -> bool {
    matches!(
        op,
        Op::Select
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr
    )
}
