// Inputs that matter and inputs that do not are asked for at one place.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int ask(void) {
    return __VERIFIER_nondet_int();
}
int main(void) {
    int first = ask(), second = ask();
    while (second > 100)
        second -= 7;
    if (second == 17)
        reach_error();
    return first;
}
