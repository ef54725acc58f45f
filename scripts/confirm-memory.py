#!/usr/bin/env python3
"""Confirms the verdicts of tests/verdicts/memory*.cases by a compiler's sanitizers (`-fsanitize=address`, with its search for leaks).

Each program is compiled and executed with several sequences of inputs. Where the verdict is FALSE, one execution must report an
error of the kind that is violated; where it is TRUE, none may report anything. What the sanitizer does not see is listed with
its reason. The exit code is 1 if something is not as it should be.
"""

import argparse
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# A text of an error's report for each property.
REPORTS = {
    "valid-deref": r"overflow|underflow|use-after|SEGV|stack-use|negative-size|unknown-crash|BUS|dynamic-stack",
    "valid-free": r"double-free|not malloc\(\)-ed|attempting free|use-after-free|SEGV",
    "valid-memtrack": r"detected memory leaks",
}

# What the sanitizer does not see, by what the case shows, with the reason.
UNSEEN = {
    "malloc may fail": "its malloc does not fail",
    "fgets, beyond its objects": "it looks at the bytes that are written, and there is no input",
    "an object without bytes": "its malloc gives one byte at least",
    "a local object of another round of a loop": "the next round has the same place on the stack",
    "an array of variable length after its block": "it stays on the stack for the rest of the function",
    "a value that is not used": "the compiler leaves the read out",
    "a value that is cast to void": "the compiler leaves the read out",
    "the left operand of a comma": "the compiler leaves the read out",
    "a value less itself": "the compiler leaves the read out",
    "a product with zero": "the compiler leaves the read out",
    "an argument of a function that is not defined": "it cannot be linked",
    "from one object into the next": "it looks at addresses, not at where they come from",
    "a value that is dropped": "the compiler leaves the read out",
    "a condition on which nothing depends": "the compiler leaves the read out",
    "an argument of unknown code": "it cannot be linked",
    "a local of a former round of the loop": "the next round has the same place on the stack",
    "a variable-length array ends with its block": "it stays on the stack for the rest of the function",
    "what alloca made ends with its function": "only objects of constant size are kept when a function returns",
    "a block that is entered again has a new object": "the next time it has the same place on the stack",
    "a string is printed beyond its end by precision": "it does not look at what is printed with a precision",
    "memory is lost in a loop that never ends": "it looks for lost memory at the end",
    "behind the program's name": "the environment's strings follow the arguments",
    "an object of another file": "it cannot be linked",
    "an uninitialised pointer is freed": "what was on the stack before is null",
    "alloca after its function": "only objects of constant size are kept when a function returns",
}

# Values of inputs: small ones, the ends of small arrays, and what is far away.
VALUES = [0, 1, 2, 3, 4, 5, 6, 8, 9, -1, -2, 10, 100]

# Time for an execution; some go on for ever.
SECONDS = 10

HARNESS = """
static int values[] = { %s };
static unsigned next;
int __VERIFIER_nondet_int(void) { return next < sizeof values / sizeof *values ? values[next++] : 0; }
unsigned __VERIFIER_nondet_uint(void) { return __VERIFIER_nondet_int(); }
"""


def cases(text):
    """The cases of a file: verdict, options, what they show, program."""
    for part in text.split("\n=== ")[1:]:
        head, program = part.split("\n", 1)
        head, what = head.split(": ", 1)
        verdict, *options = head.split()
        yield verdict, options, what, program


def runs(program):
    """Sequences of inputs."""
    count = min(program.count("__VERIFIER_nondet_"), 2)
    return list(itertools.product(VALUES, repeat=count))


class NotCompiled(Exception):
    """The compiler or the linker has failed."""


class Compiled:
    def __init__(self, folder, program, options):
        self.folder = folder
        self.source = folder / "program.c"
        self.source.write_text("extern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n" + program)
        self.flags = ["-w", "-g", "-O0", "-fno-builtin", "-fsanitize=address", "-m32" if "ILP32" in options else "-m64"]
        self.leaks = int(any(option.startswith("--checks=") and "leaks" in option for option in options))
        self.compiler = os.environ.get("CC", "cc")
        self.run(self.compiler, *self.flags, "-c", self.source, "-o", folder / "program.o")

    @staticmethod
    def run(*command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode:
            raise NotCompiled(f"{' '.join(map(str, command))}: {done.stderr}")

    def report(self, values):
        """What an execution with the values reports; empty if nothing."""
        harness = self.folder / "harness.c"
        harness.write_text(HARNESS % (", ".join(map(str, values)) or "0"))
        self.run(self.compiler, *self.flags, harness, self.folder / "program.o", "-o", self.folder / "program")
        environment = {"ASAN_OPTIONS": f"detect_stack_use_after_return=1:detect_leaks={self.leaks}:strict_string_checks=1:allocator_may_return_null=1"}
        try:
            done = subprocess.run([self.folder / "program"], capture_output=True, text=True, errors="replace", env=environment,
                                  stdin=subprocess.DEVNULL, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return ""
        found = re.search(r"ERROR: (AddressSanitizer|LeakSanitizer): .*", done.stderr)
        return found.group(0) if found else ""


def complaint(folder, verdict, options, what, program):
    """What is wrong with the verdict, if anything is."""
    if verdict.startswith("UNKNOWN"):
        return None
    name = verdict.removeprefix("FALSE(").rstrip(")")
    # Leaks are looked for alone: what is reachable is none for the sanitizer.
    if name == "valid-memcleanup":
        return None
    is_unseen = what in UNSEEN
    try:
        compiled = Compiled(folder, program, options)
        reports = [(values, compiled.report(values)) for values in runs(program)]
    except NotCompiled as error:
        return None if is_unseen else str(error)
    found = [(values, report) for values, report in reports if report]
    if verdict == "TRUE":
        return f"TRUE, but with the inputs {found[0][0]}: {found[0][1]}" if found else None
    expected = REPORTS[name]
    if any(re.search(expected, report) for _, report in found) != is_unseen:
        return None
    if is_unseen:
        return f"{verdict}, and the sanitizer does see it: {found[0][1]}"
    return f"{verdict}, but " + (f"with the inputs {found[0][0]}: {found[0][1]}" if found else "nothing is reported")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("files", nargs="*", type=pathlib.Path, default=sorted((here / "tests/verdicts").glob("memory*.cases")),
                        help="the cases (default: tests/verdicts/memory*.cases)")
    parser.add_argument("--only", default="", help="only those that show something with this text")
    given = parser.parse_args()
    wrong = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for verdict, options, what, program in itertools.chain.from_iterable(cases(file.read_text()) for file in given.files):
            if given.only in what:
                count += 1
                text = complaint(pathlib.Path(folder), verdict, options, what, program)
                if text:
                    wrong += 1
                    print(f"{what}: {text}\n{program}")
    print(f"{count} cases, {wrong} not confirmed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
