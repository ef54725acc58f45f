//! Gives addresses to the objects and functions that the plan puts into memory, in the address space of
//! [`super::layout`].

use super::layout::{self, AddressSpace, TooLarge};
use super::plan::{
    Arena, ArenaKind, Choice, Chosen, Class, ClassId, FieldHome, Home, Plan, Planner,
    Representation,
};
use crate::ir::{FunctionIndex, ObjectIndex};
use crate::memory::builder::{Builder, Description};
use crate::memory::limits::MAXIMUM_RECENT_OBJECTS;
use regatta_program::{CScalar, Object, ObjectId, RegionId, Role, Scope, Span, VariableId};
use regatta_term::{Build, Sort, TermId, store};

/// An object or function whose address is chosen at the start of the program.
enum Wanted {
    Object(ObjectIndex),
    Function(FunctionIndex),
    External(String),
}

impl Planner<'_, '_> {
    /// Gives every object in memory and every function an address, and dynamic objects their arenas.
    pub fn lay_out(&self, plan: &mut Plan, builder: &mut Builder) -> Result<(), TooLarge> {
        let observed = plan.classes.iter().any(|class| class.observable);
        let mut space = AddressSpace::new(self.unit.data_model, observed);
        let mut wanted: Vec<(Wanted, u64, u64)> = Vec::new();

        for &function in self.facts.functions.keys() {
            if self.is_observable(plan, self.facts.functions[&function]) {
                wanted.push((Wanted::Function(function), 1, 1));
            } else {
                plan.functions
                    .insert(function, self.constant(space.function()?));
            }
        }
        for (&name, &node) in &self.facts.externals {
            if self.is_observable(plan, node) {
                wanted.push((Wanted::External(name.to_owned()), 1, 1));
            } else {
                plan.externals
                    .insert(name.to_owned(), self.constant(space.function()?));
            }
        }
        let mut in_slots: Vec<(ObjectIndex, ClassId, u8)> = Vec::new();
        for index in 0..plan.homes.len() {
            let Home::Static(id, _) = plan.homes[index] else {
                continue;
            };
            let object = ObjectIndex(index as u32);
            let data = &self.unit.objects[index];
            let alignment = 1 << data.alignment.max(1).trailing_zeros().min(12);
            if plan.class_by_id(id).observable {
                wanted.push((Wanted::Object(object), data.size, alignment));
            } else if let Some(slot) = plan.lives_of(id).and_then(|lives| lives.slot) {
                in_slots.push((object, id, slot));
            } else {
                let address = self.constant(space.constant(data.size, alignment)?);
                self.place(plan, object, id, address, builder);
            }
        }
        if let Some(lives) = &plan.lives {
            let slots = lives.classes.iter().filter_map(|class| class.slot);
            space.begin_slots(slots.max().unwrap_or(self.usual_slot_bits()));
        }
        for (object, id, slot) in in_slots {
            let address = self.constant(space.slot(slot)?);
            self.place(plan, object, id, address, builder);
        }
        self.make_arenas(plan, &space, builder)?;
        if observed {
            self.choose(plan, &space, wanted, builder);
        }
        Ok(())
    }

    /// Makes an arena for each class with dynamic objects, and one for each allocation site that runs at most once.
    fn make_arenas(
        &self,
        plan: &mut Plan,
        space: &AddressSpace,
        builder: &mut Builder,
    ) -> Result<(), TooLarge> {
        let mut classes: Vec<ClassId> = Vec::new();
        let mut once: Vec<usize> = Vec::new();
        for (index, class) in plan.classes.iter().enumerate() {
            if class.observable {
                continue;
            }
            let sites = class.sites.iter().copied();
            let singles: Vec<usize> = sites.filter(|&site| self.runs_once(site)).collect();
            if singles.len() < class.sites.len() || Self::has_dynamic_objects(plan, class) {
                classes.push(ClassId(index as u32));
            }
            once.extend(singles);
        }
        let ranges = space.arenas(classes.len() + once.len())?;
        if ranges.len() < classes.len() + once.len() {
            let Some(&range) = ranges.first() else {
                return Ok(());
            };
            let kind = ArenaKind::Up(self.model_variable("next address", builder));
            plan.arenas.push(Arena { range, kind });
            for class in &mut plan.classes {
                class.arena = (!class.observable).then_some(0);
            }
            return Ok(());
        }
        let mut ranges = ranges.into_iter();
        for (&id, range) in classes.iter().zip(&mut ranges) {
            let kind = ArenaKind::Up(self.model_variable("next address", builder));
            plan.classes[id.0 as usize].arena = Some(plan.arenas.len());
            plan.arenas.push(Arena { range, kind });
        }
        for (&site, range) in once.iter().zip(&mut ranges) {
            plan.once.insert(site, plan.arenas.len());
            plan.arenas.push(Arena {
                range,
                kind: ArenaKind::Once,
            });
        }
        Ok(())
    }

    fn has_dynamic_objects(plan: &Plan, class: &Class) -> bool {
        let mut objects = class.objects.iter();
        objects.any(|object| matches!(plan.homes[object.0 as usize], Home::Dynamic(..)))
    }

    /// Makes the variables that hold observable addresses, and the hints by which they are chosen.
    fn choose(
        &self,
        plan: &mut Plan,
        space: &AddressSpace,
        wanted: Vec<(Wanted, u64, u64)>,
        builder: &mut Builder,
    ) {
        let pool = space.pool();
        let mut free = pool.first_hint;
        for (wanted_by, size, alignment) in wanted {
            let name = match &wanted_by {
                Wanted::Object(object) => format!("&{}", self.name(*object)),
                Wanted::Function(function) => {
                    format!("&{}", self.unit.functions[function.0 as usize].name)
                }
                Wanted::External(name) => format!("&{name}"),
            };
            let variable = self.model_variable(&name, builder);
            let address = builder.term(variable);
            let hint;
            (hint, free) = layout::hint(free, size, alignment);
            plan.chosen.push(Chosen {
                object: match wanted_by {
                    Wanted::Object(object) => Some(object),
                    Wanted::Function(_) | Wanted::External(_) => None,
                },
                variable,
                size,
                alignment,
                hint,
            });
            match wanted_by {
                Wanted::Object(object) => {
                    if let Home::Static(id, _) = plan.homes[object.0 as usize] {
                        self.place(plan, object, id, address, builder);
                    }
                }
                Wanted::Function(function) => {
                    plan.functions.insert(function, address);
                }
                Wanted::External(name) => {
                    plan.externals.insert(name, address);
                }
            }
        }
        let is_dynamic = |class: &Class| {
            class.observable && (!class.sites.is_empty() || Self::has_dynamic_objects(plan, class))
        };
        let dynamic = plan.classes.iter().any(is_dynamic);
        let ends = |class: &Class| {
            let mut freed = self.facts.freed.iter();
            class.observable
                && (freed.any(|(_, target)| self.facts.graph.root(target.node).0 == class.root)
                    || class
                        .sites
                        .iter()
                        .any(|&site| !self.facts.sites[site].on_heap)
                    || Self::has_dynamic_objects(plan, class))
        };
        let reuses = plan.classes.iter().any(ends);
        let (first_hint, _) = layout::hint(free, 0, 16);
        let mut recent = Vec::new();
        for _ in 0..if dynamic { MAXIMUM_RECENT_OBJECTS } else { 0 } {
            let start = self.model_variable("recent object", builder);
            let end = self.model_variable("end of recent object", builder);
            recent.push((start, end));
        }
        plan.choice = Some(Choice {
            pool,
            next_hint: dynamic.then(|| self.model_variable("next hint", builder)),
            reuses,
            first_hint,
            recent,
        });
    }

    fn is_observable(&self, plan: &Plan, node: crate::memory::analysis::points_to::NodeId) -> bool {
        let root = self.facts.graph.root(node).0;
        plan.class_of
            .get(&root)
            .is_some_and(|id| plan.class_by_id(*id).observable)
    }

    fn model_variable(&self, name: &str, builder: &mut Builder) -> VariableId {
        builder.variable(
            name,
            self.pointer_sort(),
            Description {
                scope: Scope::Global,
                role: Role::Model,
                c_type: Some(CScalar::Pointer),
                span: Span::NONE,
            },
        )
    }

    fn constant(&self, address: u64) -> TermId {
        match self.pointer_sort() {
            Sort::BitVec(width) => store().bv(width, address.into()),
            _ => store().int_big(address.into()),
        }
    }

    /// Puts a static object at the address and adds it to its regions.
    fn place(
        &self,
        plan: &mut Plan,
        object: ObjectIndex,
        id: ClassId,
        address: TermId,
        builder: &mut Builder,
    ) {
        plan.homes[object.0 as usize] = Home::Static(id, Some(address));
        let mut regions: Vec<RegionId> = plan
            .class_by_id(id)
            .fields
            .iter()
            .filter_map(|plan| match plan.home {
                FieldHome::Region { region, .. } => Some(region),
                _ => None,
            })
            .collect();
        // Fields may share a region.
        regions.sort_unstable();
        regions.dedup();
        let first = regions.first().copied().unwrap_or_else(|| {
            let representation = match self.pointer_sort() {
                Sort::BitVec(_) => Representation::Bits(8),
                _ => Representation::Int,
            };
            self.new_region(representation, 1, false, builder)
        });
        let number = ObjectId(builder.program.objects.len() as u32);
        builder.program.objects.push(Object {
            name: self.name(object),
            address,
            size: self.unit.objects[object.0 as usize].size,
            region: first,
            is_outside: self.unit.outside.memory == Some(object),
        });
        let single = plan.class_by_id(id).single.is_some();
        for region in regions
            .iter()
            .copied()
            .chain(regions.is_empty().then_some(first))
        {
            let region = &mut builder.program.regions[region.index()];
            region.objects.push(number);
            if single {
                region.base = address;
            }
        }
    }

    /// Gives the base zero to all regions that have no base yet.
    pub fn finish_bases(&self, builder: &mut Builder) {
        let zero = self.constant(0);
        for region in &mut builder.program.regions {
            if region.base == TermId::FALSE {
                region.base = zero;
            }
        }
    }
}
