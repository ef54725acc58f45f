// A small function, called twice.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int twice(int x) {
    return x + x;
}
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (twice(x) == 8 && twice(x + 1) == 10)
        reach_error();
    return 0;
}
