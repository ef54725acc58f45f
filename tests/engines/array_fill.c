/* An array is filled from inputs, and then must be 3, 1, 4, 1, 5. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a[5], wanted[] = { 3, 1, 4, 1, 5 }, i, equal = 0;
    for (i = 0; i < 5; i++)
        a[i] = __VERIFIER_nondet_int() / 2;
    for (i = 4; i >= 0; i--)
        equal += a[i] == wanted[i];
    if (equal == 5 && a[1] == a[3])
        reach_error();
    return 0;
}
