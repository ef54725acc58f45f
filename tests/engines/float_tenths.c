/* A number times a tenth, which is no float, and times ten is not always the number. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100)
        return 0;
    float tenth = n * 0.1f;
    if (tenth * 10.0f != n && tenth < 9.0f)
        reach_error();
    return 0;
}
