/* Factorial, Fibonacci, Ackermann, Euclid, powers. */
#include "observe.h"

static unsigned long long factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
static unsigned power(unsigned b, unsigned e) { unsigned h; if (!e) return 1; h = power(b, e / 2); return e % 2 ? h * h * b : h * h; }
static int hanoi(int n) { return n ? 2 * hanoi(n - 1) + 1 : 0; }
static int mccarthy(int n) { return n > 100 ? n - 10 : mccarthy(mccarthy(n + 11)); }

int main(void)
{
    OBSERVE(factorial(20));
    OBSERVE(factorial(25));
    OBSERVE(fibonacci(15));
    OBSERVE(ackermann(2, 5));
    OBSERVE(gcd(1071, 1029));
    OBSERVE(power(7, 23));
    OBSERVE(hanoi(10));
    OBSERVE(mccarthy(50));
    return 0;
}
