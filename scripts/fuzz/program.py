"""A C program under construction: random choices, inputs, observations, expressions.

A generator adds lines to `top` (declarations, functions) and `body` (the statements of main). What a program computes
it says with `OBSERVE(n, value);`, a line of its own, so that checks can be put there. It reads inputs by `input()`, whose
values are few enough for all runs to be tried; in a free program they are not restricted, and only some runs are tried.

What is undefined in C without -fwrapv is avoided by construction: divisors and shift amounts are masked, indices stay in
bounds, what is read has been initialised, full expressions change nothing twice.
"""

import random
import re

INTEGERS = {
    "bool": "_Bool", "char": "char", "uchar": "unsigned char", "short": "short", "ushort": "unsigned short",
    "int": "int", "uint": "unsigned", "long": "long", "ulong": "unsigned long",
    "longlong": "long long", "ulonglong": "unsigned long long",
}
NUMBERS = [
    "0", "1", "2", "3", "-1", "-2", "7", "10", "31", "100", "127", "128", "-128", "-129", "255", "256", "-256", "1000",
    "32767", "-32768", "32768", "65535", "65536", "-65537", "2147483647", "(-2147483647 - 1)", "0x7fffffff",
    "0x80000000", "0xffffffff", "4294967296", "1u", "3u", "0x80u", "0xffffu", "~0u", "1l", "-1l", "5ul", "~0ul", "1ll", "-7ll",
    "0x7fffffffffffffffll", "~0ull", "0x123456789abcdefull", "'a'", "'\\377'", "'\\x80'", "010", "0x55555555",
]
# What a run observes before it violates a check: this and the number of the check.
NAMED = 100_000
OBSERVATION = re.compile(r"OBSERVE\((\d+), (.*)\);")


class Check:
    """A condition under which the program calls reach_error, where it stands, and what may be said of it.

    `expected` is "reached" (not TRUE; an alarm must be repeatable), "unreachable" (not FALSE), "either" (an alarm must be
    repeatable), or "possible" (not TRUE, and the compiled program need not show it: the standard leaves it open).
    `place` is the number of an observation, whose value the condition has as `it`, or None for the end.
    """

    def __init__(self, condition, expected, place=None):
        self.condition, self.expected, self.place = condition, expected, place


class Program:
    def __init__(self, seed, generator, model):
        self.random = random.Random(f"{generator} {seed}")
        self.model = model
        self.top = []
        self.body = []
        self.checks = []  # for generators that know what holds
        self.includes = []
        self.observations = 0
        self.names = 0
        self.free = self.chance(4)
        # The domain of each type of inputs: as few values as allow for all runs.
        self.domains = {}
        self.input_bits = 0

    # Choices. random() is the one method whose sequence Python promises to keep.

    def pick(self, choices):
        return choices[int(self.random.random() * len(choices))]

    def number(self, low, high):
        return low + int(self.random.random() * (high - low + 1))

    def chance(self, one_in):
        return self.number(1, one_in) == 1

    def sample(self, choices, count):
        rest = list(choices)
        return [rest.pop(self.number(0, len(rest) - 1)) for _ in range(min(count, len(rest)))]

    # Names and lines.

    def name(self, prefix="t"):
        self.names += 1
        return f"{prefix}{self.names}"

    def declare(self, text):
        self.top += text.strip("\n").split("\n")

    def do(self, text):
        self.body += text.strip("\n").split("\n")

    def observe(self, value):
        """The statement that observes an integer expression."""
        self.observations += 1
        return f"OBSERVE({self.observations - 1}, {value});"

    def see(self, *values):
        for value in values:
            self.do(self.observe(value))

    # Inputs.

    def input(self, bits=2, type=None):
        """An expression that reads an input of few values: 0 to 2^bits - 1, or around 0 for some signed types."""
        type = type or self.pick(["uchar", "int", "uint", "short", "char", "ushort", "long", "bool", "ulonglong"])
        if type == "bool":
            bits = 1
        if type not in self.domains:
            lowest = 0
            if type in ("int", "short", "char", "long") and self.chance(3):
                lowest = -(1 << bits) // 2
            self.domains[type] = (lowest, 1 << bits)
            c_type = INTEGERS[type]
            self.declare(f"extern {c_type} __VERIFIER_nondet_{type}(void);")
            call = f"__VERIFIER_nondet_{type}()"
            if not self.free and lowest == 0 and type != "bool" and self.chance(2):
                call = f"({call} & {(1 << bits) - 1})"
                self.declare(f"static {c_type} input_{type}(void) {{ return {call}; }}")
            elif not self.free and type != "bool":
                end = self.pick(["abort()", "exit(0)", "for (;;) ;"][:2])
                if "extern void abort(void);" not in self.top:
                    self.declare("extern void abort(void);\nextern void exit(int);")
                test = f"x < {lowest} || x > {lowest + (1 << bits) - 1}"
                self.declare(f"static {c_type} input_{type}(void) {{ {c_type} x = {call}; if ({test}) {end}; return x; }}")
            else:
                self.declare(f"static {c_type} input_{type}(void) {{ return {call}; }}")
        return f"input_{type}()"

    def inputs(self, count, bits=2):
        """Declares locals of main that hold inputs; returns their names."""
        names = []
        for _ in range(count):
            name = self.name("in")
            self.do(f"long long {name} = {self.input(bits)};" if self.chance(3) else f"int {name} = {self.input(bits)};")
            names.append(name)
        return names

    def spread(self, name):
        """An expression over an input with values all over its type."""
        kind = self.number(0, 4)
        if kind == 0:
            return f"({name} * {self.pick(['85', '127', '0x01010101', '0x11111111', '1103515245', '65537'])} - {self.number(0, 300)})"
        if kind == 1:
            values = ", ".join(self.pick(NUMBERS) for _ in range(4))
            table = self.name("table")
            self.declare(f"static const {self.pick(list(INTEGERS.values())[1:])} {table}[4] = {{ {values} }};")
            return f"{table}[{name} & 3]"
        if kind == 2:
            return f"({name} - {self.number(0, 3)})"
        if kind == 3:
            return f"({self.pick(NUMBERS)} + {name})"
        return name

    # Expressions over integers without side effects.

    def constant(self):
        return self.pick(NUMBERS) if self.chance(2) else str(self.number(-9, 20))

    def expression(self, leaves, depth=2):
        if depth <= 0 or self.chance(4):
            return self.pick(leaves) if not self.chance(4) else f"({self.constant()})"
        left, right = self.expression(leaves, depth - 1), self.expression(leaves, depth - 1)
        kind = self.number(0, 19)
        if kind < 8:
            return f"({left} {self.pick('+-*&|^+-')} {right})"
        if kind < 10:
            return f"({left} {self.pick('/%')} (({right} & 15) + 1))"
        if kind < 12:
            return f"({left} {self.pick(['<<', '>>'])} ({right} & {self.pick(['7', '15', '31'])}))"
        if kind < 14:
            return f"({left} {self.pick(['<', '>', '<=', '>=', '==', '!='])} {right})"
        if kind < 15:
            return f"({left} {self.pick(['&&', '||'])} {right})"
        if kind < 17:
            return f"({left} ? {right} : {self.expression(leaves, depth - 1)})"
        if kind < 18:
            return f"({self.pick(['~', '-', '!', '+'])}{left})"
        return f"(({self.pick(list(INTEGERS.values()))}){left})"

    def condition(self, leaves):
        compared = f"{self.expression(leaves, 1)} {self.pick(['<', '>', '<=', '>=', '==', '!='])} {self.expression(leaves, 1)}"
        return f"({compared}) {self.pick(['&&', '||'])} {self.pick(leaves)}" if self.chance(5) else compared

    def assignment(self, targets, leaves):
        operator = self.pick(["=", "=", "=", "+=", "-=", "^=", "|=", "&=", "*="])
        if self.chance(8):
            return f"{self.pick(targets)}{self.pick(['++', '--'])};"
        return f"{self.pick(targets)} {operator} {self.expression(leaves)};"

    def statements(self, targets, leaves, count, depth=2):
        """Ordinary code: assignments and branches."""
        lines = []
        for _ in range(count):
            if depth > 0 and self.chance(4):
                lines.append(f"if ({self.condition(leaves)}) {{")
                lines += self.statements(targets, leaves, self.number(1, 2), depth - 1)
                if self.chance(2):
                    lines.append("} else {")
                    lines += self.statements(targets, leaves, 1, depth - 1)
                lines.append("}")
            else:
                lines.append(self.assignment(targets, leaves))
        return lines

    # Texts.

    def text(self, way, *checks):
        """The program for the oracle ("log") or the verifier and the interpreter ("store"), with checks. Each is on a line of its own, in the
        order of the list where they stand at one place, and if there are several, a comment has its number in the list."""
        def failure(check):
            return f"if ({check.condition.replace('it', f'o{check.place}') if check.place is not None else check.condition}) reach_error({mark(check)});"

        def mark(check):
            return f"/* check {checks.index(check)} */" if len(checks) > 1 else ""

        lines = list(self.includes) + ["extern void reach_error(void);"]
        if way == "log":
            lines.append("extern void observe(int, unsigned long long);")
        else:
            used = [str(n) for n in range(self.observations)]
            if used:
                lines.append("unsigned long long " + ", ".join("o" + n for n in used) + ";")
        lines += self.top
        lines += ["int main(void)", "{", *self.body]
        lines += [failure(check) for check in checks if check.place is None]
        lines += ["return 0;", "}"]

        def observation(match):
            number, value = match.groups()
            if way == "log":
                return f"observe({number}, (unsigned long long)({value}));"
            placed = [failure(check) for check in checks if check.place == int(number)]
            if placed:
                separator = " " if len(checks) == 1 else "\n"
                return separator.join([f"{{ o{number} = (unsigned long long)({value});", *placed, "}"])
            return f"o{number} = (unsigned long long)({value});"

        depth, laid_out = 0, []
        for line in lines:
            line = OBSERVATION.sub(observation, line.strip())
            if line.startswith("}"):
                depth -= 1
            laid_out.append("    " * max(depth, 0) + line)
            depth += line.count("{") - line.count("}") + (1 if line.startswith("}") else 0)
        return "\n".join(laid_out) + "\n"


def with_names_of_checks(text):
    """A program with several checks that observes the number of a check, after NAMED, before it reaches the error."""
    named = re.sub(r"reach_error\(/\* check (\d+) \*/\)", rf"(observe({NAMED} + \1, 0), reach_error())", text)
    return f"extern void observe(int, unsigned long long);\n{named}"


def lines_of_checks(text):
    """The number of each check by its line."""
    lines = enumerate(text.splitlines(), 1)
    marks = ((line, re.search(r"reach_error\(/\* check (\d+) \*/\)", content)) for line, content in lines)
    return {line: int(mark[1]) for line, mark in marks if mark}


def with_report(text, observations):
    """The program as stored, with a function for the harness that observes the globals at its end."""
    calls = " ".join(f"observe({n}, o{n});" for n in range(observations))
    return f"{text}extern void observe(int, unsigned long long);\nvoid observe_globals(void) {{ {calls} }}\n"
