#!/usr/bin/env python3
"""Puts programs with different best engines into one, and asks for the verdict, which is known.

    scripts/compositions.py --regatta target/release/regatta --count 100 --parts 2 --seed 1

The parts are the programs of tests/engines, whose table says which engine solves which. Each part of a composition is solved by
some engine, and no engine that is in the table solves all of them. The parts are composed in one of these shapes:

  sequence   one after the other; only the first may have a violation, since the others may not end
  choice     an input chooses one
  rounds     a loop that an input ends runs one of them in each round; none has a violation, nor variables of the file

A table by pair of engines says how many were decided; then what was not decided, and the wall time of a composition against the
sum of those of its parts alone. The exit code is 1 if an answer is wrong.
"""

import argparse
import collections
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "tests/engines"
SHAPES = ["sequence", "choice", "rounds"]
IDENTIFIER = r"[A-Za-z_]\w*"
# Comments and literals, which have no names.
SKIPPED = r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\.?\d[\w.]*"


class Part:
    """A program that may be a part."""

    def __init__(self, name, expected, engines):
        self.name, self.expected, self.engines = name, expected, engines
        self.text = (PROGRAMS / f"{name}.c").read_text()
        self.seconds = None

    def has_file_variables(self):
        return re.search(r"^(?!extern|struct \w+ \{|union|enum|typedef)[a-z][\w *]*[;=\[][^(]*$", self.text, re.MULTILINE) is not None

    def includes(self):
        return re.findall(r"^\s*#\s*include.*$", self.text, re.MULTILINE)

    def renamed(self, prefix):
        """The text without includes, its own names with the prefix; `main` is `PREFIXmain`."""
        kept = {*KEYWORDS, *names_of_headers(tuple(self.includes()))}
        kept |= {name for line in re.findall(r"^extern[^;]*;", self.text, re.MULTILINE) for name in re.findall(IDENTIFIER, line)}

        def rename(match):
            word = match.group()
            own = re.fullmatch(IDENTIFIER, word) and word not in kept and not word.startswith("__")
            return prefix + word if own else word

        body = "\n".join(line for line in self.text.splitlines() if not re.match(r"\s*#\s*include", line))
        directive = re.compile(r"^\s*#\s*(define|if|ifdef|ifndef|else|endif|undef|pragma)\b")
        lines = []
        for line in re.sub(r"/\*.*?\*/", " ", body, flags=re.DOTALL).splitlines():
            word = directive.match(line)
            start = word.end() if word else 0
            lines.append(line[:start] + re.sub(f"{SKIPPED}|{IDENTIFIER}", rename, line[start:]))
        return "\n".join(lines)


KEYWORDS = set("""auto break case char const continue default defined do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Alignas
    _Alignof _Atomic _Complex _Generic _Noreturn _Static_assert _Thread_local typeof asm""".split())
HEADERS = {}


def names_of_headers(includes):
    if includes not in HEADERS:
        text = "\n".join(includes)
        outputs = [subprocess.run(["cc", "-E", *options, "-x", "c", "-"], input=text, capture_output=True, text=True).stdout
                   for options in ([], ["-dM"])]
        HEADERS[includes] = {name for output in outputs for name in re.findall(IDENTIFIER, output)}
    return HEADERS[includes]


def parts():
    header, *rows = (PROGRAMS / "expected.tsv").read_text().splitlines()
    engines = header.split("\t")[3:]
    found = []
    for row in rows:
        name, expected, arithmetic, *solves = row.split("\t")
        able = {engine for engine, answer in zip(engines, solves) if answer == "yes"}
        if arithmetic == "bitvector" and able:
            found.append(Part(name, expected, able))
    return found


def compose(chosen, shape):
    includes = sorted({line for part in chosen for line in part.includes()})
    texts = [part.renamed(f"part_{number}_") for number, part in enumerate(chosen)]
    calls = [f"part_{number}_main();" for number in range(len(chosen))]
    cases = " ".join(f"case {number}: {call} break;" for number, call in enumerate(calls))
    if shape == "sequence":
        body = " ".join(calls)
    elif shape == "choice":
        body = f"switch (__VERIFIER_nondet_int()) {{ {cases} }}"
    else:
        body = f"while (__VERIFIER_nondet_int()) switch (__VERIFIER_nondet_int()) {{ {cases} }}"
    declared = "extern int __VERIFIER_nondet_int(void);"
    return "\n".join([*includes, declared, *texts, f"int main(void) {{ {body} return 0; }}", ""])


def choose(pool, count, chance):
    while True:
        shape = chance.choice(SHAPES)
        chosen = chance.sample(pool, count)
        unsafe = [part for part in chosen if part.expected == "false"]
        if shape == "sequence":
            chosen.sort(key=lambda part: part.expected == "true")
        if set.intersection(*(part.engines for part in chosen)):
            continue
        if shape == "sequence" and len(unsafe) > 1 or shape == "rounds" and (unsafe or any(part.has_file_variables() for part in chosen)):
            continue
        return chosen, shape, "false" if unsafe else "true"


def verdict(regatta, text, limit, options=()):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "composition.c"
        file.write_text(text)
        begin = time.monotonic()
        command = [regatta, "verify", "--checks", "assertions", "--time-limit", str(limit), *options, str(file)]
        ended = subprocess.run(command, capture_output=True, text=True)
        seconds = time.monotonic() - begin
    result = (ended.stdout.splitlines() or [""])[-1]
    answer = re.match(r"RESULT: (TRUE|FALSE)", result)
    return (answer.group(1).lower() if answer else None), seconds, result + ended.stderr[-300:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--regatta", default=os.environ.get("REGATTA", "target/release/regatta"))
    parser.add_argument("--count", type=int, default=100, help="compositions (default 100)")
    parser.add_argument("--parts", type=int, default=2, help="programs in each (default 2)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=20, help="seconds for each (default 20)")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for compositions that are not decided, or wrongly")
    parser.add_argument("--option", action="append", default=[], help="an option for the verifier, may be given more than once")
    given = parser.parse_args()
    chance, pool = random.Random(given.seed), parts()
    table = collections.defaultdict(lambda: [0, 0])
    decided = wrong = 0
    ratios = []
    for number in range(given.count):
        chosen, shape, expected = choose(pool, given.parts, chance)
        text = compose(chosen, shape)
        answer, seconds, result = verdict(given.regatta, text, given.limit, given.option)
        names = f"{shape}: {' '.join(part.name for part in chosen)}"
        if answer is None or answer != expected:
            print(f"{number} {names}: {result.strip()} (expected {expected}, {seconds:.1f} s)", flush=True)
            if given.keep:
                given.keep.mkdir(parents=True, exist_ok=True)
                (given.keep / f"{given.seed}-{number}.c").write_text(text)
        decided += answer == expected
        wrong += answer is not None and answer != expected
        cell = table[tuple(sorted(min(part.engines) for part in chosen[:2]))]
        cell[0] += answer == expected
        cell[1] += 1
        if answer == expected:
            for part in chosen:
                if part.seconds is None:
                    _, part.seconds, _ = verdict(given.regatta, part.text, given.limit, given.option)
            needed = max(part.seconds for part in chosen) if expected == "false" else sum(part.seconds for part in chosen)
            ratios.append(seconds / needed)
    for pair, (right, count) in sorted(table.items()):
        print(f"{' + '.join(pair):45} {right:3} of {count:3}")
    ratio = f"; wall time against the parts' alone: {statistics.median(ratios):.2f} in the median" if ratios else ""
    print(f"decided {decided} of {given.count}, wrong {wrong}{ratio}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
