// Expressions that the rules of sums are about.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(), z = __VERIFIER_nondet_uint();
    unsigned u = __VERIFIER_nondet_uint(), v = __VERIFIER_nondet_uint(), w = __VERIFIER_nondet_uint();
    unsigned r = __VERIFIER_nondet_uint(), q = __VERIFIER_nondet_uint();
    unsigned sum = 0;
    sum += x + y - x;
    sum += x - (x - y);
    sum += 3 * (x + 5);
    sum += 3 * (2 * x);
    sum += 3 * x + 5 * x;
    sum += x + x;
    sum += -(x + 5);
    sum += -x + y;
    sum += 4 * (x - y + 2);
    sum += 0 * x;
    sum += -1 * (x + y);
    sum += x * 0u;
    sum += x * 4294967295u;
    sum += x + y + z + u + v + w + r + 5 + (q + 7);
    sum += (x + y + z + u + v + w + r) - (q + x + 3);
    sum += x + 2 * y == 3 + 2 * x;
    sum += x - y == z - u;
    sum += 2 * (x * y) + 3;
    sum += x * (2 * y);
    sum += x - y - 5 == 0;
    if (sum != sum)
        reach_error();
    return sum;
}
