//! Replay of alarms.
//!
//! An alarm is a journal of inputs. It is confirmed only if the interpreter, run with them on the program as lowered,
//! reaches the violation, and if the run is one of the C program: without an invalid access, a division by zero, an
//! oversized shift, or an input whose value a real execution would determine.

use regatta_program::interpreter::{
    EdgeTrace, Executable, Fault, Journal, Limits, Machine, MemoryFault, Outcome, RecordingInputs,
    ReplayInputs, Report, ZeroInputs,
};
use regatta_program::{EdgeId, InputPart, LocationId, Program};

/// The result of a replay.
#[derive(Clone, Debug, PartialEq)]
pub enum Replay {
    /// The inputs lead to the violation.
    Confirmed(Violation),
    /// The inputs do not lead to the violation, or not in a run of the C program.
    NotConfirmed(NotConfirmed),
}

/// A violation that a run has reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The error location that was reached.
    pub location: LocationId,
    /// All inputs that the run consumed, including those that are not in the alarm.
    pub inputs: Journal,
    /// Length of the run; see [`Limits::steps`].
    pub steps: u64,
    /// What is wrong with memory there, if the violation is about it.
    pub memory_fault: Option<MemoryFault>,
}

/// Why an alarm was not confirmed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotConfirmed {
    /// The run has another outcome.
    #[error("the inputs lead elsewhere: {0}")]
    Elsewhere(Outcome),
    /// The run had a fault before the error.
    #[error("the inputs lead to the error only after {}", .0.kind)]
    AfterFault(Fault),
    /// The run depends on inputs, or on which of several edges is taken.
    #[error("there are other runs")]
    NotTheOnlyRun,
    /// The run depends on a value that is not known.
    #[error(
        "the inputs lead to the error only with {count} values that a real execution determines"
    )]
    UnknownValues {
        /// Number of such values.
        count: u64,
    },
}

/// Checks an alarm on the program as lowered.
pub fn replay(program: &Program, alarm: &Journal, limits: Limits<'_>) -> Replay {
    replay_compiled(&Executable::compile(program), alarm, limits)
}

/// [`replay`] for a compiled program.
pub fn replay_compiled(executable: &Executable, alarm: &Journal, limits: Limits<'_>) -> Replay {
    let mut source = ReplayInputs::new(alarm);
    let mut inputs = RecordingInputs::new(&mut source);
    let report = Machine::new(executable).run(&mut inputs, limits);
    match judge(&report) {
        Ok(location) => Replay::Confirmed(Violation {
            location,
            inputs: inputs.into_journal(),
            steps: report.steps,
            memory_fault: report.memory_fault,
        }),
        Err(reason) => Replay::NotConfirmed(reason),
    }
}

/// Checks that the program has a single run (it reads no input, and no two edges can be taken at once), and that it ends
/// without an error or a fault, within the limits.
///
/// The program as lowered may have many runs although the simplified one has a single run, since the simplifier removes
/// loops and inputs that it considers irrelevant. Its opinion is not used here: a run that does not end in time, or that
/// reads an input, is not accepted.
pub fn replay_only_run(executable: &Executable, limits: Limits<'_>) -> Result<(), NotConfirmed> {
    if !executable.is_deterministic() {
        return Err(NotConfirmed::NotTheOnlyRun);
    }
    let mut zeros = ZeroInputs;
    let mut inputs = RecordingInputs::new(&mut zeros);
    let report = Machine::new(executable).run(&mut inputs, limits);
    // An input that only marks the begin of a call has no value.
    let asks = inputs
        .into_journal()
        .entries
        .iter()
        .any(|(input, _)| executable.inputs()[input.index()].part != Some(InputPart::Begin));
    match report.outcome {
        Outcome::Ended { .. } | Outcome::Blocked { .. } => {}
        other => return Err(NotConfirmed::Elsewhere(other)),
    }
    if let Some(fault) = report.faults.first() {
        return Err(NotConfirmed::AfterFault(*fault));
    }
    if asks {
        return Err(NotConfirmed::NotTheOnlyRun);
    }
    Ok(())
}

/// Returns the error location that a run has reached, if it is a run of the C program.
pub fn judge(report: &Report) -> Result<LocationId, NotConfirmed> {
    let Outcome::Error { location } = report.outcome else {
        return Err(NotConfirmed::Elsewhere(report.outcome.clone()));
    };
    if let Some(fault) = report.faults.first() {
        return Err(NotConfirmed::AfterFault(*fault));
    }
    if report.unknown_inputs > 0 {
        return Err(NotConfirmed::UnknownValues {
            count: report.unknown_inputs,
        });
    }
    Ok(location)
}

/// Returns the edges of a confirmed violation's run, in order (four bytes each).
pub fn trace(executable: &Executable, violation: &Violation) -> Vec<EdgeId> {
    let mut trace = EdgeTrace::default();
    let mut inputs = ReplayInputs::new(&violation.inputs);
    Machine::new(executable).run_observed(&mut inputs, Limits::default(), &mut trace);
    trace.edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_program::interpreter::FaultKind;
    use regatta_program::{InputId, InputKind, ProgramBuilder};
    use regatta_term::{Build, Sort, Value, store};

    const WORD: Sort = Sort::BitVec(32);

    /// `x = nondet(); y = 100 / x; if (y == 7) error`, where the inputs are of the kind.
    fn program(kind: InputKind) -> Program {
        let mut b = ProgramBuilder::new();
        let (x, y) = (b.global("x", WORD), b.global("y", WORD));
        let input = b.input("__VERIFIER_nondet_int", WORD);
        b.havoc(x, input);
        b.assign(y, store().sdiv(store().bv(32, 100), b.value(x)));
        b.error_unless(store().ne(b.value(y), store().bv(32, 7)));
        let mut program = b.finish();
        program.inputs[input.index()].kind = kind;
        program
    }

    fn alarm(value: u128) -> Journal {
        Journal {
            entries: vec![(InputId(0), Value::bit_vec(32, value))],
        }
    }

    fn nondet() -> InputKind {
        InputKind::Nondet("__VERIFIER_nondet_int".to_owned())
    }

    #[test]
    fn inputs_that_reach_the_error_are_confirmed() {
        let program = program(nondet());
        let Replay::Confirmed(violation) = replay(&program, &alarm(14), Limits::default()) else {
            panic!("100 / 14 is 7");
        };
        assert_eq!(violation.location, program.errors[0]);
        assert_eq!(violation.inputs, alarm(14));
        let trace = trace(&Executable::compile(&program), &violation);
        assert_eq!(
            trace.last().map(|edge| program.edge(*edge).target),
            Some(violation.location)
        );
    }

    /// The simplifier's opinion is not used, only the run of the program itself.
    #[test]
    fn a_run_is_the_only_one_if_it_ends_and_reads_no_input() {
        let only = |program: &Program, steps| {
            let limits = Limits {
                steps,
                ..Limits::default()
            };
            replay_only_run(&Executable::compile(program), limits)
        };
        let counter = |to: u128, wrong: bool| {
            let mut b = ProgramBuilder::new();
            let i = b.global("i", WORD);
            b.assign(i, store().bv(32, 0));
            b.repeat_while(store().ult(b.value(i), store().bv(32, to)), |b| {
                b.assign(i, store().add(b.value(i), store().bv(32, 1)));
            });
            b.error_unless(store().boolean(!wrong));
            b.finish()
        };
        assert_eq!(only(&counter(10, false), 1_000), Ok(()));
        let error = only(&counter(10, true), 1_000);
        assert!(matches!(
            error,
            Err(NotConfirmed::Elsewhere(Outcome::Error { .. }))
        ));
        let mut b = ProgramBuilder::new();
        let (i, j) = (b.global("i", WORD), b.global("j", WORD));
        b.assign(i, store().bv(32, 0));
        b.repeat_while(store().eq(b.value(i), store().bv(32, 0)), |b| {
            let product = store().mul(b.value(j), b.value(j));
            b.assign(j, store().add(product, store().bv(32, 7)));
        });
        let endless = only(&b.finish(), 1_000);
        assert_eq!(endless, Err(NotConfirmed::Elsewhere(Outcome::StepLimit)));
        let mut b = ProgramBuilder::new();
        let x = b.global("x", WORD);
        let input = b.input("__VERIFIER_nondet_int", WORD);
        b.havoc(x, input);
        b.error_unless(store().eq(b.value(x), store().bv(32, 0)));
        assert_eq!(only(&b.finish(), 1_000), Err(NotConfirmed::NotTheOnlyRun));
        let mut b = ProgramBuilder::new();
        let x = b.global("x", WORD);
        b.assign(x, store().bv(32, 0));
        b.assign(x, store().udiv(store().bv(32, 1), b.value(x)));
        let faulty = only(&b.finish(), 1_000);
        assert!(matches!(faulty, Err(NotConfirmed::AfterFault(_))));
        let mut b = ProgramBuilder::new();
        let target = b.new_location();
        b.edge(b.cursor(), target, Vec::new());
        b.edge(b.cursor(), target, Vec::new());
        assert_eq!(only(&b.finish(), 1_000), Err(NotConfirmed::NotTheOnlyRun));
    }

    #[test]
    fn other_alarms_are_not_confirmed() {
        let elsewhere = replay(&program(nondet()), &alarm(15), Limits::default());
        assert!(matches!(
            elsewhere,
            Replay::NotConfirmed(NotConfirmed::Elsewhere(Outcome::Ended { .. }))
        ));
        let unknown = replay(
            &program(InputKind::Unknown("sin".to_owned())),
            &alarm(14),
            Limits::default(),
        );
        assert_eq!(
            unknown,
            Replay::NotConfirmed(NotConfirmed::UnknownValues { count: 1 })
        );
        // Division by zero gives all ones, which a program may compare with; that is no run of C.
        let mut b = ProgramBuilder::new();
        let x = b.global("x", WORD);
        b.assign(x, store().udiv(store().bv(32, 1), b.value(x)));
        b.error_unless(store().ne(b.value(x), store().bv(32, u128::from(u32::MAX))));
        let faulty = replay(&b.finish(), &Journal::default(), Limits::default());
        assert!(matches!(
            faulty,
            Replay::NotConfirmed(NotConfirmed::AfterFault(Fault {
                kind: FaultKind::DivisionByZero,
                ..
            }))
        ));
    }
}
