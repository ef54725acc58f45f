extern void reach_error(void);
extern unsigned int __VERIFIER_nondet_uint(void);

/* The bounds of its two calls differ: of its loop holds what both have in common. */
unsigned int even(unsigned int bound) {
  unsigned int sum = 0;
  for (unsigned int k = 0; k < bound; k++)
    sum += 2;
  return sum;
}

int main(void) {
  unsigned int a = even(__VERIFIER_nondet_uint()), b = even(__VERIFIER_nondet_uint());
  if (a % 2 != 0 || b % 2 != 0)
    reach_error();
  return 0;
}
