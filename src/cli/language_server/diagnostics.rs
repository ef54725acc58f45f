//! From SARIF to the diagnostics of the Language Server Protocol.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Maximum number of places of the path to an error that are told.
const MAXIMUM_RELATED: usize = 50;

/// The diagnostics of the failures in a log, by the URI of the file.
pub fn by_file(log: &Value, root: &Path) -> BTreeMap<String, Vec<Value>> {
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let results = log["runs"][0]["results"].as_array();
    for result in results.into_iter().flatten() {
        if result["kind"] != "fail" {
            continue;
        }
        let Some((uri, range)) = place(&result["locations"][0], root) else {
            continue;
        };
        let path = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array();
        let steps = path.into_iter().flatten().filter_map(|step| {
            let (uri, range) = place(&step["location"], root)?;
            let message = step["location"]["message"]["text"].as_str()?;
            Some(json!({ "location": { "uri": uri, "range": range }, "message": message.trim() }))
        });
        let related: Vec<Value> = steps.take(MAXIMUM_RELATED).collect();
        found.entry(uri).or_default().push(json!({
            "range": range,
            "severity": 1,
            "source": "regatta",
            "code": result["ruleId"],
            "message": result["message"]["text"],
            "relatedInformation": related,
        }));
    }
    found
}

/// The file and range of a SARIF location: from its column to the end of its line.
fn place(location: &Value, root: &Path) -> Option<(String, Value)> {
    let place = &location["physicalLocation"];
    let name = place["artifactLocation"]["uri"].as_str()?;
    let uri = match name.contains("://") {
        true => name.to_owned(),
        false => uri_of(&root.join(decoded(name))),
    };
    let number = |key: &str| place["region"][key].as_u64().unwrap_or(1).saturating_sub(1);
    let (line, column) = (number("startLine"), number("startColumn"));
    let range = json!({
        "start": { "line": line, "character": column },
        "end": { "line": line + 1, "character": 0 },
    });
    Some((uri, range))
}

/// The URI of a file.
pub fn uri_of(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = "file://".to_owned();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

/// The path of a file's URI.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    Some(PathBuf::from(decoded(uri.strip_prefix("file://")?)))
}

/// A text with its percent-encoded bytes decoded.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths_are_translated() {
        let path = Path::new("/a b/ü.c");
        assert_eq!(uri_of(path), "file:///a%20b/%C3%BC.c");
        assert_eq!(path_of("file:///a%20b/%C3%BC.c").as_deref(), Some(path));
        assert_eq!(path_of("untitled:1"), None);
    }

    #[test]
    fn failures_become_diagnostics() {
        let location = |line: u32| {
            json!({
                "physicalLocation": {
                    "artifactLocation": { "uri": "a.c" },
                    "region": { "startLine": line, "startColumn": 3 },
                },
                "message": { "text": " f(x);" },
            })
        };
        let log = json!({ "runs": [{ "results": [
            { "kind": "pass", "ruleId": "r", "message": { "text": "" }, "locations": [location(1)] },
            {
                "kind": "fail", "ruleId": "r", "message": { "text": "wrong" }, "locations": [location(7)],
                "codeFlows": [{ "threadFlows": [{ "locations": [{ "location": location(5) }] }] }],
            },
        ] }] });
        let found = by_file(&log, Path::new("/p"));
        let diagnostics = &found["file:///p/a.c"];
        assert_eq!(diagnostics.len(), 1);
        assert_eq!(
            diagnostics[0]["range"]["start"],
            json!({ "line": 6, "character": 2 })
        );
        assert_eq!(diagnostics[0]["relatedInformation"][0]["message"], "f(x);");
        assert_eq!(diagnostics[0]["message"], "wrong");
    }
}
