/* Two steps without an error are needed for the third. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int value = __VERIFIER_nondet_int();
    int a = value, b = value;
    for (;;) {
        if (a != value)
            reach_error();
        a = b;
        if (__VERIFIER_nondet_int() > 0)
            b = value;
    }
}
