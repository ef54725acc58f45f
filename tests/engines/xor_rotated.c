/* Three numbers that are moved about, many times, and whose exclusive or stays even: only the property speaks of it. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = 1, y = 1, z = 0, n = 0;
    while (n < 1000000) {
        unsigned first = x, s = __VERIFIER_nondet_uint();
        if (s & 1) {
            x = y ^ s;
            y = z ^ s;
            z = first;
        } else {
            x = z + s;
            z = first - s;
        }
        n++;
    }
    if ((x ^ y ^ z) == 21) reach_error();
    return 0;
}
