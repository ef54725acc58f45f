extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int steps;
int sum(int n) {
  int rest;
  if (n <= 0) return 0;
  rest = sum(n - 1);
  return rest + 1;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  int r;
  if (n < 0 || n > 1000000) return 0;
  r = sum(n);
  if (r != n) reach_error();
  return 0;
}
