//! The judgement of what the program claims to be wrong with memory ([`crate::Operation::Claim`]), by the objects of the run.

use crate::interpreter::code::executable::Executable;
use crate::interpreter::execution::support::Registers;
use crate::interpreter::outcome::MemoryFault;
use crate::interpreter::state::heap::{AddressRegisters, Heap};
use crate::interpreter::state::machine::Stack;
use crate::interpreter::state::reachable::{Roots, lost, not_freed};

/// A claim with the values of its operands.
pub(super) enum Claimed {
    /// That an access to a number of bytes at an address is invalid.
    InvalidAccess(u64, u64),
    /// That an address cannot be freed.
    InvalidFree(u64),
    Lost,
    Allocated,
}

/// What is wrong; `None` if the claim is false.
#[cold]
pub(super) fn judge(
    claim: Claimed,
    registers: &Registers<'_>,
    stack: &Stack,
    heap: &mut Heap,
    executable: &Executable,
) -> Option<MemoryFault> {
    let addresses = AddressRegisters {
        narrow: registers.narrow,
        integer: registers.integer,
    };
    heap.add_static_objects(executable, &addresses);
    match claim {
        Claimed::InvalidAccess(address, bytes) => heap.objects.invalid_access(address, bytes),
        Claimed::InvalidFree(address) => heap.objects.invalid_free(address),
        Claimed::Lost => lost(&Roots {
            executable,
            heap,
            stack,
            addresses: &addresses,
            wide: registers.wide,
        }),
        Claimed::Allocated => not_freed(&heap.objects),
    }
}
