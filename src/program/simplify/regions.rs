//! Replaces regions of which only fixed cells are used by scalars.
//!
//! If every read and every store of a region's contents has a constant index, each of those cells becomes a variable of
//! its own, which the other passes can analyse. An assignment to the whole region becomes one to each cell. Where the
//! region is made arbitrary, its variable still receives the input's value and the cells are read from it, so that the
//! input keeps its sort. (Stores to a region that is never read need no pass: its variable is dead. Cells
//! of a region that is never written after its initialisation are found by constant propagation.)

use rustc_hash::FxHashMap;

use crate::cfa::*;
use crate::simplify::limits::MAXIMUM_REPLACED_CELLS;
use crate::simplify::workspace::Workspace;
use crate::variables::VariableUse;
use regatta_term::{Build, Op, Pool, Rebuild, TermId, TermKind, for_each_subterm, store};

/// Runs the pass; returns the number of replaced regions.
pub(super) fn run(workspace: &mut Workspace) -> usize {
    let cells = fixed_cells(&workspace.program, &mut workspace.uses);
    let mut changes = 0;
    let mut variables: FxHashMap<TermId, FxHashMap<TermId, VariableId>> = FxHashMap::default();
    for (index, cells) in cells.into_iter().enumerate() {
        let Some(mut cells) =
            cells.filter(|cells| !cells.is_empty() && !workspace.split_regions[index])
        else {
            continue;
        };
        workspace.split_regions[index] = true;
        changes += 1;
        cells.sort_unstable();
        let contents = workspace.program.regions[index].variable;
        let map = variables.entry(workspace.value(contents)).or_default();
        for (number, cell) in cells.into_iter().enumerate() {
            let variable = add_cell(workspace, contents, number, cell);
            map.insert(cell, variable);
        }
    }
    if changes > 0 {
        let mut edges = std::mem::take(&mut workspace.program.edges);
        for edge in &mut edges {
            let operations = std::mem::take(&mut edge.operations);
            for operation in operations {
                rewrite(workspace, &variables, operation, &mut edge.operations);
            }
        }
        workspace.program.edges = edges;
    }
    changes
}

/// For each region its indices, if all are constant and there are at most [`MAXIMUM_REPLACED_CELLS`]; `None` if it must stay.
fn fixed_cells(program: &Program, uses: &mut VariableUse) -> Vec<Option<Vec<TermId>>> {
    let mut cells: Vec<Option<Vec<TermId>>> = vec![Some(Vec::new()); program.regions.len()];
    let mut region_of: FxHashMap<TermId, usize> = FxHashMap::default();
    for (index, region) in program.regions.iter().enumerate() {
        region_of.insert(
            store().variable(program.variable(region.variable).symbol),
            index,
        );
    }
    let add = |cells: &mut Vec<Option<Vec<TermId>>>, region: usize, index: TermId| {
        let constant = store().is_constant(index);
        if let Some(known) = &mut cells[region] {
            if !constant || (known.len() >= MAXIMUM_REPLACED_CELLS && !known.contains(&index)) {
                cells[region] = None;
            } else if !known.contains(&index) {
                known.push(index);
            }
        }
    };
    let is_array = |variable: &VariableId| program.variable(*variable).sort.is_array();
    for edge in &program.edges {
        for operation in &edge.operations {
            for term in operation.terms() {
                if uses.of(term).iter().any(is_array) {
                    visit_reads(term, |array, index| {
                        if let Some(&region) = region_of.get(&array) {
                            match index {
                                Some(index) => add(&mut cells, region, index),
                                None => cells[region] = None,
                            }
                        }
                    });
                }
            }
            if let Operation::Store { region, index, .. } = operation {
                add(&mut cells, region.index(), *index);
            }
        }
    }
    cells
}

/// Calls the function for each array term that is read, with the index, or with `None` where the array is read as a whole.
fn visit_reads(term: TermId, mut visit: impl FnMut(TermId, Option<TermId>)) {
    if store().sort(term).is_array() {
        visit(term, None);
    }
    for_each_subterm(store(), [term], |_, kind| match kind {
        TermKind::Apply {
            op: Op::Select,
            arguments,
        } => visit(arguments[0], Some(arguments[1])),
        TermKind::Apply { arguments, .. } => {
            let arrays = arguments
                .iter()
                .filter(|&&argument| store().sort(argument).is_array());
            arrays.for_each(|&array| visit(array, None));
        }
        _ => {}
    });
}

fn add_cell(
    workspace: &mut Workspace,
    contents: VariableId,
    number: usize,
    cell: TermId,
) -> VariableId {
    let value = store().select(workspace.value(contents), cell);
    let name = format!("{}[{number}]", workspace.program.variable(contents).name);
    let region = workspace.program.variable(contents).clone();
    let mut variable = Variable {
        sort: store().sort(value),
        role: Role::Source,
        c_type: None,
        ..region
    };
    variable.name = workspace.unused_name(&name, &variable);
    variable.symbol = regatta_term::Symbol::new(&variable.name, variable.sort);
    let variable = workspace.add_variable(variable, None);
    // Regions' variables have no copies, so this is a term over the lowered program.
    workspace.cells.insert(variable, value);
    variable
}

/// Appends the operation, rewritten over the cells' variables.
fn rewrite(
    workspace: &mut Workspace,
    variables: &FxHashMap<TermId, FxHashMap<TermId, VariableId>>,
    mut operation: Operation,
    into: &mut Vec<Operation>,
) {
    operation.map_terms(|term| {
        let with = |term| match store().as_application(term) {
            Some((Op::Select, arguments)) => {
                let cell = variables.get(&arguments[0])?.get(&arguments[1])?;
                Some(workspace.value(*cell))
            }
            _ => None,
        };
        Rebuild::new(store(), store(), with).rebuild(term)
    });
    let cells = |variable: VariableId| variables.get(&workspace.value(variable));
    match operation {
        Operation::Store {
            region,
            index,
            value,
        } => match cells(workspace.program.region(region).variable) {
            Some(cells) => into.extend(
                cells
                    .get(&index)
                    .map(|&target| Operation::Assign { target, value }),
            ),
            None => into.push(operation),
        },
        Operation::Assign { target, value } if cells(target).is_some() => {
            let cells = cell_values(cells(target), |cell| store().select(value, cell));
            // The value may depend on the old cells.
            into.extend(workspace.parallel_assignment(cells));
        }
        Operation::Havoc { target, .. } if cells(target).is_some() => {
            let contents = workspace.value(target);
            let cells = cell_values(cells(target), |cell| store().select(contents, cell));
            into.push(operation);
            into.extend(sequential_assignments(cells));
        }
        operation => into.push(operation),
    }
}

/// The cells' variables with their new values.
fn cell_values(
    cells: Option<&FxHashMap<TermId, VariableId>>,
    value: impl Fn(TermId) -> TermId,
) -> Vec<(VariableId, TermId)> {
    let cells = cells.into_iter().flatten();
    let mut cells: Vec<(VariableId, TermId)> = cells
        .map(|(&cell, &target)| (target, value(cell)))
        .collect();
    cells.sort_by_key(|cell| cell.0);
    cells
}

fn sequential_assignments(cells: Vec<(VariableId, TermId)>) -> Vec<Operation> {
    let cells = cells.into_iter();
    cells
        .map(|(target, value)| Operation::Assign { target, value })
        .collect()
}
