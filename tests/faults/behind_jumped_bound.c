// The counter jumps over the greatest number.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned k = (__VERIFIER_nondet_uint() & 7) * 1024;
    while (k < 4294967000u)
        k += 1024;
    reach_error();
}
