// Each cell has the value of its index.
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned cells[1000];
    for (unsigned i = 0; i < 1000; i++) {
        cells[i] = i;
    }
    unsigned chosen = __VERIFIER_nondet_uint();
    if (chosen < 1000 && cells[chosen] != chosen) reach_error();
    return 0;
}
