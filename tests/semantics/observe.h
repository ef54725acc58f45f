/* Shared by all programs of this folder: a program records what it computes in
 * `observed`; the compiled program prints it (print_observed.c), and the tests
 * compare it with what the interpreter leaves in the same variable. */
#ifndef OBSERVE_H
#define OBSERVE_H

unsigned long long observed[1024];
unsigned observed_count;

static void observe_value(unsigned long long value)
{
    observed[observed_count++] = value;
}

/* The bit pattern; every NaN counts as the same value. */
static void observe_float(float value)
{
    union { float value; unsigned bits; } pun;
    pun.value = value;
    observe_value(value != value ? 0x7fc00000u : pun.bits);
}

static void observe_double(double value)
{
    union { double value; unsigned long long bits; } pun;
    pun.value = value;
    observe_value(value != value ? 0x7ff8000000000000ull : pun.bits);
}

/* The 64 bits of precision as two doubles: the nearest one and what is left. */
static void observe_long_double(long double value)
{
    double nearest = (double)value;
    observe_double(nearest);
    observe_double((double)(value - nearest));
}

/* Functions, not macros that assign: the argument may itself observe. The dots
 * let it contain commas. */
#define OBSERVE(...) observe_value((unsigned long long)(__VA_ARGS__))
#define OBSERVE_FLOAT(...) observe_float(__VA_ARGS__)
#define OBSERVE_DOUBLE(...) observe_double(__VA_ARGS__)
#define OBSERVE_LONG_DOUBLE(...) observe_long_double(__VA_ARGS__)

#endif
