// An input takes the place of a known result.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int next(int x) {
    return x * x + 1;
}
int main(void) {
    int y = next(1);
    int x = __VERIFIER_nondet_int();
    if (x == 17)
        reach_error();
    return y;
}
