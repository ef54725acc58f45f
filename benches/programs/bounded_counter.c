/* A counter with a bound, and a second counter that is always twice as large. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int i = 0, twice = 0;
  int bound = __VERIFIER_nondet_int();
  if (bound < 0 || bound > 1000)
    return 0;
  while (i < bound) {
    i++;
    twice += 2;
  }
  if (twice != 2 * bound)
    reach_error();
  return 0;
}
