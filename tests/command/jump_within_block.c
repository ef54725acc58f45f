/* Within the block, the declaration is passed the first time only if `skip` is chosen. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    for (int k = 0; k < 2; k++) {
        if (k == 1)
            goto over;
        int x = 4;
        x++;
    over:
        if (x == 9)
            reach_error();
    }
    return 0;
}
