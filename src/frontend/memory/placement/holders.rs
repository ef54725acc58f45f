//! The local pointers that keep memory from being lost where the program ends before their functions return, or in a loop that
//! may not end.
//!
//! `exit` and `abort` end the program in any function, and the local objects of all functions that have not returned exist
//! then. The program says of each local object that may hold a pointer to memory of the heap, whether it exists, in a global
//! variable that the check reads in whatever function the program ends: for a pointer that is a variable, a copy that is null
//! while the pointer does not exist; for an object in memory, a truth value. A recursive function has an object for each of its
//! activations, so that its objects are left out.

use super::lives::record;
use super::plan::{ClassId, FieldHome, Home, Plan, Planner, Representation, is_identifier};
use crate::ir::{Instruction, ObjectIndex, ScalarType, Storage, only_scalar};
use crate::memory::analysis::endless::{Checks, Exits, Loops, Reach};
use crate::memory::analysis::points_to::Target;
use crate::memory::builder::Builder;
use regatta_program::digraph::Digraph;
use regatta_program::{Arithmetic, VariableId};
use regatta_term::Sort;

/// What the program records of a *holder*: a local object whose pointers keep memory from being lost while it exists.
#[derive(Clone, Debug)]
pub enum Record {
    /// The pointers that are variables, each with its copy.
    Copies(Vec<(VariableId, VariableId)>),
    /// Whether the object, which is in memory, exists.
    Exists(VariableId),
}

impl Planner<'_, '_> {
    /// Finds the loops that may not end, and makes the variables for the local objects that may hold pointers to memory of the
    /// heap; to be called when objects have their homes.
    pub fn record_holders(&self, plan: &mut Plan, builder: &mut Builder) {
        if !self.checks.leaks {
            return;
        }
        plan.loops = self.checks_of_loops();
        if self.arithmetic != Arithmetic::BitVector {
            return;
        }
        let looked_at = self.looked_at(&plan.loops);
        for number in 0..self.unit.objects.len() {
            let object = ObjectIndex(number as u32);
            let Storage::Automatic(function) = self.object(object).storage else {
                continue;
            };
            let index = function.0 as usize;
            // A temporary of the frontend is no object of C.
            let is_declared = is_identifier(&self.object(object).name);
            let is_looked_at = looked_at[index] && !self.is_recursive(object);
            if !is_declared || !is_looked_at || !self.holds(plan, object) {
                continue;
            }
            let name = self.name(object);
            let kept = match plan.homes[number] {
                Home::Variables(id) => {
                    let is_pointer = Representation::Bits(self.unit.data_model.pointer_bits());
                    let fields = plan.class_by_id(id).fields.iter();
                    let pointers = fields.filter(|field| field.representation == is_pointer);
                    let variables = pointers.filter_map(|field| match field.home {
                        FieldHome::Variable(variable) => Some(variable),
                        _ => None,
                    });
                    let copies = variables.map(|variable| {
                        let name = format!("copy of {}", builder.program.variable(variable).name);
                        let copy = record(&name, self.pointer_sort(), builder);
                        builder.copies.insert(variable, copy);
                        (variable, copy)
                    });
                    Record::Copies(copies.collect())
                }
                Home::Static(..) => {
                    let name = format!("{name} exists");
                    Record::Exists(record(&name, Sort::Bool, builder))
                }
                Home::Dynamic(..) | Home::Unused => continue,
            };
            plan.holders.insert(object, kept);
        }
    }

    /// What is to be checked of loops that may not end, by function.
    fn checks_of_loops(&self) -> Vec<Checks> {
        let reach = |object: ObjectIndex| {
            let data = self.object(object);
            let is_named = only_scalar(&data.leaves).is_some()
                && !self.facts.in_memory[object.0 as usize]
                && !self.unit.volatile.contains(&object);
            match data.storage {
                Storage::Automatic(_) if is_named => Reach::Function,
                Storage::Static { .. } if is_named => Reach::Names,
                _ => Reach::Anything,
            }
        };
        let exits = Exits::of(self.unit);
        let functions = self.unit.functions.iter().zip(self.function_ids);
        let checks = functions.map(|(function, id)| match id {
            Some(_) => Loops::new(&function.blocks, &reach, exits).checks(),
            None => Checks::default(),
        });
        checks.collect()
    }

    /// Whether it may be looked at what exists while a function has not returned, by function, the start apart: the program may
    /// end, or a loop or recursion need not.
    fn looked_at(&self, loops: &[Checks]) -> Vec<bool> {
        let functions = (0..).zip(&self.unit.functions);
        let looks = functions.filter(|&(number, function)| {
            let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
            let ends = instructions.any(|entry| matches!(entry.0, Instruction::ProgramEnds { .. }));
            let index = number as usize;
            let may_go_on = !loops[index].endless.is_empty() || !loops[index].progress.is_empty();
            let runs = self.function_ids[index].is_some();
            runs && (ends || may_go_on || self.calls.recursive[index])
        });
        let start = self.unit.start.0;
        let looks = looks
            .map(|(number, _)| number)
            .filter(|&number| number != start);
        let calls = self.facts.calls.iter();
        let to_callers = calls.flat_map(|call| {
            let callees = call.callees.iter();
            callees.map(|callee| (callee.0, call.caller.0))
        });
        let mut looked_at = Digraph::new(loops.len(), to_callers).reachable(looks);
        looked_at[start as usize] = false;
        looked_at
    }

    /// Whether an object has a pointer that may lead to the object of the heap that an allocation makes which runs once.
    fn holds(&self, plan: &Plan, object: ObjectIndex) -> bool {
        let target = self.facts.object(object);
        let leaves = self.object(object).leaves.iter();
        let mut pointers =
            leaves.filter(|leaf| leaf.scalar == ScalarType::Pointer && leaf.count <= 1);
        pointers.any(|leaf| {
            let bytes = i64::try_from(leaf.bit_offset / 8).ok();
            let class = bytes.and_then(|bytes| self.linked_class(plan, target.shifted(bytes)));
            class.is_some_and(|id| {
                let mut sites = plan.class_by_id(id).sites.iter();
                sites.any(|&site| self.facts.sites[site].on_heap && self.runs_once(site))
            })
        })
    }

    /// The class that the pointer at a place leads to, if there is one.
    pub fn linked_class(&self, plan: &Plan, place: Target) -> Option<ClassId> {
        let target = self.facts.graph.known_link(place)?;
        let root = self.facts.graph.canonical(target).node;
        plan.class_of.get(&root).copied()
    }
}
