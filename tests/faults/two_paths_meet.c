// What a variable has depends on the path.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int condition = __VERIFIER_nondet_int(), x;
    if (condition > 0)
        x = condition & 3;
    else
        x = 8;
    if (condition > 0 && x == 2)
        reach_error();
    return 0;
}
