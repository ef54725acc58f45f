// Two recursive functions have the same helper.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int grown(int x) {
    int y = x + 1;
    if (y > 100)
        y = 100;
    return y;
}
int down(int n) {
    return n > 0 ? down(n - 1) : grown(n);
}
int up(int n) {
    return n < 0 ? up(n + 1) : grown(n);
}
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (down(3) == 1 && up(x) == 17)
        reach_error();
    return 0;
}
