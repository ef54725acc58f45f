//! Symbolic execution of the program as lowered, from cut points to the next ones.
//!
//! A state consists of a location with its call string, a *guard* (the condition under which execution is there) and a term
//! for every variable that has changed. Where paths meet, states are merged: guards of simultaneous states exclude each
//! other, so that a merged value is chosen by the guard of its path. If the conditions of a location's edges may hold
//! together, the choice among them is a fresh variable, which keeps the guards exclusive. Call strings are explicit, and
//! each activation has its own local variables, so that recursive functions can be executed like others.
//!
//! The execution is exact with two exceptions, which set [`Walk::over_approximated`]. A loop without a cut point (which the
//! simplifier considers irrelevant) is passed by havocking, at its head, all variables that it may change; this covers
//! every state in which the loop's head is reached. And a call of a recursive function may be replaced by havocking all
//! that it may change ([`Walk::entered`] has the states in which its body has to be checked).
//!
//! * [`term_values`]: values of terms in a state; [`states`]: conditions and merging of states; [`assumptions`]: states
//!   restricted to claims; [`cases`]: a state for each case of a long claim; [`plans`]: the locations to execute and their
//!   order; [`execute`]: edges; [`names`]: fresh variables, and names of large terms; [`meanings`]: what conditions mean.
//! * [`rounds`]: an execution from the entry to the ends of all paths.

mod assumptions;
mod cases;
mod execute;
mod limits;
mod meanings;
mod names;
mod plans;
pub(super) mod rounds;
mod states;
mod term_values;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::lowered::Lowered;
use super::lowered::call_strings::{CallStrings, Node};
use super::lowered::places::{Cuts, Facts};
use super::queries::solvers::Solvers;
use crate::verification_conditions::{Label, What};
pub(super) use cases::{Starts, tells_cases};
use meanings::Meanings;
use names::Names;
use plans::Plans;
use regatta_program::persistent::PersistentMap;
use regatta_program::{FunctionId, LocationId, VariableId};
use regatta_term::{Arena, Build, Symbol, TermId, store};

/// Why a check was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GivenUp(pub String);

/// The deadline of a check.
#[derive(Copy, Clone)]
pub(super) struct Deadline<'a> {
    pub end: Instant,
    pub cancelled: Option<&'a AtomicBool>,
}

impl Deadline<'_> {
    /// Returns the time left.
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

/// The treatment of calls of recursive functions.
#[derive(Copy, Clone)]
pub(super) enum Recursion<'c> {
    /// They are executed if their entry is a cut point; otherwise they havoc all that they may change.
    Unrolled,
    /// They havoc all that they may change.
    Summarised,
    /// They havoc all that they may change, restricted by their summary; those without a summary are executed.
    Related(&'c Summaries),
}

/// Summaries of recursive functions: relations between the states at their entries and exits.
#[derive(Default)]
pub(super) struct Summaries {
    formulas: FxHashMap<FunctionId, TermId>,
    /// Whether some summary is trivial because nothing was claimed.
    partial: bool,
}

impl Summaries {
    /// Adds a conjunct to the function's summary.
    pub fn add(&mut self, function: FunctionId, formula: TermId) {
        let known = self.formulas.entry(function).or_insert(TermId::TRUE);
        *known = store().and2(*known, formula);
    }

    /// Restricts the summaries to these functions; those without one get a trivial summary.
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

    /// Whether some summary is trivial because nothing was claimed.
    pub(crate) fn is_partial(&self) -> bool {
        self.partial
    }

    fn of(&self, function: FunctionId) -> Option<TermId> {
        self.formulas.get(&function).copied()
    }
}

/// A symbolic state.
#[derive(Clone)]
pub(super) struct State {
    pub guard: TermId,
    values: PersistentMap<TermId>,
    /// The heads of loops without cut points that execution has passed in this segment and whose loops it has not left.
    passed: SmallVec<[Node; 2]>,
    /// If paths are executed separately, the objects with cells on this path: the region's slot, the object's address, and
    /// whether all cells are inside the object.
    objects: Rc<Vec<(u32, TermId, bool)>>,
}

/// The depth of the globals' slots.
const GLOBAL: u32 = u32::MAX;

/// Slots of variables, one for each activation.
#[derive(Default)]
struct Slots {
    ids: FxHashMap<(u32, VariableId), u32>,
    /// The values at the start of the walk, made when they are first read.
    initial: Vec<(VariableId, Option<TermId>)>,
    /// The slots of cells, by the region's slot and the index.
    cells: FxHashMap<(u32, TermId), u32>,
    /// For each cell's slot the region's slot, the index and the object's address.
    regions: FxHashMap<u32, (u32, TermId, TermId)>,
    /// For each region's slot the objects with cells, and whether all these cells are inside the object.
    objects_of: FxHashMap<u32, Vec<(TermId, bool)>>,
    /// For each region's slot the slots of its cells.
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

/// States by node.
pub(super) type Frontier = BTreeMap<Node, State>;

/// A symbolic execution of the program for one query.
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
    /// Fresh variables, and the names of large terms.
    names: Names,
    plans: Plans,
    /// The conditions under which execution is at a target.
    pub targets: Goals,
    /// The states in which recursive functions are entered that are not executed in their callers.
    pub entered: Vec<(Node, State)>,
    /// Whether some variables were havocked.
    pub over_approximated: bool,
    universal: Vec<Universal>,
    /// The maximum number of cases into which the claims about a node were split.
    pub cases: usize,
    meanings: Meanings,
}

/// Conditions that have to be impossible, and where each is about.
#[derive(Clone, Default)]
pub(super) struct Goals {
    pub conditions: Vec<TermId>,
    /// The place for each condition: an error location, or one before something that is not modelled.
    at: Vec<LocationId>,
}

impl Goals {
    pub fn push(&mut self, at: LocationId, condition: TermId) {
        self.conditions.push(condition);
        self.at.push(at);
    }

    pub fn append(&mut self, other: &mut Self) {
        self.conditions.append(&mut other.conditions);
        self.at.append(&mut other.at);
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the places whose conditions are not all known to be false, where `conditions` has what is known of them, with the
    /// numbers of those that are not.
    pub fn open(&self, conditions: &[TermId]) -> BTreeMap<LocationId, Vec<usize>> {
        let mut open: BTreeMap<LocationId, Vec<usize>> = BTreeMap::new();
        for (number, &at) in self.at.iter().enumerate() {
            if conditions[number] != TermId::FALSE {
                open.entry(at).or_default().push(number);
            }
        }
        open
    }
}

/// A universally quantified formula that is assumed on the paths on which the condition holds.
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
        let is_recorded = solver.borrow().recorder.is_some();
        let arena = Rc::new(match solver.borrow().second.is_some() || is_recorded {
            true => Arena::recorded(),
            false => Arena::new(),
        });
        Self {
            meanings: Meanings::new(is_recorded),
            plans: Plans::new(lowered, cuts, facts),
            lowered,
            stacks,
            cuts,
            facts,
            recursion,
            deadline,
            solver,
            names: Names::new(Rc::clone(&arena)),
            arena,
            slots: RefCell::default(),
            targets: Goals::default(),
            entered: Vec::new(),
            over_approximated: false,
            universal: Vec::new(),
            cases: 1,
        }
    }

    /// The deadline of the check.
    pub fn deadline(&self) -> Deadline<'_> {
        self.deadline
    }

    /// The end of the check.
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

    /// Notes the meaning of a condition, if conditions are recorded.
    pub fn label(&self, condition: TermId, at: Node, what: What) {
        self.meanings.note(condition, at, what);
    }

    /// Removes and returns the meanings of the condition.
    pub(crate) fn take_labels(&self, condition: TermId) -> Vec<Label> {
        self.meanings.take(condition)
    }

    /// The program's entry.
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

    /// The arbitrary state, in which every variable has its initial value.
    pub fn arbitrary(&self) -> State {
        State {
            guard: TermId::TRUE,
            values: PersistentMap::new(),
            passed: SmallVec::new(),
            objects: Rc::default(),
        }
    }

    /// Checks whether a target may be reached from the node before its activation ends.
    pub fn has_target(&self, node: Node) -> bool {
        self.lowered.inside[node.location.index()]
    }

    /// The definitions of the names in the given formulas, transitively.
    pub(crate) fn definitions_for(&self, formulas: &[TermId]) -> Vec<TermId> {
        self.names.definitions_for(formulas, usize::MAX)
    }

    /// The definitions of the names in the given formulas, transitively, nearest to the formulas first; `most` is their maximum
    /// number. A name whose definition is left out stands for any value.
    pub(crate) fn first_definitions_for(&self, formulas: &[TermId], most: usize) -> Vec<TermId> {
        self.names.definitions_for(formulas, most)
    }
}
