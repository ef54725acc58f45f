//! The cores and the memory that the machine has for runs.

use std::collections::BTreeSet;

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;

use crate::definition::{Definition, SideBySide};
use regatta_base::process::machine_mib;

/// The sets of cores, one for each run at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots(pub Vec<Vec<usize>>);

impl Slots {
    /// Divides the machine's cores as the experiment demands.
    ///
    /// # Errors
    /// A message when the machine has too few cores.
    pub fn of(definition: &Definition) -> Result<Self, String> {
        let cores = cores();
        let each = definition.limits.cores as usize;
        if each > cores.len() {
            return Err(format!(
                "a run needs {each} cores; this process may use {}",
                cores.len()
            ));
        }
        let by_cores = cores.len() / each;
        let by_memory = match (definition.limits.memory, machine_mib("MemAvailable")) {
            (Some(memory), Some(available)) => (available / memory.max(1)) as usize,
            _ => usize::MAX,
        };
        let number = match definition.side_by_side {
            SideBySide::Auto => by_cores.min(by_memory).max(1),
            SideBySide::Fixed(number) => {
                let number = usize::from(number);
                if number > by_cores {
                    return Err(format!(
                        "{number} runs side by side need {} cores; this process may use {}",
                        number * each,
                        cores.len()
                    ));
                }
                number
            }
        };
        let slots = cores.chunks(each).take(number).map(<[usize]>::to_vec);
        Ok(Self(slots.collect()))
    }
}

/// Returns the cores that this process may use; hardware threads of one physical core are neighbours.
pub fn cores() -> Vec<usize> {
    let allowed = sched_getaffinity(Pid::from_raw(0)).unwrap_or_default();
    let is_allowed = |&core: &usize| allowed.is_set(core).unwrap_or(false);
    let mut left: BTreeSet<usize> = (0..CpuSet::count()).filter(is_allowed).collect();
    let mut ordered = Vec::with_capacity(left.len());
    while let Some(first) = left.pop_first() {
        ordered.push(first);
        for sibling in siblings(first) {
            if left.remove(&sibling) {
                ordered.push(sibling);
            }
        }
    }
    ordered
}

/// Returns the number of the machine's online cores.
pub fn online() -> usize {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    list(text.trim()).len()
}

/// Returns the hardware threads of the same physical core, from a list such as `0,4` or `0-1`.
fn siblings(core: usize) -> Vec<usize> {
    let file = format!("/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    list(text.trim())
}

fn list(text: &str) -> Vec<usize> {
    let parts = text.split(',').filter_map(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse::<usize>().ok()?..=last.trim().parse::<usize>().ok()?)
    });
    parts.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn lists_of_cores() {
        assert_eq!(list("0-2,5"), [0, 1, 2, 5]);
        assert_eq!(list("3"), [3]);
        assert!(list("").is_empty());
    }

    #[test]
    fn no_core_is_given_twice() {
        let with = |more: &str| {
            let text = format!("{more}\n[[tasks]]\nfiles = [\"*.c\"]\n[[configuration]]\n");
            let definition = Definition::parse("e", &text, Path::new("")).expect("a file");
            Slots::of(&definition)
        };
        let all = cores();
        let Slots(slots) = with("limits.wall = 1").expect("slots");
        assert_eq!(slots.concat().len(), all.len());
        let Slots(one) = with("side_by_side = 1\nlimits.wall = 1").expect("slots");
        assert_eq!(one.len(), 1);
        let Slots(memory) = with("limits.wall = 1\nlimits.memory = 999999999").expect("slots");
        assert_eq!(memory.len(), 1);
        assert!(with("side_by_side = 5000\nlimits.wall = 1").is_err());
        assert!(with("limits.wall = 1\nlimits.cores = 5000").is_err());
    }
}
