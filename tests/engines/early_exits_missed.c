/* The break is before the last candidate. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int wanted = __VERIFIER_nondet_int();
    int i, found = -1;
    if (wanted < 0 || wanted > 9)
        return 0;
    for (i = 0; ; i += 2) {
        if (i > 8)
            break;
        if (i != wanted && i + 1 != wanted)
            continue;
        if (wanted == 8)
            break;
        found = i;
    }
    if (found == -1)
        reach_error();
    return 0;
}
