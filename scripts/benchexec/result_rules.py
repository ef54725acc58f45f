#!/usr/bin/env python3
"""What a result file must have for BenchExec's table-generator to read it, and to say the truth: attributes, columns with
units, and categories that follow from the status and the expected verdict.

    result_rules.py [--environment] FILE.xml[.bz2 | .gz] ...

What is wrong goes to standard error, a line each; the exit code is then 1. BenchExec's own files list the environment of
the machine, which is not to be published: that is a fault, too, unless --environment permits it.
"""

import bz2
import gzip
import re
import sys
from xml.etree import ElementTree
from pathlib import Path

CATEGORIES = {"correct", "correct-unconfirmed", "wrong", "unknown", "error", "missing"}
RESULT_ATTRIBUTES = ("benchmarkname", "tool", "version", "date", "starttime", "generator")
RUN_COLUMNS = ("status", "category", "cputime", "walltime")
SECONDS = re.compile(r"\d+(\.\d+)?(e-?\d+)?s")
BYTES = re.compile(r"\d+B")
VERDICT = re.compile(r"(true|false)(?:\((.+)\))?")
# The columns that have a unit, with what their values look like.
UNITS = {"cputime": SECONDS, "walltime": SECONDS, "memory": BYTES}


def complaints(text, permits_environment=False):
    """What is wrong with the text of a result file."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        yield f"this is no XML: {error}"
        return
    if root.tag != "result":
        yield f"the root is `{root.tag}`, not `result`"
        return
    for attribute in RESULT_ATTRIBUTES:
        if root.get(attribute) is None:
            yield f"the result has no {attribute}"
    for limit, unit in (("timelimit", SECONDS), ("memlimit", BYTES)):
        if root.get(limit) is not None and not unit.fullmatch(root.get(limit)):
            yield f"{limit} is `{root.get(limit)}`"
    titles = [column.get("title") for column in root.iterfind("columns/column")]
    for title in ("status", "cputime", "walltime"):
        if title not in titles:
            yield f"the column {title} is not declared"
    if not permits_environment and root.find("systeminfo/environment/var") is not None:
        yield "the machine's environment is in it"
    names = set()
    for run in root.iterfind("run"):
        key = (run.get("name"), run.get("properties"))
        if key in names:
            yield f"{run.get('name')} is there twice"
        names.add(key)
        for complaint in complaints_about_run(run):
            yield f"{run.get('name')}: {complaint}"


def complaints_about_run(run):
    """What is wrong with a run."""
    for attribute in ("name", "files"):
        if not run.get(attribute):
            yield f"it has no {attribute}"
    columns = {column.get("title"): column.get("value") or "" for column in run.iterfind("column")}
    missing = [title for title in RUN_COLUMNS if title not in columns]
    if missing:
        yield f"it has no {', '.join(missing)}"
        return
    for title, unit in UNITS.items():
        if title in columns and not unit.fullmatch(columns[title]):
            yield f"{title} is `{columns[title]}`"
    permitted = categories_of(columns["status"], run.get("expectedVerdict"), (run.get("properties") or "").split())
    if columns["category"] not in permitted:
        yield f"status {columns['status']}, category {columns['category']} instead of {' or '.join(sorted(permitted))}"


def categories_of(status, expected, properties):
    """The categories that a status can have, when the verdict and the properties are these."""
    if status == "unknown":
        return {"unknown"}
    answer = VERDICT.fullmatch(status)
    if not answer:
        return {"error"}
    wanted = VERDICT.fullmatch(expected or "")
    if not wanted or not properties:
        return {"missing"}
    if answer[1] == "true":
        is_right = wanted[1] == "true"
    else:
        # The property that is said to be violated: the task's, or the part of it that the task names.
        violated = wanted[2] or properties[0]
        is_right = wanted[1] == "false" and answer[2] in (None, violated)
    return {"correct", "correct-unconfirmed"} if is_right else {"wrong"}


def read(file):
    data = Path(file).read_bytes()
    opened = {".bz2": bz2.decompress, ".gz": gzip.decompress}.get(Path(file).suffix)
    return (opened(data) if opened else data).decode("utf-8")


def main():
    files = [argument for argument in sys.argv[1:] if argument != "--environment"]
    if not files:
        sys.exit(__doc__)
    is_good = True
    for file in files:
        for complaint in complaints(read(file), "--environment" in sys.argv):
            print(f"error: {file}: {complaint}", file=sys.stderr)
            is_good = False
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
