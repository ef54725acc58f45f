/* Calls through a table of functions. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int twice(int x) { return x + x; }
static int same(int x) { return x; }
static int minus(int x) { return -x; }
static int (*const table[3])(int) = { twice, same, minus };

int main(void)
{
    int which = __VERIFIER_nondet_int(), x = __VERIFIER_nondet_int();
    if (which < 0 || which > 2 || x < 1 || x > 1000)
        return 0;
    int y = table[which](x);
    if (y != x && y != 2 * x && (which != 2 || x + y != 0))
        reach_error();
    return 0;
}
