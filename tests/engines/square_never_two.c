/* Squares are 0 or 1 modulo 4, wrapped around or not. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = x * x;
    if ((y & 3) == 2 || (y & 3) == 3)
        reach_error();
    return 0;
}
