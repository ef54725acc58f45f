/* The loop seems to have no end, and comes to an assumption that fails after 2^39 rounds. */
extern void __VERIFIER_assume(int);

int main(void) {
  unsigned long n = 1, m = 0;
  while (n != 0) {
    n += 2;
    m ^= n;
    __VERIFIER_assume(n != (1ul << 40) + 1);
  }
  return (int)m;
}
