extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

/* Three values go round, and stay different. */
int main(void)
{
    int first = 1, second = 2, third = 3;
    while (__VERIFIER_nondet_int()) {
        if (first == second)
            reach_error();
        int last = third;
        third = second;
        second = first;
        first = last;
    }
    return 0;
}
