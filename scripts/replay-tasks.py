#!/usr/bin/env python3
"""Replays the alarms of a folder of tasks both ways, and lists where the interpreter and the compiled program disagree.

The folder has tasks.tsv (task, expected verdict, …) and a task definition for each. What is said of each task: FALSE or not,
what the native replay came to and how long it took, whether the harness compiles without a warning. The exit code is 1 if there is
a disagreement or a warning.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tasks", type=pathlib.Path)
    parser.add_argument("--binary", default="target/release/regatta")
    parser.add_argument("--time-limit", type=float, default=10)
    parser.add_argument("--only", default="", help="tasks whose names have this text")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the harnesses in this folder")
    return parser.parse_args()


def warnings(harness, model):
    """What a compiler remarks on a harness."""
    flags = ["-m32"] if model == "ILP32" else ["-m64"]
    command = ["cc", *flags, "-Wall", "-Wextra", "-std=gnu11", "-fsyntax-only", harness]
    return subprocess.run(command, capture_output=True, text=True).stderr.strip()


def replay(given, task, model, harness):
    """The result line, and the event of the native replay."""
    command = [given.binary, "verify", "--json", "--replay", "both", "--harness", harness,
               "--time-limit", str(given.time_limit), "--task", str(given.tasks / (task + ".yml"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=given.time_limit + 60)
    lines = done.stdout.splitlines()
    events = [json.loads(line) for line in lines if line.startswith("{")]
    replays = [event for event in events if event["event"] == "replayed"]
    return (lines[-1] if lines else "nothing"), (replays[-1] if replays else None)


def main():
    given = options()
    rows = [line.split("\t") for line in (given.tasks / "tasks.tsv").read_text().splitlines()[1:]]
    rows = [row for row in rows if row[1] == "false" and given.only in row[0]]
    counts = {"confirmed": 0, "contradicted": 0, "open": 0, "not found": 0, "with a warning": 0}
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        folder = given.keep or pathlib.Path(folder)
        for task, _, model, *_ in rows:
            harness = str(folder / (task.replace("/", "-") + ".harness.c"))
            result, event = replay(given, task, model, harness)
            if event is None:
                counts["not found"] += 1
                print(f"{task}\t{result}", flush=True)
                continue
            counts[event["outcome"].split(":")[0]] += 1
            seconds.append(event["seconds"])
            remark = warnings(harness, model) if os.path.exists(harness) else "no harness"
            counts["with a warning"] += bool(remark)
            print(f"{task}\t{event['outcome']}\t{event['seconds'] * 1e3:.0f} ms\t{remark}", flush=True)
    print(counts)
    if seconds:
        ordered = sorted(seconds)
        print(f"native replay: median {statistics.median(ordered) * 1e3:.0f} ms, "
              f"90 % within {ordered[int(0.9 * (len(ordered) - 1))] * 1e3:.0f} ms, most {ordered[-1] * 1e3:.0f} ms")
    sys.exit(1 if counts["contradicted"] or counts["with a warning"] else 0)


main()
