/* The loop never ends, because x stays even. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = 2u * (unsigned)__VERIFIER_nondet_int();
    while (x != 1)
        x += 4;
    reach_error();
    return 0;
}
