//! Unique names of imported configurations and tasks, in the form of this program's own folders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::document::{Document, Run};
use super::title;

/// The identity of the configuration that a file belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    pub benchmark: String,
    pub definition: String,
    pub tool: String,
    pub version: String,
    pub options: String,
}

impl Identity {
    /// Returns the identity in the file.
    pub fn new(document: &Document) -> Self {
        let of = |name: &str| plain(document.attribute(name).unwrap_or_default());
        let (name, block) = (of("name"), of("block"));
        let definition = match name.strip_suffix(&block) {
            Some(rest) if !block.is_empty() => rest.trim_end_matches('.').to_owned(),
            _ => name,
        };
        Self {
            benchmark: of("benchmarkname"),
            definition,
            tool: match document.attribute("displayName") {
                Some(name) => plain(name),
                None => of("tool"),
            },
            version: of("version"),
            options: of("options"),
        }
    }

    /// Returns the possible names, from the shortest to the longest.
    fn names(&self) -> [String; 3] {
        let short = match self.definition.is_empty() {
            true => self.benchmark.clone(),
            false => self.definition.clone(),
        };
        let short = match short.is_empty() {
            true => "benchexec".to_owned(),
            false => short,
        };
        let long = format!("{} {short}", self.tool);
        let longest = format!("{} {} {short}", self.tool, self.version);
        [short, long, longest].map(|name| name.trim().to_owned())
    }
}

/// The identity of a task: its file as BenchExec names it, without leading `../`, and its properties.
pub type TaskKey = (String, String);

/// Returns the task of a run; `None` if it has no name.
pub fn task_key(run: &Run) -> Option<TaskKey> {
    let of = |name: &str| plain(run.attributes.get(name).map_or("", String::as_str));
    let name = of("name");
    let mut path = name.as_str();
    while let Some(rest) = path.strip_prefix("../").or(path.strip_prefix("./")) {
        path = rest;
    }
    (!path.is_empty()).then(|| (path.to_owned(), of("properties")))
}

/// Returns the shortest unique name of each configuration.
pub fn configuration_names(identities: &[Identity]) -> BTreeMap<Identity, String> {
    let all: BTreeSet<&Identity> = identities.iter().collect();
    let mut names = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for identity in &all {
        let is_own = |index: usize| {
            let name = &identity.names()[index];
            let others = all.iter().filter(|other| other != &identity);
            let mut others = others.map(|other| &other.names()[index] == name);
            !others.any(|is_same| is_same)
        };
        let index = (0..2).find(|&index| is_own(index)).unwrap_or(2);
        let base = identity.names()[index].clone();
        let mut name = base.clone();
        let mut number = 1;
        while !taken.insert(name.clone()) {
            number += 1;
            name = format!("{base} ({number})");
        }
        names.insert((*identity).clone(), name);
    }
    names
}

/// Returns the names of tasks: those in files of this program, or else folder and stem, or the whole path if that is ambiguous,
/// with the property if a file is verified against several.
pub fn task_names(documents: &[(&Path, Document)]) -> BTreeMap<TaskKey, String> {
    let runs = documents.iter().flat_map(|(_, document)| &document.runs);
    let mut keys: BTreeMap<TaskKey, Option<&str>> = BTreeMap::new();
    for run in runs {
        if let Some(key) = task_key(run) {
            let own = run.columns.get(title::TASK).map(String::as_str);
            keys.insert(key, own.filter(|name| !name.is_empty()));
        }
    }
    let count = |name: fn(&TaskKey) -> String| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for key in keys.keys() {
            *counts.entry(name(key)).or_default() += 1;
        }
        counts
    };
    let (shorts, paths) = (count(short), count(whole));
    let files = count(|key| key.0.clone());
    let mut taken = BTreeSet::new();
    let mut names = BTreeMap::new();
    for (key, own) in &keys {
        let base = if let Some(own) = own {
            plain(own)
        } else if shorts[&short(key)] == 1 {
            short(key)
        } else if paths[&whole(key)] == 1 {
            whole(key)
        } else if files[&key.0] == 1 {
            key.0.clone()
        } else {
            format!("{} [{}]", whole(key), key.1)
        };
        let mut name = base.clone();
        let mut number = 1;
        while !taken.insert(name.clone()) {
            number += 1;
            name = format!("{base} ({number})");
        }
        names.insert(key.clone(), name);
    }
    names
}

/// Returns a name without control characters.
pub fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Returns the path without its extension.
fn whole(key: &TaskKey) -> String {
    let path = key.0.as_str();
    let endings = [".yml", ".yaml", ".c", ".i"];
    let without = endings.iter().find_map(|ending| path.strip_suffix(ending));
    without.unwrap_or(path).to_owned()
}

/// Returns folder and stem.
fn short(key: &TaskKey) -> String {
    let whole = whole(key);
    let mut parts: Vec<&str> = whole.rsplitn(3, '/').take(2).collect();
    parts.reverse();
    parts.join("/")
}
