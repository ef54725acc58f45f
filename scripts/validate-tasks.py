#!/usr/bin/env python3
"""Verifies a folder of tasks, and has each answer's witness examined: by the linter, by an independent reader, by `regatta validate`.

The folder has tasks.tsv (task, expected verdict, data model, arithmetic, …). A line for each task that is solved: verdict, what the
linter and the reader say, what validation comes to, and both times in seconds. Then, for each verdict: how many witnesses are
confirmed, the median times, and what was not confirmed by its reason. The exit code is 1 if a witness is refused or refuted.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

READER = pathlib.Path(__file__).parent.parent / "tests/check_witness.py"


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tasks", type=pathlib.Path)
    parser.add_argument("--binary", default="target/release/regatta")
    parser.add_argument("--time-limit", type=int, default=20, help="to verify, in seconds")
    parser.add_argument("--validation-limit", type=int, default=90, help="to validate, in seconds")
    parser.add_argument("--every", type=int, default=1, help="take every N-th task")
    parser.add_argument("--only", default="", help="tasks whose names match this expression")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="keep the witnesses in this folder")
    return parser.parse_args()


def run(command, limit):
    """Standard output, the result line, and the wall time in seconds; what outlives its limit is killed with its group."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=limit + 5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    results = [line for line in output.splitlines() if line.startswith("RESULT: ")]
    return output, process.returncode, (results or ["no result"])[-1].removeprefix("RESULT: "), time.monotonic() - began


def examine(given, folder, row):
    """The columns of one task, or None if it is not solved."""
    task, expected, model, arithmetic, *_ = row
    source = str(given.tasks / (task + ".c"))
    witness = str(folder / (task.replace("/", "-") + ".yml"))
    shared = ["--data-model", model, "--arithmetic", arithmetic, "--checks", "assertions"]
    _, _, verdict, took = run([given.binary, "verify", *shared, "--time-limit", str(given.time_limit),
                               "--witness", witness, source], given.time_limit)
    if verdict.split("(")[0].lower() != expected:
        return None
    if not os.path.exists(witness):
        return task, expected, "no witness", "no witness", "no witness", took, 0.0
    lint = subprocess.run([given.binary, "witness", "lint", witness, source], capture_output=True, text=True)
    read = subprocess.run([sys.executable, READER, source, witness], capture_output=True, text=True)
    output, _, result, validated = run([given.binary, "validate", *shared, "--time-limit", str(given.validation_limit),
                                        "--witness", witness, source], given.validation_limit)
    if result.startswith("UNKNOWN") and "refuted" not in result:
        result += "; " + " / ".join(line for line in output.splitlines() if "error" in line)[:200]
    complaint = lambda done: "fine" if done.returncode == 0 else (done.stdout + done.stderr).strip().splitlines()[0]
    return task, expected, complaint(lint), complaint(read), result, took, validated


def is_confirmed(row):
    return row[4].split("(")[0].lower() == row[1]


def main():
    given = options()
    rows = [line.split("\t") for line in (given.tasks / "tasks.tsv").read_text().splitlines()[1:]]
    rows = [row for row in rows if re.search(given.only, row[0])][:: given.every]
    found = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        folder = given.keep or pathlib.Path(folder)
        for row in pool.map(lambda row: examine(given, folder, row), rows):
            if row is not None:
                found.append(row)
                print("\t".join(f"{cell:.2f}" if isinstance(cell, float) else cell for cell in row), flush=True)
    for verdict in ["true", "false"]:
        of = [row for row in found if row[1] == verdict]
        if not of:
            continue
        confirmed = [row for row in of if is_confirmed(row)]
        print(f"{verdict}: {len(confirmed)} of {len(of)} confirmed ({100 * len(confirmed) / len(of):.1f} %); median to verify "
              f"{statistics.median(row[5] for row in of):.3f} s, to validate {statistics.median(row[6] for row in of):.3f} s")
        reasons = collections.Counter(row[4] for row in of if not is_confirmed(row))
        for reason, count in reasons.most_common():
            print(f"  {count}  {reason}")
    refused = [row for row in found if row[2] != "fine" or row[3] != "fine" or "refuted" in row[4]]
    print(f"refused or refuted: {len(refused)}")
    sys.exit(1 if refused else 0)


main()
