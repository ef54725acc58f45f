/* Steps of six, until the number wraps around: then any even number is met. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned char x = 0;
    while (__VERIFIER_nondet_int())
        x += 6;
    if (x == 8)
        reach_error();
    return 0;
}
