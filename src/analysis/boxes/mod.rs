//! Branch and bound over inputs: for programs with floats and with products of inputs (interval analysis: Moore 1966; on
//! programs: Michel, Rueher and Lebbah, Solving constraints over floating-point numbers, CP 2001).
//!
//! All inputs are one box at first. The program as lowered is run on it in interval arithmetic, as the checker does
//! ([`crate::certify::boxes`]): if no path may lead to an error, the box is safe. Else some of its points are run by the
//! interpreter, one of which may be an alarm; and it is divided ([`divide`]) where a condition that is open compares an
//! input with a constant, or in the middle of an input that such a condition depends on. The boxes in the end are the
//! proof.
//!
//! The runs of this engine are the checker's, so that the search and the proof never differ in what they can decide; a run
//! on sets that forgets something would deceive both. So points of boxes that are safe are run as well, and an error
//! there ends the engine.
//!
//! Boxes of one depth are looked at together, in shares for those who help.

mod divide;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use self::divide::{Division, Halvings, division};
use super::options::options;
use super::{Answer, Context};
use crate::certify::boxes::{
    Codes, Covering, CoveringNode, Dimension, InputBox, Limits, Machine, Run, Verdict, halves,
};
use crate::certify::certificate::{Certificate, ProofStep};
use crate::program::interpreter::{
    self, Executable, InputSource, Journal, Outcome, RecordingInputs,
};
use crate::program::{Input, InputId, Program};
use crate::term::{Op, Pool, Sort, TermId, TermKind, Value, for_each_subterm, store};

options! {
    /// What the search may spend.
    pub struct Options {
        /// Wall time.
        pub time: Duration = Duration::from_secs(600);
        /// Boxes that are looked at.
        pub boxes: usize = 400_000;
        /// Edges that are followed on a box.
        pub steps: u64 = 200_000;
        /// Paths that are followed on a box.
        pub paths: u32 = 400;
    }
}

/// What the search took.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Boxes that were looked at.
    pub boxes: u64,
    /// Those of them that are safe.
    pub safe: u64,
    /// Edges of the runs on them.
    pub steps: u64,
    /// Points that were run.
    pub points: u64,
}

impl Statistics {
    /// By name.
    pub fn entries(&self) -> [(&'static str, u64); 4] {
        [
            ("boxes", self.boxes),
            ("safe", self.safe),
            ("steps", self.steps),
            ("points", self.points),
        ]
    }
}

/// Boxes that are looked at between two looks at the clock, for each thread.
const SHARE: usize = 128;
/// Boxes of which points are all run; of those that follow, each so many-th.
const POINTS: u64 = 2_000;
const POINTS_THEN: u64 = 16;
/// Steps of a point's run.
const POINT_STEPS: u64 = 1_000_000;

/// A box of the search.
struct Node {
    inner: InputBox,
    halvings: Halvings,
    /// Where it is divided, and the first of the two nodes that it is divided into.
    parts: Option<(Division, usize)>,
}

struct Search<'s> {
    program: &'s Program,
    options: &'s Options,
    nodes: Vec<Node>,
    points: interpreter::Machine<'s>,
    done: &'s mut Statistics,
}

/// Searches for a covering of the inputs of the program as lowered.
pub fn run(
    program: &Program,
    executable: &Executable,
    options: &Options,
    context: &mut Context<'_>,
    done: &mut Statistics,
) -> Answer {
    if !asks_for_boxes(program) {
        return Answer::Unknown("there are neither floats nor products".to_owned());
    }
    let search = Search {
        program,
        options,
        nodes: vec![Node {
            inner: InputBox::default(),
            halvings: Halvings::default(),
            parts: None,
        }],
        points: interpreter::Machine::new(executable),
        done,
    };
    search.run(context)
}

/// Whether something is computed that solvers find hard: with floats, or products and quotients of variables.
fn asks_for_boxes(program: &Program) -> bool {
    let operations = program.edges.iter().flat_map(|edge| &edge.operations);
    let terms: Vec<TermId> = operations.flat_map(|operation| operation.terms()).collect();
    let mut asks = false;
    for_each_subterm(store(), terms, |term, kind| {
        asks |= match kind {
            TermKind::Apply { op, arguments } => {
                let mut sorts = arguments
                    .iter()
                    .chain([&term])
                    .map(|&one| store().sort(one));
                let is_float = sorts.any(|sort| matches!(sort, Sort::Float(_)));
                let is_product = matches!(
                    op,
                    Op::BvMul | Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::IntMul
                );
                is_float || (is_product && arguments.iter().all(|&one| !store().is_constant(one)))
            }
            _ => false,
        };
    });
    asks
}

impl<'s> Search<'s> {
    fn run(mut self, context: &mut Context<'_>) -> Answer {
        let unknown = |reason: &str| Answer::Unknown(reason.to_owned());
        let begin = Instant::now();
        let mut waited = Duration::ZERO;
        let mut machine = Machine::new(self.program);
        let mut level = vec![0];
        while !level.is_empty() {
            let mut next = Vec::new();
            for share in level.chunks(SHARE * context.workers.maximum_threads()) {
                waited += context.safe_point();
                if context.token.is_cancelled() {
                    return unknown("cancelled");
                }
                if begin.elapsed().saturating_sub(waited) > self.options.time {
                    return unknown("there is no time left");
                }
                if self.nodes.len() > self.options.boxes {
                    return unknown("there are too many boxes");
                }
                let runs = self.look_at(share, &mut machine, context);
                for (&node, run) in share.iter().zip(runs) {
                    self.done.steps += run.steps;
                    match self.settle(node, run, context) {
                        Ok(parts) => next.extend(parts),
                        Err(answer) => return answer,
                    }
                }
            }
            level = next;
        }
        Answer::Safe(Certificate {
            steps: vec![ProofStep::Boxes {
                covering: self.covering(),
            }],
        })
    }

    /// Runs the program on boxes.
    fn look_at(
        &self,
        share: &[usize],
        machine: &mut Machine<'s>,
        context: &Context<'_>,
    ) -> Vec<Run> {
        let limits = Limits {
            steps: self.options.steps,
            paths: self.options.paths,
            cancelled: Some(context.token.flag()),
        };
        let (program, nodes) = (self.program, &self.nodes);
        context.workers.map(
            share,
            machine,
            || Machine::new(program),
            |machine, &node| machine.run(&nodes[node].inner, limits),
        )
    }

    /// What follows from a run on a box: the boxes that it is divided into, or the answer.
    fn settle(
        &mut self,
        node: usize,
        run: Run,
        context: &mut Context<'_>,
    ) -> Result<Vec<usize>, Answer> {
        let unknown = |reason: &str| Answer::Unknown(reason.to_owned());
        self.done.boxes += 1;
        let open = match run.verdict {
            Verdict::Safe => None,
            Verdict::Open(open) => Some(open),
            Verdict::GivenUp(reason) => return Err(unknown(reason)),
        };
        self.done.safe += u64::from(open.is_none());
        let boxes = self.done.boxes;
        if (boxes <= POINTS || boxes.is_multiple_of(POINTS_THEN))
            && let Some(alarm) = self.alarm(node)
        {
            debug_assert!(open.is_some(), "{:?} is not safe", self.nodes[node].inner);
            return Err(match open {
                Some(_) => context.confirmed(&alarm),
                None => unknown("a run on a box was wrong"),
            });
        }
        let Some(open) = open else {
            return Ok(Vec::new());
        };
        let Node {
            inner, halvings, ..
        } = &self.nodes[node];
        let inputs = &self.program.inputs;
        let parts = division(&open, inner, halvings, inputs).and_then(|division| {
            let codes = Codes::of(&inputs[division.dimension.input.index()])?;
            Some((
                division,
                halves(inner, division.dimension, division.at, codes)?,
            ))
        });
        let Some((division, parts)) = parts else {
            return Err(match self.alarm(node) {
                Some(alarm) => context.confirmed(&alarm),
                None => unknown("a condition stays open whatever the inputs are"),
            });
        };
        let mut halvings = halvings.clone();
        if !division.is_at_constant {
            *halvings.entry(division.dimension).or_default() += 1;
        }
        let first = self.nodes.len();
        self.nodes[node].parts = Some((division, first));
        self.nodes.extend(parts.map(|inner| Node {
            inner,
            halvings: halvings.clone(),
            parts: None,
        }));
        Ok(vec![first, first + 1])
    }

    /// Inputs in the box with which the interpreter comes to an error, if one of its points has some: the least values, the
    /// greatest, and some between.
    fn alarm(&mut self, node: usize) -> Option<Journal> {
        (0..=2).find_map(|halves| {
            self.done.points += 1;
            let mut point = Point {
                inner: &self.nodes[node].inner,
                occurrences: FxHashMap::default(),
                halves,
            };
            let mut inputs = RecordingInputs::new(&mut point);
            let limits = interpreter::Limits {
                steps: POINT_STEPS,
                ..interpreter::Limits::default()
            };
            let report = self.points.run(&mut inputs, limits);
            let is_error = matches!(report.outcome, Outcome::Error { .. });
            (is_error && report.is_faithful()).then(|| inputs.into_journal())
        })
    }

    fn covering(&self) -> Covering {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            nodes.push(match self.nodes[node].parts {
                None => CoveringNode::Leaf,
                Some((division, first)) => {
                    open.extend([first + 1, first]);
                    CoveringNode::Split {
                        dimension: division.dimension,
                        at: division.at,
                    }
                }
            });
        }
        Covering { nodes }
    }
}

/// Inputs of a point in a box.
struct Point<'n> {
    inner: &'n InputBox,
    /// How often each input has been drawn.
    occurrences: FxHashMap<InputId, u32>,
    /// How far from the least to the greatest code of each input.
    halves: u32,
}

impl InputSource for Point<'_> {
    fn next(&mut self, id: InputId, input: &Input) -> Option<Value> {
        let drawn = self.occurrences.entry(id).or_default();
        let dimension = Dimension {
            input: id,
            occurrence: *drawn,
        };
        *drawn += 1;
        Some(match (Codes::of(input), self.inner.get(&dimension)) {
            (Some(codes), Some(&(low, high))) => match self.halves {
                0 => codes.value(low),
                1 => codes.value(low + (high - low) / 2),
                _ => codes.value(high),
            },
            _ => Value::zero(input.sort),
        })
    }
}
