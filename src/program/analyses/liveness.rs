//! Strong liveness of variables (Giegerich, Möncke and Wilhelm).
//!
//! A variable is live at a location if an operation that decides whether and how execution continues (an assumption, or
//! an allocation or deallocation) may read its value there, directly or through assignments to live variables; a variable
//! that feeds only itself is dead. The analysis is insensitive to calling contexts: a variable that is live after one call
//! of a function counts as live after all of them.
//!
//! The live variables of a location are a row of bits. Only variables that are read on some edge before that edge writes
//! them get a bit, which leaves out most temporaries.

use super::variables::VariableUse;
use crate::call_graph::CallGraph;
use crate::cfa::*;
use crate::graph::{Graph, goes_on};

/// The live variables of every location of the reachable functions.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// The bit of each variable. The globals come first, in every function; the locals of a function follow.
    bits: Vec<u32>,
    /// The globals with a bit, by bit.
    globals: Vec<VariableId>,
    /// The locals with a bit, by function and bit.
    locals: Vec<Vec<VariableId>>,
    /// For each location the index in `words` of its row, and the row's number of words.
    rows: Vec<(u32, u32)>,
    words: Vec<u64>,
}

/// Marks a variable without a bit: it is never live between two edges.
const NO_BIT: u32 = u32::MAX;

impl Liveness {
    /// The live variables of the program.
    pub fn new(
        program: &Program,
        graph: &Graph,
        calls: &CallGraph,
        uses: &mut VariableUse,
    ) -> Self {
        let mut solver = Solver::new(program, graph, calls, uses);
        solver.solve();
        solver.result
    }

    /// Makes global variables live at every location of the reachable functions.
    pub fn keep(&mut self, variables: impl IntoIterator<Item = VariableId>) {
        for variable in variables {
            let bit = self.bits[variable.index()];
            if self.globals.get(bit as usize) != Some(&variable) {
                continue;
            }
            for &(start, words) in &self.rows {
                let row = &mut self.words[start as usize..(start + words) as usize];
                set_bit(row, bit, true);
            }
        }
    }

    /// Whether the variable, a global or a local of the location's function, is live at the location.
    pub fn is_live(&self, location: LocationId, variable: VariableId) -> bool {
        let (start, words) = self.rows[location.index()];
        let bit = self.bits[variable.index()];
        // A local of another function may have a bit beyond the row.
        bit / 64 < words && self.words[(start + bit / 64) as usize] & 1 << (bit % 64) != 0
    }

    /// The live variables of the location, globals first.
    pub fn live(
        &self,
        program: &Program,
        location: LocationId,
    ) -> impl Iterator<Item = VariableId> + '_ {
        let (start, words) = self.rows[location.index()];
        let row = &self.words[start as usize..(start + words) as usize];
        let locals = &self.locals[program.location(location).function.index()];
        row.iter().enumerate().flat_map(move |(index, &word)| {
            let mut word = word;
            std::iter::from_fn(move || {
                if word == 0 {
                    return None;
                }
                let bit = index * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                let global = self.globals.get(bit).copied();
                Some(global.unwrap_or_else(|| locals[bit - self.globals.len()]))
            })
        })
    }

    /// Returns for each operation of the edge, which is not a call, whether it is needed: whether its target is live after
    /// it, or it has no target.
    pub fn needed(
        &self,
        program: &Program,
        edge: &Edge,
        uses: &mut VariableUse,
        scratch: &mut Scratch,
    ) -> Vec<bool> {
        scratch.start(program.variables.len());
        let mut needed = vec![true; edge.operations.len()];
        for (index, operation) in edge.operations.iter().enumerate().rev() {
            if let Some(target) = target(program, operation) {
                let after = || goes_on(edge) && self.is_live(edge.target, target);
                if !scratch.get(target).unwrap_or_else(after) {
                    needed[index] = false;
                    continue;
                }
                if !matches!(operation, Operation::Store { .. }) {
                    scratch.set(target, false);
                }
            }
            for term in operation.terms() {
                for &variable in uses.of(term) {
                    scratch.set(variable, true);
                }
            }
        }
        needed
    }
}

/// The variable that an operation other than a call changes.
fn target(program: &Program, operation: &Operation) -> Option<VariableId> {
    match operation {
        Operation::Assign { target, .. } | Operation::Havoc { target, .. } => Some(*target),
        Operation::Store { region, .. } => Some(program.region(*region).variable),
        _ => None,
    }
}

/// The liveness of variables within an edge, during a backward pass over its operations; reused for many edges.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    epoch: u32,
    marks: Vec<(u32, bool)>,
}

impl Scratch {
    fn start(&mut self, variables: usize) {
        self.marks.resize(variables, (0, false));
        self.epoch += 1;
    }

    fn get(&self, variable: VariableId) -> Option<bool> {
        let (epoch, live) = self.marks[variable.index()];
        (epoch == self.epoch).then_some(live)
    }

    fn set(&mut self, variable: VariableId, live: bool) {
        self.marks[variable.index()] = (self.epoch, live);
    }
}

/// The reads and writes of an operation.
struct Effect {
    /// The variable that it changes.
    target: Option<VariableId>,
    /// Whether it changes all of the variable.
    extent: Extent,
    /// The index in [`Solver::reads`] of the first variable that it reads.
    reads: u32,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Extent {
    Whole,
    Part,
}

struct Solver<'a> {
    program: &'a Program,
    graph: &'a Graph,
    calls: &'a CallGraph,
    uses: &'a mut VariableUse,
    result: Liveness,
    scratch: Scratch,
    /// For each edge the index of its first effect.
    starts: Vec<u32>,
    effects: Vec<Effect>,
    reads: Vec<VariableId>,
    row: Vec<u64>,
    spare: Vec<u64>,
}

impl<'a> Solver<'a> {
    fn new(
        program: &'a Program,
        graph: &'a Graph,
        calls: &'a CallGraph,
        uses: &'a mut VariableUse,
    ) -> Self {
        let exposed = exposed(program, calls, uses);
        let mut bits = vec![NO_BIT; program.variables.len()];
        let mut globals = Vec::new();
        let mut locals = vec![Vec::new(); program.functions.len()];
        for (index, variable) in program.variables.iter().enumerate() {
            if exposed[index] && variable.scope == Scope::Global {
                bits[index] = globals.len() as u32;
                globals.push(VariableId(index as u32));
            }
        }
        for (index, variable) in program.variables.iter().enumerate() {
            if let (true, Scope::Local(function)) = (exposed[index], variable.scope) {
                let own = &mut locals[function.index()];
                bits[index] = (globals.len() + own.len()) as u32;
                own.push(VariableId(index as u32));
            }
        }
        let mut rows = vec![(0, 0); program.locations.len()];
        let mut size = 0;
        for (index, location) in program.locations.iter().enumerate() {
            if calls.is_reachable(location.function) {
                let words =
                    (globals.len() + locals[location.function.index()].len()).div_ceil(64) as u32;
                rows[index] = (size, words);
                size += words;
            }
        }
        Self {
            program,
            graph,
            calls,
            uses,
            result: Liveness {
                bits,
                globals,
                locals,
                rows,
                words: vec![0; size as usize],
            },
            scratch: Scratch::default(),
            starts: Vec::new(),
            effects: Vec::new(),
            reads: Vec::new(),
            row: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Lists the reads and writes of all operations, which are needed several times.
    fn list_effects(&mut self) {
        for edge in &self.program.edges {
            self.starts.push(self.effects.len() as u32);
            for operation in &edge.operations {
                let part = matches!(operation, Operation::Store { .. });
                self.effects.push(Effect {
                    target: target(self.program, operation),
                    extent: if part { Extent::Part } else { Extent::Whole },
                    reads: self.reads.len() as u32,
                });
                for term in operation.terms() {
                    self.reads.extend_from_slice(self.uses.of(term));
                }
            }
        }
        self.starts.push(self.effects.len() as u32);
        let end = self.reads.len() as u32;
        self.effects.push(Effect {
            target: None,
            extent: Extent::Whole,
            reads: end,
        });
    }

    fn solve(&mut self) {
        self.list_effects();
        let program = self.program;
        // Postorder within functions, callers before callees: the variables live after a call are mostly known when the
        // callee is visited.
        let entries = self
            .calls
            .bottom_up()
            .iter()
            .map(|function| program.function(*function).entry.0);
        let mut order = program.intraprocedural().reverse_postorder(entries);
        order.reverse();
        let mut position = vec![u32::MAX; program.locations.len()];
        for (index, &location) in order.iter().enumerate() {
            position[location as usize] = index as u32;
        }
        let mut dirty = vec![true; order.len()];
        let mut any = true;
        while any {
            any = false;
            for index in 0..order.len() {
                if !std::mem::replace(&mut dirty[index], false) {
                    continue;
                }
                let location = LocationId(order[index]);
                if !self.update(location) {
                    continue;
                }
                let mut wake = |location: LocationId| {
                    let at = position[location.index()];
                    if at != u32::MAX {
                        dirty[at as usize] = true;
                        any |= at as usize <= index;
                    }
                };
                for &edge in self.graph.incoming(location) {
                    let edge = program.edge(edge);
                    wake(edge.source);
                    if let Some(Operation::Call { callee, .. }) = edge.operations.first() {
                        wake(program.function(*callee).exit);
                    }
                }
                let function = program.location(location).function;
                if location == program.function(function).entry {
                    for &call in self.calls.calls_of(function) {
                        wake(program.edge(call).source);
                    }
                }
            }
        }
    }

    /// Recomputes the location's row; returns whether it has grown.
    fn update(&mut self, location: LocationId) -> bool {
        let program = self.program;
        let (start, words) = self.result.rows[location.index()];
        self.row.clear();
        self.row.resize(words as usize, 0);
        let function = program.location(location).function;
        if location == program.function(function).exit {
            self.at_exit(function);
        }
        for &id in self.graph.outgoing(location) {
            let edge = program.edge(id);
            match edge.operations.first() {
                Some(Operation::Call {
                    callee,
                    arguments,
                    results,
                }) => {
                    self.across_call(edge, *callee, arguments, results);
                }
                _ => self.across(id, edge),
            }
        }
        let old = &mut self.result.words[start as usize..(start + words) as usize];
        let mut grown = false;
        for (old, new) in old.iter_mut().zip(&self.row) {
            grown |= new & !*old != 0;
            *old |= new;
        }
        grown
    }

    fn across(&mut self, id: EdgeId, edge: &Edge) {
        self.scratch.start(self.program.variables.len());
        let mut row = std::mem::take(&mut self.spare);
        row.clear();
        if goes_on(edge) {
            let (start, words) = self.result.rows[edge.target.index()];
            row.extend_from_slice(&self.result.words[start as usize..(start + words) as usize]);
        } else {
            row.resize(self.row.len(), 0);
        }
        let effects = self.starts[id.index()] as usize..self.starts[id.index() + 1] as usize;
        for index in effects.rev() {
            let Effect {
                target,
                extent,
                reads,
            } = self.effects[index];
            if let Some(target) = target {
                let bit = self.result.bits[target.index()];
                let live = match bit {
                    NO_BIT => self.scratch.get(target) == Some(true),
                    bit => get_bit(&row, bit),
                };
                if !live {
                    continue;
                }
                if extent == Extent::Whole {
                    self.mark(&mut row, target, false);
                }
            }
            for read in reads as usize..self.effects[index + 1].reads as usize {
                self.mark(&mut row, self.reads[read], true);
            }
        }
        self.merge(&row);
        self.spare = row;
    }

    fn mark(&mut self, row: &mut [u64], variable: VariableId, live: bool) {
        match self.result.bits[variable.index()] {
            NO_BIT => self.scratch.set(variable, live),
            bit => set_bit(row, bit, live),
        }
    }

    fn across_call(
        &mut self,
        edge: &Edge,
        callee: FunctionId,
        arguments: &[regatta_term::TermId],
        results: &[VariableId],
    ) {
        let program = self.program;
        let globals = self.result.globals.len();
        let entry = program.function(callee).entry;
        // A local that is live after the call is live before it, unless it is a result; globals go through the callee.
        let mut before = self.copy(edge.target);
        for &result in results {
            set_bit(&mut before, self.result.bits[result.index()], false);
        }
        keep_from(&mut before, globals);
        let mut through = self.copy(entry);
        keep_below(&mut through, globals);
        for (word, through) in before.iter_mut().zip(through) {
            *word |= through;
        }
        for (&argument, &parameter) in arguments.iter().zip(&program.function(callee).parameters) {
            if self.result.is_live(entry, parameter) {
                for &variable in self.uses.of(argument) {
                    set_bit(&mut before, self.result.bits[variable.index()], true);
                }
            }
        }
        self.merge(&before);
    }

    /// Merges the variables that are live after any of the function's calls into the row of its exit.
    fn at_exit(&mut self, function: FunctionId) {
        let program = self.program;
        let globals = self.result.globals.len();
        for &call in self.calls.calls_of(function) {
            let edge = program.edge(call);
            if !self
                .calls
                .is_reachable(program.location(edge.source).function)
            {
                continue;
            }
            let Some(Operation::Call { results, .. }) = edge.operations.first() else {
                continue;
            };
            let mut after = self.copy(edge.target);
            let returned: Vec<VariableId> = results
                .iter()
                .zip(&program.function(function).results)
                .filter(|&(&result, _)| get_bit(&after, self.result.bits[result.index()]))
                .map(|(_, &from)| from)
                .collect();
            for &result in results {
                set_bit(&mut after, self.result.bits[result.index()], false);
            }
            keep_below(&mut after, globals);
            after.resize(self.row.len(), 0);
            for from in returned {
                let bit = self.result.bits[from.index()];
                set_bit(&mut after, bit, true);
            }
            self.merge(&after);
        }
    }

    fn copy(&self, location: LocationId) -> Vec<u64> {
        let (start, words) = self.result.rows[location.index()];
        self.result.words[start as usize..(start + words) as usize].to_vec()
    }

    fn merge(&mut self, row: &[u64]) {
        for (word, new) in self.row.iter_mut().zip(row) {
            *word |= new;
        }
    }
}

fn get_bit(row: &[u64], bit: u32) -> bool {
    row.get(bit as usize / 64)
        .is_some_and(|word| word & 1 << (bit % 64) != 0)
}

fn set_bit(row: &mut [u64], bit: u32, value: bool) {
    if let Some(word) = row.get_mut(bit as usize / 64) {
        *word = *word & !(1 << (bit % 64)) | u64::from(value) << (bit % 64);
    }
}

/// Clears the bits from the given one on.
fn keep_below(row: &mut [u64], bit: usize) {
    for (index, word) in row.iter_mut().enumerate() {
        match (bit).saturating_sub(index * 64) {
            64.. => {}
            kept => *word &= (1 << kept) - 1,
        }
    }
}

/// Clears the bits below the given one.
fn keep_from(row: &mut [u64], bit: usize) {
    for (index, word) in row.iter_mut().enumerate() {
        match (bit).saturating_sub(index * 64) {
            64.. => *word = 0,
            cleared => *word &= !((1 << cleared) - 1),
        }
    }
}

/// The variables that can be live between two edges: read on some edge before that edge writes them, or a result.
fn exposed(program: &Program, calls: &CallGraph, uses: &mut VariableUse) -> Vec<bool> {
    let mut exposed = vec![false; program.variables.len()];
    let mut written = vec![u32::MAX; program.variables.len()];
    for (index, edge) in program.edges.iter().enumerate() {
        if !calls.is_reachable(program.location(edge.source).function) {
            continue;
        }
        for operation in &edge.operations {
            for term in operation.terms() {
                for &variable in uses.of(term) {
                    exposed[variable.index()] |= written[variable.index()] != index as u32;
                }
            }
            match operation {
                // A store overwrites only a part: the old contents are read if the new ones are.
                Operation::Store { region, .. } => {
                    let variable = program.region(*region).variable;
                    exposed[variable.index()] |= written[variable.index()] != index as u32;
                }
                Operation::Call { .. } => {}
                _ => operation
                    .written(program)
                    .for_each(|variable| written[variable.index()] = index as u32),
            }
        }
    }
    for function in calls.bottom_up() {
        for &result in &program.function(*function).results {
            exposed[result.index()] = true;
        }
    }
    exposed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramBuilder;
    use regatta_term::{Build, Sort, store};

    const INT: Sort = Sort::BitVec(32);

    fn live_at(program: &Program, location: LocationId) -> Vec<&str> {
        let mut uses = VariableUse::new(program);
        let liveness = Liveness::new(
            program,
            &Graph::new(program),
            &CallGraph::new(program),
            &mut uses,
        );
        liveness
            .live(program, location)
            .map(|v| program.variable(v).name.as_str())
            .collect()
    }

    #[test]
    fn a_variable_that_feeds_only_itself_is_dead() {
        let mut b = ProgramBuilder::new();
        let (x, y) = (b.global("x", INT), b.global("y", INT));
        let (one, ten) = (store().bv(32, 1), store().bv(32, 10));
        let start = b.cursor();
        b.repeat_while(store().ult(b.value(x), ten), |b| {
            b.assign(y, store().add(b.value(y), one));
            b.assign(x, store().add(b.value(x), one));
        });
        assert_eq!(live_at(&b.finish(), start), ["x"]);
    }

    #[test]
    fn a_history_variable_lives_as_long_as_what_it_is_about() {
        let mut b = ProgramBuilder::new();
        let (x, last) = (b.global("x", INT), b.global("last", INT));
        let number = |value| store().bv(32, value);
        let start = b.cursor();
        b.repeat_while(store().ult(b.value(x), number(10)), |b| {
            let is_even = store().eq(store().bvand(b.value(x), number(1)), number(0));
            b.assign(last, store().ite(is_even, b.value(x), b.value(last)));
            b.assign(x, store().add(b.value(x), number(1)));
        });
        let mut program = b.finish();
        assert_eq!(live_at(&program, start), ["x"]);
        program.variables[last.index()].role = Role::History(x);
        assert_eq!(live_at(&program, start), ["x", "last"]);
    }

    #[test]
    fn globals_pass_through_calls_and_locals_pass_by() {
        let mut b = ProgramBuilder::new();
        let (g, h) = (b.global("g", INT), b.global("h", INT));
        let start = b.start();
        let (local, result) = (b.local(start, "l", INT), b.local(start, "r", INT));
        let f = b.function("f", &[("p", INT)], &[("q", INT)]);
        let before = b.cursor();
        b.call(f, vec![b.value(h)], vec![result]);
        let sum = store().add(store().add(b.value(g), b.value(local)), b.value(result));
        b.assume(store().eq(sum, store().bv(32, 0)));
        b.enter(f);
        b.assign(b.result(f, 0), b.value(b.parameter(f, 0)));
        b.leave();
        let program = b.finish();
        assert_eq!(live_at(&program, before), ["g", "h", "start::l"]);
        assert_eq!(live_at(&program, program.function(f).exit), ["g", "f::q"]);
    }

    #[test]
    fn a_global_that_the_callee_overwrites_is_dead_before_the_call() {
        let mut b = ProgramBuilder::new();
        let (g, h) = (b.global("g", INT), b.global("h", INT));
        let f = b.function("f", &[], &[]);
        let before = b.cursor();
        b.call(f, vec![], vec![]);
        b.assume(store().eq(b.value(g), store().bv(32, 0)));
        b.enter(f);
        b.assign(g, b.value(h));
        b.leave();
        assert_eq!(live_at(&b.finish(), before), ["h"]);
    }
}
