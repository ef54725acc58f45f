/* A power of two, but for a step that rarely comes. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int power(int n)
{
    int half;
    if (n == 0)
        return 1;
    half = power(n - 1);
    return n == 17 ? half : half + half;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 20)
        return 0;
    if (n > 15 && power(n) != 1 << n)
        reach_error();
    return 0;
}
