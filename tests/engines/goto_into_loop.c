/* A loop of gotos that is entered at two places and has two ways back. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int base = __VERIFIER_nondet_int();
    int turn = base;
    if (__VERIFIER_nondet_int()) {
        turn++;
        goto second;
    }
first:
    if (turn != base)
        reach_error();
    turn = base + 1;
second:
    if (turn != base + 1)
        reach_error();
    turn--;
    if (__VERIFIER_nondet_int())
        goto first;
    turn++;
    goto second;
}
