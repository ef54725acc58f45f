// While one path is followed the other waits, on which its condition does not hold.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), x = 0;
    if (a <= 0)
        x = 1;
    if (x == 0 && a > 5)
        reach_error();
    return x;
}
