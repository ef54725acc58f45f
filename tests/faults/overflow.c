// A sum wraps around.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 5) {
        int y = x + 2;
        if (y < 0)
            reach_error();
    }
    return 0;
}
