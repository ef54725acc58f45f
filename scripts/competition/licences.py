#!/usr/bin/env python3
"""Writes the licences of all that an archive of Regatta has in it as one text: the Rust crates, the C libraries that
they bring, Rust's standard library, and shared libraries.

    licences.py FILE [LIBRARY ...]

The crates are those that Cargo.lock has for this platform. Fails if one has a licence that is not known to go together
with the GPL 3, or if no text can be found for it: then somebody has to look.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

# Licences (SPDX identifiers) whose works may be part of a work under the GPL 3.
COMPATIBLE = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "GPL-3.0", "GPL-3.0-only", "GPL-3.0-or-later", "ISC", "LGPL-2.1-or-later", "LGPL-3.0", "LGPL-3.0-or-later", "MIT",
    "MPL-2.0", "Unicode-3.0", "Unlicense", "Zlib", "bzip2-1.0.6",
}  # fmt: skip
LICENCE_FILE = re.compile(r"(un)?licen[cs]e|copying|copyright|notice", re.IGNORECASE)
LICENCE_TEXT = re.compile(r"(un)?licen[cs]e|copying", re.IGNORECASE)
MIT = """Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
REPOSITORY = Path(__file__).resolve().parents[2]


class Component:
    """A part of the archive: what it is called, its licence as an SPDX expression or in words, and its texts."""

    def __init__(self, name, licence, texts, authors=()):
        self.name, self.licence, self.texts, self.authors = name, licence, texts, authors


def is_compatible(expression):
    """Whether an SPDX expression can be fulfilled with compatible licences."""
    # Older crates write a slash for "or".
    expression = expression.replace("/", " OR ")
    tokens = re.findall(r"\(|\)|AND\b|OR\b|[\w.+-]+(?: WITH [\w.-]+)?", expression)
    python = [{"AND": "and", "OR": "or"}.get(token, token) for token in tokens]
    python = [word if word in ("and", "or", "(", ")") else str(word in COMPATIBLE) for word in python]
    return bool(python) and eval(" ".join(python))  # nothing but these words


def crates():
    """The packages that are linked, this one left out, sorted by name."""
    platform = "x86_64-unknown-linux-gnu"
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", platform]
    metadata = json.loads(subprocess.run(command, check=True, cwd=REPOSITORY, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    root = metadata["resolve"]["root"]
    waiting, linked = [root], set()
    while waiting:
        package = waiting.pop()
        if package not in linked:
            linked.add(package)
            for dependency in nodes[package]["deps"]:
                # Of kind "build" and "dev" is what does not become part of the program.
                if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                    waiting.append(dependency["pkg"])
    linked.remove(root)
    return sorted((packages[package] for package in linked), key=lambda package: (package["name"], package["version"]))


def texts_in(folder, below=False):
    """The texts of the licence files in a folder, or also in those below it."""
    files = folder.rglob("*") if below else folder.iterdir()
    return [read(file) for file in sorted(files) if LICENCE_FILE.match(file.name) and file.is_file()]


def texts_in_archive(archive):
    """The texts of the licence files at the top of a tar archive."""
    with tarfile.open(archive) as files:
        members = [m for m in files if m.isfile() and m.name.count("/") == 1 and LICENCE_FILE.match(Path(m.name).name)]
        return [files.extractfile(m).read().decode("utf-8", "replace") for m in sorted(members, key=lambda m: m.name)]


def read(file):
    return file.read_text("utf-8", "replace")


def standard_texts(licence, apache):
    """What stands for the texts that a crate names but has not brought."""
    texts = []
    for name in re.findall(r"[\w.+-]+", licence.replace("/", " ")):
        if name == "MIT":
            texts.append(MIT)
        elif name == "Apache-2.0":
            texts.append(apache)
        elif name.startswith("GPL-3.0"):
            texts.append(read(REPOSITORY / "LICENSE"))
    return texts


def crate_components():
    linked = crates()
    folders = {package["id"]: Path(package["manifest_path"]).parent for package in linked}
    apache = next(read(folders[package["id"]] / "LICENSE-APACHE") for package in linked if package["name"] == "serde")
    for package in linked:
        folder, licence = folders[package["id"]], package["license"] or ""
        name = f"{package['name']} {package['version']} (Rust crate)"
        if not is_compatible(licence):
            sys.exit(f"error: {name}: is its licence `{licence}` compatible with the GPL 3?")
        texts = texts_in(folder)
        # A notice alone is no licence.
        if not any(LICENCE_TEXT.match(file.name) for file in folder.iterdir()):
            texts += standard_texts(licence, apache)
        yield Component(name, licence, texts, package["authors"])
        if package["name"] == "yices2-sys":
            for archive in sorted((folder / "third-party").glob("*.tar.*")):
                library = archive.name.split(".tar")[0]
                yield Component(f"{library} (C library)", "as below", texts_in_archive(archive))
        if package["name"] == "bitwuzla-sys":
            yield Component("Bitwuzla (C++ library)", "MIT", [read(folder / "bitwuzla" / "COPYING")])
            yield debian_library("CaDiCaL", "libcadical-dev", "MIT")
            yield debian_library("SymFPU", "libsymfpu-dev", "BSD-3-Clause")
        if package["name"] == "libmimalloc-sys":
            yield Component("mimalloc (C library)", "MIT", texts_in(folder / "c_src", below=True))


def debian_library(name, package, licence):
    """A library of the system's that is linked statically."""
    notes = Path("/usr/share/doc", package, "copyright")
    if not notes.is_file():
        sys.exit(f"error: no licence found for {name}: is {package} installed?")
    return Component(f"{name} (C++ library, from {package})", licence, [read(notes)])


def standard_library():
    command = ["rustc", "--print", "sysroot"]
    sysroot = subprocess.run(command, check=True, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True).stdout.strip()
    notes = [Path(sysroot, "share/doc/rust", name) for name in ("COPYRIGHT-library.html", "COPYRIGHT")]
    texts = [as_text(read(file)) for file in notes if file.is_file()] or [MIT]
    return Component("Rust's standard library", "MIT OR Apache-2.0, and others as below", texts, ["The Rust Project"])


def as_text(page):
    page = re.sub(r"(?is)<(style|script|head).*?</\1>", "", page)
    page = re.sub(r"(?i)<(/p|br|/li|/h\d|/pre|/div|/summary)[^>]*>", "\n", page)
    page = re.sub(r"<[^>]*>", "", page)
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&amp;", "&")):
        page = page.replace(entity, character)
    return re.sub(r"\n\s*\n+", "\n\n", page).strip() + "\n"


def shared_library(file):
    """A shared library: Z3 by its name, any other by the Debian package that it is from."""
    name = Path(file).name
    if name.startswith("libz3"):
        return Component(f"Z3 ({name})", "MIT", [MIT], ["Copyright (c) Microsoft Corporation"])
    # The system's database may know it by either of the names that a merged /usr gives it.
    real = os.path.realpath(file)
    for path in (file, real, real.removeprefix("/usr")):
        command = ["dpkg-query", "--search", path]
        found = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        package = found.stdout.split(":")[0]
        notes = Path("/usr/share/doc", package, "copyright")
        if found.returncode == 0 and notes.is_file():
            return Component(f"{name} (from {package})", "as below", [read(notes)])
    sys.exit(f"error: no licence found for {file}")


def main():
    output, *libraries = sys.argv[1:]
    components = [*crate_components(), standard_library(), *map(shared_library, libraries)]
    numbers = {}
    lines = [
        "The parts of this archive that are not Regatta's own, and the texts of their licences, which are below.",
        "",
    ]
    for component in components:
        if not component.texts:
            sys.exit(f"error: no text of a licence found for {component.name}")
        theirs = [numbers.setdefault(text.strip(), len(numbers) + 1) for text in component.texts]
        authors = "; ".join(component.authors)
        by = f"; by {authors}" if authors else ""
        texts = ", ".join(map(str, sorted(set(theirs))))
        lines.append(f"{component.name}: {component.licence}{by} [text {texts}]")
    for text, number in numbers.items():
        lines += ["", "=" * 100, f"Text {number}", "=" * 100, "", text]
    Path(output).write_text("\n".join(lines) + "\n", "utf-8")
    print(f"{output}: {len(components)} components, {len(numbers)} texts")


if __name__ == "__main__":
    main()
