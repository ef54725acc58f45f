/* One loop puts two and counts one, the next one takes two back for each that was counted. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int(), put = 0, counted = 0, taken = 0;
    if (n > 1000000)
        return 0;
    while (put < n) {
        put += 2;
        counted++;
    }
    while (taken < n) {
        if (counted <= 0)
            reach_error();
        taken += 2;
        counted--;
    }
    return 0;
}
