//! Sections that the linker and the loader act on.
//!
//! The loader calls what the objects in `.preinit_array`, `.init_array` and `.fini_array` point to, and in `.ctors` and
//! `.dtors`, which the linker puts into these. The attributes `constructor` and `destructor` make such entries. All come in
//! the order of the numbers behind the names of their sections, those without a number last, and within one section in
//! that of their definitions, which is how gcc writes a file that it does not optimise: the ledger says so. At the end of the
//! program the order is the reverse one. What is called is what the initialisers say: functions, or what follows is not modelled.
//!
//! The compiler aligns large arrays, which leaves holes in the loader's array: null pointers, that it calls. So these are not
//! modelled, nor objects that the compiler may leave out since nothing names them, nor what is put into the sections of
//! code that runs at the start and at the end.
//!
//! Other sections change nothing, except that what is in `.noinit` need not be zero at first where no system clears it.

use super::specifier::Attributes;
use super::{Lowerer, fold};

use crate::ir::{Argument, Expr, FunctionIndex, Instruction, ObjectIndex, Place};
use crate::library::linker;
use crate::memory::walk::start_of;
use regatta_program::AssumptionKind;

/// An array of functions that the loader calls.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Array {
    /// `.preinit_array`.
    BeforeAll,
    /// `.init_array`.
    Start,
    /// `.fini_array`, from its end.
    End,
}

/// Where a definition stands in the text: the function that was defined last before it, or is it, and the number of objects
/// since then.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position(Option<FunctionIndex>, usize);

impl Position {
    pub(super) const fn function(index: FunctionIndex) -> Self {
        Self(Some(index), 0)
    }
}

/// An object in one of the loader's arrays.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    section: Section,
    /// Where it is defined; none if it is only declared.
    position: Option<Position>,
    /// Whether the compiler keeps it.
    kept: bool,
}

/// One section of those that become an array.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    array: Array,
    /// Sections of smaller numbers come first.
    priority: u32,
    /// Whether it is one of those that are read from their end: `.ctors`, `.dtors`.
    backwards: bool,
    name: String,
}

/// The priority of what has none, as gcc has it.
const LAST: u32 = 65535;

/// What a section comes to.
enum Meaning {
    /// Nothing that a program sees.
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
            Some(number) => number.parse().ok().filter(|number| *number <= LAST),
            None if rest.is_empty() => Some(if backwards { 0 } else { LAST }),
            None => return Meaning::Inert,
        };
        return match number {
            Some(number) => Meaning::Array(Section {
                array,
                priority: if backwards { LAST - number } else { number },
                backwards,
                name: name.to_owned(),
            }),
            None => Meaning::Unsupported,
        };
    }
    Meaning::Inert
}

/// Something that the loader calls, by the order in which it does.
struct Entry {
    /// The priority, whether it is in a section that is read from its end, that section's name, and the place in it.
    order: (u32, bool, String, Position, usize),
    called: Called,
}

enum Called {
    Function(FunctionIndex),
    /// Code that is not known.
    Unknown(String),
    /// What follows is not modelled.
    Unsupported(String),
}

impl Lowerer<'_> {
    /// Notes the section of an object, if a declaration gives it one.
    pub(super) fn note_section(
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

    /// The address that a symbol of the linker's is known to have: that where the only object of a section begins or ends.
    pub(super) fn section_bound(&self, symbol: &str) -> Option<Expr> {
        let section = linker::section(symbol)?;
        let sections = self.lifecycle.sections.iter();
        let mut inside = sections.filter(|(_, name)| *name == section);
        let (&object, _) = inside.next()?;
        let known = &self.objects[object.0 as usize];
        let is_local = known.name.contains("::");
        // What is to come may be in the section, too.
        let once = self.count_in_text(&format!("\"{section}\"")) == 1;
        if inside.next().is_some() || !once || !(is_local || self.is_defined(&known.name)) {
            return None;
        }
        let size = match linker::is_start(symbol) {
            true => 0,
            false => known.size,
        };
        Some(self.constant_offset(Expr::ObjectAddress(object), size))
    }

    /// An object is defined here.
    pub(super) fn note_place_in_section(&mut self, object: ObjectIndex) {
        self.lifecycle.objects += 1;
        let position = Position(self.lifecycle.last_definition, self.lifecycle.objects);
        if let Some(placed) = self.lifecycle.placed.get_mut(&object) {
            placed.position.get_or_insert(position);
        }
    }

    /// A function in a section: what is not only another place for code is not modelled.
    pub(super) fn note_function_section(&mut self, attributes: &Attributes) {
        if let Some(name) = &attributes.section
            && matches!(meaning(name), Meaning::Unsupported | Meaning::Array(_))
        {
            self.refuse(&format!("a function in section `{name}`"));
        }
    }

    /// Notes that the order within a section is assumed, where that is the compiler's choice.
    pub(super) fn note_section_order(&mut self) {
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
    pub(super) fn scheduled_functions(&self, array: Array) -> Vec<FunctionIndex> {
        let entries = self.entries(array).into_iter();
        entries
            .filter_map(|entry| match entry.called {
                Called::Function(index) => Some(index),
                _ => None,
            })
            .collect()
    }

    /// The calls that the loader makes for an array, in the order of its elements.
    pub(super) fn scheduled(&self, array: Array, arguments: &[Argument]) -> Vec<Instruction> {
        let entries = self.entries(array).into_iter();
        entries
            .map(|entry| match entry.called {
                Called::Function(index) => self.scheduled_call(index, arguments),
                Called::Unknown(name) => Instruction::CallUnknown {
                    name,
                    arguments: Vec::new(),
                    result: None,
                    returns: false,
                    effect: self.options.unknown_calls,
                },
                Called::Unsupported(what) => Instruction::Unsupported(what),
            })
            .collect()
    }

    fn entries(&self, array: Array) -> Vec<Entry> {
        let attributed = self.attributed(array).into_iter();
        let mut entries: Vec<Entry> = attributed
            .map(|(priority, position, index)| Entry {
                order: (priority.min(LAST), false, String::new(), position, 0),
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

    /// Adds what an object holds.
    fn add_entries(&self, object: ObjectIndex, placed: &Placed, entries: &mut Vec<Entry>) {
        let Some(position) = placed.position else {
            return;
        };
        let known = &self.objects[object.0 as usize];
        let bits = self.options.data_model.pointer_bits();
        let bytes = u64::from(bits / 8);
        // The same section under another name comes in the order of the names.
        let plain = match placed.section.priority {
            LAST => "",
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
        // From this size on, an array is aligned to more than a pointer.
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

    /// The function whose address the start function writes to a place in an object, if that is all that it writes there.
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

/// How far into its object a place begins.
fn constant_offset(place: &Place) -> Option<i128> {
    match &*place.address {
        Expr::ObjectAddress(_) => Some(0),
        Expr::Offset { base, bytes } if matches!(**base, Expr::ObjectAddress(_)) => {
            fold::constant(bytes)
        }
        _ => None,
    }
}

/// The function that a constant points to.
fn function_of(value: &Expr) -> Option<Called> {
    match value {
        Expr::FunctionAddress(index) => Some(Called::Function(*index)),
        Expr::ExternalFunctionAddress(name) => Some(Called::Unknown(name.clone())),
        Expr::Convert { operand, .. } => function_of(operand),
        _ => None,
    }
}
