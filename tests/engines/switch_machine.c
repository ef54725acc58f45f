/* A state machine that never leaves its four states. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int state = 0;
    for (;;)
        switch (state) {
        case 0:
            state = __VERIFIER_nondet_int() > 0 ? 1 : 2;
            break;
        case 1:
            state = 3; /* falls through */
        case 2:
            if (__VERIFIER_nondet_int() == 4)
                state = 0;
            break;
        case 3:
            state -= 2;
            break;
        default:
            reach_error();
        }
}
