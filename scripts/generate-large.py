#!/usr/bin/env python3
"""Prints a large preprocessed C program, for measuring the front end.

    generate-large.py [--lines 50000] [--seed 1] > large.c

The same lines and seed give the same program. It has no directives and no includes.
Its functions form a tree that main calls the root of, so that each is reached, and
each is run once: the program ends within milliseconds. Small shared helpers are
called from everywhere. Bodies mix what C programs are made of: arithmetic of several
widths, branches, bounded loops, switch, arrays, structs, pointers, function pointers.
Inputs come from __VERIFIER_nondet_uint, which is declared and not defined; the one
property is that main counts as many calls as there are functions.
"""

import argparse
import random

# The mean over many seeds, forward declaration included.
LINES_A_FUNCTION = 77

PRELUDE = """\
extern void abort(void);
extern unsigned int __VERIFIER_nondet_uint(void);
void reach_error(void) { abort(); }

typedef unsigned char byte;
typedef unsigned long long wide;
struct point { int x; int y; };
struct record {
    int key;
    short level;
    byte tag;
    unsigned flags : 5;
    struct point place;
    int values[8];
    struct record *next;
};
enum colour { RED, GREEN, BLUE, WHITE = 7 };
typedef int (*operation)(int, int);

static int calls;
static unsigned seed;
static int numbers[64];
static byte bytes[256];
static wide totals[16];
static struct record records[16];
static struct point grid[8][8];

static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int larger(int a, int b) { return a > b ? a : b; }
static int mix(int a, int b) { return (a << 3) ^ (b >> 2) ^ (a & b); }
static operation const operations[4] = { plus, minus, larger, mix };
static int clamp(int x, int low, int high)
{
    if (x < low)
        return low;
    if (x > high)
        return high;
    return x;
}
static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}
static struct point add_points(struct point a, struct point b)
{
    struct point r = { a.x + b.x, a.y + b.y };
    return r;
}
static unsigned next(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}
"""


class Generator:
    """Writes one function body after another; all choices come from one seeded source."""

    def __init__(self, seed):
        self.source = random.Random(seed)

    def pick(self, choices):
        # random() is the one method whose sequence Python promises to keep.
        return choices[int(self.source.random() * len(choices))]

    def number(self, low, high):
        return low + int(self.source.random() * (high - low + 1))

    def leaf(self):
        return self.pick([
            "a", "b", "i", "(int)u", "c", "v[i & 7]", "r->key", "r->level", "r->tag", "r->flags",
            "r->place.x", "r->values[a & 7]", "numbers[b & 63]", "bytes[u & 255]",
            "grid[a & 7][i & 7].y", "(int)totals[c & 15]", str(self.number(-100, 1000)),
        ])

    def expression(self, depth=0):
        if depth >= 3 or self.number(0, 1) == 0:
            return self.leaf()
        left, right = self.expression(depth + 1), self.expression(depth + 1)
        kind = self.number(0, 13)
        if kind < 7:
            return f"({left} {self.pick(['+', '-', '*', '&', '|', '^', '+'])} {right})"
        if kind < 8:
            return f"({left} {self.pick(['/', '%'])} (({right} & 15) + 1))"
        if kind < 9:
            return f"({left} {self.pick(['<<', '>>'])} ({right} & 7))"
        if kind < 11:
            return f"({self.condition(depth + 1)} ? {left} : {right})"
        if kind < 12:
            return f"clamp({left}, {self.number(-50, 0)}, {self.number(1, 500)})"
        if kind < 13:
            return f"operations[{left} & 3]({right}, a)"
        return f"~{left}"

    def condition(self, depth=0):
        plain = f"{self.expression(depth + 1)} {self.pick(['<', '>', '<=', '>=', '==', '!='])} {self.expression(depth + 1)}"
        if self.number(0, 4) == 0:
            return f"({plain} {self.pick(['&&', '||'])} {self.leaf()} != {self.leaf()})"
        return f"({plain})"

    def target(self):
        return self.pick([
            "a", "b", "u", "c", "w", "v[i & 7]", "r->key", "r->level", "r->tag", "r->flags", "r->place.y",
            "r->values[b & 7]", "numbers[a & 63]", "bytes[b & 255]", "totals[a & 15]",
            "grid[i & 7][b & 7].x", "*p",
        ])

    def assignment(self):
        return f"{self.target()} {self.pick(['=', '=', '=', '+=', '-=', '^=', '|='])} {self.expression()};"

    def block(self, depth, size):
        return [line for _ in range(size) for line in self.statement(depth)]

    def statement(self, depth):
        """The lines of one statement; loops and switches nest to a small depth."""
        pad = "    " * depth
        deeper = depth + 1
        kind = self.number(0, 19)
        if depth > 3 or kind < 8:
            return [pad + self.assignment()]
        if kind < 11:
            lines = [f"{pad}if {self.condition()} {{", *self.block(deeper, self.number(1, 2))]
            if self.number(0, 1):
                lines += [f"{pad}}} else {{", *self.block(deeper, 1)]
            return lines + [pad + "}"]
        if kind < 13 and depth < 3:
            # The counter of a loop belongs to its depth, so that nested loops end.
            n = f"n{depth}"
            stop = [f"{pad}    if {self.condition()}", f"{pad}        {self.pick(['break', 'continue'])};"]
            return [f"{pad}for ({n} = 0; {n} < {self.number(2, 5)}; {n}++) {{",
                    *self.block(deeper, 1), *(stop if self.number(0, 1) else []),
                    *self.block(deeper, 1), pad + "}"]
        if kind < 14 and depth < 3:
            n = f"n{depth}"
            return [f"{pad}{n} = {self.number(1, 4)};", f"{pad}while ({n}-- > 0) {{", *self.block(deeper, 1), pad + "}"]
        if kind < 16:
            lines = [f"{pad}switch ({self.expression()} & 7) {{"]
            for label in ("case 0:", "case RED + 1:", "case BLUE:", "case WHITE:", "default:"):
                if self.number(0, 3):
                    lines += [pad + label, *self.block(deeper, 1)]
                    lines += [pad + "    break;"] if self.number(0, 2) else []
            return lines + [pad + "}"]
        return [pad + self.pick([
            "swap(&a, &v[b & 7]);", "p = &numbers[u & 63];", "p = &v[a & 7];", "r = &records[b & 15];",
            "if (r->next) r = r->next;", "r->place = add_points(r->place, grid[a & 7][b & 7]);",
            "*r = records[a & 15];", "u = next();", "w = w * 31 + (wide)u;", "i++;", "c = (char)(a + i);",
            "r->next = &records[c & 15];", "b = operations[i & 3](a, b);",
        ])]

    def function(self, index, count):
        """The lines of the function of that number among `count`; it calls its children in the tree."""
        lines = [
            f"static int work_{index}(int a, int b, struct record *r)",
            "{",
            "    int i = 0, n1 = 0, n2 = 0, v[8] = { 1, 2, 3 }, *p = &numbers[b & 63];",
            "    unsigned u = (unsigned)a;",
            "    char c = (char)b;",
            "    wide w = u;",
            "    calls++;",
            *self.block(1, self.number(5, 9)),
        ]
        for child in (2 * index + 1, 2 * index + 2):
            if child < count:
                lines.append(f"    {self.pick(['a', 'b', 'v[a & 7]', 'r->values[b & 7]'])} "
                             f"{self.pick(['=', '+=', '^='])} work_{child}({self.leaf()}, {self.leaf()}, &records[a & 15]);")
                lines += self.block(1, 1)
        return [*lines, "    totals[i & 15] += w;", f"    return {self.expression()};", "}", ""]


def program(line_goal, seed):
    generator = Generator(seed)
    prelude = PRELUDE.splitlines()
    count = max(1, round((line_goal - len(prelude)) / LINES_A_FUNCTION))
    lines = prelude + [f"static int work_{i}(int a, int b, struct record *r);" for i in range(count)]
    for i in range(count):
        lines += generator.function(i, count)
    lines += [
        "int main(void)", "{",
        "    unsigned i;", "    int result;",
        "    seed = __VERIFIER_nondet_uint();",
        "    for (i = 0; i < 64; i++)", "        numbers[i] = (int)next();",
        "    for (i = 0; i < 256; i++)", "        bytes[i] = (byte)next();",
        "    for (i = 0; i < 16; i++) {", "        records[i].key = (int)next();",
        "        records[i].next = i & 1 ? &records[i / 2] : 0;", "    }",
        "    result = work_0((int)__VERIFIER_nondet_uint(), 1, records);",
        f"    if (calls != {count})", "        reach_error();",
        "    return result & 1;", "}",
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Prints a large preprocessed C program.")
    parser.add_argument("--lines", type=int, default=50000, help="about how many lines (default 50000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives another program")
    options = parser.parse_args()
    print(program(options.lines, options.seed), end="")


if __name__ == "__main__":
    main()
