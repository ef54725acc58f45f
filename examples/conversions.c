// What C's conversions do to small and mixed types; every line surprises somebody.
//
//   regatta examples/conversions.c      prints RESULT: TRUE
#include <assert.h>

int main(void)
{
    unsigned char byte = 200;
    signed char reinterpreted = (signed char)byte;
    assert(reinterpreted == -56);
    assert(byte + byte == 400);               // both are promoted to int before the sum
    assert((unsigned char)(byte + byte) == 144);
    assert(-1 > 0u);                          // the -1 becomes the largest unsigned int
    assert(-7 / 2 == -3 && -7 % 2 == -1);     // division goes towards zero
    struct { unsigned bits : 3; } field = { 0 };
    field.bits = 9;
    assert(field.bits == 1);                  // a bit-field keeps the low bits
    return 0;
}
