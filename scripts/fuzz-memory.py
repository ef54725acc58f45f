#!/usr/bin/env python3
"""Compares the checks of memory with those of a compiler (`-fsanitize=address`, with its search for leaks).

A generated program works on arrays, objects of the heap, local objects and lists by pointers; in most, some step is wrong.
It asks for few small inputs. For each of their values the compiled program is executed, and the same run is made by `regatta
interpret --checks bounds,pointers,free,leaks`; both must find the same kind of error, or none. With `--verify SECONDS`, the
verdict of `regatta verify` must be that of all runs together, too: TRUE if no run has an error, else FALSE with a kind that a
run has. What differs is printed, and the exit code is then 1. What Regatta leaves open is counted. The same seed gives the
same programs.

The programs stay away from what the sanitizer does not see: accesses far beyond an object, and before an object of the file;
a local object of another round of a loop.
"""

import argparse
import itertools
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

CHECKS = "bounds,pointers,free,leaks"
INPUT_VALUES = [0, 1, 3]

# The kinds of errors by the sanitizer's reports.
KINDS = [
    ("valid-free", r"double-free|not malloc\(\)-ed|attempting free"),
    ("valid-memtrack", r"detected memory leaks"),
    ("valid-deref", r"AddressSanitizer: "),
]

FUNCTIONS = """
struct node { struct node *next; int value; };
static int file[5];
static int *kept;
static int sum;
static int *local_of_function(int n) { int x[2] = { n, n }; int *p = x + 1; return p; }
static int *static_of_function(int n) { static int x[2]; x[1] = n; return x + 1; }
static void set(int *p, int i, int n) { p[i] = n; }
static int get(int *p, int i) { return p[i]; }
static void release(int *p) { free(p); }
static void leave(void) { exit(1); }
static struct node *push(struct node *list, int n)
{
    struct node *new = malloc(sizeof *new);
    new->next = list;
    new->value = n;
    return new;
}
"""


class Pointer:
    """What a pointer variable points to: the number of ints before and from it on; whether `free` ends it, and the number of the
    allocation; whether it exists, and whether it does from the program's start."""

    def __init__(self, before=0, after=0, heap=False, is_live=False, is_file=False, owner=None):
        self.before, self.after, self.heap, self.is_live, self.is_file = before, after, heap, is_live, is_file
        self.owner = owner

    def is_null(self):
        return self.before + self.after == 0


class Generator:
    """A program. It knows of each pointer what it points to on the path on which no condition was entered."""

    def __init__(self, seed, errors):
        self.random = random.Random(seed)
        self.left = errors
        self.inputs = self.random.randrange(3)
        self.pointers = {f"p{number}": Pointer() for number in range(3)}
        self.list_length = 0
        self.lines = []

    def put(self, text):
        self.lines.append("    " + text)

    def errs(self):
        """Whether the next step is to be wrong."""
        if self.left > 0 and self.random.random() < 0.12:
            self.left -= 1
            return True
        return False

    def number(self):
        if self.inputs and self.random.random() < 0.4:
            return f"i{self.random.randrange(self.inputs)}"
        return str(self.random.randrange(10))

    def index(self, pointer):
        """An index for an access; wrong ones stay near."""
        low, high = -pointer.before, pointer.after
        if pointer.is_null():
            return "0"
        if self.errs():
            wrong = [high, high + 1] if pointer.is_file else [low - 1, high, high + 1]
            return str(self.random.choice(wrong))
        if self.inputs and low <= 0 and high > 3 and self.random.random() < 0.4:
            return f"i{self.random.randrange(self.inputs)}"
        if self.inputs and low <= 0 and high in (2, 3) and self.left and self.random.random() < 0.2:
            self.left -= 1
            return f"i{self.random.randrange(self.inputs)}"
        return str(self.random.randrange(low, high))

    def usable(self):
        """A pointer for an access; mostly one to an object that exists."""
        good = [name for name, one in self.pointers.items() if one.is_live]
        bad = [name for name, one in self.pointers.items() if not one.is_live]
        if bad and (not good or self.left) and self.errs():
            return self.random.choice(bad)
        return self.random.choice(good) if good else None

    def others_end(self, name):
        """All pointers to the heap object of this one point to nothing any more."""
        ended = self.pointers[name]
        for other in self.pointers.values():
            if other is ended or (other.heap and other.owner == ended.owner):
                other.is_live = False

    def drop(self, name):
        """Frees what the pointer alone points to before it gets another value, unless memory is to be lost."""
        pointer = self.pointers[name]
        shared = any(other is not pointer and other.heap and other.owner == pointer.owner for other in self.pointers.values()) \
            if pointer.heap else True
        if pointer.heap and pointer.is_live and not shared and not self.errs():
            self.put(f"free({name}{f' - {pointer.before}' if pointer.before else ''});")
            self.others_end(name)

    def assign(self, name):
        self.drop(name)
        kind = self.random.choice(["malloc", "calloc", "file", "local", "block", "copy", "null", "static", "function", "move", "scalar"])
        count = self.random.randrange(1, 6)
        match kind:
            case "malloc" | "calloc":
                text = f"malloc({count} * sizeof(int))" if kind == "malloc" else f"calloc({count}, sizeof(int))"
                self.put(f"{name} = {text};")
                new = Pointer(0, count, True, True, owner=len(self.lines))
            case "file":
                offset = self.random.randrange(5)
                self.put(f"{name} = file + {offset};")
                new = Pointer(offset, 5 - offset, is_live=True, is_file=True)
            case "local":
                self.put(f"{name} = own;")
                new = Pointer(0, 4, is_live=True)
            case "scalar":
                self.put(f"{name} = &one;")
                new = Pointer(0, 1, is_live=True)
            case "block":
                self.put(f"{{ int inner[3] = {{ 0 }}; {name} = inner + 1; {name}[0] = {self.number()}; }}")
                new = Pointer(1, 2)
            case "static":
                self.put(f"{name} = static_of_function({self.number()});")
                new = Pointer(1, 1, is_live=True, is_file=True)
            case "function":
                self.put(f"{name} = local_of_function({self.number()});")
                new = Pointer(1, 1)
            case "copy":
                other = self.random.choice(sorted(self.pointers))
                source = self.pointers[other]
                self.put(f"{name} = {other};")
                new = Pointer(source.before, source.after, source.heap, source.is_live, source.is_file, source.owner)
            case "move":
                old = self.pointers[name]
                if not old.is_live or old.after < 2:
                    return
                self.put(f"{name}++;")
                new = Pointer(old.before + 1, old.after - 1, old.heap, True, old.is_file, old.owner)
            case _:
                self.put(f"{name} = 0;")
                new = Pointer()
        self.pointers[name] = new

    def access(self):
        name = self.usable()
        if name is None:
            return
        pointer = self.pointers[name]
        index = self.index(pointer)
        kind = self.random.choice(["read", "write", "get", "set", "add", "address", "byte"])
        text = {
            "read": f"sum += {name}[{index}];", "write": f"{name}[{index}] = {self.number()};",
            "get": f"sum += get({name}, {index});", "set": f"set({name}, {index}, {self.number()});",
            "add": f"*({name} + {index}) += 1;", "address": f"{{ int *q = &{name}[{index}]; *q = {self.number()}; }}",
            "byte": f"((char *)({name} + {index}))[3] = 1;",
        }[kind]
        self.put(text)

    def library(self):
        name = self.usable()
        if name is None or self.pointers[name].after == 0:
            return
        room = self.pointers[name].after * 4
        size = room + self.random.choice([1, 4]) if self.errs() else self.random.randrange(room + 1)
        kind = self.random.choice(["set", "from", "to", "move"])
        if kind in ("from", "to"):
            size = min(size, 40)
        self.put({"set": f"memset({name}, 0, {size});", "from": f"memcpy(room, {name}, {size});",
                  "to": f"memcpy({name}, room, {size});", "move": f"memmove({name}, {name}, {size});"}[kind])

    def free(self):
        heap = [name for name, one in self.pointers.items() if one.heap and one.is_live and one.before == 0]
        if self.errs():
            name = self.random.choice(sorted(self.pointers))
        elif heap:
            name = self.random.choice(heap)
        else:
            return
        self.put(self.random.choice([f"free({name});", f"release({name});", f"{{ void (*end)(int *) = release; end({name}); }}"]))
        self.others_end(name)
        if self.random.random() < 0.5:
            self.put(f"{name} = 0;")
            self.pointers[name] = Pointer()

    def resize(self):
        heap = [name for name, one in self.pointers.items() if one.heap and one.is_live and one.before == 0]
        if not heap:
            return
        name = self.random.choice(heap)
        count = self.random.randrange(1, 7)
        self.others_end(name)
        self.put(f"{name} = realloc({name}, {count} * sizeof(int));")
        self.pointers[name] = Pointer(0, count, True, True, owner=len(self.lines))

    def lists(self):
        kind = self.random.choice(["push", "push", "read", "pop"])
        if kind == "push":
            self.put(f"list = push(list, {self.number()});")
            self.list_length += 1
        elif kind == "read" and (self.list_length or self.errs()):
            self.put("sum += list->value;")
        elif kind == "pop" and self.list_length:
            self.list_length -= 1
            if self.errs():
                self.put("free(list); list = list->next;")
            else:
                self.put("{ struct node *next = list->next; free(list); list = next; }")

    def others(self):
        """A step that needs none of the pointers, or one for a moment."""
        name = self.usable()
        index = self.index(self.pointers[name]) if name else None
        letters = self.random.randrange(6)
        text = '"' + "abcdef"[:letters] + '"'
        room = letters + (0 if self.errs() else 1 + self.random.randrange(2))
        row, column = (2, 0) if self.errs() else (self.random.randrange(2), self.random.randrange(3))
        count = self.random.randrange(1, 4)
        place = count if self.errs() else self.random.randrange(count)
        steps = [
            f"{{ char *s = malloc({max(room, 1)}); strcpy(s, {text}); sum += strlen(s); free(s); }}" if room else None,
            f"{{ char s[{max(room, 1)}]; strncpy(s, {text}, {letters + 1}); sum += s[0]; }}" if room else None,
            f"{{ char *s = strdup({text}); sum += s[{letters + (room <= letters)}]; free(s); }}",
            f"{{ int grid[2][3] = {{ {{ 0 }} }}; int a = {row}, b = {column}; sum += grid[a][b]; }}",
            f"{{ int n = {count}; int row[n]; row[{place}] = 1; sum += row[{place}]; }}",
            f"{{ int *q = calloc({count}, sizeof(int)); int **h = &q; (*h)[{place}] = 1; free(*h); }}",
        ]
        if name:
            steps += [
                f"{{ int **h = &{name}; (*h)[{index}] = {self.number()}; }}",
                f"{{ int *const h[2] = {{ {name}, own }}; sum += h[0][{index}]; }}",
                f"{{ struct {{ int n; int *p; }} s = {{ 1, {name} }}, t = s; sum += t.p[{index}]; }}",
            ]
            if self.inputs:
                steps.append(f"sum += i0 < 3 && {name}[{index}];")
                steps.append(f"sum += i0 ? 1 : {name}[{index}];")
        if self.list_length or self.errs():
            steps += ["{ struct node copy = *list; sum += copy.value; }", "for (struct node *n = list; n; n = n->next) sum += n->value;"]
        if self.inputs:
            steps.append(f"if (i0 == {self.random.choice(INPUT_VALUES)}) {self.random.choice(['return 0', 'exit(0)', 'leave()'])};")
        step = self.random.choice(steps)
        if step:
            self.put(step)

    def conditional(self):
        """A step under a condition. What it changes is not followed: only accesses and steps of functions."""
        if not self.inputs:
            return
        before = len(self.lines)
        self.random.choice([self.access, self.library])()
        steps = [line.strip() for line in self.lines[before:]]
        del self.lines[before:]
        if steps:
            value = self.random.choice(INPUT_VALUES)
            self.put(f"if (i{self.random.randrange(self.inputs)} {self.random.choice(['==', '<', '>='])} {value}) {{ {' '.join(steps)} }}")

    def loop(self):
        name = self.usable()
        if name is None or self.pointers[name].after == 0:
            return
        limit = self.pointers[name].after + (1 if self.errs() else 0)
        self.put(f"for (int j = 0; j < {limit}; j++) {name}[j] = j;")

    def end(self):
        owners = set()
        for name, pointer in self.pointers.items():
            if pointer.heap and pointer.is_live and pointer.owner not in owners and not self.errs():
                owners.add(pointer.owner)
                if self.random.random() < 0.2:
                    self.put(f"kept = {name};")
                    break
                self.put(f"free({name}{f' - {pointer.before}' if pointer.before else ''});")
        if self.list_length and not self.errs():
            self.put("while (list) { struct node *next = list->next; free(list); list = next; }")

    def program(self, steps):
        actions = [self.access] * 5 + [self.others] * 3 + [self.free, self.library, self.lists, self.conditional, self.conditional, self.loop, self.resize]
        for _ in range(steps):
            if self.random.random() < 0.35:
                self.assign(self.random.choice(sorted(self.pointers)))
            else:
                self.random.choice(actions)()
        self.end()
        head = ["#include <stdlib.h>", "#include <string.h>", "extern int __VERIFIER_nondet_int(void);", FUNCTIONS, "int main(void)", "{"]
        for number in range(self.inputs):
            head.append(f"    int i{number} = __VERIFIER_nondet_int();")
            head.append(f"    if (i{number} < 0 || i{number} > 3 || i{number} == 2) return 0;")
        head.append("    int own[4] = { 0 }, one = 0;")
        head.append("    char room[40] = { 0 };")
        head.append("    int *p0 = 0, *p1 = 0, *p2 = 0;")
        head.append("    struct node *list = 0;")
        return "\n".join(head + self.lines + ["    return 0;", "}"]) + "\n"


# The program's frames are gone and overwritten when leaks are looked for.
HARNESS = """
static int values[] = { %s };
int __VERIFIER_nondet_int(void) { static unsigned next; return values[next++]; }
int program(void);
static void scrub(void) { volatile char bytes[20000]; for (int i = 0; i < 20000; i++) bytes[i] = 0; }
int main(void) { program(); scrub(); return 0; }
"""


class Comparison:
    def __init__(self, folder, given):
        self.folder, self.given = folder, given
        self.source = folder / "program.c"
        self.compiler = [os.environ.get("CC", "cc"), "-w", "-g", "-O0", "-fno-builtin", "-fsanitize=address",
                         "-m64" if given.model == "LP64" else "-m32"]
        self.runs = self.errors = self.open = self.differences = 0

    def must(self, *command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"fuzz-memory: {' '.join(map(str, command))}: {done.stderr}")

    def native(self, values):
        """The kind of error in the compiled program's run, or an empty text."""
        harness = self.folder / "harness.c"
        harness.write_text(HARNESS % (", ".join(map(str, values)) or "0"))
        self.must(*self.compiler, harness, self.folder / "program.o", "-o", self.folder / "program")
        environment = {"ASAN_OPTIONS": "detect_stack_use_after_return=1:detect_leaks=1"}
        done = subprocess.run([self.folder / "program"], capture_output=True, text=True, errors="replace", env=environment, timeout=60)
        report = re.search(r"ERROR: .*", done.stderr)
        if not report:
            return ""
        return next(kind for kind, pattern in KINDS if re.search(pattern, report.group(0)))

    def own(self, *arguments):
        command = [self.given.regatta, *arguments, "--checks", CHECKS, "--data-model", self.given.model, self.source]
        return subprocess.run([str(part) for part in command], capture_output=True, text=True)

    def interpreted(self, values):
        """The kind of error in the interpreter's run; `None` if it cannot make the run."""
        done = self.own("interpret", f"--inputs={','.join(map(str, values))}")
        if done.returncode == 0:
            return ""
        # The check is stricter than the property, and the interpreter says so.
        if "FalseClaim" in done.stderr:
            return None
        found = re.search(r"(valid-\w+) is violated here", done.stderr)
        return found.group(1) if found else None

    def differ(self, seed, text):
        self.differences += 1
        print(f"seed {seed}: {text}", flush=True)

    def program(self, seed):
        generator = Generator(seed, random.Random(seed).choice([0, 1, 1, 2]))
        self.source.write_text(generator.program(self.given.steps))
        self.must(*self.compiler, "-Dmain=program", "-c", self.source, "-o", self.folder / "program.o")
        kinds = set()
        for values in itertools.product(INPUT_VALUES, repeat=generator.inputs):
            native = self.native(values)
            kinds.add(native)
            self.runs += 1
            self.errors += native != ""
            own = self.interpreted(values)
            self.open += own is None
            if own is not None and own != native:
                self.differ(seed, f"inputs {values}: compiled: {native or 'no error'}, interpreted: {own or 'no error'}")
        if self.given.verify:
            done = self.own("verify", "--time-limit", self.given.verify, "--threads", 2)
            verdict = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "no answer"
            found = re.fullmatch(r"RESULT: FALSE\((.*)\)", verdict)
            if verdict == "RESULT: TRUE" and kinds != {""} or found and found.group(1) not in kinds or "internal error" in done.stderr:
                self.differ(seed, f"compiled: {sorted(kinds)}, {verdict} {done.stderr.strip()}")
            elif verdict.startswith("RESULT: UNKNOWN"):
                self.open += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--count", type=int, default=20, help="number of programs (default 20)")
    parser.add_argument("--steps", type=int, default=14, help="steps of a program (default 14)")
    parser.add_argument("--verify", type=int, default=0, metavar="SECONDS", help="compare verdicts, too, with this time limit")
    parser.add_argument("--regatta", default=os.environ.get("REGATTA", "target/release/regatta"),
                        help="the binary (default: the environment's REGATTA, or target/release/regatta)")
    parser.add_argument("--model", choices=["LP64", "ILP32"], default="LP64", help="the data model (default LP64)")
    parser.add_argument("--print", action="store_true", help="print the first program, and do nothing else")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(pathlib.Path(folder), given)
        if given.print:
            print(Generator(given.seed, random.Random(given.seed).choice([0, 1, 1, 2])).program(given.steps))
            return 0
        for seed in range(given.seed, given.seed + given.count):
            comparison.program(seed)
    print(f"{given.count} programs, {comparison.runs} runs, {comparison.errors} with an error, {comparison.open} left open, "
          f"{comparison.differences} differences")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
