//! Automata as Graphviz, for `regatta cfa FILE`.
//!
//! A cluster for each function; entries are houses, exits are boxes, errors are red; a location shows its line.

use std::fmt::{self, Write};

use crate::cfa::*;
use regatta_term::{TermId, store, to_smtlib};

/// The program as a Graphviz document.
pub fn to_dot(program: &Program) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_dot(program, &mut text);
    text
}

fn write_dot(program: &Program, out: &mut impl Write) -> fmt::Result {
    writeln!(out, "digraph program {{")?;
    writeln!(
        out,
        "  node [shape=circle, fontsize=10]; edge [fontsize=9];"
    )?;
    let mut locations = vec![Vec::new(); program.functions.len()];
    for (index, location) in program.locations.iter().enumerate() {
        locations[location.function.index()].push(LocationId(index as u32));
    }
    for (function, locations) in program.functions.iter().zip(&locations) {
        writeln!(out, "  subgraph \"cluster_{}\" {{", escape(&function.name))?;
        writeln!(
            out,
            "    label=\"{}\";",
            escape(&signature(program, function))
        )?;
        for &location in locations {
            write_location(program, function, location, out)?;
        }
        writeln!(out, "  }}")?;
    }
    for edge in &program.edges {
        let label: Vec<String> = edge
            .operations
            .iter()
            .map(|operation| describe(program, operation))
            .collect();
        let label = escape(&label.join("\n"));
        writeln!(
            out,
            "  {} -> {} [label=\"{label}\"];",
            edge.source.0, edge.target.0
        )?;
    }
    writeln!(out, "}}")
}

fn signature(program: &Program, function: &Function) -> String {
    let names = |list: &[VariableId]| {
        let names: Vec<&str> = list
            .iter()
            .map(|&variable| program.variable(variable).name.as_str())
            .collect();
        names.join(", ")
    };
    match &function.results[..] {
        [] => format!("{}({})", function.name, names(&function.parameters)),
        results => format!(
            "{}({}) = {}",
            function.name,
            names(&function.parameters),
            names(results)
        ),
    }
}

fn write_location(
    program: &Program,
    function: &Function,
    id: LocationId,
    out: &mut impl Write,
) -> fmt::Result {
    let location = program.location(id);
    let mut label = id.0.to_string();
    if let Some(name) = &location.label {
        let _ = write!(label, "\n{name}");
    }
    if location.span.line > 0 {
        let _ = write!(label, "\nline {}", location.span.line);
    }
    let style = if program.errors.contains(&id) {
        ", style=filled, fillcolor=red"
    } else if id == function.entry {
        ", shape=house"
    } else if id == function.exit {
        ", shape=box"
    } else {
        ""
    };
    writeln!(out, "    {} [label=\"{}\"{style}];", id.0, escape(&label))
}

/// The operation as a line of text.
pub fn describe(program: &Program, operation: &Operation) -> String {
    let name = |variable: VariableId| program.variable(variable).name.as_str();
    let list = |terms: &[TermId]| {
        terms
            .iter()
            .map(|&term| print(term))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match operation {
        Operation::Assign { target, value } => format!("{} := {}", name(*target), print(*value)),
        Operation::Assume(condition) => format!("[{}]", print(*condition)),
        Operation::Store {
            region,
            index,
            value,
        } => {
            let region = name(program.region(*region).variable);
            format!("{region}[{}] := {}", print(*index), print(*value))
        }
        Operation::Havoc { target, input } => {
            let what = match &program.input(*input).kind {
                InputKind::Nondet(function) => format!("{function}()"),
                InputKind::Uninitialised => "uninitialised".to_owned(),
                InputKind::Outside(name) => format!("anything by {name}"),
                InputKind::Volatile(name) => format!("volatile {name}"),
                InputKind::MemoryModel => "any address".to_owned(),
                InputKind::Watched => "any object".to_owned(),
                InputKind::Watching => "watching".to_owned(),
                InputKind::Unknown(what) => format!("unknown {what}"),
            };
            format!("{} := {what} #{}", name(*target), input.0)
        }
        Operation::Call {
            callee,
            arguments,
            results,
        } => {
            let call = format!("{}({})", program.function(*callee).name, list(arguments));
            match &results[..] {
                [] => call,
                results => format!(
                    "{} := {call}",
                    results
                        .iter()
                        .map(|&r| name(r))
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            }
        }
        Operation::Allocate {
            address,
            size,
            lifetime,
        } => {
            let lifetime = match lifetime {
                Lifetime::Heap => "heap",
                Lifetime::Automatic => "automatic",
            };
            format!(
                "allocate {lifetime} {} at {}",
                print(*size),
                print(*address)
            )
        }
        Operation::Free { address, .. } => format!("free {}", print(*address)),
        Operation::Claim(Claim::InvalidAccess { address, bytes }) => format!(
            "claim: {} bytes at {} are not in an object",
            print(*bytes),
            print(*address)
        ),
        Operation::Claim(Claim::InvalidFree { address }) => {
            format!("claim: {} cannot be freed", print(*address))
        }
        Operation::Claim(Claim::Lost) => "claim: an object is lost".to_owned(),
        Operation::Claim(Claim::Allocated) => "claim: an object is not freed".to_owned(),
        Operation::Unsupported(reason) => format!("unsupported: {}", reason.0),
    }
}

fn print(term: TermId) -> String {
    to_smtlib(store(), term)
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramBuilder;
    use regatta_term::{Build, Sort};

    #[test]
    fn names_are_quoted_and_operations_readable() {
        let mut b = ProgramBuilder::new();
        let x = b.global("x\"y", Sort::BitVec(8));
        b.assign(x, store().bv(8, 3));
        b.error();
        let text = to_dot(&b.finish());
        assert!(text.contains("x\\\"y := #x03"), "{text}");
        assert!(text.contains("fillcolor=red"), "{text}");
        assert_eq!(text.matches(" -> ").count(), 2);
    }
}
