/* Linked to each program of this folder: prints the observed values, one a line
 * in hexadecimal, however the program ends: return from main, exit or abort. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

extern unsigned long long observed[1024];
extern unsigned observed_count;

__attribute__((destructor)) static void print_observed(void)
{
    unsigned i;
    for (i = 0; i < observed_count; i++)
        printf("%llx\n", observed[i]);
    fflush(stdout);
}

static void print_on_abort(int signal_number)
{
    (void)signal_number;
    print_observed();
    _Exit(134);
}

__attribute__((constructor)) static void install(void)
{
    signal(SIGABRT, print_on_abort);
}
