/* Three values go round; each is looked at every third step. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a = 0, b = 1, c = __VERIFIER_nondet_int();
    if (c == 5)
        return 0;
    while (__VERIFIER_nondet_int() != 7) {
        int first = a;
        if (a == 5)
            reach_error();
        a = b;
        b = c;
        c = first;
    }
    return 0;
}
