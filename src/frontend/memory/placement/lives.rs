//! What a program records of the objects that exist, under a check of memory.
//!
//! An access is valid if its bytes are in an object that exists, and that its pointer was made from. Two things are recorded
//! only as far as the points-to analysis leaves them open:
//!
//! * **From which object** a pointer was made is in its address. The objects of a class with several have *slots* of one size,
//!   a power of two, each at the beginning of its own, and fill at most a quarter of it. So the number of the slot tells the object,
//!   unless pointer arithmetic leads further away than half a slot; that is not modelled. A slot is never used again.
//! * **Whether it exists, and its size**: constants for a static object or a local one to which no pointer can remain; variables
//!   for what an allocation makes that runs once; for others an array, by the number of the slot, which has the size plus one,
//!   or zero where no object exists.
//!
//! Where addresses can be observed otherwise than by comparisons, there are no slots: addresses are any that a real machine could
//! choose. Accesses are modelled where a class has only one object, at an address that a variable holds: each of its pointers was
//! made from this object. In the other classes with such addresses, and where objects end unnoticed, accesses through pointers
//! are not modelled at all.

use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::{ArenaKind, Class, ClassId, FieldHome, Home, Plan, Planner, Representation};
use crate::ir::{Instruction, ObjectIndex, Storage};
use crate::memory::analysis::points_to::{NodeId, Target};
use crate::memory::analysis::walks::may_insert_behind;
use crate::memory::builder::{Builder, Description, LinkHistory, Sides};
use crate::memory::limits::{
    MAXIMUM_CHECKED_OBJECTS, MAXIMUM_SLOT_BITS, SLOT_BITS_LP64, SMALL_SLOT_BITS,
};
use regatta_program::{Arithmetic, DataModel, Lifetime, Role, Scope, Span, VariableId};
use regatta_term::{Build, ScalarSort, Sort, TermId, store};

/// What is recorded of the objects of a class.
#[derive(Clone, Debug, Default)]
pub struct ClassLives {
    /// The binary logarithm of the size of a slot (bytes); `None` if the class has only one object, made when the program starts.
    pub slot: Option<u8>,
    /// Whether the class has only one object in a run. Then every address is one in or around it.
    pub is_single: bool,
    /// Whether comparisons of addresses depend on where objects lie.
    pub is_compared: bool,
    /// The local objects to which pointers may remain when they end.
    pub ending: FxHashSet<ObjectIndex>,
    /// Why accesses through pointers are not modelled, if they are not.
    pub unmodelled: Option<&'static str>,
    /// By slot, the sizes plus one of the heap objects that exist, and of the automatic ones.
    pub sizes: [Option<VariableId>; 2],
    /// Number of heap objects that exist.
    pub count: Option<VariableId>,
    /// A heap object that may be any.
    pub watched: Option<Watched>,
}

/// An object that may be any of a class: if it is gone whichever it is, all are gone.
#[derive(Copy, Clone, Debug)]
pub struct Watched {
    /// Its number among the slots of the class, from zero.
    pub choice: VariableId,
    /// The number of its slot.
    pub number: TermId,
}

impl ClassLives {
    /// The array of the sizes of objects with the lifetime.
    pub const fn sizes_of(&self, lifetime: Lifetime) -> Option<VariableId> {
        match lifetime {
            Lifetime::Heap => self.sizes[0],
            Lifetime::Automatic => self.sizes[1],
        }
    }
}

/// What is recorded of the object that an allocation site makes which runs at most once.
#[derive(Copy, Clone, Debug)]
pub struct SiteLife {
    /// Whether the object exists; `None` if it cannot be accessed while it does not.
    pub exists: Option<VariableId>,
    /// Its size, if that is not constant.
    pub size: Option<VariableId>,
    /// Its address, if that is chosen as on a real machine.
    pub start: Option<VariableId>,
}

/// What is recorded of all objects.
#[derive(Clone, Debug, Default)]
pub struct Lives {
    /// By class.
    pub classes: Vec<ClassLives>,
    /// By allocation site that runs at most once.
    pub sites: FxHashMap<usize, SiteLife>,
}

impl Lives {
    /// What is recorded of a class.
    pub fn of(&self, id: ClassId) -> Option<&ClassLives> {
        self.classes.get(id.0 as usize)
    }
}

impl Planner<'_, '_> {
    /// Decides what is recorded, except for variables and slots; to be called when the plan has its classes.
    pub fn plan_lives(&self, plan: &mut Plan, compared: &FxHashSet<NodeId>) {
        if !self.checks.any() {
            return;
        }
        let dangling = self.facts.dangling();
        let ended = self.scopes(plan);
        let mut lives = Lives::default();
        for class in &plan.classes {
            let mut own = ClassLives {
                is_compared: compared.contains(&class.root),
                ..ClassLives::default()
            };
            let remaining = |object: &&ObjectIndex| dangling.objects[object.0 as usize].any();
            own.ending.extend(class.objects.iter().filter(remaining));
            let is_unnoticed = own.ending.iter().any(|object| {
                let remains = dangling.objects[object.0 as usize];
                remains.after_block && !ended.contains(object)
            });
            let is_site_unnoticed = class.sites.iter().any(|&site| {
                let remains = dangling.sites[site];
                remains.after_block || (remains.after_return && !self.runs_once(site))
            });
            let is_outside = |object: &ObjectIndex| {
                self.unit.objects[object.0 as usize].storage == Storage::Outside
            };
            own.unmodelled = if self.arithmetic == Arithmetic::Integer {
                Some("the check of an access through a pointer with mathematical integers")
            } else if class.observable && !self.has_known_place(class, &own) {
                Some("the check of an access to an object whose address the program observes")
            } else if class.objects.iter().any(is_outside) {
                Some("the check of an access to an object that is defined elsewhere")
            } else if is_unnoticed || is_site_unnoticed {
                Some("the check of an access to an object whose end is not noticed")
            } else if class.objects.len() + class.sites.len() > MAXIMUM_CHECKED_OBJECTS {
                Some("the check of an access to one of many objects")
            } else {
                None
            };
            lives.classes.push(own);
        }
        for (site, remains) in dangling.sites.iter().enumerate() {
            if remains.after_return {
                lives.sites.insert(
                    site,
                    SiteLife {
                        exists: None,
                        size: None,
                        start: None,
                    },
                );
            }
        }
        plan.lives = Some(lives);
    }

    /// Whether a class with observable addresses has only one object, which exists once at a time, at an address that a variable
    /// holds. If it ends, no pointer to it remains, nor an integer from which one could be made.
    fn has_known_place(&self, class: &Class, lives: &ClassLives) -> bool {
        let root = Target {
            node: class.root,
            offset: 0,
        };
        let forged = self.facts.may_be_forged(root);
        if class.functions || (forged && self.facts.comes_from_outside()) {
            return false;
        }
        match (&class.objects[..], &class.sites[..]) {
            (&[object], []) => {
                let lasts = self.lasts(object) && self.object(object).blocks.is_empty();
                let ends_unseen = forged || lives.ending.contains(&object);
                !self.is_recursive(object) && (lasts || !ends_unseen)
            }
            ([], &[site]) => self.runs_once(site) && (self.facts.sites[site].on_heap || !forged),
            _ => false,
        }
    }

    /// Records the objects the beginning of whose blocks is noticed, and returns those the end of whose blocks is.
    fn scopes(&self, plan: &mut Plan) -> FxHashSet<ObjectIndex> {
        let mut ended = FxHashSet::default();
        let functions = self.unit.functions.iter();
        let blocks = functions.flat_map(|function| &function.blocks);
        for (instruction, _) in blocks.flat_map(|block| &block.instructions) {
            match instruction {
                Instruction::BeginScope(object) => {
                    plan.entered.insert(*object);
                }
                Instruction::EndScope(object) => {
                    ended.insert(*object);
                }
                _ => {}
            }
        }
        ended
    }

    /// Decides the slots of a class, whose objects have their homes.
    pub fn plan_slots(&self, plan: &mut Plan, id: ClassId) {
        let class = plan.class_by_id(id);
        let is_dynamic =
            |object: &ObjectIndex| matches!(plan.homes[object.0 as usize], Home::Dynamic(..));
        let has_dynamic = class.objects.iter().any(is_dynamic);
        let members = class.objects.len() + class.sites.len();
        let mut sites = class.sites.iter();
        let is_single = members <= 1 && !has_dynamic && sites.all(|&site| self.runs_once(site));
        let is_placed = class.observable;
        let has_sites = !class.sites.is_empty();
        let bits = self.slot_bits(class, has_dynamic);
        let usual = self.usual_slot_bits();
        let Some(own) = plan.lives_of_mut(id) else {
            return;
        };
        if is_placed && own.unmodelled.is_none() {
            return;
        }
        own.is_single = is_single;
        if is_single && !own.is_compared && !has_sites {
            return;
        }
        own.slot = Some(bits.unwrap_or(usual));
        if bits.is_none() {
            own.unmodelled = Some("the check of an access to a very large object");
        }
    }

    pub(super) const fn usual_slot_bits(&self) -> u8 {
        match self.unit.data_model {
            DataModel::Lp64 => SLOT_BITS_LP64,
            DataModel::Ilp32 => SMALL_SLOT_BITS,
        }
    }

    /// The binary logarithm of the size of the class's slots; `None` if they would be too large.
    fn slot_bits(&self, class: &Class, has_dynamic: bool) -> Option<u8> {
        let objects = class
            .objects
            .iter()
            .map(|object| self.unit.objects[object.0 as usize].size);
        let sites = class.sites.iter().map(|&site| &self.facts.sites[site]);
        let largest = objects
            .chain(sites.clone().filter_map(|site| site.size))
            .max()
            .unwrap_or(0)
            .max(1);
        let needed = largest.checked_next_power_of_two()?.trailing_zeros() as u8 + 2;
        match self.unit.data_model {
            DataModel::Lp64 => {
                let mut repeated = class.sites.iter().filter(|&&site| !self.runs_once(site));
                let may_be_many = has_dynamic || repeated.next().is_some();
                let are_small =
                    needed <= SMALL_SLOT_BITS && sites.into_iter().all(|site| site.size.is_some());
                match may_be_many && are_small {
                    true => Some(SMALL_SLOT_BITS),
                    false => (needed <= SLOT_BITS_LP64).then_some(SLOT_BITS_LP64),
                }
            }
            DataModel::Ilp32 => {
                let bits = needed.max(SMALL_SLOT_BITS);
                (bits <= MAXIMUM_SLOT_BITS).then_some(bits)
            }
        }
    }

    /// Makes the variables; to be called when dynamic objects have their arenas.
    pub fn record_lives(&self, plan: &mut Plan, builder: &mut Builder) {
        let Some(mut lives) = plan.lives.take() else {
            return;
        };
        let after_return: FxHashSet<usize> = lives.sites.drain().map(|entry| entry.0).collect();
        for index in 0..plan.classes.len() {
            self.record_class(plan, &mut lives, index, &after_return, builder);
        }
        plan.lives = Some(lives);
    }

    fn record_class(
        &self,
        plan: &Plan,
        lives: &mut Lives,
        index: usize,
        after_return: &FxHashSet<usize>,
        builder: &mut Builder,
    ) {
        let class = &plan.classes[index];
        let root = class.root;
        let mut freed = self.facts.freed.iter();
        let is_freed = freed.any(|(_, target)| self.facts.graph.root(target.node).0 == root);
        let own = &mut lives.classes[index];
        let on_heap = |site: &usize| self.facts.sites[*site].on_heap;
        if self.checks.looks_at_end() && class.sites.iter().any(on_heap) {
            own.count = Some(record("number of objects", self.pointer_sort(), builder));
        }
        if own.unmodelled.is_some() {
            return;
        }
        let pointer_bits = self.unit.data_model.pointer_bits();
        for &site in &class.sites {
            let data = &self.facts.sites[site];
            let lifetime = match data.on_heap {
                true => Lifetime::Heap,
                false => Lifetime::Automatic,
            };
            let is_placed = class.observable;
            if !is_placed && !plan.once.contains_key(&site) {
                self.want_sizes(own, lifetime, pointer_bits, builder);
                continue;
            }
            let ends = match data.on_heap {
                true => is_freed,
                false => after_return.contains(&site),
            };
            let exists = ends.then(|| record("object exists", Sort::Bool, builder));
            let size = match data.size {
                Some(_) => None,
                None => Some(record("object size", self.pointer_sort(), builder)),
            };
            let start = is_placed.then(|| record("object address", self.pointer_sort(), builder));
            let life = SiteLife {
                exists,
                size,
                start,
            };
            lives.sites.insert(site, life);
        }
        let is_dynamic =
            |object: &ObjectIndex| matches!(plan.homes[object.0 as usize], Home::Dynamic(..));
        if !class.observable && class.objects.iter().any(is_dynamic) {
            self.want_sizes(own, Lifetime::Automatic, pointer_bits, builder);
        }
        self.record_links(plan, own, index, builder);
    }

    /// Has it recorded where pointers are written to fields of objects on the heap, as far as the objects of a class have
    /// numbers.
    fn record_links(&self, plan: &Plan, own: &mut ClassLives, index: usize, builder: &mut Builder) {
        let pointer_bits = self.unit.data_model.pointer_bits();
        let (Some(slot), Some(_)) = (own.slot, own.sizes_of(Lifetime::Heap)) else {
            return;
        };
        let by_number = |element| Sort::Array {
            index: ScalarSort::BitVec(pointer_bits - slot),
            element,
        };
        for field in &plan.classes[index].fields {
            let FieldHome::Region { region, variable } = field.home else {
                continue;
            };
            let Sort::Array { index: cell, .. } = builder.program.variables[variable.index()].sort
            else {
                continue;
            };
            let is_pointer = field.representation == Representation::Bits(pointer_bits);
            if !is_pointer || builder.links.contains_key(&region) {
                continue;
            }
            let ScalarSort::BitVec(cell_bits) = cell else {
                continue;
            };
            let name = |what: &str| format!("{what} region#{}", region.0);
            let holders = builder.history(&name("holders in"), variable, by_number(cell));
            if own.watched.is_none() {
                own.watched = self.watched(plan, own, index, builder);
            }
            let sides = own.watched.map(|Watched { number, .. }| {
                let sort = by_number(ScalarSort::Bool);
                let before = builder.history(&name("before the watched by"), holders, sort);
                Sides {
                    watched: number,
                    is_next: self.is_next(plan, index, number, slot, builder),
                    before,
                    after: builder.history(&name("after the watched by"), before, sort),
                }
            });
            let history = LinkHistory {
                slot,
                // An index counts cells, so that it lacks an address's lowest bits.
                within: slot - (pointer_bits - cell_bits),
                holders,
                sides,
            };
            builder.links.insert(region, history);
        }
    }

    /// Makes the variable for an object of a class that may be any, if what exists is recorded.
    fn watched(
        &self,
        plan: &Plan,
        own: &ClassLives,
        index: usize,
        builder: &mut Builder,
    ) -> Option<Watched> {
        let slot = own.slot.filter(|_| own.count.is_some())?;
        let low = plan.arenas.get(plan.classes[index].arena?)?.range.low;
        let width = self.unit.data_model.pointer_bits() - slot;
        let choice = record("watched object", Sort::BitVec(width), builder);
        let first = store().bv(width, u128::from(low) >> slot);
        let number = store().add(first, builder.term(choice));
        Some(Watched { choice, number })
    }

    /// Whether an object of the class is the next one that is made, if new ones may be put behind others.
    fn is_next(
        &self,
        plan: &Plan,
        index: usize,
        number: TermId,
        slot: u8,
        builder: &Builder,
    ) -> Option<TermId> {
        let arena = plan.arenas.get(plan.classes[index].arena?)?;
        let ArenaKind::Up(next) = arena.kind else {
            return None;
        };
        let next = builder.term(next);
        let next = store().extract(next, self.unit.data_model.pointer_bits() - 1, slot);
        let inserts = || may_insert_behind(self.unit, &self.facts.calls);
        let inserts = *self.inserts_behind.get_or_init(inserts);
        inserts.then(|| store().eq(next, number))
    }

    fn want_sizes(
        &self,
        own: &mut ClassLives,
        lifetime: Lifetime,
        pointer_bits: u8,
        builder: &mut Builder,
    ) {
        let slot = *own.slot.get_or_insert(self.usual_slot_bits());
        let place = match lifetime {
            Lifetime::Heap => &mut own.sizes[0],
            Lifetime::Automatic => &mut own.sizes[1],
        };
        if place.is_none() {
            let sort = Sort::Array {
                index: ScalarSort::BitVec(pointer_bits - slot),
                element: ScalarSort::BitVec(pointer_bits),
            };
            *place = Some(record("object sizes", sort, builder));
        }
    }
}

pub(super) fn record(name: &str, sort: Sort, builder: &mut Builder) -> VariableId {
    builder.variable(
        name,
        sort,
        Description {
            scope: Scope::Global,
            role: Role::Model,
            c_type: None,
            span: Span::NONE,
        },
    )
}
