//! Initialisation before the start function's first instruction: the choice of addresses, and the first contents of
//! memory and globals.

use super::transfer::{Overlap, Source};
use super::*;
use crate::ir::Storage;
use crate::library;
use crate::memory::placement::plan::{ArenaKind, FieldHome, FieldPlan};
use regatta_program::{External, ExternalKind};
use regatta_term::Value;

impl Emitter<'_, '_> {
    /// Emits the initialisation at the current location.
    pub fn begin_program(&mut self) {
        if let Some(mode) = self.tables.rounding_variable() {
            self.body
                .assign(mode, pool().rounding(RoundingMode::NearestEven));
        }
        self.choose_addresses();
        for arena in &self.tables.plan.arenas {
            if let ArenaKind::Up(next) = arena.kind {
                let start = arena.range.low.next_multiple_of(16);
                let start = self.tables.pointer_constant(start.into());
                self.body.assign(next, start);
            }
        }
        self.begin_lives();
        for &object in self.tables.plan.holders.keys() {
            self.set_holder(object, false);
        }
        for index in 0..self.tables.plan.classes.len() {
            self.begin_class(ClassId(index as u32));
        }
        for index in 0..self.tables.unit.objects.len() {
            let object = ObjectIndex(index as u32);
            let data = &self.tables.unit.objects[index];
            let contents = match data.storage {
                Storage::Automatic(_) => continue,
                Storage::Outside => Source::Any(InputKind::Outside(data.name.clone())),
                _ if data.begins_arbitrary() => Source::Any(InputKind::Uninitialised),
                Storage::Static { .. } | Storage::Literal => Source::Byte(0),
            };
            let home = self.tables.home(object);
            // The names of the frontend's own objects are no C names.
            if data.storage == Storage::Outside
                && home != Home::Unused
                && !data.name.starts_with('<')
                && !library::is_taken(&data.name)
            {
                self.body.builder.program.externals.push(External {
                    name: data.name.clone(),
                    kind: ExternalKind::Object {
                        size: data.size,
                        alignment: data.alignment,
                    },
                    span: data.span,
                });
            }
            match home {
                Home::Variables(_) => {
                    let spot = self.tables.object_spot(object);
                    self.transfer(&spot, data.size, contents, Overlap::No);
                }
                // The class's regions are arbitrary already.
                Home::Static(..) if data.begins_arbitrary() => {}
                Home::Static(id, _) if self.tables.plan.class_by_id(id).arbitrary => {
                    let spot = self.tables.object_spot(object);
                    self.transfer(&spot, data.size, contents, Overlap::No);
                }
                // The class's regions hold zeros already.
                Home::Static(..) | Home::Unused => {}
                Home::Dynamic(..) => {
                    let name = &data.name;
                    self.contradict(format_args!(
                        "`{name}`, which exists from the start, gets an address later"
                    ));
                }
            }
            self.body.release_temporaries();
        }
    }

    /// Emits the first contents of a class's regions: zero if all its objects are zero, else arbitrary.
    ///
    /// So an out-of-bounds read in a class of zeroed static objects gives zero until something is written there, where
    /// C gives no value and an arbitrary one would be expected. Arbitrary values would need a loop that zeroes each
    /// object, or an unknown value at each read, in every program, although only the proof of a program with undefined
    /// behaviour could be wrong. (An alarm that needs such a read is not confirmed.)
    fn begin_class(&mut self, id: ClassId) {
        let class = self.tables.plan.class_by_id(id);
        if let Some(target) = class.sizes
            && let Sort::Array { index, .. } =
                self.body.builder.program.variables[target.index()].sort
        {
            // An object that was not allocated here counts as empty: `realloc` then copies nothing, and its result is
            // arbitrary.
            let zero = self.tables.pointer_constant(0);
            self.body.assign(target, pool().const_array(index, zero));
        }
        let arbitrary = class.arbitrary;
        let is_outside = |object: &ObjectIndex| {
            self.tables.unit.objects[object.0 as usize].storage == Storage::Outside
        };
        let outside = class.single.filter(is_outside);
        for plan in self.tables.class_fields(id) {
            let FieldHome::Region { variable, .. } = plan.home else {
                continue;
            };
            if arbitrary {
                match outside {
                    Some(object) => {
                        let name = self.tables.unit.objects[object.0 as usize].name.clone();
                        self.body.havoc_whole(variable, InputKind::Outside(name));
                        let part = self.cells_of(id, variable);
                        self.body.set_part(part);
                    }
                    None => self.body.havoc_whole(variable, InputKind::Uninitialised),
                }
                continue;
            }
            if let Sort::Array { index, .. } =
                self.body.builder.program.variables[variable.index()].sort
            {
                let zero = pool().value(&Value::zero(plan.representation.sort().into()));
                self.body.assign(variable, pool().const_array(index, zero));
            }
            self.record_last_zero(id, plan);
        }
    }

    /// Records, if that is recorded, that the last byte of the only object of a class is zero.
    fn record_last_zero(&mut self, id: ClassId, plan: &FieldPlan) {
        let Some(object) = self.tables.plan.class_by_id(id).single else {
            return;
        };
        let last = self.tables.unit.objects[object.0 as usize]
            .size
            .checked_sub(1);
        let last = last.and_then(|last| i64::try_from(last).ok());
        if let FieldHome::Region { region, .. } = plan.home
            && plan.representation == Representation::Bits(8)
            && let Some(last) = last.filter(|_| self.body.builder.records_zeros)
        {
            let address = self.tables.object_spot(object).shifted(last).address;
            let index = self.index(&address, id, plan.field.granule);
            let target = self.body.builder.last_zero(region);
            self.body.assign(target, index);
        }
    }
}

impl Body<'_, '_> {
    pub(in crate::memory::emit) fn havoc_whole(&mut self, target: VariableId, kind: InputKind) {
        let sort = self.builder.program.variables[target.index()].sort;
        let input = self.input(kind, sort, None);
        self.push(Operation::Havoc { target, input });
    }
}
