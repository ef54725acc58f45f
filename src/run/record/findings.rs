//! The automaton, the invariants and the proofs as text, for events and reports.
//!
//! A formula is printed as C where C can express it ([`to_c`]), with the names of the source ([`ShortNames`]), else as SMT-LIB.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use regatta_certify::{Certificate, InvariantLocation, ProofStep};
use regatta_program::c_value::c_type;
use regatta_program::dot::describe;
use regatta_program::{
    CallGraph, CutPointKind, CutPoints, EdgeId, FunctionId, InlinedProgram, LocationId, Operation,
    Program, ShortNames, Span, Variable, VariableId,
};
use regatta_sharing::{BatchId, Snapshot};
use regatta_term::{CType, CVariable, Sort, Symbol, TermId, conjuncts, store, to_c, to_smtlib};

/// Maximum number of edges of the automaton in an event; functions beyond it are left out.
const MAXIMUM_AUTOMATON_EDGES: usize = 2000;

/// Maximum length of a formula or an operation in bytes; a longer text is cut off.
const MAXIMUM_TEXT_LENGTH: usize = 1000;

/// Maximum number of invariants in one event of published invariants and in one step of a proof.
const MAXIMUM_INVARIANTS: usize = 500;

/// The control-flow automaton of the program to analyse.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Automaton {
    /// The reachable functions, within the limit of edges.
    pub functions: Vec<AutomatonFunction>,
    /// The names of the reachable functions that are left out because there are too many edges.
    pub left_out: Vec<String>,
}

/// The part of an automaton that is a function.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AutomatonFunction {
    pub name: String,
    pub locations: Vec<AutomatonLocation>,
    pub edges: Vec<AutomatonEdge>,
}

/// A location of an automaton.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AutomatonLocation {
    pub id: u32,
    pub kind: LocationKind,
    /// File, line, column.
    pub place: String,
}

/// The kinds of locations.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LocationKind {
    Entry,
    Exit,
    Error,
    LoopHead,
    Inner,
}

/// An edge of an automaton.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AutomatonEdge {
    pub source: u32,
    pub target: u32,
    /// The operations in their order.
    pub operations: Vec<String>,
    /// File, line, column.
    pub place: String,
}

/// A formula that holds whenever a location is reached.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Invariant {
    /// The location's number in the program to analyse.
    pub location: u32,
    /// File, line, column.
    pub place: String,
    pub function: String,
    /// The places of the calls that lead there, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// The formula in C if C can express it, else in SMT-LIB.
    pub formula: String,
    /// The analysis that published it, if it was shared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
}

/// A step of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofPart {
    /// The kind of step, in words.
    pub what: String,
    pub invariants: Vec<Invariant>,
    /// The number of further invariants that are left out.
    #[serde(default)]
    pub more: usize,
}

/// Returns the automaton of the reachable functions, those with errors and loops first.
pub(crate) fn automaton(program: &Program) -> Automaton {
    let calls = CallGraph::new(program);
    let cut_points = CutPoints::new(program, &calls);
    let mut functions = vec![AutomatonFunction::default(); program.functions.len()];
    for (index, location) in program.locations.iter().enumerate() {
        let id = LocationId(index as u32);
        let function = program.function(location.function);
        let kind = match cut_points.kind(id) {
            Some(CutPointKind::Error) => LocationKind::Error,
            Some(CutPointKind::LoopHead(_)) => LocationKind::LoopHead,
            _ if id == function.entry => LocationKind::Entry,
            _ if id == function.exit => LocationKind::Exit,
            _ => LocationKind::Inner,
        };
        functions[location.function.index()]
            .locations
            .push(AutomatonLocation {
                id: id.0,
                kind,
                place: program.sources.describe(location.span),
            });
    }
    let mut order: Vec<usize> = (0..functions.len())
        .filter(|&index| calls.is_reachable(FunctionId(index as u32)))
        .collect();
    let interest = |index: usize| {
        let is = |kind| functions[index].locations.iter().any(|at| at.kind == kind);
        !(is(LocationKind::LoopHead) || is(LocationKind::Error))
    };
    order.sort_by_key(|&index| interest(index));
    let mut edges_of = vec![Vec::new(); functions.len()];
    for edge in &program.edges {
        let function = program.location(edge.source).function;
        edges_of[function.index()].push(edge);
    }
    let printer = Printer::new(program);
    let mut automaton = Automaton::default();
    let mut told = 0;
    for index in order {
        let mut function = std::mem::take(&mut functions[index]);
        function.name.clone_from(&program.functions[index].name);
        let edges = &edges_of[index];
        if edges.is_empty() {
            continue;
        }
        if told + edges.len() > MAXIMUM_AUTOMATON_EDGES {
            automaton.left_out.push(function.name);
            continue;
        }
        told += edges.len();
        let id = FunctionId(index as u32);
        function.edges = edges
            .iter()
            .map(|edge| AutomatonEdge {
                source: edge.source.0,
                target: edge.target.0,
                operations: edge
                    .operations
                    .iter()
                    .map(|operation| printer.operation(operation, id))
                    .collect(),
                place: program.sources.describe(edge.span),
            })
            .collect();
        // Locations without edges are left out.
        let mut used: Vec<u32> = function.edges.iter().map(|edge| edge.source).collect();
        used.extend(function.edges.iter().map(|edge| edge.target));
        function.locations.retain(|at| used.contains(&at.id));
        automaton.functions.push(function);
    }
    automaton
}

/// Returns the invariants of the new batches, within the limit of one event.
pub(crate) fn published(
    snapshot: &Snapshot,
    inlined: &InlinedProgram,
    mut is_new: impl FnMut(BatchId) -> bool,
) -> Vec<Invariant> {
    let printer = Printer::new(inlined.program());
    let batches = snapshot.batches();
    let new = batches.filter(|(id, _)| is_new(*id));
    let published = new.flat_map(|(_, batch)| batch.published());
    published
        .take(MAXIMUM_INVARIANTS)
        .map(|(one, publisher)| {
            let at = InvariantLocation::new(inlined, one.at);
            printer.invariant(&at, one.formula, Some(publisher))
        })
        .collect()
}

/// Returns the steps of a proof. The snapshot gives the publishers of its invariants.
pub(crate) fn proof(
    certificate: &Certificate,
    snapshot: &Snapshot,
    inlined: Option<&InlinedProgram>,
    program: &Program,
) -> Vec<ProofPart> {
    let printer = Printer::new(program);
    let publishers = inlined.map(|inlined| snapshot.publishers_by_invariant(inlined));
    let steps = certificate.steps.iter();
    let parts = steps.map(|step| {
        let (what, batch): (String, &[_]) = match step {
            ProofStep::Inductive { batch, k: 1, .. } => ("inductive invariants".to_owned(), batch),
            ProofStep::Inductive { batch, k, .. } => (format!("{k}-inductive invariants"), batch),
            ProofStep::Safety { k: 1, .. } => {
                ("no error in a step from what holds".to_owned(), &[])
            }
            ProofStep::Safety { k, .. } => (format!("no error in {k} steps from what holds"), &[]),
            ProofStep::Unrolling { bound } => (format!("all paths end within {bound} steps"), &[]),
            ProofStep::Unwinding { rounds, .. } => {
                let most = rounds.iter().map(|one| one.1).max().unwrap_or(0);
                let text = format!("all paths end, with at most {most} open rounds of a loop");
                (text, &[])
            }
            ProofStep::Summaries { batch } => ("summaries of functions".to_owned(), batch),
            ProofStep::Boxes { covering } => {
                let boxes = covering.nodes.len().div_ceil(2);
                (
                    format!("no run from {boxes} boxes of inputs reaches an error"),
                    &[],
                )
            }
            ProofStep::Simplified => ("the simplifier left no error".to_owned(), &[]),
        };
        let invariants = batch.iter().take(MAXIMUM_INVARIANTS).map(|(at, formula)| {
            let publishers = publishers.as_ref();
            let publisher = publishers.and_then(|all| all.get(&(at.clone(), *formula)).copied());
            printer.invariant(at, *formula, publisher.map(|name| &**name))
        });
        ProofPart {
            what,
            invariants: invariants.collect(),
            more: batch.len().saturating_sub(MAXIMUM_INVARIANTS),
        }
    });
    parts.collect()
}

/// Prints formulas and operations, in C where C can express them.
pub(crate) struct Printer<'p> {
    program: &'p Program,
    names: ShortNames<'p>,
    variables: FxHashMap<Symbol, VariableId>,
}

impl<'p> Printer<'p> {
    pub fn new(program: &'p Program) -> Self {
        let variables = (0..).map(VariableId).zip(&program.variables);
        Self {
            program,
            names: ShortNames::new(program),
            variables: variables.map(|(id, one)| (one.symbol, id)).collect(),
        }
    }

    fn invariant(
        &self,
        at: &InvariantLocation,
        formula: TermId,
        publisher: Option<&str>,
    ) -> Invariant {
        let place = |span: Span| self.program.sources.describe(span);
        let location = self.program.location(at.location);
        let call_place = |&call: &EdgeId| place(self.program.edge(call).span);
        Invariant {
            location: at.location.0,
            place: place(location.span),
            function: self.program.function(location.function).name.clone(),
            calls: at.calls.iter().map(call_place).collect(),
            formula: shorten(self.formula(formula, location.function)),
            publisher: publisher.map(str::to_owned),
        }
    }

    /// The formula in C if C can express it, else in SMT-LIB, with the names that are visible in the function.
    pub fn formula(&self, formula: TermId, function: FunctionId) -> String {
        let parts = conjuncts(store(), formula);
        let texts = parts.iter().map(|&part| self.term(part, function));
        match texts.collect::<Option<Vec<_>>>() {
            Some(texts) if !texts.is_empty() => texts.join(" && "),
            _ => to_smtlib(store(), formula),
        }
    }

    fn operation(&self, operation: &Operation, function: FunctionId) -> String {
        let name = |variable| self.names.of(variable, function);
        let text = match operation {
            Operation::Assign { target, value } => {
                let value = self.term(*value, function);
                value.map(|value| format!("{} = {value}", name(*target)))
            }
            Operation::Assume(condition) => self
                .term(*condition, function)
                .map(|condition| format!("[{condition}]")),
            _ => None,
        };
        shorten(text.unwrap_or_else(|| describe(self.program, operation)))
    }

    /// Prints the term as C, with the names that are visible in the function; `None` if C cannot express it.
    fn term(&self, term: TermId, function: FunctionId) -> Option<String> {
        let declared = |symbol: Symbol, instance: u32| {
            let variable = *self.variables.get(&symbol)?;
            let name = self.names.of(variable, function);
            let name = match instance {
                0 => name.to_owned(),
                _ => format!("old {name}"),
            };
            let c_type = printed_type(self.program.variable(variable))?;
            Some(CVariable { name, c_type })
        };
        to_c(store(), term, &declared)
    }
}

/// Returns the C type with which a variable is printed. A pointer and a bit vector without a C type are unsigned numbers.
fn printed_type(variable: &Variable) -> Option<CType> {
    let known = match variable.sort {
        Sort::Bool => Some(CType::Bool),
        sort => c_type(variable.c_type, sort),
    };
    known
        .filter(|known| *known != CType::Pointer)
        .or(match variable.sort {
            Sort::BitVec(bits) => Some(CType::Unsigned(bits)),
            Sort::Float(format) => Some(CType::Float(format)),
            _ => None,
        })
}

fn shorten(mut text: String) -> String {
    if text.len() > MAXIMUM_TEXT_LENGTH {
        let mut end = MAXIMUM_TEXT_LENGTH;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_program::ProgramBuilder;
    use regatta_term::Build;

    const WORD: Sort = Sort::BitVec(32);

    /// `x = 0; while (x < 10) x = x + 1; if (x != 10) error`.
    fn counter() -> Program {
        let mut b = ProgramBuilder::new();
        let x = b.global("x", WORD);
        let number = |value| store().bv(32, value);
        b.assign(x, number(0));
        b.repeat_while(store().ult(b.value(x), number(10)), |b| {
            b.assign(x, store().add(b.value(x), number(1)));
        });
        b.error_unless(store().eq(b.value(x), number(10)));
        b.finish()
    }

    #[test]
    fn an_automaton_has_locations_and_operations() {
        let automaton = automaton(&counter());
        assert!(automaton.left_out.is_empty());
        let functions = &automaton.functions;
        let locations = functions.iter().flat_map(|function| &function.locations);
        let kinds: Vec<LocationKind> = locations.map(|location| location.kind).collect();
        let count = |kind| kinds.iter().filter(|&&one| one == kind).count();
        assert_eq!(count(LocationKind::LoopHead), 1);
        assert_eq!(count(LocationKind::Error), 1);
        let edges = functions.iter().flat_map(|function| &function.edges);
        let operations: Vec<&String> = edges.flat_map(|edge| &edge.operations).collect();
        let has = |begin: &str| operations.iter().any(|text| text.starts_with(begin));
        assert!(has("x = ") && has("["), "{operations:?}");
        for function in functions {
            for edge in &function.edges {
                let is_there = |id| function.locations.iter().any(|location| location.id == id);
                assert!(is_there(edge.source) && is_there(edge.target));
            }
        }
    }

    #[test]
    fn a_proof_is_printed_in_c() {
        let program = counter();
        let head = automaton(&program);
        let mut locations = head.functions.iter().flat_map(|one| &one.locations);
        let head = locations.find(|location| location.kind == LocationKind::LoopHead);
        let x = store().variable(program.variables[0].symbol);
        let formulas = [
            store().ule(x, store().bv(32, 10)),
            store().ne(x, store().bv(32, 77)),
        ];
        let at = InvariantLocation {
            location: LocationId(head.expect("a loop").id),
            calls: Vec::new(),
        };
        let certificate = Certificate::of_all(vec![
            ProofStep::Inductive {
                batch: formulas.map(|formula| (at.clone(), formula)).into(),
                k: 2,
                relies_on: Vec::new(),
            },
            ProofStep::Safety {
                k: 1,
                relies_on: vec![0],
            },
        ]);
        let parts = proof(&certificate, &Snapshot::default(), None, &program);
        let [invariants, safety] = &parts[..] else {
            panic!("two steps");
        };
        assert_eq!(invariants.what, "2-inductive invariants");
        assert_eq!(invariants.invariants.len(), 2);
        for (invariant, number) in invariants.invariants.iter().zip(["11", "77"]) {
            let text = &invariant.formula;
            assert!(text.contains('x') && text.contains(number), "{text}");
            assert!(!text.contains("bv"), "{text}");
            assert_eq!(
                (invariant.location, &invariant.publisher),
                (at.location.0, &None)
            );
        }
        assert!(safety.invariants.is_empty());
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = shorten("\u{fc}".repeat(MAXIMUM_TEXT_LENGTH));
        assert!(text.len() <= MAXIMUM_TEXT_LENGTH + '…'.len_utf8());
        assert!(text.ends_with("\u{fc}…"));
        assert_eq!(shorten("short".to_owned()), "short");
    }
}
