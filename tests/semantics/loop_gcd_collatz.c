/* Two classics: Euclid's algorithm and the Collatz sequence. */
#include "observe.h"

static unsigned gcd(unsigned a, unsigned b) { while (b) { unsigned t = a % b; a = b; b = t; } return a; }
static int binary_gcd(int a, int b)
{
    int shift = 0;
    while (((a | b) & 1) == 0) { a >>= 1; b >>= 1; shift++; }
    while (a) {
        while (!(a & 1)) a >>= 1;
        while (!(b & 1)) b >>= 1;
        if (a >= b) a -= b; else b -= a;
    }
    return b << shift;
}
static int collatz(unsigned long long n) { int steps = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; } return steps; }

int main(void)
{
    OBSERVE(gcd(1071, 462));
    OBSERVE(gcd(4000000000u, 3000000000u));
    OBSERVE(binary_gcd(48, 180));
    OBSERVE(binary_gcd(17, 5));
    OBSERVE(collatz(27));
    OBSERVE(collatz(97));
    OBSERVE(collatz(1));
    return 0;
}
