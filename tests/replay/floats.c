// Floats, exactly: ends of the formats, subnormals, signed zeros, infinities, a NaN.
extern void reach_error(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);
extern long double unknown_long_double(void);

int main(void)
{
    float a = __VERIFIER_nondet_float(), b = __VERIFIER_nondet_float(), c = __VERIFIER_nondet_float(),
          d = __VERIFIER_nondet_float();
    double e = __VERIFIER_nondet_double(), f = __VERIFIER_nondet_double(), g = __VERIFIER_nondet_double(),
           h = __VERIFIER_nondet_double();
    long double i = unknown_long_double(), j = unknown_long_double();
    if (a != 0x1.234568p-140f || b != 3.4028234663852886e38f || c == c || d != 0 || 1 / d > 0)
        return 0;
    if (e != 0x1.fffffffffffffp+1023 || f != 5e-324 || g != 1.0 / 0.0 || h != -0.1)
        return 0;
    if (i != 0x1.000000000000001p-16000L || j != -1.0L / 0.0L)
        return 0;
    reach_error();
}
