/* Ways of the same length meet at one place, and inputs decide which one is taken. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = 0;
left:
    if (__VERIFIER_nondet_int() == 0)
        goto right;
up:
    x++;
    if (__VERIFIER_nondet_int() == 0)
        goto right;
    if (x == 4)
        reach_error();
    goto up;
right:
    if (__VERIFIER_nondet_int())
        goto left;
    goto right;
}
