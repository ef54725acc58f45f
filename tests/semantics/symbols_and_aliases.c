/* Names that stand for one symbol: assembler names, aliases, weak ones, pragmas. */
#include "observe.h"

int seven(void) { return 7; }
int by_label(void) __asm__("seven");
int by_alias(void) __attribute__((alias("seven")));
static int by_weakref(void) __attribute__((weakref("seven")));
#pragma weak by_weak_pragma = seven
int by_weak_pragma(void);
#pragma redefine_extname by_extname seven
int by_extname(void);

int renamed(int x) __asm__("its_symbol");
int renamed(int x) { return x + 1; }
extern int its_symbol(int x);

static int variable = 3;
extern int same __attribute__((alias("variable")));
int late_label_user(void);
extern int late __asm__("defined_later");
int late_label_user(void) { return late; }
int defined_later = 11;

extern int missing_function(int) __attribute__((weak));
extern int missing_variable __attribute__((weak));

static int first(int x) { return x + 100; }
static int second(int x) { return x + 200; }
#ifdef __x86_64__
static int (*choose(void))(int) { return second; }
int indirect(int x) __attribute__((ifunc("choose")));
#else
static int indirect(int x) { return second(x); }
#endif

int main(void)
{
    observe_value(by_label());
    observe_value(by_alias());
    observe_value(by_weakref());
    observe_value(by_weak_pragma());
    observe_value(by_extname());
    /* At run time: the compiler takes different names for different addresses. */
    int (*volatile left)(void) = by_label, (*volatile right)(void) = seven;
    observe_value(left == right);
    left = by_alias;
    observe_value(left == right);
    observe_value(renamed(1));
    observe_value(its_symbol(2));
    same = 5;
    observe_value(variable);
    int *volatile here = &same, *volatile there = &variable;
    observe_value(here == there);
    observe_value(late_label_user());
    late = 12;
    observe_value(defined_later);
    extern int in_block __asm__("defined_later");
    in_block++;
    observe_value(defined_later);
    if (missing_function)
        observe_value(missing_function(1));
    if (&missing_variable)
        observe_value(missing_variable);
    int (*pointer)(int) = indirect;
    observe_value(indirect(1) + pointer(2));
    observe_value(first(1));
    return 0;
}
