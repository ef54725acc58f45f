/* Two counters that wrap around; the one gets as far ahead as it can. */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned head = __VERIFIER_nondet_uint(), tail = head;
    while (__VERIFIER_nondet_int())
        if (head - tail < 10)
            head += 7;
    if (head - tail > 13)
        reach_error();
    return 0;
}
