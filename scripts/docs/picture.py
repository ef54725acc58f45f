#!/usr/bin/env python3
"""Makes the book's pictures of a run, docs/src/pictures/run.svg and report.svg, from what the program prints.

    scripts/docs/picture.py [REGATTA]      (default: target/release/regatta)

It runs examples/midpoint.c. run.svg is the terminal: the last lines of the log, and the result. report.svg has the path to the error
and the source from the page that `--report` writes, drawn anew, since a browser is not needed for that.
"""

import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs/src/pictures"
EXAMPLE = "examples/midpoint.c"
WIDTH, LINE, CHARACTER = 900, 19, 7.8
MAXIMUM_OF_COLUMNS = 108


class Drawing:
    """Lines of text on a background, as SVG."""

    def __init__(self, background):
        self.background = background
        self.parts = []

    def box(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}"/>')

    def text(self, x, y, text, colour, bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:g}" y="{y}" fill="{colour}"{weight} xml:space="preserve">{escape(text)}</text>')

    def write(self, file, height, title):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
                f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13">\n<title>{escape(title)}</title>\n'
                f'<rect width="{WIDTH}" height="{height}" rx="8" fill="{self.background}"/>\n')
        file.write_text(head + "\n".join(self.parts) + "\n</svg>\n")


def shortened(line):
    return line if len(line) <= MAXIMUM_OF_COLUMNS else line[: MAXIMUM_OF_COLUMNS - 1] + "…"


def draw_run(regatta):
    """The end of the log, from the answer on, and how it began."""
    command = [regatta, "-v", "--threads", "2", "--time-limit", "10", EXAMPLE]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30)
    log = [line for line in run.stderr.splitlines() if line.strip()]
    end = next(number for number, line in enumerate(log) if "] answered by " in line)
    found = [line for line in log[:end] if "found a violation" in line]
    lines = [f"$ regatta -v {EXAMPLE}", log[0], "…", *found, *log[end:], *run.stdout.split("\n")[:1]]
    drawing = Drawing("#1d2530")
    colours = [(r"^\$ ", "#ffffff"), (r"^RESULT", "#ff8f80"), (r"THE ERROR", "#ff8f80"), (r"^\[", "#9fb3c8")]
    for number, line in enumerate(lines):
        colour = next((colour for pattern, colour in colours if re.search(pattern, line)), "#dfe7ee")
        drawing.text(20, 36 + number * LINE, shortened(line), colour, bold=line.startswith(("$", "RESULT")))
    drawing.write(PICTURES / "run.svg", 36 + len(lines) * LINE, "A run of regatta in a terminal")


class Report(html.parser.HTMLParser):
    """The path's steps and the source's lines, from the page."""

    def __init__(self):
        super().__init__()
        self.steps, self.lines, self.verdict = [], [], ""
        self.open = []
        self.target = None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        kind = (attributes.get("class") or "").split()
        if tag == "li" and attributes.get("id", "").startswith("step-"):
            self.steps.append({"where": "", "what": "", "values": [], "error": "error" in kind})
        elif tag == "span" and kind[:1] in (["where"], ["what"]) and self.steps:
            self.target = ("step", kind[0])
        elif tag == "div" and attributes.get("title") is None and "line" in kind and re.match(r"f\d+-L\d+$", attributes.get("id", "")):
            self.lines.append({"text": "", "mark": next(iter(kind[1:]), "")})
        elif tag == "code" and self.lines and self.open[-1:] != ["summary"]:
            self.target = ("line", None) if self.lines[-1]["text"] == "" else None
        elif tag == "dt" and attributes.get("title"):
            self.steps[-1]["values"].append("")
            self.target = ("value", " = ")
        elif tag == "dd" and self.target == ("between", None):
            self.target = ("value", "")
        elif tag == "h1":
            self.target = ("verdict", None)
        elif tag == "section" and attributes.get("id") == "assumptions":
            self.lines.append({"text": None, "mark": ""})
        self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in ("span", "code", "dd", "h1") and not (tag == "span" and self.target == ("verdict", None)):
            self.target = None
        if tag == "dt" and self.target and self.target[0] == "value":
            self.steps[-1]["values"][-1] += self.target[1]
            self.target = ("between", None)
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data):
        match self.target:
            case ("step", key):
                self.steps[-1][key] += data
            case ("value", _):
                self.steps[-1]["values"][-1] += data
            case ("line", _):
                self.lines[-1]["text"] += data
            case ("verdict", _):
                self.verdict += data


def draw_report(regatta):
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "report.html"
        command = [regatta, "--threads", "2", "--time-limit", "10", "--report", str(page), EXAMPLE]
        subprocess.run(command, cwd=ROOT, capture_output=True, timeout=30)
        report = Report()
        report.feed(page.read_text())
    source = report.lines[: next((n for n, line in enumerate(report.lines) if line["text"] is None), None)]
    drawing = Drawing("#ffffff")
    drawing.box(0, 0, WIDTH, 44, "#7d2b22")
    drawing.text(20, 28, " ".join(report.verdict.split()), "#ffffff", bold=True)
    y = 74
    for number, step in enumerate(report.steps, 1):
        colour = "#b3261e" if step["error"] else "#1d2530"
        drawing.text(20, y, f"{number}  {step['where']}", colour, bold=True)
        y += LINE
        for line in [step["what"], *step["values"]]:
            # The column is narrow; the page has all of it.
            line = re.sub(r"(\s+from) .*", "", line)
            drawing.text(40, y, line if len(line) <= 46 else line[:45] + "…", colour if line == step["what"] else "#52606d")
            y += LINE
        y += 6
    left = y
    y = 74
    marks = {"passed": "#fff3d6", "error": "#fbdad6"}
    first = next(n for n, line in enumerate(source) if line["mark"]) - 3
    for number, line in enumerate(source[first:], first + 1):
        if line["mark"] in marks:
            drawing.box(430, y - 14, WIDTH - 450, LINE, marks[line["mark"]])
        drawing.text(436, y, f"{number:2}  {line['text']}", "#1d2530")
        y += LINE
    drawing.write(PICTURES / "report.svg", max(left, y) + 6, "The path to the error and the source, from the HTML report")


def main():
    regatta = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/regatta").resolve())
    PICTURES.mkdir(exist_ok=True)
    draw_run(regatta)
    draw_report(regatta)


main()
