// An unsigned value stays what it is.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void) {
    unsigned char c = __VERIFIER_nondet_uchar();
    int i = c;
    long l = i;
    if (l == 200)
        reach_error();
    return 0;
}
