//! Checks of memory: whether accesses and deallocations are valid, and what exists when the program ends. What is recorded for
//! them is decided in [`crate::memory::placement::lives`].
//!
//! A violation of what the property does not ask for is undefined behaviour, after which nothing is known.

use super::assumptions::Access;
use super::places::{Base, Linear, Part, Spot};
use super::*;
use crate::defined::Rule;
use crate::ir::{BinaryOp, Expr};
use crate::memory::analysis::walk::start_of;
use crate::memory::builder::Sides;
use crate::memory::placement::lives::ClassLives;
use regatta_program::{Claim, Lifetime, Property};

/// Why a condition of memory is not modelled.
type NotModelled = &'static str;

const MADE_FROM_A_NUMBER: NotModelled =
    "an access outside of the objects that exist, through a pointer that may be made from a number";

impl<'b> Emitter<'_, 'b> {
    /// Goes on after a check that is not modelled: no proof rests on it, while alarms behind it stand, since a run judges all
    /// accesses of its execution.
    pub fn doubt(&mut self, reason: NotModelled) {
        let evaluated = self.evaluation.evaluated();
        if evaluated == TermId::TRUE && self.body.is_in_doubt() {
            return;
        }
        self.body.no_proof_unless(pool().not(evaluated), reason);
        if evaluated == TermId::TRUE {
            self.body.note_doubt();
        }
    }

    /// Checks an access to `bytes` bytes, if something is checked of memory.
    pub fn check_access(&mut self, spot: &Spot, bytes: u64, access: Access) {
        let checks = self.tables.options.memory_checks;
        if !checks.any() || bytes == 0 || !self.body.is_reached() {
            return;
        }
        let (condition, is_checked) = match spot.address.base {
            Base::Object(object) => (
                self.is_within_object(object, &spot.address, bytes),
                checks.bounds,
            ),
            Base::Value(_) => (self.is_valid(spot, bytes), checks.pointers),
        };
        let holds = match condition {
            Ok(holds) => pool().or2(pool().not(self.evaluation.evaluated()), holds),
            Err(reason) => return self.doubt(reason),
        };
        if access == Access::Write {
            self.refuse_constants(spot);
        }
        if holds == TermId::TRUE {
            return;
        }
        if !is_checked {
            return self
                .body
                .unsupported_unless(holds, "an access outside of the objects that exist");
        }
        if matches!(spot.address.base, Base::Value(_)) && self.may_be_number(spot.target) {
            return self.body.unsupported_unless(holds, MADE_FROM_A_NUMBER);
        }
        let address = match spot.address.base {
            // An object that is never read has no address.
            Base::Object(object)
                if matches!(self.tables.home(object), Home::Unused | Home::Variables(_)) =>
            {
                self.tables.pointer_constant(0)
            }
            _ => self.address_term(&spot.address),
        };
        let claim = Claim::InvalidAccess {
            address,
            bytes: self.tables.pointer_constant(bytes.into()),
        };
        self.body.check_memory(holds, Property::ValidDeref, claim);
    }

    /// Whether a pointer to the target may be a number that the program computes. It may be the address of something that the
    /// program does not define, so that an access elsewhere is no violation.
    fn may_be_number(&self, target: Target) -> bool {
        self.tables.facts.may_be_number(target)
    }

    /// A write through a pointer to a string literal or another constant object is undefined, too (C11 6.4.5p7, 6.7.3p6), but
    /// no property is about it.
    pub fn refuse_constants(&mut self, spot: &Spot) {
        let root = self.tables.facts.graph.canonical(spot.target).node;
        let initialises = self.body.index == self.tables.unit.start;
        if let Base::Object(object) = spot.address.base
            && self.tables.is_constant(object)
            && !initialises
        {
            self.body.note_trouble("a write to a constant object");
        }
        let (Base::Value(_), Some(&id)) = (spot.address.base, self.tables.plan.class_of.get(&root))
        else {
            return;
        };
        let address = self.address_term(&spot.address);
        let one = self.tables.pointer_constant(1);
        let mut elsewhere = vec![pool().not(self.evaluation.evaluated())];
        let mut allowed = Vec::new();
        for &object in &self.tables.plan.class_by_id(id).objects {
            let data = &self.tables.unit.objects[object.0 as usize];
            if let Home::Static(_, Some(start)) = self.tables.home(object)
                && self.tables.is_constant(object)
            {
                let size = self.tables.pointer_constant(data.size.into());
                let covers = self.tables.covers([start, size], address, one);
                allowed.push(pool().not(covers));
            }
        }
        elsewhere.push(pool().and(allowed));
        self.body
            .unsupported_unless(pool().or(elsewhere), "a write to a constant object");
    }

    /// Checks an access to a number of bytes that is a term.
    pub fn check_range(&mut self, spot: &Spot, bytes: TermId) {
        let root = self.tables.facts.graph.canonical(spot.target).node;
        let address = self.address_term(&spot.address);
        let valid = match self.tables.plan.class_of.get(&root) {
            Some(&id) => self.is_valid_in(id, address, bytes),
            None => Ok(TermId::FALSE),
        };
        let zero = self.tables.pointer_constant(0);
        let holds = match valid {
            Ok(valid) => pool().or2(pool().eq(bytes, zero), valid),
            Err(reason) => return self.doubt(reason),
        };
        if self.may_be_number(spot.target) {
            self.body.unsupported_unless(holds, MADE_FROM_A_NUMBER);
        } else if self.tables.options.memory_checks.pointers {
            let claim = Claim::InvalidAccess { address, bytes };
            self.body.check_memory(holds, Property::ValidDeref, claim);
        } else {
            self.body
                .unsupported_unless(holds, "an access outside of the objects that exist");
        }
    }

    /// Whether an access by an object's name is within it.
    fn is_within_object(
        &mut self,
        object: ObjectIndex,
        address: &Linear,
        bytes: u64,
    ) -> Result<TermId, NotModelled> {
        let data = &self.tables.unit.objects[object.0 as usize];
        let last = i128::from(data.size) - i128::from(bytes);
        let holds = if address.parts.is_empty() {
            pool().boolean((0..=last).contains(&address.constant))
        } else if last < 0 {
            TermId::FALSE
        } else if let Some(holds) = self.tables.index_within(address, last) {
            holds
        } else if self.tables.semantics.arithmetic == Arithmetic::Integer {
            return Err("the check of an index that is a mathematical integer");
        } else {
            let whole = Linear {
                base: Base::Value(self.tables.pointer_constant(0)),
                ..address.clone()
            };
            let distance = self.address_term(&whole);
            self.tables
                .at_most(distance, self.tables.pointer_constant(last))
        };
        // The size of an object that is defined elsewhere may be unknown.
        match data.storage {
            Storage::Outside if holds != TermId::TRUE => {
                Err("an access beyond the known part of an object that is defined elsewhere")
            }
            _ => Ok(holds),
        }
    }

    /// Whether an access through a pointer is valid.
    fn is_valid(&mut self, spot: &Spot, bytes: u64) -> Result<TermId, NotModelled> {
        let root = self.tables.facts.graph.canonical(spot.target).node;
        let Some(&id) = self.tables.plan.class_of.get(&root) else {
            // There is no such object.
            return Ok(TermId::FALSE);
        };
        let address = self.address_term(&spot.address);
        let bytes = self.tables.pointer_constant(bytes.into());
        let valid = self.is_valid_in(id, address, bytes)?;
        match self.stays_near(id, &spot.address, address) {
            Some(near) => Ok(pool().and2(near, valid)),
            None => Ok(valid),
        }
    }

    /// Whether the bytes at an address are in an object of the class that exists.
    fn is_valid_in(
        &mut self,
        id: ClassId,
        address: TermId,
        bytes: TermId,
    ) -> Result<TermId, NotModelled> {
        let lives = self.lives(id)?;
        let class = self.tables.plan.class_by_id(id);
        let mut ways = Vec::new();
        for &object in &class.objects {
            let start = match self.tables.home(object) {
                Home::Static(_, Some(start)) => start,
                Home::Dynamic(_, variable) if class.observable => self.body.builder.term(variable),
                _ => continue,
            };
            let size = self.tables.unit.objects[object.0 as usize].size;
            let size = self.tables.pointer_constant(size.into());
            ways.push(self.tables.covers([start, size], address, bytes));
        }
        for &site in &class.sites {
            if let Some((start, size, exists)) = self.object_of_site(id, site) {
                let covers = self.tables.covers([start, size], address, bytes);
                ways.push(pool().and2(exists, covers));
            }
        }
        for sizes in lives.sizes.into_iter().flatten() {
            ways.push(self.is_in_slot(lives, sizes, address, bytes));
        }
        Ok(pool().or(ways))
    }

    /// Whether the bytes are in the object whose slot the address is in.
    fn is_in_slot(
        &mut self,
        lives: &ClassLives,
        sizes: VariableId,
        address: TermId,
        bytes: TermId,
    ) -> TermId {
        let bits = lives.slot.unwrap_or_default();
        let most = self.tables.pointer_constant(1 << bits.saturating_sub(1));
        let size = pool().select(
            self.body.builder.term(sizes),
            self.tables.slot_number(address, bits),
        );
        let offset = self.tables.offset_in_slot(address, bits);
        let end = self.tables.pointer_add(offset, bytes);
        pool().and2(
            self.tables.at_most(bytes, most),
            self.tables.is_less(end, size),
        )
    }

    /// Checks that a pointer is a multiple of the alignment, wherever its object lies. Where an object lies that needs not be
    /// aligned so itself is the compiler's choice: nothing is known of pointers into it.
    pub fn check_alignment(&mut self, pointer: &Pointer, alignment: u64) {
        if !self.body.is_reached() {
            return;
        }
        let address = self.value(pointer);
        self.body.check_trouble();
        let Some(id) = self.class_of_value(pointer) else {
            let is_null = pool().eq(address, self.tables.pointer_constant(0));
            let what = "the alignment of a pointer to an unknown object";
            return self.body.unsupported_unless(is_null, what);
        };
        let class = self.tables.plan.class_by_id(id);
        let mut elsewhere = Vec::new();
        let sites = class.sites.iter();
        let mut is_placed = !sites
            .copied()
            .any(|site| self.tables.facts.sites[site].alignment < alignment);
        for &object in &class.objects {
            let data = &self.tables.unit.objects[object.0 as usize];
            if data.alignment >= alignment {
                continue;
            }
            match self.tables.home(object) {
                Home::Static(_, Some(start)) => {
                    let size = self.tables.pointer_constant(i128::from(data.size) + 1);
                    let one = self.tables.pointer_constant(1);
                    let covers = self.tables.covers([start, size], address, one);
                    elsewhere.push(pool().not(covers));
                }
                _ => is_placed = false,
            }
        }
        const CHOICE: NotModelled = "the alignment of an object that the compiler chooses";
        if !is_placed || self.tables.semantics.arithmetic == Arithmetic::Integer {
            return self.doubt(CHOICE);
        }
        self.body.unsupported_unless(pool().and(elsewhere), CHOICE);
        let bits = alignment.trailing_zeros() as u8;
        let low = pool().extract(address, bits - 1, 0);
        let zero = pool().bv(bits, 0);
        self.body
            .check(pool().eq(low, zero), Rule::Aligned.check().property());
    }

    fn lives(&self, id: ClassId) -> Result<&'b ClassLives, NotModelled> {
        let Some(lives) = self.tables.plan.lives_of(id) else {
            return Err("the check of an access to an unknown object");
        };
        match lives.unmodelled {
            Some(reason) => Err(reason),
            None => Ok(lives),
        }
    }

    /// The address and size of the object of a site that runs at most once, and whether it exists; `None` for other sites.
    pub(super) fn object_of_site(
        &self,
        id: ClassId,
        site: usize,
    ) -> Option<(TermId, TermId, TermId)> {
        let life = self.tables.plan.lives.as_ref()?.sites.get(&site)?;
        let data = &self.tables.facts.sites[site];
        let start = match life.start {
            Some(start) => self.body.builder.term(start),
            None => {
                let arena = &self.tables.plan.arenas[*self.tables.plan.once.get(&site)?];
                self.tables
                    .once_address(id, arena.range.low, data.alignment)
            }
        };
        let size = match life.size {
            Some(size) => self.body.builder.term(size),
            None => self
                .tables
                .pointer_constant(data.size.unwrap_or_default().into()),
        };
        let exists = match life.exists {
            Some(exists) => self.body.builder.term(exists),
            None => TermId::TRUE,
        };
        Some((start, size, exists))
    }

    /// Whether an address, computed from a pointer into the class, is still near the object that the pointer leads to; `None` if
    /// that cannot matter.
    fn stays_near(&mut self, id: ClassId, address: &Linear, whole: TermId) -> Option<TermId> {
        let lives = self.tables.plan.lives_of(id)?;
        let bits = lives.slot.filter(|_| !lives.is_single)?;
        let Base::Value(base) = address.base else {
            return None;
        };
        if self.tables.is_short(address, 1 << (bits - 2)) {
            return None;
        }
        Some(self.tables.is_near(base, whole, bits))
    }

    /// Ends the path where a pointer that is computed leaves the neighbourhood of its object, so that it could lead to another
    /// one.
    pub fn keep_near(&mut self, expr: &Expr, address: &Linear) {
        if !self.tables.options.memory_checks.any() || !self.body.is_reached() {
            return;
        }
        let Some(id) = self.class_of_value(expr) else {
            if !address.parts.is_empty() && start_of(expr).is_none() {
                self.doubt("arithmetic on a pointer to an unknown object");
            }
            return;
        };
        let Some(lives) = self.tables.plan.lives_of(id) else {
            return;
        };
        let Some(bits) = lives
            .slot
            .filter(|_| !lives.is_single && lives.unmodelled.is_none())
        else {
            return;
        };
        if self.tables.is_short(address, 0) {
            return;
        }
        let base = match address.base {
            Base::Value(base) => base,
            Base::Object(object) => self.object_address(object),
        };
        let whole = self.address_term(address);
        let near = self.tables.is_near(base, whole, bits);
        let near = pool().or2(pool().not(self.evaluation.evaluated()), near);
        self.body
            .unsupported_unless(near, "pointer arithmetic far beyond an object");
    }

    /// The class that the value of an expression points into.
    pub(super) fn class_of_value(&mut self, expr: &Expr) -> Option<ClassId> {
        let target = match expr {
            Expr::ObjectAddress(object) => self.tables.facts.object(*object),
            Expr::Offset { base, .. } => return self.class_of_value(base),
            Expr::Load(place) => {
                let target = self.target(&place.address);
                self.tables.facts.graph.known_link(target)?
            }
            Expr::Conditional {
                then, otherwise, ..
            } => {
                return self
                    .class_of_value(then)
                    .or_else(|| self.class_of_value(otherwise));
            }
            Expr::Convert { .. } => Target {
                node: self.tables.facts.universe,
                offset: 0,
            },
            _ => return None,
        };
        let root = self.tables.facts.graph.canonical(target).node;
        self.tables.plan.class_of.get(&root).copied()
    }

    /// The result of a comparison of pointers, where it depends on the places of objects: not known.
    pub fn compare_pointers(
        &mut self,
        op: BinaryOp,
        [left, right]: [&Expr; 2],
        values: [TermId; 2],
        exact: TermId,
    ) -> TermId {
        let is_own_text = self.body.span.line == 0;
        if !self.tables.options.memory_checks.any() || is_own_text || !self.body.is_reached() {
            return exact;
        }
        let classes = [left, right].map(|expr| self.class_of_value(expr));
        let is_compared = |id: &ClassId| {
            let lives = self.tables.plan.lives_of(*id);
            lives.is_some_and(|lives| lives.is_compared)
        };
        let Some(id) = classes.into_iter().flatten().find(is_compared) else {
            return exact;
        };
        let known = self.is_order_known(op, id, classes, values);
        let unknown = pool().and2(self.evaluation.evaluated(), pool().not(known));
        let what = "a comparison of pointers to different objects";
        self.body.unknown_where(unknown, exact, what, |any| any)
    }

    /// Whether a comparison has the same result wherever objects lie.
    fn is_order_known(
        &mut self,
        op: BinaryOp,
        id: ClassId,
        classes: [Option<ClassId>; 2],
        [left, right]: [TermId; 2],
    ) -> TermId {
        let null = self.tables.pointer_constant(0);
        let Ok(lives) = self.lives(id) else {
            return match self.tables.plan.class_by_id(id).observable {
                // Its addresses are chosen as those of a real machine.
                true => TermId::TRUE,
                false => pool().or(vec![
                    pool().eq(left, right),
                    pool().eq(left, null),
                    pool().eq(right, null),
                ]),
            };
        };
        let Some(bits) = lives.slot else {
            return TermId::TRUE;
        };
        let mut ways = vec![
            pool().eq(
                self.tables.slot_number(left, bits),
                self.tables.slot_number(right, bits),
            ),
            pool().eq(left, null),
            pool().eq(right, null),
        ];
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            // Objects that exist are apart.
            let one = self.tables.pointer_constant(1);
            let exist = [(classes[0], left), (classes[1], right)].map(|(class, address)| {
                let valid = class.map(|class| self.is_valid_in(class, address, one));
                valid.and_then(Result::ok).unwrap_or(TermId::FALSE)
            });
            ways.push(pool().and(exist));
        }
        pool().or(ways)
    }

    // --- what exists ---

    /// Sets everything that is recorded to what it is before any object is made.
    pub fn begin_lives(&mut self) {
        let Some(lives) = &self.tables.plan.lives else {
            return;
        };
        let zero = self.tables.pointer_constant(0);
        for class in &lives.classes {
            for sizes in class.sizes.into_iter().flatten() {
                let sort = self.body.builder.program.variables[sizes.index()].sort;
                if let Sort::Array { index, .. } = sort {
                    self.body.assign(sizes, pool().const_array(index, zero));
                }
            }
            if let Some(count) = class.count {
                self.body.assign(count, zero);
            }
        }
        self.begin_watching();
        let mut sites: Vec<_> = lives.sites.iter().collect();
        sites.sort_unstable_by_key(|entry| *entry.0);
        for (_, life) in sites {
            if let Some(exists) = life.exists {
                self.body.assign(exists, TermId::FALSE);
            }
            if let Some(size) = life.size {
                self.body.assign(size, zero);
            }
        }
    }

    /// Chooses an object of each class whose lists have histories.
    fn begin_watching(&mut self) {
        let Some(lives) = &self.tables.plan.lives else {
            return;
        };
        for watched in lives.classes.iter().filter_map(|class| class.watched) {
            self.body.havoc_whole(watched.choice, InputKind::Watched);
        }
        let links = self.body.builder.links.values();
        let mut all: Vec<Sides> = links.filter_map(|history| history.sides).collect();
        all.sort_unstable_by_key(|sides| sides.before);
        for sides in all {
            let sort = self.body.builder.program.variables[sides.before.index()].sort;
            if let Sort::Array { index, .. } = sort {
                let none = pool().const_array(index, TermId::FALSE);
                let itself = pool().store(none, sides.watched, TermId::TRUE);
                self.body.assign(sides.before, itself);
                self.body.assign(sides.after, none);
            }
        }
    }

    /// Records a new object at an address.
    pub fn record_object(
        &mut self,
        id: ClassId,
        site: Option<usize>,
        [address, size]: [TermId; 2],
        lifetime: Lifetime,
    ) {
        let Some(lives) = &self.tables.plan.lives else {
            return;
        };
        let own = lives.of(id);
        if let Some(count) = own.and_then(|own| own.count)
            && lifetime == Lifetime::Heap
        {
            let one = self.tables.pointer_constant(1);
            let more = self.tables.pointer_add(self.body.builder.term(count), one);
            self.body.assign(count, more);
        }
        let life = site.and_then(|site| lives.sites.get(&site));
        if let Some(life) = life {
            if let Some(variable) = life.size {
                self.body.assign(variable, size);
            }
            if let Some(variable) = life.start {
                self.body.assign(variable, address);
            }
            if let Some(exists) = life.exists {
                self.body.assign(exists, TermId::TRUE);
            }
            return;
        }
        if let Some(own) = own
            && let (Some(bits), Some(sizes)) = (own.slot, own.sizes_of(lifetime))
        {
            let most = self.tables.pointer_constant(1 << (bits - 2));
            let fits = self.tables.at_most(size, most);
            self.body.unsupported_unless(
                fits,
                "an object that is too large for the check of accesses",
            );
            let one = self.tables.pointer_constant(1);
            let more = self.tables.pointer_add(size, one);
            self.set_size(sizes, bits, address, more);
        }
    }

    fn set_size(&mut self, sizes: VariableId, bits: u8, address: TermId, size: TermId) {
        let old = self.body.builder.term(sizes);
        let number = self.tables.slot_number(address, bits);
        self.body.assign(sizes, pool().store(old, number, size));
    }

    /// Checks a deallocation and records it; to be called before the operation.
    pub fn check_free(&mut self, pointer: &Pointer, address: TermId) {
        if !self.tables.options.memory_checks.any() || !self.body.is_reached() {
            return;
        }
        match self.check_freed(pointer, address) {
            Ok(()) => self.end_on_heap(pointer, address),
            Err(reason) => self.doubt(reason),
        }
    }

    /// Checks that a pointer could be freed, as `realloc` demands.
    pub fn check_freeable(&mut self, pointer: &Pointer, address: TermId) {
        if self.tables.options.memory_checks.any()
            && self.body.is_reached()
            && let Err(reason) = self.check_freed(pointer, address)
        {
            self.doubt(reason);
        }
    }

    fn check_freed(&mut self, pointer: &Pointer, address: TermId) -> Result<(), NotModelled> {
        let null = pool().eq(address, self.tables.pointer_constant(0));
        let mut ways = vec![null];
        if let Some(id) = self.pointer_class(pointer) {
            let lives = self.lives(id)?;
            for &site in &self.tables.plan.class_by_id(id).sites {
                if self.tables.facts.sites[site].on_heap
                    && let Some((start, _, exists)) = self.object_of_site(id, site)
                {
                    ways.push(pool().and2(exists, pool().eq(address, start)));
                }
            }
            if let (Some(sizes), Some(bits)) = (lives.sizes_of(Lifetime::Heap), lives.slot) {
                ways.push(self.begins_object(sizes, bits, address));
            }
        }
        let holds = pool().or(ways);
        if self.tables.options.memory_checks.free {
            let claim = Claim::InvalidFree { address };
            self.body.check_memory(holds, Property::ValidFree, claim);
        } else {
            self.body
                .unsupported_unless(holds, "a deallocation of what is no object on the heap");
        }
        Ok(())
    }

    /// Whether the address is the beginning of an object in a slot.
    fn begins_object(&mut self, sizes: VariableId, bits: u8, address: TermId) -> TermId {
        let zero = self.tables.pointer_constant(0);
        let at_beginning = pool().eq(self.tables.offset_in_slot(address, bits), zero);
        let size = pool().select(
            self.body.builder.term(sizes),
            self.tables.slot_number(address, bits),
        );
        pool().and2(at_beginning, pool().ne(size, zero))
    }

    fn end_on_heap(&mut self, pointer: &Pointer, address: TermId) {
        let Some(id) = self.pointer_class(pointer) else {
            return;
        };
        let Some(lives) = self.tables.plan.lives_of(id) else {
            return;
        };
        let zero = self.tables.pointer_constant(0);
        if let Some(count) = lives.count {
            let one = self.tables.pointer_constant(1);
            let now = self.body.builder.term(count);
            let fewer = self.tables.pointer_sub(now, one);
            let is_null = pool().eq(address, zero);
            self.body.assign(count, pool().ite(is_null, now, fewer));
        }
        for &site in &self.tables.plan.class_by_id(id).sites {
            let life = self.tables.plan.lives.as_ref();
            let exists = life.and_then(|lives| lives.sites.get(&site)?.exists);
            if let (Some(variable), Some((start, _, exists))) =
                (exists, self.object_of_site(id, site))
                && self.tables.facts.sites[site].on_heap
            {
                let is_other = pool().ne(address, start);
                self.body.assign(variable, pool().and2(exists, is_other));
            }
        }
        if let (Some(sizes), Some(bits)) = (lives.sizes_of(Lifetime::Heap), lives.slot) {
            // No object has the slot of null.
            self.set_size(sizes, bits, address, zero);
        }
    }

    /// Ends a local object that got its address at run time, if it exists.
    pub fn end_local(&mut self, id: ClassId, variable: VariableId) {
        let Some(lives) = self.tables.plan.lives_of(id) else {
            return;
        };
        let (Some(sizes), Some(bits)) = (lives.sizes_of(Lifetime::Automatic), lives.slot) else {
            return;
        };
        let zero = self.tables.pointer_constant(0);
        let address = self.body.builder.term(variable);
        let exists = self.begins_object(sizes, bits, address);
        let address = pool().ite(exists, address, zero);
        self.body.push(Operation::Free {
            address,
            lifetime: Lifetime::Automatic,
        });
        let address = self.body.builder.term(variable);
        self.set_size(sizes, bits, address, zero);
    }

    /// Ends what `alloca` has made in the current function.
    pub fn end_sites(&mut self) {
        let Some(lives) = &self.tables.plan.lives else {
            return;
        };
        let mut sites: Vec<usize> = lives.sites.keys().copied().collect();
        sites.sort_unstable();
        for site in sites {
            let data = &self.tables.facts.sites[site];
            if data.on_heap || data.function != self.body.index {
                continue;
            }
            let root = self.tables.facts.graph.root(data.node).0;
            let exists = lives.sites.get(&site).and_then(|life| life.exists);
            if let Some(variable) = exists
                && let Some(&id) = self.tables.plan.class_of.get(&root)
                && let Some((start, _, exists)) = self.object_of_site(id, site)
            {
                let zero = self.tables.pointer_constant(0);
                self.body.push(Operation::Free {
                    address: pool().ite(exists, start, zero),
                    lifetime: Lifetime::Automatic,
                });
                self.body.assign(variable, TermId::FALSE);
            }
        }
    }
}

impl Tables<'_, '_> {
    /// Whether an object must not be written after its initialisation at the start.
    fn is_constant(&self, object: ObjectIndex) -> bool {
        let data = &self.unit.objects[object.0 as usize];
        match data.storage {
            Storage::Literal => true,
            Storage::Static { .. } | Storage::Outside => data.constant,
            Storage::Automatic(_) => false,
        }
    }

    /// The binary logarithm of the size of the slots of a class, if its objects have slots.
    pub(super) fn slot_of(&self, id: ClassId) -> Option<u8> {
        self.plan.lives_of(id)?.slot
    }

    /// Whether another class, whose slots are of another size, has objects in the arena of the class.
    pub(super) fn shares_arena(&self, id: ClassId) -> bool {
        let arena = self.plan.class_by_id(id).arena;
        let slot = self.slot_of(id);
        let classes = self.plan.classes.iter().enumerate();
        let mut others = classes.filter(|(_, class)| class.arena == arena);
        others.any(|(index, _)| self.slot_of(ClassId(index as u32)) != slot)
    }

    /// The number of the slot that an address is in.
    fn slot_number(&self, address: TermId, bits: u8) -> TermId {
        pool().extract(address, self.semantics.pointer_bits - 1, bits)
    }

    /// The distance (bytes) of an address from the beginning of its slot.
    fn offset_in_slot(&self, address: TermId, bits: u8) -> TermId {
        let low = pool().extract(address, bits - 1, 0);
        pool().zero_extend(low, self.semantics.pointer_bits)
    }

    pub(super) fn is_less(&self, a: TermId, b: TermId) -> TermId {
        self.semantics
            .compare(BinaryOp::Less, [a, b], ScalarType::Pointer)
    }

    /// Whether an object, given by address and size, has the bytes.
    fn covers(&self, [start, size]: [TermId; 2], address: TermId, bytes: TermId) -> TermId {
        let distance = self.pointer_sub(address, start);
        let room = self.pointer_sub(size, bytes);
        pool().and2(self.at_most(bytes, size), self.at_most(distance, room))
    }

    /// Whether two addresses are nearer to the beginning of the same slot than to those of others.
    fn is_near(&self, one: TermId, other: TermId, bits: u8) -> TermId {
        let half = self.pointer_constant(1 << (bits - 1));
        let [one, other] =
            [one, other].map(|address| self.slot_number(self.pointer_add(address, half), bits));
        pool().eq(one, other)
    }

    /// Whether an address is at most that many bytes from its base, whatever the values of its parts.
    fn is_short(&self, address: &Linear, bytes: i128) -> bool {
        let mut longest = address.constant.saturating_abs();
        for part in &address.parts {
            longest = longest.saturating_add(Self::largest(part));
        }
        longest <= bytes
    }

    /// The greatest absolute value of a part.
    fn largest(part: &Part) -> i128 {
        let bits = part.kind.bits.saturating_sub(u8::from(part.kind.signed));
        let most = (bits < 127).then(|| 1_i128 << bits);
        most.and_then(|most| most.checked_mul(part.factor.saturating_abs()))
            .unwrap_or(i128::MAX)
    }

    /// The condition that a sum with one variable part is from zero to `last`, as bounds of the variable; `None` if there are
    /// several, or if the type is too wide or narrow.
    fn index_within(&self, address: &Linear, last: i128) -> Option<TermId> {
        let [part] = address.parts[..] else {
            return None;
        };
        let kind = part.kind;
        if part.factor <= 0 || kind.bits > 64 {
            return None;
        }
        let low = -(address.constant.div_euclid(part.factor));
        let high = (last - address.constant).div_euclid(part.factor);
        let (least, greatest) = match kind.signed {
            true => (-1 << (kind.bits - 1), (1_i128 << (kind.bits - 1)) - 1),
            false => (0, (1_i128 << kind.bits) - 1),
        };
        if low > greatest || high < least {
            return Some(TermId::FALSE);
        }
        let scalar = ScalarType::Integer {
            bits: kind.bits,
            signed: kind.signed,
        };
        let bound = |value| self.semantics.constant(value, scalar);
        let compare = |a, b| self.semantics.compare(BinaryOp::LessEqual, [a, b], scalar);
        let mut ways = Vec::new();
        if low > least {
            ways.push(compare(bound(low), part.value));
        }
        if high < greatest {
            ways.push(compare(part.value, bound(high)));
        }
        Some(pool().and(ways))
    }
}

impl Body<'_, '_> {
    /// Excludes proofs where the condition does not hold; alarms behind it stand.
    pub(super) fn no_proof_unless(&mut self, holds: TermId, reason: &str) {
        let Some(onward) = self.enter_unless(holds) else {
            return;
        };
        let goes_on = self.any(Sort::Bool, InputKind::MemoryModel, None);
        self.unsupported_unless(goes_on, reason);
        self.release_temporary(Sort::Bool);
        self.finish(onward);
        self.continue_at(onward);
    }

    /// Ends the path with something that is not modelled where the condition does not hold.
    pub(super) fn unsupported_unless(&mut self, holds: TermId, reason: &str) {
        let Some(onward) = self.enter_unless(holds) else {
            return;
        };
        self.unsupported(reason);
        self.continue_at(onward);
    }

    /// Continues where the condition does not hold, and returns the location where it holds; `None` if it always holds or
    /// nothing is reached.
    pub(super) fn enter_unless(&mut self, holds: TermId) -> Option<LocationId> {
        if holds == TermId::TRUE || !self.is_reached() {
            return None;
        }
        let fork = self.cut()?;
        let (other, onward) = (self.location(), self.location());
        self.branch(fork, other, pool().not(holds));
        self.branch(fork, onward, holds);
        self.continue_at(other);
        Some(onward)
    }
}
