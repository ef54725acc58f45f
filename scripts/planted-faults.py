#!/usr/bin/env python3
"""Plants the faults of src/planted.rs one at a time, and prints who catches each.

    planted-faults.py [--only REGEX] [--binary FILE] [--test NAME=FILE]... [--time SECONDS] [--jobs N]

Builds the command and the tests with the cargo feature `planted-faults`, unless binaries that were built so are given, and
runs each line of the list (`regatta planted-faults`, which is tests/faults/faults.tsv): a program with faults planted, or tests
that must not pass with them. Caught by means:

    certificate checker  a proof that rests on the fault was not confirmed
    replay               an alarm, or the claim that there is one run only, was not confirmed
    second opinion       `--check thorough`: two solvers disagree, or a simplification is wrong
    assertion            a consistency check of debug builds
    verdict              nothing but the program's known verdict: the answer was wrong
    test                 one of the library's tests fails
    nobody               the answer was right, and no complaint was heard

Everything is run without faults first: then answers must not be wrong, and tests pass. At the end comes a table in Markdown: how
many faults of each part of the program (what a name begins with) were caught by whom; a fault with several lines may be
caught by several. The exit code is 1 if a fault is caught by nobody, or by another than the list says.
"""

import argparse
import collections
import concurrent.futures
import functools
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
# The tests that lines of the list may name.
TESTS = ("library",)


def build(*what):
    options = ["--features", "planted-faults", "--message-format", "json-render-diagnostics"]
    command = ["cargo", *what, *options]
    output = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    messages = map(json.loads, output.splitlines())
    binaries = [message["executable"] for message in messages if message.get("executable")]
    return binaries[-1]


@functools.cache
def passes(binary, names, faults, seconds):
    """Whether the tests pass. What is random in them is the same every time."""
    environment = dict(
        os.environ,
        REGATTA_PLANTED_FAULT=faults,
        PROPTEST_RNG_SEED="1",
        PROPTEST_MAX_SHRINK_ITERS="0",
        PROPTEST_DISABLE_FAILURE_PERSISTENCE="1",
    )
    try:
        done = subprocess.run([binary, *names.split()], env=environment, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    if done.returncode == 0 and "running 0 tests" in done.stdout:
        sys.exit(f"there is no such test: {names}")
    return done.returncode == 0


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


def part(line):
    """The part of the program that the line's first fault is in."""
    return line["faults"].split(":")[0]


def table(caught):
    """Who caught how many faults of which part, as Markdown. `caught` has, for each line that was run, who did."""
    everyone = sorted({who for _, who in caught})
    faults = collections.defaultdict(set)
    for line, who in caught:
        for column in (who, "all"):
            faults[part(line), column].add(line["faults"].split(",")[0])
            faults["**all**", column].add(line["faults"].split(",")[0])
    columns = ["all", *everyone]
    yield "| part | faults | " + " | ".join(everyone) + " |"
    yield "|---|" + "--:|" * len(columns)
    for row in [*sorted({part(line) for line, _ in caught}), "**all**"]:
        numbers = (str(len(faults[row, column])) if (row, column) in faults else "" for column in columns)
        yield f"| {row} | " + " | ".join(numbers) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="faults whose names the regular expression finds")
    parser.add_argument("--binary", help="the command, built with the feature")
    parser.add_argument(
        "--test", action="append", default=[], metavar="NAME=FILE", help=f"tests ({', '.join(TESTS)}), built with the feature"
    )
    parser.add_argument("--time", type=float, default=8, help="seconds for a run of the command")
    parser.add_argument("--test-time", type=float, default=300, help="seconds for a run of tests")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", action="store_true", help="what each run said")
    arguments = parser.parse_args()
    binary = arguments.binary or build("build")
    listed = subprocess.run([binary, "planted-faults"], stdout=subprocess.PIPE, text=True, check=True).stdout
    header, *rows = listed.splitlines()
    lines = [dict(zip(header.split("\t"), row.split("\t"))) for row in rows]
    lines = [line for line in lines if re.search(arguments.only, line["faults"])]
    tests = dict(given.split("=", 1) for given in arguments.test)
    for name in {line["program"] for line in lines if line["verdict"] == "pass"} - tests.keys():
        tests[name] = build("test", "--no-run", "--lib")

    @functools.cache
    def without_fault(program, options):
        answer, _ = run(binary, {"program": program, "options": options}, "", arguments.time)
        return answer

    def both(line):
        """Who catches the line's faults, and notes about what is not as it should be."""
        notes = []
        if line["verdict"] == "pass":
            test = (tests[line["program"]], line["options"])
            if not passes(*test, "", arguments.test_time):
                notes.append("FAILS WITHOUT THE FAULT")
            who = "nobody" if passes(*test, line["faults"], arguments.test_time) else "test"
            answer, said = "passed", ""
        else:
            sound = without_fault(line["program"], line["options"])
            if is_wrong(sound, line["verdict"]):
                notes.append(f"WRONG WITHOUT THE FAULT: {sound}")
            answer, said = run(binary, line, line["faults"], arguments.time)
            who = catcher(answer, said, line["verdict"])
        if who == "nobody":
            notes.append(f"NOBODY: {answer}")
        elif who != line["caught by"]:
            notes.append(f"expected: {line['caught by']}; {answer}")
        return line, who, notes, said

    bad = 0
    caught = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for line, who, notes, said in pool.map(both, lines):
            caught.append((line, who))
            bad += bool(notes)
            where = pathlib.Path(line["program"]).stem
            print(f"{line['faults']:<100}  {where:<28}  {who:<20} {'; '.join(notes)}", flush=True)
            if arguments.v:
                print(said)
    print()
    print("\n".join(table(caught)))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
