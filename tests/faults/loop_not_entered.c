// Who has been in the loop does not come to the error.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x < 10)
        x += 20;
    if (x == 50)
        reach_error();
    return 0;
}
