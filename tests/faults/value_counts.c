// What is assigned decides.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = 0, z = 0;
    while (x > 0) {
        y = z + 1;
        z = y + x;
        x -= 7;
    }
    if (y == 3)
        reach_error();
    return 0;
}
