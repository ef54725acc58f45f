#!/usr/bin/env python3
"""Checks the links of the built book and of the Markdown files beside it, and the citations.

    scripts/docs/check-links.py BOOK      (the folder with the HTML)

* Each link and picture of the book that is not on another host leads to a file there, and to an element with the name after `#`.
* Each relative link of README.md and CONTRIBUTING.md leads to a file of the repository.
* Each citation, such as [BDW18], of the book and of the source is in the bibliography; in the book it is a link.

Exit code 1 if something is wrong, with a line for each fault.
"""

import html.parser
import pathlib
import re
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
CITATION = re.compile(r"\\?\[([A-Z][A-Za-z]*\+?[0-9]{2})\\?\]")
# The sources that cite, wherever the crates' folders are.
SOURCES = (".rs", ".toml")
LEFT_OUT = {"target", ".git", ".z3", "docs", "node_modules"}


class Page(html.parser.HTMLParser):
    """What a page has links to, and the names of its elements."""

    def __init__(self, text):
        super().__init__()
        self.links, self.names = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.names.add(value)
            elif (tag, name) in (("a", "href"), ("img", "src")) and value:
                self.links.add(value)


def faults_of_book(book):
    # The page for printing has all others in it; its links are theirs.
    files = [file for file in book.rglob("*.html") if file.name not in ("print.html", "toc.html", "404.html")]
    pages = {file.resolve(): Page(file.read_text()) for file in files}
    for file, page in sorted(pages.items()):
        for link in sorted(page.links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path = urllib.parse.unquote(parts.path)
            there = (file.parent / path).resolve() if path else file
            name = urllib.parse.unquote(parts.fragment)
            if not there.exists():
                yield f"{file.name}: {link} leads nowhere"
            elif name and there in pages and name not in pages[there].names:
                yield f"{file.name}: {link}: there is no such place on the page"


def faults_of_markdown(file):
    for link in re.findall(r"\]\(([^)\s]+)\)", file.read_text()):
        parts = urllib.parse.urlsplit(link)
        if not parts.scheme and parts.path and not (file.parent / parts.path).exists():
            yield f"{file.name}: {link} leads nowhere"


def faults_of_citations(pages):
    known = set(CITATION.findall((pages / "bibliography.md").read_text()))
    for page in sorted(pages.rglob("*.md")):
        if page.name == "bibliography.md":
            continue
        text = page.read_text()
        defined = set(re.findall(r"^\[([^\]]+)\]: ", text, re.MULTILINE))
        for key in sorted(set(CITATION.findall(text))):
            if key not in known:
                yield f"{page.name}: [{key}] is not in the bibliography"
            elif key not in defined:
                yield f"{page.name}: [{key}] is no link; add `[{key}]: …bibliography.md#…` at the end"
    for folder in ROOT.iterdir():
        if not folder.is_dir() or folder.name in LEFT_OUT or folder.name.startswith("."):
            continue
        for file in folder.rglob("*"):
            if file.suffix in SOURCES and "target" not in file.parts:
                comments = [line for line in file.read_text(errors="replace").splitlines() if re.match(r"\s*(//|#)", line)]
                for key in sorted(set(CITATION.findall("\n".join(comments))) - known):
                    yield f"{file.relative_to(ROOT)}: [{key}] is not in the bibliography"


def main():
    book = pathlib.Path(sys.argv[1])
    faults = [*faults_of_book(book), *faults_of_citations(ROOT / "docs/src")]
    for name in ("README.md", "CONTRIBUTING.md"):
        faults.extend(faults_of_markdown(ROOT / name))
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


main()
