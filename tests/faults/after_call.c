// The error is behind a call.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int calls = 0;
void other(void) {
    calls++;
    while (calls < __VERIFIER_nondet_int())
        calls++;
}
int main(void) {
    other();
    if (__VERIFIER_nondet_int() == 17)
        reach_error();
    other();
    return 0;
}
