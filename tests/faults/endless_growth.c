/* The loop has no end, but that its numbers have one: an overflow, whose behaviour C does not define, is none. */
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    while (x >= 0)
        x += 5;
    return 0;
}
