// The error needs the value of a variable that is not initialised.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int lost;
    int x = __VERIFIER_nondet_int();
    if (x == 5 && lost == 123456789)
        reach_error();
    return 0;
}
