/* Each of ten inputs has to be the right one. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int i, right = 0;
    for (i = 0; i < 10; i++) {
        int input = __VERIFIER_nondet_int();
        if (input == 1000003 * i + 17)
            right++;
    }
    if (right == 10)
        reach_error();
    return 0;
}
