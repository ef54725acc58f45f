extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  int i = 0;
  int s = 0;
  if (n < 0 || n > 1000)
    return 0;
  while (i < n) {
    s = s + 2;
    i++;
  }
  if (s != 2 * n)
    reach_error();
  return 0;
}
