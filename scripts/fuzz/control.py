"""Generators about control: jumps into scopes, loops, recursion, function pointers, order of evaluation, inputs."""

from .program import INTEGERS


def jumps(p):
    """goto and switch into blocks and past declarations, Duff's device, computed goto; what is read has been assigned."""
    i, j, k = p.inputs(3)
    p.do("int fuel = 40, a = 0, b = 0, c = 0, n;")
    leaves = [i, j, k, "a", "b", "c", "fuel"]
    targets = ["a", "b", "c"]

    def some(count=2):
        return "\n".join(p.statements(targets, leaves, p.number(1, count), 1))

    def past_declaration():
        label, x = p.name("inside"), p.name("x")
        kind = p.pick(INT_TYPES)
        return f"""
if ({p.condition(leaves)}) goto {label};
{some()}
{{
{kind} {x} = {p.expression(leaves, 1)};
b += {x};
{label}:
{x} = {p.expression(leaves, 1)};
{p.pick(targets)} += {x} * {p.number(1, 5)};
}}"""

    def switch_past_declaration():
        x = p.name("x")
        return f"""
switch (({p.expression(leaves, 1)}) & 7) {{
{p.pick(INT_TYPES)} {x};
case {p.number(0, 1)}:
{x} = {p.expression(leaves, 1)};
a += {x};
{p.pick(['break;', ''])}
case {p.number(2, 3)}:
{{ case 4: {x} = {p.pick(leaves)}; c ^= {x}; }}
{p.pick(['break;', ''])}
default:
{some()}
case 5: case 6: b++;
}}"""

    def switch_into_loop():
        return f"""
n = {p.number(1, 3)} + ({p.pick([i, j, k])} & 3);
switch (n & 3) {{
case 0: do {{ {p.assignment(targets, leaves)}
case 3: a += {p.number(1, 9)};
case 2: {p.assignment(targets, leaves)}
case 1: b ^= {p.pick(leaves)};
}} while (--n > 0);
}}"""

    def into_loop():
        label = p.name("body")
        return f"""
n = {p.pick([i, j, k])} & 3;
if ({p.condition(leaves)}) goto {label};
for (n = 0; n < {p.number(1, 5)}; n++) {{
{some()}
{label}:
{p.assignment(targets, leaves)}
if ({p.condition(leaves)}) {p.pick(['break', 'continue'])};
c += n;
}}"""

    def backwards():
        label, x = p.name("again"), p.name("x")
        return f"""
{label}:
{{
int {x} = {p.expression([i, j, k, 'a'], 1)};
{p.assignment(targets, leaves + [x])}
{x} += b;
if (fuel-- > 0 && {p.condition(leaves + [x])}) goto {label};
c += {x};
}}"""

    def out_of_nest():
        label = p.name("out")
        return f"""
for (n = 0; n < {p.number(1, 4)}; n++) {{
int m = n;
while (m < {p.number(2, 6)}) {{
{p.assignment(targets, leaves + ['m', 'n'])}
if ({p.condition(leaves + ['m', 'n'])}) {p.pick([f'goto {label}', 'break'])};
m++;
switch (m & 3) {{ case 1: continue; case 2: a++; break; default: b += m; }}
}}
}}
{label}:
{p.assignment(targets, leaves)}"""

    def computed():
        one, two, three = p.name("one"), p.name("two"), p.name("three")
        return f"""
{{
void *to[3] = {{ &&{one}, &&{two}, &&{three} }};
goto *to[({p.pick(leaves[:3])} & 3) % 3];
{one}:
{some(1)}
{two}:
{p.assignment(targets, leaves)}
if (fuel-- > 30) goto *to[({p.pick(leaves)} & 255) % 3];
{three}:
c ^= fuel;
}}"""

    def statement_expression():
        return f"""
a += ({{ int y = {p.expression(leaves, 1)}; if ({p.condition(leaves)}) y += {p.number(1, 9)}; y; }}) & 1023;"""

    def state_machine():
        return f"""
{{
int state = {p.number(0, 3)};
while (fuel-- > 0 && state != 4) switch (state) {{
case 0: {p.assignment(targets, leaves)} state = {p.number(0, 4)}; break;
case 1: state = ({p.pick(leaves)}) & {p.pick('137')}; if (state == 1) continue; b += 2; break;
case 2: case 3: {p.assignment(targets, leaves)} state = {p.condition(leaves)} ? {p.number(0, 4)} : 4; break;
default: state = 4;
}}
}}"""

    pieces = [past_declaration, switch_past_declaration, switch_into_loop, into_loop, backwards, out_of_nest, computed,
              statement_expression, state_machine]
    for _ in range(p.number(2, 5)):
        p.do(p.pick(pieces)())
        if p.chance(4):
            p.see(p.pick(targets))
    p.see("a", "b", "c", "a * 3 + b", "fuel")


INT_TYPES = list(INTEGERS.values())[1:]


def loops(p):
    """Loops with wrap-around, odd steps, breaks, nests and many iterations."""
    i, j, k = p.inputs(3, p.pick([1, 2, 2, 3]))
    p.do("unsigned long long sum = 0; long long count = 0; int a = 0, b = 1;")
    leaves = [i, j, k, "a", "b"]

    def body(counter, extra=()):
        use = leaves + [counter, counter] + list(extra)
        lines = [p.pick([f"sum += {counter};", "count++;", f"sum = sum * 3 + {counter};", f"a ^= {counter};", "b += a;",
                         f"a += {p.expression(use, 1)};", f"if ({p.condition(use)}) b++; else count += 2;", "b = -b;",
                         f"if ((count & {p.pick(['1', '3', '7'])}) == {p.number(0, 3)}) a += {p.number(1, 3)};"])
                 for _ in range(p.number(1, 2))] + ["count++;"]
        if p.chance(3):
            lines.insert(p.number(0, len(lines)), f"if ({counter} == {p.pick([i, j, '77', '200', '9', f'(3 * {k})'])}) {p.pick(['break', 'break', 'count += 3'])};")
        return "\n".join(lines)

    def small_wrap():
        type, n = p.pick(["unsigned char", "signed char", "unsigned char"]), p.name("n")
        step = p.pick(["1", "3", "5", "7", "255", "-1", "-3", "127"])
        start, end = p.pick([i, j, "0", "100", "250"]), p.pick([k, "0", "200", "-100", "7", "128"])
        return f"{{ {type} {n}; for ({n} = {start}; {n} != ({type})({end}); {n} += {step}) {{\n{body(n)}\n}} a += {n}; }}"

    def medium():
        type, n = p.pick(["unsigned short", "short"]), p.name("n")
        step = p.pick(["1", "3", "-1", "257", "-5", "1021", "4095"])
        return f"{{ {type} {n} = {p.pick([i, '1000', '-5'])}; do {{\n{body(n)}\n{n} += {step};\n}} while ({n} != ({type}){p.pick([j, '7', '40000', '0'])}); b += {n}; }}"

    def large_step():
        n, type = p.name("n"), p.pick(["unsigned", "int"])
        step, bound = p.pick([("100000007", "2000000000"), ("1000000", "40000000"), ("0x1000000", "0x7f000000"), ("7", "3000"), ("65537", "70000000")])
        relation = p.pick(["<", "<", "<=", "!="]) if step == "1000000" else p.pick(["<", "<="])
        return f"{{ {type} {n}; for ({n} = {p.pick(['0', '0', i]) if relation != '!=' else '0'}; {n} {relation} {bound}u; {n} += {step}) {{\n{body(n)}\nif (count > 5000) break;\n}} sum += {n}; }}"

    def many():
        n = p.name("n")
        bound = p.pick(["1000", "10000", "100000", "12345", "65536", "300"])
        lines = [p.pick(["sum += 2;", f"sum += {i};", "a += 3;", "b ^= 1;", f"if ({n} % {p.number(2, 9)} == {p.number(0, 2)}) count++;",
                         f"if ({n} > {p.pick(['500', '99', '70000', '255'])}) a++;", f"a += {n} & 3;", "sum = sum + b;",
                         f"if (sum > {p.pick(['1000', '100000', '77'])}) sum -= {p.pick(['1000', '77', '5', '100'])};",
                         f"if (a == {p.pick(['99', '300', '4', '2997'])}) {p.pick(['break', 'a = 0', 'b += 5'])};"])
                 for _ in range(p.number(1, 3))]
        head = p.pick([f"for ({n} = 0; {n} < {bound} + {j}; {n}++) {{", f"for ({n} = {bound}; {n} > {j}; {n}--) {{",
                       f"{n} = {k}; while ({n}++ < {bound}) {{"])
        return f"{{ {p.pick(['int', 'unsigned', 'long', 'long long'])} {n}; {head}\n" + "\n".join(lines) + f"\n}} sum += {n}; }}"

    def nested():
        n, m = p.name("n"), p.name("m")
        inner = p.pick([f"{m} < {n}", f"{m} < {p.number(1, 6)}", f"{m} * {m} < {n} + {i}", f"{m} != {j} && {m} < 9"])
        return f"""{{ int {n}, {m}; for ({n} = {p.pick(['0', i])}; {n} < {p.number(1, 8)}; {n}++) {{
for ({m} = {p.pick(['0', '1'])}; {inner}; {m}++) {{
{body(m, [n])}
}}
{p.pick(['', 'if (a > 1000) continue;', 'if (b < -50) break;'])}
a += {m};
}} }}"""

    def array_walk():
        n, array = p.name("n"), p.name("array")
        size = p.pick([4, 8, 16, 100])
        p.declare(f"static {p.pick(['int', 'unsigned char', 'short'])} {array}[{size}];")
        return f"""{{ int {n}; for ({n} = 0; {n} < {size}; {n}++) {array}[{n}] = {p.pick([n, i, f'{n} * {j}', '7', f'{n} + {k}', f'({n} % 3 == 0 ? {n} : {j})'])};
for ({n} = {p.pick(['0', f'({i} & 3)'])}; {n} < {size}; {n} += {p.number(1, 3)}) {{
{p.pick([f'sum += {array}[{n}];', f'if ({array}[{n}] == {j}) break;', f'if ({array}[{n}] > a) a = {array}[{n}];', f'{array}[{n}] += {array}[({n} + 1) % {size}];'])}
count++;
}}
a += {n} + {array}[{i} & 3]; }}"""

    def memory_in_loop():
        n, s = p.name("n"), p.name("s")
        p.declare(f"static struct {{ int count; unsigned char byte; short cells[4]; int *to; }} {s};\nstatic void bump_{s}(int by) {{ {s}.count += by; {s}.byte++; }}")
        lines = [p.pick([f"{s}.count++;", f"{s}.byte += 3;", f"{s}.cells[{n} & 3] += {p.pick([n, '1', i])};", f"bump_{s}({p.pick(['1', '-1', i])});", f"*{s}.to += 2;",
                         f"if ({s}.byte == {p.number(0, 255)}) {p.pick([f'{s}.count = 0', 'break', f'{s}.to = &b', 'a++'])};", f"{s}.to = {n} & 1 ? &a : &b;",
                         f"{s}.cells[{p.pick(['0', f'({j} & 3)'])}] ^= {s}.byte;", f"((unsigned char *)&{s}.count)[{p.number(0, 3)}]++;"]) for _ in range(p.number(1, 3))]
        return f"{{ int {n}; {s}.to = &a; for ({n} = {p.pick(['0', i])}; {n} < {p.pick(['1000', '300', '10', '70000'])}; {n}++) {{\n" + "\n".join(lines) + f"\n}} sum += {s}.count + {s}.byte + {s}.cells[1] * 7 + {s}.cells[2]; }}"

    pieces = [small_wrap, medium, large_step, many, many, nested, array_walk, memory_in_loop, memory_in_loop]
    for _ in range(p.number(1, 3)):
        p.do(p.pick(pieces)())
        if p.chance(4):
            p.see(p.pick(["sum", "count", "a", "b"]))
    p.see("sum", "count", "a", "b")


def recursion(p):
    """Recursive functions: with locals whose address is taken, statics, structs by value, mutual recursion."""
    p.declare(f"""
struct state {{ int depth; int value; unsigned char path[4]; }};
static int calls, history[8];
static int factorial(int n) {{ calls++; return n <= 1 ? {p.number(1, 3)} : n * factorial(n - {p.number(1, 2)}); }}
static unsigned fibonacci(unsigned n) {{ if (n < 2) return n; calls++; return fibonacci(n - 1) + fibonacci(n - 2); }}
static int odd(unsigned n);
static int even(unsigned n) {{ return n == 0 ? 1 : odd(n - 1); }}
static int odd(unsigned n) {{ if (n == 0) return 0; history[n & 7]++; return even(n - 1); }}
static int ackermann(int m, int n) {{ calls++; if (m == 0) return n + 1; if (n == 0) return ackermann(m - 1, 1); return ackermann(m - 1, ackermann(m, n - 1)); }}
static void down(int n, int *result) {{ int own = n * {p.number(2, 5)}; if (n > 0) {{ down(n - 1, &own); *result += own; }} else *result {p.pick(['=', '+=', '^='])} own + {p.number(1, 9)}; }}
static int chain(int n, int *previous) {{ int own[2] = {{ n, previous ? *previous + 1 : 0 }}; if (n <= 0) return own[1]; own[0] = chain(n - 1, &own[1]); return own[0] * 2 + own[1]; }}
static struct state walk(struct state s, int n) {{ struct state t = s; if (n <= 0) return s; t.depth++; t.path[n & 3] = n; t = walk(t, n - 1); t.value += s.depth {p.pick(['+', '*', '-'])} n; return t; }}
static int counted(int n) {{ static int times; times++; if (n > 0) {{ int before = times; counted(n - 1); return times - before; }} return times; }}
static int gcd(int a, int b) {{ return b == 0 ? a : gcd(b, a % b); }}
static int power(int base, unsigned n) {{ int half; if (n == 0) return 1; half = power(base, n / 2); return n % 2 ? half * half * base : half * half; }}
static void fill(int *a, int low, int high) {{ int middle = low + (high - low) / 2; if (low >= high) return; a[middle] = calls++; fill(a, low, middle); fill(a, middle + 1, high); }}
static int collatz(unsigned n, int fuel) {{ if (n <= 1 || fuel == 0) return 0; return 1 + collatz(n % 2 ? 3 * n + 1 : n / 2, fuel - 1); }}
static int search(const int *a, int low, int high, int what) {{ int m = (low + high) / 2; if (low > high) return -1; if (a[m] == what) return m; return a[m] < what ? search(a, m + 1, high, what) : search(a, low, m - 1, what); }}
static int hanoi(int n, int from, int to) {{ if (n == 0) return 0; return hanoi(n - 1, from, 6 - from - to) + 1 + hanoi(n - 1, 6 - from - to, to) + (from == to); }}
static int sum_down(int n) {{ int s; if (n == 0) return {p.number(0, 3)}; s = sum_down(n - 1); return s + n; }}""")
    i, j, k = p.inputs(3)
    p.do("int r = 0, array[8] = { 1, 3, 5, 7, 9, 11, 13, 15 }; struct state s = { 0, 0, { 0 } };")
    leaves = [i, j, k, "r", "calls"]
    small = [f"({i} & 3)", f"({j} & 3) + 1", f"({k} & 7)", "3", "5"]
    calls = [
        lambda: f"r += factorial({p.pick(small)});", lambda: f"r ^= fibonacci({p.pick(small)});",
        lambda: f"r += even({p.pick(small)}) * 2 + odd({p.pick(small)});",
        lambda: f"r = ackermann({p.pick([f'({i} & 1)', '1', '2'])}, {p.pick([f'({j} & 1)', f'({k} & 3)', '2'])});",
        lambda: f"down({p.pick(small)}, &r);", lambda: f"r += chain({p.pick(small)}, {p.pick(['0', '&r', 'array + 2'])});",
        lambda: f"s = walk(s, {p.pick(small)});", lambda: f"r = r * 3 + counted({p.pick(small)});",
        lambda: f"r += gcd({p.number(1, 60)} + {i}, {p.number(1, 60)} * ({j} & 3));",
        lambda: f"r += power({p.pick([i, '3', '-7', '65537'])}, {p.pick(small)});", lambda: f"fill(array, {p.pick(['0', f'({i} & 3)'])}, {p.number(5, 8)});",
        lambda: f"r += collatz({p.pick(small)}, {p.number(3, 20)});", lambda: f"r += search(array, 0, 7, {p.pick(leaves + ['7', '9', '1'])});",
        lambda: f"r += hanoi({p.pick(small[:2])}, 1, {p.pick(['2', '3'])});", lambda: f"r += sum_down({p.pick(small + ['40', '200'])});",
        lambda: "\n".join(p.statements(["r", f"array[{i} & 7]"], leaves, 1)),
    ]
    for _ in range(p.number(1, 4)):
        p.do(p.pick(calls)())
    p.see("r", "calls", "s.depth * 10 + s.value + s.path[1] * 100", "history[1] + history[3] * 10", f"array[{j} & 7]", "r & 255")


def function_pointers(p):
    """Tables, struct members, callbacks, results and comparisons of function pointers, through casts too."""
    p.declare(f"""
typedef int (*operation)(int, int);
struct object {{ int value; operation apply; void (*log)(struct object *); const struct object *base; }};
static int logged, total;
static int plus(int a, int b) {{ return a + b; }}
static int minus(int a, int b) {{ return a - b; }}
static int times(int a, int b) {{ total++; return a * b; }}
static int second(int a, int b) {{ return b; }}
static int again(int a, int b) {{ return b <= 0 ? a : again(a + {p.number(1, 4)}, b - 1); }}
static int bounded(int a, int b) {{ return again(a, b & 3); }}
static void log_value(struct object *o) {{ logged = logged * 7 + o->value; }}
static void log_and_change(struct object *o) {{ logged++; o->value += 5; o->log = log_value; }}
static operation select(int n) {{ switch (n) {{ case 0: return plus; case 1: return minus; case 2: return &times; default: return second; }} }}
static int fold(operation f, const int *a, int n, int start) {{ while (n-- > 0) start = f(start, a[n]); return start; }}
static int twice(operation f, int x) {{ return (*f)((**f)(x, 1), 2); }}
static operation (*chooser)(int) = select;
static const operation table[4] = {{ {p.pick(FUNCTIONS)}, {p.pick(FUNCTIONS)}, {p.pick(FUNCTIONS)}, {p.pick(FUNCTIONS)} }};
static operation changeable[4] = {{ plus, minus }};
static struct object base = {{ 1, plus, log_value, 0 }}, derived = {{ 2, times, log_and_change, &base }};
extern void *memcpy(void *, const void *, __SIZE_TYPE__);""")
    i, j, k = p.inputs(3)
    p.do("int r = 0, a[4] = { 3, 1, 4, 1 }; operation f = plus, g = 0; void *raw; unsigned long number; struct object *o = &derived, copy = derived;")
    leaves = [i, j, k, "r", "logged", f"a[{i} & 3]", "o->value", f"table[{j} & 3]({i}, {k})", "f(1, 2)", "base.value"]
    pick = lambda: p.pick([f"table[{i} & 3]", f"select({j})", f"chooser({k} & 3)", "f", "o->apply", *FUNCTIONS, f"({i} ? {p.pick(FUNCTIONS)} : {p.pick(FUNCTIONS)})",
                           f"changeable[{k} & 1]", "base.apply", "copy.apply"])
    actions = [
        lambda: f"f = {pick()};", lambda: f"r = {pick()}({p.expression(leaves, 1)}, {p.pick(leaves)});",
        lambda: f"r += fold({pick()}, a, {p.number(1, 4)}, {p.pick(leaves)});", lambda: f"r ^= twice({pick()}, {p.pick([i, j, '9'])});",
        lambda: f"o->log(o);", lambda: f"o = {p.pick(['&base', '&derived', '&copy', f'({i} & 1) ? &base : &copy'])};",
        lambda: f"o->apply = {pick()};", lambda: f"changeable[{p.pick([i, j])} & 3] = {pick()};",
        lambda: f"if (changeable[{k} & 3]) r += changeable[{k} & 3](r, 2); else r--;", lambda: f"raw = (void *){pick()}; f = (operation)raw;",
        lambda: f"number = (unsigned long){pick()}; f = (operation)number;", lambda: f"if ({pick()} == {pick()}) r += {p.number(1, 99)};",
        lambda: f"g = {pick()}; if (g && g != plus) r = g(r, 3); g = 0;", lambda: f"memcpy(&f, &table[{i} & 3], sizeof f);",
        lambda: f"r += ((int (*)(int, int))(void (*)(void)){pick()})({i}, {j});", lambda: f"copy = {p.pick(['base', 'derived', '*o'])};",
        lambda: f"if (o->base) r += o->base->apply(r, {k});", lambda: f"a[{i} & 3] = {p.expression(leaves, 1)};",
        lambda: f"{{ struct object own = {{ r, {pick()}, log_value, o }}; own.log(&own); r = own.base->apply(own.value, 4); }}",
    ]
    for _ in range(p.number(4, 11)):
        p.do(p.pick(actions)())
    p.see("r", "logged", "total", "f(5, 3)", "f == plus", "o->value", "base.value + derived.value * 3 + copy.value * 7", "g == 0")


FUNCTIONS = ["plus", "minus", "times", "second", "bounded"]


def order(p):
    """Side effects in expressions whose order C fixes: && || ?: , and full expressions, calls without conflicts."""
    p.declare("""
static int trace, g;
static int step(int n) { trace = trace * 10 + n; return n; }
static int pure(int a, int b) { return a * 2 + b; }
static int bump(int *p) { return ++*p; }
static int last(int n, ...) { return n; }""")
    i, j, k = p.inputs(3)
    p.do("int a = 1, b = 2, c = 3, x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, y[8] = { 0 }, *q = x, *r = y, n = 0;")
    leaves = [i, j, k, "a", "b", "c", "g", f"x[{i} & 7]", "*r"]

    def guarded():
        effect = p.pick(["step(1)", "step(2)", "(a = b + 1)", "b++", "--c", "bump(&a)", "(g += 2)", "(trace++, c)"])
        return f"{p.condition(leaves)} {p.pick(['&&', '||'])} {effect}"

    actions = [
        lambda: f"g = ({guarded()}) ? step(3) : step(4);", lambda: f"if (({guarded()}) && ({guarded()})) g++;",
        lambda: f"if (({guarded()}) || ({guarded()})) step(5); else step(6);", lambda: f"a = (b = {p.expression([i, j, 'c'], 1)}, b + 1);",
        lambda: "*r++ = *q++; if (r >= y + 7) { r = y; q = x; }", lambda: f"y[n++] = x[{i} & 7]; n &= 3;", lambda: f"y[++n & 7] += {p.expression([i, j, 'a'], 1)}; n &= 3;",
        lambda: f"a = b = c = {p.expression([i, k], 1)};", lambda: f"a += b -= c *= {p.pick(['2', '3', i])};", lambda: "c = a++ + b--;", lambda: f"c = -a-- - ~b++ + {j};",
        lambda: f"g = pure(a++, --b);", lambda: f"for (n = 0, b = {i}; n < 3; n++, b--) c += b;", lambda: f"while (a-- > {p.number(0, 2)} && step(7) && trace < 100000) b++;",
        lambda: f"x[{i} & 7] {p.pick(['+=', '^=', '*='])} pure(a, b);", lambda: f"({p.condition(leaves)} ? a : b) ; (*({p.condition(leaves)} ? &a : &b))++;",
        lambda: f"switch (step({p.number(0, 3)}) + {i}) {{ case 1: a++; case 2: b++; break; default: c = step(8); }}",
        lambda: f"trace = (a > b, step(9), trace + 1);", lambda: f"do g += a; while (++a < {p.number(0, 5)});", lambda: f"b = !({guarded()}) + !a;",
        lambda: f"n = sizeof(a++) + sizeof(step(1)); n &= 3;", lambda: f"{{ int z[3] = {{ {i}, {j}, 7 }}; g += z[0] + (z[1] = 5, z[2]++); g ^= z[2]; }}",
        lambda: p.assignment(["a", "b", "c", "g"], leaves), lambda: f"a = last({p.expression(leaves, 1)}, 1.5, b, 3ll);",
        lambda: f"if (a ? b : {guarded()}) c ^= 1;", lambda: "trace %= 100000;",
    ]
    for _ in range(p.number(4, 12)):
        p.do(p.pick(actions)())
        if p.chance(6):
            p.see(p.pick(["a", "b", "c", "g", "trace"]))
    p.see("a", "b", "c", "g", "trace", "n", "x[0] + x[3] * 3 + x[7] * 5", "y[0] + y[1] * 3 + y[2] * 5", "q - x", "r - y")


def inputs(p):
    """Inputs read within loops, branches, arguments and conditions; assumptions; ends in the middle."""
    p.declare("""
extern void abort(void);
extern void exit(int);
extern void __VERIFIER_assume(int);
static int total;
static int twice(int a) { return 2 * a; }""")
    first = p.input(2)
    types = list(p.domains) + ["uchar"]
    again = lambda: p.input(2, p.pick(types)) if len(p.domains) > 1 or p.chance(2) else p.input(2)
    p.do(f"int a = {first}, b = 0, c = 7, n = 0, x[4] = {{ 1, 2, 3, 4 }};")
    leaves = ["a", "b", "c", "n", "x[a & 3]", "total"]
    actions = [
        lambda: f"for (n = 0; n < {p.number(1, 3)}; n++) x[n] = {again()};", lambda: f"if ({p.condition(leaves)}) a = {again()}; else b = {again()};",
        lambda: f"b = twice({again()});", lambda: f"while (n < 3 && {again()}) n++;", lambda: f"c = {again()} ? a : b;",
        lambda: f"__VERIFIER_assume({p.condition(leaves)});", lambda: f"if ({p.condition(leaves)}) {p.pick(['abort()', 'exit(1)', 'return 0'])};",
        lambda: p.assignment(["a", "b", "c", "total"], leaves), lambda: f"switch ({again()}) {{ case 0: a = 5; break; case 1: b++; default: c--; }}",
        lambda: f"x[{again()} & 3] += {p.expression(leaves, 1)};", lambda: f"total += {again()} * {p.number(1, 50)};",
        lambda: f"if (b > {p.number(0, 3)}) {{ int fresh = {again()}; __VERIFIER_assume(fresh != {p.number(0, 2)}); a += fresh; }}",
        lambda: f"do {{ c = {again()}; n++; }} while (c == {p.number(0, 3)} && n < 3);",
    ]
    for _ in range(p.number(3, 6)):
        p.do(p.pick(actions)())
        if p.chance(5):
            p.see(p.pick(leaves))
    p.see("a", "b", "c", "total", "x[0] + 5 * x[1] + 25 * x[2]", "n", p.expression(leaves))


def scopes(p):
    """Names: shadowing, statics, block-scope extern, tentative definitions, tags and typedefs, arrays of variable length."""
    p.declare(f"""
int tentative;
static int x = {p.number(1, 9)};
typedef int number;
enum {{ FIRST = {p.number(-3, 3)}, SECOND, THIRD = FIRST + 10 }};
static int counter(void) {{ static int count = {p.number(0, 5)}; return count++; }}
static int two_statics(int c) {{ if (c) {{ static int n = 1; n *= 3; return n; }} else {{ static int n = 2; n += 5; return n; }} }}
static int recursive(int n) {{ static int depth; int r; depth++; r = n > 0 ? recursive(n - 1) + depth : depth; depth--; return r; }}
static int sized(int n, int a[n]) {{ int s = 0, at; for (at = 0; at < n; at++) s = s * 3 + a[at]; return s; }}
static int rows(int n, int m, int a[n][m]) {{ return a[n - 1][m - 1] + (int)(sizeof a[0] / sizeof a[0][0]); }}
static int *address_of_static(void) {{ static int kept = 4; return &kept; }}
static inline int shadow(int x) {{ {{ int x = 7; x++; }} return x * 2; }}
static int later(int);
static int use_later(int n) {{ extern int tentative; tentative += n; return later(n); }}
static int later(int tentative) {{ return tentative - 1; }}
int tentative = {p.number(0, 9)};
static int keep_pointer(int *q) {{ static int *old; int r = old ? *old : -1; if (q) old = q; return r; }}""")
    i, j, k = p.inputs(3)
    p.do("int a = 1, b = 2, n, array[4] = { 1, 2, 3, 4 };")
    leaves = [i, j, k, "a", "b", "x", "tentative", "FIRST", "SECOND", "THIRD", "counter()", "*address_of_static()", "shadow(a)"]
    quiet = [leaf for leaf in leaves if leaf != "counter()"]
    # Where a declaration hides x.
    without_x = [leaf for leaf in quiet if leaf != "x"]
    actions = [
        lambda: f"{{ int x = {p.expression(without_x, 1)}; {{ int x = {p.pick([i, '5'])}; a += x; }} b += x; }}", lambda: f"{{ int a = x, x = a + {p.number(1, 5)}; b ^= x; }}", lambda: f"{{ extern int tentative; tentative += {p.pick(quiet)}; }}",
        lambda: f"a = two_statics({p.condition(quiet)});", lambda: f"b += recursive({i} & 3);", lambda: f"b = counter(); a += counter();", lambda: f"*address_of_static() += {p.pick([i, j, '3'])};",
        lambda: f"{{ int n = ({i} & 3) + 1, v[n]; int at; for (at = 0; at < n; at++) v[at] = at * {p.number(1, 9)}; a += sized(n, v) + sizeof v; }}",
        lambda: f"{{ int m = ({j} & 1) + 1, v[2][m]; int at; for (at = 0; at < m; at++) v[0][at] = v[1][at] = at + {k}; b += rows(2, m, v); }}", lambda: f"a = use_later({p.pick(quiet)});",
        lambda: f"{{ number number = {p.pick(quiet)}; number++; a ^= number; }}", lambda: f"{{ enum {{ FIRST = 50, LAST }}; b += FIRST + LAST; }}", lambda: f"{{ struct number {{ int number; }} number = {{ {p.pick(quiet)} }}; a -= number.number; }}",
        lambda: f"for (int n = 0; n < ({i} & 3); n++) {{ int n = {p.number(1, 9)}; a += n; }}", lambda: f"for (n = 0; n < 3; n++) {{ static int again = 5; int fresh = 5; again++; fresh++; b += again * 10 + fresh; }}",
        lambda: f"a += keep_pointer({p.pick(['&b', '&array[' + i + ' & 3]', '0', '&x', '0'])});", lambda: f"{p.pick(['x', 'array[' + j + ' & 3]', 'tentative'])} += {p.expression(quiet, 1)};",
        lambda: f"n = 3; {{ int v[n]; n = 5; a += sizeof v + n; }}", lambda: f"{{ typedef unsigned char x; x y = {p.pick(without_x)}; b += y; }}", lambda: f"a += ({{ int a = {p.pick([i, '4'])}; a * 2; }});",
        lambda: p.assignment(["a", "b", "x"], quiet), lambda: f"{{ static const int table[] = {{ 3, 1, 4, 1, 5 }}; a += table[{i} & 3] + sizeof table / sizeof *table; }}",
        lambda: f"goto skip{(n := p.name(''))}; {{ static int set = 9; skip{n}: a += set++; }}", lambda: f"if ({p.condition(quiet)}) {{ int b = a; a = b + 1; }} else {{ int a = 3; b = a; }}",
    ]
    for _ in range(p.number(4, 12)):
        p.do(p.pick(actions)())
    p.see("a", "b", "x", "tentative", "array[0] + array[1] * 3 + array[3] * 7", "counter()", "*address_of_static()", "keep_pointer(0)")
