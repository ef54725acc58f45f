//! What control passes in the source on its way along the edges, and which C names mean which variables there.
//!
//! An edge may stand for several statements, and a statement for several edges: so each edge has a list of the
//! [`Waypoint`]s that it passes, with how many of its operations come before each. Only a program as lowered has them; they
//! are what witnesses and messages for people are made of, and mean nothing to an analysis.
//!
//! Names are looked up by [`Time`]: the front end counts what it passes in the text, declarations and ends of scopes
//! included, so that a name can be seen from its declaration's time up to its scope's end, but where a later one hides it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::cfa::{CScalar, EdgeId, InputId, LocationId, RegionId, VariableId};
use super::source::Span;
use crate::term::TermId;

/// When the front end was at a place of the text.
pub type Time = u32;

/// Something in the source that control passes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waypoint {
    pub kind: WaypointKind,
    /// What names mean there.
    pub time: Time,
    /// Where; its column is zero if that is not the column of the original file (in what a macro expands to).
    pub span: Span,
}

/// What a [`Waypoint`] is.
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
    /// How many of the edge's operations come before it.
    pub operation: u32,
    pub waypoint: Waypoint,
}

/// An ordinary identifier that is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredName {
    pub name: Arc<str>,
    /// What the scalars of its object are in the program; none for what is no object, or none that matters.
    pub parts: Vec<NamedPart>,
    /// Where its object is, if that is in memory and the same as long as the name can be seen: a constant, or a variable.
    pub address: Option<TermId>,
    /// The size of its object in bytes.
    pub size: u64,
    /// From when it can be seen.
    pub begin: Time,
    /// When its scope ends.
    pub end: Time,
}

/// A scalar in an object that has a name, or a row of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPart {
    /// The C expression, with the object's name: `s.f`, `a[3].f`; of a row with `[]` where the index goes (`a[].f`).
    pub text: String,
    pub home: PartHome,
    /// How C reads it.
    pub c_type: CScalar,
}

/// What holds a [`NamedPart`].
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
    /// The index of the first one.
    pub first: u64,
    /// From one index to the next.
    pub stride: u64,
    /// How many there are; a single one is no row.
    pub count: u64,
}

impl Cells {
    /// Which of them has the index.
    pub fn number(&self, index: u64) -> Option<u64> {
        let distance = index.checked_sub(self.first)?;
        let is_one = distance.is_multiple_of(self.stride) && distance / self.stride < self.count;
        is_one.then(|| distance / self.stride)
    }
}

/// The waypoints and names of a program as lowered; empty for others.
#[derive(Clone, Debug, Default)]
pub struct Waypoints {
    passed: Vec<Passed>,
    /// For each edge where its waypoints begin in `passed`.
    first: Vec<u32>,
    located: Vec<Located>,
    /// The names that the program declares, by where they begin.
    pub names: Vec<DeclaredName>,
    /// For inputs that are calls, the closing parenthesis.
    call_ends: FxHashMap<InputId, Span>,
}

/// A waypoint with its place in the graph.
#[derive(Copy, Clone, Debug)]
struct Located {
    waypoint: Waypoint,
    /// Whenever control is at the waypoint, it is at the location, or nothing happens on its way there; `None` if the
    /// waypoint is in the middle of an edge.
    location: Option<LocationId>,
}

impl Waypoints {
    /// The next edge has the waypoints.
    pub fn add_edge(&mut self, passed: &[Passed]) {
        self.first.push(self.passed.len() as u32);
        self.passed.extend_from_slice(passed);
    }

    /// The last edge has more waypoints, after the others.
    pub fn add_to_last_edge(&mut self, passed: impl IntoIterator<Item = Passed>) {
        self.passed.extend(passed);
    }

    /// What the edge passes, in order.
    pub fn of_edge(&self, edge: EdgeId) -> &[Passed] {
        let Some(&first) = self.first.get(edge.index()) else {
            return &[];
        };
        let end = self.first.get(edge.index() + 1);
        let end = end.map_or(self.passed.len(), |&end| end as usize);
        &self.passed[first as usize..end]
    }

    /// Notes where in the graph a waypoint occurs: whenever control is there, it is at the location, or nothing happens
    /// until it comes there; `None` if that is so of no location.
    pub fn add_place(&mut self, waypoint: Waypoint, location: Option<LocationId>) {
        self.located.push(Located { waypoint, location });
    }

    /// The waypoints at which control is only when it is at a certain location, by that location. What holds whenever the
    /// location is reached holds at the waypoint.
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

    /// Notes the closing parenthesis of the call that the input is.
    pub fn set_call_end(&mut self, input: InputId, end: Span) {
        if end != Span::NONE {
            self.call_ends.insert(input, end);
        }
    }

    /// The closing parenthesis of the call that the input is.
    pub fn call_end(&self, input: InputId) -> Option<Span> {
        self.call_ends.get(&input).copied()
    }
}

/// The names of a program, for looking them up.
pub struct Names<'w> {
    waypoints: &'w Waypoints,
    of_variable: FxHashMap<VariableId, Vec<PartIndex>>,
    of_region: FxHashMap<RegionId, Vec<PartIndex>>,
    of_address: FxHashMap<TermId, Vec<usize>>,
    of_name: FxHashMap<&'w str, Vec<usize>>,
}

/// A name's number, and that of one of its parts.
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

    /// The declaration with the number, if its name means that at the time: of the declarations that can be seen, the
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

    /// The C expression by which the variable is known at the time; `None` where it has none, or where another hides it.
    pub fn of(&self, variable: VariableId, at: Time) -> Option<String> {
        let mut parts = self.of_variable.get(&variable)?.iter();
        parts.find_map(|&(index, part)| {
            let declared = self.seen(index, at)?;
            Some(declared.parts[part].text.clone())
        })
    }

    /// The rows and single scalars in the region that have a name at the time, and these, with `[]` for an index in a row.
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

    /// The object that is at the address, which is a constant or a variable, as the operand of `&`.
    pub fn at_address(&self, address: TermId, at: Time) -> Option<&'w str> {
        let mut objects = self.of_address.get(&address)?.iter();
        objects.find_map(|&index| Some(&*self.seen(index, at)?.name))
    }
}
