//! Encoding of the program as Horn clauses: a predicate for each cut point, and a summary for each recursive function.
//!
//! At a cut point of the start function's activation (whose calls are inlined, except recursive ones) a predicate is over
//! the current state. In an activation of a recursive function it is also over the state at the function's entry, so that
//! the predicate of the exit is the function's *summary*, a relation between the states at entry and exit. Globals that the
//! function cannot change are equal in both states.
//!
//! A call of a recursive function leads to its return location, in a state that the summary relates to the state at the
//! call. The states in which the function's body is entered are a choice ([`Contexts`]).

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use regatta_certify::certificate::AT_ENTRY as ENTRY;
use regatta_program::block::{Block, BlockEnd, Blocks};
use regatta_program::{
    EdgeId, FunctionId, InlinedLocation, InlinedProgram, Operation, Program, Scope, VariableId,
};
use regatta_sharing::taken::Taken;
use regatta_sharing::{BatchId, Snapshot};
use regatta_solver::horn::{Application, HornClause, HornSystem, Predicate, PredicateId};
use regatta_term::{
    Arena, Build, Op, Pool, Rebuild, Sort, Symbol, TermId, TermKind, free_variables, store,
};

/// The entry states for which the body of a recursive function is analysed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Contexts {
    /// All states: summaries do not depend on the callers. Targets in the function are handled by a second copy of its
    /// clauses, which is entered by real calls, and whose predicates need not know the entry state.
    Any,
    /// The states of real calls.
    Called,
}

/// The purpose of a predicate.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// States reachable from the program's start.
    Path,
    /// States reachable from any state at the entry of a recursive function.
    Summary,
}

/// The location of a predicate in a layer.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The layer.
    pub layer: Layer,
    /// The location.
    pub at: InlinedLocation,
}

/// The clauses of a program.
pub struct Encoding {
    /// The entry states for which the bodies of functions are analysed.
    pub contexts: Contexts,
    /// The arena of the terms.
    pub arena: Rc<Arena>,
    /// The clauses.
    pub system: HornSystem,
    /// The places of the predicates, in order.
    pub places: Vec<Place>,
    /// The next unused instance of variables.
    pub fresh: u32,
    /// The batches of invariants that clauses assume, if any.
    pub relies_on: Option<(Arc<Snapshot>, Vec<BatchId>)>,
}

impl Encoding {
    /// For each predicate, returns whether it occurs in a clause.
    pub fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.places.len()];
        for clause in &self.system.clauses {
            for application in clause.body.iter().chain(&clause.head) {
                used[application.predicate.index()] = true;
            }
        }
        used
    }

    /// Adds the invariants of other analyses to the bodies of the clauses, so that solutions need not contain them. Later
    /// invariants are only for new queries, because Z3's engine is not incremental.
    ///
    /// Only programs without recursion have such invariants; other programs have none for their summaries.
    pub fn assume(&mut self, taken: &Taken) {
        if taken.all().is_empty() {
            return;
        }
        let known = taken.by_place();
        for clause in &mut self.system.clauses {
            let mut constraint = vec![clause.constraint];
            for body in &clause.body {
                let number = body.predicate.index();
                let predicate = &self.system.predicates[number];
                let says = |formula: &TermId| {
                    let variables = free_variables(store(), *formula).into_iter();
                    let mut variables =
                        variables.map(|(symbol, at)| store().variable_at(symbol, at));
                    variables.all(|variable| predicate.parameters.contains(&variable))
                };
                let facts = known.get(&self.places[number].at).into_iter().flatten();
                let here = |&fact: &TermId| predicate.applied(&self.arena, fact, &body.arguments);
                constraint.extend(facts.filter(|fact| says(fact)).map(here));
            }
            clause.constraint = self.arena.and(constraint);
        }
        self.relies_on = Some((Arc::clone(taken.snapshot()), taken.batches()));
    }
}

/// Encodes the program.
pub fn encode(blocks: &Blocks, contexts: Contexts, arena: Rc<Arena>) -> Encoding {
    let mut encoder = Encoder {
        modified: modified_globals(blocks.inlined()),
        has_targets: functions_with_targets(blocks.inlined()),
        blocks,
        contexts,
        numbers: FxHashMap::default(),
        encoding: Encoding {
            contexts,
            arena,
            system: HornSystem::default(),
            places: Vec::new(),
            fresh: ENTRY + 1,
            relies_on: None,
        },
    };
    encoder.run();
    encoder.encoding
}

struct Encoder<'a> {
    blocks: &'a Blocks,
    contexts: Contexts,
    /// For each function, the globals that a call of it may change.
    modified: Vec<Vec<VariableId>>,
    /// For each function, whether a target may be reached during an activation of it.
    has_targets: Vec<bool>,
    numbers: FxHashMap<Place, PredicateId>,
    encoding: Encoding,
}

type Values = FxHashMap<VariableId, TermId>;

/// The body of a clause before its block.
struct Start {
    body: Application,
    /// The state at the activation's entry.
    entry: Values,
    now: Values,
}

impl Encoder<'_> {
    fn inlined(&self) -> &InlinedProgram {
        self.blocks.inlined()
    }

    fn program(&self) -> &Program {
        self.inlined().program()
    }

    fn run(&mut self) {
        let start = Place {
            layer: Layer::Path,
            at: self.inlined().entry(),
        };
        self.fact(start);
        let mut next = 0;
        while let Some(&place) = self.encoding.places.get(next) {
            next += 1;
            for block in self.blocks.from(place.at).iter() {
                self.block(place, block);
            }
        }
    }

    /// Adds the clause that the place is reached in any state.
    fn fact(&mut self, place: Place) {
        let body = self.start(place).body;
        self.clause(Vec::new(), TermId::TRUE, Some(body));
    }

    fn clause(&mut self, body: Vec<Application>, constraint: TermId, head: Option<Application>) {
        self.add(HornClause {
            constraint,
            body,
            head,
            error: None,
        });
    }

    fn add(&mut self, clause: HornClause) {
        if clause.constraint != TermId::FALSE {
            self.encoding.system.clauses.push(clause);
        }
    }

    fn fresh(&mut self, symbol: Symbol) -> TermId {
        self.encoding.fresh += 1;
        self.encoding.arena.variable_at(symbol, self.encoding.fresh)
    }

    fn symbol(&self, variable: VariableId) -> Symbol {
        self.program().variable(variable).symbol
    }

    fn root(&self, place: Place) -> FunctionId {
        self.inlined().root_function(place.at.call_string)
    }

    /// Checks whether the predicate is also over the state at the activation's entry.
    fn knows_entry(&self, place: Place) -> bool {
        self.root(place) != self.program().start
            && (self.contexts == Contexts::Called || place.layer == Layer::Summary)
    }

    /// Returns the variables of the state at the entry of a recursive function.
    fn entry_state(&self, function: FunctionId) -> Vec<VariableId> {
        self.blocks.state(self.inlined().entry_of(function))
    }

    /// Returns the variables of the predicate's parameters: those at the entry, and those of the current state.
    fn parameters(&self, place: Place) -> (Vec<VariableId>, Vec<VariableId>) {
        let mut state = self.blocks.state(place.at);
        if !self.knows_entry(place) {
            return (Vec::new(), state);
        }
        let root = self.root(place);
        if place.at == self.inlined().entry_of(root) {
            return (state, Vec::new());
        }
        state.retain(|&variable| self.may_change(root, variable));
        (self.entry_state(root), state)
    }

    /// Checks whether an activation of the function may change the variable.
    fn may_change(&self, function: FunctionId, variable: VariableId) -> bool {
        self.program().variable(variable).scope != Scope::Global
            || self.modified[function.index()]
                .binary_search(&variable)
                .is_ok()
    }

    fn predicate(&mut self, place: Place) -> PredicateId {
        if let Some(&known) = self.numbers.get(&place) {
            return known;
        }
        let (entry, now) = self.parameters(place);
        let variable =
            |&variable: &VariableId, instance| store().variable_at(self.symbol(variable), instance);
        let entry = entry.iter().map(|id| variable(id, ENTRY));
        let parameters = entry.chain(now.iter().map(|id| variable(id, 0))).collect();
        let InlinedLocation {
            location,
            call_string,
        } = place.at;
        let name = format!("{:?} {} {}", place.layer, location.0, call_string.0);
        let number = PredicateId(self.encoding.places.len() as u32);
        self.encoding
            .system
            .predicates
            .push(Predicate { name, parameters });
        self.encoding.places.push(place);
        self.numbers.insert(place, number);
        number
    }

    /// Applies the place's predicate to fresh variables.
    fn start(&mut self, place: Place) -> Start {
        let (at_entry, present) = self.parameters(place);
        let mut arguments = Vec::new();
        let mut bind = |encoder: &mut Self, variables: Vec<VariableId>| -> Values {
            let bound = variables.into_iter().map(|variable| {
                let value = encoder.fresh(encoder.symbol(variable));
                arguments.push(value);
                (variable, value)
            });
            bound.collect()
        };
        let entry = bind(self, at_entry);
        let mut now = bind(self, present);
        let is_entry = place.at == self.inlined().entry_of(self.root(place));
        for (&variable, &value) in &entry {
            if is_entry || !self.may_change(self.root(place), variable) {
                now.insert(variable, value);
            }
        }
        Start {
            body: Application {
                predicate: self.predicate(place),
                arguments,
            },
            entry,
            now,
        }
    }

    /// Applies the place's predicate to the states; undefined values are arbitrary.
    fn reached(&mut self, place: Place, entry: &Values, now: &Values) -> Application {
        let (at_entry, present) = self.parameters(place);
        let mut arguments = Vec::new();
        for (variables, values) in [(at_entry, entry), (present, now)] {
            for variable in variables {
                let value = values.get(&variable).copied();
                arguments.push(value.unwrap_or_else(|| self.fresh(self.symbol(variable))));
            }
        }
        Application {
            predicate: self.predicate(place),
            arguments,
        }
    }

    fn block(&mut self, place: Place, block: &Block) {
        let mut start = self.start(place);
        let arena = Rc::clone(&self.encoding.arena);
        let mut renamed: FxHashMap<(Symbol, u32), TermId> = FxHashMap::default();
        let instance = block.instantiate(&*arena, |symbol, instance| {
            let variable = self.blocks.variable(symbol).filter(|_| instance == 0);
            let value = variable.and_then(|variable| start.now.get(&variable).copied());
            value.unwrap_or_else(|| {
                let new = || self.fresh(symbol);
                *renamed.entry((symbol, instance)).or_insert_with(new)
            })
        });
        let guard = instance.guard;
        match block.end {
            BlockEnd::RecursiveCall { edge, .. } => self.call(place, edge, start, guard),
            _ if self.blocks.is_target(block) => {
                if place.layer == Layer::Path {
                    self.add(HornClause {
                        constraint: guard,
                        body: vec![start.body],
                        head: None,
                        error: match block.end {
                            BlockEnd::CutPoint(at) => Some(at.location.0),
                            _ => None,
                        },
                    });
                }
            }
            BlockEnd::CutPoint(at) => {
                let target = Place { at, ..place };
                let exit = self.program().function(self.root(place)).exit;
                let is_exit = at.location == exit && self.inlined().depth(at.call_string) == 0;
                if is_exit && !self.knows_entry(place) {
                    // No clause uses the exit without the entry state.
                    return;
                }
                start.now.extend(instance.updates);
                let head = self.reached(target, &start.entry, &start.now);
                self.clause(vec![start.body], guard, Some(head));
            }
            BlockEnd::Unsupported { .. } => {}
        }
    }

    /// Adds the clauses of a call of a recursive function.
    fn call(&mut self, place: Place, edge: EdgeId, mut start: Start, guard: TermId) {
        let program = Arc::clone(self.inlined().program());
        let edge = program.edge(edge);
        let Some(Operation::Call {
            callee,
            arguments,
            results,
        }) = edge.operations.first()
        else {
            return;
        };
        let function = program.function(*callee);

        // 1. The state at the entry: globals, and parameters.
        let mut inner = Values::default();
        for variable in self.entry_state(*callee) {
            if program.variable(variable).scope == Scope::Global
                && let Some(&value) = start.now.get(&variable)
            {
                inner.insert(variable, value);
            }
        }
        for (&parameter, &argument) in function.parameters.iter().zip(arguments) {
            let value = self.value(&start.now, argument);
            inner.insert(parameter, value);
        }
        // Undefined values are the same fresh variables in the summary and at the entry.
        for variable in self.entry_state(*callee) {
            let symbol = self.symbol(variable);
            inner.entry(variable).or_insert_with(|| self.fresh(symbol));
        }

        // 2. The function is entered.
        let entry = Place {
            layer: Layer::Path,
            at: self.inlined().entry_of(*callee),
        };
        let is_entered = match self.contexts {
            Contexts::Called => true,
            Contexts::Any => place.layer == Layer::Path && self.has_targets[callee.index()],
        };
        if is_entered {
            let head = self.reached(entry, &inner, &inner);
            self.clause(vec![start.body.clone()], guard, Some(head));
        }

        // 3. The function returns.
        let layer = match self.contexts {
            Contexts::Called => Layer::Path,
            Contexts::Any => Layer::Summary,
        };
        let entry = Place { layer, ..entry };
        if layer == Layer::Summary && !self.numbers.contains_key(&entry) {
            self.fact(entry);
        }
        let exit = Place {
            layer,
            at: InlinedLocation {
                location: function.exit,
                ..entry.at
            },
        };
        let mut outer = Values::default();
        for variable in self.parameters(exit).1 {
            let value = self.fresh(self.symbol(variable));
            outer.insert(variable, value);
        }
        let summary = self.reached(exit, &inner, &outer);
        let modified = self.modified[callee.index()].iter().copied();
        for (variable, from) in modified.map(|global| (global, global)).chain(
            results
                .iter()
                .copied()
                .zip(function.results.iter().copied()),
        ) {
            match outer.get(&from) {
                Some(&value) => start.now.insert(variable, value),
                None => start.now.remove(&variable),
            };
        }
        let back = Place {
            at: InlinedLocation {
                location: edge.target,
                ..place.at
            },
            ..place
        };
        let body = vec![start.body.clone(), summary];
        if !self.blocks.is_error(edge.target) {
            let head = self.reached(back, &start.entry, &start.now);
            self.clause(body, guard, Some(head));
        } else if place.layer == Layer::Path {
            self.clause(body, guard, None);
        }
    }

    fn value(&mut self, values: &Values, term: TermId) -> TermId {
        let arena = Rc::clone(&self.encoding.arena);
        let replace = |term| match store().kind(term) {
            TermKind::Variable { symbol, .. } => {
                let variable = self.blocks.variable(symbol);
                let known = variable.and_then(|variable| values.get(&variable).copied());
                Some(known.unwrap_or_else(|| self.fresh(symbol)))
            }
            _ => None,
        };
        Rebuild::new(store(), &*arena, replace).rebuild(term)
    }
}

/// For each function, returns the globals that a call of it may change, sorted.
fn modified_globals(inlined: &InlinedProgram) -> Vec<Vec<VariableId>> {
    let program = inlined.program();
    let mut modified = vec![Vec::new(); program.functions.len()];
    for edge in &program.edges {
        let function = program.location(edge.source).function;
        let written = edge.operations.iter().flat_map(|one| one.written(program));
        let globals = written.filter(|&v| program.variable(v).scope == Scope::Global);
        modified[function.index()].extend(globals);
    }
    transitively(inlined, &mut modified, |own, callees| {
        own.extend_from_slice(callees);
        own.sort_unstable();
        own.dedup();
        own.len()
    });
    modified
}

/// For each function, returns whether a target may be reached during an activation of it.
fn functions_with_targets(inlined: &InlinedProgram) -> Vec<bool> {
    let program = inlined.program();
    let mut targets = vec![false; program.functions.len()];
    let errors = program.errors.iter().copied();
    let unsupported = program
        .edges
        .iter()
        .filter(|edge| matches!(edge.operations.last(), Some(Operation::Unsupported(_))));
    for location in errors.chain(unsupported.map(|edge| edge.source)) {
        targets[program.location(location).function.index()] = true;
    }
    transitively(inlined, &mut targets, |own, callees| {
        *own |= *callees;
        usize::from(*own)
    });
    targets
}

/// Extends the information about each function by that about its callees, up to a fixed point.
fn transitively<T: Clone + PartialEq>(
    inlined: &InlinedProgram,
    known: &mut [T],
    add: impl Fn(&mut T, &T) -> usize,
) {
    loop {
        let mut changed = false;
        for &function in inlined.calls().bottom_up() {
            for callee in inlined.calls().callees(function) {
                let callees = known[callee.index()].clone();
                let before = known[function.index()].clone();
                add(&mut known[function.index()], &callees);
                changed |= known[function.index()] != before;
            }
        }
        if !changed {
            break;
        }
    }
}

/// Checks whether Z3's engine supports all sorts of the system.
pub fn is_supported(encoding: &Encoding) -> bool {
    let system = &encoding.system;
    let arena = &*encoding.arena;
    let mut terms: Vec<TermId> = system
        .clauses
        .iter()
        .map(|clause| clause.constraint)
        .collect();
    terms.extend(
        system
            .predicates
            .iter()
            .flat_map(|predicate| &predicate.parameters),
    );
    let mut within = true;
    regatta_term::for_each_subterm(arena, terms, |term, kind| {
        let is_float = matches!(arena.sort(term), Sort::Float(_));
        within &= !is_float
            && !matches!(
                kind,
                TermKind::Apply {
                    op: Op::FpToBits,
                    ..
                }
            );
    });
    within
}
