// The error needs twelve right inputs in a row: no sample has them.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned row = 0;
    for (;;) {
        if (__VERIFIER_nondet_uint() == row * 77773 + 1234567)
            row++;
        else
            row = 0;
        if (row == 12)
            reach_error();
    }
}
