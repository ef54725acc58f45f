/* Which of two locals is written depends on the input. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = 1, y = 2;
    int *p = &x, **pp = &p;
    int input = __VERIFIER_nondet_int();
    if (input > 500)
        *pp = &y;
    *p += input;
    if (x == 1 && y == 509)
        reach_error();
    return 0;
}
