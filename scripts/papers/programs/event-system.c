/* Beyer, Dangl and Wendler, section 5 (ECA): a system of events and states; the error state has no way to
   it. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned state = 1, mode = 2;
    while (1) {
        unsigned event = __VERIFIER_nondet_uint();
        if (event == 1 && state == 1) {
            state = 3;
            mode = 4;
        } else if (event == 2 && state == 3 && mode == 4) {
            state = 5;
        } else if (event == 3 && state == 5) {
            state = 1;
            mode = 2;
        } else if (event == 4 && state == 5 && mode == 2) {
            reach_error();
        }
    }
    return 0;
}
