//! The runs of an experiment and their order.

use crate::definition::Order;
use crate::definition::selection::draw;
use crate::results::folder::Fixed;
use crate::results::record::Key;
use regatta_base::digest::hexadecimal;

/// A run that is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    pub key: Key,
    /// The numbers of configuration and task in the description.
    pub configuration: usize,
    pub task: usize,
    /// The log's file, relative to the folder, without its extension.
    pub log: String,
}

/// Returns all runs in their order.
pub fn plan(fixed: &Fixed) -> Vec<Planned> {
    let mut runs = Vec::new();
    for repetition in 0..fixed.repetitions {
        for (task, selected) in fixed.tasks.iter().enumerate() {
            for (configuration, described) in fixed.configurations.iter().enumerate() {
                let key = Key {
                    configuration: described.name.clone(),
                    task: selected.name.clone(),
                    repetition,
                };
                runs.push(Planned {
                    log: log(&key),
                    key,
                    configuration,
                    task,
                });
            }
        }
    }
    if fixed.order == Order::Shuffled {
        runs.sort_by_cached_key(|run| draw(fixed.seed, &run.log));
    }
    runs
}

/// Returns a name for the run's files that no other run has.
fn log(key: &Key) -> String {
    let (configuration, task) = (plain(&key.configuration), plain(&key.task));
    let repetition = match key.repetition {
        0 => String::new(),
        number => format!(".{}", number + 1),
    };
    format!("logs/{configuration}/{task}{repetition}")
}

/// Returns the name in plain letters; different names have different results.
fn plain(name: &str) -> String {
    /// Maximum number of letters.
    const MAXIMUM_NAME_LENGTH: usize = 100;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_+".contains(letter);
    let text: String = name
        .chars()
        .take(MAXIMUM_NAME_LENGTH)
        .map(|letter| match letter {
            '/' => '+',
            letter if is_plain(letter) => letter,
            _ => '_',
        })
        .collect();
    match text == name.replace('/', "+") && !name.contains('+') {
        true => text,
        false => format!("{text}.{}", hexadecimal(&draw(0, name)[..4])),
    }
}

#[cfg(test)]
mod tests {

    #[test]
    fn names_of_logs_differ() {
        let names = ["a/b", "a+b", "a_b", "a b", "a.b", "..", "", "a/b/", "ä"];
        let mut plain: Vec<String> = names.iter().map(|name| super::plain(name)).collect();
        assert_eq!(plain[0], "a+b");
        plain.sort();
        plain.dedup();
        assert_eq!(plain.len(), names.len());
        assert!(
            plain
                .iter()
                .all(|name| !name.contains('/') && !name.starts_with("..") || name.len() > 8)
        );
    }
}
