// An unsupported instruction is reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    void *place[200];
    if (x == 17)
        getcontext(place);
    if (x == 18 && x == 19)
        reach_error();
    return 0;
}
