/* Birgmeier, section 4.3 (substring1): the index of a copy stays behind that of the original. Without lazy
   refinement, interpolants go on and on. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int from = __VERIFIER_nondet_int(), to = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();
    if (from < 0 || to < from || k < to || k > 100)
        return 0;
    int i = 0, j = from;
    while (j <= to) {
        if (i >= 101)
            reach_error();
        i++;
        j++;
    }
    return 0;
}
