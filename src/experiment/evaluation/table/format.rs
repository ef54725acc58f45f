//! Tables as text, CSV, Markdown and LaTeX.

use std::fmt::Write as _;

use super::{Cell, Sheet};

/// The formats of tables.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns, for a terminal.
    Text,
    /// RFC 4180, with the table's title in the first column of each line.
    Csv,
    /// Markdown tables with pipes, as on GitHub.
    Markdown,
    /// `tabular` with the rules of `booktabs`.
    Latex,
}

/// Formats the tables that are not empty, one after the other.
pub fn format(sheets: &[Sheet], format: Format) -> String {
    let parts = sheets.iter().filter(|sheet| !sheet.rows.is_empty());
    let parts = parts.map(|sheet| match format {
        Format::Text => text(sheet),
        Format::Csv => csv(sheet),
        Format::Markdown => markdown(sheet),
        Format::Latex => latex(sheet),
    });
    let parts: Vec<String> = parts.collect();
    parts.join("\n")
}

/// Checks whether a column has numbers only.
fn is_numeric(sheet: &Sheet, column: usize) -> bool {
    sheet
        .rows
        .iter()
        .all(|row| row.get(column).is_some_and(Cell::is_number))
}

fn text(sheet: &Sheet) -> String {
    let cells: Vec<Vec<String>> = std::iter::once(sheet.head.clone())
        .chain(sheet.rows.iter().map(|row| row.iter().map(shown).collect()))
        .collect();
    let width = |column: usize| {
        let widths = cells.iter().filter_map(|row| row.get(column));
        widths.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..sheet.head.len()).map(width).collect();
    let mut text = format!("{}\n", sheet.title);
    for row in &cells {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let gap = if column == 0 { "" } else { "  " };
            let _ = match is_numeric(sheet, column) {
                true => write!(line, "{gap}{cell:>width$}"),
                false => write!(line, "{gap}{cell:width$}"),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Returns a cell's text for a terminal.
fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Nothing => "-".to_owned(),
        Cell::Wrong(number) => format!("{number}!"),
        cell => cell.text(),
    }
}

fn csv(sheet: &Sheet) -> String {
    let line = |cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
        format!("{}\r\n", cells.join(","))
    };
    let with = |title: &str, cells: Vec<String>| {
        line(std::iter::once(title.to_owned()).chain(cells).collect())
    };
    let rows = sheet.rows.iter();
    let rows = rows.map(|row| with(&sheet.title, row.iter().map(Cell::text).collect()));
    std::iter::once(with("table", sheet.head.clone()))
        .chain(rows)
        .collect()
}

/// Quotes a field of CSV. A text that a spreadsheet would take for a formula gets an apostrophe.
fn quoted(field: &str) -> String {
    let is_number = field.parse::<f64>().is_ok();
    let field = match !is_number && field.starts_with(['=', '+', '-', '@']) {
        true => format!("'{field}"),
        false => field.to_owned(),
    };
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}

fn markdown(sheet: &Sheet) -> String {
    let line = |cells: Vec<String>| {
        let cells = cells
            .iter()
            .map(|cell| cell.replace('\\', "\\\\").replace('|', "\\|"));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let rules = (0..sheet.head.len()).map(|column| match is_numeric(sheet, column) {
        true => "---:",
        false => "---",
    });
    let rules = format!("| {} |\n", rules.collect::<Vec<_>>().join(" | "));
    let rows = sheet.rows.iter().map(|row| {
        line(
            row.iter()
                .map(|cell| match cell {
                    Cell::Wrong(number) => format!("**{number}**"),
                    cell => cell.text(),
                })
                .collect(),
        )
    });
    let head = line(sheet.head.clone());
    let title = format!("### {}\n\n", sheet.title);
    [title, head, rules].into_iter().chain(rows).collect()
}

fn latex(sheet: &Sheet) -> String {
    let columns: String = (0..sheet.head.len())
        .map(|column| if is_numeric(sheet, column) { 'r' } else { 'l' })
        .collect();
    let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
    let head = line(sheet.head.iter().map(|cell| escaped(cell)).collect());
    let rows = sheet.rows.iter().map(|row| {
        line(
            row.iter()
                .map(|cell| match cell {
                    Cell::Nothing => "--".to_owned(),
                    Cell::Wrong(number) => format!("\\textbf{{{number}}}"),
                    cell => escaped(&cell.text()),
                })
                .collect(),
        )
    });
    format!(
        "% {}; needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{{columns}}}\n\
         \\toprule\n{head}\\midrule\n{}\\bottomrule\n\\end{{tabular}}\n",
        sheet.title.replace(['\n', '\r'], " "),
        rows.collect::<String>(),
    )
}

/// Escapes a text for LaTeX.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            '"' => escaped.push_str("\\textquotedbl{}"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        Sheet {
            title: "T".to_owned(),
            head: vec!["name".to_owned(), "PAR-2".to_owned()],
            rows: vec![
                vec![Cell::Text("a_b|c,\"d\"".to_owned()), Cell::Decimal(1.5, 2)],
                vec![Cell::Text("=x".to_owned()), Cell::Wrong(1)],
                vec![Cell::Text("ü".to_owned()), Cell::Nothing],
            ],
        }
    }

    #[test]
    fn each_format_escapes_special_characters() {
        for (kind, expected) in [
            (
                Format::Text,
                "T\nname       PAR-2\na_b|c,\"d\"   1.50\n=x            1!\nü              -\n",
            ),
            (
                Format::Csv,
                "table,name,PAR-2\r\nT,\"a_b|c,\"\"d\"\"\",1.50\r\nT,'=x,1\r\nT,ü,\r\n",
            ),
            (
                Format::Markdown,
                "### T\n\n| name | PAR-2 |\n| --- | ---: |\n| a_b\\|c,\"d\" | 1.50 |\n| =x | **1** |\n| ü |  |\n",
            ),
            (
                Format::Latex,
                "% T; needs \\usepackage{booktabs}\n\\begin{tabular}{lr}\n\
                 \\toprule\nname & PAR-2 \\\\\n\\midrule\n\
                 a\\_b\\textbar{}c,\\textquotedbl{}d\\textquotedbl{} & 1.50 \\\\\n=x & \\textbf{1} \\\\\nü & -- \\\\\n\\bottomrule\n\\end{tabular}\n",
            ),
        ] {
            assert_eq!(format(&[sheet()], kind), expected);
        }
        assert_eq!(format(&[], Format::Text), "");
    }
}
