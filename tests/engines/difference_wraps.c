/* Two counters that wrap around, and are never far from each other. */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned head = __VERIFIER_nondet_uint(), tail = head, half = 0;
    while (__VERIFIER_nondet_int()) {
        if (head - tail < 1000)
            head += 37;
        if (__VERIFIER_nondet_int() && head != tail)
            tail++;
        half = (head - tail) / 2;
    }
    if (half > 518)
        reach_error();
    return 0;
}
