// The property is inductive over three steps, and not over fewer.
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    while (__VERIFIER_nondet_uint()) {
        if (a == 1) reach_error();
        a = b;
        b = c;
        c = a == 1 ? 1 : 0;
    }
    return 0;
}
