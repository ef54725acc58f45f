/* One number of 2^32 has this product. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = (unsigned)__VERIFIER_nondet_int();
    if (x * 2654435761u == 0xC0FFEE11u)
        reach_error();
    return 0;
}
