#!/usr/bin/env python3
"""Plants the faults of src/planted.rs one at a time, and prints who catches each.

    planted-faults.py [--only REGEX] [--binary FILE] [--time SECONDS] [--jobs N]

Builds the command with the cargo feature `planted-faults`, unless a binary that was built so is given, and runs each line of the
list (`regatta planted-faults`, which is tests/faults/faults.tsv): a program with faults planted. Caught by means:

    certificate checker  a proof that rests on the fault was not confirmed
    replay               an alarm, or the claim that there is one run only, was not confirmed
    second opinion       `--check thorough`: two solvers disagree, or a simplification is wrong
    assertion            a consistency check of debug builds
    verdict              nothing but the program's known verdict: the answer was wrong
    nobody               the answer was right, and no complaint was heard

Every program is run without faults first: then its answer must not be wrong. The exit code is 1 if a fault is caught by
nobody, or by another than the list says.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RIGHT = {
    "true": ["RESULT: TRUE"],
    "false": ["RESULT: FALSE(unreach-call)"],
    "unknown": [],
}


def build():
    command = ["cargo", "build", "--features", "planted-faults", "--message-format", "json-render-diagnostics"]
    output = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    messages = map(json.loads, output.splitlines())
    binaries = [message["executable"] for message in messages if message.get("executable")]
    return binaries[-1]


def run(binary, line, faults, seconds):
    """The answer and what was said on the way."""
    environment = dict(os.environ, REGATTA_PLANTED_FAULT=faults)
    command = [binary, "verify", "-v", "--time-limit", str(seconds), *line["options"].split()]
    command.append(str(ROOT / "tests" / line["program"]))
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
    answers = [text for text in done.stdout.splitlines() if text.startswith("RESULT:")]
    return (answers[-1] if answers else f"exit code {done.returncode}"), done.stderr


def is_wrong(answer, verdict):
    return answer.startswith(("RESULT: TRUE", "RESULT: FALSE")) and answer not in RIGHT[verdict]


def catcher(answer, said, verdict):
    if is_wrong(answer, verdict):
        return "verdict"
    if "solvers disagree" in answer:
        return "second opinion"
    if "panicked" in said:
        return "assertion"
    if re.search(r"proof of [^\n]*: (refuted|undecided)", said):
        return "certificate checker"
    rejected = re.search(r"rejected_alarms [1-9]", said)
    if rejected or re.search(r"not confirmed|lead elsewhere|lead to the error only|there are other runs", said):
        return "replay"
    return "nobody"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="faults whose names the regular expression finds")
    parser.add_argument("--binary", help="the command, built with the feature")
    parser.add_argument("--time", type=float, default=8, help="seconds for a run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", action="store_true", help="what each run said")
    arguments = parser.parse_args()
    binary = arguments.binary or build()
    listed = subprocess.run([binary, "planted-faults"], stdout=subprocess.PIPE, text=True, check=True).stdout
    header, *rows = listed.splitlines()
    lines = [dict(zip(header.split("\t"), row.split("\t"))) for row in rows]
    lines = [line for line in lines if re.search(arguments.only, line["faults"])]

    def both(line):
        sound, _ = run(binary, line, "", arguments.time)
        answer, said = run(binary, line, line["faults"], arguments.time)
        return line, sound, answer, said

    bad = 0
    count = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for line, sound, answer, said in pool.map(both, lines):
            who = catcher(answer, said, line["verdict"])
            count[who] += 1
            notes = []
            if is_wrong(sound, line["verdict"]):
                notes.append(f"WRONG WITHOUT THE FAULT: {sound}")
            if who == "nobody":
                notes.append(f"NOBODY: {answer}")
            elif who != line["caught by"]:
                notes.append(f"expected: {line['caught by']}; {answer}")
            bad += bool(notes)
            print(
                f"{line['faults']:<100}  {pathlib.Path(line['program']).stem:<28}  {who:<20} {'; '.join(notes)}", flush=True
            )
            if arguments.v:
                print(said)
    print(", ".join(f"{who}: {number}" for who, number in count.most_common()))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
