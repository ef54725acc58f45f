"""Generators about what C leaves open: undetermined values, the environment, addresses, order of evaluation.

Here the compiled program is no oracle, as it shows one of the possible behaviours. The generators say what is
possible ("possible": a proof is wrong) and what is not ("unreachable": an alarm is wrong).
"""

from .program import Check, INTEGERS

INT_TYPES = list(INTEGERS.values())[1:]


def anything(p, value, bits):
    """Checks of an integer expression that may have any value of its low bits."""
    value = f"(({value}) & {(1 << bits) - 1})"
    low, high = p.number(0, (1 << bits) - 1), p.number(0, (1 << bits) - 1)
    p.checks += [Check(f"{value} == {low}", "possible"), Check(f"{value} != {high}", "possible"), Check(f"{value} > {(1 << bits) - 1}", "unreachable"),
                 Check(f"({value} ^ {low}) == {high}", "possible"), Check(f"{value} < 0", "unreachable")]


def undetermined(p):
    """Reads of what no one has written: locals, also past jumps and when a block is entered anew, heap, padding, members."""
    p.free = True
    type = p.pick(INT_TYPES)
    i = p.inputs(1)[0]
    p.declare("extern void *malloc(__SIZE_TYPE__);\nextern void *realloc(void *, __SIZE_TYPE__);\nextern void free(void *);\nextern void *memcpy(void *, const void *, __SIZE_TYPE__);")
    p.declare(f"struct record {{ char tag; {type} value; struct {{ short a, b; }} inner; }};\nunion view {{ unsigned char small; unsigned char bytes[8]; }};")
    p.declare(f"static {type} local(int set) {{ {type} x; if (set) x = 1; return x; }}")
    p.declare(f"static int by_pointer(int fill) {{ int array[4]; int *q = array; if (fill) q[0] = 7; return q[fill ? 1 : 0]; }}")
    p.do("int result = 0, n;")
    kinds = [
        f"{{ {type} x; result = (int)x; }}",
        f"{{ {type} x[4]; x[1] = 3; result = (int)x[{i} & 1 ? 2 : 0]; }}",
        f"{{ struct record r; r.tag = 1; r.inner.a = 2; result = {p.pick(['(int)r.value', 'r.inner.b'])}; }}",
        f"{{ struct record r, s; r.tag = 1; s = r; result = (int)s.value; }}",
        f"{{ union view u; u.small = 5; result = u.bytes[{p.number(1, 7)}]; }}",
        "local(1); result = (int)local(0);",
        "by_pointer(1); result = by_pointer(0);",
        f"for (n = 0; n < 3; n++) {{ {type} x; if (n == 0) x = 9; if (n == {p.number(1, 2)}) result = (int)x; else x = n; }}",
        f"goto inside; {{ {type} x = 4; inside: result = (int)x; }}",
        f"switch ({i} & 1) {{ {type} x; x = 5; case 0: case 1: result = (int)x; }}",
        f"n = 0; again: {{ {type} x; if (n == 1) result = (int)x; x = 77; if (n++ < 1) goto again; }}",
        "goto at; for (n = 0; n < 2; n++) { int x = 3; if (n == 5) { at: n = 1; result = x; } }",
        f"{{ {type} *q = malloc(4 * sizeof({type})); if (q) {{ q[0] = 1; result = (int)q[{p.number(1, 3)}]; free(q); }} }}",
        "{ unsigned char *q = malloc(4); if (q) { q[3] = 1; q = realloc(q, 8); if (q) result = q[6]; } }",
        "switch (3) { case 1: { int x; if (0) { case 3: result = x; } } }",
        f"{{ int x; int *q = &x; if ({i} == 1) *q = 0; if ({i} == 2) result = *q; else result = (int)local(0); }}",
    ]
    p.do(p.pick(kinds))
    anything(p, "result", p.number(1, 7))
    p.checks.append(Check("(result ^ result) != 0", "unreachable"))
    p.checks.append(Check("(unsigned char)result + 1 > 256", "unreachable"))


def environment(p):
    """Objects that are declared and not defined, and functions that are."""
    p.free = True
    p.declare("""
extern int outside, outside_array[], *outside_pointer;
extern unsigned char outside_byte;
extern struct shared { int a; struct shared *next; } outside_struct;
extern int (*outside_function)(int);
extern int unknown(void);
extern void touch(int *);
extern void keep(int *);
extern void tick(void);
int visible = 1;
static int hidden = 1, kept = 2;
static int calls;
int callback(int n) { calls++; return n; }
extern void give(int (*)(int));""")
    p.do("int result = 0, own = 3, untouched = 4;")
    kinds = [
        ("result = outside;", True), ("result = outside_array[3];", True), ("if (outside_pointer) result = *outside_pointer;", True), ("result = outside_byte;", True),
        ("result = outside_struct.a;", True), ("result = outside_struct.next == 0;", 1), ("result = outside_struct.next != 0;", 1), ("result = unknown();", True), ("touch(&own); result = own;", True),
        ("tick(); result = visible;", True), ("tick(); result = outside;", True), ("keep(&kept); tick(); result = kept;", True), ("keep(&own); tick(); result = own;", True),
        ("give(callback); result = calls;", 1), ("tick(); result = calls;", 1), ("result = outside_function != 0;", 1), ("result = outside_function == callback;", 1),
        ("result = outside_pointer == &visible;", 1), ("result = &outside == outside_pointer;", 1), ("outside_pointer = &own; tick(); result = own;", True),
        ("outside = 5; tick(); result = outside;", True), ("result = unknown() == unknown();", 1), ("result = unknown() != unknown();", 1), ("if (outside_function) { outside_function(1); result = visible; }", True),
        ("visible = 7; result = unknown() * 0 + visible;", True), ("keep(&outside_struct.a); tick(); result = outside_struct.a;", True),
    ]
    text, any = p.pick(kinds)
    p.do(text)
    if any is True:
        anything(p, "result", p.number(1, 7))
    else:
        p.checks.append(Check("result == 1", "possible"))
        p.checks.append(Check("result < 0 && calls == 0", "unreachable"))
    p.checks += [Check("hidden != 1", "unreachable"), Check("untouched != 4", "unreachable")]


def addresses(p):
    """Orders and distances of objects, reuse of memory, addresses as numbers: neither way may be proved."""
    p.free = True
    p.declare("""
extern void *malloc(__SIZE_TYPE__);
extern void free(void *);
typedef __SIZE_TYPE__ size;
static int a, b, c;
static char d[8];
static int first(void) { return 1; }
static int second(void) { return 2; }
static char *of_local(char *other, int depth) { char own = 1; return depth ? of_local(other, depth - 1) : other < &own ? "y" : "n"; }
static size number_of_local(void) { int x = 0; return (size)&x; }""")
    p.do("int e = 1, f = 2; char g = 3, *h = malloc(8), *i = malloc(16); size n = 0; int result = 0;")
    places = ["(char *)&a", "(char *)&b", "(char *)&c", "d", "(char *)&e", "(char *)&f", "&g", "h", "i"]
    x, y = p.sample(places, 2)
    either = [
        f"result = {x} < {y};", f"result = {x} >= {y};", f"result = (size){x} > (size){y};", f"result = (size){x} {p.pick(['>', '<='])} {p.pick(['0x10000', '0x8048000', '0x7fffffff', '4096'])};",
        f"result = ((size){x} & {p.pick(['16', '64', '4096', '32'])}) != 0;", f"result = (size){x} / 64 == (size){y} / 64;", f"result = ({x} - {y}) % {p.number(3, 7)} == {p.number(0, 2)};",
        "result = number_of_local() == number_of_local();", "result = number_of_local() != number_of_local();",
        "free(h); { char *again = malloc(8); result = again == h; }", "n = (size)h; free(h); { char *again = malloc(8); result = n == (size)again; }",
        "n = (size)h; free(h); { char *again = malloc(8); result = n != (size)again; }", "result = (size)first < (size)second;", f"result = of_local({x}, 2)[0] == 'y';",
        "result = &a + 1 == &b;", "result = d + 8 == (char *)&c;", f"result = ({x} < {y}) == ({y} < {p.pick([z for z in places if z != x])});", f"result = (long)(size){x} < 0;", f"result = (int)(size){x} > 0;",
    ]
    never = [f"result = {x} == 0;", f"result = {x} == {y};", "result = &a == &b;", "result = ((size)&e & (sizeof(int) - 1) & 3) != 0;", "result = first == second;", f"result = (size){x} == (size){y};",
             f"result = {x} - {x} != 0;", "result = d + 7 < d + 2;", "result = (&d[8] - &d[0]) != 8;"]
    if p.chance(3):
        p.do(p.pick(never))
        p.checks.append(Check("result", "unreachable"))
    else:
        text = p.pick(either)
        p.do(text)
        p.checks += [Check("result", "possible"), Check("!result", "possible")]
        # These have one value on machines of this kind, or in the address space of the model: a proof may use that.
        if any(part in text for part in ("> 0x", "4096", "<= 0x", "(long)", "% ")):
            p.checks = [Check("result * 0 != 0", "unreachable")] + (p.checks if "0x7fffffff" in text and p.model == "ILP32" else [])
    p.checks.append(Check("h == i", "unreachable") if "free" not in p.body[-1] else Check("result > 1", "unreachable"))


def conflicts(p):
    """Unspecified orders of evaluation that can be seen: each result is possible, others are not."""
    p.free = True
    p.declare("""
static int g, h;
static int set(int n) { g = n; return n; }
static int get(void) { return g; }
static int next(void) { return ++g; }
static int pair(int a, int b) { return a * 10 + b; }
static int change(int *p) { *p += 5; return 1; }""")
    p.do("int x = 1, y = 2, a[4] = { 1, 2, 3, 4 }, result = 0;")
    kinds = [
        ("result = pair(next(), next());", [12, 21]), ("result = set(3) + get() * 10;", [3, 33]), ("result = pair(set(1), get());", [10, 11]), ("result = next() * 10 + next();", [12, 21]),
        ("result = next() - next();", [1, -1]), ("g = 4; result = g + set(1);", [5, 2]), ("g = 4; g += set(1);\nresult = g;", [5, 2]), ("result = (set(1), get()) * 10 + (set(2), get());", [12, 11, 22]),
        ("a[next() - 1] = get();\nresult = a[0];", [0, 1]), ("result = x + change(&x);", [2, 7]), ("result = pair(x, change(&x));", [11, 61]), ("result = get() == next();", [0, 1]),
        ("int z[2] = { [1] = next(), [0] = next() };\nresult = z[0] * 10 + z[1];", [12, 21]), ("int z[2] = { next(), next() };\nresult = z[0] * 10 + z[1];", [12, 21]), ("result = (next() + 0) * 10 + (x ? next() : 0);", [12, 21]),
        ("struct { int a, b; } s; s.a = next(), s.b = next();\nresult = s.a * 10 + s.b;", [12]), ("result = set(1) && get();", [1]), ("result = (set(5), get());", [5]), ("h = set(2);\nresult = h * 10 + g;", [22]),
    ]
    text, results = p.pick(kinds)
    p.do(text)
    p.checks += [Check(f"result == {value}", "possible") for value in results]
    p.checks.append(Check(" && ".join(f"result != {value}" for value in results), "unreachable"))
