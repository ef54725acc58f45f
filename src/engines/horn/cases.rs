//! Solutions by cases, for recursion that is wide but not deep: each recursive function is executed in the states in which
//! it is called, once per *case*, and the result for one call serves all other calls of the case (as in compositional
//! testing: \[God07\]).
//!
//! A case is a path through a function together with a case for each call on it: a condition on the state at the entry, and
//! the state at the exit as terms over that at the entry. Cases are found from examples: a solver gives a call that no case
//! covers; evaluating the clauses on the example's values gives its path and its calls; and the terms of the case are those
//! of the clauses on the path, with the callees' cases substituted. When all calls are covered, the cases form a solution:
//! the disjunction of their conditions holds at the entry, and together they are the summary.
//!
//! Functions with loops or inputs of their own have no solution by cases.

use std::rc::Rc;
use std::time::Instant;

use rustc_hash::FxHashMap;

use super::limits::MAXIMUM_CASES;
use crate::horn_clauses::encode::{Contexts, Encoding};
use regatta_program::{FunctionId, InlinedProgram};
use regatta_solver::horn::{Application, HornClause, PredicateId};
use regatta_solver::{Answer, CheckLimit, Solver};
use regatta_term::{Arena, Build, Pool, Rebuild, TermId, fixed, free_variables, store, transfer};

/// The cases of a recursive function.
struct Table {
    entry: PredicateId,
    exit: PredicateId,
    cases: Vec<Case>,
}

/// A path through a function, with terms over the parameters of its entry.
struct Case {
    condition: TermId,
    results: Vec<TermId>,
}

/// A function and constant arguments of a call.
type Example = (usize, Vec<TermId>);

/// The reason why a path cannot be followed on an example.
enum Stop {
    /// No case covers this call.
    Missing(Example),
    /// There is no solution by cases.
    Unsupported,
}

/// The search for the cases of a program's recursive functions.
pub struct Cases<'e> {
    encoding: &'e Encoding,
    arena: Rc<Arena>,
    tables: Vec<Table>,
    until: Instant,
}

impl<'e> Cases<'e> {
    /// Creates the search without cases; `None` if the program's clauses cannot have a solution by cases.
    pub fn new(inlined: &InlinedProgram, encoding: &'e Encoding, until: Instant) -> Option<Self> {
        debug_assert_eq!(encoding.contexts, Contexts::Called);
        let program = inlined.program();
        let mut functions: FxHashMap<FunctionId, (Option<PredicateId>, Option<PredicateId>)> =
            FxHashMap::default();
        let used = encoding.used();
        for (place, number) in encoding.places.iter().zip(0..) {
            let root = inlined.root_function(place.at.call_string);
            if root == program.start || !used[number as usize] {
                continue;
            }
            let function = program.function(root);
            let ends = functions.entry(root).or_default();
            let is_outermost = inlined.depth(place.at.call_string) == 0;
            match place.at.location {
                location if is_outermost && location == function.entry => {
                    ends.0 = Some(PredicateId(number));
                }
                location if is_outermost && location == function.exit => {
                    ends.1 = Some(PredicateId(number));
                }
                _ => return None,
            }
        }
        if functions.is_empty() {
            return None;
        }
        let tables = functions.into_values().map(|ends| {
            Some(Table {
                entry: ends.0?,
                exit: ends.1?,
                cases: Vec::new(),
            })
        });
        Some(Self {
            arena: Rc::clone(&encoding.arena),
            tables: tables.collect::<Option<Vec<_>>>()?,
            encoding,
            until,
        })
    }

    /// Returns the formulas of a solution; those of predicates that are not the entry or exit of a function are trivial.
    pub fn solution(&mut self, solver: &mut dyn Solver) -> Option<Vec<TermId>> {
        let clauses = &self.encoding.system.clauses;
        let outer: Vec<&HornClause> = clauses
            .iter()
            .filter(|clause| {
                let head = clause.head.as_ref().map(|head| head.predicate);
                let is_call = self.tables.iter().any(|table| Some(table.entry) == head);
                let within =
                    |one: &Application| self.tables.iter().any(|t| t.entry == one.predicate);
                is_call && !clause.body.iter().any(within)
            })
            .collect();
        // Some calls are made only after others have returned.
        let mut is_new = true;
        while std::mem::take(&mut is_new) {
            for clause in &outer {
                while let Some(example) = self.uncovered(clause, solver)? {
                    self.cover(example)?;
                    is_new = true;
                }
            }
        }
        let mut formulas = vec![TermId::TRUE; self.encoding.places.len()];
        for table in &self.tables {
            let (entry, exit) = self.relations(table);
            formulas[table.entry.index()] = transfer(&*self.arena, store(), entry);
            formulas[table.exit.index()] = transfer(&*self.arena, store(), exit);
        }
        Some(formulas)
    }

    fn parameters(&self, predicate: PredicateId) -> &'e [TermId] {
        &self.encoding.system.predicates[predicate.index()].parameters
    }

    /// Returns the formula that some case applies, and the formula that one applies with its results.
    fn relations(&self, table: &Table) -> (TermId, TermId) {
        let arena = &*self.arena;
        let arity = self.parameters(table.entry).len();
        let results = &self.parameters(table.exit)[arity..];
        let conditions = table.cases.iter().map(|case| case.condition);
        let applies = arena.or(conditions.collect::<Vec<_>>());
        // The results are a function of the entry state, which is easier for a solver than a disjunction of cases.
        let equations = results.iter().enumerate().map(|(number, &result)| {
            let mut cases = table.cases.iter().rev();
            let last = cases.next().map_or(result, |case| case.results[number]);
            let value = cases.fold(last, |rest, case| {
                arena.ite(case.condition, case.results[number], rest)
            });
            arena.eq(result, value)
        });
        let relation = arena.and(equations.chain([applies]).collect::<Vec<_>>());
        (applies, relation)
    }

    /// Substitutes values for variables in the term.
    fn replaced(&self, term: TermId, values: &FxHashMap<TermId, TermId>) -> TermId {
        let arena = &*self.arena;
        Rebuild::new(arena, arena, |term| values.get(&term).copied()).rebuild(term)
    }

    /// Instantiates the predicate's relation with the arguments.
    fn applied(&self, relation: TermId, predicate: PredicateId, arguments: &[TermId]) -> TermId {
        let parameters = self.parameters(predicate).iter().copied();
        self.replaced(
            relation,
            &parameters.zip(arguments.iter().copied()).collect(),
        )
    }

    fn has_time(&self) -> bool {
        Instant::now() < self.until
    }

    /// Returns a call by the clause that no case covers, or `Some(None)` if there is none; `None` if that is not decided.
    fn uncovered(&self, clause: &HornClause, solver: &mut dyn Solver) -> Option<Option<Example>> {
        let head = clause.head.as_ref()?;
        let number = self
            .tables
            .iter()
            .position(|table| table.entry == head.predicate)?;
        let arena = &*self.arena;
        let mut conditions = vec![clause.constraint];
        for one in &clause.body {
            if let Some(table) = self.tables.iter().find(|table| table.exit == one.predicate) {
                let relation = self.relations(table).1;
                conditions.push(self.applied(relation, one.predicate, &one.arguments));
            }
        }
        let covered = self.relations(&self.tables[number]).0;
        let covered = self.applied(covered, head.predicate, &head.arguments);
        conditions.push(arena.not(covered));
        solver.push();
        for condition in conditions {
            solver.assert(condition);
        }
        solver.set_limit(CheckLimit {
            time: Some(self.until.saturating_duration_since(Instant::now())),
            resource: None,
        });
        let result = match solver.check(&[]) {
            Answer::Unsatisfiable => Some(None),
            Answer::Satisfiable if self.has_time() => {
                let values = solver.values(&head.arguments).into_iter();
                let values = values.map(|value| value.map(|value| arena.value(&value)));
                let values: Option<Vec<TermId>> = values.collect();
                values.map(|values| Some((number, values)))
            }
            _ => None,
        };
        solver.pop();
        result
    }

    /// Adds the case of the example, and those of the calls on its path.
    fn cover(&mut self, example: Example) -> Option<()> {
        let mut stack = vec![example];
        while let Some((table, values)) = stack.last().cloned() {
            if !self.has_time() || stack.len() > MAXIMUM_CASES {
                return None;
            }
            if self.case_of(table, &values).is_some() {
                stack.pop();
                continue;
            }
            match self.case(table, &values) {
                Ok(case) => {
                    let cases = &mut self.tables[table].cases;
                    cases.push(case);
                    if cases.len() > MAXIMUM_CASES {
                        return None;
                    }
                    stack.pop();
                }
                Err(Stop::Missing(example)) => stack.push(example),
                Err(Stop::Unsupported) => return None,
            }
        }
        Some(())
    }

    /// Returns the index of the case that covers the constants.
    fn case_of(&self, table: usize, values: &[TermId]) -> Option<usize> {
        let Table { entry, cases, .. } = &self.tables[table];
        cases
            .iter()
            .position(|case| self.applied(case.condition, *entry, values) == TermId::TRUE)
    }

    fn case(&self, table: usize, values: &[TermId]) -> Result<Case, Stop> {
        let exit = self.tables[table].exit;
        let clauses = self.encoding.system.clauses.iter();
        for clause in clauses {
            if let Some(head) = &clause.head
                && head.predicate == exit
                && let Some(case) = self.path(clause, head, table, values)?
            {
                return Ok(case);
            }
        }
        Err(Stop::Unsupported)
    }

    /// Computes the case of the clause's path, if the example takes that path.
    fn path(
        &self,
        clause: &HornClause,
        head: &Application,
        table: usize,
        example: &[TermId],
    ) -> Result<Option<Case>, Stop> {
        let arena = &*self.arena;
        let entry = self.tables[table].entry;
        // 1. The variables, as constants of the example and as terms over the parameters.
        let (mut constants, mut terms) = (FxHashMap::default(), FxHashMap::default());
        let mut open: Vec<&Application> = Vec::new();
        for one in &clause.body {
            if one.predicate != entry {
                open.push(one);
                continue;
            }
            let parameters = self.parameters(entry).iter().zip(example);
            for (&variable, (&parameter, &constant)) in one.arguments.iter().zip(parameters) {
                constants.insert(variable, constant);
                terms.insert(variable, parameter);
            }
        }
        let mut condition = TermId::TRUE;
        loop {
            if self.replaced(clause.constraint, &constants) == TermId::FALSE {
                return Ok(None);
            }
            // 2. A call whose arguments are known.
            let is_constant = |&term: &TermId| arena.is_constant(term);
            let ready = open.iter().enumerate().find_map(|(index, call)| {
                let callee = self.tables.iter().position(|t| t.exit == call.predicate)?;
                let arity = self.parameters(self.tables[callee].entry).len();
                let (arguments, _) = call.arguments.split_at(arity);
                let values = arguments
                    .iter()
                    .map(|&term| self.replaced(term, &constants));
                let values: Vec<TermId> = values.collect();
                values
                    .iter()
                    .all(is_constant)
                    .then_some((index, callee, values))
            });
            let Some((index, callee, values)) = ready else {
                break;
            };
            let call = open.remove(index);
            let Some(number) = self.case_of(callee, &values) else {
                return Err(Stop::Missing((callee, values)));
            };
            // 3. Substitution of its case.
            let (arguments, outcomes) = call.arguments.split_at(values.len());
            let arguments: Vec<TermId> = arguments
                .iter()
                .map(|&term| self.replaced(term, &terms))
                .collect();
            let Table { entry, cases, .. } = &self.tables[callee];
            let case = &cases[number];
            let applies = self.applied(case.condition, *entry, &arguments);
            condition = arena.and2(condition, applies);
            for (&variable, &result) in outcomes.iter().zip(&case.results) {
                constants.insert(variable, self.applied(result, *entry, &values));
                terms.insert(variable, self.applied(result, *entry, &arguments));
            }
        }
        // The rest depends on inputs.
        if !open.is_empty() || self.replaced(clause.constraint, &constants) != TermId::TRUE {
            return Err(Stop::Unsupported);
        }
        let guard = self.replaced(clause.constraint, &terms);
        let arity = self.parameters(entry).len();
        let results = head.arguments[arity..].iter();
        let condition = arena.and2(condition, guard);
        let fixed: FxHashMap<TermId, TermId> = fixed(arena, condition).into_iter().collect();
        let equations = fixed.iter().map(|(&one, &value)| arena.eq(one, value));
        let rest = self.replaced(condition, &fixed);
        let case = Case {
            condition: arena.and(equations.chain([rest]).collect::<Vec<_>>()),
            results: results
                .map(|&term| self.replaced(self.replaced(term, &terms), &fixed))
                .collect(),
        };
        let all = case.results.iter().chain([&case.condition]);
        let mut variables = all.flat_map(|&term| free_variables(arena, term));
        let is_parameter = |(symbol, instance)| {
            self.parameters(entry)
                .contains(&arena.variable_at(symbol, instance))
        };
        let is_closed = variables.all(is_parameter);
        drop(variables);
        if !is_closed {
            return Err(Stop::Unsupported);
        }
        Ok(Some(case))
    }
}
