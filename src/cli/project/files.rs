//! The answers of a project as files: JSON, SARIF, JUnit.

use std::path::Path;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use serde_json::{Value, json};

use super::runs::Verdict;
use super::table::Row;

/// The answers as JSON.
pub fn to_json(rows: &[Row<'_>]) -> Value {
    let entries = rows.iter().map(|row| {
        json!({
            "entry": row.run.name,
            "place": row.run.place,
            "verdict": row.answer.verdict,
            "reason": row.answer.reason,
            "error": row.answer.place,
            "seconds": row.answer.seconds,
            "note": row.note,
            "earlier_invariants": row.answer.earlier,
        })
    });
    json!({ "version": env!("CARGO_PKG_VERSION"), "entries": entries.collect::<Vec<Value>>() })
}

/// One SARIF file of those of several runs: their results, each once, in one run.
pub fn merge_sarif(files: &[&Path]) -> Option<Value> {
    let texts = files.iter().filter_map(|file| std::fs::read(file).ok());
    let mut all = texts.filter_map(|text| serde_json::from_slice::<Value>(&text).ok());
    let mut merged = all.next()?;
    for other in all {
        for part in ["results", "invocations"] {
            let more = other["runs"][0][part]
                .as_array()
                .cloned()
                .unwrap_or_default();
            if let Some(known) = merged["runs"][0][part].as_array_mut() {
                for one in more {
                    if !known.contains(&one) {
                        known.push(one);
                    }
                }
            }
        }
    }
    Some(merged)
}

/// The answers as JUnit's XML: an error in the program is a failure, an open question is skipped.
///
/// # Errors
/// When the text cannot be made.
pub fn to_junit(rows: &[Row<'_>]) -> std::io::Result<Vec<u8>> {
    let count = |verdict: Verdict| {
        let rows = rows
            .iter()
            .filter(|row| row.answer.verdict == verdict && row.note != super::KNOWN);
        rows.count().to_string()
    };
    let seconds: f64 = rows.iter().map(|row| row.answer.seconds).sum();
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let total = rows.len().to_string();
    let suite = writer.create_element("testsuite").with_attributes([
        ("name", "regatta"),
        ("tests", total.as_str()),
        ("failures", count(Verdict::False).as_str()),
        ("errors", count(Verdict::Error).as_str()),
        ("skipped", count(Verdict::Unknown).as_str()),
        ("time", format!("{seconds:.3}").as_str()),
    ]);
    suite.write_inner_content(|writer| {
        for row in rows {
            write_case(writer, row)?;
        }
        Ok(())
    })?;
    let mut text = writer.into_inner();
    text.push(b'\n');
    Ok(text)
}

fn write_case(writer: &mut Writer<Vec<u8>>, row: &Row<'_>) -> std::io::Result<()> {
    let time = format!("{:.3}", row.answer.seconds);
    let file = row.run.place.rsplit_once(':').map_or("", |(file, _)| file);
    let case = writer.create_element("testcase").with_attributes([
        ("classname", "regatta"),
        ("name", row.run.name.as_str()),
        ("file", file),
        ("time", time.as_str()),
    ]);
    let kind = match row.answer.verdict {
        Verdict::True => None,
        Verdict::False if row.note == super::KNOWN => None,
        Verdict::False => Some("failure"),
        Verdict::Error => Some("error"),
        Verdict::Unknown => Some("skipped"),
    };
    let Some(kind) = kind else {
        case.write_empty()?;
        return Ok(());
    };
    let message = match row.answer.verdict {
        Verdict::False => format!("{} at {}", row.answer.reason, row.answer.place),
        _ => row.answer.reason.clone(),
    };
    case.write_inner_content(|writer| {
        let element = writer
            .create_element(kind)
            .with_attribute(("message", message.as_str()));
        element.write_text_content(BytesText::new(&row.answer.said))?;
        Ok(())
    })?;
    Ok(())
}
