// Another program for a compiler that defines COMPILED: 1 ends early, 2 never ends.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
#if COMPILED == 1
    return 5;
#elif COMPILED == 2
    for (;;) {
    }
#endif
    if (x == 1)
        reach_error();
    return 0;
}
