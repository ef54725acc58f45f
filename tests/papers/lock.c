// A lock is taken and given back in turns: two predicates suffice.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int locked = 0;
    int last;
    do {
        if (locked != 0) reach_error();
        locked = 1;
        last = __VERIFIER_nondet_int();
        if (last != 0) {
            locked = 0;
        }
    } while (last != 0);
    if (locked == 0) reach_error();
    return 0;
}
