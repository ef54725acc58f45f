// One place asks for two inputs, of which one counts.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int ask(void) {
    return __VERIFIER_nondet_int();
}
int main(void) {
    int a = 0;
    if (__VERIFIER_nondet_int() < 5)
        a = ask();
    int b = ask();
    if (b == 123456)
        reach_error();
    return a;
}
