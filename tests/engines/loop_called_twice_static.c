/* A static local keeps its value from the first call to the second. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int count_to(int n)
{
    static int calls;
    int steps = calls;
    while (steps < n)
        steps++;
    calls += 7;
    return steps;
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || a > 9 || b < 0 || b > 9)
        return 0;
    if (count_to(a) == a && count_to(b) == 7 && b == 4)
        reach_error();
    return 0;
}
