//! What an alarm about memory says of it.

use crate::record::verdict::{MemoryNote, PlaceNote};
use regatta_certify::replay::Violation;
use regatta_program::Program;

/// The note on a violation; `None` if it is not about memory.
pub(crate) fn of_violation(program: &Program, violation: &Violation) -> Option<MemoryNote> {
    let explanation = violation.memory_fault?.explain(program);
    let places = explanation.history.into_iter();
    Some(MemoryNote {
        what: explanation.what,
        places: places
            .map(|(span, what)| PlaceNote {
                place: program.sources.describe(span),
                what: what.to_owned(),
            })
            .collect(),
    })
}
