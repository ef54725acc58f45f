#!/usr/bin/env python3
"""Measures the price of the race: a portfolio's wall time by that of the best of its analyses alone.

The folder has tasks.tsv (task, expected verdict, data model, arithmetic, …). Runs are made one at a time. The whole portfolio goes
first, with the limit; then each analysis alone (`--set only`), with the least time so far for its limit, so that all of them
together seldom take longer than some times the race: what is slower than another one cannot be the best. The one that won the
race goes first. Short runs are made several times, and their median counts. The best of twenty medians of few runs is partly the
luckiest one: so short runs of the race and of the best are made again, in turns, and these count. Tasks that the simplifier decides have a price as well: the
whole portfolio by the portfolio without analyses but one.

A line for each task: wall time, the best analysis, its wall time, the price. In the end the price over all tasks that an analysis
alone solves (what only an analysis alone solves counts as infinite), and the wall time over all that are solved.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time

SHORT = 0.5
"""Runs under so many seconds are repeated."""


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tasks", type=pathlib.Path)
    parser.add_argument("--binary", default="target/release/regatta")
    parser.add_argument("--portfolio", default="default")
    parser.add_argument("--time-limit", type=float, default=20, help="of the whole portfolio, in seconds")
    parser.add_argument("--alone", type=float, default=0, help="for each analysis where the race does not end, in seconds")
    parser.add_argument("--repetitions", type=int, default=3, help="of runs under half a second, to find the best analysis")
    parser.add_argument("--paired", type=int, default=9, help="runs of the race and of the best analysis, if under half a second")
    parser.add_argument("--every", type=int, default=1, help="take every N-th task")
    parser.add_argument("--from", type=int, default=0, dest="first", help="leave out so many tasks before that")
    parser.add_argument("--only", default="", help="tasks whose names match this expression")
    return parser.parse_args()


def analyses(given):
    """The names of the portfolio's analyses."""
    command = [given.binary, "portfolio", "explain", given.portfolio]
    explained = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.findall(r'^name = "(.*)"', explained, re.MULTILINE)


class Task:
    def __init__(self, given, row):
        self.given = given
        self.name, self.expected, model, arithmetic, *_ = row
        self.command = [given.binary, "verify", "--portfolio", given.portfolio, "--data-model", model, "--arithmetic", arithmetic,
                        str(given.tasks / (self.name + ".c"))]

    def run(self, limit, *more):
        """The wall time in seconds if the answer is right, or else None."""
        command = [*self.command, "--time-limit", str(max(1, round(limit + 0.5))), *more]
        began = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit + 0.01, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None
        took = time.monotonic() - began
        lines = done.stdout.splitlines()
        verdict = lines[-1].removeprefix("RESULT: ").split("(")[0].lower() if lines else "nothing"
        if verdict in ("true", "false") and verdict != self.expected:
            sys.exit(f"{self.name}: {lines[-1]}, and {self.expected} is right")
        return took if verdict == self.expected else None

    def median(self, limit, *more):
        """The median of some runs if they are short, or else the wall time of one."""
        times = [self.run(limit, *more)]
        while times[0] is not None and times[0] < SHORT and len(times) < self.given.repetitions:
            times.append(self.run(max(limit, SHORT), *more))
        times = [each for each in times if each is not None]
        return statistics.median(times) if times else None

    def winner(self, limit):
        done = subprocess.run([*self.command, "--json", "--time-limit", str(max(1, round(limit + 0.5)))],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        concluded = [event["analysis"] for event in events if event.get("event") == "concluded"]
        return concluded[0] if concluded else None

    def best(self, names, race):
        """The best analysis alone and its wall time."""
        winner = self.winner(self.given.time_limit) if race is not None else None
        least, best = None, None
        limit = race + 0.05 if race is not None else self.given.alone
        for name in sorted(names, key=lambda name: name != winner):
            took = self.median(limit, *alone_with(name))
            if took is not None and (least is None or took < least):
                least, best, limit = took, name, took
        return best, least

    def paired(self, race, best, alone):
        """The medians of the race's and the best analysis's wall times, measured in turns if they are short."""
        if race is None or race >= SHORT:
            return race, alone
        times = [(self.run(SHORT + race), self.run(SHORT + race, *alone_with(best))) for _ in range(self.given.paired)]
        # Who does not always find an answer has the time of when it did, which is less than it would take.
        races, others = ([took for took in each if took is not None] for each in zip(*times))
        return statistics.median(races or [race]), statistics.median(others or [alone])


def alone_with(name):
    return ["--set", f'only=["{name}"]']


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))] if values else float("nan")


def main():
    given = options()
    names = analyses(given)
    rows = [line.split("\t") for line in (given.tasks / "tasks.tsv").read_text().splitlines()[1:]]
    rows = [row for row in rows if re.search(given.only, row[0])][given.first::given.every]
    prices, walls = [], []
    for row in rows:
        task = Task(given, row)
        race = task.median(given.time_limit)
        if race is None and not given.alone:
            continue
        best, alone = task.best(names, race)
        if alone is not None:
            race, alone = task.paired(race, best, alone)
        if race is not None:
            walls.append(race)
        if alone is not None:
            prices.append(float("inf") if race is None else race / alone)
            print(f"{task.name}\t{race or 0:.3f}\t{best}\t{alone:.3f}\t{prices[-1]:.2f}", flush=True)
        elif race is not None:
            print(f"{task.name}\t{race:.3f}\tnone\t\t", flush=True)
    print(f"{len(rows)} tasks, {len(walls)} solved, {len(prices)} by an analysis alone")
    print(f"price: median {quantile(prices, 0.5):.2f}, 90th percentile {quantile(prices, 0.9):.2f}")
    print(f"wall: median {quantile(walls, 0.5):.3f} s")


if __name__ == "__main__":
    main()
