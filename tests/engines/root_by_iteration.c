/* Four steps of Heron's iteration from the mean of 1 and the number come near its root. */
extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int);

int main(void) {
  double a = __VERIFIER_nondet_double();
  __VERIFIER_assume(a >= 1 && a <= 4);
  double x = (1 + a) / 2;
  for (int i = 0; i < 4; i++)
    x = (x + a / x) / 2;
  __VERIFIER_assert(x >= 0.99 && x <= 2.01);
  return 0;
}
