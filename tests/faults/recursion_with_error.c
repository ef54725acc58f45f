// A recursive function has an error.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void count(int n) {
    if (n == 0)
        reach_error();
    else if (n > 0)
        count(n - 1);
}
int main(void) {
    count(__VERIFIER_nondet_int());
    return 0;
}
