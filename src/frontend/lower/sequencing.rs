//! Order of evaluation: which operands conflict, and their evaluation in several orders.
//!
//! Operands are lowered from left to right. C leaves the order open for most of them: those of operators (all but `&&`,
//! `||`, `?:` and the comma), both sides of an assignment, the arguments of a call with what is called, the elements of an
//! initialiser. That makes a difference only where two of them *conflict*: one has a side effect on what the other one
//! reads or changes, or one may end the program and the other one violate the property.
//!
//! # How conflicts are found
//! While a program is lowered, each place with operands of an open order (a *site*) notes what every operand does, as
//! a list of [`Step`]s: reads, writes and calls. When all functions are known, so is what their calls do
//! ([`Effects`]), and the sites with conflicts are found. If there are any, the program is lowered once more, and at those
//! sites in several orders, between which an input chooses ([`Instruction::Choice`]). A program without conflicts is
//! lowered once and as if this file did not exist.
//!
//! Operands through pointers conflict unless the types of the accesses exclude it; of named objects, only those whose
//! address is taken somewhere can be meant by a pointer.
//!
//! # Which orders
//! Operands of a tree of plain operators (`f() + g() * h()`) count as the operands of one site. Two orders are
//! the same if they do not differ in the order of two operands that conflict. The first is from left to right; what gcc
//! does on x86 is among them (arguments and both sides of an assignment from right to left, a variable after the calls
//! beside it). Where an operand has several steps that conflict with others, they might be interleaved, and where there
//! are too many orders, not all are tried: there the program has a further branch to where nothing is claimed, so that
//! no proof is possible, but a violation is.
//!
//! A conflict of which no part is in a call makes the behaviour undefined (`i = i++`, `a[i] = i++`). It is noted in the
//! ledger, and the orders of the operands are tried all the same.

use lang_c::ast;
use lang_c::span::Node;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::builder::Mark;
use super::expression::plain_operator;
use super::value::{Lvalue, Value, ValueKind};
use super::{Lowerer, Result, fold};
use crate::frontend::ir::{
    Argument, BlockIndex, Callee, Expr, Function, FunctionIndex, Instruction, Object, ObjectIndex,
    Place, ResultPlace, ScalarType, Storage, Terminator, UnknownEffect,
};
use crate::frontend::memory::walk;
use crate::frontend::types::Type;
use crate::program::AssumptionKind;
use crate::term::FloatFormat;

/// Orders that are tried at a site.
const MOST_ORDERS: usize = 24;

/// What is not modelled beyond these.
const UNTRIED_ORDER: &str = "an order of evaluating operands with conflicting side effects \
    (of which there are more than 24, or whose parts may interleave)";

/// Operands with conflicts for which all orders are looked at.
const MOST_OPERANDS: usize = 6;

/// How often an operand is lowered within sites that lie within one another.
const MOST_COPIES: usize = 64;

/// Different parts of an object after which it is not looked at which of them are accessed.
const MOST_PARTS: usize = 64;

/// A site's name: the address of a part of its syntax, which is the site's alone and does not move.
pub(super) type Key = usize;

/// The key of a site with a node of its own.
pub(super) fn key<T>(node: *const T) -> Key {
    node as usize
}

/// Something that the evaluation of an operand does.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// Reads memory.
    Read(Spot),
    /// Changes memory.
    Write(Spot),
    /// Changes memory by what was there before; no call comes between (C11, 6.5.2.4 and 6.5.16.2).
    Update(Spot),
    /// Calls a function of the program.
    Call(FunctionIndex),
    /// Calls whatever a pointer points to.
    CallThroughPointer,
    /// Calls code that is not known and changes what it can reach.
    CallUnknown,
    /// May end the program.
    End,
    /// Violates the property, or does what is not modelled.
    Error,
}

/// What is read or changed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Spot {
    /// An object, or bits of it from the first to before the second.
    Named(ObjectIndex, Part),
    /// What a pointer points to, accessed as such a value; `None` for bytes and whole ranges.
    Through(Option<Access>),
}

/// How memory is accessed: accesses of different kinds do not mean the same object.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Access {
    Integer(u8),
    Float(FloatFormat),
    Pointer,
}

const fn access(scalar: ScalarType) -> Option<Access> {
    match scalar {
        ScalarType::Bool | ScalarType::Integer { bits: 8, .. } => None,
        ScalarType::Integer { bits, .. } => Some(Access::Integer(bits)),
        ScalarType::Float(format) => Some(Access::Float(format)),
        ScalarType::Pointer => Some(Access::Pointer),
    }
}

/// A site where something happens.
#[derive(Debug)]
struct Site {
    key: Key,
    operands: Vec<Vec<Step>>,
    /// What an assignment writes in the end.
    stores: Option<Spot>,
    /// Whether the operands can be lowered several times.
    repeatable: bool,
}

/// A site while its operands are lowered.
#[derive(Debug)]
pub(super) struct OpenSite {
    key: Key,
    /// For each operand, where its steps are in the log, and what reading its value adds to them.
    operands: Vec<(usize, usize, Vec<Step>)>,
    /// What an assignment writes in the end.
    pub stores: Option<Spot>,
    statements: usize,
}

/// What is known of order while a program is lowered.
#[derive(Debug, Default)]
pub(super) struct Sequencing {
    /// The steps of the sites that are open.
    log: Vec<Step>,
    open: usize,
    sites: Vec<Site>,
    /// How many statement expressions there were.
    pub statements: usize,
    /// Whether what is lowered is not evaluated.
    unevaluated: bool,
    /// The conflicts that an earlier lowering has found.
    conflicts: FxHashMap<Key, Conflict>,
    /// Of how many copies of its site the current code is part.
    copies: usize,
}

impl Sequencing {
    pub fn new(conflicts: FxHashMap<Key, Conflict>) -> Self {
        Self {
            conflicts,
            copies: 1,
            ..Self::default()
        }
    }

    /// What comes next is not evaluated; to be ended by [`Self::resume`].
    pub fn suspend(&mut self) -> Suspended {
        Suspended {
            log: std::mem::take(&mut self.log),
            open: std::mem::take(&mut self.open),
            unevaluated: std::mem::replace(&mut self.unevaluated, true),
        }
    }

    pub fn resume(&mut self, suspended: Suspended) {
        self.log = suspended.log;
        self.open = suspended.open;
        self.unevaluated = suspended.unevaluated;
    }
}

/// What was being noted before something that is not evaluated.
#[derive(Debug)]
pub(super) struct Suspended {
    log: Vec<Step>,
    open: usize,
    unevaluated: bool,
}

/// A site with operands that conflict.
#[derive(Clone, Debug)]
pub(super) struct Conflict {
    /// The orders to be tried, as the numbers of the operands that conflict with others.
    orders: Vec<Vec<usize>>,
    /// Whether no other order could make a difference.
    complete: bool,
    /// Whether the operands can be lowered several times.
    repeatable: bool,
    /// Whether the conflict makes the behaviour undefined.
    undefined: bool,
}

// --- what operands do ---

impl<'a> Lowerer<'a> {
    /// Begins a site; to be followed by [`Self::close_site`].
    pub(super) fn open_site(&mut self, key: Key) -> OpenSite {
        self.sequencing.open += 1;
        OpenSite {
            key,
            operands: Vec::new(),
            stores: None,
            statements: self.sequencing.statements,
        }
    }

    /// An operand begins.
    pub(super) fn open_operand(&self) -> usize {
        self.sequencing.log.len()
    }

    /// An operand has been lowered; its values will be read.
    pub(super) fn close_operand(&mut self, site: &mut OpenSite, start: usize, values: &[Value]) {
        let end = self.sequencing.log.len();
        for value in values {
            self.log_value(value);
        }
        // Whoever takes the values notes for himself what that reads.
        let reads = self.sequencing.log.split_off(end);
        site.operands.push((start, end, reads));
    }

    /// Ends a site.
    pub(super) fn close_site(&mut self, site: OpenSite) {
        let sequencing = &mut self.sequencing;
        sequencing.open -= 1;
        let mut active = site
            .operands
            .iter()
            .filter(|(start, end, reads)| start < end || !reads.is_empty());
        let several = active.nth(1).is_some();
        let has_effects = site.operands.iter().any(|&(start, end, _)| {
            let steps = sequencing.log.get(start..end).unwrap_or_default();
            steps.iter().any(|step| !matches!(step, Step::Read(_)))
        });
        let known = self.origin.is_some() && !sequencing.unevaluated && !self.in_start;
        let stored_twice = matches!(site.stores, Some(Spot::Named(stored, _))
        if site.operands.last().is_some_and(|&(start, end, _)| {
            let steps = sequencing.log.get(start..end).unwrap_or_default();
            steps.iter().any(|step| match step {
                    Step::Write(Spot::Named(object, _)) | Step::Update(Spot::Named(object, _)) => {
                        *object == stored
                    }
                    _ => false,
                })
        }));
        if known && has_effects && (several || stored_twice) {
            let steps = |(start, end, reads): &(usize, usize, Vec<Step>)| {
                let log = sequencing.log.get(*start..*end).unwrap_or_default();
                let mut seen = FxHashSet::default();
                // The same part of an object, read twice, is one step: nothing can come of what lies between. Others may
                // be different ones in truth.
                log.iter()
                    .chain(reads)
                    .copied()
                    .filter(|step| match step {
                        Step::Read(Spot::Named(_, Some(_))) => seen.insert(*step),
                        _ => true,
                    })
                    .collect()
            };
            let site = Site {
                key: site.key,
                operands: site.operands.iter().map(steps).collect(),
                stores: site.stores,
                repeatable: site.statements == sequencing.statements,
            };
            sequencing.sites.push(site);
        }
        if sequencing.open == 0 {
            sequencing.log.clear();
        }
    }

    /// Notes what reading the value reads.
    fn log_value(&mut self, value: &Value) {
        match &value.kind {
            ValueKind::Scalar(expr) | ValueKind::Function(expr) => self.log_reads(expr),
            ValueKind::Lvalue(lvalue) => self.log_reads(&lvalue.address),
            ValueKind::Aggregate(address) => {
                self.log_reads(address);
                let size = self.types.size_of(value.ty).ok();
                let spot = self.range_spot(address, size);
                self.log_step(Step::Read(spot));
            }
            ValueKind::Void => {}
        }
    }

    /// Notes what evaluating the expression reads, if somebody wants to know.
    pub(super) fn log_reads(&mut self, expr: &Expr) {
        if self.sequencing.open == 0 {
            return;
        }
        if let Expr::Load(place) = expr {
            let spot = self.spot(place);
            self.log_step(Step::Read(spot));
        }
        walk::parts(expr, &mut |part| self.log_reads(part));
    }

    pub(super) fn log_step(&mut self, step: Step) {
        if self.sequencing.open == 0 {
            return;
        }
        if let Step::Read(Spot::Named(object, _))
        | Step::Write(Spot::Named(object, _))
        | Step::Update(Spot::Named(object, _)) = step
            && self.is_temporary(object)
        {
            return;
        }
        self.sequencing.log.push(step);
    }

    /// What has been noted since `start` for reading and writing the spot is one update of it.
    pub(super) fn log_update(&mut self, start: usize, spot: Option<Spot>) {
        let Some(spot) = spot.filter(|_| self.sequencing.open > 0) else {
            return;
        };
        for part in [Step::Write(spot), Step::Read(spot)] {
            let steps = self.sequencing.log.get(start..).unwrap_or_default();
            if let Some(place) = steps.iter().rposition(|step| *step == part) {
                self.sequencing.log.remove(start + place);
            }
        }
        self.log_step(Step::Update(spot));
    }

    /// Notes what an instruction does, if somebody wants to know.
    pub(super) fn log_instruction(&mut self, instruction: &Instruction) {
        // The start function's instructions are not where the expression is.
        if self.sequencing.open == 0 || self.in_start {
            return;
        }
        walk::operands(instruction, &mut |expr| self.log_reads(expr));
        for step in steps_of(instruction, &mut |place| self.spot(place)) {
            self.log_step(step);
        }
        // What ranges are read and written depends on types that only this knows.
        match instruction {
            Instruction::Copy {
                destination,
                source,
                size,
                ..
            } => {
                let (from, to) = (
                    self.range_spot(source, Some(*size)),
                    self.range_spot(destination, Some(*size)),
                );
                self.log_step(Step::Read(from));
                self.log_step(Step::Write(to));
            }
            Instruction::Fill {
                destination, size, ..
            } => {
                let to = self.range_spot(destination, Some(*size));
                self.log_step(Step::Write(to));
            }
            _ => {}
        }
    }

    /// What the place is a part of.
    pub(super) fn spot(&self, place: &Place) -> Spot {
        spot_of(place, self.options.data_model.pointer_bits())
    }

    fn range_spot(&self, address: &Expr, size: Option<u64>) -> Spot {
        range_spot(address, size)
    }

    /// The conflict at a site, if an earlier lowering has found one.
    pub(super) fn conflict_at(&self, key: Key) -> Option<Conflict> {
        if self.sequencing.conflicts.is_empty()
            || self.origin.is_none()
            || self.sequencing.unevaluated
            || self.in_start
        {
            return None;
        }
        self.sequencing.conflicts.get(&key).cloned()
    }
}

/// The place's spot: the object if it is named.
fn spot_of(place: &Place, pointer_bits: u8) -> Spot {
    let (bit, bits) = walk::place_bits(place, pointer_bits);
    match named(&place.address) {
        Some((object, offset)) => {
            let range = offset.map(|offset| {
                let start = offset * 8 + i128::from(bit);
                (start, start + i128::from(bits))
            });
            Spot::Named(object, range)
        }
        None => Spot::Through(access(place.scalar)),
    }
}

fn range_spot(address: &Expr, size: Option<u64>) -> Spot {
    match named(address) {
        Some((object, offset)) => {
            let range = offset.zip(size);
            let range = range.map(|(offset, size)| (offset * 8, (offset + i128::from(size)) * 8));
            Spot::Named(object, range)
        }
        None => Spot::Through(None),
    }
}

/// The object that an address is in by its form, with the offset in bytes if that is constant.
fn named(address: &Expr) -> Option<(ObjectIndex, Option<i128>)> {
    match address {
        Expr::ObjectAddress(object) => Some((*object, Some(0))),
        Expr::Offset { base, bytes } => {
            let (object, offset) = named(base)?;
            let bytes = fold::constant(bytes);
            Some((object, offset.zip(bytes).map(|(a, b)| a + b)))
        }
        _ => None,
    }
}

/// What an instruction does besides reading its operands; ranges excepted.
fn steps_of(instruction: &Instruction, spot: &mut dyn FnMut(&Place) -> Spot) -> Vec<Step> {
    match instruction {
        Instruction::Assign { place, .. }
        | Instruction::Nondet { place, .. }
        | Instruction::Approximate { place, .. }
        | Instruction::Choice { place }
        | Instruction::Allocate { place, .. } => vec![Step::Write(spot(place))],
        Instruction::Call { callee, .. } => vec![match callee {
            Callee::Direct(function) | Callee::Escaped(function) => Step::Call(*function),
            Callee::Indirect(_) => Step::CallThroughPointer,
        }],
        Instruction::CallUnknown {
            effect: UnknownEffect::Reachable,
            ..
        } => vec![Step::CallUnknown],
        Instruction::Assume(_) => vec![Step::End],
        Instruction::Unsupported(_) => vec![Step::Error],
        Instruction::CallUnknown { .. }
        | Instruction::Copy { .. }
        | Instruction::Fill { .. }
        | Instruction::Padding { .. }
        | Instruction::Declare(_)
        | Instruction::Free(_)
        | Instruction::SetRounding(_)
        | Instruction::Assumption { .. } => Vec::new(),
    }
}

// --- conflicts ---

/// Bits of an object from the first to before the second; `None` for all of it.
type Part = Option<(i128, i128)>;

/// What is read, or what is changed.
#[derive(Clone, Debug, Default)]
struct Footprint {
    /// Objects by name, with the parts of them.
    named: FxHashMap<ObjectIndex, FxHashSet<Part>>,
    /// What is accessed through pointers.
    through: FxHashSet<Option<Access>>,
}

impl Footprint {
    fn insert(&mut self, spot: Spot) {
        match spot {
            Spot::Named(object, part) => self.insert_part(object, part),
            Spot::Through(kind) => {
                self.through.insert(kind);
            }
        }
    }

    fn insert_part(&mut self, object: ObjectIndex, part: Part) {
        let parts = self.named.entry(object).or_default();
        if parts.contains(&None) {
            return;
        }
        if part.is_none() || parts.len() >= MOST_PARTS {
            parts.clear();
            parts.insert(None);
        } else {
            parts.insert(part);
        }
    }

    fn add(&mut self, other: &Self) {
        for (&object, parts) in &other.named {
            for &part in parts {
                self.insert_part(object, part);
            }
        }
        self.through.extend(&other.through);
    }
}

/// All that some code may do, its calls included.
#[derive(Clone, Debug, Default)]
struct Effects {
    reads: Footprint,
    writes: Footprint,
    unknown: bool,
    ends: bool,
    errors: bool,
}

impl Effects {
    fn add(&mut self, other: &Self) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.unknown |= other.unknown;
        self.ends |= other.ends;
        self.errors |= other.errors;
    }
}

/// What a function does itself, and whom it calls.
struct Direct {
    effects: Effects,
    callees: Vec<FunctionIndex>,
    calls_through_pointers: bool,
}

/// What is to be known of the whole program in order to find conflicts.
struct Judge<'p> {
    functions: &'p [Function],
    objects: &'p [Object],
    pointer_bits: u8,
    /// The objects whose addresses are taken.
    taken: FxHashSet<ObjectIndex>,
    /// The functions whose addresses are taken.
    pointed: Vec<FunctionIndex>,
    /// Whether the address of a function without a body is.
    points_outside: bool,
    direct: FxHashMap<FunctionIndex, Rc<Direct>>,
    /// What calls of functions do; of `None`, calls through pointers.
    effects: FxHashMap<Option<FunctionIndex>, Rc<Effects>>,
}

impl Lowerer<'_> {
    /// The sites with conflicts; `functions` are all of the program.
    pub(super) fn find_conflicts(&mut self, functions: &[Function]) -> FxHashMap<Key, Conflict> {
        let sites = std::mem::take(&mut self.sequencing.sites);
        if sites.is_empty() {
            return FxHashMap::default();
        }
        let mut judge = Judge::new(
            functions,
            &self.objects,
            self.options.data_model.pointer_bits(),
        );
        sites
            .into_iter()
            .filter_map(|site| Some((site.key, judge.conflict(&site)?)))
            .collect()
    }
}

impl<'p> Judge<'p> {
    fn new(functions: &'p [Function], objects: &'p [Object], pointer_bits: u8) -> Self {
        let mut judge = Self {
            functions,
            objects,
            pointer_bits,
            taken: FxHashSet::default(),
            pointed: Vec::new(),
            points_outside: false,
            direct: FxHashMap::default(),
            effects: FxHashMap::default(),
        };
        let mut pointed = FxHashSet::default();
        for block in functions.iter().flat_map(|function| &function.blocks) {
            let mut visit = |expr: &Expr| judge.note_addresses(expr, &mut pointed);
            for (instruction, _) in &block.instructions {
                match instruction {
                    // Whole ranges are accessed, as by a place.
                    Instruction::Copy {
                        destination,
                        source,
                        ..
                    } => {
                        inside_address(destination, &mut visit);
                        inside_address(source, &mut visit);
                    }
                    Instruction::Fill { destination, .. } => {
                        inside_address(destination, &mut visit);
                    }
                    Instruction::Assign { place, value } => {
                        inside_address(&place.address, &mut visit);
                        visit(value);
                    }
                    Instruction::Nondet { place, .. }
                    | Instruction::Choice { place }
                    | Instruction::Approximate { place, .. } => {
                        inside_address(&place.address, &mut visit);
                    }
                    Instruction::Allocate { place, size, .. } => {
                        inside_address(&place.address, &mut visit);
                        visit(size);
                    }
                    // What is passed by value, and where results go, are places as well.
                    Instruction::Call {
                        arguments, result, ..
                    }
                    | Instruction::CallUnknown {
                        arguments, result, ..
                    } => {
                        if let Instruction::Call {
                            callee: Callee::Indirect(pointer),
                            ..
                        } = instruction
                        {
                            visit(pointer);
                        }
                        for argument in arguments {
                            match argument {
                                Argument::Scalar { value, .. } => visit(value),
                                Argument::Object { address, .. } => {
                                    inside_address(address, &mut visit);
                                }
                            }
                        }
                        match result {
                            Some(ResultPlace::Scalar(place)) => {
                                inside_address(&place.address, &mut visit);
                            }
                            Some(ResultPlace::Object { address, .. }) => {
                                inside_address(address, &mut visit);
                            }
                            None => {}
                        }
                    }
                    other => walk::operands(other, &mut visit),
                }
            }
            match &block.terminator {
                Terminator::Branch { condition, .. } => visit(condition),
                Terminator::Switch { value, .. } => visit(value),
                _ => {}
            }
        }
        judge.pointed = pointed.into_iter().collect();
        judge.pointed.sort_unstable();
        judge
    }

    fn note_addresses(&mut self, expr: &Expr, pointed: &mut FxHashSet<FunctionIndex>) {
        match expr {
            Expr::ObjectAddress(object) => {
                self.taken.insert(*object);
            }
            Expr::FunctionAddress(function) => {
                pointed.insert(*function);
            }
            Expr::ExternalFunctionAddress(_) => self.points_outside = true,
            Expr::Load(place) => inside_address(&place.address, &mut |expr| {
                self.note_addresses(expr, pointed);
            }),
            _ => walk::parts(expr, &mut |part| self.note_addresses(part, pointed)),
        }
    }

    /// What the step does.
    fn effects_of(&mut self, step: Step) -> Rc<Effects> {
        let mut effects = Effects::default();
        match step {
            Step::Read(spot) => {
                effects.reads.insert(spot);
            }
            Step::Write(spot) => {
                effects.writes.insert(spot);
            }
            Step::Update(spot) => {
                effects.reads.insert(spot);
                effects.writes.insert(spot);
            }
            Step::Call(function) => return self.effects_of_call(Some(function)),
            Step::CallThroughPointer => return self.effects_of_call(None),
            Step::CallUnknown => effects.unknown = true,
            Step::End => effects.ends = true,
            Step::Error => effects.errors = true,
        }
        Rc::new(effects)
    }

    /// What a call of the function does, or one through a pointer, with all that is called there.
    fn effects_of_call(&mut self, callee: Option<FunctionIndex>) -> Rc<Effects> {
        if let Some(known) = self.effects.get(&callee) {
            return Rc::clone(known);
        }
        let mut all = Effects::default();
        let mut work: Vec<FunctionIndex> = callee.into_iter().collect();
        let mut through_pointers = callee.is_none();
        let mut seen: FxHashSet<FunctionIndex> = FxHashSet::default();
        loop {
            while let Some(index) = work.pop() {
                if !seen.insert(index) {
                    continue;
                }
                let direct = self.direct(index);
                all.add(&direct.effects);
                work.extend(&direct.callees);
                through_pointers |= direct.calls_through_pointers;
            }
            if !std::mem::take(&mut through_pointers) {
                break;
            }
            all.unknown |= self.points_outside;
            work.extend(self.pointed.iter().filter(|index| !seen.contains(index)));
        }
        let all = Rc::new(all);
        self.effects.insert(callee, Rc::clone(&all));
        all
    }

    fn direct(&mut self, index: FunctionIndex) -> Rc<Direct> {
        if let Some(known) = self.direct.get(&index) {
            return Rc::clone(known);
        }
        let mut direct = Direct {
            effects: Effects::default(),
            callees: Vec::new(),
            calls_through_pointers: false,
        };
        let function = self.functions.get(index.0 as usize);
        for block in function.into_iter().flat_map(|function| &function.blocks) {
            for (instruction, _) in &block.instructions {
                self.add_instruction(instruction, &mut direct.effects);
                if let Instruction::Call { callee, .. } = instruction {
                    match callee {
                        Callee::Direct(callee) | Callee::Escaped(callee) => {
                            direct.callees.push(*callee);
                        }
                        Callee::Indirect(_) => direct.calls_through_pointers = true,
                    }
                }
            }
            let effects = &mut direct.effects;
            match &block.terminator {
                Terminator::Branch { condition, .. } => self.add_reads(condition, effects),
                Terminator::Switch { value, .. } => self.add_reads(value, effects),
                Terminator::End => effects.ends = true,
                Terminator::Error => effects.errors = true,
                Terminator::Goto(_) | Terminator::Return | Terminator::Unreachable => {}
            }
        }
        let direct = Rc::new(direct);
        self.direct.insert(index, Rc::clone(&direct));
        direct
    }

    fn add_instruction(&self, instruction: &Instruction, effects: &mut Effects) {
        walk::operands(instruction, &mut |expr| self.add_reads(expr, effects));
        let mut spot = |place: &Place| spot_of(place, self.pointer_bits);
        let mut steps = steps_of(instruction, &mut spot);
        match instruction {
            Instruction::Copy {
                destination,
                source,
                size,
                ..
            } => {
                steps.push(Step::Read(range_spot(source, Some(*size))));
                steps.push(Step::Write(range_spot(destination, Some(*size))));
            }
            Instruction::Fill {
                destination, size, ..
            } => steps.push(Step::Write(range_spot(destination, Some(*size)))),
            _ => {}
        }
        for step in steps {
            match step {
                Step::Read(spot) if self.is_lasting(spot) => {
                    effects.reads.insert(spot);
                }
                Step::Write(spot) if self.is_lasting(spot) => {
                    effects.writes.insert(spot);
                }
                Step::CallUnknown => effects.unknown = true,
                Step::End => effects.ends = true,
                Step::Error => effects.errors = true,
                Step::Read(_)
                | Step::Write(_)
                | Step::Update(_)
                | Step::Call(_)
                | Step::CallThroughPointer => {}
            }
        }
    }

    fn add_reads(&self, expr: &Expr, effects: &mut Effects) {
        if let Expr::Load(place) = expr {
            let spot = spot_of(place, self.pointer_bits);
            if self.is_lasting(spot) {
                effects.reads.insert(spot);
            }
        }
        walk::parts(expr, &mut |part| self.add_reads(part, effects));
    }

    /// Whether a callee's access concerns anybody else: its own locals, by name, are new ones in each call.
    fn is_lasting(&self, spot: Spot) -> bool {
        match spot {
            Spot::Named(object, _) => !self.is_automatic(object),
            Spot::Through(_) => true,
        }
    }

    fn is_automatic(&self, object: ObjectIndex) -> bool {
        self.objects
            .get(object.0 as usize)
            .is_none_or(|object| matches!(object.storage, Storage::Automatic(_)))
    }

    /// Whether it makes a difference which of the two is first.
    fn effects_conflict(&self, a: &Effects, b: &Effects) -> bool {
        (a.ends && b.errors)
            || (a.errors && b.ends)
            || (a.unknown && self.is_within_reach(b))
            || (b.unknown && self.is_within_reach(a))
            || self.any_overlap(&a.writes, &b.writes)
            || self.any_overlap(&a.writes, &b.reads)
            || self.any_overlap(&a.reads, &b.writes)
    }

    /// Whether unknown code may change or read what the other one changes or reads.
    fn is_within_reach(&self, effects: &Effects) -> bool {
        [&effects.reads, &effects.writes].iter().any(|print| {
            !print.through.is_empty()
                || print.named.keys().any(|object| {
                    let external = self.objects.get(object.0 as usize).is_some_and(|object| {
                        matches!(object.storage, Storage::Static { external: true })
                    });
                    external || self.taken.contains(object)
                })
        })
    }

    fn any_overlap(&self, a: &Footprint, b: &Footprint) -> bool {
        let (few, many) = if a.named.len() <= b.named.len() {
            (a, b)
        } else {
            (b, a)
        };
        let common = few.named.iter().any(|(object, first)| {
            many.named.get(object).is_some_and(|second| {
                first
                    .iter()
                    .any(|&a| second.iter().any(|&b| parts_overlap(a, b)))
            })
        });
        let kinds = |a: Option<Access>, b: Option<Access>| a.zip(b).is_none_or(|(a, b)| a == b);
        let pointed_at = |print: &Footprint, through: &Footprint| {
            !through.through.is_empty()
                && print.named.keys().any(|&object| {
                    through
                        .through
                        .iter()
                        .any(|&kind| self.may_point_to(kind, object))
                })
        };
        common
            || a.through
                .iter()
                .any(|&a| b.through.iter().any(|&b| kinds(a, b)))
            || pointed_at(a, b)
            || pointed_at(b, a)
    }

    /// Whether an access of the kind through a pointer may mean the object.
    fn may_point_to(&self, kind: Option<Access>, object: ObjectIndex) -> bool {
        self.taken.contains(&object)
            && kind.is_none_or(|kind| {
                self.objects.get(object.0 as usize).is_none_or(|object| {
                    object
                        .leaves
                        .iter()
                        .any(|leaf| access(leaf.scalar).is_none_or(|leaf| leaf == kind))
                })
            })
    }

    /// The operand's steps but for those on locals that no other operand can mean.
    fn concerning_others(&self, site: &Site, operand: usize) -> Vec<Step> {
        let others = site.operands.iter().enumerate();
        let others = others.filter(|&(number, _)| number != operand);
        let named: FxHashSet<ObjectIndex> = others
            .flat_map(|(_, steps)| steps)
            .filter_map(|step| match step {
                Step::Read(Spot::Named(object, _))
                | Step::Write(Spot::Named(object, _))
                | Step::Update(Spot::Named(object, _)) => Some(*object),
                _ => None,
            })
            .collect();
        let concerns = |step: &&Step| match step {
            Step::Read(Spot::Named(object, _))
            | Step::Write(Spot::Named(object, _))
            | Step::Update(Spot::Named(object, _)) => {
                !self.is_automatic(*object) || self.taken.contains(object) || named.contains(object)
            }
            _ => true,
        };
        site.operands[operand]
            .iter()
            .filter(concerns)
            .copied()
            .collect()
    }

    /// Whether what an assignment writes in the end is also changed by a side effect of its right operand.
    fn is_stored_twice(site: &Site) -> bool {
        let (Some(store), Some(right), true) = (site.stores, site.operands.last(), site.repeatable)
        else {
            return false;
        };
        right.iter().any(|step| match (step, store) {
            (
                Step::Write(Spot::Named(written, part)) | Step::Update(Spot::Named(written, part)),
                Spot::Named(stored, whole),
            ) => *written == stored && parts_overlap(*part, whole),
            _ => false,
        })
    }

    fn conflict(&mut self, site: &Site) -> Option<Conflict> {
        let concerns: Vec<Vec<Step>> = (0..site.operands.len())
            .map(|operand| self.concerning_others(site, operand))
            .collect();
        let undefined = Self::is_stored_twice(site);
        let active = concerns.iter().filter(|steps| !steps.is_empty());
        if active.count() < 2 && !undefined {
            return None;
        }
        let effects: Vec<Vec<Rc<Effects>>> = concerns
            .iter()
            .map(|steps| steps.iter().map(|&step| self.effects_of(step)).collect())
            .collect();
        let is_call = |step: Step| {
            matches!(
                step,
                Step::Call(_)
                    | Step::CallThroughPointer
                    | Step::CallUnknown
                    | Step::End
                    | Step::Error
            )
        };
        let count = site.operands.len();
        let mut pairs = Vec::new();
        // For each operand, its steps that conflict with those of others.
        let mut involved: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); count];
        let mut undefined = undefined;
        for a in 0..count {
            for b in a + 1..count {
                let mut any = false;
                for (i, first) in effects[a].iter().enumerate() {
                    for (j, second) in effects[b].iter().enumerate() {
                        if self.effects_conflict(first, second) {
                            any = true;
                            involved[a].insert(i);
                            involved[b].insert(j);
                            undefined |= !is_call(concerns[a][i]) && !is_call(concerns[b][j]);
                        }
                    }
                }
                if any {
                    pairs.push((a, b));
                }
            }
        }
        if pairs.is_empty() && !undefined {
            return None;
        }
        // Several steps of one operand might be parted by another operand's call, unless they belong together: the
        // accesses of one operand that are no calls have nothing of their own between them that could be seen.
        let calls = (0..count).any(|operand| {
            let mut steps = involved[operand].iter();
            steps.any(|&step| is_call(concerns[operand][step]))
        });
        // What an update of a scalar has read is part of it.
        let single = |operand: usize| {
            let steps = &concerns[operand];
            let own = |step: &usize| match steps[*step] {
                Step::Read(spot @ Spot::Named(_, Some(_))) => !involved[operand]
                    .iter()
                    .any(|&other| steps[other] == Step::Update(spot)),
                _ => true,
            };
            involved[operand].iter().filter(|step| own(step)).count() <= 1
        };
        let mut complete = !calls || (0..count).all(single);
        let participants: Vec<usize> = (0..count)
            .filter(|&operand| !involved[operand].is_empty())
            .collect();
        let has_call = |operand: usize| concerns[operand].iter().copied().any(is_call);
        let orders = orders(&participants, &pairs, &has_call, &mut complete);
        Some(Conflict {
            orders,
            complete,
            repeatable: site.repeatable,
            undefined,
        })
    }
}

/// Whether two parts of one object have bits in common.
fn parts_overlap(a: Part, b: Part) -> bool {
    a.zip(b).is_none_or(|((a, b), (c, d))| a < d && c < b)
}

/// Calls back for what an address is computed from, but not for the object that it is in.
fn inside_address(address: &Expr, visit: &mut dyn FnMut(&Expr)) {
    match address {
        Expr::ObjectAddress(_) => {}
        Expr::Offset { base, bytes } => {
            inside_address(base, visit);
            visit(bytes);
        }
        other => visit(other),
    }
}

/// Orders of the operands, from left to right first, such that any two differ in the order of a conflicting pair.
/// If these are too many, a few of them, and they are not complete.
fn orders(
    participants: &[usize],
    pairs: &[(usize, usize)],
    has_call: &dyn Fn(usize) -> bool,
    complete: &mut bool,
) -> Vec<Vec<usize>> {
    let forward = participants.to_vec();
    let backward: Vec<usize> = forward.iter().rev().copied().collect();
    // What gcc does with operators: a variable beside a call is read when the call has returned.
    let mut calls_first = forward.clone();
    calls_first.sort_by_key(|&operand| !has_call(operand));
    let mut candidates = vec![forward.clone(), backward, calls_first];
    if participants.len() <= MOST_OPERANDS {
        permutations(&forward, &mut Vec::new(), &mut candidates);
    } else {
        *complete = false;
    }
    let mut seen: FxHashSet<Vec<bool>> = FxHashSet::default();
    let mut result = Vec::new();
    for order in candidates {
        let place = |operand: usize| order.iter().position(|&other| other == operand);
        let signature = pairs.iter().map(|&(a, b)| place(a) < place(b)).collect();
        if seen.insert(signature) {
            if result.len() == MOST_ORDERS {
                *complete = false;
                break;
            }
            result.push(order);
        }
    }
    result
}

fn permutations(rest: &[usize], chosen: &mut Vec<usize>, result: &mut Vec<Vec<usize>>) {
    if rest.is_empty() {
        result.push(chosen.clone());
        return;
    }
    for (index, &next) in rest.iter().enumerate() {
        let mut others = rest.to_vec();
        others.remove(index);
        chosen.push(next);
        permutations(&others, chosen, result);
        chosen.pop();
    }
}

// --- several orders ---

/// Where a value is kept that each of several branches has made.
enum Home {
    /// It is the same in all.
    Same(Expr),
    /// In a temporary.
    Scalar(ObjectIndex, ScalarType),
    /// An address in parts: the base, and the temporary with the bytes added to it.
    Offset(Box<Home>, ObjectIndex),
    /// In a temporary object.
    Object(ObjectIndex),
    /// There is none.
    Nothing,
}

impl Lowerer<'_> {
    /// Evaluates the operands of a site with a conflict in each of its orders. `evaluate` lowers the operand of the given
    /// number and gives its values; it is called once for each order in which the operand matters.
    pub(super) fn in_every_order(
        &mut self,
        conflict: &Conflict,
        count: usize,
        evaluate: &mut dyn FnMut(&mut Self, usize) -> Result<Vec<Value>>,
    ) -> Result<Vec<Vec<Value>>> {
        let span = self.span;
        if conflict.undefined {
            self.note_assumption(
                AssumptionKind::Sequenced,
                "side effects on one object that are not sequenced happen one after the other",
            );
        }
        let copies = self.sequencing.copies;
        let room = if conflict.repeatable {
            (MOST_COPIES / copies).max(1)
        } else {
            1
        };
        let orders = &conflict.orders[..conflict.orders.len().min(room)];
        let complete = conflict.complete && orders.len() == conflict.orders.len();
        let free: Vec<usize> = (0..count)
            .filter(|operand| !orders[0].contains(operand))
            .collect();
        let mut first = Vec::with_capacity(free.len());
        for &operand in &free {
            let values = evaluate(self, operand)?;
            first.push((operand, values, self.function.mark()));
        }
        self.span = span;
        let blocks = self.choose(orders.len() + usize::from(!complete));
        if !complete && let Some(&other) = blocks.last() {
            let next = self.function.current;
            self.function.current = other;
            self.unsupported(UNTRIED_ORDER);
            self.end_path(Terminator::Unreachable);
            self.function.current = next;
        }
        self.sequencing.copies = copies * orders.len();
        let mut branches: Vec<(BlockIndex, FxHashMap<usize, Vec<Value>>)> = Vec::new();
        for (order, &block) in orders.iter().zip(&blocks) {
            self.function.current = block;
            self.span = span;
            let numbers: Vec<String> = order
                .iter()
                .map(|operand| (operand + 1).to_string())
                .collect();
            self.note_assumption(
                AssumptionKind::EvaluationOrder,
                format!(
                    "the operands are evaluated in the order {}",
                    numbers.join(", ")
                ),
            );
            let mut values = Vec::with_capacity(order.len());
            for &operand in order {
                let made = evaluate(self, operand)?;
                values.push((operand, made, self.function.mark()));
            }
            self.span = span;
            let settled = self.settle_operands(values)?;
            branches.push((self.function.current, settled));
        }
        self.sequencing.copies = copies;
        self.span = span;
        let join = self.function.new_block();
        let mut result: FxHashMap<usize, Vec<Value>> = FxHashMap::default();
        let mut homes: Vec<(usize, usize, Home)> = Vec::new();
        for &operand in &orders[0] {
            let length = branches[0].1.get(&operand).map_or(0, Vec::len);
            let mut values = Vec::with_capacity(length);
            for number in 0..length {
                let made: Vec<&Value> = branches
                    .iter()
                    .filter_map(|branch| branch.1.get(&operand)?.get(number))
                    .collect();
                let home = self.home_for(&made)?;
                values.push(self.value_at_home(made[0], &home));
                homes.push((operand, number, home));
            }
            result.insert(operand, values);
        }
        for (block, values) in &branches {
            self.function.current = *block;
            for (operand, number, home) in &homes {
                if let Some(value) = values.get(operand).and_then(|list| list.get(*number)) {
                    self.move_home(value, home)?;
                }
            }
            self.function.end(Terminator::Goto(join), span);
        }
        self.function.current = join;
        result.extend(self.settle_operands(first)?);
        Ok((0..count)
            .map(|operand| result.remove(&operand).unwrap_or_default())
            .collect())
    }

    /// Branches to so many new blocks; all of them are possible.
    fn choose(&mut self, count: usize) -> Vec<BlockIndex> {
        let span = self.span;
        let blocks: Vec<BlockIndex> = (0..count).map(|_| self.function.new_block()).collect();
        let [others @ .., last] = blocks.as_slice() else {
            return blocks;
        };
        if others.is_empty() {
            self.function.end(Terminator::Goto(*last), span);
            return blocks;
        }
        let choice = self.temporary(fold::INT);
        let place = self.object_place(choice, fold::INT);
        self.emit_fresh(Instruction::Choice { place });
        let cases = (0..)
            .zip(others)
            .map(|(value, &block)| (value, value, block));
        let terminator = Terminator::Switch {
            value: self.load_object(choice, fold::INT),
            scalar: fold::INT,
            cases: cases.collect(),
            default: *last,
        };
        self.function.end(terminator, span);
        blocks
    }

    /// Settles operands that were evaluated in this order.
    fn settle_operands(
        &mut self,
        values: Vec<(usize, Vec<Value>, Mark)>,
    ) -> Result<FxHashMap<usize, Vec<Value>>> {
        let mut settled = FxHashMap::default();
        for (operand, values, mark) in values.into_iter().rev() {
            let mut list = Vec::with_capacity(values.len());
            // The last one first: what is inserted moves only later marks.
            for value in values.into_iter().rev() {
                list.push(self.settle(value, mark)?);
            }
            list.reverse();
            settled.insert(operand, list);
        }
        Ok(settled)
    }

    /// Where to keep what several branches have made.
    fn home_for(&mut self, values: &[&Value]) -> Result<Home> {
        Ok(match &values[0].kind {
            ValueKind::Void => Home::Nothing,
            ValueKind::Aggregate(_) => Home::Object(self.temporary_object(values[0].ty)?),
            ValueKind::Scalar(_) => {
                let scalar = self.scalar_type(values[0].ty)?;
                let exprs: Vec<&Expr> = values
                    .iter()
                    .filter_map(|value| address_in(value))
                    .collect();
                if scalar == ScalarType::Pointer {
                    self.home_for_address(&exprs)
                } else {
                    Home::Scalar(self.temporary(scalar), scalar)
                }
            }
            ValueKind::Lvalue(_) | ValueKind::Function(_) => {
                let exprs: Vec<&Expr> = values
                    .iter()
                    .filter_map(|value| address_in(value))
                    .collect();
                self.home_for_address(&exprs)
            }
        })
    }

    /// Addresses keep their form, so that it stays known what they are in.
    fn home_for_address(&mut self, addresses: &[&Expr]) -> Home {
        let same = |a: &Expr, b: &Expr| format!("{a:?}") == format!("{b:?}");
        let first = addresses[0];
        if is_fixed(first) && addresses.iter().all(|other| same(first, other)) {
            return Home::Same(first.clone());
        }
        let bases: Vec<&Expr> = addresses
            .iter()
            .filter_map(|address| match address {
                Expr::Offset { base, .. } => Some(&**base),
                _ => None,
            })
            .collect();
        if bases.len() == addresses.len() {
            let base = self.home_for_address(&bases);
            let bytes = self.temporary(self.offset_scalar());
            return Home::Offset(Box::new(base), bytes);
        }
        Home::Scalar(self.temporary(ScalarType::Pointer), ScalarType::Pointer)
    }

    /// The value that all branches have moved to its home; `like` is that of one of them.
    fn value_at_home(&self, like: &Value, home: &Home) -> Value {
        let ty: Type = like.ty;
        let kind = match &like.kind {
            ValueKind::Void => ValueKind::Void,
            ValueKind::Aggregate(_) => ValueKind::Aggregate(self.expr_at_home(home)),
            ValueKind::Scalar(_) => ValueKind::Scalar(self.expr_at_home(home)),
            ValueKind::Function(_) => ValueKind::Function(self.expr_at_home(home)),
            ValueKind::Lvalue(lvalue) => ValueKind::Lvalue(Lvalue {
                address: self.expr_at_home(home),
                bit_field: lvalue.bit_field,
            }),
        };
        Value { ty, kind }
    }

    fn expr_at_home(&self, home: &Home) -> Expr {
        match home {
            Home::Same(expr) => expr.clone(),
            Home::Scalar(object, scalar) => self.load_object(*object, *scalar),
            Home::Offset(base, bytes) => Expr::Offset {
                base: Box::new(self.expr_at_home(base)),
                bytes: Box::new(self.load_object(*bytes, self.offset_scalar())),
            },
            Home::Object(object) => Expr::ObjectAddress(*object),
            Home::Nothing => fold::int(0),
        }
    }

    /// Moves a branch's value to its home.
    fn move_home(&mut self, value: &Value, home: &Home) -> Result<()> {
        match (home, &value.kind) {
            (Home::Object(object), ValueKind::Aggregate(source)) => {
                let instruction = Instruction::Copy {
                    destination: Expr::ObjectAddress(*object),
                    source: source.clone(),
                    size: self.size_of(value.ty)?,
                    leaves: self.types.leaves(value.ty),
                    overlapping: false,
                };
                self.emit_fresh(instruction);
            }
            (home, _) => {
                if let Some(expr) = address_in(value) {
                    self.move_expr_home(expr, home);
                }
            }
        }
        Ok(())
    }

    fn move_expr_home(&mut self, expr: &Expr, home: &Home) {
        match (home, expr) {
            (Home::Scalar(object, scalar), _) => {
                let place = self.object_place(*object, *scalar);
                let value = expr.clone();
                self.emit_fresh(Instruction::Assign { place, value });
            }
            (Home::Offset(home, object), Expr::Offset { base, bytes }) => {
                self.move_expr_home(base, home);
                let place = self.object_place(*object, self.offset_scalar());
                let value = (**bytes).clone();
                self.emit_fresh(Instruction::Assign { place, value });
            }
            (Home::Same(_) | Home::Offset(..) | Home::Object(_) | Home::Nothing, _) => {}
        }
    }

    /// The value of a tree of plain operators whose operands have these values.
    pub(super) fn combine(
        &mut self,
        node: &Node<ast::Expression>,
        values: &mut dyn Iterator<Item = Value>,
    ) -> Result<Value> {
        match plain_operation(node) {
            Some((op, left, right)) => {
                let left = self.combine(left, values)?;
                let right = self.combine(right, values)?;
                self.span = self.place_of(node);
                self.binary_values(op, left, right)
            }
            None => Ok(values.next().unwrap_or_else(Value::void)),
        }
    }

    /// What comes next is done in the order in which it is lowered, or in another one, of which nothing is known.
    pub(super) fn or_another_order(&mut self) {
        let blocks = self.choose(2);
        if let [next, other] = blocks[..] {
            self.function.current = other;
            self.unsupported(UNTRIED_ORDER);
            self.end_path(Terminator::Unreachable);
            self.function.current = next;
        }
    }
}

/// The operands of the tree of plain operators of which this is the outermost, if it is one.
pub(super) fn leaves_of<'n>(
    node: &'n Node<ast::Expression>,
    leaves: &mut Vec<&'n Node<ast::Expression>>,
) {
    match plain_operation(node) {
        Some((_, left, right)) => {
            leaves_of(left, leaves);
            leaves_of(right, leaves);
        }
        None => leaves.push(node),
    }
}

/// The operator with its operands, if the expression is one that evaluates both and nothing else.
pub(super) fn plain_operation(
    node: &Node<ast::Expression>,
) -> Option<(
    crate::frontend::ir::BinaryOp,
    &Node<ast::Expression>,
    &Node<ast::Expression>,
)> {
    match &node.node {
        ast::Expression::BinaryOperator(binary) => {
            let op = plain_operator(&binary.node.operator.node)?;
            Some((op, &binary.node.lhs, &binary.node.rhs))
        }
        _ => None,
    }
}

/// Whether an expression has side effects of its own that are not sequenced before its value is used: those of operators,
/// not within a call.
pub(super) fn has_loose_effects(node: &Node<ast::Expression>) -> bool {
    use ast::UnaryOperator as C;
    match &node.node {
        ast::Expression::UnaryOperator(unary) => match unary.node.operator.node {
            C::PostIncrement | C::PostDecrement | C::PreIncrement | C::PreDecrement => true,
            _ => has_loose_effects(&unary.node.operand),
        },
        ast::Expression::Cast(cast) => has_loose_effects(&cast.node.expression),
        ast::Expression::Member(member) => has_loose_effects(&member.node.expression),
        ast::Expression::Conditional(conditional) => {
            has_loose_effects(&conditional.node.then_expression)
                || has_loose_effects(&conditional.node.else_expression)
        }
        ast::Expression::Comma(parts) => parts.last().is_some_and(has_loose_effects),
        ast::Expression::BinaryOperator(binary) => match binary.node.operator.node {
            ast::BinaryOperator::LogicalAnd | ast::BinaryOperator::LogicalOr => {
                has_loose_effects(&binary.node.rhs)
            }
            ast::BinaryOperator::Index => {
                has_loose_effects(&binary.node.lhs) || has_loose_effects(&binary.node.rhs)
            }
            ref operator if plain_operator(operator).is_some() => {
                has_loose_effects(&binary.node.lhs) || has_loose_effects(&binary.node.rhs)
            }
            _ => true,
        },
        _ => false,
    }
}

/// The scalar or the address that a value is.
fn address_in(value: &Value) -> Option<&Expr> {
    match &value.kind {
        ValueKind::Scalar(expr) | ValueKind::Function(expr) | ValueKind::Aggregate(expr) => {
            Some(expr)
        }
        ValueKind::Lvalue(lvalue) => Some(&lvalue.address),
        ValueKind::Void => None,
    }
}

/// Whether an address is the same wherever it is evaluated.
fn is_fixed(address: &Expr) -> bool {
    match address {
        Expr::ObjectAddress(_)
        | Expr::FunctionAddress(_)
        | Expr::ExternalFunctionAddress(_)
        | Expr::Integer { .. } => true,
        Expr::Offset { base, bytes } => is_fixed(base) && is_fixed(bytes),
        _ => false,
    }
}
