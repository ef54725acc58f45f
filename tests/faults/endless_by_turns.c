/* In each round one of two numbers decreases that were not negative; two rounds change nothing. */
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int x = __VERIFIER_nondet_int(), is_next = 0;
  while (x > 0) {
    if (is_next) {
      x -= 7;
      is_next = 0;
    } else {
      x += 7;
      is_next = 1;
    }
  }
  return 0;
}
