//! Branch and bound over inputs: for programs with floats and with products of inputs (interval analysis: \[Moo66\]; on programs:
//! \[MRL01\]).
//!
//! Initially a single box contains all inputs. The program as lowered is executed on a box in interval arithmetic, by the
//! same code as in the checker ([`regatta_certify::boxes`]). If no path may reach an error, the box is safe. Otherwise the
//! interpreter runs some points of the box, one of which may be an alarm, and the box is divided ([`divide`]): where an
//! undecided condition compares an input with a constant, or in the middle of an input that such a condition depends on.
//! The resulting tree of boxes is the proof.
//!
//! The search and the checker share the abstract execution, so that they never differ in what they can decide. An unsound
//! abstract execution would therefore mislead both; hence points of safe boxes are run as well, and an error there ends
//! the engine without a proof.
//!
//! Boxes of equal depth are processed together, distributed over the worker threads.

mod divide;
mod limits;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use self::divide::{Division, Halvings, division};
use self::limits::{
    BOXES_PER_WORKER, BOXES_WITH_POINTS, MAXIMUM_BOXES_FOR_ONE, MAXIMUM_STEPS_PER_POINT,
    POINT_SAMPLING_INTERVAL,
};
use super::engine::{Engine, Lowered, NOT_LOWERED, Recursion, Registration, Report, Subject};
use super::unrolling::division;
use super::{Answer, Context};
use regatta_base::options;
use regatta_certify::boxes::{
    Codes, Covering, CoveringNode, Dimension, InputBox, Limits, Machine, Run, Verdict, halves,
};
use regatta_certify::certificate::{Certificate, ProofStep};
use regatta_program::interpreter::{self, InputSource, Journal, Outcome, RecordingInputs};
use regatta_program::{Input, InputId, LocationId, Program};
use regatta_term::{Op, Pool, Sort, TermId, TermKind, Value, for_each_subterm, store};

options! {
    /// Limits of the search.
    pub struct Options {
        /// Wall time.
        pub time: Duration = Duration::from_secs(600);
        /// Maximum number of boxes.
        pub boxes: usize = 400_000;
        /// Maximum number of edges that are followed per box.
        pub steps: u64 = 200_000;
        /// Maximum number of paths that are followed per box.
        pub paths: u32 = 400;
    }
}

/// The reason of the answer "unknown" where boxes do not decide a condition.
const UNDIVIDED: &str = "a condition stays undecided in a box that cannot be divided";

/// Counters of the search.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Boxes that were executed.
    pub boxes: u64,
    /// Boxes that were found safe.
    pub safe: u64,
    /// Edges that were followed on all boxes.
    pub steps: u64,
    /// Points that the interpreter ran.
    pub points: u64,
}

impl Statistics {
    /// The counters with their names.
    pub fn entries(&self) -> [(&'static str, u64); 4] {
        [
            ("boxes", self.boxes),
            ("safe", self.safe),
            ("steps", self.steps),
            ("points", self.points),
        ]
    }
}

struct Node {
    inner: InputBox,
    halvings: Halvings,
    /// The division of the box, and the index of the first of the two children, if it has been divided.
    parts: Option<(Division, usize)>,
}

struct Search<'s> {
    program: &'s Program,
    /// Whether it is the program as lowered, not one in which something is passed over.
    is_whole: bool,
    options: &'s Options,
    nodes: Vec<Node>,
    points: interpreter::Machine<'s>,
    done: &'s mut Statistics,
    /// If each error location is decided by itself: those of the program as lowered that are asked about, and those that are set
    /// aside, because boxes do not tell whether they are reached.
    asked: Option<BTreeSet<LocationId>>,
    aside: BTreeSet<LocationId>,
    /// The number of boxes that each of the others has left open.
    opened: FxHashMap<LocationId, usize>,
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "boxes",
            summary: "Branch and bound over inputs, in interval arithmetic.",
            has_solver: false,
            recursion: Recursion::Handled,
        }
    }

    fn unsuitable(&self, subject: &Subject<'_>) -> Option<&'static str> {
        let lowered = subject.lowered?;
        let program = lowered.passed.unwrap_or(lowered.program);
        (!asks_for_boxes(program)).then_some("there are neither floats nor products")
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        let Some(lowered) = subject.lowered else {
            return Answer::Unknown(NOT_LOWERED.to_owned()).into();
        };
        let options = Self {
            time: subject.limited(self.time),
            ..self.clone()
        };
        let mut done = Statistics::default();
        let answer = run(lowered, &options, context, &mut done);
        Report::from(answer).with_counters(done.entries())
    }
}

/// Searches for a covering of the inputs of the program as lowered.
fn run(
    lowered: Lowered<'_>,
    options: &Options,
    context: &mut Context<'_>,
    done: &mut Statistics,
) -> Answer {
    let search = Search {
        program: lowered.passed.unwrap_or(lowered.program),
        is_whole: lowered.passed.is_none(),
        options,
        nodes: vec![Node {
            inner: InputBox::default(),
            halvings: Halvings::default(),
            parts: None,
        }],
        points: interpreter::Machine::new(lowered.executable),
        done,
        asked: None,
        aside: BTreeSet::new(),
        opened: FxHashMap::default(),
    };
    search.run(context)
}

/// Checks whether the program computes something that is hard for solvers: floats, or products and quotients of variables.
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
            for share in level.chunks(BOXES_PER_WORKER * context.workers.maximum_threads()) {
                waited += context.safe_point();
                if context.token.is_cancelled() {
                    return unknown("cancelled");
                }
                if begin.elapsed().saturating_sub(waited) > self.options.time {
                    return unknown("the time limit is reached");
                }
                if self.nodes.len() > self.options.boxes {
                    return unknown("there are too many boxes");
                }
                self.asked = self.open(context);
                let runs = self.run_boxes(share, &mut machine, context);
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
        let steps = vec![ProofStep::Boxes {
            covering: self.covering(),
        }];
        match context.targets {
            Some(targets) if !self.aside.is_empty() => {
                let open = targets.open();
                let is_aside =
                    |error: &&LocationId| self.aside.contains(&targets.as_lowered(**error));
                let excluded = open.iter().filter(|error| !is_aside(error)).copied();
                division::exclude(targets, excluded.collect(), &steps, context.token);
                unknown(UNDIVIDED)
            }
            _ => Answer::Safe(Certificate::of_all(steps)),
        }
    }

    /// Returns the error locations of the program as lowered that are open and not set aside, if each is decided by itself.
    fn open(&self, context: &Context<'_>) -> Option<BTreeSet<LocationId>> {
        let targets = context.targets?;
        let mut open: BTreeSet<LocationId> = BTreeSet::new();
        open.extend(
            targets
                .open()
                .iter()
                .map(|&error| targets.as_lowered(error)),
        );
        open.retain(|error| !self.aside.contains(error));
        Some(open)
    }

    /// Asks about the box again without the error location, which is set aside, unless nothing else is asked about.
    fn set_aside(&mut self, error: LocationId, node: usize) -> Result<Vec<usize>, Answer> {
        self.aside.insert(error);
        if let Some(asked) = &mut self.asked {
            asked.remove(&error);
            if !asked.is_empty() {
                return Ok(vec![node]);
            }
        }
        Err(Answer::Unknown(UNDIVIDED.to_owned()))
    }

    fn run_boxes(
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
        let restrict = |machine: &mut Machine<'_>| {
            if let Some(asked) = &self.asked {
                machine.retain_errors(|error| asked.contains(&error));
            }
        };
        restrict(machine);
        let new = || {
            let mut machine = Machine::new(program);
            restrict(&mut machine);
            machine
        };
        let run =
            |machine: &mut Machine<'_>, &node: &usize| machine.run(&nodes[node].inner, limits);
        context.workers.map(share, machine, new, run)
    }

    /// Evaluates the run on a box: returns the children that the box is divided into, or else the engine's answer.
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
        // Where something is passed over, reads of inputs have other numbers than in the program as lowered.
        let is_point_of_box = self.is_whole || open.is_some();
        if (boxes <= BOXES_WITH_POINTS || boxes.is_multiple_of(POINT_SAMPLING_INTERVAL))
            && is_point_of_box
            && let Some(alarm) = self.alarm(node)
        {
            // It may reach an error that is set aside.
            let is_expected = open.is_some() || !self.aside.is_empty();
            debug_assert!(is_expected, "{:?} is not safe", self.nodes[node].inner);
            return Err(match is_expected {
                true => context.confirmed(&alarm),
                false => unknown("a run on a box was wrong"),
            });
        }
        let Some(open) = open else {
            return Ok(Vec::new());
        };
        let others = self.asked.as_ref().map_or(0, |asked| asked.len());
        if let Some(error) = open.error
            && others > 1
        {
            let opened = self.opened.entry(error).or_default();
            *opened += 1;
            let most = self.options.boxes / (2 * others);
            if *opened > most.min(MAXIMUM_BOXES_FOR_ONE) {
                return self.set_aside(error, node);
            }
        }
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
            if let Some(alarm) = self.alarm(node) {
                return Err(context.confirmed(&alarm));
            }
            return match open.error {
                Some(error) => self.set_aside(error, node),
                None => Err(unknown(UNDIVIDED)),
            };
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

    /// Runs the points of least, middle, and greatest values of the box in the interpreter; returns the inputs of one that
    /// reaches an error.
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
                steps: MAXIMUM_STEPS_PER_POINT,
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

/// The inputs of a point in a box.
struct Point<'n> {
    inner: &'n InputBox,
    /// The number of times that each input has been drawn.
    occurrences: FxHashMap<InputId, u32>,
    /// The position of the point in each input's range: 0 is the least code, 1 the middle, 2 the greatest.
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
