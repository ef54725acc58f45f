//! The tables of a compiled program.

use rustc_hash::FxHashMap;

use super::bytecode::{CallSite, Locals, Place};
use super::exclusion::edges_exclude_one_another;
use super::executable::{
    AccessChecks, AddressTerm, ArrayDescription, Executable, RegionDescription, Validity,
    VariableDescription,
};
use crate::interpreter::compiler::assembler::ArrayShape;
use crate::interpreter::compiler::expression::Expressions;
use crate::{EdgeId, InputKind, Program, Region, RegionId, Role, Scope, VariableId};
use regatta_term::{Constant, Pool, TermId, TermKind, store};

/// Creates the compiled program from the finished code.
pub(in crate::interpreter) fn executable(
    program: &Program,
    expressions: Expressions,
    calls: Vec<CallSite>,
    unsupported: FxHashMap<EdgeId, String>,
    checks: AccessChecks,
) -> Executable {
    let regions = regions(program, &expressions);
    let arrays = array_descriptions(program, &expressions, &regions, checks);
    let object_addresses = program
        .objects
        .iter()
        .map(|object| address_term(object.address, &expressions))
        .collect();
    let entry = program.function(program.start).entry.0;
    let variables = program.variables.iter().zip(&expressions.places);
    Executable {
        entry: expressions.assembler.address(entry),
        locals: locals(program, &expressions.places),
        variables: variables
            .map(|(variable, place)| VariableDescription {
                place: *place,
                sort: variable.sort,
                scope: variable.scope,
                is_of_memory: matches!(
                    variable.role,
                    Role::Region(_) | Role::Model | Role::History(_)
                ),
            })
            .collect(),
        names: program
            .variables
            .iter()
            .enumerate()
            .map(|(index, variable)| (variable.name.clone(), VariableId(index as u32)))
            .collect(),
        unknown: program
            .inputs
            .iter()
            .map(|input| matches!(input.kind, InputKind::Unknown(_)))
            .collect(),
        inputs: program.inputs.clone(),
        objects: program.objects.clone(),
        object_addresses,
        deterministic: edges_exclude_one_another(program),
        start: program.start,
        pointer_bytes: u64::from(program.data_model.pointer_bits() / 8),
        regions,
        edge_targets: program.edges.iter().map(|edge| edge.target).collect(),
        arrays,
        code: expressions.assembler.code,
        edge_of: expressions.assembler.edge_of,
        narrow: expressions.assembler.narrow,
        wide: expressions.assembler.wide,
        integer: expressions.assembler.integer,
        general: expressions.general,
        calls,
        unsupported,
    }
}

/// The descriptions of the regions.
fn regions(program: &Program, expressions: &Expressions) -> Vec<RegionDescription> {
    let describe = |region: &Region| RegionDescription {
        array: match expressions.places[region.variable.index()] {
            Place::Array(register) => register,
            _ => u32::MAX,
        },
        element_bytes: region.element_bytes.max(1),
        base: address_term(region.base, expressions),
        single: single_object_cells(program, region).is_some(),
        objects: region.objects.iter().copied().collect(),
        is_outside: is_outside(program, region),
    };
    program.regions.iter().map(describe).collect()
}

/// The descriptions of the array registers.
fn array_descriptions(
    program: &Program,
    expressions: &Expressions,
    regions: &[RegionDescription],
    checks: AccessChecks,
) -> Vec<ArrayDescription> {
    let shapes: &[ArrayShape] = &expressions.assembler.arrays;
    let mut descriptions: Vec<_> = shapes
        .iter()
        .map(|shape| ArrayDescription {
            shape: *shape,
            validity: Validity::Unchecked,
        })
        .collect();
    for (index, (region, description)) in program.regions.iter().zip(regions).enumerate() {
        if let Some(array) = descriptions.get_mut(description.array as usize) {
            array.validity = match single_object_cells(program, region) {
                Some(cells) => Validity::Cells(cells),
                None if checks == AccessChecks::SingleObjects => Validity::Unchecked,
                None => Validity::Table {
                    region: RegionId(index as u32),
                    element_bytes: description.element_bytes,
                    base: description.base,
                },
            };
        }
    }
    descriptions
}

fn is_outside(program: &Program, region: &Region) -> bool {
    let mut objects = region.objects.iter();
    objects.any(|&object| program.object(object).is_outside)
}

/// For each array of a region with a single object, the number of cells that are used.
pub(in crate::interpreter) fn expected_lengths(program: &Program) -> FxHashMap<VariableId, u64> {
    let lengths = program.regions.iter().filter_map(|region| {
        let cells = single_object_cells(program, region)?;
        Some((region.variable, cells))
    });
    lengths.collect()
}

/// The number of cells of a region that consists of one static object.
fn single_object_cells(program: &Program, region: &Region) -> Option<u64> {
    match region.objects[..] {
        [object] if !region.dynamic && !is_outside(program, region) => {
            Some(program.object(object).size / region.element_bytes.max(1))
        }
        _ => None,
    }
}

/// An address term that is a constant or a variable; `None` for other terms.
fn address_term(term: TermId, expressions: &Expressions) -> Option<AddressTerm> {
    match store().kind(term) {
        TermKind::Constant(Constant::BitVec(value)) => {
            Some(AddressTerm::Constant(value.bits() as u64))
        }
        TermKind::Constant(Constant::Int(value)) => {
            u64::try_from(value).ok().map(AddressTerm::Constant)
        }
        TermKind::Variable { symbol, .. } => {
            let variable = expressions.facts.variable(symbol)?;
            Some(AddressTerm::Variable(expressions.places[variable.index()]))
        }
        _ => None,
    }
}

fn locals(program: &Program, places: &[Place]) -> Vec<Locals> {
    let mut locals = vec![Locals::default(); program.functions.len()];
    for (variable, place) in program.variables.iter().zip(places) {
        if let Scope::Local(function) = variable.scope
            && let Some(locals) = locals.get_mut(function.index())
        {
            match *place {
                Place::Narrow(register) => locals.narrow.push(register),
                Place::Wide(register) => locals.wide.push(register),
                Place::Integer(register) => locals.integer.push(register),
                Place::Array(register) => locals.arrays.push(register),
            }
        }
    }
    locals
}
