/* Komuravelli et al., Table 1 (ssh): a protocol in steps; the error needs an order of steps that there is
   not. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned state = 4096, retries = 0, blast = 0, keys = __VERIFIER_nondet_uint();
    while (state != 3) {
        keys = keys * 3 + __VERIFIER_nondet_uint();
        if (state == 4096) {
            if (blast == 0)
                blast = 1;
            state = 4112;
        } else if (state == 4112) {
            if (__VERIFIER_nondet_uint())
                retries++;
            state = __VERIFIER_nondet_uint() ? 4128 : 4112;
        } else if (state == 4128) {
            if (blast == 1)
                blast = 2;
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
