#!/usr/bin/env python3
"""Compares verdicts about termination with an exploration of all states.

A generated program has loops, or a function that calls itself, over variables of 8 bits, so that nothing overflows and all
states can be visited: it may go on for ever if and only if a state can be reached from itself. TRUE where it can, or FALSE
where it cannot, is printed with the program, and the exit code is then 1. The same seed gives the same programs. With
`--validate`, a witness is written with each verdict, and it is wrong if `regatta validate` refutes it.
"""

import argparse
import collections
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

TYPES = {"signed char": (-128, 127), "unsigned char": (0, 255)}


def divided(a, b):
    """C's quotient; the divisor is a constant that is not zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a, b):
    return a - b * divided(a, b)


class Program:
    """A program as C text, and as a graph: instructions by number, each with what it does and where it goes on."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.types = [self.random.choice(list(TYPES)) for _ in range(self.random.choice([1, 2, 2, 2, 3]))]
        self.places, self.declarations, self.before_main = [], [], []
        # A recursive function's parameters are its variables.
        self.is_recursive = self.random.random() < 0.2
        for number, kind in enumerate(self.types):
            self.places.append(self.declared(number, kind))
        self.instructions = []
        self.lines = []
        self.generate()

    def declared(self, number, kind):
        how = 1 if self.is_recursive else self.random.random()
        if how < 0.1:
            self.declarations.append(f"{kind} m{number}[3];")
            return f"m{number}[{self.random.randrange(3)}]"
        if how < 0.2:
            self.declarations.append(f"{kind} v{number}; {kind} *p{number} = &v{number};")
            return f"(*p{number})"
        if how < 0.3:
            self.before_main.append(f"{kind} v{number};")
        elif not self.is_recursive:
            self.declarations.append(f"{kind} v{number};")
        return f"v{number}"

    # Expressions are pairs: C text, and a function of the list of values.

    def variable(self):
        number = self.random.randrange(len(self.types))
        return self.places[number], lambda values: values[number]

    def constant(self):
        value = self.random.choice([0, 1, 1, 2, 3, 5, 7, 10, 64, 100, -1, -2, -10])
        return f"{value}" if value >= 0 else f"({value})", lambda values: value

    def operand(self):
        return self.variable() if self.random.random() < 0.6 else self.constant()

    def expression(self):
        (left, of_left), (right, of_right) = self.variable(), self.operand()
        amount = self.random.choice([1, 2, 3, 7, 15])
        return self.random.choices([
            (f"{left} + {right}", lambda values: of_left(values) + of_right(values)),
            (f"{left} - {right}", lambda values: of_left(values) - of_right(values)),
            (f"{left} * {right}", lambda values: of_left(values) * of_right(values)),
            (f"{right}", of_right),
            (f"{left} / {amount}", lambda values: divided(of_left(values), amount)),
            (f"{left} % {amount}", lambda values: remainder(of_left(values), amount)),
            (f"{left} >> 1", lambda values: of_left(values) >> 1),
            (f"({left} & {amount}) - {right}", lambda values: (of_left(values) & amount) - of_right(values)),
            (f"{left} ^ {amount}", lambda values: of_left(values) ^ amount),
            (f"-{left}", lambda values: -of_left(values)),
            (f"2 * {left} - {right}", lambda values: 2 * of_left(values) - of_right(values)),
        ], [8, 8, 2, 2, 2, 1, 2, 1, 1, 1, 2])[0]

    def comparison(self):
        (left, of_left), (right, of_right) = self.variable(), self.operand()
        return self.random.choices([
            (f"{left} < {right}", lambda values: of_left(values) < of_right(values)),
            (f"{left} > {right}", lambda values: of_left(values) > of_right(values)),
            (f"{left} <= {right}", lambda values: of_left(values) <= of_right(values)),
            (f"{left} >= {right}", lambda values: of_left(values) >= of_right(values)),
            (f"{left} != {right}", lambda values: of_left(values) != of_right(values)),
            (f"{left} == {right}", lambda values: of_left(values) == of_right(values)),
        ], [4, 4, 2, 2, 2, 1])[0]

    def condition(self):
        """A condition; its function is None if an input decides."""
        kind = self.random.random()
        if kind < 0.1:
            return "__VERIFIER_nondet_bool()", None
        (left, of_left), (right, of_right) = self.comparison(), self.comparison()
        if kind < 0.25:
            return f"{left} && {right}", lambda values: of_left(values) and of_right(values)
        if kind < 0.33:
            return f"{left} || {right}", lambda values: of_left(values) or of_right(values)
        return left, of_left

    # Instructions.

    def new(self):
        self.instructions.append(None)
        return len(self.instructions) - 1

    def cast(self, number, value):
        low, _ = TYPES[self.types[number]]
        return (value - low) % 256 + low

    def assign(self, at, onward, indent):
        number = self.random.randrange(len(self.types))
        place = self.places[number]
        if self.random.random() < 0.08:
            mask = self.random.choice([1, 7, 15])
            self.lines.append(f"{indent}{place} = __VERIFIER_nondet_int() & {mask};")
            self.instructions[at] = ("input", number, range(mask + 1), onward)
            return
        kind = self.random.random()
        if kind < 0.25:
            self.lines.append(f"{indent}{place}++;")
            function = lambda values: values[number] + 1
        elif kind < 0.5:
            self.lines.append(f"{indent}{place}--;")
            function = lambda values: values[number] - 1
        else:
            text, function = self.expression()
            self.lines.append(f"{indent}{place} = {text};")
        self.instructions[at] = ("assign", number, function, onward)

    def block(self, at, onward, out, depth, indent):
        """Statements from the instruction to the one; `out` is where a `break` leads."""
        for statement in range(count := self.random.choice([1, 2, 2, 3])):
            after = onward if statement == count - 1 else self.new()
            kind = self.random.random()
            if depth and kind < 0.2:
                self.loop(at, after, depth - 1, indent)
            elif depth and kind < 0.4:
                text, function = self.condition()
                then = self.new()
                self.lines.append(f"{indent}if ({text}) {{")
                self.block(then, after, out, depth - 1, indent + "  ")
                if self.random.random() < 0.5:
                    otherwise = self.new()
                    self.lines.append(f"{indent}}} else {{")
                    self.block(otherwise, after, out, depth - 1, indent + "  ")
                else:
                    otherwise = after
                self.lines.append(f"{indent}}}")
                self.instructions[at] = ("branch", function, then, otherwise)
            elif out is not None and kind < 0.46:
                text, function = self.condition()
                self.lines.append(f"{indent}if ({text}) break;")
                self.instructions[at] = ("branch", function, out, after)
            else:
                self.assign(at, after, indent)
            at = after

    def loop(self, at, onward, depth, indent):
        if self.random.random() < 0.5:
            self.counting(at, onward, depth, indent)
            return
        text, function = self.condition()
        body = self.new()
        self.lines.append(f"{indent}while ({text}) {{")
        self.block(body, at, onward, depth, indent + "  ")
        self.lines.append(f"{indent}}}")
        self.instructions[at] = ("branch", function, body, onward)

    def counting(self, at, onward, depth, indent):
        """A loop whose last statement comes nearer to its end, more often than not."""
        number = self.random.randrange(len(self.types))
        place, (bound, of_bound) = self.places[number], self.operand()
        amount = self.random.choice([1, 1, 1, 2, 3])
        is_up = self.random.random() < 0.5
        sign = "<" if is_up else ">"
        function = lambda values: values[number] < of_bound(values) if is_up else values[number] > of_bound(values)
        change = amount if is_up else -amount
        body, step = self.new(), self.new()
        self.lines.append(f"{indent}while ({place} {sign} {bound}) {{")
        self.block(body, step, onward, depth, indent + "  ")
        self.lines.append(f"{indent}  {place} {'+' if is_up else '-'}= {amount};\n{indent}}}")
        self.instructions[step] = ("assign", number, lambda values: values[number] + change, at)
        self.instructions[at] = ("branch", function, body, onward)

    def generate(self):
        end = self.new()
        self.instructions[end] = ("end",)
        self.entry = self.new()
        if self.is_recursive:
            text, function = self.condition()
            body = self.new()
            self.lines.append(f"  if ({text}) {{")
            self.block(body, self.entry, None, 2, "    ")
            self.lines.append(f"    f({', '.join(self.places)});\n  }}")
            self.instructions[self.entry] = ("branch", function, body, end)
            return
        at = self.entry
        count = self.random.choice([1, 1, 2])
        for number in range(count):
            after = end if number == count - 1 else self.new()
            self.loop(at, after, 2, "  ")
            at = after

    def text(self):
        lines = ["extern int __VERIFIER_nondet_int(void);", "extern _Bool __VERIFIER_nondet_bool(void);", *self.before_main]
        if self.is_recursive:
            parameters = ", ".join(f"{kind} {place}" for kind, place in zip(self.types, self.places))
            arguments = ", ".join("__VERIFIER_nondet_int()" for _ in self.types)
            return "\n".join([*lines, f"void f({parameters}) {{", *self.lines, "}", f"int main(void) {{ f({arguments}); return 0; }}", ""])
        inputs = [f"  {place} = __VERIFIER_nondet_int();" for place in self.places]
        declarations = [f"  {declaration}" for declaration in self.declarations]
        return "\n".join([*lines, "int main(void) {", *declarations, *inputs, *self.lines, "  return 0;", "}", ""])

    # Exploration.

    def successors(self, state):
        at, values = state
        match self.instructions[at]:
            case ("end",):
                return []
            case ("branch", None, then, otherwise):
                return [(then, values), (otherwise, values)]
            case ("branch", function, then, otherwise):
                return [(then if function(values) else otherwise, values)]
            case ("assign", number, function, onward):
                return [(onward, self.changed(values, number, function(values)))]
            case ("input", number, possible, onward):
                return [(onward, self.changed(values, number, value)) for value in possible]

    def changed(self, values, number, value):
        return values[:number] + (self.cast(number, value),) + values[number + 1:]

    def starts(self):
        values = [()]
        for kind in self.types:
            low, high = TYPES[kind]
            values = [(*first, value) for first in values for value in range(low, high + 1)]
        return ((self.entry, first) for first in values)

    def goes_on_for_ever(self, limit):
        """Whether a state can be reached from itself; None if there are more states than the limit."""
        ended, on_way = set(), set()
        for start in self.starts():
            if start in ended:
                continue
            stack = [(start, iter(self.successors(start)))]
            on_way.add(start)
            while stack:
                state, following = stack[-1]
                onward = next(following, None)
                if onward is None:
                    stack.pop()
                    on_way.discard(state)
                    ended.add(state)
                elif onward in on_way:
                    return True
                elif onward not in ended:
                    if len(ended) + len(on_way) > limit:
                        return None
                    on_way.add(onward)
                    stack.append((onward, iter(self.successors(onward))))
        return False


def asked(given, seed, command, source, options):
    """The verdict of a command about the program, and all that it says."""
    command = [given.regatta, command, "--time-limit", str(given.limit), *options, str(source)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=given.limit + 30)
    except subprocess.TimeoutExpired:
        sys.exit(f"fuzz-termination: seed {seed}: no answer in time")
    said = done.stdout + done.stderr
    answer = (done.stdout.splitlines() or [""])[-1].removeprefix("RESULT: ").split("(")[0]
    if answer not in ("TRUE", "FALSE", "UNKNOWN") or "internal error" in said:
        sys.exit(f"fuzz-termination: seed {seed}: {said}\n{source.read_text()}")
    return answer, said


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--count", type=int, default=20, help="number of programs (default 20)")
    parser.add_argument("--limit", type=float, default=4, help="seconds for a verdict (default 4)")
    parser.add_argument("--states", type=int, default=1_500_000, help="maximum number of states to visit (default 1,500,000)")
    parser.add_argument("--seconds", type=float, help="start no program after this time")
    parser.add_argument("--regatta", default=os.environ.get("REGATTA", "target/release/regatta"),
                        help="the binary (default: the environment's REGATTA, or target/release/regatta)")
    parser.add_argument("--validate", action="store_true", help="have the witness of each verdict validated")
    parser.add_argument("--show", action="store_true", help="print the programs with what is known of them, and nothing else")
    parser.add_argument("--verbose", "-v", action="store_true", help="name the programs that stay open")
    given = parser.parse_args()
    begin = time.monotonic()
    counts, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "program.c"
        for seed in range(given.seed, given.seed + given.count):
            if given.seconds and time.monotonic() - begin > given.seconds:
                break
            program = Program(seed)
            text = program.text()
            for_ever = program.goes_on_for_ever(given.states)
            if given.show:
                print(f"// seed {seed}: {'unknown' if for_ever is None else 'goes on for ever' if for_ever else 'ends'}\n{text}")
                continue
            if for_ever is None:
                counts["too many states", ""] += 1
                continue
            source.write_text(text)
            witness = pathlib.Path(folder) / "witness.yml"
            witness.unlink(missing_ok=True)
            answer, _ = asked(given, seed, "verify", source, ["--checks", "termination", *(["--witness", str(witness)] if given.validate else [])])
            counts["goes on for ever" if for_ever else "ends", answer] += 1
            if answer == ("TRUE" if for_ever else "FALSE"):
                wrong += 1
                print(f"seed {seed}: {answer} is wrong\n{text}", flush=True)
            elif given.validate and answer != "UNKNOWN":
                confirmed, said = asked(given, seed, "validate", source, ["--witness", str(witness)]) if witness.exists() else ("none", "")
                counts["witness of " + answer, confirmed] += 1
                if confirmed not in (answer, "UNKNOWN", "none") or "the witness" in said and confirmed == "UNKNOWN":
                    wrong += 1
                    print(f"seed {seed}: {answer}, its witness: {confirmed}\n{said}{text}\n{witness.read_text()}", flush=True)
            elif given.verbose and answer == "UNKNOWN":
                print(f"seed {seed}: open, {'goes on for ever' if for_ever else 'ends'}", flush=True)
    for (what, answer), count in sorted(counts.items()):
        print(f"{what:20} {answer:8} {count:6}")
    if not given.show:
        print(f"{sum(counts.values())} programs, {wrong} wrong verdicts")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
