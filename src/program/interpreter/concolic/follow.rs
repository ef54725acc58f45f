//! Transfer functions of instructions on values that depend on inputs.

use super::affine::Affine;
use super::memory::Found;
use super::shadow::{Operand, Shadow, known};
use crate::interpreter::code::bytecode::{
    Instruction, IntegerOperation, IntegerRelation, Locals, Place, Register, Signedness,
};
use crate::interpreter::execution::support::index_mask;
use crate::interpreter::observer::InstructionView;

use Place::{Array, Integer, Narrow};

impl Shadow<'_> {
    /// Handles an instruction while no value depends on an input: only reads of inputs are relevant.
    #[inline]
    pub(super) fn foresee_input(&mut self, view: &InstructionView<'_>) {
        if matches!(
            view.instruction,
            Instruction::Havoc { .. }
                | Instruction::HavocWide { .. }
                | Instruction::HavocInteger { .. }
                | Instruction::HavocArray { .. }
        ) {
            self.follow(view);
        }
    }

    /// Handles an instruction before it is executed.
    #[allow(clippy::too_many_lines)]
    pub(super) fn follow(&mut self, view: &InstructionView<'_>) {
        use Instruction as I;
        use IntegerRelation as R;
        match *view.instruction {
            I::Move { to, from } => self.copy(Narrow(from), Narrow(to)),
            I::MoveIf {
                to,
                condition,
                from,
            } => {
                if self.truth(condition, view) {
                    self.copy(Narrow(from), Narrow(to));
                }
            }
            I::Add { shift, to, a, b } => {
                let sum = self.sum(self.bits(a, view), self.bits(b, view), 1);
                self.wrap_into(to, sum, shift);
            }
            I::Subtract { shift, to, a, b } => {
                let difference = self.sum(self.bits(a, view), self.bits(b, view), -1);
                self.wrap_into(to, difference, shift);
            }
            I::Multiply { shift, to, a, b } => {
                match self.product(self.bits(a, view), self.bits(b, view)) {
                    Some(product) => self.wrap_into(to, product, shift),
                    None => self.clear(to),
                }
            }
            I::Negate { shift, to, a } => {
                let negated = self.sum(known(0), self.bits(a, view), -1);
                self.wrap_into(to, negated, shift);
            }
            I::Complement { shift, to, a } => {
                let complement = self.sum(known(-1), self.bits(a, view), -1);
                self.wrap_into(to, complement, shift);
            }
            I::And { to, a, b } => self.and(to, self.bits(a, view), self.bits(b, view)),
            I::ShiftLeft { shift, to, a, b } => {
                let amount = self.concretise(self.bits(b, view)).value;
                let factor = match amount < i128::from(64 - shift) {
                    true => 1 << amount,
                    false => 0,
                };
                match self.product(self.bits(a, view), known(factor)) {
                    Some(product) => self.wrap_into(to, product, shift),
                    None => self.clear(to),
                }
            }
            I::Or { to, a, b }
            | I::Xor { to, a, b }
            | I::ShiftRightLogical { to, a, b, .. }
            | I::ShiftRightArithmetic { to, a, b, .. }
            | I::UnsignedDivide { to, a, b, .. }
            | I::UnsignedRemainder { to, a, b }
            | I::SignedDivide { to, a, b, .. }
            | I::SignedRemainder { to, a, b, .. }
            | I::Float { to, a, b, .. } => {
                self.concretise_register(Narrow(a));
                self.concretise_register(Narrow(b));
                self.clear(to);
            }
            I::FloatUnary { to, a, .. } | I::ToFloat { to, a, .. } | I::FromFloat { to, a, .. } => {
                self.concretise_register(Narrow(a));
                self.clear(to);
            }
            I::Equal { to, a, b } => {
                self.compare(R::Equal, self.bits(a, view), self.bits(b, view));
                self.clear(to);
            }
            I::UnsignedLess { to, a, b } => {
                self.compare(R::Less, self.bits(a, view), self.bits(b, view));
                self.clear(to);
            }
            I::UnsignedLessEqual { to, a, b } => {
                self.compare(R::LessEqual, self.bits(a, view), self.bits(b, view));
                self.clear(to);
            }
            I::SignedLess { shift, to, a, b } => {
                self.compare_signed(R::Less, self.bits(a, view), self.bits(b, view), 64 - shift);
                self.clear(to);
            }
            I::SignedLessEqual { shift, to, a, b } => {
                self.compare_signed(
                    R::LessEqual,
                    self.bits(a, view),
                    self.bits(b, view),
                    64 - shift,
                );
                self.clear(to);
            }
            I::Concat {
                low_width,
                to,
                high,
                low,
            } => {
                let sum = self.sum(self.bits(low, view), self.bits(high, view), 1 << low_width);
                self.set_bits(to, sum);
            }
            I::Extract { low, shift, to, a } => match low {
                0 => self.wrap_into(to, self.bits(a, view), shift),
                _ => {
                    self.concretise_register(Narrow(a));
                    self.clear(to);
                }
            },
            I::SignExtend {
                from_shift,
                to_shift,
                to,
                a,
            } => {
                let signed = self.signed(self.bits(a, view), 64 - from_shift);
                self.wrap_into(to, signed, to_shift);
            }

            I::JumpIfZero { condition, .. } | I::JumpUnlessZero { condition, .. } => {
                self.truth(condition, view);
            }
            I::JumpIfEqual { a, b, .. } | I::JumpUnlessEqual { a, b, .. } => {
                self.compare(R::Equal, self.bits(a, view), self.bits(b, view));
            }
            I::JumpUnlessUnsignedLess { a, b, .. } => {
                self.compare(R::Less, self.bits(a, view), self.bits(b, view));
            }
            I::JumpUnlessUnsignedLessEqual { a, b, .. } => {
                self.compare(R::LessEqual, self.bits(a, view), self.bits(b, view));
            }
            I::JumpUnlessSignedLess { shift, a, b, .. } => {
                self.compare_signed(R::Less, self.bits(a, view), self.bits(b, view), 64 - shift);
            }
            I::JumpUnlessSignedLessEqual { shift, a, b, .. } => {
                self.compare_signed(
                    R::LessEqual,
                    self.bits(a, view),
                    self.bits(b, view),
                    64 - shift,
                );
            }
            I::JumpIfInteger { relation, a, b, .. }
            | I::JumpUnlessInteger { relation, a, b, .. } => {
                self.compare_integers(relation, a, b, view);
            }

            I::IntegerMove { to, from } => self.copy(Integer(from), Integer(to)),
            I::IntegerMoveIf {
                to,
                condition,
                from,
            } => {
                if self.truth(condition, view) {
                    self.copy(Integer(from), Integer(to));
                }
            }
            I::Integer {
                operation,
                to,
                a,
                b,
            } => self.integer_operation(operation, to, a, b, view),
            I::IntegerNegate { to, a } => {
                let negated = self
                    .get(Integer(a), view)
                    .map(|a| self.sum(known(0), a, -1));
                self.set_integer(to, negated);
            }
            I::IntegerCompare { relation, to, a, b } => {
                self.compare_integers(relation, a, b, view);
                self.clear(to);
            }
            I::IntegerFromBits { sign, shift, to, a } => {
                let operand = self.bits(a, view);
                let value = match sign {
                    Signedness::Unsigned => operand,
                    Signedness::Signed => self.signed(operand, 64 - shift),
                };
                self.set_integer(to, Some(value));
            }
            I::IntegerToBits { shift, to, a } => match self.get(Integer(a), view) {
                Some(operand) => self.wrap_into(to, operand, shift),
                None => self.clear(to),
            },
            I::IntegerToIndex { to, a } => {
                self.concretise_register(Integer(a));
                self.clear(to);
            }

            I::WideMove { .. } => {}
            I::WideMoveIf { condition, .. } => {
                self.truth(condition, view);
            }

            I::Load { to, array, index } => self.load(Narrow(to), array, index, 1, view),
            I::LoadBytes {
                count,
                to,
                array,
                index,
            } => self.load(Narrow(to), array, index, count, view),
            I::LoadWide { to, array, index } => self.load(Place::Wide(to), array, index, 1, view),
            I::LoadInteger { to, array, index } => self.load(Integer(to), array, index, 1, view),
            I::Store {
                array,
                index,
                value,
            } => self.store(Narrow(value), array, index, 1, view),
            I::StoreBytes {
                count,
                array,
                index,
                value,
            } => self.store(Narrow(value), array, index, count, view),
            I::StoreWide {
                array,
                index,
                value,
            } => self.store(Place::Wide(value), array, index, 1, view),
            I::StoreInteger {
                array,
                index,
                value,
            } => self.store(Integer(value), array, index, 1, view),
            I::Fill { array, value } => {
                self.concretise_register(Narrow(value));
                self.memory.forget(array);
            }
            I::FillWide { array, .. } => self.memory.forget(array),
            I::FillInteger { array, value } => {
                self.concretise_register(Integer(value));
                self.memory.forget(array);
            }
            I::CopyArray { to, from } => self.memory.copy(to, from),

            I::General { site } => {
                let executable = self.executable;
                let general = &executable.general[site as usize];
                for (place, _) in &general.arguments {
                    self.concretise_register(*place);
                }
                self.set(general.to, Affine::known(0));
            }

            I::Havoc { to, .. } => {
                self.clear(to);
                self.awaited = Some(view.draws_afresh.then_some(Narrow(to)));
            }
            I::HavocInteger { to, .. } => {
                self.set(Integer(to), Affine::known(0));
                self.awaited = Some(view.draws_afresh.then_some(Integer(to)));
            }
            I::HavocWide { .. } => self.awaited = Some(None),
            I::HavocArray { to, .. } => {
                self.memory.make_arbitrary(to);
                self.awaited = Some(None);
            }
            I::Allocate { address, size, .. } => {
                self.concretise_register(Narrow(address));
                self.concretise_register(Narrow(size));
            }
            I::Free { address, .. } => self.concretise_register(Narrow(address)),
            // Its edge leads to an error, where the path ends.
            I::Claim { .. } => {}

            I::Begin => self.before_edge = Some(self.memory.clone()),
            I::Remember { index, .. } => self.concretise_register(Narrow(index)),
            I::Rollback => self.memory = self.before_edge.take().unwrap_or_default(),
            I::Commit => self.before_edge = None,

            I::Call { site, .. } => self.call(site),
            I::Return { .. } => {
                if let Some(site) = view.returns_from {
                    self.leave(site);
                }
            }
            I::RememberArray { .. }
            | I::RememberObjects
            | I::Jump { .. }
            | I::Edge { .. }
            | I::Error { .. }
            | I::End { .. }
            | I::Blocked { .. }
            | I::Unsupported { .. } => {}
        }
    }

    fn copy(&mut self, from: Place, to: Place) {
        let form = self.form(from);
        self.set(to, form);
    }

    /// Restricts the inputs to those for which the register is zero or not, as in the run; returns whether it is not.
    fn truth(&mut self, register: Register, view: &InstructionView<'_>) -> bool {
        let condition = self.bits(register, view);
        self.compare(IntegerRelation::Equal, condition, known(0));
        condition.value != 0
    }

    fn wrap_into(&mut self, to: Register, exact: Operand, shift: u8) {
        let result = self.wrapped(exact, 64 - shift);
        self.set_bits(to, result);
    }

    /// Handles a bitwise conjunction: a mask of the lowest bits truncates, and zero gives zero for every other operand.
    fn and(&mut self, to: Register, a: Operand, b: Operand) {
        let (open, mask) = match a.form.is_known() {
            true => (b, a),
            false => (a, b),
        };
        let mask = self.concretise(mask).value;
        if mask == 0 {
            self.clear(to);
        } else if (mask + 1) & mask == 0 {
            let cut = self.wrapped(open, (mask + 1).ilog2() as u8);
            self.set_bits(to, cut);
        } else {
            self.concretise(open);
            self.clear(to);
        }
    }

    fn compare_integers(
        &mut self,
        relation: IntegerRelation,
        a: Register,
        b: Register,
        view: &InstructionView<'_>,
    ) {
        match self.get_both(a, b, view) {
            Some((a, b)) => self.compare(relation, a, b),
            None => {
                self.concretise_register(Integer(a));
                self.concretise_register(Integer(b));
            }
        }
    }

    fn get_both(
        &mut self,
        a: Register,
        b: Register,
        view: &InstructionView<'_>,
    ) -> Option<(Operand, Operand)> {
        Some((self.get(Integer(a), view)?, self.get(Integer(b), view)?))
    }

    fn integer_operation(
        &mut self,
        operation: IntegerOperation,
        to: Register,
        a: Register,
        b: Register,
        view: &InstructionView<'_>,
    ) {
        use IntegerOperation as O;
        let operands = self.get_both(a, b, view);
        let result = match (operation, operands) {
            (O::Add, Some((a, b))) => Some(self.sum(a, b, 1)),
            (O::Subtract, Some((a, b))) => Some(self.sum(a, b, -1)),
            (O::Multiply, Some((a, b))) => self.product(a, b),
            _ => {
                self.concretise_register(Integer(a));
                self.concretise_register(Integer(b));
                None
            }
        };
        self.set_integer(to, result);
    }

    fn set_integer(&mut self, to: Register, result: Option<Operand>) {
        let form = result.map_or(Affine::known(0), |result| result.form);
        self.set(Integer(to), form);
    }

    // --- memory ---

    /// The indices of the cells that an access reads or writes.
    fn cells(
        &mut self,
        array: Register,
        index: Register,
        count: u8,
        view: &InstructionView<'_>,
    ) -> impl ExactSizeIterator<Item = u64> + use<> {
        self.concretise_register(Narrow(index));
        let first = view.narrow[index as usize];
        // The index of a single cell needs no mask.
        let mask = match count {
            1 => u64::MAX,
            _ => index_mask(self.executable, array),
        };
        (0..count).map(move |position| first.wrapping_add(u64::from(position)) & mask)
    }

    fn load(
        &mut self,
        to: Place,
        array: Register,
        index: Register,
        count: u8,
        view: &InstructionView<'_>,
    ) {
        let cells = self.cells(array, index, count, view);
        let form = match self.memory.load(array, cells) {
            Found::Whole(form) => form,
            found => {
                self.concretise_found(&found);
                Affine::known(0)
            }
        };
        self.set(to, form);
    }

    fn store(
        &mut self,
        value: Place,
        array: Register,
        index: Register,
        count: u8,
        view: &InstructionView<'_>,
    ) {
        let cells = self.cells(array, index, count, view);
        let form = self.form(value);
        // The store truncates a value that does not fit into its cells.
        let fits = count == 1 || self.fits(form, count);
        if !fits {
            self.concretise_register(value);
        }
        let form = Some(form).filter(|form| fits && !form.is_known());
        self.memory.store(array, cells, form);
    }

    /// Whether the value fits into the number of bytes, for all inputs in the box.
    fn fits(&mut self, form: Affine, bytes: u8) -> bool {
        form.is_known() || bytes >= 8 || self.is_within(form, (1 << (8 * bytes)) - 1)
    }

    // --- calls ---

    fn call(&mut self, site: u32) {
        let executable = self.executable;
        let call = &executable.calls[site as usize];
        if call.recursive {
            self.save_locals(&executable.locals[call.callee.index()]);
        }
        self.move_all(&call.parameters);
    }

    fn leave(&mut self, site: u32) {
        let executable = self.executable;
        let call = &executable.calls[site as usize];
        if !call.recursive {
            return self.move_all(&call.results);
        }
        let form_of = |(from, _): &(Place, Place)| {
            if let Array(_) = from {
                self.concretise_register(*from);
            }
            self.form(*from)
        };
        let results: Vec<Affine> = call.results.iter().map(form_of).collect();
        // Without an entry, no local depended on inputs at the call.
        let saved = self.saved_locals.pop().unwrap_or_default();
        let locals = &executable.locals[call.callee.index()];
        for (position, place) in places(locals).enumerate() {
            let form = saved.get(position).copied();
            self.set(place, form.unwrap_or(Affine::known(0)));
        }
        for array in &locals.arrays {
            self.memory.forget(*array);
        }
        for ((_, to), form) in call.results.iter().zip(results) {
            if let Array(to) = to {
                self.memory.forget(*to);
            }
            self.set(*to, form);
        }
    }

    /// Saves the forms of locals while another activation runs.
    fn save_locals(&mut self, locals: &Locals) {
        for array in &locals.arrays {
            // The machine restores arrays, so their contents must not depend on inputs.
            self.concretise_register(Array(*array));
        }
        let forms = places(locals).map(|place| self.form(place)).collect();
        self.saved_locals.push(forms);
    }

    fn move_all(&mut self, moves: &[(Place, Place)]) {
        for (from, to) in moves {
            match (*from, *to) {
                (Array(from), Array(to)) => self.memory.copy(to, from),
                (from, to) => self.copy(from, to),
            }
        }
    }
}

/// The registers of locals whose forms are saved.
fn places(locals: &Locals) -> impl Iterator<Item = Place> + '_ {
    let narrow = locals.narrow.iter().map(|register| Narrow(*register));
    narrow.chain(locals.integer.iter().map(|register| Integer(*register)))
}
