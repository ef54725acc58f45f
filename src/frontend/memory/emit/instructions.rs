//! Instructions.

use super::assumptions::Access;
use super::transfer::{Overlap, Source};
use super::*;
use crate::ir::{BlockIndex, Expr, InitialContents, Instruction, Padding, Place, Storage};
use crate::memory::analysis::constraints::NotAnalysed;
use crate::memory::placement::plan::ClassId;
use regatta_program::{AssumptionKind, Doubt, Lifetime};
use regatta_term::Pool;

impl Emitter<'_, '_> {
    /// Emits an instruction at the current location.
    pub fn instruction(&mut self, block: BlockIndex, number: usize, instruction: &Instruction) {
        let position = (self.body.index.0, block.0, number as u32);
        match instruction {
            Instruction::Assign { place, value } => {
                let term = self.value(value);
                self.check_descent(place, term);
                self.check_walk(place, value, term);
                self.store_place(place, term);
            }
            Instruction::ReadDevice {
                place,
                source,
                name,
                volatile,
            } => self.read_device(place, source, name, *volatile),
            Instruction::WriteDevice {
                place,
                value,
                volatile,
            } => self.write_device(place, value, *volatile),
            Instruction::Copy {
                destination,
                source,
                size,
                overlapping,
                ..
            } => {
                self.change_source(source);
                let destination = self.spot(destination);
                let source = self.spot(source);
                let overlap = if *overlapping {
                    Overlap::Possible
                } else {
                    Overlap::No
                };
                self.note_access(&source, *size, Access::Read);
                self.note_access(&destination, *size, Access::Write);
                self.transfer(&destination, *size, Source::Copy(source), overlap);
            }
            Instruction::Fill {
                destination,
                size,
                byte,
                ..
            } => {
                let destination = self.spot(destination);
                self.note_access(&destination, *size, Access::Write);
                self.transfer(&destination, *size, Source::Byte(*byte), Overlap::No);
            }
            Instruction::FillRange {
                destination,
                size,
                byte,
            } => self.fill_range(destination, size, *byte),
            Instruction::Padding {
                destination,
                ranges,
                contents,
            } => {
                let destination = self.spot(destination);
                let zero = *contents == Padding::Zero;
                if zero
                    && ranges
                        .iter()
                        .any(|range| self.tables.is_accessed(&destination, range))
                {
                    let what = "the padding of an object that is initialised statically is zero";
                    self.note_assumption(AssumptionKind::Layout, what, Doubt::Always);
                }
                if !zero {
                    for range in ranges {
                        self.make_undetermined(&destination, range);
                    }
                }
            }
            Instruction::Call {
                callee,
                arguments,
                result,
            } => {
                let Some(&site) = self.tables.facts.call_of.get(&position) else {
                    self.contradict(format_args!("a call: {NotAnalysed}"));
                    return;
                };
                self.call(site, callee, arguments, result.as_ref());
            }
            Instruction::CallUnknown {
                name,
                arguments,
                result,
                returns,
                effect,
            } => {
                self.check_arguments(arguments);
                self.call_unknown(name, *effect);
                if *returns {
                    self.receive_unknown(name, result.as_ref());
                }
            }
            Instruction::Nondet {
                place,
                function,
                call_end,
            } => {
                let input = InputId(self.body.builder.program.inputs.len() as u32);
                self.body.builder.waypoints.set_call_end(input, *call_end);
                self.nondet(place, InputKind::Nondet(function.clone()));
            }
            &Instruction::Waypoint { kind, time } => {
                let span = self.body.span;
                self.body.pass_waypoint(Waypoint { kind, time, span });
            }
            Instruction::Approximate { place, what } => {
                self.nondet(place, InputKind::Unknown(what.clone()))
            }
            Instruction::Choice { place } => self.nondet(place, InputKind::MemoryModel),
            Instruction::Declare(object) => {
                self.declare(*object);
                self.set_holder(*object, true);
            }
            Instruction::BeginScope(object) => {
                if let Home::Dynamic(id, variable) = self.tables.home(*object) {
                    self.end_local(id, variable);
                    self.renew(*object, id, variable);
                }
                self.set_holder(*object, false);
            }
            Instruction::EndScope(object) => {
                if let Home::Dynamic(id, variable) = self.tables.home(*object) {
                    self.end_local(id, variable);
                }
                self.set_holder(*object, false);
            }
            Instruction::ProgramEnds { is_aborted } => self.check_end(*is_aborted),
            Instruction::Allocate {
                place,
                size,
                alignment,
                lifetime,
                contents,
            } => {
                let Some(&site) = self.tables.facts.site_of.get(&position) else {
                    self.contradict(format_args!("an allocation: {NotAnalysed}"));
                    return;
                };
                self.make_object(site, place, size, *alignment, (*lifetime, *contents));
            }
            Instruction::Free(pointer) => {
                let address = self.value(pointer);
                self.check_deallocation_in_loop(address);
                self.check_free(pointer, address);
                if self.is_chosen(pointer) {
                    self.forget(address);
                }
                self.body.push(Operation::Free {
                    address,
                    lifetime: Lifetime::Heap,
                });
            }
            Instruction::Assume(condition) => {
                let condition = self.condition(condition);
                self.body.check_trouble();
                self.body.assume(condition);
            }
            Instruction::SetRounding(value) => {
                let value = self.value(value);
                if let Some(mode) = self.tables.rounding_variable() {
                    let mode_value = match self.tables.semantics.arithmetic {
                        Arithmetic::BitVector => pool().zero_resize(value, 2),
                        Arithmetic::Integer => pool().int_to_bv(value, 2),
                    };
                    self.body.assign(mode, mode_value);
                }
            }
            Instruction::Unsupported(reason) => self.body.unsupported(reason),
            Instruction::Check { condition, rule } => {
                let holds = self.condition(condition);
                self.body.check_trouble();
                self.body.check(holds, rule.check().property());
            }
            Instruction::CheckAlignment { pointer, alignment } => {
                self.check_alignment(pointer, *alignment);
            }
            Instruction::Expect { condition, what } => {
                let condition = self.value(condition);
                self.note_assumption(AssumptionKind::Defined, what, Doubt::Zero(condition));
            }
            Instruction::Assumption { kind, what } => {
                self.note_assumption(*kind, what, Doubt::Always);
            }
        }
        self.body.check_trouble();
        self.body.release_temporaries();
    }

    /// Stores any value at a place: an input of the value's own width.
    pub fn nondet(&mut self, place: &Place, kind: InputKind) {
        let sort = self.tables.semantics.sort(place.scalar);
        let value = self
            .body
            .any(sort, kind, Some(Tables::c_scalar(place.scalar)));
        let unsigned = match place.scalar {
            ScalarType::Integer { signed, .. } => !signed,
            ScalarType::Pointer => true,
            ScalarType::Bool | ScalarType::Float(_) => false,
        };
        if unsigned && sort == Sort::Int {
            self.body.assume(pool().int_le(pool().int(0), value));
        }
        self.store_place(place, value);
    }

    /// Begins the lifetime of an object, with undetermined contents.
    fn declare(&mut self, object: ObjectIndex) {
        let data = &self.tables.unit.objects[object.0 as usize];
        // A static object's lifetime began with the program.
        if !matches!(data.storage, Storage::Automatic(_)) {
            return;
        }
        match self.tables.home(object) {
            Home::Unused => {}
            // The object exists since its block was entered, and nothing has been written to it: jumps back before
            // declarations are not modelled under a check of memory.
            Home::Dynamic(..) if self.tables.plan.entered.contains(&object) => {}
            Home::Dynamic(id, variable) => {
                let old = self.body.builder.term(variable);
                self.forget(old);
                self.end_local(id, variable);
                self.renew(object, id, variable);
            }
            Home::Static(id, _)
                if self.tables.plan.class_by_id(id).single.is_none()
                    && self.tables.plan.declared_once.contains(&object) => {}
            Home::Variables(_) | Home::Static(..) => {
                let spot = self.tables.object_spot(object);
                self.transfer(
                    &spot,
                    data.size,
                    Source::Any(InputKind::Uninitialised),
                    Overlap::No,
                );
            }
        }
    }

    /// Gives a local object a new address. If another object may have been there, its contents become arbitrary.
    pub fn renew(&mut self, object: ObjectIndex, id: ClassId, variable: VariableId) {
        let data = &self.tables.unit.objects[object.0 as usize];
        let size = self.tables.pointer_constant(data.size.into());
        let address = self.allocate(id, None, size, data.alignment, Lifetime::Automatic);
        self.body.assign(variable, address);
        if self.tables.plan.class_by_id(id).observable {
            let spot = self.tables.object_spot(object);
            let anything = Source::Any(InputKind::Uninitialised);
            self.transfer(&spot, data.size, anything, Overlap::No);
        }
    }

    /// Emits `malloc` and its like.
    fn make_object(
        &mut self,
        site: usize,
        place: &Place,
        size: &Expr,
        alignment: u64,
        (lifetime, contents): (Lifetime, InitialContents),
    ) {
        let target = Target {
            node: self.tables.facts.sites[site].node,
            offset: 0,
        };
        let Some(&id) = self
            .tables
            .plan
            .class_of
            .get(&self.tables.facts.graph.canonical(target).node)
        else {
            self.contradict("an allocation of objects without a class");
            return;
        };
        let scalar = super::super::walk::type_of(size, self.tables.semantics.pointer_bits);
        let size = self.value(size);
        let mode = self.tables.mode();
        let size = match scalar {
            ScalarType::Integer { .. } => self.tables.semantics.convert(
                size,
                scalar,
                ScalarType::Integer {
                    bits: self.tables.semantics.pointer_bits,
                    signed: false,
                },
                mode,
            ),
            _ => size,
        };
        let size = if pool().constant(size).is_some() {
            size
        } else {
            self.body.freeze(size)
        };
        let possible = self.tables.is_possible(size);
        let mut join = None;
        if lifetime == Lifetime::Heap && !self.tables.options.malloc_may_fail {
            let what = "the allocation succeeds";
            self.note_assumption(AssumptionKind::MallocSucceeds, what, Doubt::Always);
        }
        if lifetime == Lifetime::Automatic {
            // The stack is exhausted, and the program ends.
            self.body.assume(possible);
        } else if self.tables.options.malloc_may_fail || possible != TermId::TRUE {
            let mut fails = pool().not(possible);
            if self.tables.options.malloc_may_fail {
                let may_fail = self.body.any(Sort::Bool, InputKind::MemoryModel, None);
                fails = pool().or2(fails, may_fail);
            }
            let Some(fork) = self.body.cut() else { return };
            let (failure, success, after) = (
                self.body.location(),
                self.body.location(),
                self.body.location(),
            );
            self.body.branch(fork, failure, fails);
            self.body.branch(fork, success, pool().not(fails));
            self.body.continue_at(failure);
            let null = self.tables.pointer_constant(0);
            self.store_place(place, null);
            self.body.finish(after);
            self.body.continue_at(success);
            join = Some(after);
        }
        let class = self.tables.plan.class_by_id(id);
        if contents == InitialContents::Previous && !class.observable {
            // The program cannot observe whether the object kept its address: only the case of a new one is emitted.
            self.body.assume(TermId::FALSE);
        }
        let address = self.allocate(id, Some(site), size, alignment, lifetime);
        if let Some(sizes) = class.sizes {
            let contents = self.body.builder.term(sizes);
            self.body
                .assign(sizes, pool().store(contents, address, size));
        }
        let spot = self.tables.term_spot(address, target);
        match contents {
            InitialContents::Zero if class.arbitrary => {
                self.fill_dynamic(&spot, size, &Source::Byte(0));
            }
            // Another object may have been there before.
            InitialContents::Uninitialised
                if class.observable && self.tables.reuses_addresses() =>
            {
                self.fill_dynamic(&spot, size, &Source::Any(InputKind::Uninitialised));
            }
            // The class's regions hold such contents already.
            InitialContents::Zero | InitialContents::Uninitialised | InitialContents::Previous => {}
        }
        self.store_place(place, address);
        if let Some(after) = join {
            self.body.finish(after);
            self.body.continue_at(after);
        }
    }
}
