/* Komuravelli et al., Table 1 (ssh), with a fault: a second negotiation brings the error. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned state = 4096, blast = 0;
    while (state != 3) {
        if (state == 4096) {
            if (blast == 0)
                blast = 1;
            state = 4112;
        } else if (state == 4112) {
            state = __VERIFIER_nondet_uint() ? 4128 : 4112;
        } else if (state == 4128) {
            if (blast == 1)
                blast = 2;
            else if (blast == 3)
                blast = 4;
            state = __VERIFIER_nondet_uint() ? 4144 : 4096;
        } else if (state == 4144) {
            if (blast == 4)
                reach_error();
            if (blast == 2)
                blast = 3;
            state = __VERIFIER_nondet_uint() ? 3 : 4112;
        }
    }
    return 0;
}
