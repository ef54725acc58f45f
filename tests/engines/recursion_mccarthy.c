/* McCarthy's function is constant up to 100. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int ninety_one(int n)
{
    if (n > 100)
        return n - 10;
    return ninety_one(ninety_one(n + 11));
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int result = ninety_one(n);
    if (n <= 101 && result != 91)
        reach_error();
    return 0;
}
