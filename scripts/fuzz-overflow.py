#!/usr/bin/env python3
"""Compares the checks of signed arithmetic with those of a compiler (`-fsanitize=signed-integer-overflow,shift`).

A generated program evaluates one of many random expressions over its inputs. For random inputs, many of them near the ends of
their types, it is executed by `regatta interpret --checks overflow` and by the compiled program: either both see an overflow,
or neither does. What differs is printed with the inputs, and the exit code is then 1. The same seed gives the same programs.

clang (in the environment's CC) looks at every operation. gcc leaves out some whose results are cut or only compared with zero.
Neither promotes a bit-field before `++` and `--`; the programs have none on wide bit-fields.
"""

import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

# Name, bits (0: as wide as a pointer), signedness.
TYPES = [
    ("signed char", 8, True), ("unsigned char", 8, False), ("short", 16, True), ("unsigned short", 16, False),
    ("int", 32, True), ("unsigned", 32, False), ("long", 0, True), ("unsigned long", 0, False),
    ("long long", 64, True), ("unsigned long long", 64, False), ("int", 32, True), ("long long", 64, True),
]
FIELDS = [("int", 7), ("int", 31), ("unsigned", 9), ("unsigned", 31)]


class Generator:
    """Expressions over variables a0, a1, … of the types, and over the bit-fields s.f0, …"""

    def __init__(self, seed, model):
        self.random = random.Random(seed)
        self.model = model
        word = 64 if model == "LP64" else 32
        own = [self.random.choice(TYPES) for _ in range(5)]
        if model == "LP64" and self.random.random() < 0.3:
            own.append(("__int128", 128, True))
        self.variables = [(f"a{number}", name, bits or word, signed) for number, (name, bits, signed) in enumerate(own)]

    def constant(self):
        value = self.random.choice([0, 1, 2, 3, 5, 7, 31, 255, 46341, 65535, 2147483647, 4294967295])
        text = self.random.choice(["", "", "", "LL", "U"] if value <= 4294967295 else ["LL"])
        return f"{value}{text}"

    def leaf(self):
        if self.random.random() < 0.15:
            return f"s.f{self.random.randrange(len(FIELDS))}"
        return self.random.choice(self.variables)[0]

    def count(self, depth):
        """A count for a shift that may be of an unsigned number."""
        return f"({self.expression(depth)} & 31)"

    def expression(self, depth):
        if depth == 0:
            return self.leaf()
        kind = self.random.choice("+-*+-*+-*/%<>&^~n!?cCLb")
        left = self.expression(depth - 1)
        right = self.constant() if self.random.random() < 0.3 else self.expression(self.random.randrange(depth))
        match kind:
            case "/" | "%":
                return f"({left} {kind} ({right} | 1))"
            case "<":
                signed = self.random.choice(["int", "long long", "short"])
                count = right if self.random.random() < 0.2 else f"{right} & {self.random.choice([7, 15, 31, 63])}"
                return f"(({signed})({left}) << ({count}))"
            case ">":
                return f"({left} >> {self.count(depth - 1)})"
            case "~":
                return f"(~{left})"
            case "n":
                return f"(-{left})"
            case "!":
                return f"(!({left}))"
            case "?":
                return f"({self.expression(depth - 1)} ? {left} : {right})"
            case "c":
                return f"({left} {self.random.choice(['<', '<=', '==', '!='])} {right})"
            case "C":
                return f"(({self.random.choice(TYPES)[0]})({left}))"
            case "L":
                return f"({left} {self.random.choice(['&&', '||'])} {right})"
            case "b":
                return f"({left} | {right})" if self.random.random() < 0.5 else f"({left} ^ {right})"
            case _:
                return f"({left} {kind} {right})"

    def statement(self):
        target = self.leaf()
        kind = self.random.random()
        if kind < 0.2 and target in ("s.f1", "s.f3"):
            target = self.variables[0][0]
        if kind < 0.1:
            return f"{target}{self.random.choice(['++', '--'])};"
        if kind < 0.2:
            return f"{self.random.choice(['++', '--'])}{target};"
        if kind < 0.4:
            return f"{target} {self.random.choice('+-*')}= {self.expression(2)};"
        if kind < 0.5:
            return f"if ({self.expression(2)}) {target} = {self.expression(1)};"
        return f"{target} = {self.expression(3)};"

    def program(self, count):
        inputs = [(name, f"({kind})in()") for name, kind, _, _ in self.variables]
        lines = ["extern long long __VERIFIER_nondet_longlong(void);",
                 "static long long in(void) { return __VERIFIER_nondet_longlong(); }",
                 "struct { " + " ".join(f"{kind} f{number} : {bits};" for number, (kind, bits) in enumerate(FIELDS)) + " } s;"]
        lines += [f"{kind} {name};" for name, kind, _, _ in self.variables]
        lines.append("int main(void)")
        lines.append("{")
        lines.append("    int which = (int)in();")
        lines += [f"    {name} = {value};" for name, value in inputs]
        lines += [f"    s.f{number} = in();" for number in range(len(FIELDS))]
        wide = [name for name, kind, _, _ in self.variables if kind == "__int128"]
        # Beyond what an input can have.
        lines += [f"    {name} = (__int128)((unsigned __int128){name} << 64 | (unsigned long long)in());" for name in wide]
        lines.append("    switch (which) {")
        for number in range(count):
            lines.append(f"    case {number}: {self.statement()} break;")
        lines += ["    }", "    return 0;", "}"]
        return "\n".join(lines) + "\n", len(inputs) + len(FIELDS) + len(wide)

    def value(self):
        ends = [1 << bits for bits in (7, 8, 15, 16, 31, 32, 63)]
        base = self.random.choice([0, 0, 0, 1, -1] + ends + [-end for end in ends] + [self.random.getrandbits(63), self.random.getrandbits(31)])
        value = base + self.random.choice([-2, -1, 0, 1, 2])
        return (value + (1 << 63)) % (1 << 64) - (1 << 63)


HARNESS = """
static long long values[] = { %s };
long long __VERIFIER_nondet_longlong(void) { static int next; return values[next++]; }
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--count", type=int, default=20, help="number of programs (default 20)")
    parser.add_argument("--statements", type=int, default=12, help="statements in a program (default 12)")
    parser.add_argument("--runs", type=int, default=2, help="runs of a statement (default 2)")
    parser.add_argument("--regatta", default=os.environ.get("REGATTA", "target/release/regatta"),
                        help="the binary (default: the environment's REGATTA, or target/release/regatta)")
    parser.add_argument("--model", choices=["LP64", "ILP32"], default="LP64", help="the data model (default LP64)")
    given = parser.parse_args()
    compiler = [os.environ.get("CC", "cc"), "-w", "-O0", "-m64" if given.model == "LP64" else "-m32",
                "-fsanitize=signed-integer-overflow,shift", "-fsanitize-undefined-trap-on-error"]
    runs = overflows = differences = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source, harness = folder / "program.c", folder / "harness.c"
        for seed in range(given.seed, given.seed + given.count):
            generator = Generator(seed, given.model)
            text, inputs = generator.program(given.statements)
            source.write_text(text)
            assembled = subprocess.run([*compiler, "-c", source, "-o", folder / "program.o"], capture_output=True, text=True)
            if assembled.returncode:
                sys.exit(f"fuzz-overflow: seed {seed}: the program is not compiled: {assembled.stderr}")
            for statement in range(given.statements):
                for _ in range(given.runs):
                    values = [statement] + [generator.value() for _ in range(inputs)]
                    harness.write_text(HARNESS % ", ".join(f"(long long){value % (1 << 64)}ULL" for value in values))
                    subprocess.run([*compiler, folder / "program.o", harness, "-o", folder / "program"], check=True)
                    native = subprocess.run([folder / "program"])
                    if native.returncode not in (0, -signal.SIGILL, -signal.SIGTRAP):
                        sys.exit(f"fuzz-overflow: seed {seed}: the compiled program ends with {native.returncode}")
                    listed = "--inputs=" + ",".join(map(str, values))
                    own = subprocess.run([given.regatta, "interpret", "--checks", "overflow", "--data-model", given.model, listed, source],
                                         capture_output=True, text=True)
                    if own.returncode > 1:
                        sys.exit(f"fuzz-overflow: seed {seed}: the program is not executed: {own.stderr}")
                    runs += 1
                    overflows += native.returncode != 0
                    if (native.returncode != 0) != (own.returncode != 0):
                        differences += 1
                        line = next(line for line in text.splitlines() if f"case {statement}:" in line)
                        print(f"seed {seed}, inputs {values}: {line.strip()}\n"
                              f"  compiled: {'an overflow' if native.returncode else 'none'}, interpreted: {own.stderr.strip() or 'none'}")
    print(f"{runs} runs, {overflows} with an overflow, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
