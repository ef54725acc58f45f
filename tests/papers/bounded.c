// The counter stays within its bounds, which is not inductive for the property by itself.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = 0;
    int n = 0;
    while (__VERIFIER_nondet_int()) {
        if (x < 100) {
            x++;
        } else {
            x = 0;
        }
        n = x;
    }
    if (n > 200) reach_error();
    return 0;
}
