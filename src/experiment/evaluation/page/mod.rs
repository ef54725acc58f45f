//! An experiment as a page for a browser: one file that needs no network and links to the logs.
//!
//! It has the tables, the comparisons and the plots, and a row for each task with a cell for each configuration, which the
//! script sorts and filters. The page can be read without the script.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::Value;
use minijinja::value::Serde;
use rayon::prelude::*;
use serde::Serialize;

use crate::evaluation::best;
use crate::evaluation::compare::compare_all;
use crate::evaluation::plot::{draw, plots};
use crate::evaluation::table::{Cell, Sheet, by_category, by_configuration, by_reason};
use crate::results::data::Data;
use crate::results::record::Record;
use regatta_report::html::{STYLE, renderer};

const TEMPLATES: [(&str, &str); 4] = [
    ("page.html", include_str!("templates/page.html")),
    ("sheet.html", include_str!("templates/sheet.html")),
    ("page.css", include_str!("templates/page.css")),
    ("page.js", include_str!("templates/page.js")),
];

#[derive(Debug, Serialize)]
struct View {
    title: String,
    description: String,
    remarks: Vec<String>,
    facts: Vec<(&'static str, String)>,
    summary: SheetView,
    categories: SheetView,
    reasons: SheetView,
    /// The virtual best, and what each configuration and analysis contributes.
    contributions: Vec<SheetView>,
    comparisons: Vec<SheetView>,
    plots: Vec<PlotView>,
    configurations: Vec<String>,
    category_names: Vec<String>,
    tasks: Vec<TaskView>,
}

#[derive(Debug, Serialize)]
struct SheetView {
    title: String,
    head: Vec<HeadView>,
    rows: Vec<Vec<CellView>>,
}

#[derive(Debug, Serialize)]
struct HeadView {
    text: String,
    is_number: bool,
}

#[derive(Debug, Serialize)]
struct CellView {
    text: String,
    is_number: bool,
    is_wrong: bool,
}

#[derive(Debug, Serialize)]
struct PlotView {
    title: String,
    /// The drawing as base64.
    image: String,
}

#[derive(Debug, Serialize)]
struct TaskView {
    name: String,
    category: String,
    expected: String,
    /// `wrong` if an answer is wrong, `mixed` if some configurations solve the task, `solved` if all do, else `open`.
    class: &'static str,
    /// The runs, by configuration.
    cells: Vec<Vec<RunView>>,
}

#[derive(Debug, Serialize)]
struct RunView {
    /// `right`, `wrong`, `open`, `unjudged`.
    class: &'static str,
    text: String,
    /// The tooltip.
    tip: String,
    /// The link to its log; empty if it was imported and has none.
    link: String,
    /// The sort key: unsolved tasks come after all solved ones.
    rank: f64,
}

/// Returns the page for the path, to which its links are relative.
///
/// # Errors
/// A message when a template or a drawing is invalid, which a test excludes.
pub fn page(data: &Data, base: usize, at: &Path) -> Result<String, String> {
    let view = View::new(data, base, at)?;
    let render = || -> Result<String, minijinja::Error> {
        let mut environment = renderer(TEMPLATES)?;
        environment.add_template("style.css", STYLE)?;
        let page = environment.get_template("page.html")?;
        page.render(Value::from(Serde(&view)))
    };
    render().map_err(|error| error.to_string())
}

impl View {
    fn new(data: &Data, base: usize, at: &Path) -> Result<Self, String> {
        let others = (0..data.configurations.len()).filter(|&other| other != base);
        let others: Vec<usize> = others.collect();
        let comparisons: Vec<SheetView> = compare_all(data, base, &others)
            .iter()
            .flat_map(|comparison| comparison.sheets(data))
            .filter(|sheet| !sheet.rows.is_empty())
            .map(|sheet| SheetView::new(&sheet))
            .collect();
        let plots = plots(data, base);
        let drawn: Result<Vec<PlotView>, String> = plots
            .par_iter()
            .map(|plot| {
                Ok(PlotView {
                    title: plot.title.clone(),
                    image: STANDARD.encode(draw::svg(plot)?),
                })
            })
            .collect();
        let fixed = data.folders.iter().map(|folder| &folder.description.fixed);
        let mut descriptions: Vec<&str> = fixed.map(|fixed| fixed.description.as_str()).collect();
        descriptions.dedup();
        let title = descriptions
            .first()
            .copied()
            .filter(|text| !text.is_empty());
        Ok(Self {
            title: title.unwrap_or("Experiment").to_owned(),
            description: descriptions.join("; "),
            remarks: data.remarks.clone(),
            facts: facts(data),
            summary: SheetView::new(&by_configuration(data)),
            categories: SheetView::new(&by_category(data)),
            reasons: SheetView::new(&by_reason(data)),
            contributions: best::sheets(data).iter().map(SheetView::new).collect(),
            comparisons,
            plots: drawn?,
            configurations: data
                .configurations
                .iter()
                .map(|known| known.name.clone())
                .collect(),
            category_names: data.categories.clone(),
            tasks: tasks(data, at),
        })
    }
}

impl SheetView {
    fn new(sheet: &Sheet) -> Self {
        let is_number = |column: usize| {
            sheet
                .rows
                .iter()
                .all(|row| row.get(column).is_some_and(Cell::is_number))
        };
        Self {
            title: sheet.title.clone(),
            head: sheet
                .head
                .iter()
                .enumerate()
                .map(|(column, text)| HeadView {
                    text: text.clone(),
                    is_number: is_number(column),
                })
                .collect(),
            rows: sheet
                .rows
                .iter()
                .map(|row| row.iter().map(CellView::new).collect())
                .collect(),
        }
    }
}

impl CellView {
    fn new(cell: &Cell) -> Self {
        Self {
            text: cell.text(),
            is_number: cell.is_number(),
            is_wrong: matches!(cell, Cell::Wrong(_)),
        }
    }
}

/// Returns facts about the folders.
fn facts(data: &Data) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    for folder in &data.folders {
        let description = &folder.description;
        let limits = &description.fixed.limits;
        let mut limit = format!("{} s wall", limits.wall);
        if let Some(cpu) = limits.cpu {
            limit.push_str(&format!(", {cpu} s CPU"));
        }
        if let Some(memory) = limits.memory {
            limit.push_str(&format!(", {memory} MiB"));
        }
        limit.push_str(&format!(", {} cores", limits.cores));
        let environment = &description.environment;
        facts.extend([
            ("folder", folder.path.display().to_string()),
            ("tasks", description.fixed.tasks.len().to_string()),
            ("limits", limit),
            ("side by side", description.side_by_side.to_string()),
            ("version", description.fixed.version.clone()),
            (
                "measured by",
                format!(
                    "{} (CPU), {} (memory)",
                    description.measured.cpu, description.measured.memory
                ),
            ),
            (
                "machine",
                format!(
                    "{}, {}, {} cores, {} MiB",
                    environment.processor,
                    environment.system,
                    environment.cores,
                    environment.memory
                ),
            ),
        ]);
    }
    facts
}

/// Returns a row for each task.
fn tasks(data: &Data, at: &Path) -> Vec<TaskView> {
    let number = data.configurations.len();
    let mut rows: BTreeMap<&str, (&Record, Vec<Vec<RunView>>)> = BTreeMap::new();
    for (column, configuration) in data.configurations.iter().enumerate() {
        let folder = &data.folders[configuration.folder].path;
        let folder = relative(folder, at.parent().unwrap_or(Path::new("")));
        for record in &configuration.records {
            let empty = || (record, (0..number).map(|_| Vec::new()).collect());
            let (_, cells) = rows.entry(&record.key.task).or_insert_with(empty);
            cells[column].push(RunView::new(record, &folder, at));
        }
    }
    let views = rows.into_iter().map(|(name, (record, cells))| {
        let runs = || cells.iter().flatten();
        let class = if runs().any(|run| run.class == "wrong") {
            "wrong"
        } else if runs().all(|run| run.class == "right") {
            "solved"
        } else if runs().any(|run| run.class == "right") {
            "mixed"
        } else {
            "open"
        };
        TaskView {
            name: name.to_owned(),
            category: record.category.clone(),
            expected: record.expected.clone().unwrap_or_default(),
            class,
            cells,
        }
    });
    views.collect()
}

impl RunView {
    fn new(record: &Record, folder: &Path, at: &Path) -> Self {
        let page = at.parent().unwrap_or(Path::new("")).join(folder);
        let page = page.join(format!("{}.html", record.log));
        let ending = if page.exists() { "html" } else { "log" };
        let link = folder.join(format!("{}.{ending}", record.log));
        let is_answer = record.verdict == "true" || record.verdict.starts_with("false");
        let (class, text) = match (record.score, is_answer) {
            (1.., _) | (0, true) => {
                let class = if record.score > 0 {
                    "right"
                } else {
                    "unjudged"
                };
                (class, format!("{} {:.2}", record.verdict, record.wall))
            }
            (..0, _) => ("wrong", format!("{} {:.2}", record.verdict, record.wall)),
            (0, false) => ("open", record.reason_class()),
        };
        let mut tip = format!(
            "{:.3} s wall, {:.3} s CPU, {} MiB",
            record.wall,
            record.cpu,
            record.memory >> 20
        );
        if let Some(winner) = &record.winner {
            tip.push_str(&format!(", by {winner}"));
        }
        if !record.reason.is_empty() {
            tip.push_str(&format!("; {}", record.reason));
        }
        Self {
            class,
            text,
            tip,
            link: match record.log.is_empty() {
                true => String::new(),
                false => encoded(&link),
            },
            rank: match class {
                "right" => record.wall,
                "wrong" => f64::from(i32::MAX),
                _ => 1e6 + record.wall,
            },
        }
    }
}

/// Returns the relative path of a folder from another.
fn relative(folder: &Path, from: &Path) -> PathBuf {
    let whole = |path: &Path| {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        path.canonicalize()
            .or_else(|_| std::path::absolute(path))
            .unwrap_or_else(|_| path.to_owned())
    };
    let (folder, from) = (whole(folder), whole(from));
    let common = folder.components().zip(from.components());
    let common = common.take_while(|(one, other)| one == other).count();
    let up = from.components().skip(common).map(|_| Path::new(".."));
    let down = folder.components().skip(common).collect::<PathBuf>();
    up.collect::<PathBuf>().join(down)
}

/// Returns a path as a relative URL.
fn encoded(path: &Path) -> String {
    let text = path.to_string_lossy();
    let mut address = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                address.push(char::from(byte));
            }
            byte => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_from_the_page_to_the_folder() {
        let home = tempfile::tempdir().expect("a folder");
        for folder in ["a/r", "b"] {
            std::fs::create_dir_all(home.path().join(folder)).expect("a folder");
        }
        let of =
            |folder: &str, from: &str| relative(&home.path().join(folder), &home.path().join(from));
        assert_eq!(of("a/r", "a/r"), Path::new(""));
        assert_eq!(of("a/r", "b"), Path::new("../a/r"));
        assert_eq!(of("a/r", "a"), Path::new("r"));
        assert_eq!(
            encoded(Path::new("a+b/c d#é.log")),
            "a%2Bb/c%20d%23%C3%A9.log"
        );
    }
}
