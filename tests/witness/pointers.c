extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int x = 1, y = 2;
int main(void) {
  int *p = &x;
  int n = __VERIFIER_nondet_int();
  while (n > 0) {
    n--;
    p = n % 3 == 0 ? &y : &x;
    *p = 3;
  }
  if (p != &x && p != &y) reach_error();
  return 0;
}
