/* The polynomial is greater than 0.3848 only near one over the root of three. */
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int);

int main(void) {
  float x = __VERIFIER_nondet_float();
  __VERIFIER_assume(x >= 0.0f && x <= 1.0f);
  __VERIFIER_assert(x - x * x * x <= 0.3848f);
  return 0;
}
