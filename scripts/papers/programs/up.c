/* Birgmeier, section 4.3 (up): what a loop has counted up to n can be counted down n times. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), i = 0, k = 0, j = 0;
    if (n > 1000000)
        return 0;
    while (i < n) {
        i++;
        k++;
    }
    while (j < n) {
        if (k <= 0)
            reach_error();
        j++;
        k--;
    }
    return 0;
}
