// What comes by one of two paths is followed behind the place where they meet.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int condition = __VERIFIER_nondet_int(), x;
    if (condition > 0)
        x = 1;
    else
        x = 2;
    if (x == 2)
        reach_error();
    return 0;
}
