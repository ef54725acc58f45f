/* With one value of y the loop goes on for ever. */
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    while (x > 0) {
        if (y != 123456)
            x = x - 1;
    }
    return 0;
}
