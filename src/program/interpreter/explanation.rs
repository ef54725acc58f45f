//! What is wrong with memory, in words.

use super::outcome::{Life, MemoryFault, MemoryFaultKind, Site};
use crate::{Program, Span, last_part};

/// What is wrong with memory, in words, and where the object came from and went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryExplanation {
    /// What is wrong, as a sentence without an initial capital.
    pub what: String,
    /// What happened to the object, with its places in the source.
    pub history: Vec<(Span, &'static str)>,
}

impl MemoryFault {
    /// Explains a fault of a run of the program.
    pub fn explain(&self, program: &Program) -> MemoryExplanation {
        let object = self.object.map_or_else(
            || "an object".to_owned(),
            |life| describe_object(&life, program),
        );
        let (bytes, offset) = (count(self.bytes), self.offset);
        let are = if self.bytes == 1 { "is" } else { "are" };
        let what = match self.kind {
            MemoryFaultKind::NullAccess => format!("{bytes} {are} accessed through a null pointer"),
            MemoryFaultKind::AccessAfterEnd => {
                format!("{bytes} {are} accessed in {object}, which does not exist any more")
            }
            MemoryFaultKind::OutOfBounds => {
                format!("{bytes} at offset {offset} {are} accessed, but there is {object}")
            }
            MemoryFaultKind::NoObject => {
                format!("{bytes} {are} accessed through a pointer to no object")
            }
            MemoryFaultKind::DoubleFree => format!("{object} has ended before and is freed"),
            MemoryFaultKind::FreeOfOther if self.object.is_some() => {
                format!("{object} is freed, which no call of malloc has made")
            }
            MemoryFaultKind::FreeOfOther => "a pointer to no object is freed".to_owned(),
            MemoryFaultKind::FreeInside => {
                format!("a pointer to offset {offset} of {object} is freed")
            }
            MemoryFaultKind::Lost => {
                format!("{object} is not freed, and no pointer leads to it at the end")
            }
            MemoryFaultKind::NotFreed => format!("{object} is not freed at the end"),
        };
        let history = self.object.map_or_else(Vec::new, |life| {
            let ending = match life.is_on_heap {
                true => "freed here",
                false => "its scope ends here",
            };
            let step = |site: Option<Site>, what| Some((place(program, site?), what));
            let made = life.made.filter(|_| life.is_on_heap);
            let steps = [step(made, "allocated here"), step(life.ended, ending)];
            // Functions of the library have no places.
            let known = |step: &(Span, &str)| step.0.line > 0;
            steps.into_iter().flatten().filter(known).collect()
        });
        MemoryExplanation { what, history }
    }
}

/// The place in the source of the statement that an operation belongs to.
fn place(program: &Program, site: Site) -> Span {
    let passed = program.waypoints.of_edge(site.edge).iter();
    let mut before = passed.filter(|passed| passed.operation <= u32::from(site.operation));
    let statement = before.next_back().map(|passed| passed.waypoint.span);
    statement.unwrap_or_else(|| {
        let edge = program.edge(site.edge);
        program.location(edge.source).span
    })
}

fn describe_object(life: &Life, program: &Program) -> String {
    let size = count(life.size);
    match life.object {
        Some(id) => format!("`{}` of {size}", last_part(&program.object(id).name)),
        None if life.is_on_heap => format!("an allocated object of {size}"),
        None => format!("a local object of {size}"),
    }
}

fn count(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        _ => format!("{bytes} bytes"),
    }
}
