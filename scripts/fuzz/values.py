"""Generators about values: integer conversions and promotions, floating point."""

from .program import INTEGERS, NUMBERS

C_TYPES = list(INTEGERS.values())


def conversions(p):
    """Promotions, usual arithmetic conversions, constants, sizes, compound assignment, calls, under both data models."""
    wide = p.pick(C_TYPES)
    variables = {}
    i, j, k = p.inputs(3)
    for n, type in enumerate(p.sample(C_TYPES, 6)):
        p.do(f"{type} v{n} = {p.spread(p.pick([i, j, k]))};")
        variables[f"v{n}"] = type
    p.declare(f"""
enum plain {{ NONE, SOME = {p.pick(['5', '200', '70000'])} }};
enum negative {{ BELOW = -{p.number(1, 9)}, ABOVE = 7 }};
typedef __SIZE_TYPE__ size;
extern int printf(const char *, ...);
static {p.pick(C_TYPES)} convert({p.pick(C_TYPES)} x) {{ return x; }}
static {wide} narrow(x, y) {p.pick(['char', 'short', 'unsigned char', 'int'])} x; int y; {{ return x * 2 + y; }}
static long long variadic(int n, ...) {{ long long sum = 0; __builtin_va_list list; __builtin_va_start(list, n);
while (n-- > 0) sum = sum * 3 + __builtin_va_arg(list, {p.pick(['int', 'unsigned'])}); __builtin_va_end(list); return sum; }}
static unsigned char byte;
static short half = {p.pick(NUMBERS)};
static const {p.pick(C_TYPES)} global = {p.pick(NUMBERS)};
static {p.pick(C_TYPES[1:])} folded = ({p.pick(NUMBERS)}) {p.pick('+-*^&|')} ({p.pick(NUMBERS)});""")
    p.do("enum plain e = SOME; enum negative f = BELOW; size z = sizeof(long); int count = 0;")
    narrow = [v for v, type in variables.items() if type in ("_Bool", "char", "unsigned char", "short", "unsigned short", "int")]
    leaves = list(variables) * 2 + ["e", "f", "z", "byte", "half", "global", "folded", "count", i]
    small = narrow + ["half", "byte", "count"]
    actions = [
        lambda: p.assignment(list(variables) + ["byte", "half"], leaves), lambda: p.assignment(list(variables), leaves),
        lambda: f"{p.pick(list(variables))} {p.pick(['<<=', '>>='])} ({p.pick(leaves)} & {p.pick('357')});",
        lambda: f"{p.pick(list(variables))} {p.pick(['/=', '%='])} (({p.pick(leaves)} & {p.pick(['7', '63'])}) + 1);",
        lambda: f"{p.pick(list(variables))} = convert({p.expression(leaves)});", lambda: f"count ^= convert({p.pick(leaves)}) > {p.pick(leaves)};",
        lambda: f"count += variadic({p.pick('012')}, {p.pick(small)}, {p.pick(small)}) & 0xffff;",
        lambda: f"if ({p.pick(leaves)} {p.pick(['<', '>', '=='])} ({p.pick(leaves)} {p.pick('+-*')} {p.constant()})) count += {p.number(1, 99)};",
        lambda: f"count += sizeof({p.expression(leaves, 1)}) * {p.number(1, 9)};",
        lambda: f"count += ({p.condition(leaves)} ? {p.pick(leaves)} : {p.pick(['-1', '1u', '0ll', '(char)-1'])}) < 0;",
        lambda: f"byte {p.pick(['++', '--', '+= 200', '= ~byte', '<<= 1', '>>= 1', '*= 3'])};", lambda: f"e = {p.pick(leaves)} & 7; f = -({p.pick(leaves)} & 3);",
        lambda: f"count += ((({p.pick(C_TYPES)}){p.pick(leaves)}) >> {p.number(0, 7)}) == {p.constant()};",
        lambda: f"switch ({p.pick(leaves)}) {{ case {p.number(-3, 0)}: count += 3; break; case 200: case 255: count += 5; break; case {p.pick(['0x7f', '128', '70000', '4000000000'])}: count--; break; default: count += 7; }}",
        lambda: f"count += __builtin_{p.pick(['add', 'sub', 'mul'])}_overflow({p.pick(leaves)}, {p.pick(leaves)}, &{p.pick([v for v in variables if variables[v] != '_Bool'])});",
        lambda: f"count += __builtin_popcount({p.pick(leaves)}) + __builtin_parityll({p.pick(leaves)}) + __builtin_clz(({p.pick(leaves)}) | 1) + __builtin_ctzll((unsigned long long)({p.pick(leaves)}) | 256);",
        lambda: f"{{ __typeof__({p.pick(leaves)} {p.pick('+*')} {p.pick(leaves)}) same = {p.pick(leaves)}; count += sizeof same + (same > -1); }}",
        lambda: f"count += _Generic(({p.pick(leaves)}) {p.pick(['+', '<<', '*'])} ({p.pick(leaves)} & 1), int: 1, unsigned: 2, long: 3, unsigned long: 4, long long: 5, unsigned long long: 6, default: 7);",
    ]
    if p.model == "LP64":
        actions.append(lambda: f"{{ {p.pick(['unsigned ', ''])}__int128 huge = {p.pick(leaves)}; huge {p.pick(['*=', '+=', '-='])} {p.pick(leaves)}; huge {p.pick(['<<=', '>>='])} {p.number(0, 99)}; count += (int)(huge >> 64) + (huge < {p.constant()}); }}")
    for _ in range(p.number(4, 11)):
        p.do(p.pick(actions)())
    p.see(*variables)
    p.see("count", "byte", "half + 0ll", "folded", p.expression(leaves), p.expression(leaves, 3), "global < half", f"narrow(3, {p.pick(small)})", "e * 10 + f")


def floats(p):
    """float, double and long double: arithmetic, conversions, comparisons, rounding, infinities and NaN."""
    p.declare("""
static unsigned long long bits(double d) { union { double d; unsigned long long u; } v; v.d = d; return d != d ? 42 : v.u; }
static unsigned short_bits(float f) { union { float f; unsigned u; } v; v.f = f; return f != f ? 42 : v.u; }
static float half_of(float f) { return f / 2; }
static double mean(double a, float b) { return (a + b) / 2; }
static long long whole(double d) { return d > -1e9 && d < 1e9 ? (long long)d : d < 0 ? -7 : d == d ? 7 : 0; }
extern double sqrt(double), fabs(double), floor(double), ceil(double), trunc(double), rint(double), round(double), fmin(double, double), fmax(double, double), copysign(double, double), fmod(double, double), nearbyint(double);
extern float floorf(float), sqrtf(float), fabsf(float);
extern long double fabsl(long double);
static const float third = 1.0f / 3;
static double table[4] = { 0.1, -2.5, 1e10, 3 };""")
    i, j, k = p.inputs(3)
    p.do(f"float f = {p.spread(i) if p.chance(2) else i}, g = {j} * 0.25f; double d = {p.spread(k)}, e = {i} + 0.5; long double l = {j}; int n = 0; unsigned u = {p.spread(j)}; long long w = {p.spread(k)};")
    leaves = ["f", "g", "d", "e", "l", "third", f"table[{i} & 3]", "0.5", "2.0f", "-1.0", "1e-3", "0.1f", "3", "1e30", "16777217", i, "n", "u", "w", "1.5L"]

    def value(depth=2):
        if depth == 0 or p.chance(4):
            return p.pick(leaves)
        kind = p.number(0, 9)
        if kind < 6:
            # No division of integers.
            return f"({value(depth - 1)} {p.pick('+-*')} {value(depth - 1)})" if kind < 5 else f"(({value(depth - 1)} + 0.0) / {value(depth - 1)})"
        if kind < 7:
            return f"{p.pick(['sqrt', 'fabs', 'floor', 'ceil', 'trunc', 'rint', 'round', 'nearbyint', 'half_of', 'floorf', 'sqrtf', 'fabsf', 'fabsl'])}({value(depth - 1)})"
        if kind < 8:
            return f"{p.pick(['fmin', 'fmax', 'mean'])}({value(depth - 1)}, {p.pick(leaves[:8])})"
        if kind < 9:
            return f"({p.pick(['float', 'double', 'long double'])}){value(depth - 1)}"
        return f"({value(0)} < {value(0)} ? {value(depth - 1)} : {value(0)})"

    actions = [
        lambda: f"{p.pick('fgdel')} {p.pick(['=', '=', '+=', '-=', '*=', '/='])} {value()};", lambda: f"{p.pick('fgde')} = {value()};",
        lambda: f"n += {value()} {p.pick(['<', '>', '<=', '>=', '==', '!='])} {value()};", lambda: f"n += whole({value()}) & 1023;",
        lambda: f"table[{i} & 3] = {value()};", lambda: f"if ({value(1)}) n += {p.number(1, 9)}; else n--;", lambda: f"n ^= !{p.pick('fgd')};",
        lambda: f"{p.pick('fgde')}{p.pick(['++', '--'])};", lambda: f"u = whole({value()}); w -= u;", lambda: f"n += (unsigned char)whole({value(1)});",
        lambda: f"n += ({p.pick(['d / 0.0 > 1', 'f - f == 0', 'd * 1e300 * 1e300 == e', '__builtin_isnan(d - d)', '__builtin_isinf(f * 1e38f)', '__builtin_isfinite(d)'])}) ? 3 : 0;",
        lambda: f"{{ int m; for (m = 0; m < {p.number(1, 12)}; m++) {p.pick('fgd')} {p.pick(['+=', '*=', '-='])} {p.pick(['0.1', '1.5f', '0.5', 'third', 'e'])}; }}",
        lambda: f"while (f > {p.number(1, 9)} && f < 1e6) {{ f /= 2; n++; }}", lambda: f"f = u; g = w; d = w; e = u * 1.0f;",
    ]
    for _ in range(p.number(3, 9)):
        p.do(p.pick(actions)())
    p.see("short_bits(f)", "short_bits(g)", "bits(d)", "bits(e)", "bits(l)", "n", "whole(d * 8)", "whole(f)", "f == g", "d < e", "bits(table[1])", "u", "sizeof(d + l) + sizeof(f * f) * 10 + sizeof(f * 1.0) * 100")
