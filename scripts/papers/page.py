#!/usr/bin/env python3
"""Sets tables of an experiment beside the papers' figures, as a page and as Markdown.

    page.py [--regatta PROGRAM] FOLDER

FOLDER has a folder TABLE.results for each experiment that was run (run.sh makes them). The page is FOLDER/index.html, the
Markdown FOLDER/tables.md. What the papers found, and what they conclude, is in figures.toml.
"""

import argparse
import csv
import html
import io
import operator
import re
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPARISONS = {"<": operator.lt, "<=": operator.le, "=": operator.eq, ">=": operator.ge, ">": operator.gt}
COMPARISON = re.compile(r"(.+?) (<=|>=|<|>|=) (.+)")
# The figures in the head of the table by configuration, and of the times of right answers.
TIMES = {"mean CPU (s)": "mean CPU (s)", "median CPU (s)": "median CPU (s)"}
STYLE = """
body { margin: 0 auto; max-width: 70rem; padding: 0 1rem 3rem; font: 1rem/1.45 system-ui, sans-serif; color: #1b1f24; background: #fff; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2.2rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #d5dae1; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } tr.paper { color: #5b6470; }
ul { padding-left: 1.2rem; } .holds::after { content: " ✓ holds here"; color: #12703a; font-weight: 600; }
.fails::after { content: " ✗ does not hold here"; color: #b3261e; font-weight: 600; }
.open::after { content: " – cannot be told here"; color: #5b6470; }
@media (max-width: 34rem) { th:first-child, td:first-child { position: sticky; left: 0; background: #fff; min-width: 8.5rem; max-width: 45vw; white-space: normal; overflow-wrap: anywhere; } }
@media (prefers-color-scheme: dark) { body { color: #e4e7eb; background: #14171c; } th, td { border-color: #353c47; }
  tr.paper, .open::after { color: #9aa4b1; } .holds::after { color: #63cc8c; } .fails::after { color: #ff8f86; } a { color: #82b4ff; } th:first-child, td:first-child { background: #14171c; } }
"""


class Table:
    """A table of a paper: its description, and the figures here, by column and name."""

    def __init__(self, name, described, sheets):
        self.name, self.described, self.sheets = name, described, sheets
        self.paper = dict(described.get("paper", {}))
        self.tasks = self.paper.pop("tasks", "")
        self.figures = {column: self.figures_of(column) for column in described["columns"]}
        for column, members in described.get("best_of", {}).items():
            self.figures[column] = self.best_of(members)

        known = {row["configuration"] for row in sheets.get("By configuration", [])} | set(described.get("best_of", {}))
        strangers = [column for column in described["columns"] if column not in known]
        if strangers:
            sys.exit(f"error: figures.toml: {name}: no configuration {', '.join(strangers)}")

    def row(self, title, **wanted):
        rows = self.sheets.get(title, [])
        return next((row for row in rows if all(row.get(key) == value for key, value in wanted.items())), {})

    def figures_of(self, column):
        figures = {**self.row("By configuration", configuration=column)}
        times = self.row("Times of right answers", configuration=column, of="answers")
        figures |= {name: times.get(key, "") for name, key in TIMES.items()}
        for row in self.sheets.get("Counters of runs with a right answer", []):
            if row["configuration"] == column:
                figures[row["counter"]] = row["mean"]
        for row in self.sheets.get("By task", []):
            figures[row["task"]] = row.get(f"{column} (s)", "")
        return figures

    def best_of(self, members):
        """The virtual best of some columns: what one of them solves."""
        proofs = alarms = 0
        for row in self.sheets.get("By task", []):
            if any(number(row.get(f"{member} (s)", "")) is not None for member in members):
                proofs += row["expected"] == "true"
                alarms += row["expected"].startswith("false")
        return {"solved": str(proofs + alarms), "proofs": str(proofs), "alarms": str(alarms), "wrong": "0",
                "score": str(2 * proofs + alarms)}  # fmt: skip

    def rows(self):
        """The rows of the table: a name, whether it is the paper's, and a cell for each column."""
        counters = [row["counter"] for row in self.sheets.get("Counters of runs with a right answer", [])]
        names = [*self.described["rows"], *dict.fromkeys(counters)]
        if self.described.get("by_task"):
            names += [row["task"] for row in self.sheets.get("By task", [])]
        for name in names:
            yield name, False, [self.figures[column].get(name, "") for column in self.described["columns"]]
            if name in self.paper:
                yield f"paper: {name}", True, [str(cell) for cell in self.paper[name]]

    def figure(self, text):
        """A number, or COLUMN.FIGURE; None if there is none."""
        if number(text) is not None:
            return number(text)
        for column, figures in self.figures.items():
            if text.startswith(f"{column}.") and text[len(column) + 1 :] in figures:
                return number(figures[text[len(column) + 1 :]])
        return None

    def verdict(self, claim):
        """Whether a claim holds here: `holds`, `fails`, or `open` where a figure is missing."""
        verdicts = set()
        for text in claim["compare"]:
            left, sign, right = COMPARISON.fullmatch(text).groups()
            left, right = self.figure(left), self.figure(right)
            verdicts.add(None if left is None or right is None else COMPARISONS[sign](left, right))
        return "fails" if False in verdicts else "open" if None in verdicts else "holds"

    def tasks_here(self):
        """The number of tasks, and of the runs of each if there are several."""
        runs = int(self.row("By configuration", configuration=self.described["columns"][-1]).get("runs", 0))
        tasks = len(self.sheets.get("By task", [])) or runs
        return f"{tasks} tasks here, {runs // tasks} runs of each" if runs > tasks else f"{tasks} tasks here"


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def sheets(regatta, results, options):
    """The tables of `regatta experiment table`, by title: a dictionary for each row."""
    command = [regatta, "experiment", "table", str(results), "--tasks", "--format", "csv", *options]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found, head = {}, []
    # A blank line is between two tables.
    for line in filter(None, csv.reader(io.StringIO(text))):
        if line[0] == "table":
            head = line[1:]
        else:
            found.setdefault(line[0], []).append(dict(zip(head, line[1:])))
    return found


def tables(regatta, folder):
    """The tables of the experiments that were run, in the order of figures.toml."""
    described = tomllib.loads((HERE / "figures.toml").read_text("utf-8"))
    for name, table in described.items():
        results = folder / f"{table.get('experiment', name)}.results"
        if (results / "results.jsonl").exists():
            options = list(table.get("options", []))
            yield Table(name, table, sheets(regatta, results, options)), results


def page(found, notes):
    parts = []
    for table, results in found:
        escape = html.escape
        head = "".join(f"<th>{escape(column)}</th>" for column in table.described["columns"])
        rows = "".join(
            f'<tr{" class=paper" if is_paper else ""}><td>{escape(name)}</td>'
            + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            + "</tr>\n"
            for name, is_paper, cells in table.rows()
        )
        claims = "".join(
            f'<li class="{table.verdict(claim)}">{escape(claim["text"])}</li>\n'
            for claim in table.described.get("claims", [])
        )
        parts.append(
            f'<h2 id="{table.name}">{escape(table.described["title"])}</h2>\n'
            f"<p>{table.tasks_here()}; {table.tasks} in the paper."
            f' <a href="{results.name}/report.html">All runs</a></p>\n'
            f'<div class="scroll" tabindex="0" role="region" aria-labelledby="{table.name}"><table><thead><tr><th></th>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>\n'
            f"<p>What the paper says:</p>\n<ul>\n{claims}</ul>\n"
        )
    said = "".join(f"<p>{html.escape(note)}</p>\n" for note in notes)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>The papers' tables</title><style>{STYLE}</style></head>\n<body>\n<h1>The papers' tables</h1>\n"
        f"{said}{''.join(parts)}</body></html>\n"
    )


def markdown(found, notes):
    words = {"holds": "holds here", "fails": "does not hold here", "open": "cannot be told here"}
    lines = [*notes, ""]
    for table, _ in found:
        columns = table.described["columns"]
        lines += [f"### {table.described['title']}", ""]
        lines += [f"{table.tasks_here()}; {table.tasks} in the paper.", ""]
        lines += ["| | " + " | ".join(columns) + " |", "| --- |" + " ---: |" * len(columns)]
        lines += ["| " + " | ".join([name, *cells]) + " |" for name, _, cells in table.rows()]
        lines += ["", *(f"- {claim['text']}: {words[table.verdict(claim)]}" for claim in table.described.get("claims", []))]
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--regatta", default="regatta")
    parser.add_argument("--note", action="append", default=[], help="a line about how the tables were made")
    options = parser.parse_args()
    found = list(tables(options.regatta, options.folder))
    if not found:
        sys.exit(f"error: {options.folder} has no results of the papers' tables")
    (options.folder / "index.html").write_text(page(found, options.note), "utf-8")
    (options.folder / "tables.md").write_text(markdown(found, options.note), "utf-8")
    print(f"{len(found)} tables in {options.folder / 'index.html'}")


if __name__ == "__main__":
    main()
