"""Generators about the C library: what the standard fixes, with random arguments."""


def prepare(p):
    """Buffers with short texts of few letters, so that comparisons and searches do not all end at once."""
    headers = ["string.h", "stdlib.h", "ctype.h", "stdio.h", "errno.h", "limits.h"]
    p.includes = ["#define _GNU_SOURCE"] + [f"#include <{header}>" for header in headers]
    letters = p.pick(["ab", "aAb1", "01 -9x", "abc ,"])
    texts = ["".join(p.pick(letters) for _ in range(p.number(0, 7))) for _ in range(4)]
    i, j, k = p.inputs(3)
    for n, text in enumerate(texts[:2]):
        p.do(f'char s{n}[24] = "{text}";')
    p.do(f'const char *t = "{texts[2]}", *w = "{texts[3]}", *numbers[8] = {{ {", ".join(quoted(p) for _ in range(8))} }};')
    p.do("char buffer[64] = { 0 }, *end = buffer, *rest = 0, *found; int r = 0, n = 0; long l = 0; unsigned long long m = 0;")
    if p.chance(2):
        p.do(f"s0[{i} & 3] = {p.pick(LETTERS)} + ({j} & 1);")
    return i, j, k


LETTERS = ["'a'", "'b'", "'0'", "'A'"]


def quoted(p):
    number = p.pick(["0", "12", "-7", "+3", "2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808",
                     "-9223372036854775809", "0x1F", "0x", "077", "089", "zz", "1e5", "", "-", " 42abc", "\\t\\n-12", "4294967295", "99999999999999999999", "0X7fFfFfFf", "1010", "- 5", "+-3", "0b101"])
    return f'"{number}"'


def finish(p, i):
    p.see("r", "n", "l", "m", "buffer[0] + buffer[1] * 3 + buffer[2] * 7 + buffer[5] * 11", "strlen(buffer)", "strlen(s0)", "strlen(s1)",
          f"s0[{i} & 7] + s1[{i} & 3] * 256", "strcmp(s0, s1) < 0", "strcmp(s0, s1) == 0", "end - buffer")


def library(p):
    """String and memory functions, numbers from text, character classes, sorting and searching."""
    i, j, k = prepare(p)
    p.declare("""
static int calls;
static int ascending(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; calls++; return (x > y) - (x < y); }
static int descending(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }
static int by_letter(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
static int array[6] = { 5, -3, 9, 0, 2, 7 };""")
    text = lambda: p.pick(["s0", "s1", "t", "w", "buffer", f"s0 + ({i} & 1)", f"numbers[{j} & 7]"])
    into = lambda: p.pick(["buffer", "buffer + 8", "s0", "s1"])
    source = lambda to: p.pick(["t", "w", '"xyz"', '""', "s1" if to == "s0" else "s0"] if to != "s1" else ["t", "w", "s0"])
    size = lambda: p.pick([f"({i} & 7)", f"({j} & 3)", "3", "0", "1", "5"])
    letter = lambda: p.pick(["'a'", "'b'", "'1'", "' '", "0", f"'a' + ({k} & 3)", "'a' + 256", "-1"])

    def copy(function, *arguments):
        to = into()
        return f"{function}({', '.join([to, source(to), *arguments])});"

    def position(call):
        """Where in its argument a result points to, -1 for nowhere."""
        of = text()
        return f"found = (char *){call(of)}; r += found ? found - {of} : -{p.number(1, 9)};"

    actions = [
        lambda: f"r = r * 3 + (strcmp({text()}, {text()}) {p.pick(['<', '>', '=='])} 0);", lambda: f"r += strncmp({text()}, {text()}, {size()}) {p.pick(['<', '==', '>='])} 0;",
        lambda: f"r += strcasecmp({text()}, {text()}) > 0;", lambda: f"r += memcmp(s0, s1, {size()}) {p.pick(['<', '=='])} 0;", lambda: f"n += strlen({text()}) * 3;",
        lambda: f"n += strnlen({text()}, {size()});", lambda: copy("strcpy"), lambda: copy("strncpy", size()), lambda: f"end = {copy('stpcpy')} n += *end == 0; end = buffer;",
        lambda: f"if (strlen(buffer) < 8) strcat(buffer, {p.pick(['t', 'w', 's0'])});", lambda: f"if (strlen(buffer) < 8) strncat(buffer, {p.pick(['t', 'w', 's1'])}, {size()});",
        lambda: f"memcpy({p.pick(['buffer', 'buffer + 3'])}, {p.pick(['s0', 's1'])}, {size()});", lambda: f"memmove(buffer + ({i} & 3), buffer + ({j} & 3), {size()});",
        lambda: f"memset({p.pick(['buffer', 's1', 's0'])} + ({k} & 3), {letter()}, {size()});", lambda: position(lambda s: f"strchr({s}, {letter()})"),
        lambda: position(lambda s: f"strrchr({s}, {letter()})"), lambda: position(lambda s: f"strstr({s}, {p.pick(['w', 's1', chr(34) + 'a' + chr(34), chr(34) * 2])})"),
        lambda: position(lambda s: f"strpbrk({s}, {p.pick(['w', 't'])})"), lambda: position(lambda s: f"strchrnul({s}, {letter()})"),
        lambda: f"found = memchr(s0, {letter()}, {size()}); r += found ? found - s0 : 11;", lambda: f"n += strspn({text()}, {text()}) + 5 * strcspn({text()}, {text()});",
        lambda: f"found = memmem(s0, 6, s1, {size()}); r += found ? found - s0 : 13;" if p.chance(9) else f"found = memrchr(s0, {letter()}, 6); r += found ? found - s0 : 17;" if p.chance(4) else "r++;",
        lambda: f"found = strtok(s0, {p.pick([chr(34) + ', ' + chr(34), chr(34) + 'a' + chr(34), 'w'])}); r += found ? found - s0 : 7; found = strtok(0, {p.pick([chr(34) + ', ' + chr(34), 't'])}); r += found ? found - s0 + 20 : 9;",
        lambda: f"found = strtok_r(s1, {p.pick(['t', chr(34) + 'b' + chr(34)])}, &rest); n += found ? strlen(found) : 31;", lambda: f"rest = s1; found = strsep(&rest, {p.pick(['t', 'w'])}); n += rest ? rest - s1 : 33;",
        lambda: f"l ^= strtol(numbers[{i} & 7], &rest, {p.pick(['0', '10', '16', '8', '2', '36'])}); n += rest - numbers[{i} & 7];", lambda: f"l += strtoul(numbers[{j} & 7], 0, {p.pick(['0', '10', '16'])});",
        lambda: f"m ^= strtoull(numbers[{k} & 7], &rest, {p.pick(['0', '10', '16'])}); n += *rest;", lambda: f"m += strtoll(numbers[{i} & 7], 0, 10);",
        lambda: f"errno = 0; l = strtol(numbers[{j} & 7], 0, 10); n += errno == ERANGE;", lambda: f"r += atoi({p.pick([chr(34) + '12x' + chr(34), chr(34) + ' -8' + chr(34), 's0', chr(34) + '+77' + chr(34)])});",
        lambda: f"r = r * 2 + !!is{p.pick(['alpha', 'digit', 'alnum', 'space', 'upper', 'lower', 'punct', 'xdigit', 'print', 'cntrl', 'graph', 'blank'])}((unsigned char)({p.pick([f'({text()})[0]', f'{i} * 37', str(p.number(0, 255))])}));",
        lambda: f"r += to{p.pick(['upper', 'lower'])}((unsigned char)({p.pick([f'({text()})[0]', f'{j} * 29 + 60', str(p.number(0, 255))])}));",
        lambda: f"array[{i} & 3] = {j} * {p.number(-9, 9)}; qsort(array, {p.number(2, 6)}, sizeof *array, {p.pick(['ascending', 'descending'])}); n += array[{k} & 3];",
        lambda: f"qsort(s0, strlen(s0), 1, by_letter);", lambda: f"{{ static const int sorted[5] = {{ -4, 0, 3, 7, 12 }}; int key = {p.pick([i, j, '7', '12', '5'])}; const int *at = bsearch(&key, sorted, {p.number(0, 5)}, sizeof key, ascending); r += at ? at - sorted : 50; }}",
        lambda: f"r += abs({i} - {p.number(0, 5)}) + labs(l % 100) + (int)(llabs((long long)m) % 10);", lambda: f"{{ div_t d = div({i} * 7 - 9, {p.number(1, 5)}); r += d.quot * 10 + d.rem; }}",
        lambda: f"n += ffs({i} << {p.number(0, 31)});", lambda: f"found = strdup({p.pick(['t', 's0', 'w'])}); if (found) {{ n += strlen(found) + found[0]; found[0] = 'z'; free(found); }}",
        lambda: f"{{ int *block = calloc({p.number(1, 4)}, sizeof(int)); if (block) {{ block[0] += {i}; n += block[0]; block = realloc(block, 40); if (block) {{ n += block[0]; block[9] = 3; }} free(block); }} }}",
        lambda: f"{{ int *block = malloc(4 * sizeof(int)); int at; if (!block) abort(); for (at = 0; at < 4; at++) block[at] = at * {i}; block[{j} & 3] += 5; n += block[{k} & 3]; free(block); }}",
    ]
    for _ in range(p.number(2, 8)):
        p.do(p.pick(actions)())
    finish(p, i)


def printing(p):
    """snprintf and sscanf, strtod, errno, how often qsort compares: what models approximate."""
    i, j, k = prepare(p)
    p.declare("static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }")
    number = lambda: p.pick([f"(int){i}", f"(int)({j} * 37 - 50)", f"(int)({k} << 20)", "-1", "123"])
    form = lambda: p.pick(["%d", "%5d", "%-4d|", "%05d", "%+d", "%x", "%#x", "%X", "%o", "%u", "%.3d", "% d", "%c", "%hhd", "%hu"])
    actions = [
        lambda: f'n += snprintf(buffer, {p.pick(["64", "4", "1", "8"])}, "{form()}", {number()});', lambda: f'n += sprintf(buffer, "{form()} {form()}", {number()}, {number()});',
        lambda: f'n += snprintf(buffer, sizeof buffer, "%s-%.2s%%", {p.pick(["s0", "t"])}, {p.pick(["s1", "w"])});', lambda: f'n += snprintf(0, 0, "{form()}%s", {number()}, t);',
        lambda: f'n += sscanf({p.pick(["s0", "s1", f"numbers[{i} & 7]"])}, "{p.pick(["%d", "%x", "%i", "%2d"])}", &r);', lambda: f'l = 0; n += sscanf(numbers[{j} & 7], "%ld%c", &l, buffer + 20);',
        lambda: f'n += sscanf({p.pick(["t", "s0"])}, "%3s", buffer);', lambda: "qsort(s0, strlen(s0), 1, compare);", lambda: f"r += (int)(strtod(\"{p.pick(['1.5', '-0.25', '1e3', '7'])}\", &rest) * 4);",
        # Output may fail, but does not here.
        lambda: f'if ((r = printf("%d\\n", {number()})) < 0) exit(0);', lambda: 'if (puts("hello") < 0) exit(0);', lambda: f"if ((r = putchar({p.pick([chr(39) + 'a' + chr(39), '300', '-1'])})) < 0) exit(0);",
        lambda: f'n += sprintf(buffer, "%d%n", {number()}, &r);', lambda: f'n += snprintf(buffer, {p.pick(["3", "10"])}, "%lld,%lu", (long long){i} * 1000000000, 7ul);', lambda: f"n += atoi(numbers[{k} & 7]) & 15;",
    ]
    for _ in range(p.number(1, 5)):
        p.do(p.pick(actions)())
    finish(p, i)
