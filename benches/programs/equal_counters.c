/* Two counters that are incremented together, any number of times. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  unsigned x = 0, y = 0, other = 0;
  while (__VERIFIER_nondet_int()) {
    x++;
    y++;
    other += x;
  }
  if (x != y)
    reach_error();
  return 0;
}
