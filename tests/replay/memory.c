// Memory that is filled with inputs, twice, with inputs of its own kind in between.
extern void reach_error(void);
extern void __VERIFIER_nondet_memory(void *, __SIZE_TYPE__);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned char first[3];
    unsigned short second[2];
    __VERIFIER_nondet_memory(first, sizeof first);
    unsigned char between = __VERIFIER_nondet_uchar();
    __VERIFIER_nondet_memory(second, sizeof second);
    if (first[0] == 1 && first[1] == 2 && first[2] == 3 && between == 4 && second[0] == 0x605 && second[1] == 0x807)
        reach_error();
    return 0;
}
