// An unsupported instruction is reached, and an error that invariants exclude is not.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    unsigned x = 0, y = 0;
    void *place[200];
    while (__VERIFIER_nondet_int()) {
        x++;
        y++;
    }
    if (__VERIFIER_nondet_int() == 17)
        getcontext(place);
    if (x != y)
        reach_error();
    return 0;
}
