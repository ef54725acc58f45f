// An unsupported instruction is reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    void *place[5];
    if (x == 17)
        __builtin_setjmp(place);
    if (x == 18 && x == 19)
        reach_error();
    return 0;
}
