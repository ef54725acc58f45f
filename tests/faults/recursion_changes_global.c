// A recursive function changes a global.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int changed = 0;
void count(int n) {
    if (n > 0)
        count(n - 1);
    else
        changed = 1;
}
int main(void) {
    count(__VERIFIER_nondet_int());
    if (changed)
        reach_error();
    return 0;
}
