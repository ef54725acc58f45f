// What is left without the input is one run.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int next(int x) {
    return x * x + 1;
}
int main(void) {
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += i;
    if (sum == 7)
        reach_error();
    int y = next(1);
    int x = __VERIFIER_nondet_int();
    if (x == 17)
        reach_error();
    return y;
}
