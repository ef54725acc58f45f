//! Candidates about objects on the heap: linked lists and their contents.
//!
//! If all objects of an arena have the same room ([`Arena`]), [`any_index`] as the number of an object stands for any
//! of them, and its fields are cells at indices that follow from it. A candidate says: a pointer is null or points to
//! an object made before the next free address or before another pointer's object; so does a field that is a pointer,
//! for all objects in a range of addresses; an object is followed by the one that was made before it, as in a list that
//! is built at its head, or by the one that was made after it; of all objects in a range, the memory model has the size of one that
//! exists, and it counts as many as there are (under a check of memory); and all objects in a range satisfy what the program's assertions require of the object at one
//! of its pointers. Candidates do not express reachability: an order of addresses, or all existing objects, takes its
//! place (compare the "all cells" abstractions of heaps by arrays: \[LQ08\], \[GN17\]).

mod lists;

use rustc_hash::{FxHashMap, FxHashSet};

use self::lists::Histories;
use crate::invariants::views::root;
use regatta_certify::certificate::{any_index, is_any_index};
use regatta_program::arena::Arena;
use regatta_program::block::{Block, Blocks};
use regatta_program::{CScalar, InlinedLocation, Role, VariableId};
use regatta_sharing::Candidate;
use regatta_term::{
    BitVecValue, Build, Op, Pool, Sort, Symbol, TermId, TermKind, conjuncts, for_each_subterm,
    free_variables, occurs, store, substitute,
};

/// Maximum number of pointers of a location.
const MAXIMUM_POINTERS: usize = 8;
/// Maximum number of cells that hold a pointer, and of fields that do.
const MAXIMUM_CELLS: usize = 4;
const MAXIMUM_FIELDS: usize = 4;
/// Maximum number of constants that are recorded of objects.
const MAXIMUM_RECORDED: usize = 4;
/// Maximum number of variables with which fields are compared.
const MAXIMUM_VARIABLES: usize = 4;
/// Maximum number of facts about a pointer that are generalised.
const MAXIMUM_FACTS: usize = 12;
/// Maximum number of candidates of a location.
const MAXIMUM_CANDIDATES: usize = 600;

/// A field of the objects: a cell of an array of the program.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Field {
    array: TermId,
    /// The size of a cell, as the exponent of a power of two (bytes).
    unit: u8,
    /// The offset from the object's start, in bytes.
    offset: u128,
}

/// The arena's objects as terms.
struct Objects {
    arena: Arena,
    /// The next free address.
    next: TermId,
    /// The number of any object, and its address.
    any: TermId,
    address: TermId,
    /// Fields that hold pointers, and others.
    links: Vec<Field>,
    values: Vec<Field>,
    /// Arrays with one cell for each object, and the constants that are written there: what the memory model records.
    records: Vec<(TermId, Vec<TermId>)>,
    /// What the program records of its past by object.
    histories: Histories,
    /// Arrays of the sizes of objects, each with the number of an object that may be any.
    watches: Vec<(TermId, TermId)>,
    /// Equations between numbers of objects in the program.
    conditions: FxHashSet<TermId>,
    /// Cells with pointers that are no fields.
    cells: Vec<TermId>,
    /// Constant addresses of objects with such cells.
    fixed: Vec<TermId>,
    /// Pointers to which a new object's address is assigned.
    newest: Vec<TermId>,
    /// The required facts about the object at some pointer, stated about any object.
    facts: Vec<TermId>,
}

/// Candidates of a program, in the order in which they are to be proved.
#[derive(Default)]
pub struct Stages {
    /// About lists of any length and whether an object is lost, if the memory model records which objects exist.
    pub lists: Vec<Candidate>,
    pub watched: Vec<Candidate>,
    pub behind: Vec<Candidate>,
    pub exceptions: Vec<Candidate>,
    /// About the targets of pointers.
    pub structure: Vec<Candidate>,
    /// About the contents of objects, whose proofs need the former.
    pub contents: Vec<Candidate>,
}

/// Returns the candidates of the program. `demanded` are the conditions under which no error is next.
pub fn candidates(blocks: &Blocks, demanded: &[Candidate]) -> Stages {
    let program = blocks.inlined().program();
    let mut stages = Stages::default();
    for arena in Arena::all(program) {
        let objects = Objects::new(arena, blocks, demanded);
        for at in blocks.cut_points() {
            let state = blocks.state(at);
            if state.contains(&arena.counter) {
                let mut pointers = pointers(blocks, &state, arena.width);
                pointers.extend(&objects.cells);
                pointers.extend(&objects.fixed);
                pointers.retain(|&pointer| is_over_state(blocks, &state, pointer));
                let mut of_place = [Vec::new(), Vec::new()];
                let [mut lists, mut watched, mut behind, mut exceptions] =
                    [const { Vec::new() }; 4];
                if !objects.records.is_empty() {
                    objects.lists(&pointers, &mut lists);
                    objects.watched(&pointers, &mut watched);
                    objects.behind(&pointers, &mut behind);
                    objects.lists_with_exceptions(&pointers, &mut exceptions);
                    objects.watched_in_circles(&pointers, &mut exceptions);
                }
                objects.about(&pointers, &mut of_place);
                objects.existence(blocks, &state, &pointers, &mut of_place[0]);
                objects.after_steps(blocks, at, &pointers, &mut of_place);
                objects.fields_of_newest(blocks, &state, &pointers, &mut of_place[1]);
                let [structure, contents] = of_place;
                let parts = [
                    (lists, &mut stages.lists),
                    (watched, &mut stages.watched),
                    (behind, &mut stages.behind),
                    (exceptions, &mut stages.exceptions),
                    (structure, &mut stages.structure),
                    (contents, &mut stages.contents),
                ];
                for (mut formulas, all) in parts {
                    formulas.retain(|&formula| is_over_state(blocks, &state, formula));
                    let mut seen = FxHashSet::default();
                    formulas.retain(|&formula| seen.insert(formula));
                    formulas.truncate(MAXIMUM_CANDIDATES);
                    all.extend(Candidate::each(at, formulas));
                }
            }
        }
    }
    stages
}

/// Whether the memory model records which objects exist, as under a check of memory.
pub fn has_records(blocks: &Blocks) -> bool {
    let mut variables = blocks.inlined().program().variables.iter();
    variables
        .any(|variable| variable.role == Role::Model && matches!(variable.sort, Sort::Array { .. }))
}

/// Checks whether all variables of the formula are in the state.
fn is_over_state(blocks: &Blocks, state: &[VariableId], formula: TermId) -> bool {
    let mut variables = free_variables(store(), formula).into_iter();
    variables.all(|(symbol, instance)| {
        let variable = blocks.variable(symbol);
        let is_known = variable.is_some_and(|variable| state.contains(&variable));
        is_any_index(symbol) || (instance == 0 && is_known)
    })
}

/// Whether the number of an object is that of one that may be any: only a variable of the memory model of the number's width occurs.
fn is_watched(blocks: &Blocks, number: TermId) -> bool {
    let variables = free_variables(store(), number);
    let of_model = |symbol: Symbol| {
        let id = blocks.variable(symbol)?;
        let variable = blocks.inlined().program().variable(id);
        Some(variable.role == Role::Model && variable.sort == store().sort(number))
    };
    variables.len() == 1
        && variables
            .into_iter()
            .all(|(symbol, instance)| instance == 0 && of_model(symbol) == Some(true))
}

/// Returns the variables of the state that may be pointers.
fn pointers(blocks: &Blocks, state: &[VariableId], width: u8) -> Vec<TermId> {
    let program = blocks.inlined().program();
    let variables = state.iter().map(|&id| program.variable(id));
    let pointers = variables.filter(|variable| {
        variable.sort == Sort::BitVec(width) && variable.c_type == Some(CScalar::Pointer)
    });
    let terms = pointers.map(|variable| store().variable(variable.symbol));
    terms.take(MAXIMUM_POINTERS).collect()
}

impl Objects {
    fn new(arena: Arena, blocks: &Blocks, demanded: &[Candidate]) -> Self {
        let program = blocks.inlined().program();
        let any = any_index(Sort::BitVec(arena.width - arena.bits));
        let mut objects = Self {
            arena,
            next: store().variable(program.variable(arena.counter).symbol),
            any,
            address: store().concat(any, store().bv(arena.bits, 0)),
            links: Vec::new(),
            values: Vec::new(),
            records: Vec::new(),
            histories: Histories::new(blocks, store().sort(any)),
            watches: Vec::new(),
            conditions: FxHashSet::default(),
            cells: Vec::new(),
            fixed: Vec::new(),
            newest: Vec::new(),
            facts: Vec::new(),
        };
        for at in blocks.cut_points() {
            for block in blocks.from(at).iter() {
                for &(variable, value) in &block.updates {
                    if may_be(value, objects.next) && variable != arena.counter {
                        let pointer = store().variable(program.variable(variable).symbol);
                        objects.newest.push(pointer);
                    }
                }
                let updates = block.updates.iter().map(|&(_, value)| value);
                let terms: Vec<TermId> = updates.chain([block.guard]).collect();
                for_each_subterm(store(), terms, |term, kind| match kind {
                    TermKind::Apply {
                        op: Op::Select | Op::Store,
                        arguments,
                    } => objects.note_access(blocks, arguments),
                    TermKind::Apply {
                        op: Op::Eq,
                        arguments,
                    } if store().sort(arguments[0]) == store().sort(any) => {
                        objects.conditions.insert(term);
                    }
                    _ => {}
                });
            }
        }
        let mut facts: Vec<TermId> = Vec::new();
        for one in demanded {
            let variables = free_variables(store(), one.formula);
            for (symbol, instance) in variables {
                let pointer = store().variable_at(symbol, instance);
                let is_pointer = symbol.sort() == Sort::BitVec(arena.width) && instance == 0;
                if !is_pointer || pointer == objects.next {
                    continue;
                }
                let map = FxHashMap::from_iter([(pointer, objects.address)]);
                let fact = substitute(store(), one.formula, &map);
                if !facts.contains(&fact) {
                    facts.push(fact);
                }
            }
        }
        facts.truncate(MAXIMUM_FACTS);
        objects.facts = facts;
        objects
    }

    /// Records an access to an array.
    fn note_access(&mut self, blocks: &Blocks, arguments: &[TermId]) {
        if !self.note_record(blocks, arguments) {
            self.note_cell(arguments[0], arguments[1]);
        }
    }

    /// Records an access to an array with a cell for each object; returns false for other arrays.
    fn note_record(&mut self, blocks: &Blocks, arguments: &[TermId]) -> bool {
        let t = store();
        if t.sort(arguments[1]) != t.sort(self.any) {
            return false;
        }
        let Some(array) = root(arguments[0]) else {
            return false;
        };
        if self.histories.contains(array) {
            return true;
        }
        let watch = (array, arguments[1]);
        if is_watched(blocks, arguments[1]) && !self.watches.contains(&watch) {
            self.watches.push(watch);
        }
        let known = match self.records.iter().position(|(one, _)| *one == array) {
            Some(known) => known,
            None => {
                self.records.push((array, Vec::new()));
                self.records.len() - 1
            }
        };
        let written = arguments
            .get(2)
            .and_then(|&value| t.bit_vec_constant(value));
        let constants = &mut self.records[known].1;
        if let (Some(value), Some(&term)) = (written, arguments.get(2))
            && value.bits() != 0
            && !constants.contains(&term)
            && constants.len() < MAXIMUM_RECORDED
        {
            constants.push(term);
        }
        true
    }

    /// Records a cell: a field of objects, or a pointer in memory that is no field.
    fn note_cell(&mut self, array: TermId, index: TermId) {
        let Some(array) = root(array) else {
            return;
        };
        let Sort::Array { element, .. } = store().sort(array) else {
            return;
        };
        let (element, pointer) = (Sort::from(element), Sort::BitVec(self.arena.width));
        if let Some(place) = store().bit_vec_constant(index)
            && element == pointer
        {
            self.note_fixed(place);
            let cell = store().select(array, index);
            if !self.cells.contains(&cell) && self.cells.len() < MAXIMUM_CELLS {
                self.cells.push(cell);
            }
            return;
        }
        let Some((unit, offset)) = self.offset(index) else {
            return;
        };
        let field = Field {
            array,
            unit,
            offset,
        };
        let known = match element == pointer {
            true => &mut self.links,
            false => &mut self.values,
        };
        if !known.contains(&field) && known.len() < MAXIMUM_FIELDS {
            known.push(field);
        }
    }

    /// Records that the program has a constant index of a cell, which may be in one of the first objects.
    fn note_fixed(&mut self, index: BitVecValue) {
        let arena = &self.arena;
        let Some(unit) = arena.width.checked_sub(index.width()) else {
            return;
        };
        let object = index.bits() << unit >> arena.bits;
        // The simplifier may have made the first ones, and the first address that is left is behind them.
        let is_near = object.abs_diff(arena.first >> arena.bits) <= MAXIMUM_CELLS as u128;
        let address = self.number(object << arena.bits);
        if is_near && self.fixed.len() < MAXIMUM_CELLS && !self.fixed.contains(&address) {
            self.fixed.push(address);
        }
    }

    /// Returns the unit of an index, and its offset from a pointer.
    fn offset(&self, index: TermId) -> Option<(u8, u128)> {
        let Sort::BitVec(width) = store().sort(index) else {
            return None;
        };
        let unit = self.arena.width.checked_sub(width)?;
        if unit >= self.arena.bits {
            // The array has a cell for each object of another arena.
            return None;
        }
        let offset = match store().kind(index) {
            TermKind::Apply {
                op: Op::BvAdd,
                arguments: &[a, b],
            } => {
                let constant = [a, b]
                    .into_iter()
                    .find_map(|one| store().bit_vec_constant(one));
                constant?.bits()
            }
            TermKind::Constant(_) => return None,
            _ => 0,
        };
        let offset = offset << unit;
        (offset < 1 << self.arena.bits).then_some((unit, offset))
    }

    fn number(&self, value: u128) -> TermId {
        store().bv(self.arena.width, value)
    }

    /// Returns the field of any object.
    fn cell(&self, field: Field) -> TermId {
        store().select(field.array, self.index(field))
    }

    /// Returns the index of the field of any object.
    fn index(&self, field: Field) -> TermId {
        let low = store().bv(self.arena.bits - field.unit, field.offset >> field.unit);
        store().concat(self.any, low)
    }

    /// Returns the field of the object at the address.
    fn cell_at(&self, field: Field, address: TermId) -> Option<TermId> {
        let Sort::Array { index, .. } = store().sort(field.array) else {
            return None;
        };
        let Sort::BitVec(width) = index.into() else {
            return None;
        };
        let at = store().extract(address, self.arena.width - 1, field.unit);
        let at = store().add(at, store().bv(width, field.offset >> field.unit));
        Some(store().select(field.array, at))
    }

    /// Returns the condition that the address is the beginning of a slot.
    fn begins_slot(&self, address: TermId) -> TermId {
        let low = store().extract(address, self.arena.bits - 1, 0);
        store().eq(low, store().bv(self.arena.bits, 0))
    }

    /// Returns what holds of the next free address.
    fn next_is_a_slot(&self) -> [TermId; 2] {
        let is_in_arena = store().ule(self.number(self.arena.first), self.next);
        [self.begins_slot(self.next), is_in_arena]
    }

    /// Returns the condition that an object of the arena starts there, below the limit.
    fn is_object(&self, pointer: TermId, limit: TermId) -> TermId {
        store().and([
            self.begins_slot(pointer),
            store().ule(self.number(self.arena.first), pointer),
            store().ult(pointer, limit),
        ])
    }

    fn is_null(&self, pointer: TermId) -> TermId {
        store().eq(pointer, self.number(0))
    }

    /// Returns the object made before the one at the address, or null.
    fn before(&self, address: TermId) -> TermId {
        let first = self.number(self.arena.first);
        let room = self.number(1 << self.arena.bits);
        let null = self.number(0);
        store().ite(store().eq(address, first), null, store().sub(address, room))
    }

    /// Returns the object made after the one at the address, or null.
    fn after(&self, address: TermId) -> TermId {
        let next = store().add(address, self.number(1 << self.arena.bits));
        store().ite(store().eq(next, self.next), self.number(0), next)
    }

    /// Adds candidates about what the memory model records: which objects exist, and how many.
    fn existence(
        &self,
        blocks: &Blocks,
        state: &[VariableId],
        pointers: &[TermId],
        all: &mut Vec<TermId>,
    ) {
        if self.records.is_empty() {
            return;
        }
        let t = store();
        let mut parts = vec![TermId::TRUE];
        for &pointer in pointers {
            parts.extend([
                t.ule(self.address, pointer),
                t.and2(t.ne(pointer, self.number(0)), t.ule(pointer, self.address)),
                t.ult(self.address, pointer),
                t.ult(pointer, self.address),
                t.ne(self.address, pointer),
            ]);
        }
        for (array, constants) in &self.records {
            let cell = t.select(*array, self.any);
            let is_recorded = constants.iter().map(|&constant| t.eq(cell, constant));
            let facts: Vec<TermId> = is_recorded.collect();
            for &part in &parts {
                let range = self.in_range(part, self.next);
                all.extend(facts.iter().map(|&fact| t.implies(range, fact)));
            }
        }
        let bits = self.number(self.arena.bits.into());
        let one = self.number(1);
        let number_between = |from: TermId, to: TermId| t.lshr(t.sub(to, from), bits);
        let first = self.number(self.arena.first);
        for count in self.counts(blocks, state) {
            all.push(t.eq(count, number_between(first, self.next)));
            for &pointer in pointers {
                let up_to = t.add(number_between(first, pointer), one);
                let from = number_between(pointer, self.next);
                let is_null = self.is_null(pointer);
                all.extend(
                    [up_to, from].map(|number| t.eq(count, t.ite(is_null, self.number(0), number))),
                );
            }
        }
    }

    /// Returns the variables of the memory model that may count objects.
    fn counts(&self, blocks: &Blocks, state: &[VariableId]) -> Vec<TermId> {
        let program = blocks.inlined().program();
        let variables = state.iter().filter(|&&id| {
            let variable = program.variable(id);
            variable.role == Role::Model
                && variable.sort == Sort::BitVec(self.arena.width)
                && id != self.arena.counter
        });
        let terms = variables.map(|&id| store().variable(program.variable(id).symbol));
        terms.take(MAXIMUM_VARIABLES).collect()
    }

    /// Returns the condition that any object is in the arena, satisfies `lower`, and is below the upper limit.
    fn in_range(&self, lower: TermId, upper: TermId) -> TermId {
        let first = self.number(self.arena.first);
        store().and([
            store().ule(first, self.address),
            lower,
            store().ult(self.address, upper),
        ])
    }

    /// Adds candidates about pointers, and about all objects in a range: their targets, and their contents.
    fn about(&self, pointers: &[TermId], [structure, contents]: &mut [Vec<TermId>; 2]) {
        let t = store();
        let all = structure;
        all.extend(self.next_is_a_slot());
        for &pointer in pointers {
            let is_null = self.is_null(pointer);
            if self.newest.contains(&pointer) {
                all.push(t.eq(pointer, self.before(self.next)));
            }
            for limit in self.limits(pointers).filter(|&limit| limit != pointer) {
                let is_object = self.is_object(pointer, limit);
                all.extend([t.or2(is_null, is_object), is_object]);
            }
        }
        // The ranges of objects, with the limit of pointers in these, if that is guessed.
        let mut ranges = vec![(Some(self.next), self.in_range(TermId::TRUE, self.next))];
        for &pointer in pointers {
            if self.newest.contains(&pointer) {
                ranges.push((Some(pointer), self.in_range(TermId::TRUE, pointer)));
            } else {
                let (above, from) = (t.ult(pointer, self.address), t.ule(pointer, self.address));
                let to = t.ule(self.address, pointer);
                let ends = [to, above, from];
                ranges.extend(ends.map(|end| (None, self.in_range(end, self.next))));
            }
        }
        for &(limit, range) in &ranges {
            let links = limit
                .into_iter()
                .flat_map(|limit| self.links.iter().map(move |&link| (limit, link)));
            for (limit, link) in links {
                let cell = self.cell(link);
                let is_null = self.is_null(cell);
                let mut add = |fact| all.push(t.implies(range, fact));
                add(t.or2(is_null, self.is_object(cell, limit)));
                if limit == self.next {
                    add(t.or2(is_null, self.is_object(cell, self.address)));
                    add(t.eq(cell, self.before(self.address)));
                    let after = self.after(self.address);
                    add(t.eq(cell, after));
                    add(t.or2(is_null, t.eq(cell, after)));
                }
            }
            contents.extend(self.facts.iter().map(|&fact| t.implies(range, fact)));
        }
    }

    /// Returns the limits of pointers: the next free address, and pointers to the newest object.
    fn limits(&self, pointers: &[TermId]) -> impl Iterator<Item = TermId> {
        let newest = pointers
            .iter()
            .filter(|pointer| self.newest.contains(pointer));
        std::iter::once(self.next).chain(newest.copied())
    }

    /// Adds candidates that a field of the newest object equals a variable.
    fn fields_of_newest(
        &self,
        blocks: &Blocks,
        state: &[VariableId],
        pointers: &[TermId],
        all: &mut Vec<TermId>,
    ) {
        let program = blocks.inlined().program();
        for &field in &self.values {
            let Sort::Array { element, .. } = store().sort(field.array) else {
                continue;
            };
            let variables = state.iter().map(|&id| program.variable(id));
            let alike = variables.filter(|variable| variable.sort == element.into());
            let alike: Vec<TermId> = alike
                .map(|variable| store().variable(variable.symbol))
                .take(MAXIMUM_VARIABLES)
                .collect();
            let cells = self.limits(pointers).skip(1);
            for cell in cells.filter_map(|pointer| self.cell_at(field, pointer)) {
                all.extend(alike.iter().map(|&variable| store().eq(cell, variable)));
            }
        }
    }

    /// Adds candidates about a pointer after `at = &(*at)->next` where a condition on the object was passed.
    fn after_steps(
        &self,
        blocks: &Blocks,
        at: InlinedLocation,
        pointers: &[TermId],
        [structure, contents]: &mut [Vec<TermId>; 2],
    ) {
        let t = store();
        let program = blocks.inlined().program();
        for source in blocks.cut_points() {
            for block in blocks
                .from(source)
                .iter()
                .filter(|block| block.target() == Some(at))
            {
                for &(variable, after) in &block.updates {
                    let pointer = t.variable(program.variable(variable).symbol);
                    let Some((object, offset)) = self.stepped(after) else {
                        continue;
                    };
                    if !pointers.contains(&pointer) {
                        continue;
                    }
                    let back = t.sub(pointer, offset);
                    let limits = self.limits(pointers).filter(|&limit| limit != pointer);
                    let places = self.constants(blocks, variable);
                    let or_elsewhere = |fact: TermId| {
                        let elsewhere = places.iter().map(|&place| t.eq(pointer, place));
                        t.or(elsewhere.chain([fact]).collect::<Vec<_>>())
                    };
                    structure.extend(limits.map(|limit| or_elsewhere(self.is_object(back, limit))));
                    contents.extend(passed(block, object, back).into_iter().map(or_elsewhere));
                }
            }
        }
    }

    /// Returns the pointer and the offset that is added to it, if that leads into an object.
    fn stepped(&self, value: TermId) -> Option<(TermId, TermId)> {
        let (a, b) = match store().kind(value) {
            TermKind::Apply {
                op: Op::BvAdd,
                arguments: &[a, b],
            } => (a, b),
            TermKind::Apply { op: Op::Select, .. } => (self.number(0), value),
            _ => return None,
        };
        let (offset, object) = match store().bit_vec_constant(a) {
            Some(_) => (a, b),
            None => (b, a),
        };
        let known = store().bit_vec_constant(offset)?.bits();
        let is_inside = known < 1 << self.arena.bits;
        (is_inside && store().sort(object) == Sort::BitVec(self.arena.width))
            .then_some((object, offset))
    }

    /// Returns the constants that are assigned to the variable.
    fn constants(&self, blocks: &Blocks, variable: VariableId) -> Vec<TermId> {
        let mut all = Vec::new();
        for source in blocks.cut_points() {
            for block in blocks.from(source).iter() {
                let values = block.updates.iter().filter(|(id, _)| *id == variable);
                let values = values.map(|&(_, value)| value);
                all.extend(values.filter(|&value| store().is_constant(value)));
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Checks whether the value is the other one, or chooses between that and another.
fn may_be(value: TermId, other: TermId) -> bool {
    match store().kind(value) {
        TermKind::Apply {
            op: Op::Ite,
            arguments,
        } => arguments[1..].iter().any(|&one| may_be(one, other)),
        _ => value == other,
    }
}

/// Returns the conditions in the block's guard on the object, with another term in its place.
fn passed(block: &Block, object: TermId, instead: TermId) -> Vec<TermId> {
    let map = FxHashMap::from_iter([(object, instead)]);
    let facts = conjuncts(store(), block.guard)
        .into_iter()
        .filter(|&one| occurs(store(), object, [one]));
    facts.map(|fact| substitute(store(), fact, &map)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lowered;

    const NONE: [u8; 0] = [];

    /// Returns the rooms of the arenas of a program with this loop body.
    fn rooms(body: &str) -> Vec<u8> {
        let text = format!(
            "void *malloc(unsigned long); extern unsigned long __VERIFIER_nondet_ulong(void);
             extern int __VERIFIER_nondet_int(void);
             int main(void) {{ while (__VERIFIER_nondet_int()) {{ {body} }} return 0; }}"
        );
        let arenas = Arena::all(&lowered(&text)).into_iter();
        arenas.map(|arena| arena.bits).collect()
    }

    #[test]
    fn arenas_have_objects_of_one_size() {
        assert_eq!(rooms("int *p = malloc(4); *p = 1;"), [7]);
        assert_eq!(rooms("char *p = malloc(100); p[3] = 1;"), [8]);
        assert_eq!(
            rooms("int *p = __VERIFIER_nondet_int() ? malloc(4) : malloc(8); *p = 1;"),
            [7]
        );
        assert_eq!(rooms("char *p = malloc(1 << 20); *p = 1;"), NONE);
        assert_eq!(
            rooms("char *p = malloc(__VERIFIER_nondet_ulong()); *p = 1;"),
            NONE
        );
        assert_eq!(
            rooms("char *p = __VERIFIER_nondet_int() ? malloc(4) : malloc(100); *p = 1;"),
            [7]
        );
    }
}
