/* No path leads to the error. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = 0;
    while (1) {
        x += __VERIFIER_nondet_int();
        if (x == 10)
            continue;
        if (x == 11)
            x = 0;
    }
    reach_error();
    return 0;
}
