/* Runs a generated program, whose main is compiled as program_main, with the inputs
 * that the command line gives:
 *
 *   harness run VALUE...                     one run; inputs that are missing are 0
 *   harness all MAXIMUM TYPE:LOWEST:COUNT... all runs whose inputs have these values,
 *                                            up to a number of runs
 *
 * A line for each run: how it ended (ended, error, abort, or a signal's number), the
 * inputs asked for, "|", and what it observed, as number:value in hexadecimal. After
 * `all` the last line is "complete" or "incomplete". Each run is a process of its
 * own. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern int program_main(void);
/* Observes what the program's globals hold at its end, where the program has it. */
extern void observe_globals(void) __attribute__((weak));

enum { MAX_INPUTS = 256, MAX_OBSERVED = 20000 };
enum ending { RUNNING, ENDED, ABORTED, ERROR };

struct run {
    enum ending ending;
    int inputs;               /* how many were asked for */
    int choices[MAX_INPUTS];  /* which of the domain's values, for `all` */
    int counts[MAX_INPUTS];   /* how many there are */
    char values[MAX_INPUTS][32];
    int observed;
    struct { int number; unsigned long long value; } log[MAX_OBSERVED];
};
static struct run *run;
static int given_count;
static char **given; /* null for `all` */

struct domain { const char *type; long long lowest; int count; };
static struct domain domains[16];
static int domain_count;

static const char *next_input(const char *type)
{
    int n = run->inputs, i;
    if (n >= MAX_INPUTS)
        _exit(97);
    run->inputs++;
    if (given) {
        snprintf(run->values[n], sizeof run->values[n], "%s", n < given_count ? given[n] : "0");
        return run->values[n];
    }
    for (i = 0; i < domain_count; i++)
        if (strcmp(domains[i].type, type) == 0) {
            run->counts[n] = domains[i].count;
            snprintf(run->values[n], sizeof run->values[n], "%lld", domains[i].lowest + run->choices[n]);
            return run->values[n];
        }
    _exit(98);
}

static unsigned long long integer(const char *text)
{
    return *text == '-' ? (unsigned long long)strtoll(text, 0, 10) : strtoull(text, 0, 10);
}

#define INTEGER_INPUT(name, type) \
    type __VERIFIER_nondet_##name(void) { return (type)integer(next_input(#name)); }
INTEGER_INPUT(bool, _Bool)
INTEGER_INPUT(char, char)
INTEGER_INPUT(uchar, unsigned char)
INTEGER_INPUT(short, short)
INTEGER_INPUT(ushort, unsigned short)
INTEGER_INPUT(int, int)
INTEGER_INPUT(uint, unsigned)
INTEGER_INPUT(long, long)
INTEGER_INPUT(ulong, unsigned long)
INTEGER_INPUT(longlong, long long)
INTEGER_INPUT(ulonglong, unsigned long long)
float __VERIFIER_nondet_float(void) { return strtof(next_input("float"), 0); }
double __VERIFIER_nondet_double(void) { return strtod(next_input("double"), 0); }

void reach_error(void)
{
    run->ending = ERROR;
    _exit(0);
}

void __VERIFIER_assume(int condition)
{
    if (!condition)
        abort();
}

void observe(int number, unsigned long long value)
{
    if (run->observed >= MAX_OBSERVED)
        _exit(96);
    run->log[run->observed].number = number;
    run->log[run->observed++].value = value;
}

static void end(void)
{
    if (run->ending != RUNNING)
        return;
    run->ending = ENDED;
    if (observe_globals)
        observe_globals();
}

static void end_by_abort(int signal_number)
{
    (void)signal_number;
    run->ending = ABORTED;
    if (observe_globals)
        observe_globals();
    _exit(0);
}

static void run_once(void)
{
    static const char *const endings[] = { "lost", "ended", "abort", "error" };
    int status, i;
    pid_t child;
    run->ending = RUNNING;
    run->inputs = run->observed = 0;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(2);
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "r", stdin))
            _exit(99);
        atexit(end);
        signal(SIGABRT, end_by_abort);
        exit(program_main());
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        perror("harness");
        exit(2);
    }
    if (WIFSIGNALED(status))
        printf("%d", WTERMSIG(status));
    else
        printf("%s", endings[run->ending]);
    for (i = 0; i < run->inputs; i++)
        printf(" %s", run->values[i]);
    printf(" |");
    for (i = 0; i < run->observed; i++)
        printf(" %d:%llx", run->log[i].number, run->log[i].value);
    printf("\n");
}

int main(int argc, char **argv)
{
    int i, runs, maximum;
    run = mmap(0, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run == MAP_FAILED || argc < 2)
        return 2;
    if (strcmp(argv[1], "run") == 0) {
        given = argv + 2;
        given_count = argc - 2;
        run_once();
        return 0;
    }
    maximum = atoi(argv[2]);
    for (i = 3; i < argc && domain_count < 16; i++, domain_count++) {
        domains[domain_count].type = strtok(argv[i], ":");
        domains[domain_count].lowest = atoll(strtok(0, ":"));
        domains[domain_count].count = atoi(strtok(0, ":"));
    }
    for (runs = 0; runs < maximum; runs++) {
        run_once();
        /* The next run is that with the last choice raised that can be. */
        for (i = run->inputs - 1; i >= 0 && run->choices[i] + 1 >= run->counts[i]; i--)
            ;
        if (i < 0) {
            printf("complete\n");
            return 0;
        }
        run->choices[i]++;
        memset(run->choices + i + 1, 0, (MAX_INPUTS - i - 1) * sizeof run->choices[0]);
    }
    printf("incomplete\n");
    return 0;
}
