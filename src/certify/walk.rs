//! Symbolic execution of the program as lowered, from cut points to the next ones.
//!
//! A state is a location with its call string, a *guard* (the condition under which execution is there) and a term for
//! every variable that has changed. Where paths meet, states are merged: guards of states that exist at the same time
//! exclude each other, so that a value is chosen by the guard of the path that it comes from. To keep it so where the
//! conditions of a location's edges may hold together, the choice among them is a variable of its own. Call strings are
//! explicit, and a local variable is one for each activation, so that recursive functions can be executed like others.
//!
//! Everything is exact but for two things, which are noted in [`Walk::over_approximated`]. A loop that no cut point cuts
//! (the simplifier has found that it does not matter) is passed by forgetting, at its head, whatever it may change: the
//! state that leaves it is one of those that it comes to its head in. And a call of a recursive function may be stepped
//! over, changing all that it can ([`Walk::entered`] has the states for which its body is to be looked at).
//!
//! * [`values`]: what terms are worth in a state; [`states`]: conditions of states, and states merged;
//!   [`assumptions`]: states restricted to what is claimed; [`cases`]: a state for each case of a long claim; [`plans`]: what is
//!   passed, in which order; [`execute`]: edges.
//! * [`rounds`]: a walk of another order, from the entry to the ends of all paths, with guards as [`paths`], [`exits`] of loops, [`cells`] of memory,
//!   operators [`lifted`] to what is one of a few constants, and rounds left out by [`exclusion`] that are to be impossible.

mod assumptions;
mod cases;
mod cells;
mod exclusion;
mod execute;
mod exits;
mod lifted;
mod paths;
mod plans;
pub(super) mod rounds;
mod states;
mod values;
mod waiting;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::call_strings::{CallStringId, CallStrings, Node};
use super::lowered::Lowered;
use super::places::{Cuts, Facts};
use super::plan::Plan;
use super::record::{Begin, Label, Labels, What};
use super::solvers::Solvers;
pub(super) use cases::{Starts, tells_cases};
use regatta_program::persistent::PersistentMap;
use regatta_program::{EdgeId, FunctionId, LocationId, VariableId};
use regatta_term::{Arena, Build, Pool, Sort, Symbol, TermId, TermKind, store};

/// Why a check was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GivenUp(pub String);

/// Until when a check may go on.
#[derive(Copy, Clone)]
pub(super) struct Deadline<'a> {
    pub end: Instant,
    pub cancelled: Option<&'a AtomicBool>,
}

impl Deadline<'_> {
    /// What is left, or that nothing is.
    pub fn left(&self) -> Result<Duration, GivenUp> {
        if self
            .cancelled
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
        {
            return Err(GivenUp("cancelled".to_owned()));
        }
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(GivenUp("the time is over".to_owned()));
        }
        Ok(left)
    }
}

/// What becomes of calls of functions that can call themselves.
#[derive(Copy, Clone)]
pub(super) enum Recursion<'c> {
    /// They are executed if there are cut points in them.
    Unrolled,
    /// They change what they can.
    Summarised,
    /// They change what they can, as it is claimed of them; those of which nothing is claimed are executed.
    Related(&'c Summaries),
}

/// What is claimed of recursive functions: relations between the states at their entries and exits.
#[derive(Default)]
pub(super) struct Summaries {
    formulas: FxHashMap<FunctionId, TermId>,
    /// Whether nothing was claimed of some of them.
    partial: bool,
}

impl Summaries {
    /// Adds to what is claimed of the function.
    pub fn add(&mut self, function: FunctionId, formula: TermId) {
        let known = self.formulas.entry(function).or_insert(TermId::TRUE);
        *known = store().and2(*known, formula);
    }

    /// Makes these functions, and no others, those that have summaries.
    pub fn restrict(&mut self, functions: &FxHashSet<FunctionId>) {
        self.formulas
            .retain(|function, _| functions.contains(function));
        for &function in functions {
            self.formulas.entry(function).or_insert_with(|| {
                self.partial = true;
                TermId::TRUE
            });
        }
    }

    /// Whether nothing is known of what some of them do.
    pub fn is_partial(&self) -> bool {
        self.partial
    }

    fn of(&self, function: FunctionId) -> Option<TermId> {
        self.formulas.get(&function).copied()
    }
}

/// What is known where execution is.
#[derive(Clone)]
pub(super) struct State {
    pub guard: TermId,
    values: PersistentMap<TermId>,
    /// The heads of loops that execution has passed in this segment and whose loops it has not left since.
    passed: SmallVec<[Node; 2]>,
    /// Objects that cells of the regions with these slots are in, and whether all are within: where paths are walked one by one, those
    /// of this path.
    objects: Rc<Vec<(u32, TermId, bool)>>,
}

/// The depth of the globals' slots.
const GLOBAL: u32 = u32::MAX;

/// Variables by activation.
#[derive(Default)]
struct Slots {
    ids: FxHashMap<(u32, VariableId), u32>,
    /// The values at the start of the walk, made when they are first read.
    initial: Vec<(VariableId, Option<TermId>)>,
    /// Cells of regions: by the region's slot and the index; the other way round, with the object; all of a region.
    cells: FxHashMap<(u32, TermId), u32>,
    regions: FxHashMap<u32, (u32, TermId, TermId)>,
    /// Objects that a region's cells are in, and whether all are within.
    objects_of: FxHashMap<u32, Vec<(TermId, bool)>>,
    cells_of: FxHashMap<u32, Vec<u32>>,
}

impl Slots {
    fn id(&mut self, depth: u32, variable: VariableId) -> u32 {
        let new = self.initial.len() as u32;
        let id = *self.ids.entry((depth, variable)).or_insert(new);
        if id == new {
            self.initial.push((variable, None));
        }
        id
    }
}

/// Variables that are made for one query.
struct Fresh {
    next: u32,
    boolean: Symbol,
}

/// States by node.
pub(super) type Frontier = BTreeMap<Node, State>;

/// A function, its cut points, its edges that are not taken, and its calls that pass a cut point.
type Shape = (FunctionId, Vec<LocationId>, Vec<EdgeId>, Vec<EdgeId>);

/// A walk over the program for one query.
pub(super) struct Walk<'c, 'p> {
    lowered: &'c Lowered<'p>,
    pub stacks: &'c mut CallStrings,
    cuts: &'c Cuts,
    facts: &'c mut Facts<'p>,
    recursion: Recursion<'c>,
    deadline: Deadline<'c>,
    /// Answers the questions.
    pub solver: &'c RefCell<Solvers>,
    pub arena: Rc<Arena>,
    slots: RefCell<Slots>,
    fresh: RefCell<Fresh>,
    /// What names stand for, by name: equations.
    pub definitions: FxHashMap<TermId, TermId>,
    /// The names of values.
    names: FxHashMap<TermId, TermId>,
    plans: Vec<Rc<Plan>>,
    plan_of: FxHashMap<CallStringId, usize>,
    known_plans: FxHashMap<Shape, usize>,
    /// For each function whether it, or one that it calls, has a cut point at some call string.
    cutting: Vec<bool>,
    /// Whether an activation can end without having passed a cut point.
    passing: FxHashMap<CallStringId, bool>,
    /// The cut points and the locations with facts, by function.
    marked: FxHashMap<FunctionId, (Vec<LocationId>, Vec<LocationId>)>,
    /// The guards with which targets are reached.
    pub targets: Vec<TermId>,
    /// The states in which recursive functions are entered that are not executed in their callers.
    pub entered: Vec<(Node, State)>,
    /// Whether something has been forgotten.
    pub over_approximated: bool,
    universal: Vec<Universal>,
    /// The most cases that the formulas of a place were taken apart into.
    pub cases: usize,
    /// What conditions mean, if they are recorded.
    labels: Option<RefCell<Labels>>,
    begin: Cell<Begin>,
}

/// A formula that was assumed for every value of a variable, on the paths on which the condition holds.
struct Universal {
    condition: TermId,
    symbol: Symbol,
    value: TermId,
}

impl<'c, 'p> Walk<'c, 'p> {
    pub fn new(
        lowered: &'c Lowered<'p>,
        stacks: &'c mut CallStrings,
        cuts: &'c Cuts,
        facts: &'c mut Facts<'p>,
        recursion: Recursion<'c>,
        (deadline, solver): (Deadline<'c>, &'c RefCell<Solvers>),
    ) -> Self {
        let mut marked: FxHashMap<FunctionId, (Vec<LocationId>, Vec<LocationId>)> =
            FxHashMap::default();
        let function = |location: LocationId| lowered.program.location(location).function;
        for location in cuts.locations() {
            marked
                .entry(function(location))
                .or_default()
                .0
                .push(location);
        }
        for location in facts.locations() {
            marked
                .entry(function(location))
                .or_default()
                .1
                .push(location);
        }
        for lists in marked.values_mut() {
            lists.0.sort_unstable();
            lists.1.sort_unstable();
        }
        let mut cutting = vec![false; lowered.program.functions.len()];
        let mut work: Vec<FunctionId> = cuts.locations().map(function).collect();
        while let Some(function) = work.pop() {
            if !std::mem::replace(&mut cutting[function.index()], true) {
                let calls = lowered.calls.calls_of(function).iter();
                work.extend(calls.map(|&call| {
                    let source = lowered.program.edge(call).source;
                    lowered.program.location(source).function
                }));
            }
        }
        let is_recorded = solver.borrow().recorder.is_some();
        Self {
            labels: is_recorded.then(RefCell::default),
            begin: Cell::default(),
            marked,
            cutting,
            passing: FxHashMap::default(),
            lowered,
            stacks,
            cuts,
            facts,
            recursion,
            deadline,
            solver,
            arena: Rc::new(match solver.borrow().second.is_some() || is_recorded {
                true => Arena::recorded(),
                false => Arena::new(),
            }),
            slots: RefCell::default(),
            fresh: RefCell::new(Fresh {
                next: 1,
                boolean: Symbol::new("certified condition", Sort::Bool),
            }),
            definitions: FxHashMap::default(),
            names: FxHashMap::default(),
            plans: Vec::new(),
            plan_of: FxHashMap::default(),
            known_plans: FxHashMap::default(),
            targets: Vec::new(),
            entered: Vec::new(),
            over_approximated: false,
            universal: Vec::new(),
            cases: 1,
        }
    }

    /// Until when the check may go on.
    pub fn deadline(&self) -> Deadline<'_> {
        self.deadline
    }

    /// When the check has to end.
    pub fn end(&self) -> Instant {
        self.deadline.end
    }

    /// The time that is left.
    pub fn left(&self) -> Result<Duration, GivenUp> {
        self.deadline.left()
    }

    /// The program.
    pub fn lowered(&self) -> &Lowered<'p> {
        self.lowered
    }

    /// Notes what a condition of the present states means.
    pub fn label(&self, condition: TermId, at: Node, what: What) {
        if let Some(labels) = &self.labels {
            let begin = self.begin.get();
            let label = Label { what, at, begin };
            let mut labels = labels.borrow_mut();
            labels.entry(condition).or_default().push(label);
        }
    }

    /// What the condition means; it is not told again.
    pub fn take_labels(&self, condition: TermId) -> Vec<Label> {
        let labels = self.labels.as_ref();
        let taken = labels.and_then(|labels| labels.borrow_mut().remove(&condition));
        taken.unwrap_or_default()
    }

    /// Where execution starts.
    pub fn entry(&self) -> Node {
        Node {
            stack: CallStrings::EMPTY,
            location: self
                .lowered
                .program
                .function(self.lowered.program.start)
                .entry,
        }
    }

    /// A state of which nothing is known: every variable has the value it has at the start.
    pub fn arbitrary(&self) -> State {
        State {
            guard: TermId::TRUE,
            values: PersistentMap::new(),
            passed: SmallVec::new(),
            objects: Rc::default(),
        }
    }

    /// Whether a target may be reached from the node before its activation ends.
    pub fn has_target(&self, node: Node) -> bool {
        self.lowered.inside[node.location.index()]
    }

    /// The formulas that say what the names in the given ones stand for.
    pub fn definitions_for(&self, formulas: &[TermId]) -> Vec<TermId> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work: Vec<TermId> = formulas.to_vec();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.arena.kind(term) {
                TermKind::Variable { .. } => {
                    if let Some(&definition) = self.definitions.get(&term) {
                        found.push(definition);
                        work.push(definition);
                    }
                }
                TermKind::Apply { arguments, .. } => work.extend_from_slice(arguments),
                TermKind::Constant(_) => {}
            }
        }
        found
    }
}
