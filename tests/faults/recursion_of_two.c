// Two functions call one another; one of them changes a global.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int changed = 0;
void odd(int n);
void change(void) {
    changed = 1;
}
void even(int n) {
    if (n > 0)
        odd(n - 1);
}
void odd(int n) {
    change();
    if (n > 0)
        even(n - 1);
}
int main(void) {
    even(__VERIFIER_nondet_int());
    if (changed)
        reach_error();
    return 0;
}
