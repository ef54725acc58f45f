#!/usr/bin/env python3
"""Looks for wrong verdicts with random C programs.

A generated program is compiled and run, on all inputs where these are few. From what it observes come checks that some
run violates (TRUE would be wrong) and checks that none does (FALSE would be wrong); the inputs of each FALSE are given to
the compiled program. The interpreter, which is much faster, has to compute what the compiled program does. A crash, a
refused program and a run that outlasts its limit are findings, too. Generators: scripts/fuzz; the same seed gives the
same programs.

Findings are kept in the folder that the last line names, each with program.c, finding.json (what was expected and got,
and the command) and interesting.sh (for creduce: cd FOLDER && creduce ./interesting.sh program.c); the exit code is
then 1. It is 2 if nothing was compared or asked.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

from fuzz.driver import BY_SYSTEM, GENERATORS, OPEN, Driver, Finding, reduce
from fuzz.oracle import Oracle, Refused
from fuzz.verifier import Verifier


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--count", type=int, default=None, help="seeds for each generator (default 20, or as many as the time allows)")
    parser.add_argument("--seconds", type=float, help="start no program after this time")
    parser.add_argument("--generator", action="append", choices=GENERATORS, help="may be given more than once (default: all)")
    parser.add_argument("--defined", action="store_true", help="only the generators of programs whose behaviour C defines")
    parser.add_argument("--portfolio", action="append", help="may be given more than once (default: each engine and the default in turn)")
    parser.add_argument("--model", choices=["LP64", "ILP32"], help="the data model (default: in turn)")
    parser.add_argument("--mode", choices=["both", "interpret", "verdicts"], default="both",
                        help="compare the interpreter with the compiled program, ask for verdicts, or both (a verdict for every fourth program)")
    parser.add_argument("--checks", type=int, default=2, help="verdicts a program (default 2)")
    parser.add_argument("--all", action="store_true", help="put several checks into each program, and let `verify --all` decide each")
    parser.add_argument("--limit", type=float, default=4, help="seconds for a verdict (default 4)")
    parser.add_argument("--jobs", type=int, choices=[1, 2], default=1, help="programs at a time")
    parser.add_argument("--reduce", type=float, default=0, metavar="SECONDS", help="let creduce make each finding smaller, for so long")
    parser.add_argument("--regatta", default=os.environ.get("REGATTA", "target/release/regatta"),
                        help="the binary (default: the environment's REGATTA, or target/release/regatta)")
    parser.add_argument("--show", action="store_true", help="print the programs, and nothing else")
    parser.add_argument("--again", metavar="FOLDER", help="look at the findings in a folder again")
    parser.add_argument("--still", metavar="FINDING.json", help="exit with 0 if the program is still wrong in that way (for creduce)")
    parser.add_argument("program", nargs="?", help="the program for --still")
    parser.add_argument("--verbose", "-v", action="store_true")
    return parser.parse_args()


def fail(message):
    sys.exit(f"fuzz-verdicts: {message}")


def is_still_wrong(driver, about, program):
    finding = Finding(json.loads(pathlib.Path(about).read_text()), text=pathlib.Path(program).read_text(errors="replace"))
    try:
        return driver.still(finding)
    except Refused:
        return False


def summary(driver):
    """The tables of programs by generator and of verdicts by portfolio."""
    columns = sorted({what for _, what in driver.programs})
    print("\n" + f"{'generator':20}" + "".join(f"{column:>16}" for column in columns))
    for generator in GENERATORS:
        if driver.programs[generator, "programs"]:
            print(f"{generator:20}" + "".join(f"{driver.programs[generator, column]:16}" for column in columns))
    if driver.answers:
        verdicts = ["TRUE", "FALSE", "UNKNOWN", None]
        print("\n" + f"{'portfolio':24}" + "".join(f"{verdict or 'none':>10}" for verdict in verdicts))
        table = collections.Counter()
        for (_, portfolio, verdict), count in driver.answers.items():
            table[portfolio, verdict] += count
        for portfolio in sorted({portfolio for portfolio, _ in table}):
            print(f"{portfolio:24}" + "".join(f"{table[portfolio, verdict]:10}" for verdict in verdicts))


def explore(driver, given, models):
    """All seeds and generators in turn, until the count or the time is reached."""
    start = time.monotonic()
    names = given.generator or [name for name in GENERATORS if not given.defined or name not in OPEN | BY_SYSTEM]
    count = given.count or (10**9 if given.seconds else 20)

    def tasks():
        for seed in range(given.seed, given.seed + count):
            for place, name in enumerate(names):
                if given.seconds and time.monotonic() - start > given.seconds:
                    return
                # The quotient too, so that seeds of one portfolio or divisible by four meet both models.
                yield name, seed, models[(seed + seed // 4 + place) % len(models)]

    if given.jobs == 1:
        for task in tasks():
            driver.examine(*task)
        return
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        pending = set()
        for task in tasks():
            pending.add(pool.submit(driver.examine, *task))
            if len(pending) >= given.jobs:
                done, pending = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    future.result()
        for future in pending:
            future.result()


def main():
    given = options()
    if given.show:
        from fuzz.program import Program
        for seed in range(given.seed, given.seed + (given.count or 1)):
            for name in given.generator or GENERATORS:
                program = Program(seed, name, given.model or "LP64")
                GENERATORS[name](program)
                print(f"/* {name}, seed {seed} */\n{program.text('store')}")
        return 0
    binary = shutil.which(given.regatta)
    if not binary:
        fail(f"no regatta binary at {given.regatta}: build it, or set REGATTA")
    work = pathlib.Path(tempfile.mkdtemp(prefix="fuzz-verdicts-"))
    oracle = Oracle(work, os.environ.get("CC", "cc"))
    driver = Driver(oracle, Verifier(os.path.abspath(binary), given.limit), work, given)
    if given.still:
        try:
            return 0 if is_still_wrong(driver, given.still, given.program) else 1
        finally:
            shutil.rmtree(work)
    if given.again:
        wrong = 0
        for about in sorted(pathlib.Path(given.again).glob("**/finding.json")):
            still = is_still_wrong(driver, about, about.parent / "program.c")
            wrong += still
            print(f"{'still wrong' if still else 'mended'}: {about.parent}")
        shutil.rmtree(work)
        return 1 if wrong else 0
    models = [model for model in ([given.model] if given.model else ["LP64", "ILP32"]) if oracle.works(model)]
    if not models:
        fail("the compiler makes no programs that run here (gcc-multilib?)")
    if not given.model and len(models) == 1:
        print(f"SKIPPED: all but {models[0]}, because the compiler makes no other programs that run here (gcc-multilib?)", file=sys.stderr)
    try:
        explore(driver, given, models)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    summary(driver)
    if driver.findings:
        print(f"\n{len(driver.findings)} findings:")
        for name, finding in driver.findings:
            print(f"  {name}: expected {finding['expected']}, got {finding['got']}")
        print(f"They are in {work}")
        return 1
    shutil.rmtree(work)
    if not any(what in ("runs compared", "checks") for _, what in driver.programs):
        print("fuzz-verdicts: nothing was compared or asked", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
