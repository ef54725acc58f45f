// Several cases do the same.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = 0;
    switch (x) {
    case 1: y = 5; break;
    case 2: y = 5; break;
    case 3: y = 5; break;
    default: y = 6; break;
    }
    if (y == 5 && x == 3)
        reach_error();
    return 0;
}
