//! Waypoints: the statements and branches of the source that an execution passes along the edges, and the variables that
//! C names denote there.
//!
//! An edge may represent several statements, and a statement several edges. Each edge therefore has a list of the
//! [`Waypoint`]s that it passes, each with the number of operations before it. Only lowered programs have them, for
//! witnesses and messages; no analysis uses them.
//!
//! Names are looked up by [`Time`]: the front end counts the declarations, statements and ends of scopes that it passes in
//! the text, and a name is visible from its declaration's time up to its scope's end, except where a later one hides it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::cfa::{CScalar, EdgeId, InputId, LocationId, RegionId, VariableId};
use regatta_base::source::Span;
use regatta_term::TermId;

/// A position in the text, as the time at which the front end passed it.
pub type Time = u32;

/// A statement or branch of the source that an execution passes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waypoint {
    pub kind: WaypointKind,
    /// The time at which names are looked up.
    pub time: Time,
    /// The position; its column is zero where the original file's column is unknown (in the expansion of a macro).
    pub span: Span,
}

/// The kind of a [`Waypoint`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum WaypointKind {
    /// A statement or declaration begins, at its first character.
    Statement,
    /// The condition of the keyword (`if`, `while`, `for`, `do`) or of the `?` has been found true or false.
    Branch(bool),
    /// The `switch` goes to the case with the value, or to its default.
    Switch(Option<i64>),
    /// The controlling expression of the loop with the keyword is about to be evaluated.
    Loop,
}

/// A waypoint on an edge.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The number of the edge's operations that come before it.
    pub operation: u32,
    pub waypoint: Waypoint,
}

/// An ordinary identifier that is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredName {
    pub name: Arc<str>,
    /// The scalars of its object; empty if it denotes no object, or one that no witness or message needs.
    pub parts: Vec<NamedPart>,
    /// The address of its object, a constant or a variable, if it is in memory and fixed while the name is visible.
    pub address: Option<TermId>,
    /// The size of its object in bytes.
    pub size: u64,
    /// The time from which it is visible.
    pub begin: Time,
    /// The time at which its scope ends.
    pub end: Time,
}

/// A scalar of a named object, or a *row*: scalars at equal distances, such as the elements of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPart {
    /// The C expression, with the object's name: `s.f`, `a[3].f`; for a row with `[]` in place of the index (`a[].f`).
    pub text: String,
    pub home: PartHome,
    /// The C type.
    pub c_type: CScalar,
}

/// The storage of a [`NamedPart`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PartHome {
    /// A variable holds the scalar.
    Variable(VariableId),
    /// Cells of a memory region hold the row.
    Cells(Cells),
}

/// Cells of a memory region at equal distances.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    pub region: RegionId,
    /// The index of the first cell.
    pub first: u64,
    /// The distance from one index to the next.
    pub stride: u64,
    /// The number of cells; a single cell is not a row.
    pub count: u64,
}

impl Cells {
    /// Returns the position in the row of the cell with the index, if it is one of the row's.
    pub fn number(&self, index: u64) -> Option<u64> {
        let distance = index.checked_sub(self.first)?;
        let is_one = distance.is_multiple_of(self.stride) && distance / self.stride < self.count;
        is_one.then(|| distance / self.stride)
    }
}

/// The waypoints and names of a lowered program; empty for simplified ones.
#[derive(Clone, Debug, Default)]
pub struct Waypoints {
    passed: Vec<Passed>,
    /// For each edge the index in `passed` of its first waypoint.
    first: Vec<u32>,
    located: Vec<Located>,
    /// The names that the program declares, by begin.
    pub names: Vec<DeclaredName>,
    /// For inputs that are calls, the position of the closing parenthesis.
    call_ends: FxHashMap<InputId, Span>,
}

/// A waypoint with its location in the automaton.
#[derive(Copy, Clone, Debug)]
struct Located {
    waypoint: Waypoint,
    /// The location at which every execution is when it passes the waypoint, or which it reaches from there without
    /// operations; `None` if the waypoint is in the middle of an edge.
    location: Option<LocationId>,
}

impl Waypoints {
    /// Sets the waypoints of the next edge.
    pub fn add_edge(&mut self, passed: &[Passed]) {
        self.first.push(self.passed.len() as u32);
        self.passed.extend_from_slice(passed);
    }

    /// Gives the next edge the waypoints of another one; nothing if no edge has any.
    pub fn copy_edge(&mut self, edge: EdgeId) {
        if !self.first.is_empty() {
            let passed = self.of_edge(edge).to_vec();
            self.add_edge(&passed);
        }
    }

    /// Appends waypoints to those of the last edge.
    pub fn add_to_last_edge(&mut self, passed: impl IntoIterator<Item = Passed>) {
        self.passed.extend(passed);
    }

    /// The waypoints of the edge, in order.
    pub fn of_edge(&self, edge: EdgeId) -> &[Passed] {
        let Some(&first) = self.first.get(edge.index()) else {
            return &[];
        };
        let end = self.first.get(edge.index() + 1);
        let end = end.map_or(self.passed.len(), |&end| end as usize);
        &self.passed[first as usize..end]
    }

    /// Records the location of an occurrence of a waypoint: executions that pass the waypoint are at the location, or
    /// reach it without operations; `None` if there is no such location.
    pub fn add_place(&mut self, waypoint: Waypoint, location: Option<LocationId>) {
        self.located.push(Located { waypoint, location });
    }

    /// The waypoints all of whose occurrences are at one location, by that location. An invariant of the location holds at
    /// the waypoint.
    pub fn by_location(&self) -> FxHashMap<LocationId, Vec<Waypoint>> {
        type Key = (WaypointKind, Span);
        let mut places: FxHashMap<Key, Option<(LocationId, Waypoint)>> = FxHashMap::default();
        for &Located { waypoint, location } in &self.located {
            let here = location.map(|location| (location, waypoint));
            let place = places.entry((waypoint.kind, waypoint.span)).or_insert(here);
            if place.map(|place| place.0) != location {
                *place = None;
            }
        }
        let mut result: FxHashMap<LocationId, Vec<Waypoint>> = FxHashMap::default();
        for (location, waypoint) in places.into_values().flatten() {
            result.entry(location).or_default().push(waypoint);
        }
        for waypoints in result.values_mut() {
            waypoints.sort_by_key(|waypoint| waypoint.time);
        }
        result
    }

    /// Sets the position of the closing parenthesis of the call that the input stands for.
    pub fn set_call_end(&mut self, input: InputId, end: Span) {
        if end != Span::NONE {
            self.call_ends.insert(input, end);
        }
    }

    /// The position of the closing parenthesis of the call that the input stands for.
    pub fn call_end(&self, input: InputId) -> Option<Span> {
        self.call_ends.get(&input).copied()
    }
}

/// An index of the names of a program.
pub struct Names<'w> {
    waypoints: &'w Waypoints,
    of_variable: FxHashMap<VariableId, Vec<PartIndex>>,
    of_region: FxHashMap<RegionId, Vec<PartIndex>>,
    of_address: FxHashMap<TermId, Vec<usize>>,
    of_name: FxHashMap<&'w str, Vec<usize>>,
}

/// The index of a name, and the index of one of its parts.
type PartIndex = (usize, usize);

impl<'w> Names<'w> {
    pub fn new(waypoints: &'w Waypoints) -> Self {
        let mut names = Self {
            waypoints,
            of_variable: FxHashMap::default(),
            of_region: FxHashMap::default(),
            of_address: FxHashMap::default(),
            of_name: FxHashMap::default(),
        };
        for (index, declared) in waypoints.names.iter().enumerate() {
            let same = names.of_name.entry(&declared.name).or_default();
            same.push(index);
            if let Some(address) = declared.address {
                names.of_address.entry(address).or_default().push(index);
            }
            for (part, NamedPart { home, .. }) in declared.parts.iter().enumerate() {
                let homes = match home {
                    PartHome::Variable(variable) => names.of_variable.entry(*variable).or_default(),
                    PartHome::Cells(cells) => names.of_region.entry(cells.region).or_default(),
                };
                homes.push((index, part));
            }
        }
        names
    }

    /// The declaration with the index, if its name denotes it at the time: among the visible declarations of a name the
    /// latest counts.
    fn seen(&self, index: usize, at: Time) -> Option<&'w DeclaredName> {
        let names = &self.waypoints.names;
        let declared = &names[index];
        let same = self.of_name.get(&*declared.name)?.iter();
        let meaning = same
            .copied()
            .filter(|&index| names[index].begin <= at && at < names[index].end)
            .max_by_key(|&index| names[index].begin)?;
        // The same object may be declared again.
        let is_same = meaning == index
            || (!declared.parts.is_empty() && names[meaning].parts == declared.parts);
        is_same.then_some(declared)
    }

    /// The C expression that denotes the variable at the time; `None` if there is none, or if another name hides it.
    pub fn of(&self, variable: VariableId, at: Time) -> Option<String> {
        let mut parts = self.of_variable.get(&variable)?.iter();
        parts.find_map(|&(index, part)| {
            let declared = self.seen(index, at)?;
            Some(declared.parts[part].text.clone())
        })
    }

    /// The rows and single scalars in the region that have a name at the time: the C expression (with `[]` for the index in
    /// a row), the cells, and the C type.
    pub fn in_region(
        &self,
        region: RegionId,
        at: Time,
    ) -> impl Iterator<Item = (String, Cells, CScalar)> + '_ {
        let parts = self.of_region.get(&region).map_or(&[][..], Vec::as_slice);
        parts.iter().filter_map(move |&(index, part)| {
            let declared = self.seen(index, at)?;
            let part = &declared.parts[part];
            let PartHome::Cells(cells) = part.home else {
                return None;
            };
            Some((part.text.clone(), cells, part.c_type))
        })
    }

    /// The name of the object at the address, which is a constant or a variable.
    pub fn at_address(&self, address: TermId, at: Time) -> Option<&'w str> {
        let mut objects = self.of_address.get(&address)?.iter();
        objects.find_map(|&index| Some(&*self.seen(index, at)?.name))
    }
}
