//! The interpreter loop.

use super::claims::{Claimed, judge};
use super::float;
use super::support::{Registers, check_bytes, index_mask};
use crate::interpreter::code::bytecode::{
    ClaimKind, Instruction, IntegerOperation, IntegerRelation, Signedness,
};
use crate::interpreter::code::executable::Executable;
use crate::interpreter::input::InputSource;
use crate::interpreter::observer::{InstructionView, Observer, StateView, load_array};
use crate::interpreter::outcome::{FaultKind, Outcome};
use crate::interpreter::state::bit_pattern::{bits_of, canonical, value_of_bits};
use crate::interpreter::state::heap::{AddressRegisters, Undo};
use crate::interpreter::state::integer::Integer;
use crate::interpreter::state::machine::{Frame, Machine};
use crate::interpreter::state::objects::Misuse;
use regatta_term::Value;

/// Why the loop stops.
pub(super) enum Stop {
    /// The number of steps is used up; the run can be continued.
    Pause,
    Finished(Outcome),
}

fn relation_holds(relation: IntegerRelation, a: &Integer, b: &Integer) -> bool {
    match relation {
        IntegerRelation::Equal => a == b,
        IntegerRelation::Less => a < b,
        IntegerRelation::LessEqual => a <= b,
    }
}

/// Whether a signed division on x86 raises a signal because the quotient overflows its register. Registers have 32 or 64
/// bits; narrower operands are extended before the division.
const fn division_overflows(dividend: i64, divisor: i64, shift: u8) -> bool {
    let bits = 64 - shift as u32;
    bits >= 32 && divisor == -1 && dividend == i64::MIN >> shift
}

impl From<Misuse> for FaultKind {
    fn from(misuse: Misuse) -> Self {
        match misuse {
            Misuse::Null => Self::NullAccess,
            Misuse::Ended => Self::UseAfterFree,
            Misuse::Outside => Self::OutOfBounds,
        }
    }
}

impl Machine<'_> {
    /// Runs until `fuel` steps have been taken or the run ends.
    ///
    /// This is one function with one `match`, so that the compiler keeps the slices of registers in machine registers and
    /// dispatches every instruction through one jump table.
    #[allow(clippy::too_many_lines)]
    pub(super) fn execute<O: Observer>(
        &mut self,
        inputs: &mut dyn InputSource,
        observer: &mut O,
        fuel: &mut i64,
    ) -> Stop {
        use Instruction as I;
        let Self {
            executable,
            pc: saved_pc,
            narrow,
            wide,
            integer,
            heap,
            stack,
            attempt,
            log,
        } = self;
        let executable: &Executable = executable;
        let code = &executable.code[..];
        let narrow = &mut narrow[..];
        let wide = &mut wide[..];
        let integer = &mut integer[..];
        let mut pc = *saved_pc;

        macro_rules! get {
            ($register:expr) => {
                narrow[$register as usize]
            };
        }
        macro_rules! int {
            ($register:expr) => {
                integer[$register as usize]
            };
        }
        // `$shift` truncates the result to its width.
        macro_rules! set {
            ($to:expr, $value:expr) => {
                narrow[$to as usize] = $value
            };
            ($to:expr, $shift:expr, $value:expr) => {{
                let value: u64 = $value;
                narrow[$to as usize] = value << $shift >> $shift
            }};
        }
        macro_rules! signed {
            ($register:expr, $shift:expr) => {
                ((get!($register) << $shift) as i64)
            };
        }
        macro_rules! jump_unless {
            ($target:expr, $a:expr, $b:expr, $holds:expr) => {{
                observer.comparison(pc as u32, get!($a), get!($b));
                if !$holds {
                    pc = $target as usize;
                    continue;
                }
            }};
        }
        macro_rules! fault {
            ($kind:expr) => {
                log.fault(executable, pc, $kind)
            };
        }
        macro_rules! addresses {
            () => {
                &AddressRegisters { narrow, integer }
            };
        }
        macro_rules! registers {
            () => {
                Registers {
                    narrow: &mut *narrow,
                    wide: &mut *wide,
                    integer: &mut *integer,
                }
            };
        }
        macro_rules! state {
            () => {
                StateView {
                    executable,
                    narrow,
                    wide,
                    integer,
                    memories: &heap.memories,
                }
            };
        }
        // Checks an access of one cell.
        macro_rules! checked {
            ($array:expr, $index:expr) => {{
                let index = get!($index);
                let memory = &heap.memories[$array as usize];
                if index.wrapping_sub(memory.low) >= memory.length
                    && let Err(misuse) = heap.check(executable, addresses!(), $array, index, 1)
                {
                    fault!(misuse.into());
                }
                index
            }};
        }
        macro_rules! cells {
            ($array:expr) => {
                heap.memories[$array as usize].cells
            };
        }
        macro_rules! finish {
            ($outcome:expr) => {{
                *saved_pc = pc;
                return Stop::Finished($outcome);
            }};
        }

        loop {
            if O::FOLLOWS_INSTRUCTIONS {
                observer.instruction(&InstructionView {
                    instruction: &code[pc],
                    narrow,
                    integer,
                    draws_afresh: attempt.is_idle(),
                    returns_from: stack.frames.last().map(|frame| frame.site),
                });
            }
            match code[pc] {
                I::Move { to, from } => set!(to, get!(from)),
                I::MoveIf {
                    to,
                    condition,
                    from,
                } => {
                    if get!(condition) != 0 {
                        set!(to, get!(from));
                    }
                }
                I::Add { shift, to, a, b } => set!(to, shift, get!(a).wrapping_add(get!(b))),
                I::Subtract { shift, to, a, b } => set!(to, shift, get!(a).wrapping_sub(get!(b))),
                I::Multiply { shift, to, a, b } => set!(to, shift, get!(a).wrapping_mul(get!(b))),
                I::Negate { shift, to, a } => set!(to, shift, get!(a).wrapping_neg()),
                I::Complement { shift, to, a } => set!(to, shift, !get!(a)),
                I::And { to, a, b } => set!(to, get!(a) & get!(b)),
                I::Or { to, a, b } => set!(to, get!(a) | get!(b)),
                I::Xor { to, a, b } => set!(to, get!(a) ^ get!(b)),
                I::ShiftLeft { shift, to, a, b } => {
                    let amount = get!(b);
                    if amount >= 64 - u64::from(shift) {
                        fault!(FaultKind::OversizedShift);
                        set!(to, 0);
                    } else {
                        set!(to, shift, get!(a) << amount);
                    }
                }
                I::ShiftRightLogical { shift, to, a, b } => {
                    let amount = get!(b);
                    if amount >= 64 - u64::from(shift) {
                        fault!(FaultKind::OversizedShift);
                        set!(to, 0);
                    } else {
                        set!(to, get!(a) >> amount);
                    }
                }
                I::ShiftRightArithmetic { shift, to, a, b } => {
                    let mut amount = get!(b);
                    if amount >= 64 - u64::from(shift) {
                        fault!(FaultKind::OversizedShift);
                        amount = 63;
                    }
                    set!(to, shift, (signed!(a, shift) >> shift >> amount) as u64);
                }
                I::UnsignedDivide { shift, to, a, b } => match get!(a).checked_div(get!(b)) {
                    Some(quotient) => set!(to, quotient),
                    None => {
                        fault!(FaultKind::DivisionByZero);
                        set!(to, shift, u64::MAX);
                    }
                },
                I::UnsignedRemainder { to, a, b } => match get!(a).checked_rem(get!(b)) {
                    Some(remainder) => set!(to, remainder),
                    None => {
                        fault!(FaultKind::DivisionByZero);
                        set!(to, get!(a));
                    }
                },
                I::SignedDivide { shift, to, a, b } => {
                    let (dividend, divisor) =
                        (signed!(a, shift) >> shift, signed!(b, shift) >> shift);
                    if divisor == 0 {
                        fault!(FaultKind::DivisionByZero);
                        set!(to, shift, if dividend < 0 { 1 } else { u64::MAX });
                    } else {
                        if division_overflows(dividend, divisor, shift) {
                            fault!(FaultKind::DivisionOverflow);
                        }
                        set!(to, shift, dividend.wrapping_div(divisor) as u64);
                    }
                }
                I::SignedRemainder { shift, to, a, b } => {
                    let (dividend, divisor) =
                        (signed!(a, shift) >> shift, signed!(b, shift) >> shift);
                    if divisor == 0 {
                        fault!(FaultKind::DivisionByZero);
                        set!(to, get!(a));
                    } else {
                        if division_overflows(dividend, divisor, shift) {
                            fault!(FaultKind::DivisionOverflow);
                        }
                        set!(to, shift, dividend.wrapping_rem(divisor) as u64);
                    }
                }
                I::Equal { to, a, b } => {
                    observer.comparison(pc as u32, get!(a), get!(b));
                    set!(to, u64::from(get!(a) == get!(b)));
                }
                I::UnsignedLess { to, a, b } => {
                    observer.comparison(pc as u32, get!(a), get!(b));
                    set!(to, u64::from(get!(a) < get!(b)));
                }
                I::UnsignedLessEqual { to, a, b } => {
                    observer.comparison(pc as u32, get!(a), get!(b));
                    set!(to, u64::from(get!(a) <= get!(b)));
                }
                I::SignedLess { shift, to, a, b } => {
                    observer.comparison(pc as u32, get!(a), get!(b));
                    set!(to, u64::from(signed!(a, shift) < signed!(b, shift)));
                }
                I::SignedLessEqual { shift, to, a, b } => {
                    observer.comparison(pc as u32, get!(a), get!(b));
                    set!(to, u64::from(signed!(a, shift) <= signed!(b, shift)));
                }
                I::Concat {
                    low_width,
                    to,
                    high,
                    low,
                } => set!(to, get!(high) << low_width | get!(low)),
                I::Extract { low, shift, to, a } => set!(to, shift, get!(a) >> low),
                I::SignExtend {
                    from_shift,
                    to_shift,
                    to,
                    a,
                } => set!(to, to_shift, (signed!(a, from_shift) >> from_shift) as u64),

                I::Jump { target } => {
                    pc = target as usize;
                    continue;
                }
                I::JumpIfZero { condition, target } => {
                    if get!(condition) == 0 {
                        pc = target as usize;
                        continue;
                    }
                }
                I::JumpUnlessZero { condition, target } => {
                    if get!(condition) != 0 {
                        pc = target as usize;
                        continue;
                    }
                }
                I::JumpIfEqual { a, b, target } => jump_unless!(target, a, b, get!(a) != get!(b)),
                I::JumpUnlessEqual { a, b, target } => {
                    jump_unless!(target, a, b, get!(a) == get!(b))
                }
                I::JumpUnlessUnsignedLess { a, b, target } => {
                    jump_unless!(target, a, b, get!(a) < get!(b))
                }
                I::JumpUnlessUnsignedLessEqual { a, b, target } => {
                    jump_unless!(target, a, b, get!(a) <= get!(b))
                }
                I::JumpUnlessSignedLess {
                    shift,
                    a,
                    b,
                    target,
                } => {
                    jump_unless!(target, a, b, signed!(a, shift) < signed!(b, shift));
                }
                I::JumpUnlessSignedLessEqual {
                    shift,
                    a,
                    b,
                    target,
                } => {
                    jump_unless!(target, a, b, signed!(a, shift) <= signed!(b, shift));
                }
                I::JumpIfInteger {
                    relation,
                    a,
                    b,
                    target,
                } => {
                    if let (Integer::Small(a), Integer::Small(b)) = (&int!(a), &int!(b)) {
                        observer.comparison(pc as u32, *a as u64, *b as u64);
                    }
                    if relation_holds(relation, &int!(a), &int!(b)) {
                        pc = target as usize;
                        continue;
                    }
                }
                I::JumpUnlessInteger {
                    relation,
                    a,
                    b,
                    target,
                } => {
                    if let (Integer::Small(a), Integer::Small(b)) = (&int!(a), &int!(b)) {
                        observer.comparison(pc as u32, *a as u64, *b as u64);
                    }
                    if !relation_holds(relation, &int!(a), &int!(b)) {
                        pc = target as usize;
                        continue;
                    }
                }

                I::Float {
                    precision,
                    operation,
                    to,
                    a,
                    b,
                } => set!(to, float::binary(precision, operation, get!(a), get!(b))),
                I::FloatUnary {
                    precision,
                    function,
                    to,
                    a,
                } => set!(to, float::unary(precision, function, get!(a))),
                I::ToFloat {
                    precision,
                    from,
                    shift,
                    to,
                    a,
                } => set!(to, float::from_bit_vector(precision, from, shift, get!(a))),
                I::FromFloat {
                    precision,
                    into,
                    shift,
                    to,
                    a,
                } => set!(to, float::to_bit_vector(precision, into, shift, get!(a))),

                I::IntegerMove { to, from } => int!(to) = int!(from).clone(),
                I::IntegerMoveIf {
                    to,
                    condition,
                    from,
                } => {
                    if get!(condition) != 0 {
                        int!(to) = int!(from).clone();
                    }
                }
                I::Integer {
                    operation,
                    to,
                    a,
                    b,
                } => {
                    let (left, right) = (&int!(a), &int!(b));
                    int!(to) = match operation {
                        IntegerOperation::Add => left.add(right),
                        IntegerOperation::Subtract => left.subtract(right),
                        IntegerOperation::Multiply => left.multiply(right),
                        IntegerOperation::Divide | IntegerOperation::Modulo => {
                            if right.is_zero() {
                                fault!(FaultKind::DivisionByZero);
                            }
                            match operation {
                                IntegerOperation::Divide => left.divide(right),
                                _ => left.modulo(right),
                            }
                        }
                    };
                }
                I::IntegerNegate { to, a } => int!(to) = int!(a).negate(),
                I::IntegerCompare { relation, to, a, b } => {
                    if let (Integer::Small(a), Integer::Small(b)) = (&int!(a), &int!(b)) {
                        observer.comparison(pc as u32, *a as u64, *b as u64);
                    }
                    set!(to, u64::from(relation_holds(relation, &int!(a), &int!(b))));
                }
                I::IntegerFromBits { sign, shift, to, a } => {
                    int!(to) = match sign {
                        Signedness::Signed => Integer::Small(signed!(a, shift) >> shift),
                        Signedness::Unsigned => Integer::from(i128::from(get!(a))),
                    };
                }
                I::IntegerToBits { shift, to, a } => set!(to, shift, int!(a).low_word()),
                I::IntegerToIndex { to, a } => {
                    if int!(a).small().is_none() {
                        fault!(FaultKind::OutOfBounds);
                    }
                    set!(to, int!(a).low_word());
                }

                I::WideMove { to, from } => wide[to as usize] = wide[from as usize],
                I::WideMoveIf {
                    to,
                    condition,
                    from,
                } => {
                    if get!(condition) != 0 {
                        wide[to as usize] = wide[from as usize];
                    }
                }

                I::Load { to, array, index } => {
                    let index = checked!(array, index);
                    set!(to, cells!(array).read_narrow(index));
                }
                I::Store {
                    array,
                    index,
                    value,
                } => {
                    let index = checked!(array, index);
                    cells!(array).write_narrow(index, get!(value));
                }
                I::LoadBytes {
                    count,
                    to,
                    array,
                    index,
                } => {
                    let index = get!(index);
                    if let Err(misuse) =
                        check_bytes(executable, heap, addresses!(), array, index, count)
                    {
                        fault!(misuse.into());
                    }
                    let mask = index_mask(executable, array);
                    let cells = &mut cells!(array);
                    let byte = |position: u8| {
                        let place = index.wrapping_add(u64::from(position)) & mask;
                        cells.read_narrow(place) << (position * 8)
                    };
                    set!(
                        to,
                        (0..count).map(byte).fold(0, |number, byte| number | byte)
                    );
                }
                I::StoreBytes {
                    count,
                    array,
                    index,
                    value,
                } => {
                    let index = get!(index);
                    if let Err(misuse) =
                        check_bytes(executable, heap, addresses!(), array, index, count)
                    {
                        fault!(misuse.into());
                    }
                    let mask = index_mask(executable, array);
                    let number = get!(value);
                    for position in 0..count {
                        let place = index.wrapping_add(u64::from(position)) & mask;
                        cells!(array).write_narrow(place, number >> (position * 8) & 0xff);
                    }
                }
                I::LoadWide { to, array, index } => {
                    let index = checked!(array, index);
                    wide[to as usize] = cells!(array).read_wide(index);
                }
                I::StoreWide {
                    array,
                    index,
                    value,
                } => {
                    let index = checked!(array, index);
                    cells!(array).write_wide(index, wide[value as usize]);
                }
                I::LoadInteger { to, array, index } => {
                    let index = checked!(array, index);
                    int!(to) = cells!(array).read_integer(index);
                }
                I::StoreInteger {
                    array,
                    index,
                    value,
                } => {
                    let index = checked!(array, index);
                    cells!(array).write_integer(index, int!(value).clone());
                }
                I::Fill { array, value } => cells!(array).fill_bits(u128::from(get!(value))),
                I::FillWide { array, value } => cells!(array).fill_bits(wide[value as usize]),
                I::FillInteger { array, value } => cells!(array).fill_integer(int!(value).clone()),
                I::CopyArray { to, from } => {
                    let cells = cells!(from).clone();
                    cells!(to) = cells;
                }

                I::General { site } => {
                    let general = &executable.general[site as usize];
                    if let Some(kind) = registers!().general(executable, general, heap) {
                        fault!(kind);
                    }
                }

                I::Havoc { to, input } => {
                    let description = &executable.inputs[input.index()];
                    let bits = if attempt.is_idle() {
                        log.count(executable, input);
                        inputs.next_bits(input, description)
                    } else {
                        let value = attempt.draw(executable, inputs, input, log);
                        value.map(|value| bits_of(&value) as u64)
                    };
                    match bits {
                        Some(bits) => set!(to, canonical(description.sort, bits)),
                        None => finish!(Outcome::InputRefused),
                    }
                }
                I::HavocWide { to, input } => {
                    let description = &executable.inputs[input.index()];
                    match attempt.draw(executable, inputs, input, log) {
                        Some(value) => {
                            wide[to as usize] =
                                bits_of(&value_of_bits(description.sort, bits_of(&value)));
                        }
                        None => finish!(Outcome::InputRefused),
                    }
                }
                I::HavocInteger { to, input } => {
                    match attempt.draw(executable, inputs, input, log) {
                        Some(Value::Int(value)) => int!(to) = Integer::from(value),
                        Some(value) => int!(to) = Integer::from(bits_of(&value) as i128),
                        None => finish!(Outcome::InputRefused),
                    }
                }
                I::HavocArray { to, input } => match attempt.draw(executable, inputs, input, log) {
                    Some(Value::Array(value)) => load_array(&mut cells!(to), &value),
                    Some(_) => {}
                    None => finish!(Outcome::InputRefused),
                },
                I::Allocate {
                    lifetime,
                    operation,
                    address,
                    size,
                } => {
                    let range = (get!(address), get!(size));
                    let site = executable.site(pc, operation);
                    heap.allocate(executable, addresses!(), range, lifetime, site);
                }
                I::Free {
                    lifetime,
                    operation,
                    address,
                } => {
                    let site = executable.site(pc, operation);
                    if heap
                        .free(executable, addresses!(), get!(address), lifetime, site)
                        .is_err()
                    {
                        fault!(FaultKind::InvalidFree);
                    }
                }
                I::Claim {
                    claim,
                    address,
                    bytes,
                } => {
                    let claim = match claim {
                        ClaimKind::InvalidAccess => {
                            Claimed::InvalidAccess(get!(address), get!(bytes))
                        }
                        ClaimKind::InvalidFree => Claimed::InvalidFree(get!(address)),
                        ClaimKind::Lost => Claimed::Lost,
                        ClaimKind::Allocated => Claimed::Allocated,
                    };
                    match judge(claim, &registers!(), stack, heap, executable) {
                        Some(fault) => log.memory_fault = Some(fault),
                        None => fault!(FaultKind::FalseClaim),
                    }
                }

                I::Begin => attempt.begin(),
                I::Remember {
                    array,
                    index,
                    count,
                } => {
                    let first = get!(index);
                    let mask = index_mask(executable, array);
                    for position in 0..u64::from(count) {
                        let index = first.wrapping_add(position) & mask;
                        attempt.undo.push(heap.remember(executable, array, index));
                    }
                }
                I::RememberArray { array } => {
                    let memory = Box::new(heap.memories[array as usize].clone());
                    attempt.undo.push(Undo::Array(array, memory));
                }
                I::RememberObjects => attempt
                    .undo
                    .push(Undo::Objects(Box::new(heap.objects.clone()))),
                I::Rollback => attempt.roll_back(heap),
                I::Commit => attempt.active = false,

                I::Edge {
                    weight,
                    edge,
                    target,
                } => {
                    observer.edge(edge, &state!());
                    pc = target as usize;
                    *fuel -= i64::from(weight);
                    if *fuel <= 0 {
                        *saved_pc = pc;
                        return Stop::Pause;
                    }
                    continue;
                }
                I::Call { site, edge } => {
                    let frame = Frame {
                        site,
                        return_to: pc as u32 + 1,
                    };
                    pc = stack.enter(executable, frame, &mut registers!(), heap) as usize;
                    observer.edge(edge, &state!());
                    *fuel -= 1;
                    if *fuel <= 0 {
                        *saved_pc = pc;
                        return Stop::Pause;
                    }
                    continue;
                }
                I::Return { location } => match stack.leave(executable, &mut registers!(), heap) {
                    Some(return_to) => {
                        pc = return_to as usize;
                        continue;
                    }
                    None => finish!(Outcome::Ended { location }),
                },
                I::Error { location } => finish!(Outcome::Error { location }),
                I::End { location } => finish!(Outcome::Ended { location }),
                I::Blocked { location } => finish!(Outcome::Blocked { location }),
                I::Unsupported { edge } => finish!(Outcome::Unsupported {
                    edge,
                    reason: executable
                        .unsupported
                        .get(&edge)
                        .cloned()
                        .unwrap_or_default(),
                }),
            }
            pc += 1;
        }
    }
}
