#!/usr/bin/env python3
"""Puts the results of an experiment into README.md, between the two comments that say where.

    regatta experiment run scripts/docs/results.toml && scripts/docs/results.py results.results [BUILD]

BUILD says which build it was; without it, it is the commit that is checked out.
"""

import collections
import datetime
import json
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# SV-COMP's folders, by what their programs are about.
KINDS = [("arrays", r"array"), ("floats", r"float"), ("bit vectors", r"bitvector"), ("recursion", r"recursive"),
         ("modes of programs", r"systemc|seq-|product-lines"), ("loops", r"")]


def main():
    folder = pathlib.Path(sys.argv[1])
    commit = ["git", "rev-parse", "--short", "HEAD"]
    build = sys.argv[2] if len(sys.argv) > 2 else subprocess.run(commit, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    runs = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    groups = collections.defaultdict(list)
    for run in runs:
        kind = next(kind for kind, pattern in KINDS if re.search(pattern, run["category"]))
        groups[kind].append(run)
    day = datetime.datetime.fromtimestamp(max(run["begun"] for run in runs), datetime.timezone.utc)
    lines = ["| programs | tasks | proofs | alarms | wrong | no answer | median time (s) |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for kind, of in [*sorted(groups.items()), ("all", runs)]:
        right = [run for run in of if run["score"] > 0]
        wrong = sum(run["score"] < 0 for run in of)
        proofs = sum(run["verdict"] == "true" for run in right)
        median = f"{statistics.median(run['wall'] for run in right):.2f}" if right else ""
        lines.append(f"| {kind} | {len(of)} | {proofs} | {len(right) - proofs} | {wrong} | {len(of) - len(right) - wrong} | {median} |")
    text = (f"Every eighth of 413 tasks from SV-COMP's benchmark set, 10 s and two cores each, portfolio `default`:\n\n"
            + "\n".join(lines)
            + f"\n\n(`regatta experiment run scripts/docs/results.toml`, {day:%d %B %Y}, build {build}, two cores of a virtual machine that others used as well.)")
    readme = ROOT / "README.md"
    begin, end = "<!-- results: made by scripts/docs/results.py -->\n", "\n<!-- end of results -->"
    before, rest = readme.read_text().split(begin)
    readme.write_text(before + begin + text + end + rest.split(end, 1)[1])


main()
