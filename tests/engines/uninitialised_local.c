/* A local without a value may have any, but keeps it. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x, y;
    int copy = x;
    y = __VERIFIER_nondet_int();
    if (copy != x)
        y = 3;
    if (x == 40490 && y == x - 1)
        reach_error();
    return 0;
}
