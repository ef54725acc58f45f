/* A loop with constant bounds. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int i = 0, left = 20;
    while (i < 10) {
        i++;
        left -= 2;
    }
    if (left != 0 || i != 10)
        reach_error();
    return 0;
}
