//! The *shadow* of a run: the values of registers and cells as functions of the run's inputs.
//!
//! The shadow observes each instruction before the machine executes it, with the concrete values. It restricts the sets of
//! the inputs until the instruction behaves the same for all their members: comparisons have the same result, arithmetic
//! wraps around as often, accesses have the same index. Results that are affine in one input are tracked; before any other
//! operation on an input, the input is *concretised*: its set shrinks to the concrete value.

use std::cell::RefCell;

use super::Drawn;
use super::affine::{Affine, KNOWN};
use super::memory::{Found, ShadowMemory};
use crate::interpreter::code::bytecode::{IntegerRelation, Place, Register};
use crate::interpreter::code::executable::{AddressTerm, Executable};
use crate::interpreter::observer::{InstructionView, Observer};
use regatta_term::domain::IntervalSet;

/// An input of the run.
#[derive(Clone, Debug)]
pub(super) struct ShadowInput {
    pub(super) value: i128,
    /// The values with which the run would have taken the same path so far.
    pub(super) set: IntervalSet,
    /// The set before the input was concretised.
    pub(super) needed: Option<IntervalSet>,
    /// Whether the set is smaller than the domain.
    pub(super) is_narrowed: bool,
}

/// An operand: its form, and its concrete value.
#[derive(Copy, Clone, Debug)]
pub(super) struct Operand {
    pub(super) form: Affine,
    pub(super) value: i128,
}

/// The shadow of a run; see the module documentation.
pub(super) struct Shadow<'s> {
    pub(super) executable: &'s Executable,
    /// The inputs that the run has read so far.
    drawn: &'s RefCell<Vec<Drawn>>,
    pub(super) inputs: Vec<ShadowInput>,
    /// The number of inputs with more than one value left.
    live: usize,
    /// The number of inputs that have lost some of their values.
    pub(super) narrowed: usize,
    narrow: Vec<Affine>,
    integer: Vec<Affine>,
    /// The registers from which the machine takes the addresses of objects.
    addresses: Vec<Place>,
    pub(super) memory: ShadowMemory,
    /// The memory before the edge whose effects may be undone.
    pub(super) before_edge: Option<ShadowMemory>,
    /// The saved locals of recursive functions' earlier activations.
    pub(super) saved_locals: Vec<Vec<Affine>>,
    /// The register of the input that the machine is about to read, with an inner `None` if the input is concretised.
    pub(super) awaited: Option<Option<Place>>,
    /// The reason why the run cannot be generalised, if it cannot.
    pub(super) given_up: Option<&'static str>,
}

impl Observer for Shadow<'_> {
    const FOLLOWS_INSTRUCTIONS: bool = true;

    #[inline]
    fn instruction(&mut self, view: &InstructionView<'_>) {
        if self.awaited.is_some() {
            self.receive();
        }
        if self.is_idle() {
            self.foresee_input(view);
        } else {
            self.follow(view);
        }
    }
}

impl<'s> Shadow<'s> {
    pub(super) fn new(executable: &'s Executable, drawn: &'s RefCell<Vec<Drawn>>) -> Self {
        let terms = executable.object_addresses.iter().flatten().chain(
            executable
                .regions
                .iter()
                .filter_map(|region| region.base.as_ref()),
        );
        let addresses = terms.filter_map(|term| match term {
            AddressTerm::Variable(place) => Some(*place),
            AddressTerm::Constant(_) => None,
        });
        Self {
            executable,
            drawn,
            inputs: Vec::new(),
            live: 0,
            narrowed: 0,
            narrow: vec![Affine::known(0); executable.narrow.len()],
            integer: vec![Affine::known(0); executable.integer.len()],
            addresses: addresses.collect(),
            memory: ShadowMemory::default(),
            before_edge: None,
            saved_locals: Vec::new(),
            awaited: None,
            given_up: None,
        }
    }

    /// Whether no value of the machine depends on an input. Remaining forms refer to inputs with one value.
    pub(super) fn is_idle(&self) -> bool {
        self.live == 0 && !self.memory.has_arbitrary()
    }

    /// Checks whether no value depends on an input any more, although some inputs have several values left: all values
    /// that depended on these have been overwritten.
    pub(super) fn sweep(&mut self) {
        let saved = self.saved_locals.iter().flatten();
        let mut forms = self.narrow.iter().chain(&self.integer).chain(saved);
        let memories = [Some(&self.memory), self.before_edge.as_ref()];
        let in_cells = |memory: &ShadowMemory| memory.forms().any(|form| self.is_open(form));
        let depends =
            forms.any(|form| self.is_open(*form)) || memories.into_iter().flatten().any(in_cells);
        if !depends {
            self.live = 0;
            if self.is_idle() {
                self.forget_forms();
            }
        }
    }

    fn forget_forms(&mut self) {
        if !self.memory.is_known() {
            self.memory = ShadowMemory::default();
        }
        self.before_edge = None;
        self.saved_locals.clear();
    }

    /// Adds an input with more than one value.
    pub(super) fn add(&mut self, input: ShadowInput) {
        self.live += 1;
        self.inputs.push(input);
    }

    /// Adds the inputs that the machine has read.
    pub(super) fn receive(&mut self) {
        let drawn = self.drawn.borrow();
        let place = self.awaited.take().flatten();
        for input in &drawn[self.inputs.len()..] {
            let position = self.inputs.len() as u32;
            // Without a place, another edge may read the same value again: the input is concretised.
            let set = match (input.open, place) {
                (true, Some(_)) => input.domain.clone(),
                _ => IntervalSet::single(input.value),
            };
            let needed = (input.open && place.is_none()).then(|| input.domain.clone());
            self.live += usize::from(set.only().is_none());
            self.narrowed += usize::from(needed.is_some());
            self.inputs.push(ShadowInput {
                value: input.value,
                set,
                is_narrowed: needed.is_some(),
                needed,
            });
            if let Some(place) = place {
                self.set(place, Affine::input(position));
            }
        }
    }

    // --- the inputs' sets ---

    fn shrink(&mut self, input: u32, set: IntervalSet) {
        let entry = &mut self.inputs[input as usize];
        debug_assert!(set.contains(entry.value));
        if entry.set.only().is_none() && set.only().is_some() {
            self.live -= 1;
        }
        if !entry.is_narrowed && set != entry.set {
            entry.is_narrowed = true;
            self.narrowed += 1;
        }
        entry.set = set;
        if self.is_idle() {
            self.forget_forms();
        }
    }

    /// Concretises the operand's input; returns the operand as a known value.
    pub(super) fn concretise(&mut self, operand: Operand) -> Operand {
        if self.is_open(operand.form) {
            let entry = &mut self.inputs[operand.form.input as usize];
            entry.needed = Some(entry.set.clone());
            let only = IntervalSet::single(entry.value);
            self.shrink(operand.form.input, only);
        }
        Operand {
            form: Affine::known(operand.value),
            value: operand.value,
        }
    }

    #[inline]
    fn is_open(&self, form: Affine) -> bool {
        form.input != KNOWN && self.inputs[form.input as usize].set.only().is_none()
    }

    /// Restricts the inputs to those for which the value is within the bounds; the concrete value must be.
    pub(super) fn bound(&mut self, form: Affine, low: Option<i128>, high: Option<i128>) {
        self.keep_ranges(form, &[(low, high)]);
    }

    /// Restricts the inputs to those for which the value is in one of the ranges; the concrete value must be.
    fn keep_ranges(&mut self, form: Affine, ranges: &[(Option<i128>, Option<i128>)]) {
        if !self.is_open(form) {
            return;
        }
        let inputs = ranges.iter().map(|(low, high)| {
            let (low, high) = form.inputs_between(*low, *high);
            (low.unwrap_or(i128::MIN), high.unwrap_or(i128::MAX))
        });
        let inputs = inputs.collect();
        let set = self.inputs[form.input as usize].set.intersection(&inputs);
        self.shrink(form.input, set);
    }

    /// Restricts the inputs to those for which the value is zero or not, as the concrete value.
    fn zero_or_not(&mut self, operand: Operand) {
        if !self.is_open(operand.form) {
            return;
        }
        let Some(root) = operand.form.input_at(0) else {
            return;
        };
        let root = IntervalSet::single(root);
        let set = &self.inputs[operand.form.input as usize].set;
        let set = match operand.value {
            0 => set.intersection(&root),
            _ => set.difference(&root),
        };
        self.shrink(operand.form.input, set);
    }

    /// Whether the value is between zero and `high` for all values in the input's set.
    pub(super) fn is_within(&self, form: Affine, high: i128) -> bool {
        let Some((least, greatest)) = self.inputs[form.input as usize].set.ends() else {
            return true;
        };
        let at = |input: i128| form.factor.checked_mul(input)?.checked_add(form.offset);
        [least, greatest]
            .into_iter()
            .all(|input| at(input).is_some_and(|value| 0 <= value && value <= high))
    }

    // --- arithmetic ---

    /// Concretises one of the operands' inputs if there are two: the one with fewer values.
    fn one_input(&mut self, a: Operand, b: Operand) -> (Operand, Operand) {
        if a.form.is_known() || b.form.is_known() || a.form.input == b.form.input {
            return (a, b);
        }
        let values = |operand: Operand| self.inputs[operand.form.input as usize].set.len();
        match values(a) < values(b) {
            true => (self.concretise(a), b),
            false => (a, self.concretise(b)),
        }
    }

    /// The exact value of `a + times * b`.
    pub(super) fn sum(&mut self, a: Operand, b: Operand, times: i128) -> Operand {
        let value = a.value + b.value * times;
        if a.form.is_known() && b.form.is_known() {
            return known(value);
        }
        let (a, b) = self.one_input(a, b);
        let form = b.form.times(times).and_then(|b| a.form.plus(b));
        self.followed(&[a, b], form, value)
    }

    /// The exact product; `None` if it is beyond 128 bits, and then the operands have been concretised.
    pub(super) fn product(&mut self, a: Operand, b: Operand) -> Option<Operand> {
        if a.form.is_known() && b.form.is_known() {
            return a.value.checked_mul(b.value).map(known);
        }
        let (a, b) = self.one_input(a, b);
        let (form, constant) = match (a.form.is_known(), b.form.is_known()) {
            (_, true) => (a.form, b.value),
            (true, false) => (b.form, a.value),
            (false, false) => (self.concretise(a).form, self.concretise(b).value),
        };
        match a.value.checked_mul(b.value) {
            Some(value) => {
                let form = form.times(constant);
                Some(self.followed(&[a, b], form, value))
            }
            None => {
                self.concretise(a);
                self.concretise(b);
                None
            }
        }
    }

    fn followed(&mut self, operands: &[Operand], form: Option<Affine>, value: i128) -> Operand {
        let form = form.unwrap_or_else(|| {
            for operand in operands {
                self.concretise(*operand);
            }
            Affine::known(value)
        });
        Operand { form, value }
    }

    /// The exact value truncated to its lowest bits.
    pub(super) fn wrapped(&mut self, operand: Operand, width: u8) -> Operand {
        let modulus = 1i128 << width;
        if operand.form.is_known() {
            return known(operand.value & (modulus - 1));
        }
        let shift = -operand.value.div_euclid(modulus) * modulus;
        let result = self.sum(operand, known(shift), 1);
        self.bound(result.form, Some(0), Some(modulus - 1));
        result
    }

    /// The bit pattern read as a signed number.
    pub(super) fn signed(&mut self, operand: Operand, width: u8) -> Operand {
        let half = 1i128 << (width - 1);
        if operand.value < half {
            self.bound(operand.form, None, Some(half - 1));
            operand
        } else {
            self.bound(operand.form, Some(half), None);
            self.sum(operand, known(-2 * half), 1)
        }
    }

    /// Restricts the inputs by the result of a comparison of exact values.
    pub(super) fn compare(&mut self, relation: IntegerRelation, a: Operand, b: Operand) {
        if a.form.is_known() && b.form.is_known() {
            return;
        }
        let difference = self.sum(a, b, -1);
        let (form, value) = (difference.form, difference.value);
        let limit = match relation {
            IntegerRelation::Equal => return self.zero_or_not(difference),
            IntegerRelation::Less => -1,
            IntegerRelation::LessEqual => 0,
        };
        match value <= limit {
            true => self.bound(form, None, Some(limit)),
            false => self.bound(form, Some(limit + 1), None),
        }
    }

    /// Restricts the inputs by the result of a comparison of bit patterns as signed numbers. A comparison with a known
    /// number leaves at most two ranges of patterns, so that these need not be split by their sign.
    pub(super) fn compare_signed(
        &mut self,
        relation: IntegerRelation,
        a: Operand,
        b: Operand,
        width: u8,
    ) {
        let half = 1i128 << (width - 1);
        let number = |pattern: i128| {
            if pattern < half {
                pattern
            } else {
                pattern - 2 * half
            }
        };
        let strict = i128::from(relation == IntegerRelation::Less);
        let holds = number(a.value) + strict <= number(b.value);
        let (open, low, high) = match (a.form.is_known(), b.form.is_known(), holds) {
            (true, true, _) => return,
            (false, true, true) => (a, -half, number(b.value) - strict),
            (false, true, false) => (a, number(b.value) + 1 - strict, half - 1),
            (true, false, true) => (b, number(a.value) + strict, half - 1),
            (true, false, false) => (b, -half, number(a.value) - 1 + strict),
            (false, false, _) => {
                let (a, b) = (self.signed(a, width), self.signed(b, width));
                return self.compare(relation, a, b);
            }
        };
        let positive = (Some(low.max(0)), Some(high));
        let negative = (Some(low + 2 * half), Some(high.min(-1) + 2 * half));
        self.keep_ranges(open.form, &[positive, negative]);
    }

    // --- registers ---

    /// The form of a register if its value depends on an input.
    #[inline]
    pub(super) fn form_at(&self, place: Place) -> Option<Affine> {
        let form = match place {
            Place::Narrow(register) => self.narrow[register as usize],
            Place::Integer(register) => self.integer[register as usize],
            Place::Wide(_) | Place::Array(_) => return None,
        };
        self.is_open(form).then_some(form)
    }

    /// The register as an operand; `None` if its value is beyond 64 bits, and then it is concretised.
    pub(super) fn get(&mut self, place: Place, view: &InstructionView<'_>) -> Option<Operand> {
        let form = self.form_at(place);
        let value = match place {
            Place::Narrow(register) => i128::from(view.narrow[register as usize]),
            Place::Integer(register) => match view.integer[register as usize].small() {
                Some(value) => i128::from(value),
                None => {
                    self.concretise_register(place);
                    return None;
                }
            },
            Place::Wide(_) | Place::Array(_) => return None,
        };
        Some(Operand {
            form: form.unwrap_or(Affine::known(value)),
            value,
        })
    }

    /// A narrow register as an operand.
    #[inline]
    pub(super) fn bits(&self, register: Register, view: &InstructionView<'_>) -> Operand {
        let value = i128::from(view.narrow[register as usize]);
        let form = self.form_at(Place::Narrow(register));
        Operand {
            form: form.unwrap_or(Affine::known(value)),
            value,
        }
    }

    /// The form of a register, to be saved.
    pub(super) fn form(&self, place: Place) -> Affine {
        self.form_at(place).unwrap_or(Affine::known(0))
    }

    /// Sets the form of a register.
    pub(super) fn set(&mut self, place: Place, form: Affine) {
        if !form.is_known() && self.addresses.contains(&place) {
            self.concretise(Operand { form, value: 0 });
        }
        match place {
            Place::Narrow(register) => self.narrow[register as usize] = form,
            Place::Integer(register) => self.integer[register as usize] = form,
            Place::Wide(_) | Place::Array(_) => {}
        }
    }

    pub(super) fn set_bits(&mut self, register: Register, operand: Operand) {
        self.set(Place::Narrow(register), operand.form);
    }

    /// Makes the value of a register known.
    pub(super) fn clear(&mut self, register: Register) {
        self.narrow[register as usize] = Affine::known(0);
    }

    /// Concretises the input on which the register's value depends.
    pub(super) fn concretise_register(&mut self, place: Place) {
        if let Place::Array(array) = place {
            let found = self.memory.all(array);
            self.concretise_found(&found);
        } else if let Some(form) = self.form_at(place) {
            self.concretise(Operand { form, value: 0 });
        }
    }

    pub(super) fn concretise_found(&mut self, found: &Found) {
        match found {
            Found::Known => {}
            Found::Whole(form) => {
                self.concretise(Operand {
                    form: *form,
                    value: 0,
                });
            }
            Found::Parts(forms) => {
                for form in forms {
                    self.concretise(Operand {
                        form: *form,
                        value: 0,
                    });
                }
            }
            Found::Arbitrary => self.given_up = Some("memory that is not initialised is read"),
        }
    }
}

pub(super) const fn known(value: i128) -> Operand {
    Operand {
        form: Affine::known(value),
        value,
    }
}
