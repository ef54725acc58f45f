//! From witnesses to inlay hints: the proved invariants of a loop, behind the line of its keyword.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::diagnostics::uri_of;
use regatta_base::digest::sha256;

/// Maximum length of a hint (characters); the whole invariant is its tooltip.
const MAXIMUM_LENGTH: usize = 70;

/// Returns the hints of a witness, by the URI of the file. A file that has changed since the proof has no hints.
pub fn by_file(witness: &Value, root: &Path) -> BTreeMap<String, Vec<Value>> {
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    for entry in witness.as_array().into_iter().flatten() {
        let hashes = &entry["metadata"]["task"]["input_file_hashes"];
        for element in entry["content"].as_array().into_iter().flatten() {
            let invariant = &element["invariant"];
            let name = invariant["location"]["file_name"].as_str();
            let line = invariant["location"]["line"].as_u64();
            let value = invariant["value"].as_str();
            let (Some(name), Some(line), Some(value)) = (name, line, value) else {
                continue;
            };
            if invariant["type"] != "loop_invariant" {
                continue;
            }
            let text = texts
                .entry(name.to_owned())
                .or_insert_with(|| unchanged(&root.join(name), hashes[name].as_str()));
            let place = text.as_ref().and_then(|text| end_of_line(text, line));
            if let Some(position) = place {
                let hints = found.entry(uri_of(&root.join(name))).or_default();
                hints.push(json!({
                    "position": position,
                    "label": format!("invariant: {}", short(value)),
                    "paddingLeft": true,
                    "tooltip": conjuncts(value).join("\n"),
                }));
            }
        }
    }
    found
}

/// Returns the hints in a range of lines.
pub fn within(hints: &[Value], range: &Value) -> Vec<Value> {
    let line = |position: &Value| position["line"].as_u64();
    let first = line(&range["start"]).unwrap_or(0);
    let last = line(&range["end"]).unwrap_or(u64::MAX);
    let is_within =
        |hint: &&Value| line(&hint["position"]).is_some_and(|line| (first..=last).contains(&line));
    hints.iter().filter(is_within).cloned().collect()
}

/// Reads the file if it has the hash.
fn unchanged(file: &Path, hash: Option<&str>) -> Option<String> {
    let text = std::fs::read(file).ok()?;
    (Some(sha256(&text).as_str()) == hash).then(|| String::from_utf8_lossy(&text).into_owned())
}

/// The position behind a line, which is counted from one: as the protocol has it, from zero and in units of UTF-16.
fn end_of_line(text: &str, line: u64) -> Option<Value> {
    let index = line.checked_sub(1)?;
    let content = text.lines().nth(usize::try_from(index).ok()?)?;
    let character = content.encode_utf16().count();
    Some(json!({ "line": index, "character": character }))
}

/// The conjuncts of an invariant, the shortest first.
fn conjuncts(value: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut begin, mut last) = (0_i32, 0, ' ');
    let mut is_disjunction = false;
    for (at, character) in value.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            '|' | '?' if depth == 0 => is_disjunction = true,
            '&' if depth == 0 && last == '&' => {
                parts.push(value[begin..at - 1].trim());
                begin = at + 1;
            }
            _ => {}
        }
        last = character;
    }
    parts.push(value[begin..].trim());
    // What binds less than && makes it one formula.
    if is_disjunction {
        return vec![value];
    }
    parts.sort_by_key(|part| part.len());
    parts
}

/// The shortest conjuncts that fit together, and dots if there are more.
fn short(value: &str) -> String {
    let parts = conjuncts(value);
    let mut text = String::new();
    let mut taken = 0;
    for part in &parts {
        let length = text.chars().count() + part.chars().count();
        if taken > 0 && length + " && ".len() > MAXIMUM_LENGTH {
            break;
        }
        if taken > 0 {
            text.push_str(" && ");
        }
        text.push_str(part);
        taken += 1;
    }
    if text.chars().count() > MAXIMUM_LENGTH {
        return text
            .chars()
            .take(MAXIMUM_LENGTH)
            .chain("…".chars())
            .collect();
    }
    if taken < parts.len() {
        text.push_str(" …");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_has_the_shortest_conjuncts() {
        for (value, expected) in [
            ("x == y", "x == y"),
            ("total == 0 && x == y", "x == y && total == 0"),
            ("(a && b) || c", "(a && b) || c"),
            ("(x < 5 || y == 3) && z", "z && (x < 5 || y == 3)"),
        ] {
            assert_eq!(short(value), expected);
        }
        let long = "very_long_name ".repeat(6);
        assert_eq!(short(&format!("{long} && x == y")), "x == y …");
        assert_eq!(short(&long).chars().count(), MAXIMUM_LENGTH + 1);
    }

    #[test]
    fn a_file_that_has_changed_has_no_hints() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("f.c");
        let text = "int main(void) {\n  while (1) // €\n    ;\n}\n";
        std::fs::write(&file, text).expect("written");
        let invariant = |kind: &str, line: u64| {
            json!({ "invariant": {
                "type": kind, "value": "x == 1",
                "location": { "file_name": "f.c", "line": line, "column": 3, "function": "main" },
            } })
        };
        let witness = json!([{
            "entry_type": "invariant_set",
            "metadata": { "task": { "input_file_hashes": { "f.c": sha256(text.as_bytes()) } } },
            "content": [
                invariant("loop_invariant", 2),
                invariant("location_invariant", 3),
                invariant("loop_invariant", 9),
            ],
        }]);
        let found = by_file(&witness, folder.path());
        let hints = &found[&uri_of(&file)];
        assert_eq!(hints.len(), 1);
        assert_eq!(hints[0]["position"], json!({ "line": 1, "character": 16 }));
        assert_eq!(hints[0]["label"], "invariant: x == 1");
        let range =
            |start: u64, end: u64| json!({ "start": { "line": start }, "end": { "line": end } });
        assert_eq!(within(hints, &range(0, 4)).len(), 1);
        assert_eq!(within(hints, &range(2, 4)).len(), 0);
        std::fs::write(&file, format!("\n{text}")).expect("written");
        assert_eq!(by_file(&witness, folder.path()), BTreeMap::new());
    }
}
