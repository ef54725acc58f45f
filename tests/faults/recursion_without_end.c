// A recursive function goes on for ever, or to an error.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void search(int n) {
    if (n == 17)
        reach_error();
    search(n + 1);
}
int main(void) {
    search(__VERIFIER_nondet_int());
    return 0;
}
