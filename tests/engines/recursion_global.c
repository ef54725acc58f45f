/* A global goes up at each call and down at each return, and another one is left alone. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int depth, limit;

static void descend(int n)
{
    depth++;
    if (n > limit)
        descend(n - 1);
    depth--;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    limit = __VERIFIER_nondet_int();
    depth = 3;
    descend(n);
    if (depth != 3)
        reach_error();
    return 0;
}
