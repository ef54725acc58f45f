//! The layers of this crate, as its documentation lists them: no file uses one that comes after it.

use std::path::{Path, PathBuf};

/// Returns the modules in the order of the list: `record::event` and the other files of a folder, then the folder.
fn layers() -> Vec<Vec<String>> {
    let mut items: Vec<Vec<String>> = Vec::new();
    let documentation = include_str!("lib.rs").lines();
    for line in documentation.map_while(|line| line.strip_prefix("//!")) {
        let names = line.split('`').skip(1).step_by(2).map(str::to_owned);
        let number = line.trim_start().split_once(". ").map(|(number, _)| number);
        if number.is_some_and(|number| number.parse::<u32>().is_ok()) {
            items.push(names.collect());
        } else if let Some(item) = items.last_mut() {
            item.extend(names);
        }
    }
    let modules = items.iter().flat_map(|item| {
        let (folder, files) = item.split_first().expect("a name");
        let files = files.iter().map(|file| vec![folder.clone(), file.clone()]);
        files.chain([vec![folder.clone()]])
    });
    modules.collect()
}

/// Returns the number of the layer that has the path.
fn layer_of(layers: &[Vec<String>], path: &[String]) -> Option<usize> {
    let depths = (1..=path.len()).rev();
    let mut found = depths.map(|depth| layers.iter().position(|layer| *layer == path[..depth]));
    found.find_map(|layer| layer)
}

/// Adds the paths that the text, which follows on the prefix, begins with; braces hold several.
fn add_paths(text: &str, mut prefix: Vec<String>, paths: &mut Vec<Vec<String>>) {
    let name_end = |text: &str| {
        let end = text.find(|one: char| !one.is_alphanumeric() && one != '_');
        end.unwrap_or(text.len())
    };
    let mut rest = text.trim_start();
    loop {
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut begin = 0;
            for (at, one) in group.char_indices() {
                match one {
                    '{' => depth += 1,
                    ',' | '}' if depth == 0 => {
                        add_paths(&group[begin..at], prefix.clone(), paths);
                        begin = at + 1;
                        if one == '}' {
                            return;
                        }
                    }
                    '}' => depth -= 1,
                    _ => {}
                }
            }
            return;
        }
        let (name, after) = rest.split_at(name_end(rest));
        match name {
            "super" => drop(prefix.pop()),
            "self" | "" => {}
            name => prefix.push(name.to_owned()),
        }
        match after.strip_prefix("::") {
            Some(after) => rest = after,
            None => return paths.push(prefix),
        }
    }
}

/// Returns the paths into this crate that the file's text has, without those of its unit tests.
fn paths_in(module: &[String], text: &str) -> Vec<Vec<String>> {
    let lines = text.lines();
    let code = lines.filter(|line| !line.trim_start().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n");
    let code = code.split("#[cfg(test)]\nmod tests {").next();
    let code = code.unwrap_or_default();
    let mut paths = Vec::new();
    for (root, base) in [
        ("crate::", &[][..]),
        ("super::", module),
        ("self::", module),
    ] {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|one| one.is_alphanumeric() || "_:$".contains(one)) {
                continue;
            }
            let text = match root {
                "crate::" => &code[at + root.len()..],
                _ => &code[at..],
            };
            add_paths(text, base.to_vec(), &mut paths);
        }
    }
    paths
}

/// Returns the sources of the folder, each with its module.
fn sources(folder: &Path, module: &[String]) -> Vec<(Vec<String>, PathBuf)> {
    let mut sources = Vec::new();
    for entry in folder.read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy();
        let inner = [module, &[name.to_string()]].concat();
        if path.is_dir() {
            sources.extend(self::sources(&path, &inner));
        } else if name == "mod" {
            sources.push((module.to_vec(), path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push((inner, path));
        }
    }
    sources
}

#[test]
fn no_file_uses_a_later_one() {
    let layers = layers();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    for (module, file) in sources(root, &[]) {
        let name = module.join("::");
        if ["lib", "layers"].contains(&name.as_str()) {
            continue;
        }
        let Some(own) = layer_of(&layers, &module) else {
            faults.push(format!("{name} is not in the list"));
            continue;
        };
        if module.len() > 1
            && layers[own].len() == 1
            && layers[..own].iter().any(|layer| layer[0] == module[0])
        {
            faults.push(format!("{name} is not in the list of its folder"));
        }
        let text = std::fs::read_to_string(&file).expect("text");
        for path in paths_in(&module, &text) {
            if layer_of(&layers, &path).is_none_or(|used| used > own) {
                faults.push(format!("{name} uses {}", path.join("::")));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn paths_are_found() {
    let module = ["race".to_owned(), "thread".to_owned()];
    let text = "//! [`super::a`]
        use super::{Message, lender::{self, B}};
        use crate::task::Task;
        pub(crate) fn f() { self::g() }";
    let paths = paths_in(&module, text);
    let paths: Vec<String> = paths.iter().map(|path| path.join("::")).collect();
    let expected = [
        "task::Task",
        "race::Message",
        "race::lender",
        "race::lender::B",
        "race::thread::g",
    ];
    assert_eq!(paths, expected);
}
