// What a condition has chosen is asked where it is known to hold.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned condition = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(), x = y * y;
    if (condition > 7)
        x = y + 1;
    if (condition > 7) {
        if (x == y + 1)
            reach_error();
    }
    return 0;
}
