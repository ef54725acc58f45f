//! Compilation databases (`compile_commands.json`): which files a project has, and with which flags each is compiled.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::flags::Flags;
use regatta_base::{Error, ErrorKind, Place};

/// A file of a project, with the flags that it is compiled with.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The file, as seen from here.
    pub file: PathBuf,
    pub flags: Flags,
    /// The target of cmake that it belongs to, if the entry says so.
    pub target: Option<String>,
}

/// Where a folder may have its database.
const NAMES: [&str; 2] = ["compile_commands.json", "build/compile_commands.json"];

/// Reads a database, or the one in a folder. If targets are named, only their files count. Of a file that is compiled twice, the
/// first entry counts.
///
/// # Errors
/// If it cannot be read, a C file in it has flags under which C is not modelled, or it does not have a target.
pub fn read(path: &Path, wanted: &[String]) -> Result<Vec<Compiled>, Error> {
    let file = match path.is_dir() {
        true => {
            let mut names = NAMES.iter().map(|name| path.join(name));
            names
                .find(|file| file.is_file())
                .unwrap_or(path.join(NAMES[0]))
        }
        false => path.to_owned(),
    };
    let place = || Place::file(file.display().to_string());
    let text = std::fs::read_to_string(&file).map_err(|error| {
        Error::new(ErrorKind::Unreadable, error.to_string())
            .at(place())
            .with_help("cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON or `bear -- make` writes one")
    })?;
    let malformed = |what: String| Error::new(ErrorKind::Task, what).at(place());
    let entries: Vec<Value> = serde_json::from_str(&text)
        .map_err(|error| malformed(format!("this is no compilation database: {error}")))?;
    let here = std::env::current_dir().unwrap_or_default();
    let mut all: Vec<Compiled> = Vec::new();
    let mut found = BTreeSet::new();
    for entry in &entries {
        let compiled = entry_of(entry, &here).map_err(malformed)?;
        let is_known = |known: &Compiled| known.file == compiled.file;
        let is_wanted = |target: &String| wanted.is_empty() || wanted.contains(target);
        let counts = match &compiled.target {
            Some(target) => is_wanted(target),
            None => wanted.is_empty(),
        };
        found.extend(compiled.target.clone());
        if counts && !all.iter().any(is_known) {
            all.push(compiled);
        }
    }
    match wanted.iter().find(|target| !found.contains(*target)) {
        Some(target) => {
            let found = listed(&found).unwrap_or_else(|| "it has none of cmake's".to_owned());
            Err(malformed(format!("there is no target `{target}`"))
                .with_help(format!("its targets: {found}")))
        }
        None => Ok(all),
    }
}

/// The targets of a database's files; none if there is only one.
pub fn several_targets(database: &[Compiled]) -> Option<String> {
    let targets: BTreeSet<String> = database
        .iter()
        .filter_map(|one| one.target.clone())
        .collect();
    listed(&targets).filter(|_| targets.len() > 1)
}

/// The names as a message lists them; `None` without names.
fn listed(names: &BTreeSet<String>) -> Option<String> {
    const MAXIMUM_SHOWN: usize = 12;
    let shown = names
        .iter()
        .take(MAXIMUM_SHOWN)
        .map(|name| format!("`{name}`"));
    let shown: Vec<String> = shown.collect();
    let more = match names.len() > MAXIMUM_SHOWN {
        true => ", …",
        false => "",
    };
    (!shown.is_empty()).then(|| format!("{}{more}", shown.join(", ")))
}

/// The target of an object file as cmake names it: `CMakeFiles/TARGET.dir/file.c.o`.
fn target_of(object: &str) -> Option<String> {
    let mut folders = object
        .split('/')
        .skip_while(|folder| *folder != "CMakeFiles");
    let target = folders.nth(1)?.strip_suffix(".dir")?;
    Some(target.to_owned())
}

/// One entry of a database.
///
/// # Errors
/// What is wrong with it.
fn entry_of(entry: &Value, here: &Path) -> Result<Compiled, String> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let file = text("file").ok_or("an entry has no \"file\"")?;
    let folder = here.join(text("directory").unwrap_or_default());
    let words: Vec<String> = match (entry.get("arguments"), text("command")) {
        (Some(Value::Array(words)), _) => {
            let words = words.iter().filter_map(Value::as_str);
            words.map(str::to_owned).collect()
        }
        (_, Some(command)) => {
            shlex::split(command).ok_or_else(|| format!("the command of {file} cannot be read"))?
        }
        _ => Vec::new(),
    };
    let compiler = words.len().min(1);
    let path = normal(&folder.join(file));
    let is_c = path
        .extension()
        .is_some_and(|extension| extension == "c" || extension == "i");
    let flags = match is_c {
        true => Flags::read(&words[compiler..], Some(&folder))
            .map_err(|reason| format!("{file}: {reason}"))?,
        false => Flags::default(),
    };
    let named = words.iter().position(|word| word == "-o");
    let object = named.and_then(|at| words.get(at + 1)).map(String::as_str);
    Ok(Compiled {
        target: text("output").or(object).and_then(target_of),
        file: path.strip_prefix(here).map_or(path.clone(), Path::to_owned),
        flags,
    })
}

/// A path without `.` and `..`, as far as these go to folders that it names.
fn normal(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(result.components().next_back(), Some(Component::Normal(_))) =>
            {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

/// The entry of a file.
pub fn find<'d>(database: &'d [Compiled], file: &Path) -> Option<&'d Compiled> {
    let same = |one: &Path, other: &Path| match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    };
    database.iter().find(|known| same(&known.file, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_commands_or_arguments() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("compile_commands.json");
        let text = r#"[
            {"directory": "/p/build", "file": "../a.c", "command": "cc -I../include '-DS=\"x y\"' -c ../a.c"},
            {"directory": "/p", "file": "/p/b.c", "arguments": ["cc", "-DN", "-c", "b.c"]},
            {"directory": "/p", "file": "a.c", "command": "cc -DLATER a.c"}
        ]"#;
        std::fs::write(&file, text).unwrap();
        let all = read(folder.path(), &[]).unwrap();
        let files: Vec<&Path> = all.iter().map(|one| one.file.as_path()).collect();
        assert_eq!(files, [Path::new("/p/a.c"), Path::new("/p/b.c")]);
        let expected = ["-I", "/p/build/../include", "-D", "S=\"x y\""];
        assert_eq!(all[0].flags.preprocessor, expected);
        assert_eq!(all[1].flags.preprocessor, ["-D", "N"]);
    }

    #[test]
    fn other_json_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.json");
        std::fs::write(&file, "{}").unwrap();
        assert!(read(&file, &[]).is_err());
    }

    #[test]
    fn targets_choose_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("compile_commands.json");
        let text = r#"[
            {"directory": "/p/b", "file": "/p/a.c", "command": "cc -DA -o CMakeFiles/lib.dir/a.c.o -c ../a.c"},
            {"directory": "/p/b", "file": "/p/t.c", "command": "cc -o t/CMakeFiles/test.dir/t.c.o -c ../t.c"},
            {"directory": "/p/b", "file": "/p/a.c", "command": "cc -DB", "output": "CMakeFiles/test.dir/a.c.o"},
            {"directory": "/p", "file": "/p/d.c", "command": "cc -o d.o -c d.c"}
        ]"#;
        std::fs::write(&file, text).unwrap();
        let all = read(&file, &[]).unwrap();
        assert_eq!(all.len(), 3);
        assert_eq!(several_targets(&all).as_deref(), Some("`lib`, `test`"));
        let test = read(&file, &["test".to_owned()]).unwrap();
        let files: Vec<&Path> = test.iter().map(|one| one.file.as_path()).collect();
        assert_eq!(files, [Path::new("/p/t.c"), Path::new("/p/a.c")]);
        assert_eq!(test[1].flags.preprocessor, ["-D", "B"]);
        assert_eq!(several_targets(&test), None);
        assert!(read(&file, &["no".to_owned()]).is_err());
    }
}
