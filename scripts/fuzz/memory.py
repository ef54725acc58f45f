"""Generators about memory: pointers, structs and unions, bit-fields, arrays."""

from .program import INTEGERS

C_TYPES = list(INTEGERS.values())


def pointers(p):
    """Aliases through tables of pointers, casts, unions, escaped locals, integers and pointers to pointers."""
    word = p.pick(["int", "unsigned", "short", "long", "unsigned char", "long long"])
    p.declare(f"""
typedef {word} word;
struct pair {{ word first; word second; word many[3]; word *link; }};
static word g1, g2, array[8] = {{ 1, 2, 3, 4, 5, 6, 7, 8 }};
static struct pair pairs[3];
static word *table[4];
static void swap(word *a, word *b) {{ word t = *a; *a = *b; *b = t; }}
static void add(word *to, word what) {{ *to += what; }}
static word *choose(int c, word *a, word *b) {{ return c ? a : b; }}
static void clear(void *start, unsigned count) {{ unsigned char *byte = start; while (count--) *byte++ = 0; }}
union view {{ word *pointer; unsigned long number; unsigned char bytes[sizeof(void *)]; }};
extern void *memcpy(void *, const void *, unsigned long);""".replace("unsigned long)", "__SIZE_TYPE__)"))
    i, j, k = p.inputs(3)
    p.do("word l1 = 11, l2 = 22, local[4] = { 9, 8, 7, 6 };")
    p.do("struct pair own = { 1, 2, { 3, 4, 5 }, &l1 };")
    p.do("word *q = &l1, **qq = &q, *mine[3] = { &l2, &local[1], &own.second };")
    p.do("union view v; int n = 0; struct pair *which = &own;")

    def place():
        return p.pick(["&g1", "&g2", "&l1", "&l2", f"&array[{p.pick([i, j, k])} & 7]", f"&local[{p.pick([i, j])} & 3]",
                       f"&pairs[{p.pick(['0', '1', '2', f'({k} & 1)'])}].first", f"&pairs[{j} & 1].many[{i} & 1]", "&own.second",
                       "own.many", f"own.many + ({k} & 1)", "&which->first", "which->link", f"table[{p.pick([i, j])} & 3]",
                       f"mine[{k} & 1]", f"array + ({p.pick([i, j])} & 3)"])

    leaves = [i, j, k, "*q", "**qq", "l1", "g1", "g2", f"*table[{i} & 3]", f"array[{j} & 7]", "own.second", "which->many[1]", "n",
              f"*mine[{k} & 1]", f"which->many[{i} & 1]", "*which->link"]
    p.do("for (n = 0; n < 3; n++) { pairs[n].first = n; pairs[n].second = 10 + n; pairs[n].many[0] = pairs[n].many[1] = "
         "pairs[n].many[2] = n * 3; pairs[n].link = &array[n]; }")
    for slot in range(4):
        p.do(f"table[{slot}] = {p.pick(['&g1', '&g2', '&l1', '&array[2]', 'local + 1', '&own.first', '&pairs[1].second'])};")
    actions = [
        lambda: f"*{p.pick(['q', f'table[{i} & 3]', f'mine[{k} & 1]', '*qq'])} {p.pick(['=', '+=', '^=', '-='])} {p.expression(leaves)};",
        lambda: f"q = {place()};",
        lambda: f"table[{p.pick([i, j, k])} & 3] = {place()};",
        lambda: f"qq = {p.pick(['&q', f'&table[{i} & 3]', f'&mine[{j} & 1]', '&which->link', '&pairs[1].link'])};",
        lambda: f"*qq = {place()};",
        lambda: f"swap({place()}, {place()});",
        lambda: f"add({place()}, {p.expression(leaves, 1)});",
        lambda: f"q = choose({p.condition(leaves)}, {place()}, {place()});",
        lambda: f"((unsigned char *){place()})[{p.number(0, 0)}] = {p.expression(leaves, 1)};",
        lambda: f"((unsigned char *)q)[{p.pick([i, j])} & (sizeof(word) - 1)] ^= {p.number(1, 255)};",
        lambda: f"v.pointer = {place()}; v.number ^= {(key := p.pick(['1', '4096', '~0ul', '12345']))}; v.number ^= {key}; q = v.pointer;",
        lambda: f"q = (word *)((unsigned long)({place()}) + {(off := p.number(1, 99))} - {off});",
        lambda: f"q = (word *)(char *)(void *)({place()});",
        lambda: f"which = {p.pick(['&own', f'&pairs[{i} & 1]', '&pairs[2]', f'pairs + ({j} & 1)'])};",
        lambda: f"which = (struct pair *)((char *)&which->second - (unsigned long)&((struct pair *)0)->second);",
        lambda: f"which->link = {place()};",
        lambda: f"pairs[{i} & 1] = {p.pick(['own', '*which', 'pairs[2]'])};",
        lambda: f"memcpy({p.pick(['local', '&array[4]', 'own.many'])}, &array[{i} & 1], {p.number(1, 3)} * sizeof(word));",
        lambda: f"memcpy(&q, &table[{j} & 3], sizeof q);",
        lambda: f"n = array + ({i} & 7) - (array + ({j} & 7)); n += &array[{k} & 3] > &array[{i} & 3];",
        lambda: f"if ({place()} {p.pick(['==', '!='])} {p.pick(['q', place()])}) {p.pick(['l1', 'g1', 'n'])} += {p.number(1, 5)};",
        lambda: f"{{ word inner = {p.expression(leaves, 1)}; word *old = q; q = &inner; *q += 1; {p.pick(['l2', 'g2', '*old'])} = inner; q = old; }}",
        lambda: f"{{ word *walk = array; while (walk != array + {p.number(1, 8)}) *walk++ {p.pick(['+', '^', '-'])}= {p.pick(['1', i, j])}; }}",
        lambda: f"{{ word (*rows)[2] = (word (*)[2])array; rows[{i} & 3][{j} & 1] = {p.expression(leaves, 1)}; }}",
        lambda: f"clear({p.pick(['&g1', 'local', f'&array[{i} & 3]', 'q'])}, sizeof(word));",
        lambda: f"if (*q {p.pick(['>', '<', '=='])} {p.constant()}) {{ q = {place()}; *q = {p.expression(leaves, 1)}; }} else q = {place()};",
    ]
    for _ in range(p.number(5, 14)):
        p.do(p.pick(actions)())
        if p.chance(6):
            p.see(p.pick(["*q", "**qq", "g1", "l1"]))
    p.see("g1 + 3 * g2", "l1 * 5 + l2", "array[0] + array[3] * 7 + array[7] * 31", "own.first + own.second + own.many[1] * 9",
          "local[0] + 3 * local[1] + 7 * local[3]", "*q", "q == &g1", "q - q + n", "pairs[0].first + pairs[1].many[0] + *pairs[1].link",
          f"array[{i} & 7]", "*table[2] - *table[0]")


def structures(p):
    """Structs and unions by value: arguments, results, assignments, literals, nesting, bytes."""
    a, b = p.pick(C_TYPES), p.pick(C_TYPES)
    p.declare(f"""
struct inner {{ {a} x; {b} y; }};
struct outer {{ {p.pick(C_TYPES)} tag; struct inner one; struct inner many[2]; {p.pick(C_TYPES)} last; }};
union bits {{ unsigned long long whole; unsigned half[2]; unsigned short quarter[4]; unsigned char bytes[8]; signed char small; struct {{ short s; unsigned char c; }} part; }};
static struct outer global = {{ 1, {{ 2, 3 }}, {{ {{ 4, 5 }}, {{ 6, 7 }} }}, 8 }};
static struct outer all[3];
static struct inner make(int x, int y) {{ struct inner r; r.x = x; r.y = y; return r; }}
static struct inner flip(struct inner s) {{ struct inner r = {{ s.y, s.x }}; s.x = 99; return r; }}
static struct outer grow(struct outer s, struct inner t) {{ s.one = t; s.many[1] = s.many[0]; s.tag++; s.last += t.x; return s; }}
static void change(struct outer *s, struct outer copy) {{ copy.tag = 77; s->one = copy.many[1]; s->many[0].x = copy.tag; }}
static union bits bits_of(unsigned long long n) {{ union bits u; u.whole = n; return u; }}
static long long total(struct outer s) {{ return s.tag + 3 * (long long)s.one.x + 5 * (long long)s.one.y + 7 * (long long)s.many[0].x + 11 * (long long)s.many[0].y + 13 * (long long)s.many[1].x + 17 * (long long)s.last; }}
extern void *memcpy(void *, const void *, __SIZE_TYPE__);
extern void *memset(void *, int, __SIZE_TYPE__);
extern int memcmp(const void *, const void *, __SIZE_TYPE__);""")
    i, j, k = p.inputs(3)
    p.do(f"struct outer s = {{ .last = {p.number(0, 9)}, .one.y = 4, .many = {{ [1].x = 5 }} }}, t = global, *r = &s;")
    p.do("struct inner m = { 1, 2 }, n = make(3, 4); union bits u; int at = 0;")
    p.do(f"u.whole = {p.expression([i, j, k])};")
    leaves = [i, j, k, "s.tag", "s.one.x", "t.many[1].y", "m.x", "m.y", "n.x", "r->last", f"r->many[{i} & 1].x", "u.half[0]",
              f"u.bytes[{j} & 7]", "u.small", "u.quarter[1]", f"all[{k} & 1].one.y", "make(1, 2).y", f"flip(m).x", "u.part.c"]
    targets = ["s.tag", "s.one.x", "t.many[0].y", "m.x", "m.y", "n.y", "r->last", f"r->many[{i} & 1].x", f"all[{j} & 1].last",
               f"u.bytes[{j} & 7]", "u.half[1]", f"u.quarter[{i} & 3]", "u.small", "u.part.s", "u.part.c", "u.whole", "global.one.x"]
    whole = ["s", "t", "global", "*r", "all[1]", f"all[{i} & 1]", f"all[{j} & 1]"]
    part = ["m", "n", "s.one", "t.many[1]", f"r->many[{k} & 1]", f"all[{i} & 1].one", "global.many[0]"]
    value = part + [f"make({i}, {j})", "flip(m)", "flip(flip(s.one))", f"(struct inner){{ {k}, {i} }}", f"({i} > 1 ? m : s.one)",
                    "grow(s, m).many[1]", "(m.x++, m)"]
    actions = [
        lambda: p.assignment(targets, leaves),
        lambda: p.assignment(targets, leaves),
        lambda: f"{p.pick(whole)} = {p.pick(whole)};",
        lambda: f"{p.pick(part)} = {p.pick(value)};",
        lambda: f"{p.pick(whole)} = grow({p.pick(whole)}, {p.pick(value)});",
        lambda: f"change({p.pick(['&s', '&t', 'r', f'&all[{k} & 1]'])}, {p.pick(whole)});",
        lambda: f"r = {p.pick(['&s', '&t', '&global', f'&all[{i} & 1]', f'all + ({j} & 1)'])};",
        lambda: f"u = {p.pick([f'bits_of({p.expression(leaves, 1)})', '(union bits){ ' + p.pick(NAMES) + ' }'])};",
        lambda: f"memcpy(&{p.pick(['s', 't'])}, {p.pick(['&global', 'r', f'&all[{i} & 1]'])}, sizeof s);" if p.chance(2) else
                f"memcpy(u.bytes + ({i} & 3), u.bytes + 4, {p.number(0, 0)});",
        lambda: f"memset(&{p.pick(['s', 't', f'all[{j} & 1]', '(*r)'])}.{p.pick(['one', 'many[1]'])}, {'0' if '_Bool' in (a, b) else p.pick(['0', '255', '1'])}, sizeof(struct inner));",
        lambda: f"{{ struct outer copy = *r; copy.one = m; *r = copy; r = &s; }}",
        lambda: f"for (at = 0; at < 2; at++) {{ all[at] = {p.pick(whole[:3])}; all[at].tag += at + {i}; }}",
        lambda: f"{{ struct inner pairs[2] = {{ m, {{ 5 }} }}; pairs[{i} & 1] = pairs[{j} & 1]; n = pairs[1]; }}",
        lambda: f"if (memcmp(u.bytes, &u.whole, 8) != 0) at = 99;",
    ]
    for _ in range(p.number(4, 12)):
        p.do(p.pick(actions)())
    p.see("total(s)", "total(t)", "total(*r)", "total(all[0]) + total(all[1])", "total(global)", "m.x * 3 + m.y", "n.x * 5 + n.y",
          "u.whole", "u.small", "u.half[1]", "sizeof(struct outer) * 100 + sizeof(struct inner)", "at",
          "(unsigned long)&((struct outer *)0)->many[1].y")


NAMES = ["1", "-1", "0x1234", "~0ull"]


def bit_fields(p):
    """Bit-fields of all types and widths in expressions, assignments and unions, and their bytes."""
    widths = {"unsigned": 32, "int": 32, "signed char": 8, "unsigned char": 8, "short": 16, "unsigned short": 16, "_Bool": 1,
              "long long": 64, "unsigned long long": 64, "long": 32 if p.model == "ILP32" else 64,
              "unsigned long": 32 if p.model == "ILP32" else 64, "enum e": 32}
    fields, lines = [], []
    for n in range(p.number(3, 8)):
        type = p.pick(list(widths))
        width = p.pick([1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 24, 31, 32, 33, 40, 47, 63, 64])
        width = min(width, widths[type])
        if p.chance(6):
            lines.append(f"{p.pick(['int', 'unsigned char', 'long long', 'short'])} : {p.pick([0, 0, 3])};")
        if p.chance(7):
            lines.append(f"{p.pick(['char', 'int', 'short'])} plain{n};")
            fields.append(f"plain{n}")
        lines.append(f"{type} f{n} : {width};")
        fields.append(f"f{n}")
    # Packed structs are laid out by other rules, and by yet others under #pragma pack.
    packed = " __attribute__((packed))" if p.chance(6) else ""
    limit = p.pick(["1", "2", "4"]) if p.chance(6) else None
    p.declare("enum e { LOW, HIGH = 3 };")
    if limit:
        p.declare(f"#pragma pack(push, {limit})")
    p.declare(f"struct fields {{ {' '.join(lines)} }}{packed};")
    if limit:
        p.declare("#pragma pack(pop)")
    p.declare("""
union both { struct fields s; unsigned char bytes[sizeof(struct fields)]; };
static struct fields global, several[2];
static struct fields pass(struct fields s) { return s; }
static long long take(long long x) { return x; }
static unsigned narrow(unsigned x) { return x; }
extern void *memset(void *, int, __SIZE_TYPE__);""")
    i, j, k = p.inputs(3)
    p.do("union both u; struct fields s, *r = &s; unsigned long long sum = 0; unsigned n; int c = 0;")
    p.do("memset(&u, 0, sizeof u); memset(&s, 0, sizeof s);")

    def field(of=None):
        return f"{of or p.pick(['s.', 'r->', 'u.s.', 'global.', f'several[{i} & 1].'])}{p.pick(fields)}"

    def leaves():
        return [i, j, k, field(), field(), field(), f"u.bytes[(unsigned){j} % sizeof u]", "c", field() + " + 0"]

    # Whether a byte may have been written; it may be padding, of which a structure's assignment says nothing.
    touched = []
    actions = [
        lambda: f"{field()} = {p.expression(leaves())};",
        lambda: f"{field()} {p.pick(['+=', '-=', '^=', '|=', '*=', '&=', '<<='])} {p.pick(['1', '2', '3', p.pick([i, j])])};",
        lambda: f"{p.pick(['', 'c = '])}{field()}{p.pick(['++', '--'])};",
        lambda: f"c += ({field('s.')} = {p.expression(leaves())}) {p.pick(['== ', '< ', '> '])}{p.constant()};",
        lambda: f"c ^= ({field('s.')} = {p.expression([i, j, k])});",
        lambda: f"{field('s.')} = {field('u.s.')} = {p.expression(leaves())};",
        lambda: touched.append(True) or f"u.bytes[(unsigned){p.pick([i, j])} % sizeof u] {p.pick(['^=', '='])} {p.number(0, 1)};",
        lambda: f"{p.pick(['s', *([] if touched else ['u.s']), 'global', f'several[{k} & 1]'])} = {p.pick(['pass(s)', 'u.s', '*r', 'several[1]', 'global'])};",
        lambda: f"r = {p.pick(['&s', '&u.s', '&global', f'&several[{i} & 1]'])};",
        lambda: f"if ({field()} {p.pick(['<', '>', '=='])} {p.pick([field(), '-1', '0', '1u', p.constant()])}) c += {p.number(1, 9)};",
        lambda: f"c += ({p.pick(['~', '-', '+'])}{field()} {p.pick(['<', '>'])} 0);",
        lambda: f"c += (({field()} {p.pick(['-', '<<', '*'])} {p.pick(['1', '2', '3'])}) {p.pick(['<', '>'])} {p.constant()});",
        lambda: f"sum += take({p.pick(['~', '-', ''])}{field()}) + narrow({field()});",
        lambda: f"sum = sum * 31 + ({i} ? {field()} : {field()});",
    ]
    for _ in range(p.number(5, 14)):
        p.do(p.pick(actions)())
    for f in p.sample(fields, 4):
        p.see(f"s.{f}", f"u.s.{f}")
    p.do("for (n = 0; n < sizeof u; n++) sum = sum * 257 + u.bytes[n];")
    p.see("sum", "c", f"r->{p.pick(fields)} * 3ll", "sizeof(struct fields)", f"global.{p.pick(fields)}", f"several[{i} & 1].{p.pick(fields)}",
          f"-s.{p.pick(fields)} < 0", f"(s.{p.pick(fields)} << 1) >> 1")


def arrays(p):
    """Arrays with symbolic indices: chains, rows, searching, sorting, filling, sizes at run time."""
    word = p.pick(["int", "unsigned char", "short", "unsigned", "long long", "_Bool", "char"])
    p.declare(f"""
typedef {word} word;
static word data[8] = {{ {', '.join(str(p.number(0, 99)) for _ in range(p.number(1, 8)))} }};
static word grid[4][4];
static const unsigned char permutation[8] = {{ 3, 7, 1, 0, 5, 2, 6, 4 }};
static char text[] = "hello, world";
static int find(word *a, int n, word what) {{ int i; for (i = 0; i < n; i++) if (a[i] == what) return i; return -1; }}
static void sort(word *a, int n) {{ int i, j; for (i = 1; i < n; i++) {{ word t = a[i]; for (j = i; j > 0 && a[j - 1] > t; j--) a[j] = a[j - 1]; a[j] = t; }} }}
static long long sum(word *a, int n) {{ long long s = 0; while (n-- > 0) s = s * 3 + a[n]; return s; }}
static void reverse(word *a, int n) {{ int i; for (i = 0; i < n / 2; i++) {{ word t = a[i]; a[i] = a[n - 1 - i]; a[n - 1 - i] = t; }} }}""")
    i, j, k = p.inputs(3)
    p.do("word local[8] = { 1, 2, 3 }, cube[2][2][2] = { { { 1, 2 }, { 3 } }, { { 4 } } }; int n, m = 0, c = 0;")
    size = f"({i} & 3) + 1"
    p.do(f"int count = {size}; word variable[count + 1]; for (n = 0; n <= count; n++) variable[n] = n * {p.number(1, 50)};")
    leaves = [i, j, k, "m", "c", f"data[{i} & 7]", f"local[{j} & 7]", f"grid[{i} & 3][{k} & 3]", f"data[permutation[{j} & 7]]",
              f"cube[{i} & 1][{j} & 1][{k} & 1]", f"text[{i} & 7]", "variable[count]", "variable[0]", f"local[data[{k} & 7] & 7]"]
    targets = [f"data[{i} & 7]", f"local[{j} & 7]", f"grid[{j} & 3][{k} & 3]", f"data[permutation[{k} & 7]]", "variable[count]",
               f"cube[{k} & 1][{j} & 1][1]", f"local[data[{i} & 7] & 7]", f"text[{j} & 7]", "data[0]", "local[7]", "m", "c",
               f"({i} & 7)[data]", f"(*(local + ({k} & 7)))", f"(&data[4])[-({i} & 3)]"]
    actions = [
        lambda: p.assignment(targets, leaves),
        lambda: p.assignment(targets, leaves),
        lambda: p.assignment(targets, leaves),
        lambda: f"for (n = 0; n < {p.number(1, 8)}; n++) {p.pick(['data', 'local'])}[n] {p.pick(['=', '+=', '^='])} {p.expression(leaves + ['n', 'n', 'data[n]'], 1)};",
        lambda: f"for (n = {i} & 3; n < 8; n += {p.number(1, 3)}) local[n] = data[7 - n] + {p.pick(['n', 'c', '1'])};",
        lambda: f"for (n = 0; n < 4; n++) for (m = 0; m < {p.number(1, 4)}; m++) grid[n][m] {p.pick(['=', '+='])} {p.expression([i, j, 'n', 'm', 'data[n]'], 1)};",
        lambda: f"sort({p.pick(['data', 'local', 'grid[1]', 'grid[0] + 2'])}, {p.number(1, 4)}{p.pick(['', f' - ({k} & 1)'])});",
        lambda: f"c = find({p.pick(['data', 'local'])}, 8, {p.pick(leaves)});",
        lambda: f"reverse({p.pick(['data', 'local', 'variable'])}, {p.pick(['count', '1', 'count + 1'])});",
        lambda: f"if ({p.condition(leaves)}) {{ {p.assignment(targets, leaves)} }}",
        lambda: f"m = 0; for (n = 1; n < 8; n++) if (data[n] {p.pick(['>', '<'])} data[m]) m = n; m &= 7;",
        lambda: f"while (c < 7 && c >= 0 && local[c] != {p.pick(['0', '2', i])}) c++;",
    ]
    for _ in range(p.number(4, 12)):
        p.do(p.pick(actions)())
        if p.chance(6):
            p.see(p.pick(leaves))
    p.see("sum(data, 8)", "sum(local, 8)", "sum(grid[0], 4) + sum(grid[2], 4)", "m", "c", f"data[{j} & 7]", "sum(variable, count + 1)",
          f"grid[{i} & 3][{j} & 3]", "sum(cube[1][0], 2)", "text[0] + text[3] * 7 + sizeof text", "sizeof variable", "find(data, 8, local[0])")


def heap(p):
    """Lists and trees of allocated nodes: built, searched, reversed, removed from; blocks that grow."""
    p.declare(f"""
extern void *malloc(__SIZE_TYPE__);
extern void *calloc(__SIZE_TYPE__, __SIZE_TYPE__);
extern void *realloc(void *, __SIZE_TYPE__);
extern void free(void *);
extern void abort(void);
typedef {p.pick(['int', 'short', 'unsigned char', 'long long'])} word;
struct node {{ word value; struct node *next; }};
struct tree {{ struct tree *left, *right; word key; int count; }};
static struct node *list, *other;
static struct tree *root;
static int nodes, freed;
static struct node *push(struct node *rest, word value) {{ struct node *n = malloc(sizeof *n); if (!n) abort(); n->value = value; n->next = rest; nodes++; return n; }}
static void append(struct node **at, word value) {{ while (*at) at = &(*at)->next; *at = push(0, value); }}
static struct node *reverse(struct node *l) {{ struct node *r = 0; while (l) {{ struct node *next = l->next; l->next = r; r = l; l = next; }} return r; }}
static void drop(struct node **at, word value) {{ while (*at) {{ struct node *n = *at; if (n->value == value) {{ *at = n->next; free(n); freed++; }} else at = &n->next; }} }}
static void insert(struct tree **at, word key) {{ while (*at && (*at)->key != key) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
if (!*at) {{ *at = calloc(1, sizeof **at); if (!*at) abort(); (*at)->key = key; }} (*at)->count++; }}
static int depth(struct tree *t) {{ int l, r; if (!t) return 0; l = depth(t->left); r = depth(t->right); return 1 + (l > r ? l : r); }}
static int length(struct node *l) {{ int n = 0; for (; l; l = l->next) n++; return n; }}
static long long hash(struct node *l) {{ long long h = 7; while (l) {{ h = h * 31 + l->value; l = l->next; }} return h; }}
static long long total(struct tree *t) {{ return t ? t->key * (long long)t->count + 3 * total(t->left) + 5 * total(t->right) : 1; }}""")
    i, j, k = p.inputs(3)
    p.do("int n, size = 4, used = 0, r = 0; word *block = malloc(4 * sizeof(word)); struct node *walk, own = { 5, 0 }; if (!block) abort();")
    p.do("for (n = 0; n < 4; n++) block[n] = 0;")
    value = lambda: p.pick([i, j, k, str(p.number(0, 3)), f"({i} + {j})", "n", "r & 3"])
    which = lambda: p.pick(["list", "list", "other"])
    actions = [
        lambda: f"for (n = 0; n < {p.pick([f'({i} & 3)', f'({k} & 1) + 1', '2', '3'])}; n++) {(l := which())} = push({l}, {value()});", lambda: f"append(&{which()}, {value()});",
        lambda: f"{(l := which())} = reverse({l});", lambda: f"drop(&{which()}, {value()});", lambda: f"insert(&root, {value()});", lambda: f"insert(&root, {value()}); insert(&root, {value()});",
        lambda: f"for (walk = {which()}; walk && walk->value != {value()}; walk = walk->next) r++; if (walk) walk->value += {p.number(1, 3)};",
        lambda: f"if (used == size) {{ size *= 2; block = realloc(block, size * sizeof(word)); if (!block) abort(); }} block[used++] = {value()};",
        lambda: f"for (n = 0; n < {p.number(1, 6)}; n++) {{ if (used == size) {{ size += 3; block = realloc(block, size * sizeof(word)); if (!block) abort(); }} block[used++] = {value()}; }}",
        lambda: "while (used > 0 && block[used - 1] != 2) r += block[--used];", lambda: "if (list) { walk = list; list = walk->next; r ^= walk->value; free(walk); freed++; }",
        lambda: "walk = list; list = other; other = walk;", lambda: f"own.next = {which()}; r += length(&own); own.value = {value()};",
        lambda: f"if (root && root->{p.pick(['left', 'right'])}) r += root->{p.pick(['count', 'key'])};", lambda: "if (list && list->next) { word t = list->value; list->value = list->next->value; list->next->value = t; }",
        lambda: f"if (list == other && list) r++; if (root != 0 && list != (void *)root) r += 2;",
        lambda: f"for (n = 0; n < used; n++) if (block[n] > r) r = block[n];",
    ]
    for _ in range(p.number(3, 9)):
        p.do(p.pick(actions)())
    p.see("hash(list)", "hash(other)", "length(list) - length(other)", "total(root)", "depth(root)", "r", "used * 100 + size", "nodes - freed", "used ? block[used - 1] : -1", "own.value")


def initialisers(p):
    """Initialisers: nested, designated, overriding, of strings and unions, of objects of all lifetimes."""
    def scalar():
        return p.pick(["char", "short", "int", "unsigned char", "long", "unsigned", "long long", "_Bool", "double", "float"])

    structs = []

    def type_of(depth):
        """A declarator with a hole for the name, and how the type is made: scalar, array, struct or union."""
        kind = p.number(0, 5) if depth > 0 else 0
        if kind <= 1:
            return ("scalar", scalar())
        if kind <= 3:
            return ("array", type_of(depth - 1), p.number(1, 3))
        if kind == 4 and p.chance(3):
            return ("text", p.number(3, 6))
        tag = p.name("s")
        members = [type_of(depth - 1) for _ in range(p.number(1, 3))]
        keyword = "union" if p.chance(5) else "struct"
        structs.append(f"{keyword} {tag} {{ {' '.join(declare(member, f'm{n}') + ';' for n, member in enumerate(members))} }};")
        return (keyword, tag, members)

    def declare(type, name):
        if type[0] == "scalar":
            return f"{type[1]} {name}"
        if type[0] == "text":
            return f"char {name}[{type[1]}]"
        if type[0] == "array":
            return declare(type[1], f"{name}[{type[2]}]")
        return f"{type[0]} {type[1]} {name}"

    def value(type, constant, braces=True):
        """An initialiser; `constant` for objects that live as long as the program."""
        if type[0] == "scalar":
            text = p.pick([str(p.number(-5, 300)), p.pick(["'x'", "1u", "-1", "70000", "0x1ff"]), f"{p.number(0, 9)} + {p.number(0, 9)}"] + ([] if constant else ["in1", "in2 * 3", "in3 + 1"] * 2))
            return f"{{ {text} }}" if p.chance(9) else text
        if type[0] == "text":
            return p.pick(['"a"', '"ab"', '""', '{ "b" }', "{ 'x', 0, 'y' }"])
        count = type[2] if type[0] == "array" else len(type[2])
        member = lambda n: type[1] if type[0] == "array" else type[2][n]
        name = lambda n: f"[{n}]" if type[0] == "array" else f".m{n}"
        if type[0] == "union":
            n = p.number(0, count - 1)
            return f"{{ .m{n} = {value(member(n), constant)} }}" if n or p.chance(2) else f"{{ {value(member(0), constant)} }}"
        parts, at = [], 0
        # Behind `[1][0] = …` comes what is behind that element, not the next member.
        inside = False
        while at < count and not p.chance(5):
            if inside or p.chance(3):
                inside = False
                at = p.number(0, count - 1)
                deeper = member(at)
                if deeper[0] == "array" and deeper[1][0] == "scalar" and p.chance(2):
                    inner = p.number(0, deeper[2] - 1)
                    inside = inner < deeper[2] - 1
                    parts.append(f"{name(at)}[{inner}] = {value(deeper[1], constant)}")
                elif type[0] == "array" and count > 1 and p.chance(4) and not p.free:
                    low = p.number(0, count - 2)
                    parts.append(f"[{low} ... {count - 1}] = {value(deeper, True)}")
                    at = count - 1
                else:
                    parts.append(f"{name(at)} = {value(deeper, constant)}")
            else:
                parts.append(value(member(at), constant))
            at += 1
            if len(parts) > 6:
                break
        return "{ " + ", ".join(parts or ["0"]) + " }"

    def leaves(type, name):
        if type[0] == "scalar":
            return [f"({name} > 1e6 || {name} < -1e6 ? 1 : (long long)({name} * 4))" if type[1] in ("float", "double") else name]
        if type[0] == "text":
            return [f"{name}[{n}]" for n in range(type[1])]
        if type[0] == "array":
            return [leaf for n in range(type[2]) for leaf in leaves(type[1], f"{name}[{n}]")]
        # Of a union only what was written may be read; its first member need not be.
        return [leaf for n, member in enumerate(type[2]) for leaf in leaves(member, f"{name}.m{n}")] if type[0] == "struct" else []

    p.inputs(3)
    p.body = [line.replace(line.split(" = ")[0].split()[-1], f"in{n + 1}") for n, line in enumerate(p.body)]
    for _ in range(p.number(2, 4)):
        type, name = type_of(3), p.name("v")
        if type[0] in ("scalar", "text"):
            type = ("array", type, 3)
        for line in structs:
            p.declare(line)
        structs.clear()
        kind = p.number(0, 4)
        if kind == 0:
            p.declare(f"static {declare(type, name)} = {value(type, True)};")
        elif kind == 1:
            p.do(f"static {declare(type, name)} = {value(type, True)};")
        elif kind == 2:
            p.do(f"{declare(type, '*' + name + '_pointer') if type[0] != 'array' else declare(type[1], f'(*{name})' if type[1][0] in ('array', 'text') else '*' + name)} = "
                 + (f"&({type[0]} {type[1]}){value(type, False)}" if type[0] != "array" else f"({declare(type, '').strip()}){value(type, False)}") + ";")
            if type[0] != "array":
                name = f"(*{name}_pointer)"
        else:
            p.do(f"{declare(type, name)} = {value(type, False)};")
        found = leaves(type, name)
        for start in range(0, min(len(found), 24), 6):
            p.see(" + ".join(f"{weight} * (long long){leaf}" for weight, leaf in zip((1, 3, 7, 31, 127, 511), found[start:start + 6])))
    p.see("in1 + in2")


def layout(p):
    """Sizes, alignments and offsets of types, and what lies in their bytes."""
    scalars = ["char", "short", "int", "long", "long long", "float", "double", "long double", "void *", "_Bool", "enum e", "unsigned char", "int (*)(void)", "__SIZE_TYPE__", "__PTRDIFF_TYPE__", "__WCHAR_TYPE__"]
    p.declare("enum e { A, B }; enum __attribute__((packed)) small { C, D }; enum wide { E = 1, F = 5000000000 };")
    members, names = [], []
    for n in range(p.number(2, 7)):
        type = p.pick(scalars + ["enum small", "enum wide", "_Atomic long long", "_Atomic int", "_Atomic char"])
        name = f"m{n}"
        kind = p.number(0, 9)
        if "(*)" in type:
            members.append(f"int (*{name})(void);")
        elif kind == 0 and type in ("char", "short", "int", "long", "long long", "_Bool"):
            members.append(f"{type} {name} : {p.number(1, 1 if type == '_Bool' else 7)};")
            continue
        elif kind == 1:
            members.append(f"{type} {name}[{p.number(1, 3)}];")
        elif kind == 2:
            members.append(f"{type} {name} __attribute__((aligned({p.pick(['1', '2', '4', '8', '16'])})));")
        elif kind == 3:
            members.append(f"struct {{ char x; {type} y; }} {name};")
        elif kind == 4:
            members.append(f"union {{ char x[{p.number(1, 9)}]; {type} y; }} {name};")
        elif kind == 5 and not type.startswith("_Atomic"):
            members.append(f"_Alignas({p.pick(['8', '16', 'double', 'long long'])}) {type} {name};" if type not in ("long double",) else f"{type} {name};")
        elif kind == 6 and not type.startswith("_Atomic"):
            members.append(f"{type} {name} __attribute__((packed));")
        else:
            members.append(f"{type} {name};")
        names.append(name)
    attribute = p.pick(["", "", "", " __attribute__((packed))", " __attribute__((aligned(8)))", " __attribute__((packed, aligned(2)))", " __attribute__((aligned))"])
    pragma = p.chance(6)
    p.declare((f"#pragma pack(push, {p.pick(['1', '2', '4'])})\n" if pragma else "") + f"struct s {{ {' '.join(members)} }}{attribute};" + ("\n#pragma pack(pop)" if pragma else ""))
    p.declare("union u { struct s s; unsigned char bytes[sizeof(struct s)]; };\nstatic struct { char before; struct s inner; } around;\nstatic struct s global, pair[2];\n"
              "static int outside(struct s *q) { return (char *)q - (char *)pair; }")
    i = p.inputs(1)[0]
    p.see("sizeof(struct s)", "_Alignof(struct s)", "__alignof__(struct s)", "sizeof around", "sizeof(union u)", f"outside(&pair[{i} & 1])")
    for name in p.sample(names, 4):
        p.see(f"__builtin_offsetof(struct s, {name})", f"sizeof global.{name} * 100 + __alignof__(global.{name})")
    type = p.pick(scalars)
    p.see(f"sizeof({type}) * 100 + _Alignof({type})", f"__alignof__({type})", "(char *)&around.inner - (char *)&around", "sizeof(enum wide) * 10 + sizeof(enum small)")
