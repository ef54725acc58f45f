//! What an engine answers.

use regatta_certify::certificate::Certificate;
use regatta_certify::replay::Violation;

/// An engine's answer.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The property holds, for the reason that the certificate gives.
    Safe(Certificate),
    /// The property holds: all runs of the program as lowered have been enumerated, as the text says.
    Explored(String),
    /// The property is violated; the violation has been confirmed on the program as lowered.
    Unsafe(Violation),
    /// The verdict is unknown, for a reason in words.
    Unknown(String),
}
