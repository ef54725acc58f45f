//! Sections with a meaning for the linker and the loader.
//!
//! The loader calls the functions to which the objects in `.preinit_array`, `.init_array` and `.fini_array` point, and
//! those in `.ctors` and `.dtors`, which the linker merges into these. The attributes `constructor` and `destructor`
//! create such entries. Entries are ordered by the number behind the name of their section, those without a number
//! last, and within a section by definition, as gcc orders a file without optimisation: that is an assumption in the
//! ledger. At the end of the program the order is reversed. The initialisers determine the called functions; otherwise
//! the rest of the path is not modelled.
//!
//! The compiler aligns large arrays, which leaves holes in the loader's array: null pointers, which it calls. So these
//! are not modelled, nor are objects that the compiler may omit because nothing uses them, nor the sections of code
//! that runs at the start and at the end.
//!
//! Other sections have no effect, except that objects in `.noinit` may be nonzero initially where no system clears
//! them.

use super::specifier::Attributes;
use crate::lower::Lowerer;
use crate::lower::environment::exit::Lifecycle;
use crate::lower::expressions::fold;

use crate::ir::{Argument, Expr, FunctionIndex, Instruction, ObjectIndex, Place};
use crate::library::linker;
use crate::memory::walk::start_of;
use regatta_program::AssumptionKind;

/// An array of functions that the loader calls.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Array {
    /// `.preinit_array`.
    BeforeAll,
    /// `.init_array`.
    Start,
    /// `.fini_array`, from its end.
    End,
}

/// The position of a definition: the last function definition up to it, and the number of objects since.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::lower) struct Position(Option<FunctionIndex>, usize);

impl Position {
    pub(in crate::lower) const fn function(index: FunctionIndex) -> Self {
        Self(Some(index), 0)
    }
}

/// An object in one of the loader's arrays.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Placed {
    section: Section,
    /// The position of its definition; `None` if it is only declared.
    position: Option<Position>,
    /// Whether the compiler keeps it.
    kept: bool,
}

/// A section that is merged into an array.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    array: Array,
    /// Sections with smaller numbers come first.
    priority: u32,
    /// Whether the section is read from its end: `.ctors`, `.dtors`.
    backwards: bool,
    name: String,
}

/// The priority of entries without one, as in gcc.
const LAST_PRIORITY: u32 = 65535;

/// The effect of a section's name.
enum Meaning {
    /// No effect that a program can observe.
    Inert,
    Array(Section),
    /// Not cleared at the start on all machines.
    NotCleared,
    Unsupported,
}

fn meaning(name: &str) -> Meaning {
    const ARRAYS: [(&str, Array, bool); 5] = [
        (".preinit_array", Array::BeforeAll, false),
        (".init_array", Array::Start, false),
        (".ctors", Array::Start, true),
        (".fini_array", Array::End, false),
        (".dtors", Array::End, true),
    ];
    if matches!(
        name,
        ".init" | ".fini" | ".interp" | ".dynamic" | ".got" | ".plt"
    ) {
        return Meaning::Unsupported;
    }
    if name.contains("noinit") || name.contains("persistent") {
        return Meaning::NotCleared;
    }
    for (start, array, backwards) in ARRAYS {
        let Some(rest) = name.strip_prefix(start) else {
            continue;
        };
        let number = match rest.strip_prefix('.') {
            Some(number) => number
                .parse()
                .ok()
                .filter(|number| *number <= LAST_PRIORITY),
            None if rest.is_empty() => Some(if backwards { 0 } else { LAST_PRIORITY }),
            None => return Meaning::Inert,
        };
        return match number {
            Some(number) => Meaning::Array(Section {
                array,
                priority: if backwards {
                    LAST_PRIORITY - number
                } else {
                    number
                },
                backwards,
                name: name.to_owned(),
            }),
            None => Meaning::Unsupported,
        };
    }
    Meaning::Inert
}

/// An entry of the loader's array, with its sort key.
struct Entry {
    /// Priority, whether the section is read from its end, name of the section, position in it, element number.
    order: (u32, bool, String, Position, usize),
    called: Called,
}

enum Called {
    Function(FunctionIndex),
    /// Unknown code.
    Unknown(String),
    /// The rest of the path is not modelled.
    Unsupported(String),
}

impl Lifecycle {
    /// Records the position of an object's definition.
    pub(in crate::lower) fn note_definition_of(&mut self, object: ObjectIndex) {
        self.objects += 1;
        let position = Position(self.last_definition, self.objects);
        if let Some(placed) = self.placed.get_mut(&object) {
            placed.position.get_or_insert(position);
        }
    }
}

impl Lowerer<'_> {
    /// Records the section of an object, if a declaration specifies one.
    pub(in crate::lower) fn note_section(
        &mut self,
        object: ObjectIndex,
        attributes: &Attributes,
        is_static: bool,
    ) {
        let Some(name) = &attributes.section else {
            if attributes.used
                && let Some(placed) = self.lifecycle.placed.get_mut(&object)
            {
                placed.kept = true;
            }
            return;
        };
        self.lifecycle.sections.insert(object, name.clone());
        match meaning(name) {
            Meaning::Inert => {}
            Meaning::NotCleared => {
                let what = format!("objects in section `{name}` are zero at first");
                self.in_start(|this| this.note_assumption(AssumptionKind::Environment, what));
            }
            Meaning::Unsupported => self.refuse(&format!("an object in section `{name}`")),
            Meaning::Array(section) => {
                let kept = attributes.used || !is_static;
                let known = self.lifecycle.placed.entry(object);
                let placed = known.or_insert(Placed {
                    section,
                    position: None,
                    kept,
                });
                placed.kept |= kept;
            }
        }
    }

    /// The address of a section's bound that the linker defines, if the section contains exactly one object.
    pub(in crate::lower) fn section_bound(&self, symbol: &str) -> Option<Expr> {
        let section = linker::section(symbol)?;
        let sections = self.lifecycle.sections.iter();
        let mut inside = sections.filter(|(_, name)| *name == section);
        let (&object, _) = inside.next()?;
        let known = &self.objects[object];
        let is_local = known.name.contains("::");
        // Later objects may be in the section, too.
        let once = self.count_in_text(&format!("\"{section}\"")) == 1;
        if inside.next().is_some() || !once || !(is_local || self.linkage.defines_name(&known.name))
        {
            return None;
        }
        let size = match linker::is_start(symbol) {
            true => 0,
            false => known.size,
        };
        Some(self.constant_offset(Expr::ObjectAddress(object), size))
    }

    /// Refuses a function in a section that has a meaning other than the placement of code.
    pub(in crate::lower) fn note_function_section(&mut self, attributes: &Attributes) {
        if let Some(name) = &attributes.section
            && matches!(meaning(name), Meaning::Unsupported | Meaning::Array(_))
        {
            self.refuse(&format!("a function in section `{name}`"));
        }
    }

    /// Records the assumption about the order within a section, where the compiler chooses it.
    pub(in crate::lower) fn note_section_order(&mut self) {
        for array in [Array::BeforeAll, Array::Start, Array::End] {
            let entries = self.entries(array);
            let section = |entry: &Entry| (entry.order.0, entry.order.1, entry.order.2.clone());
            let is_object = |entry: &Entry| entry.order.3.1 != 0;
            let open = entries.windows(2).any(|pair| {
                section(&pair[0]) == section(&pair[1])
                    && pair[0].order.3 != pair[1].order.3
                    && pair.iter().any(is_object)
            });
            if open {
                let what = "the objects of a section come in the order of their definitions";
                self.note_assumption(AssumptionKind::Layout, what);
            }
        }
    }

    /// The functions that the loader calls for an array.
    pub(in crate::lower) fn scheduled_functions(&self, array: Array) -> Vec<FunctionIndex> {
        let entries = self.entries(array).into_iter();
        entries
            .filter_map(|entry| match entry.called {
                Called::Function(index) => Some(index),
                _ => None,
            })
            .collect()
    }

    /// The calls that the loader makes for an array, in the order of its elements.
    pub(in crate::lower) fn scheduled(
        &self,
        array: Array,
        arguments: &[Argument],
    ) -> Vec<Instruction> {
        let entries = self.entries(array).into_iter();
        entries
            .map(|entry| match entry.called {
                Called::Function(index) => self.scheduled_call(index, arguments),
                Called::Unknown(name) => Instruction::CallUnknown {
                    name,
                    arguments: Vec::new(),
                    result: None,
                    returns: false,
                    effect: self.input.unknown_calls(),
                },
                Called::Unsupported(what) => Instruction::Unsupported(what),
            })
            .collect()
    }

    fn entries(&self, array: Array) -> Vec<Entry> {
        let attributed = self.attributed(array).into_iter();
        let mut entries: Vec<Entry> = attributed
            .map(|(priority, position, index)| Entry {
                order: (
                    priority.min(LAST_PRIORITY),
                    false,
                    String::new(),
                    position,
                    0,
                ),
                called: Called::Function(index),
            })
            .collect();
        let placed = self.lifecycle.placed.iter();
        for (&object, placed) in placed.filter(|(_, placed)| placed.section.array == array) {
            self.add_entries(object, placed, &mut entries);
        }
        entries.sort_by(|one, other| one.order.cmp(&other.order));
        let number = |entry: &Entry| (entry.order.0, entry.order.1);
        if entries
            .windows(2)
            .any(|pair| number(&pair[0]) < number(&pair[1]) && pair[0].order.0 == pair[1].order.0)
        {
            let what = "sections that are read from either end, in one array".to_owned();
            return vec![Entry {
                order: (0, false, String::new(), Position(None, 0), 0),
                called: Called::Unsupported(what),
            }];
        }
        let mut start = 0;
        while start < entries.len() {
            let same = |entry: &&Entry| {
                let (priority, backwards, ..) = &entry.order;
                (priority, backwards) == (&entries[start].order.0, &entries[start].order.1)
            };
            let end = start + entries[start..].iter().take_while(same).count();
            if entries[start].order.1 {
                entries[start..end].reverse();
            }
            start = end;
        }
        entries
    }

    fn add_entries(&self, object: ObjectIndex, placed: &Placed, entries: &mut Vec<Entry>) {
        let Some(position) = placed.position else {
            return;
        };
        let known = &self.objects[object];
        let bits = self.input.pointer_bits();
        let bytes = u64::from(bits / 8);
        // Sections of the same number but with other names are ordered by name.
        let plain = match placed.section.priority {
            LAST_PRIORITY => "",
            _ => placed.section.name.as_str(),
        };
        let canonical = format!("{:05}", placed.section.priority);
        let name = match plain.ends_with(&canonical) {
            true => String::new(),
            false => plain.to_owned(),
        };
        let order = |number| {
            let section = &placed.section;
            (
                section.priority,
                section.backwards,
                name.clone(),
                position,
                number,
            )
        };
        let name = &placed.section.name;
        // Minimum size (bytes) from which an array is aligned to more than a pointer.
        let largest = if bits == 64 { 16 } else { 32 };
        let problem = if !placed.kept {
            Some("that the compiler may leave out")
        } else if known.size >= largest
            || known.alignment > bytes
            || !known.size.is_multiple_of(bytes)
        {
            Some("that is aligned")
        } else {
            None
        };
        if let Some(problem) = problem {
            let what = format!("an object in section `{name}` {problem}");
            let called = Called::Unsupported(what);
            entries.push(Entry {
                order: order(0),
                called,
            });
            return;
        }
        for number in 0..known.size / bytes {
            let called = self.contents(object, number * bytes).unwrap_or_else(|| {
                Called::Unsupported(format!("what `{}` in section `{name}` holds", known.name))
            });
            entries.push(Entry {
                order: order(number as usize),
                called,
            });
        }
    }

    /// The function whose address is the only value that the start function writes to a place in an object.
    fn contents(&self, object: ObjectIndex, offset: u64) -> Option<Called> {
        let mut found = None;
        for instruction in self.function.instructions() {
            match instruction {
                Instruction::Assign { place, value }
                    if start_of(&place.address) == Some(object) =>
                {
                    if constant_offset(place)? == i128::from(offset)
                        && found.replace(function_of(value)?).is_some()
                    {
                        return None;
                    }
                }
                Instruction::Copy { destination, .. } if start_of(destination) == Some(object) => {
                    return None;
                }
                other => {
                    if other
                        .written_place()
                        .is_some_and(|place| start_of(&place.address) == Some(object))
                    {
                        return None;
                    }
                }
            }
        }
        found
    }
}

/// The constant offset of a place in its object.
fn constant_offset(place: &Place) -> Option<i128> {
    match &*place.address {
        Expr::ObjectAddress(_) => Some(0),
        Expr::Offset { base, bytes } if matches!(**base, Expr::ObjectAddress(_)) => {
            fold::constant(bytes)
        }
        _ => None,
    }
}

/// The function to which a constant points.
fn function_of(value: &Expr) -> Option<Called> {
    match value {
        Expr::FunctionAddress(index) => Some(Called::Function(*index)),
        Expr::ExternalFunctionAddress(name) => Some(Called::Unknown(name.clone())),
        Expr::Convert { operand, .. } => function_of(operand),
        _ => None,
    }
}
