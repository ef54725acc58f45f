/* Two counters that go up together as often as the environment likes. */
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
