//! Calls of unknown code.

use super::assumptions::Access;
use super::places::Spot;
use super::transfer::{Element, Overlap, Source};
use super::*;
use crate::ir::{Argument, ResultPlace, UnknownEffect};
use crate::memory::limits::{
    MAXIMUM_RESTORED_IN_ALL, MAXIMUM_RESTORED_OBJECT_BITS, MAXIMUM_RESTORED_PER_CALL,
};
use crate::memory::placement::plan::FieldHome;
use regatta_program::{AssumptionKind, Doubt, InputPart};

/// The constant objects, which unknown code must not change, of a class that it can otherwise change.
enum Constants {
    /// All objects of the class.
    All,
    /// These elements, with their values before the call.
    Elements(Vec<(Spot, Element, TermId)>),
    /// More than can be restored: objects of other activations, or large ones.
    TooMany,
}

impl Emitter<'_, '_> {
    /// Emits the effects of a call of unknown code, except for its result.
    pub fn call_unknown(&mut self, name: &str, effect: UnknownEffect) {
        let what = match effect {
            UnknownEffect::Pure => format!("`{name}`, whose code is unknown, changes nothing"),
            UnknownEffect::Reachable => format!(
                "`{name}`, whose code is unknown, returns, and changes only objects that it is given \
                 addresses of or that other files can name"
            ),
        };
        let what = match self.tables.options.memory_checks.any() {
            true => format!("{what}, and calls none of the program's functions"),
            false => what,
        };
        // The verifier's input functions are known.
        if !name.starts_with("__VERIFIER_nondet_") {
            self.note_assumption(AssumptionKind::UnknownCode, &what, Doubt::Always);
        }
        if effect == UnknownEffect::Reachable {
            for index in 0..self.tables.plan.classes.len() {
                if self.tables.plan.classes[index].exposed {
                    self.change_class(name, ClassId(index as u32));
                }
            }
        }
    }

    /// Checks the accesses in the arguments of unknown code.
    pub fn check_arguments(&mut self, arguments: &[Argument]) {
        if !self.tables.options.memory_checks.any() {
            return;
        }
        for argument in arguments {
            match argument {
                Argument::Scalar { value, .. } => {
                    self.value(value);
                }
                Argument::Object { address, size, .. } => {
                    let spot = self.spot(address);
                    self.check_access(&spot, *size, Access::Read);
                }
            }
        }
        self.body.check_trouble();
    }

    /// Emits the result of unknown code: one input for a scalar; otherwise an input that only records the call, and one
    /// for each part that is ever read.
    pub fn receive_unknown(&mut self, name: &str, result: Option<&ResultPlace>) {
        let kind = InputKind::Nondet(name.to_owned());
        if let Some(ResultPlace::Scalar(place)) = result {
            return self.nondet(place, kind);
        }
        self.body.any(Sort::Bool, kind.clone(), None);
        self.body.set_part(InputPart::Begin);
        if let Some(ResultPlace::Object { address, size, .. }) = result {
            let spot = self.spot(address);
            self.check_access(&spot, *size, Access::Write);
            self.transfer(&spot, *size, Source::Any(kind), Overlap::No);
        }
    }

    /// Makes the objects of the class that are not constant arbitrary.
    fn change_class(&mut self, name: &str, id: ClassId) {
        let constants = self.constants_of(id);
        let kind = match constants {
            Constants::All => return,
            Constants::Elements(_) => InputKind::Outside(name.to_owned()),
            // An alarm might rest on a change of a constant object.
            Constants::TooMany => InputKind::Unknown(format!("an object that `{name}` may change")),
        };
        for plan in self.tables.class_fields(id) {
            if let FieldHome::Variable(target)
            | FieldHome::Region {
                variable: target, ..
            } = plan.home
            {
                let data = &self.body.builder.program.variables[target.index()];
                let (sort, c_type) = (data.sort, data.c_type);
                let input = self.body.input(kind.clone(), sort, c_type);
                self.body.push(Operation::Havoc { target, input });
            }
        }
        if let Constants::Elements(elements) = constants {
            for (spot, element, value) in elements {
                self.store(&spot, element.bit, element.bits, element.form, value);
            }
        }
    }

    fn constants_of(&mut self, id: ClassId) -> Constants {
        let class = self.tables.plan.class_by_id(id);
        let object = |index: &ObjectIndex| &self.tables.unit.objects[index.0 as usize];
        let (constant, others): (Vec<_>, Vec<_>) = class
            .objects
            .iter()
            .filter(|&&index| self.tables.home(index) != Home::Unused)
            .partition(|&index| object(index).constant);
        if others.is_empty() && class.sites.is_empty() && !constant.is_empty() {
            return Constants::All;
        }
        // The address of an automatic object is meaningless while the object does not exist.
        if constant
            .iter()
            .any(|&index| matches!(object(index).storage, Storage::Automatic(_)))
        {
            return Constants::TooMany;
        }
        let most = MAXIMUM_RESTORED_PER_CALL.min(MAXIMUM_RESTORED_IN_ALL - self.restored);
        let mut elements = Vec::new();
        for &index in constant {
            let spot = self.tables.object_spot(index);
            let bits = self.tables.unit.objects[index.0 as usize]
                .size
                .saturating_mul(8);
            if bits > MAXIMUM_RESTORED_OBJECT_BITS {
                return Constants::TooMany;
            }
            let room = most - elements.len();
            let own = self.tables.elements_between(spot.target, 0, bits);
            if own.len() > room {
                return Constants::TooMany;
            }
            elements.extend(own.into_iter().map(|element| (spot.clone(), element)));
        }
        self.restored += elements.len();
        let elements = elements.into_iter().map(|(spot, element)| {
            let value = self.load(&spot, element.bit, element.bits, element.form);
            let value = self.body.freeze(value);
            (spot, element, value)
        });
        Constants::Elements(elements.collect())
    }
}
