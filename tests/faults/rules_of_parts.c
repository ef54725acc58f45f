// Expressions that the rules of parts of bit vectors are about.
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern signed char __VERIFIER_nondet_char(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
    unsigned char c = __VERIFIER_nondet_uchar(), d = __VERIFIER_nondet_uchar();
    signed char s = __VERIFIER_nondet_char(), t = __VERIFIER_nondet_char();
    unsigned short h = __VERIFIER_nondet_ushort();
    _Bool b = x > 7;
    unsigned sum = 0;
    sum += (unsigned char)(c + d);
    sum += (unsigned char)(c * d);
    sum += (signed char)-s;
    sum += (unsigned char)~c;
    sum += (unsigned char)(-c + d);
    sum += (unsigned char)(-(c + d));
    sum += (unsigned char)(b ? c + d : s + 1);
    sum += (unsigned char)(x >> 8);
    sum += (unsigned char)(h >> 4);
    sum += (x << 24) >> 24;
    sum += (int)(x << 24) >> 24;
    sum += (unsigned char)((c | d << 8) >> 4);
    sum += (c | d << 8) >> 4;
    sum += (unsigned short)(c | d << 8) >> 9;
    sum += (unsigned long)c + 1;
    sum += (long)s;
    sum += (unsigned short)s >> 4;
    sum += (unsigned)s >> 4;
    sum += (unsigned)s >> 12;
    sum += (unsigned short)c >> 4;
    sum += (unsigned)h >> 12;
    sum += (unsigned)(unsigned short)s >> 9;
    sum += (unsigned char)(x & c);
    sum += (unsigned char)(x | c);
    sum += (unsigned char)(x ^ c);
    sum += (x & c) >> 4;
    sum += (x | c) >> 4;
    sum += (x ^ c) >> 4;
    sum += ((unsigned)~c) >> 4;
    sum += (4 * x + 12) >> 2;
    sum += (4 * x + 13) >> 1;
    sum += (4 * x + 8 * y + 3) >> 4;
    sum += (unsigned char)((16 * x + 5) >> 1);
    sum += (16 * x + 5) & 7;
    sum += (unsigned char)((unsigned short)x >> 4);
    sum += ((x >> 8) & 255) << 8 | (x & 255);
    sum += ((x >> 16) << 16) | (x & 65535);
    sum += ((y >> 16) << 16) | (x & 65535);
    sum += (h << 16 | h) >> 8;
    if (sum != sum)
        reach_error();
    return sum;
}
