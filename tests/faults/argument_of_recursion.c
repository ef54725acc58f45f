// A recursive function is entered with several arguments.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void count(int n) {
    if (n == 5)
        reach_error();
    if (n < 9)
        count(n + 1);
}
int main(void) {
    if (__VERIFIER_nondet_int() == 17)
        count(0);
    return 0;
}
