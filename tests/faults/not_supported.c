// An unsupported instruction is reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y;
    if (x == 17)
        __asm__("incl %0" : "=r"(y) : "0"(x));
    if (x == 18 && x == 19)
        reach_error();
    return 0;
}
