//! The decision of termination: two questions take turns, a race for each turn.

use std::time::Instant;

use nix::errno::Errno;

use crate::options::{Limits, Question};
use crate::process::supervisor::{Attempt, Outcome, RaceEnd, Remains, Stop, Supervisor};
use crate::record::event::{Event, Reporter};
use crate::record::question::Questions;

/// Decides whether every execution ends, after the invariants of a witness are proved, if there are any. The command was started then; the process must have one thread.
///
/// # Errors
/// When the system refuses a pipe, a process or a signal descriptor.
pub fn decide_termination(
    started: Instant,
    limits: Limits,
    has_witness: bool,
    observe: &mut dyn FnMut(&Event),
    race: &dyn Fn(&Attempt, &Reporter) -> RaceEnd,
) -> Result<(Outcome, Remains), Errno> {
    let mut supervisor = Supervisor::new(started)?;
    let mut questions = Questions::new(has_witness);
    loop {
        let wall = questions.end(limits.wall);
        let own = Limits { wall, ..limits };
        let question = Question::Termination(questions.clone());
        let (outcome, remains) = supervisor.run(own, &question, observe, race)?;
        let Outcome::Concluded(conclusion) = &outcome else {
            return Ok((outcome, remains));
        };
        let elapsed = started.elapsed();
        let has_time = limits.wall.is_none_or(|wall| elapsed < wall);
        let is_turn_over = wall.is_some_and(|wall| elapsed >= wall);
        let next = match (&conclusion.sequel, supervisor.stop()) {
            (Some(next), _) => Some((**next).clone()),
            (None, Some(Stop::Limit)) if is_turn_over && has_time => questions.after_turn(),
            _ => None,
        };
        match next {
            Some(next) => questions = next,
            None => return Ok((outcome, remains)),
        }
        remains.collect();
    }
}
