/* The bytes of a number through a union. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

union parts { int whole; unsigned char bytes[4]; short halves[2]; };

int main(void)
{
    union parts u;
    u.whole = __VERIFIER_nondet_int();
    u.bytes[1] = 0x77;
    if (u.bytes[0] == 0x5A && u.halves[1] == -2 && u.whole != 0)
        if ((u.whole & 0xFFFF) == 0x775A)
            reach_error();
    return 0;
}
