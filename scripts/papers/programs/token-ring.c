/* Komuravelli et al., Table 1 (token ring): three processes hand a token on; the rest of the program does
   not matter. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned token = 0, sent = 0, received = 0, noise = __VERIFIER_nondet_uint(), work = 0;
    while (__VERIFIER_nondet_uint()) {
        noise = noise * 17 + __VERIFIER_nondet_uint();
        work += noise % 3;
        if (token == 0) {
            sent++;
            token = 1;
        } else if (token == 1) {
            token = 2;
            work++;
        } else {
            received++;
            token = 0;
        }
        if (sent - received > 1)
            reach_error();
    }
    return 0;
}
