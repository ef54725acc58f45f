"""Generators about what lies around a program: code that acts later, the linker, hardware, objects and streams of the library.

`late`, `volatiles` and `elsewhere` are open: the compiled program shows one of the possible behaviours at best. The others
are judged by what the compiled program does.
"""

from .program import Check


def late(p):
    """Code that is not known has a function or an object of the program, and uses it at the program's end."""
    p.free = True
    p.declare("""
extern void exit(int);
extern void _exit(int);
extern void abort(void);
extern void reg(void (*)(void));
extern void reg_both(int, void (*)(void));
struct hooks { int kind; void (*hook)(void); };
extern void reg_struct(struct hooks *);
extern void watch(int *);
extern void tick(void);
static int x, untouched = 3;""")
    p.declare("static void handler(void)\n{")
    p.declare(p.observe("x"))
    p.declare("}")
    p.declare("static struct hooks hooks = { 1, handler };")
    registered = [("reg(handler);", True), ("reg_both(2, handler);", True), ("reg_struct(&hooks);", True), ("void (*f)(void) = handler; reg(f);", True),
                  ("{ struct hooks own = { 2, handler }; reg_struct(&own); }", True), ("tick();", False), ("void (*volatile kept)(void) = handler; (void)kept;", False)]
    text, may_call = p.pick(registered)
    last = p.number(1, 9)
    p.do(text)
    p.do(f"x = {last};")
    p.declare(f"static void leave(int depth)\n{{\nif (depth == 0) exit({p.number(0, 1)}); leave(depth - 1);\n}}")
    runs_handlers = True
    ending = p.number(0, 3)
    if ending == 1:
        p.do(f"leave({p.number(0, 3)});")
    elif ending == 2:
        p.do("abort();")
    elif ending == 3:
        p.do("_exit(0);")
        # Code that is not known has not got control from then on.
        runs_handlers = False
    at_end = may_call and runs_handlers
    # At the registration the handler may be called at once, with the value from before.
    p.checks += [Check(f"it == {last}", "possible" if at_end else "unreachable", 0), Check(f"it > {last}", "unreachable", 0)]
    p.checks.append(Check("it == 0", "possible" if may_call else "unreachable", 0))
    if p.chance(2) and ending in (0, 1):
        p.declare("__attribute__((destructor)) static void destructor(void)\n{")
        p.declare(p.observe("untouched"))
        p.declare("}")
        p.checks.append(Check("it != 3", "unreachable", 1))
        if p.chance(2):
            p.body.insert(0, "watch(&untouched);")
            p.checks[-1] = Check("it == 4", "possible", 1)


def volatiles(p):
    """Reads of volatile objects that the program does not define, at fixed addresses, and by pointers."""
    p.free = True
    p.declare("""
extern volatile int port;
extern volatile unsigned char fifo[4];
extern volatile struct device { int status; unsigned short data : 9; struct { int low, high; } range; } device;
extern const volatile unsigned clock_now;
extern volatile int *where;
#define REGISTER (*(volatile unsigned *)0x40021000u)
#define BLOCK ((volatile struct device *)0x40022000u)
static int through(volatile int *p) { int first = *p; return first ^ *p; }
static int plain = 7;""")
    i = p.inputs(1)[0]
    p.do("int a = 0, b = 0;")
    different = [
        "a = port; b = port;", f"a = fifo[{i} & 3]; b = fifo[{i} & 3];", "a = device.status; b = device.status;", "a = device.data; b = device.data;",
        "a = clock_now; b = clock_now;", "if (where) { a = through(where); }", "a = REGISTER; b = REGISTER;", "a = BLOCK->status; b = BLOCK->status;",
        "a = BLOCK->range.high; b = BLOCK->range.high;", "port = 3; a = port; b = 3;", "fifo[1] = 2; a = fifo[1]; b = 2;", "REGISTER = 5; a = REGISTER; b = 5;",
        "device.range.low = 4; a = device.range.low; b = 4;", "port |= 1; a = port & 1; b = 1;", "a = through(&port);", "while (port < 5) b = 1; a = b ? 0 : 1; b = 0;",
        "volatile int *p = &port; a = *p; b = *p;", "a = ((volatile unsigned *)0x40030000)[2]; b = ((volatile unsigned *)0x40030000)[2];",
        "int waited = 0; while (!(REGISTER & 1)) if (++waited == 3) break; a = waited == 3;", "struct device copy = device; a = copy.status; copy = device; b = copy.status;",
    ]
    p.do(p.pick(different))
    p.checks += [Check("a != b", "possible"), Check("a == b", "possible"), Check("plain != 7", "unreachable"), Check("(a ^ a) != 0", "unreachable")]


def elsewhere(p):
    """Inline functions whose external definition may be another one."""
    p.free = True
    value = p.number(1, 9)
    kinds = [f"inline int chosen(void) {{ return {value}; }}", f"extern inline __attribute__((gnu_inline)) int chosen(void) {{ return {value}; }}",
             f"__attribute__((weak)) int chosen(void) {{ return {value}; }}"]
    own = [f"static inline int chosen(void) {{ return {value}; }}", f"extern inline int chosen(void) {{ return {value}; }}",
           f"inline int chosen(void) {{ return {value}; }}\nextern int chosen(void);", f"int chosen(void);\ninline int chosen(void) {{ return {value}; }}"]
    is_own = p.chance(2)
    text = p.pick(own) if is_own else p.pick(kinds[:2])
    p.declare(text)
    p.do(p.pick(["int result = chosen();", "int (*f)(void) = chosen; int result = f();", "int result = 0; if (chosen) result = chosen();"]))
    p.checks.append(Check(f"result != {value}", "unreachable" if is_own else "possible"))
    p.checks.append(Check(f"result == {value}", "possible"))


def sections(p):
    """Functions that the linker's sections run before main, in the order of their kinds and priorities."""
    p.declare("static unsigned long long trace;")
    kinds = [
        lambda f, n: f"__attribute__((section(\".init_array\"), used)) static void (*{p.name('entry')})(void) = {f};",
        lambda f, n: f"__attribute__((section(\".init_array.{n:05}\"), used)) static void (*{p.name('entry')})(void) = {f};",
        lambda f, n: f"__attribute__((section(\".preinit_array\"), used)) static void (*{p.name('entry')})(void) = {f};",
        lambda f, n: f"__attribute__((constructor)) static void {p.name('first')}(void) {{ {f}(); }}",
        lambda f, n: f"__attribute__((constructor({n}))) static void {p.name('first')}(void) {{ {f}(); }}",
        lambda f, n: f"__attribute__((section(\".fini_array\"), used)) static void (*{p.name('entry')})(void) = {f};",
        lambda f, n: f"__attribute__((section(\"my_table\"), used)) static void (*{p.name('entry')})(void) = {f};",
    ]
    texts = []
    for number in range(p.number(1, 4)):
        function = p.name("step")
        p.declare(f"static void {function}(void) {{ trace = trace * 10 + {number + 1}; }}")
        texts.append(p.pick(kinds)(function, p.pick([101, 200, 1000, 65000])))
    for text in texts:
        p.declare(text)
    if p.chance(3):
        p.declare("extern int __start_numbers[], __stop_numbers[];")
        for _ in range(p.number(1, 3)):
            p.declare(f"__attribute__((section(\"numbers\"), used)) static int {p.name('n')} = {p.number(1, 9)};")
        p.do("int sum = 0; for (int *q = __start_numbers; q < __stop_numbers; q++) sum += *q;")
        p.see("sum")
    p.see("trace", p.input())


def symbols(p):
    """Assembler names, aliases and weak symbols, also of functions and objects of the library."""
    a, b = p.number(1, 99), p.number(1, 99)
    i = p.inputs(1)[0]
    kinds = [
        (f"int first(int x) {{ return x + {a}; }}\nextern int second(int) __asm__(\"first\");", f"second({i})"),
        (f"static int first(int x) __asm__(\"hidden_name\");\nextern int second(int) __asm__(\"hidden_name\");\nstatic int __attribute__((used)) first(int x) {{ return x - {a}; }}", f"second({i}) + first({i})"),
        (f"int first(int x) {{ return x * {a}; }}\nextern int second(int) __attribute__((alias(\"first\")));", f"second({i})"),
        (f"int shared = {a};\nextern int other __attribute__((alias(\"shared\")));", f"(other += {i}, shared)"),
        (f"int shared = {a};\nextern int other __asm__(\"shared\");", f"(shared = {b}, other)"),
        (f"static int second(int) __attribute__((weakref(\"first\")));\nint first(int x) {{ return x + {a}; }}", f"second({i})"),
        ("extern int absolute(int) __asm__(\"abs\");", f"absolute(-{a} - {i})"),
        ("extern __SIZE_TYPE__ length(const char *) __asm__(\"strlen\");", f"length(\"{'y' * p.number(0, 6)}\")"),
        ("extern int abs(int) __asm__(\"labs\");" if p.model == "ILP32" else "extern long labs(long) __asm__(\"llabs\");", f"{'abs' if p.model == 'ILP32' else 'labs'}(-{a})"),
        (f"int strange(int x) __asm__(\"toupper\");\nint strange(int x) {{ return x + {a}; }}\nextern int toupper(int);", f"toupper({i})"),
        (f"#pragma redefine_extname old_name new_name\nextern int old_name(int);\nint new_name(int x) {{ return x ^ {a}; }}", f"old_name({i})"),
        ("extern char **environ, **__environ;", "(environ = 0, __environ == 0)"),
        ("extern char *program_invocation_short_name, *__progname;", "program_invocation_short_name == __progname"),
    ]
    text, value = p.pick(kinds)
    p.declare(text)
    p.see(value)


def opaque(p):
    """Objects that the library initialises or changes, read back byte by byte."""
    p.includes = ["#define _GNU_SOURCE", "#include <fenv.h>", "#include <pthread.h>", "#include <semaphore.h>", "#include <signal.h>",
                  "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>", "#include <time.h>", "#include <wchar.h>"]
    kinds = [
        ("pthread_mutex_t", "pthread_mutex_init(&o, 0);"), ("pthread_mutex_t", "memset(&o, 0, sizeof o); pthread_mutex_lock(&o);"),
        ("pthread_mutex_t", "memset(&o, 0, sizeof o); pthread_mutex_lock(&o); pthread_mutex_unlock(&o);"), ("pthread_attr_t", "pthread_attr_init(&o);"),
        ("pthread_cond_t", "pthread_cond_init(&o, 0);"), ("pthread_mutexattr_t", "pthread_mutexattr_init(&o); pthread_mutexattr_settype(&o, PTHREAD_MUTEX_RECURSIVE);"),
        ("sem_t", f"sem_init(&o, 0, {p.number(0, 5)});"), ("fenv_t", "fegetenv(&o);"), ("fexcept_t", "fegetexceptflag(&o, FE_ALL_EXCEPT);"),
        ("sigset_t", f"sigemptyset(&o); sigaddset(&o, {p.number(1, 31)});"), ("sigset_t", "sigfillset(&o);"), ("struct tm", "time_t t = 86400; gmtime_r(&t, &o);"),
        ("div_t", f"o = div({p.number(-50, 50)}, 7);"), ("mbstate_t", "memset(&o, 0, sizeof o); mbrtowc(0, \"a\", 1, &o);"), ("pthread_spinlock_t", "pthread_spin_init(&o, 0);"),
        ("pthread_rwlock_t", "pthread_rwlock_init(&o, 0);"), ("pthread_once_t", "o = PTHREAD_ONCE_INIT; pthread_once(&o, nothing);"), ("struct drand48_data", "srand48_r(5, &o);"),
        ("pthread_barrier_t", "pthread_barrier_init(&o, 0, 2);"), ("struct timespec", "clock_getres(CLOCK_REALTIME, &o);"),
    ]
    type, text = p.pick(kinds)
    p.declare("static void nothing(void) {}")
    p.do(f"static union {{ {type} object; unsigned char bytes[sizeof({type})]; }} u;")
    p.do("#define o u.object")
    p.do(text)
    p.do("(void)nothing;")
    # A locked mutex holds the number of the thread that has locked it, which the system chooses.
    chosen = [n for n in range(61) if "lock(&o)" in text and type == "pthread_mutex_t" and (n % 24 in range(8, 12) or n % 40 in range(8, 12))]
    first, second = (p.pick([n for n in range(most + 1) if n not in chosen]) for most in (15, 60))
    p.see(f"u.bytes[{first} % sizeof u.bytes]", f"u.bytes[{second} % sizeof u.bytes]", p.input())


def streams(p):
    """Streams over the program's own memory and functions."""
    p.includes = ["#define _GNU_SOURCE", "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>"]
    p.declare("""
static char buffer[8] = "uvwxyz";
static int written, was_read;
static ssize_t on_write(void *cookie, const char *text, size_t size) { written += size; return size; }
static ssize_t on_read(void *cookie, char *text, size_t size) { was_read++; if (size) text[0] = 'r'; return size ? 1 : 0; }""")
    put = p.pick(["fputc('k', f);", "fputs(\"k\", f);", "fprintf(f, \"k\");", "fwrite(\"k\", 1, 1, f);", "putc('k', f);"])
    get = p.pick(["got = fgetc(f);", "{ char one[2] = \"\"; if (fread(one, 1, 1, f) == 1) got = one[0]; }", "{ char one[2] = \"\"; if (fgets(one, 2, f)) got = one[0]; }", "fscanf(f, \"%c\", &letter); got = letter;"])
    kinds = [
        (f"FILE *f = fmemopen(buffer, 8, \"w\"); if (!f) return 0; {put} {p.pick(['fflush(f);', 'fclose(f);', ''])}", "buffer[0]"),
        (f"FILE *f = fmemopen(buffer, 6, \"r\"); if (!f) return 0; {get}", "got"),
        (f"char *made = 0; size_t size = 0; FILE *f = open_memstream(&made, &size); if (!f) return 0; {put} fflush(f);", "size * 256 + (made ? made[0] : 0)"),
        (f"cookie_io_functions_t io = {{ .write = on_write }}; FILE *f = fopencookie(0, \"w\", io); if (!f) return 0; {put} fflush(f);", "written"),
        (f"cookie_io_functions_t io = {{ .read = on_read }}; FILE *f = fopencookie(0, \"r\", io); if (!f) return 0; {get}", "got * 16 + (was_read > 0)"),
        ("setvbuf(stdout, buffer, _IOFBF, 8); fputs(\"k\", stdout);", "buffer[0] == 'u'"),
    ]
    text, value = p.pick(kinds)
    p.do("int got = 0; char letter = 0;")
    p.do(text)
    p.see(value, p.input())
