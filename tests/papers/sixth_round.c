// An error in the sixth round.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int count = 0;
    while (__VERIFIER_nondet_int()) {
        count++;
        if (count == 6) reach_error();
    }
    return 0;
}
