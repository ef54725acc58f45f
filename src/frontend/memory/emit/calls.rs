//! Calls: how parameters and results are passed, and calls through pointers.

use super::super::walk;
use super::assumptions::Access;
use super::places::Spot;
use super::transfer::{Overlap, Source};
use super::*;
use crate::ir::{Argument, Callee, ObjectIndex, ResultPlace, only_scalar};
use crate::memory::placement::plan::FieldHome;
use regatta_program::Lifetime;
use regatta_term::Pool;

/// How a parameter or a result is passed.
#[derive(Clone, Debug)]
pub enum Passing {
    /// Not at all: it is never read.
    Nothing,
    /// In the variables of the object: each with its first bit, width and representation.
    Variables(Vec<Part>),
    /// As a scalar in a variable of its own, since the object is in memory.
    Value(VariableId, ScalarType),
    /// In the object itself, which has a fixed place: the caller writes the parameter and reads the result there.
    InPlace,
    /// As the address of an object that the caller allocates for it.
    Address(VariableId, ClassId),
}

/// A variable that holds a part of an object.
#[derive(Copy, Clone, Debug)]
pub struct Part {
    pub variable: VariableId,
    /// First bit from the object's start.
    pub bit: i64,
    /// Number of bits.
    pub bits: u32,
    /// Its representation.
    pub representation: Representation,
}

/// How a function is called.
#[derive(Clone, Debug)]
pub struct Interface {
    /// Its parameters, in order.
    pub parameters: Vec<(ObjectIndex, Passing)>,
    /// Its result, unless it is `void`.
    pub result: Option<(ObjectIndex, Passing)>,
}

impl Passing {
    /// The variables in which it is passed.
    pub fn variables(&self) -> Vec<VariableId> {
        match self {
            Self::Nothing | Self::InPlace => Vec::new(),
            Self::Variables(parts) => parts.iter().map(|part| part.variable).collect(),
            Self::Value(variable, _) | Self::Address(variable, _) => vec![*variable],
        }
    }
}

impl Emitter<'_, '_> {
    /// How an object of a function is passed to it or from it.
    pub fn passing(&mut self, object: ObjectIndex) -> Passing {
        let data = &self.tables.unit.objects[object.0 as usize];
        match self.tables.home(object) {
            Home::Unused => Passing::Nothing,
            Home::Variables(id) => {
                let start = self
                    .tables
                    .object_spot(object)
                    .target
                    .offset
                    .wrapping_mul(8);
                let parts =
                    self.tables
                        .class_fields(id)
                        .iter()
                        .filter_map(|plan| match plan.home {
                            FieldHome::Variable(variable) => Some(Part {
                                variable,
                                bit: plan.field.start.wrapping_sub(start),
                                bits: plan.field.bits as u32,
                                representation: plan.representation,
                            }),
                            _ => None,
                        });
                Passing::Variables(parts.collect())
            }
            home @ (Home::Static(id, _) | Home::Dynamic(id, _)) => {
                match only_scalar(&data.leaves) {
                    Some(scalar) => {
                        let name = format!("{} (passed)", self.tables.planner.name(object));
                        let variable = self.body.builder.variable(
                            &name,
                            self.tables.semantics.sort(scalar),
                            Description {
                                scope: Scope::Local(self.body.function),
                                role: Role::Temporary,
                                c_type: Some(Tables::c_scalar(scalar)),
                                span: data.span,
                            },
                        );
                        Passing::Value(variable, scalar)
                    }
                    None => match home {
                        Home::Dynamic(_, variable) => Passing::Address(variable, id),
                        _ => Passing::InPlace,
                    },
                }
            }
        }
    }

    /// Emits a call by name or through a pointer.
    pub fn call(
        &mut self,
        site: usize,
        callee: &Callee,
        arguments: &[Argument],
        result: Option<&ResultPlace>,
    ) {
        match callee {
            Callee::Direct(function) => self.call_function(*function, arguments, result),
            Callee::Indirect(pointer) => self.call_pointer(site, pointer, arguments, result),
            Callee::Escaped(function) if self.tables.facts.is_bound(site, *function) => {
                self.call_function(*function, arguments, result);
            }
            // Unknown code does not have its address.
            Callee::Escaped(_) => self.body.end(),
        }
    }

    /// Emits a case for each function that the pointer may point to. A pointer that is null or never assigned ends the
    /// program: no function is called. The remaining cases are functions of other types, and unknown code if the
    /// pointer may come from outside.
    fn call_pointer(
        &mut self,
        site: usize,
        pointer: &Pointer,
        arguments: &[Argument],
        result: Option<&ResultPlace>,
    ) {
        let mut candidates = self.tables.facts.calls[site].callees.clone();
        candidates.retain(|&callee| Some(callee) != self.tables.unit.outside.environment);
        candidates.sort_unstable();
        let target = self.target(pointer);
        let address = self.value(pointer);
        self.body.check_trouble();
        let Some(fork) = self.body.cut() else { return };
        let join = self.body.location();
        let null = pool().eq(address, self.tables.pointer_constant(0));
        let mut others = vec![pool().not(null)];
        for &function in &candidates {
            let here = pool().eq(address, self.function_address(function));
            others.push(pool().not(here));
            if here == TermId::FALSE {
                continue;
            }
            let begin = self.body.location();
            self.body.branch(fork, begin, here);
            self.body.continue_at(begin);
            self.call_function(function, arguments, result);
            self.body.finish(join);
        }
        let facts = self.tables.facts;
        let mut wrong: Vec<TermId> = facts
            .functions_at(target)
            .filter(|function| !candidates.contains(function))
            .map(|function| pool().eq(address, self.function_address(function)))
            .collect();
        let (missing, reason) = if facts.may_be_forged(target) {
            self.call_nothing(fork, null);
            let wrong = pool().or(wrong);
            if self.tables.facts.may_call_unknown(site) {
                others.push(pool().not(wrong));
                let begin = self.body.location();
                self.body.branch(fork, begin, pool().and(others));
                self.body.continue_at(begin);
                let effect = self.tables.unit.outside.effect;
                let name = "an unknown function";
                self.check_arguments(arguments);
                self.call_unknown(name, effect);
                if result.is_some() {
                    self.receive_unknown(name, result);
                }
                self.body.check_trouble();
                if let Some(environment) = self.tables.unit.outside.environment {
                    self.call_function(environment, &[], None);
                }
                self.body.finish(join);
                (
                    wrong,
                    "call through a pointer to a function of another type",
                )
            } else {
                (
                    pool().and(others),
                    "call through a pointer that may point to an unknown function",
                )
            }
        } else {
            let externals = facts.externals_at(target);
            wrong.extend(externals.map(|name| pool().eq(address, self.external_address(name))));
            let none = others.into_iter().skip(1);
            let none = none.chain(wrong.iter().map(|&here| pool().not(here)));
            self.call_nothing(fork, pool().and(none));
            (
                pool().or(wrong),
                "call through a pointer to an unknown function or to one of another type",
            )
        };
        if missing != TermId::FALSE {
            self.body.continue_at(fork);
            self.body.assume(missing);
            self.body.unsupported(reason);
        }
        self.body.continue_at(join);
    }

    /// Ends the program where a pointer leads to no function. Under a check of memory nothing is known of what follows.
    fn call_nothing(&mut self, fork: LocationId, condition: TermId) {
        if !self.tables.options.memory_checks.any() {
            let sink = self.body.sink();
            self.body.branch(fork, sink, condition);
            return;
        }
        let here = self.body.location();
        self.body.branch(fork, here, condition);
        self.body.continue_at(here);
        self.body
            .unsupported("a call through a pointer to no function");
    }

    fn call_function(
        &mut self,
        function: FunctionIndex,
        arguments: &[Argument],
        result: Option<&ResultPlace>,
    ) {
        let index = function.0 as usize;
        let (Some(callee), Some(interface)) = (
            self.tables.function_ids[index],
            self.tables.interfaces[index].clone(),
        ) else {
            let name = &self.tables.unit.functions[index].name;
            self.contradict(format_args!("a call of `{name}`, which cannot run"));
            return;
        };
        let mut terms = Vec::new();
        for (number, (object, passing)) in interface.parameters.iter().enumerate() {
            self.pass(*object, passing, arguments.get(number), &mut terms);
        }
        let excess = arguments.get(interface.parameters.len()..);
        self.check_arguments(excess.unwrap_or_default());
        self.body.check_trouble();
        let Some(source) = self.body.cut() else {
            return;
        };
        let mut results = Vec::new();
        if let (Some(_), Some((_, passing))) = (result, &interface.result) {
            for variable in passing.variables() {
                let sort = self.body.builder.program.variables[variable.index()].sort;
                results.push(self.body.temporary(sort));
            }
        }
        let target = self.body.location();
        let operation = Operation::Call {
            callee,
            arguments: terms,
            results: results.clone(),
        };
        self.body.continue_at(source);
        self.body.push(operation);
        self.body.finish(target);
        self.body.continue_at(target);
        if let (Some(place), Some((object, passing))) = (result, &interface.result) {
            self.receive(place, *object, passing, &results);
        }
    }

    /// The terms that pass an argument.
    fn pass(
        &mut self,
        object: ObjectIndex,
        passing: &Passing,
        argument: Option<&Argument>,
        terms: &mut Vec<TermId>,
    ) {
        if self.tables.options.memory_checks.any()
            && let Some(Argument::Object { address, size, .. }) = argument
        {
            let spot = self.spot(address);
            self.check_access(&spot, *size, Access::Read);
        }
        let size = self.tables.unit.objects[object.0 as usize].size;
        match (passing, argument) {
            (Passing::Nothing, Some(Argument::Scalar { value, .. }))
                if self.tables.options.memory_checks.any() =>
            {
                self.value(value);
            }
            (Passing::Nothing, _) | (Passing::InPlace, None) => {}
            (_, None) => {
                for variable in passing.variables() {
                    let sort = self.body.builder.program.variables[variable.index()].sort;
                    let value = self.body.any(sort, InputKind::Uninitialised, None);
                    terms.push(value);
                }
            }
            (Passing::Variables(parts), Some(Argument::Scalar { value, scalar })) => {
                let value = self.value(value);
                for part in parts {
                    let part = self.part_of_scalar(value, *scalar, *part);
                    terms.push(part);
                }
            }
            (Passing::Variables(parts), Some(Argument::Object { address, .. })) => {
                let spot = self.spot(address);
                for part in parts {
                    let value = self.load_or_zero(&spot, part.bit, part.bits, part.representation);
                    terms.push(value);
                }
            }
            (Passing::Value(variable, _), Some(Argument::Scalar { value, scalar })) => {
                let value = self.value(value);
                let wanted = self.body.builder.program.variables[variable.index()].sort;
                if pool().sort(value) == wanted {
                    terms.push(value);
                } else {
                    let bits = walk::scalar_bits(*scalar, self.tables.semantics.pointer_bits);
                    let form = self.tables.form(*scalar, bits);
                    let value = self.resized(value, form, wanted, bits);
                    terms.push(value);
                }
            }
            (Passing::Value(_, scalar), Some(Argument::Object { address, .. })) => {
                let spot = self.spot(address);
                let bits = walk::scalar_bits(*scalar, self.tables.semantics.pointer_bits);
                let form = self.tables.form(*scalar, bits);
                let value = self.load_or_zero(&spot, 0, bits, form);
                terms.push(value);
            }
            (Passing::InPlace, Some(argument)) => {
                let spot = self.tables.object_spot(object);
                self.pass_in_memory(&spot, size, argument);
            }
            (Passing::Address(_, class), Some(argument)) => {
                let size_term = self.tables.pointer_constant(size.into());
                let alignment = self.tables.unit.objects[object.0 as usize].alignment;
                let address =
                    self.allocate(*class, None, size_term, alignment, Lifetime::Automatic);
                let target: Target = self.tables.facts.object(object);
                let spot = self.tables.term_spot(address, target);
                self.pass_in_memory(&spot, size, argument);
                terms.push(address);
            }
        }
    }

    fn pass_in_memory(&mut self, destination: &Spot, size: u64, argument: &Argument) {
        match argument {
            Argument::Object { address, .. } => {
                let source = self.spot(address);
                self.transfer(destination, size, Source::Copy(source), Overlap::No);
            }
            Argument::Scalar { value, scalar } => {
                let value = self.value(value);
                let bits = walk::scalar_bits(*scalar, self.tables.semantics.pointer_bits);
                let form = self.tables.form(*scalar, bits);
                self.store(destination, 0, bits, form, value);
            }
        }
    }

    fn load_or_zero(&mut self, spot: &Spot, bit: i64, bits: u32, form: Representation) -> TermId {
        if self
            .tables
            .next_field(spot.target, bit, bit + i64::from(bits))
            .is_none()
        {
            // Nothing but zero was ever written there.
            return pool().value(&regatta_term::Value::zero(form.sort().into()));
        }
        self.load(spot, bit, bits, form)
    }

    /// The part of a parameter that a scalar argument gives.
    fn part_of_scalar(&mut self, value: TermId, scalar: ScalarType, part: Part) -> TermId {
        let bits = walk::scalar_bits(scalar, self.tables.semantics.pointer_bits);
        let form = self.tables.form(scalar, bits);
        if part.bit == 0 && part.bits == bits {
            return self.in_form(value, form, part.representation, bits);
        }
        if self.tables.semantics.arithmetic == Arithmetic::Integer {
            return self.in_form(value, form, part.representation, part.bits);
        }
        let width = bits.clamp(1, 128) as u8;
        let vector = self.in_form(value, form, Representation::Bits(width), bits);
        let from = u8::try_from(part.bit).unwrap_or(u8::MAX);
        let own = part.bits.clamp(1, 128) as u8;
        let piece = if from >= width {
            pool().bv(own, 0)
        } else {
            pool().zero_resize(pool().extract(vector, width - 1, from), own)
        };
        self.in_form(
            piece,
            Representation::Bits(own),
            part.representation,
            part.bits,
        )
    }

    /// Converts a scalar that is passed as one of another sort.
    fn resized(&mut self, value: TermId, form: Representation, wanted: Sort, bits: u32) -> TermId {
        match (form, wanted) {
            (Representation::Bits(_), Sort::BitVec(width)) => pool().zero_resize(value, width),
            (_, Sort::BitVec(width)) => {
                let own = bits.clamp(1, 128) as u8;
                let value = self.in_form(value, form, Representation::Bits(own), bits);
                if pool().sort(value) == Sort::BitVec(own) {
                    pool().zero_resize(value, width)
                } else {
                    pool().bv(width, 0)
                }
            }
            _ => {
                self.body
                    .note_trouble("an argument of another kind than the parameter");
                pool().value(&regatta_term::Value::zero(wanted))
            }
        }
    }

    /// Stores the result of a call in its place.
    fn receive(
        &mut self,
        place: &ResultPlace,
        object: ObjectIndex,
        passing: &Passing,
        results: &[VariableId],
    ) {
        let size = self.tables.unit.objects[object.0 as usize].size;
        match place {
            ResultPlace::Scalar(place) => {
                let bits = walk::scalar_bits(place.scalar, self.tables.semantics.pointer_bits);
                let form = self.tables.form(place.scalar, bits);
                let value = match (passing, results) {
                    (Passing::Variables(parts), _) => {
                        self.scalar_of_parts(parts, results, bits, form)
                    }
                    (Passing::Value(..), &[variable]) => {
                        let value = self.body.builder.term(variable);
                        let wanted = Sort::from(form.sort());
                        if pool().sort(value) == wanted {
                            Some(value)
                        } else {
                            None
                        }
                    }
                    (Passing::InPlace, _) => {
                        let spot = self.tables.object_spot(object);
                        Some(self.load_or_zero(&spot, 0, bits, form))
                    }
                    (Passing::Address(..), &[variable]) => {
                        let address = self.body.builder.term(variable);
                        let spot = self
                            .tables
                            .term_spot(address, self.tables.facts.object(object));
                        Some(self.load_or_zero(&spot, 0, bits, form))
                    }
                    // The callee gives it no value.
                    (Passing::Nothing, _) => None,
                    (Passing::Value(..) | Passing::Address(..), _) => {
                        self.contradict("a result that is not one value");
                        None
                    }
                };
                let value = match value {
                    Some(value) => value,
                    None => self
                        .body
                        .any(form.sort().into(), InputKind::Uninitialised, None),
                };
                self.store_place(place, value);
            }
            ResultPlace::Object { address, .. } => {
                let destination = self.spot(address);
                self.check_access(&destination, size, Access::Write);
                match (passing, results) {
                    (Passing::Variables(parts), _) => {
                        let destination = self.frozen_spot(destination.clone(), &destination, size);
                        for (part, &variable) in parts.iter().zip(results) {
                            let value = self.body.builder.term(variable);
                            self.store(
                                &destination,
                                part.bit,
                                part.bits,
                                part.representation,
                                value,
                            );
                        }
                    }
                    (Passing::Value(_, scalar), &[variable]) => {
                        let bits = walk::scalar_bits(*scalar, self.tables.semantics.pointer_bits);
                        let form = self.tables.form(*scalar, bits);
                        let value = self.body.builder.term(variable);
                        self.store(&destination, 0, bits, form, value);
                    }
                    (Passing::InPlace, _) => {
                        let source = self.tables.object_spot(object);
                        self.transfer(&destination, size, Source::Copy(source), Overlap::No);
                    }
                    (Passing::Address(..), &[variable]) => {
                        let address = self.body.builder.term(variable);
                        let source = self
                            .tables
                            .term_spot(address, self.tables.facts.object(object));
                        self.transfer(&destination, size, Source::Copy(source), Overlap::No);
                    }
                    // The result is never read.
                    (Passing::Nothing, _) => {}
                    (Passing::Value(..) | Passing::Address(..), _) => {
                        self.contradict("a result that is not one value");
                    }
                }
            }
        }
    }

    /// A scalar composed of the parts of a result.
    fn scalar_of_parts(
        &mut self,
        parts: &[Part],
        results: &[VariableId],
        bits: u32,
        form: Representation,
    ) -> Option<TermId> {
        if let (&[part], &[variable]) = (parts, results)
            && part.bit == 0
            && part.bits == bits
        {
            let value = self.body.builder.term(variable);
            return Some(self.in_form(value, part.representation, form, bits));
        }
        let width = bits.clamp(1, 128) as u8;
        if self.tables.semantics.arithmetic == Arithmetic::Integer {
            return None;
        }
        let mut result: Option<TermId> = None;
        for (part, &variable) in parts.iter().zip(results) {
            let own = part.bits.clamp(1, 128) as u8;
            let value = self.body.builder.term(variable);
            let value = self.in_form(
                value,
                part.representation,
                Representation::Bits(own),
                part.bits,
            );
            let place = pool().bv(width, u128::try_from(part.bit).unwrap_or(u128::MAX));
            let value = pool().shl(pool().zero_resize(value, width), place);
            result = Some(match result {
                Some(rest) => pool().bvor(rest, value),
                None => value,
            });
        }
        let vector = result?;
        Some(self.in_form(vector, Representation::Bits(width), form, bits))
    }
}
