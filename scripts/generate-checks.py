#!/usr/bin/env python3
"""Prints a preprocessed C program with many checks, for measuring `regatta verify --all`.

    generate-checks.py [--checks 1000] [--hard 10] [--seed 1] > many.c

The same numbers give the same program. Each check is an assertion in a function of its own, which main calls one after
the other; all hold. Most are easy, in four kinds by turns: a range of an input, a loop that counts down, arithmetic on an
input, an index into an array. The hard ones are spread evenly among them, in five kinds by turns: each needs an
invariant that relates the variables of a loop, which some engine or other finds.
"""

import argparse
import random

PRELUDE = """\
extern void abort(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
"""

RANGE = """\
    unsigned x = __VERIFIER_nondet_uint();
    if (x > {large}u)
        x = {large}u;
    unsigned y = x + {small}u;
    if (!(y >= {small}u && y <= {large}u + {small}u))
        reach_error();
"""

COUNTDOWN = """\
    int i = __VERIFIER_nondet_int();
    while (i > 0) {{
        i = i - 1;
        if (!(i >= 0 && i < 2147483647))
            reach_error();
    }}
"""

ARITHMETIC = """\
    unsigned x = __VERIFIER_nondet_uint();
    unsigned y = (x & {mask}u) * {small}u + (x >> {shift});
    if (!((x ^ {large}u ^ y ^ {large}u) == (y ^ x)))
        reach_error();
"""

INDEX = """\
    int a[{size}];
    unsigned i = __VERIFIER_nondet_uint() % {size}u;
    unsigned j = (i + 1) % {size}u;
    a[i] = {small};
    a[j] = {large};
    if (!(a[i] == {small} && a[j] == {large}))
        reach_error();
"""

TWICE = """\
    unsigned n = __VERIFIER_nondet_uint();
    unsigned i = 0, twice = {small};
    while (i < n) {{
        i = i + 1;
        twice = twice + 2;
    }}
    if (twice != 2 * i + {small})
        reach_error();
"""

PHASES = """\
    unsigned x = 0, y = {small}0;
    while (x < 2 * {small}0u) {{
        if (x >= {small}0u)
            y = y + 1;
        x = x + 1;
    }}
    if (y != x)
        reach_error();
"""

PARITY = """\
    unsigned x = {large}u * 2, steps = __VERIFIER_nondet_uint();
    while (steps > 0) {{
        x = x + 2 * __VERIFIER_nondet_uint();
        steps = steps - 1;
    }}
    if (x % 2 != 0)
        reach_error();
"""

STATES = """\
    int state = 0, held = 0;
    while (__VERIFIER_nondet_int()) {{
        if (state == 0) {{
            held = {small};
            state = 1;
        }} else if (state == 1) {{
            state = __VERIFIER_nondet_int() ? 2 : 3;
        }} else if (state == 2) {{
            if (held != {small})
                reach_error();
            state = 3;
        }} else {{
            held = 0;
            state = 0;
        }}
    }}
"""

SQUARES = """\
    unsigned n = __VERIFIER_nondet_uint();
    unsigned i = 0, sum = {large};
    while (i < n) {{
        sum = sum + 2 * i + 1;
        i = i + 1;
    }}
    if (sum != i * i + {large})
        reach_error();
"""

EASY = [RANGE, COUNTDOWN, ARITHMETIC, INDEX]
HARD = [TWICE, PHASES, PARITY, STATES, SQUARES]


def program(checks, hard, seed):
    source = random.Random(seed)
    # The places of the hard ones among all.
    places = {(2 * turn + 1) * checks // (2 * hard) for turn in range(hard)} if hard else set()
    easy_turn = hard_turn = 0
    text = [PRELUDE]
    for number in range(checks):
        if number in places:
            body = HARD[hard_turn % len(HARD)]
            hard_turn += 1
        else:
            body = EASY[easy_turn % len(EASY)]
            easy_turn += 1
        body = body.format(
            small=source.randint(2, 99),
            large=source.randint(1000, 60000),
            mask=source.choice([0xFF, 0xFFF, 0xF0F]),
            shift=source.randint(1, 20),
            size=source.choice([4, 8, 16]),
        )
        text.append(f"static void check_{number}(void)\n{{\n{body}}}\n")
    calls = "".join(f"    check_{number}();\n" for number in range(checks))
    text.append(f"int main(void)\n{{\n{calls}    return 0;\n}}\n")
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checks", type=int, default=1000, help="number of checks (1000)")
    parser.add_argument("--hard", type=int, default=10, help="how many of them are hard (10)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(program(arguments.checks, arguments.hard, arguments.seed), end="")


if __name__ == "__main__":
    main()
