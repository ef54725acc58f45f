//! The storage plan: which objects become scalar variables, and which lie in which region.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cells::{self, ClassShape, Field, FieldKind, Form};
use super::holders::Record;
use super::layout::{AddressRange, Pool};
use super::lives::{ClassLives, Lives};
use crate::ir::{
    BlockIndex, FunctionIndex, InitialContents, Instruction, Leaf, Object, ObjectIndex, ScalarType,
    Storage, Unit,
};
use crate::memory::MemoryChecks;
use crate::memory::analysis::call_graph::CallGraph;
use crate::memory::analysis::constraints::{AccessTable, Facts, Locals};
use crate::memory::analysis::endless::Checks;
use crate::memory::analysis::points_to::{NodeId, Target};
use crate::memory::builder::{Builder, Description};
use crate::memory::limits::{MAXIMUM_REGIONS_PER_CLASS, MAXIMUM_VARIABLES_PER_OBJECT};
use regatta_program::{
    Arithmetic, CScalar, FunctionId, Region, RegionId, Role, Scope, Span, VariableId, last_part,
};
use regatta_term::{FloatFormat, ScalarSort, Sort, TermId};

/// Index into [`Plan::classes`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

/// The representation of a value in a variable or in an element of a region.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Representation {
    /// A truth value.
    Bool,
    /// A bit vector of this width.
    Bits(u8),
    /// A mathematical integer.
    Int,
    Float(FloatFormat),
}

impl Representation {
    /// The sort of such a value.
    pub const fn sort(self) -> ScalarSort {
        match self {
            Self::Bool => ScalarSort::Bool,
            Self::Bits(width) => ScalarSort::BitVec(width),
            Self::Int => ScalarSort::Int,
            Self::Float(format) => ScalarSort::Float(format),
        }
    }
}

/// A field of a class and its storage.
#[derive(Clone, Debug)]
pub struct FieldPlan {
    /// The bits of the field.
    pub field: Field,
    /// The representation of the variable or of an element.
    pub representation: Representation,
    /// The variable or region that holds it.
    pub home: FieldHome,
}

/// The variable or region that holds a field.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FieldHome {
    Variable(VariableId),
    Region {
        region: RegionId,
        /// The array variable of its contents.
        variable: VariableId,
    },
    /// Its accesses have no meaning in the program's arithmetic.
    Unsupported,
}

/// A class of objects that the points-to analysis does not tell apart.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its node.
    pub root: NodeId,
    /// Its offsets are modulo this number of bytes; zero: exact.
    pub period: u64,
    /// The objects of the unit in it.
    pub objects: Vec<ObjectIndex>,
    /// The allocation sites of its dynamic objects.
    pub sites: Vec<usize>,
    /// Whether it contains functions.
    pub functions: bool,
    /// Whether it has one object, stored in scalar variables.
    pub scalar: bool,
    /// Its object, if it has just one, with a fixed address: then indices are relative to that address.
    pub single: Option<ObjectIndex>,
    /// Whether the program can observe the addresses of its objects.
    pub observable: bool,
    /// Whether unknown code can change it.
    pub exposed: bool,
    /// Whether the first contents of its regions are arbitrary (else zero).
    pub arbitrary: bool,
    /// Its fields, in ascending order.
    pub fields: Vec<FieldPlan>,
    /// The array of the sizes of allocated objects by address, if the program asks for sizes.
    pub sizes: Option<VariableId>,
    /// The arena of its dynamic objects, if their addresses cannot be observed.
    pub arena: Option<usize>,
}

/// How an object is stored.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Home {
    /// Not at all: no code that runs reads it or uses its address as a value. It may be declared, passed to a function
    /// that does not read it, or copied to memory that is never read.
    Unused,
    /// In its class's variables.
    Variables(ClassId),
    /// In memory, for the whole run. The address is filled in with the layout.
    Static(ClassId, Option<TermId>),
    /// In memory, at an address that a variable holds.
    Dynamic(ClassId, VariableId),
}

/// A range of addresses for dynamic objects.
#[derive(Clone, Debug)]
pub struct Arena {
    /// Its addresses.
    pub range: AddressRange,
    /// How it is used.
    pub kind: ArenaKind,
}

/// How an arena is used.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ArenaKind {
    /// One object at its beginning.
    Once,
    /// Upwards from a variable.
    Up(VariableId),
}

/// An address that is chosen at the program's start.
#[derive(Copy, Clone, Debug)]
pub struct Chosen {
    /// The object at the address; none for a function.
    pub object: Option<ObjectIndex>,
    /// The variable that holds the address.
    pub variable: VariableId,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub alignment: u64,
    /// Its address in one possible layout of all chosen addresses.
    pub hint: u64,
}

/// How dynamic objects get observable addresses.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The addresses that they may have.
    pub pool: Pool,
    /// The next object's hint; none if no objects are made.
    pub next_hint: Option<VariableId>,
    /// Whether an object may lie where one was that has ended.
    pub reuses: bool,
    /// The value of `next_hint` at the start.
    pub first_hint: u64,
    /// Variables for the ranges of the most recent living objects: first address, and the one after the last. The most
    /// recent comes first; an empty entry ends at zero.
    pub recent: Vec<(VariableId, VariableId)>,
}

/// The storage plan.
pub struct Plan {
    /// All classes.
    pub classes: Vec<Class>,
    /// The class of a node's root.
    pub class_of: FxHashMap<NodeId, ClassId>,
    /// How each object is stored.
    pub homes: Vec<Home>,
    /// Addresses of functions.
    pub functions: FxHashMap<FunctionIndex, TermId>,
    /// Addresses of functions without a body.
    pub externals: FxHashMap<String, TermId>,
    /// All arenas.
    pub arenas: Vec<Arena>,
    /// Arenas of allocation sites that run at most once, by site.
    pub once: FxHashMap<usize, usize>,
    /// Addresses that are chosen at the start.
    pub chosen: Vec<Chosen>,
    /// How observable addresses are chosen; none if no address can be observed.
    pub choice: Option<Choice>,
    /// Objects with a single declaration, which runs at most once.
    pub declared_once: FxHashSet<ObjectIndex>,
    /// Objects with a declaration.
    pub declared: FxHashSet<ObjectIndex>,
    /// Objects of blocks whose beginning is noticed.
    pub entered: FxHashSet<ObjectIndex>,
    /// Which objects exist; none if nothing is checked of memory.
    pub lives: Option<Lives>,
    /// The local objects that keep memory from being lost where the program ends before their functions return.
    pub holders: BTreeMap<ObjectIndex, Record>,
    /// What is to be checked of loops that may not end, by function, if lost memory is sought.
    pub loops: Vec<Checks>,
}

/// Maximum number of elements that are written one by one; more are written by a loop.
pub const MAXIMUM_UNROLLED_ELEMENTS: u64 = 64;

impl Plan {
    /// The class with the id.
    pub fn class_by_id(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    /// What is recorded of the objects of the class; none if nothing is checked of memory.
    pub fn lives_of(&self, id: ClassId) -> Option<&ClassLives> {
        self.lives.as_ref()?.of(id)
    }

    pub(super) fn lives_of_mut(&mut self, id: ClassId) -> Option<&mut ClassLives> {
        self.lives.as_mut()?.classes.get_mut(id.0 as usize)
    }

    /// The number of elements that an object of the size has in the class's regions.
    pub fn elements(&self, class: ClassId, size: u64) -> u64 {
        let class = self.class_by_id(class);
        class
            .fields
            .iter()
            .map(|plan| elements_of(class.period, plan, size))
            .sum()
    }
}

fn elements_of(period: u64, plan: &FieldPlan, size: u64) -> u64 {
    let own = match plan.field.kind {
        FieldKind::Uniform(_) => 1,
        FieldKind::Mixed => plan.field.bits.div_ceil(8 * plan.field.granule.max(1)),
    };
    if period == 0 {
        own
    } else {
        own.saturating_mul(size.div_ceil(period))
    }
}

/// The inputs of the plan.
pub struct Planner<'a, 'b> {
    pub unit: &'a Unit,
    /// What integers mean.
    pub arithmetic: Arithmetic,
    /// The pointer facts.
    pub facts: &'b Facts<'a>,
    pub table: &'b AccessTable,
    pub calls: &'b CallGraph,
    /// The ids of the functions that can run.
    pub function_ids: &'b [Option<FunctionId>],
    /// What is checked of the objects of memory.
    pub checks: MemoryChecks,
    /// Whether new objects may be put behind others, once that is asked for
    /// ([`may_insert_behind`](crate::memory::analysis::walks::may_insert_behind)).
    pub inserts_behind: OnceCell<bool>,
}

impl Planner<'_, '_> {
    /// Makes the plan, except for addresses.
    pub fn plan(&self, builder: &mut Builder) -> Plan {
        let mut plan = Plan {
            classes: Vec::new(),
            class_of: FxHashMap::default(),
            homes: vec![Home::Unused; self.unit.objects.len()],
            functions: FxHashMap::default(),
            externals: FxHashMap::default(),
            arenas: Vec::new(),
            once: FxHashMap::default(),
            chosen: Vec::new(),
            choice: None,
            declared_once: FxHashSet::default(),
            declared: FxHashSet::default(),
            entered: FxHashSet::default(),
            lives: None,
            holders: BTreeMap::new(),
            loops: Vec::new(),
        };
        self.collect(&mut plan);
        self.declarations(&mut plan);
        let single = |root| {
            plan.class_of.get(&root).is_some_and(|id| {
                let class = &plan.classes[id.0 as usize];
                match (&class.objects[..], &class.sites[..]) {
                    (&[object], []) => !self.is_recursive(object),
                    ([], &[site]) => self.runs_once(site),
                    ([], []) => true,
                    _ => false,
                }
            })
        };
        let properties = self.facts.classes(
            single,
            &Locals {
                object: &|object| self.local_object(object),
                site: &|site| self.local_site(site),
                once: &|site| self.runs_once(site),
            },
            self.checks.any(),
        );
        for class in &mut plan.classes {
            class.observable = properties.observable.contains(&class.root);
            class.exposed = properties.exposed.contains(&class.root);
        }
        self.plan_lives(&mut plan, &properties.compared);
        let cuts = self.cuts();
        for index in 0..plan.classes.len() {
            let id = ClassId(index as u32);
            let cuts = cuts
                .get(&plan.classes[index].root)
                .map_or(&[][..], Vec::as_slice);
            self.decide(&mut plan, id, cuts, builder);
            self.plan_slots(&mut plan, id);
        }
        for target in &self.facts.sized {
            let root = self.facts.graph.root(target.node).0;
            if let Some(id) = plan.class_of.get(&root) {
                let class = &mut plan.classes[id.0 as usize];
                if class.sizes.is_none() {
                    class.sizes = Some(self.sizes(builder));
                }
            }
        }
        plan
    }

    /// The sizes of a class's dynamic objects, by address.
    fn sizes(&self, builder: &mut Builder) -> VariableId {
        let scalar = self.pointer_sort().scalar().unwrap_or(ScalarSort::Int);
        builder.variable(
            "allocated sizes",
            Sort::Array {
                index: scalar,
                element: scalar,
            },
            Description {
                scope: Scope::Global,
                role: Role::Model,
                c_type: None,
                span: Span::NONE,
            },
        )
    }

    /// Puts the objects, sites and functions into classes.
    fn collect(&self, plan: &mut Plan) {
        let class_of = |plan: &mut Plan, root: NodeId| {
            let classes = &mut plan.classes;
            *plan.class_of.entry(root).or_insert_with(|| {
                classes.push(Class {
                    root,
                    period: self.facts.graph.period(root),
                    objects: Vec::new(),
                    sites: Vec::new(),
                    functions: false,
                    scalar: false,
                    single: None,
                    observable: false,
                    exposed: false,
                    arbitrary: false,
                    fields: Vec::new(),
                    sizes: None,
                    arena: None,
                });
                ClassId(classes.len() as u32 - 1)
            })
        };
        for index in 0..self.unit.objects.len() {
            let object = ObjectIndex(index as u32);
            let root = self.facts.graph.root(self.facts.object(object).node).0;
            if self.facts.in_memory[index] || self.table.contains_key(&root) {
                let id = class_of(plan, root);
                plan.classes[id.0 as usize].objects.push(object);
            }
        }
        for (index, site) in self.facts.sites.iter().enumerate() {
            let id = class_of(plan, self.facts.graph.root(site.node).0);
            plan.classes[id.0 as usize].sites.push(index);
        }
        for &node in self
            .facts
            .functions
            .values()
            .chain(self.facts.externals.values())
        {
            let id = class_of(plan, self.facts.graph.root(node).0);
            plan.classes[id.0 as usize].functions = true;
        }
        let mut roots: Vec<NodeId> = self.table.keys().copied().collect();
        roots.sort_unstable();
        for root in roots {
            class_of(plan, root);
        }
    }

    /// Finds the objects that are declared, and those of them that are declared at most once.
    fn declarations(&self, plan: &mut Plan) {
        let mut seen: FxHashMap<ObjectIndex, bool> = FxHashMap::default();
        for (index, function) in self.unit.functions.iter().enumerate() {
            if self.function_ids[index].is_none() {
                continue;
            }
            for (block, data) in function.blocks.iter().enumerate() {
                for (instruction, _) in &data.instructions {
                    if let Instruction::Declare(object) = instruction {
                        let once = self
                            .calls
                            .runs_once(FunctionIndex(index as u32), BlockIndex(block as u32));
                        seen.entry(*object)
                            // Without a cycle, nothing is written to the object between two declarations.
                            .and_modify(|only| *only &= once)
                            .or_insert(once);
                    }
                }
            }
        }
        plan.declared.extend(seen.keys());
        plan.declared_once
            .extend(seen.iter().filter(|entry| *entry.1).map(|entry| *entry.0));
    }

    /// The bits at which copies and fills begin or end, by root.
    fn cuts(&self) -> FxHashMap<NodeId, Vec<i64>> {
        let mut cuts: FxHashMap<NodeId, Vec<i64>> = FxHashMap::default();
        let copies = self
            .facts
            .copies
            .iter()
            .map(|copy| (copy.destination, copy.size));
        for (target, size) in copies.chain(self.facts.fills.iter().copied()) {
            for end in [0, i64::try_from(size).unwrap_or(0)] {
                let end = self.facts.graph.canonical(target.shifted(end));
                cuts.entry(end.node)
                    .or_default()
                    .push(end.offset.wrapping_mul(8));
            }
        }
        for list in cuts.values_mut() {
            list.sort_unstable();
            list.dedup();
        }
        cuts
    }

    pub(super) fn is_recursive(&self, object: ObjectIndex) -> bool {
        match self.object(object).storage {
            Storage::Automatic(function) => self.calls.recursive[function.0 as usize],
            Storage::Static { .. } | Storage::Outside | Storage::Literal => false,
        }
    }

    /// Whether the object gets a new address at each call of its function.
    fn is_renewed(&self, plan: &Plan, id: ClassId, object: ObjectIndex) -> bool {
        let class = plan.class_by_id(id);
        let mut lives = plan.lives_of(id).into_iter();
        self.is_recursive(object)
            || (class.observable && !self.lasts(object))
            || lives.any(|lives| lives.ending.contains(&object))
    }

    /// Whether the object keeps its address for the whole run: static objects, and the locals of `main`. The locals of
    /// other functions may have addresses that other functions' locals had before.
    pub(super) fn lasts(&self, object: ObjectIndex) -> bool {
        match self.object(object).storage {
            Storage::Automatic(function) => {
                function == self.unit.start || self.calls.is_called_by(function, self.unit.start)
            }
            Storage::Static { .. } | Storage::Outside | Storage::Literal => true,
        }
    }

    /// For a local object that ends before the program: whether its function may be called again, and whether the
    /// object may end before its function.
    fn local_object(&self, object: ObjectIndex) -> Option<(bool, bool)> {
        let in_block = !self.object(object).blocks.is_empty();
        match self.object(object).storage {
            Storage::Automatic(function) if in_block || !self.lasts(object) => {
                // Under a check of memory, it has another address each time that its block is entered.
                let is_renewed = in_block && self.checks.any();
                let returns = is_renewed || !self.calls.runs_once(function, BlockIndex(0));
                Some((returns, in_block))
            }
            _ => None,
        }
    }

    /// For a dynamic object that may end before the program: whether there may be several, and whether it is made in a
    /// loop of its function.
    fn local_site(&self, number: usize) -> Option<(bool, bool)> {
        let site = &self.facts.sites[number];
        let in_loop = self.calls.is_cyclic(site.function, site.block);
        let lasts = site.function == self.unit.start
            || self.calls.is_called_by(site.function, self.unit.start);
        (in_loop || !lasts).then(|| (!self.runs_once(number), in_loop))
    }

    fn is_static(&self, object: ObjectIndex) -> bool {
        !matches!(self.object(object).storage, Storage::Automatic(_))
    }

    pub(super) fn object(&self, object: ObjectIndex) -> &Object {
        &self.unit.objects[object.0 as usize]
    }

    /// Whether the site makes at most one object in a run.
    pub(in crate::memory) fn runs_once(&self, site: usize) -> bool {
        let site = &self.facts.sites[site];
        self.calls.runs_once(site.function, site.block)
    }

    /// Decides how the objects of one class are stored.
    fn decide(&self, plan: &mut Plan, id: ClassId, cuts: &[i64], builder: &mut Builder) {
        let class = &plan.classes[id.0 as usize];
        let starts: Vec<i64> = class
            .objects
            .iter()
            .map(|&object| self.facts.graph.canonical(self.facts.object(object)).offset)
            .chain(class.sites.iter().map(|&site| {
                let node = self.facts.sites[site].node;
                self.facts
                    .graph
                    .canonical(Target { node, offset: 0 })
                    .offset
            }))
            .collect();
        let single = match (&class.objects[..], &class.sites[..]) {
            (&[object], [])
                if !class.functions
                    && !self.is_renewed(plan, id, object)
                    && self.unit.outside.memory != Some(object) =>
            {
                Some(object)
            }
            _ => None,
        };
        let mut shape = ClassShape {
            period: class.period,
            starts,
            alignment: 16,
            cuts: Vec::new(),
        };
        let accesses = || self.table.get(&class.root).into_iter().flatten().copied();
        if let &[object] = &class.objects[..]
            && class.sites.is_empty()
            && !class.functions
            && class.period == 0
            && self.facts.graph.alike(class.root).is_empty()
            && !self.facts.in_memory[object.0 as usize]
        {
            let fields = cells::fields(&shape, accesses());
            let start = shape.starts[0].wrapping_mul(8);
            let end = start.saturating_add_unsigned(self.object(object).size.saturating_mul(8));
            if fields.len() <= MAXIMUM_VARIABLES_PER_OBJECT
                && fields
                    .iter()
                    .all(|field| field.bits <= 128 && field.start >= start && field.end() <= end)
            {
                let fields = fields
                    .into_iter()
                    .map(|field| self.variable(object, field, start, builder))
                    .collect();
                let class = &mut plan.classes[id.0 as usize];
                class.fields = fields;
                class.scalar = true;
                plan.homes[object.0 as usize] = Home::Variables(id);
                return;
            }
        }
        if single.is_none() {
            shape.alignment = self.alignment(class);
        }
        shape.cuts = cuts.to_vec();
        let fields = cells::fields(&shape, accesses());
        let dynamic = single.is_none()
            && (!class.sites.is_empty()
                || class.objects.iter().any(|&o| self.is_renewed(plan, id, o)));
        let fields = self.regions(class, fields, dynamic, builder);
        let class = &mut plan.classes[id.0 as usize];
        class.single = single;
        class.fields = fields;
        self.objects_in_memory(plan, id, builder);
    }

    /// The common alignment of the class's objects, in bytes.
    fn alignment(&self, class: &Class) -> u64 {
        let objects = class
            .objects
            .iter()
            .map(|&object| self.object(object).alignment);
        let sites = class
            .sites
            .iter()
            .map(|&site| self.facts.sites[site].alignment);
        let declared = objects
            .chain(sites)
            .map(|alignment| 1 << alignment.max(1).trailing_zeros().min(12));
        declared
            .map(|alignment: u64| {
                if class.observable {
                    alignment
                } else {
                    alignment.max(16)
                }
            })
            .min()
            .unwrap_or(16)
    }

    /// Decides how the objects of a class get their addresses, and the first contents of its regions.
    fn objects_in_memory(&self, plan: &mut Plan, id: ClassId, builder: &mut Builder) {
        let objects = plan.class_by_id(id).objects.clone();
        let single = plan.class_by_id(id).single;
        let mut arbitrary = plan
            .class_by_id(id)
            .sites
            .iter()
            .any(|&site| self.facts.sites[site].contents != InitialContents::Zero);
        // Memory that belongs to no object can hold anything.
        arbitrary |= objects.is_empty() && plan.class_by_id(id).sites.is_empty();
        let mut dynamic = false;
        for object in objects {
            let once = plan.declared_once.contains(&object);
            let large = plan.elements(id, self.object(object).size) > MAXIMUM_UNROLLED_ELEMENTS;
            let redeclared = plan.declared.contains(&object) && !once;
            arbitrary |= self.object(object).begins_arbitrary();
            let home = if single == Some(object) {
                arbitrary |= !self.is_static(object);
                Home::Static(id, None)
            } else if self.is_renewed(plan, id, object) || (large && redeclared) {
                dynamic = true;
                Home::Dynamic(id, self.address_variable(object, builder))
            } else {
                arbitrary |= once;
                Home::Static(id, None)
            };
            plan.homes[object.0 as usize] = home;
        }
        let class = &mut plan.classes[id.0 as usize];
        class.arbitrary = arbitrary || dynamic;
        for field in &class.fields {
            if let FieldHome::Region { region, .. } = field.home {
                builder.program.regions[region.index()].dynamic |= dynamic;
            }
        }
    }

    fn address_variable(&self, object: ObjectIndex, builder: &mut Builder) -> VariableId {
        let name = format!("&{}", self.name(object));
        let data = self.object(object);
        let scope = self.scope(object);
        builder.variable(
            &name,
            self.pointer_sort(),
            Description {
                scope,
                role: Role::Model,
                c_type: Some(CScalar::Pointer),
                span: data.span,
            },
        )
    }

    /// The sort of addresses.
    pub fn pointer_sort(&self) -> Sort {
        match self.arithmetic {
            Arithmetic::BitVector => Sort::BitVec(self.unit.data_model.pointer_bits()),
            Arithmetic::Integer => Sort::Int,
        }
    }

    fn scope(&self, object: ObjectIndex) -> Scope {
        match self.object(object).storage {
            Storage::Automatic(function) => match self.function_ids[function.0 as usize] {
                Some(id) => Scope::Local(id),
                None => Scope::Global,
            },
            Storage::Static { .. } | Storage::Outside | Storage::Literal => Scope::Global,
        }
    }

    /// The object's name in the program: a local one has its function's name before it.
    pub fn name(&self, object: ObjectIndex) -> String {
        let data = self.object(object);
        match data.storage {
            Storage::Automatic(function) if !data.name.contains("::") => {
                let function = &self.unit.functions[function.0 as usize];
                format!("{}::{}", function.name, data.name)
            }
            _ => data.name.clone(),
        }
    }

    fn representation(&self, form: Form, bits: u64) -> Option<Representation> {
        match (self.arithmetic, form) {
            (_, Form::Float(format)) => Some(Representation::Float(format)),
            (_, Form::Bool) => Some(Representation::Bool),
            (Arithmetic::Integer, Form::Bits) => Some(Representation::Int),
            (Arithmetic::BitVector, Form::Bits) => u8::try_from(bits)
                .ok()
                .filter(|bits| *bits <= 128)
                .map(Representation::Bits),
        }
    }

    /// Makes the variable for a field of an object.
    fn variable(
        &self,
        object: ObjectIndex,
        field: Field,
        start: i64,
        builder: &mut Builder,
    ) -> FieldPlan {
        let representation = match (field.kind, self.arithmetic) {
            (FieldKind::Uniform(form), _) => self.representation(form, field.bits),
            (FieldKind::Mixed, Arithmetic::BitVector) => {
                self.representation(Form::Bits, field.bits)
            }
            (FieldKind::Mixed, Arithmetic::Integer) => None,
        };
        let Some(representation) = representation else {
            return FieldPlan {
                field,
                representation: Representation::Int,
                home: FieldHome::Unsupported,
            };
        };
        let data = self.object(object);
        let offset = (field.start - start).unsigned_abs();
        let name = format!(
            "{}{}",
            self.name(object),
            part_name(data, offset, field.bits)
        );
        let role = if is_identifier(&data.name) {
            Role::Source
        } else {
            Role::Temporary
        };
        let description = Description {
            scope: self.scope(object),
            role,
            c_type: Some(c_type(data, offset, &field)),
            span: data.span,
        };
        let variable = builder.variable(&name, representation.sort().into(), description);
        FieldPlan {
            field,
            representation,
            home: FieldHome::Variable(variable),
        }
    }

    /// Makes the regions for the fields of objects in memory; the fields of a set of alike offsets share a region, and so do the
    /// fields of one kind in a class with very many.
    fn regions(
        &self,
        class: &Class,
        mut fields: Vec<Field>,
        dynamic: bool,
        builder: &mut Builder,
    ) -> Vec<FieldPlan> {
        let alike = self.facts.graph.alike(class.root);
        let set_of = |start: i64| {
            let has = |set: &Vec<i64>| set.iter().any(|offset| offset.wrapping_mul(8) == start);
            alike.iter().position(has)
        };
        let mut granules = vec![u64::MAX; alike.len()];
        for field in &fields {
            if let Some(set) = set_of(field.start) {
                granules[set] = granules[set].min(field.granule);
            }
        }
        let mut known: Vec<Option<FieldPlan>> = vec![None; alike.len()];
        // A large table that is accessed at constant offsets only, as one that is initialised and never used.
        let is_large = fields.len() > MAXIMUM_REGIONS_PER_CLASS;
        let mut shared: FxHashMap<(FieldKind, u64, u64), FieldPlan> = FxHashMap::default();
        let mut plans = Vec::with_capacity(fields.len());
        for mut field in fields.drain(..) {
            let Some(set) = set_of(field.start) else {
                let kind = (field.kind, field.bits, field.granule);
                // Bit fields may begin in the same byte.
                let may_share = is_large && field.start.rem_euclid(8) == 0;
                let plan = match shared.get(&kind).filter(|_| may_share).cloned() {
                    Some(first) => FieldPlan { field, ..first },
                    None => self.region(field, dynamic, class.functions, builder),
                };
                if may_share {
                    shared.entry(kind).or_insert_with(|| plan.clone());
                }
                plans.push(plan);
                continue;
            };
            field.granule = granules[set];
            let plan = match known[set].clone() {
                Some(first) => FieldPlan { field, ..first },
                None => self.region(field, dynamic, class.functions, builder),
            };
            known[set] = Some(plan.clone());
            plans.push(plan);
        }
        plans
    }

    /// Makes the region for a field of objects in memory.
    fn region(
        &self,
        field: Field,
        dynamic: bool,
        functions: bool,
        builder: &mut Builder,
    ) -> FieldPlan {
        let representation = match (field.kind, self.arithmetic) {
            (FieldKind::Uniform(Form::Bool), Arithmetic::BitVector) => {
                self.representation(Form::Bits, field.bits)
            }
            (FieldKind::Uniform(Form::Bool), Arithmetic::Integer) => Some(Representation::Int),
            (FieldKind::Uniform(form), _) => self.representation(form, field.bits),
            (FieldKind::Mixed, Arithmetic::BitVector) => {
                self.representation(Form::Bits, 8 * field.granule)
            }
            (FieldKind::Mixed, Arithmetic::Integer) => None,
        };
        let Some(representation) = representation else {
            return FieldPlan {
                field,
                representation: Representation::Int,
                home: FieldHome::Unsupported,
            };
        };
        let region = self.new_region(representation, field.granule, dynamic || functions, builder);
        let variable = builder.program.regions[region.index()].variable;
        FieldPlan {
            field,
            representation,
            home: FieldHome::Region { region, variable },
        }
    }

    /// Makes a region for elements of the representation; its base is filled in with the layout.
    pub fn new_region(
        &self,
        representation: Representation,
        granule: u64,
        dynamic: bool,
        builder: &mut Builder,
    ) -> RegionId {
        let region = RegionId(builder.program.regions.len() as u32);
        let index = match self.arithmetic {
            Arithmetic::Integer => ScalarSort::Int,
            Arithmetic::BitVector => ScalarSort::BitVec(
                self.unit.data_model.pointer_bits() - granule.trailing_zeros() as u8,
            ),
        };
        let sort = Sort::Array {
            index,
            element: representation.sort(),
        };
        let variable = builder.variable(
            &format!("region#{}", region.0),
            sort,
            Description {
                scope: Scope::Global,
                role: Role::Region(region),
                c_type: None,
                span: Span::NONE,
            },
        );
        builder.program.regions.push(Region {
            variable,
            element_bytes: granule,
            base: TermId::FALSE,
            objects: Vec::new(),
            dynamic,
        });
        region
    }
}

pub(super) fn is_identifier(name: &str) -> bool {
    let name = last_part(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

/// The suffix of an object's name for a part of it.
fn part_name(object: &Object, offset: u64, bits: u64) -> String {
    if let [leaf] = object.leaves[..] {
        if leaf.count <= 1 && leaf.bit_offset == offset {
            return String::new();
        }
        if leaf.stride > 0
            && offset >= leaf.bit_offset
            && (offset - leaf.bit_offset).is_multiple_of(leaf.stride)
        {
            return format!("[{}]", (offset - leaf.bit_offset) / leaf.stride);
        }
    }
    if offset == 0 && bits == object.size.saturating_mul(8) {
        return String::new();
    }
    match offset % 8 {
        0 => format!("@{}", offset / 8),
        bit => format!("@{}:{bit}", offset / 8),
    }
}

/// The C type of a part of an object.
fn c_type(object: &Object, offset: u64, field: &Field) -> CScalar {
    let is_here = |leaf: &&Leaf| {
        let distance = offset.checked_sub(leaf.bit_offset);
        u64::from(leaf.bits) == field.bits
            && distance.is_some_and(|distance| {
                distance == 0
                    || (leaf.stride > 0
                        && distance % leaf.stride == 0
                        && distance / leaf.stride < leaf.count)
            })
    };
    match object.leaves.iter().find(is_here).map(|leaf| leaf.scalar) {
        Some(ScalarType::Integer { signed, .. }) => CScalar::Integer {
            bits: u8::try_from(field.bits).unwrap_or(u8::MAX),
            signed,
        },
        Some(ScalarType::Bool) => CScalar::Bool,
        Some(ScalarType::Float(_)) => CScalar::Float,
        Some(ScalarType::Pointer) => CScalar::Pointer,
        None => match field.kind {
            FieldKind::Uniform(Form::Float(_)) => CScalar::Float,
            FieldKind::Uniform(Form::Bool) => CScalar::Bool,
            FieldKind::Uniform(Form::Bits) if field.pointer => CScalar::Pointer,
            _ => CScalar::Integer {
                bits: u8::try_from(field.bits).unwrap_or(u8::MAX),
                signed: false,
            },
        },
    }
}
