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

/* A function, not a macro that assigns: the argument may itself observe. */
#define OBSERVE(x) observe_value((unsigned long long)(x))
#define OBSERVE_FLOAT(x) observe_float(x)
#define OBSERVE_DOUBLE(x) observe_double(x)
#define OBSERVE_LONG_DOUBLE(x) observe_long_double(x)

#endif
