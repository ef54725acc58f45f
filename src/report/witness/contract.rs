//! Translates the summaries of recursive functions in a confirmed proof to contracts of the source (format 2.1).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::expression;
use super::scope::conjunction;
use super::write::Place;
use regatta_certify::Certificate;
use regatta_certify::certificate::{AT_ENTRY, quantified};
use regatta_certify::invariants::{Moment, summaries};
use regatta_program::waypoint::Time;
use regatta_program::{
    EdgeId, FunctionId, Names, Program, Scope, Simplified, VariableId, WaypointKind,
};
use regatta_term::{Symbol, TermId, conjuncts, store, to_c};

/// Maximum length of a C expression in bytes; longer ones are left out.
const MAXIMUM_EXPRESSION_LENGTH: usize = 4_000;

/// A function contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// The place of the function's definition.
    pub at: Place,
    /// The precondition: a C expression over its parameters and global variables.
    pub requires: Option<String>,
    /// The postcondition, with `\result` and `\at(…, Old)`.
    pub ensures: Option<String>,
}

/// Returns the contracts of a confirmed proof, and the number of its summaries' formulas that are left out.
pub fn contracts(
    program: &Program,
    simplified: &Simplified,
    certificate: &Certificate,
) -> (Vec<Contract>, usize) {
    let mut said: BTreeMap<FunctionId, [Vec<String>; 2]> = BTreeMap::new();
    let mut left_out = 0;
    let source = Source::new(program);
    for summary in summaries(program, simplified, certificate) {
        let parts = conjuncts(store(), summary.formula);
        for part in parts.into_iter().filter(|part| *part != TermId::TRUE) {
            let text = source.text(part, summary.function, summary.when);
            let Some(text) = text.filter(|text| text.len() <= MAXIMUM_EXPRESSION_LENGTH) else {
                left_out += 1;
                continue;
            };
            let texts = &mut said.entry(summary.function).or_default()[summary.when as usize];
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    let joined = |texts: &[String]| (!texts.is_empty()).then(|| conjunction(texts));
    let contracts = said.into_iter().map(|(id, [requires, ensures])| Contract {
        at: Place::of(program, program.function(id).span, Some(id)),
        requires: joined(&requires),
        ensures: joined(&ensures),
    });
    (contracts.collect(), left_out)
}

/// The names in a program's source, for contracts.
struct Source<'p> {
    program: &'p Program,
    names: Names<'p>,
    variables: FxHashMap<Symbol, VariableId>,
    /// The time in the front end of a function's first statement, when its parameters have names and its locals have not.
    begins: BTreeMap<FunctionId, Time>,
}

impl<'p> Source<'p> {
    fn new(program: &'p Program) -> Self {
        let mut begins: BTreeMap<FunctionId, Time> = BTreeMap::new();
        for (index, edge) in program.edges.iter().enumerate() {
            let function = program.location(edge.source).function;
            let id = EdgeId(index as u32);
            for passed in program.waypoints.of_edge(id) {
                if passed.waypoint.kind == WaypointKind::Statement {
                    let time = passed.waypoint.time;
                    let first = begins.entry(function).or_insert(time);
                    *first = time.min(*first);
                }
            }
        }
        Self {
            program,
            names: Names::new(&program.waypoints),
            variables: program.variables_by_symbol(),
            begins,
        }
    }

    /// Returns the formula as a C expression for a contract.
    fn text(&self, formula: TermId, function: FunctionId, when: Moment) -> Option<String> {
        if quantified(formula).is_some() {
            return None;
        }
        let declared = |symbol: Symbol, instance: u32| {
            let variable = *self.variables.get(&symbol)?;
            let name = self.name(variable, instance, function, when)?;
            let declared = self.program.variable(variable);
            expression::c_variable(declared, &name)
        };
        to_c(store(), formula, &declared)
    }

    fn name(
        &self,
        variable: VariableId,
        instance: u32,
        function: FunctionId,
        when: Moment,
    ) -> Option<String> {
        let described = self.program.function(function);
        let is_entry = instance == AT_ENTRY;
        if let ([result], Moment::Exit, false) = (&described.results[..], when, is_entry)
            && *result == variable
        {
            return Some("\\result".to_owned());
        }
        let is_local = self.program.variable(variable).scope != Scope::Global;
        let is_parameter = described.parameters.contains(&variable);
        // A contract cannot refer to a parameter's value at the exit, nor to a local variable.
        if is_local && !(is_parameter && is_entry) {
            return None;
        }
        let name = self.names.of(variable, *self.begins.get(&function)?)?;
        Some(match (when, is_entry) {
            (Moment::Exit, true) => format!("\\at({name}, Old)"),
            _ => name,
        })
    }
}
