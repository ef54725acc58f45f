/* A sequence that grows like Fibonacci's until it is cut off: never below the line. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int grown(int n)
{
    int sum;
    if (n < 2)
        return 1;
    sum = grown(n - 1) + grown(n - 2);
    return sum > 1000 ? 1000 : sum;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 900)
        return 0;
    if (grown(n) < n / 2)
        reach_error();
    return 0;
}
