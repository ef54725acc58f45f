#!/usr/bin/env python3
"""Whether a folder that `regatta experiment import` has made says what BenchExec's result files say.

    import_check.py FOLDER FILE.xml[.bz2] ...

Compares tasks, verdicts, times, memory and winners. Differences go to standard error, a line each; the exit code is then 1.
"""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

from result_rules import read


def of_files(files):
    """What the result files say, by run definition and task."""
    runs = {}
    for file in files:
        root = ElementTree.fromstring(read(file))
        definition = root.get("name").removesuffix("." + (root.get("block") or ""))
        for run in root.iterfind("run"):
            columns = {column.get("title"): column.get("value") for column in run.iterfind("column")}
            path = Path(run.get("name")).with_suffix("")
            winner = columns.get("answered by") or None
            runs[definition, f"{path.parent.name}/{path.name}"] = (
                columns["status"],
                float(columns["walltime"].removesuffix("s")),
                float(columns["cputime"].removesuffix("s")),
                int(columns["memory"].removesuffix("B")),
                winner,
            )
    return runs


def of_folder(folder):
    """What the folder says, the same way."""
    lines = (Path(folder) / "results.jsonl").read_text("utf-8").splitlines()
    runs = {}
    for record in map(json.loads, lines):
        figures = (record["verdict"], record["wall"], record["cpu"], record["memory"], record.get("winner"))
        runs[record["configuration"], record["task"]] = figures
    return runs


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    expected, found = of_files(sys.argv[2:]), of_folder(sys.argv[1])
    different = [key for key in expected.keys() | found.keys() if expected.get(key) != found.get(key)]
    for key in sorted(different):
        print(f"error: {key}: {expected.get(key)} became {found.get(key)}", file=sys.stderr)
    print(f"{len(expected)} runs compared")
    sys.exit(1 if different or not expected else 0)


if __name__ == "__main__":
    main()
