/* From 50 the way backwards goes down to the smallest number: x % 3 == 0 has to be known. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x != 0 && x != -3000)
        return 0;
    while (1) {
        if (x == 50)
            reach_error();
        if (x < 1000)
            x += 3;
        else
            x = -300;
    }
}
