extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int x = 1, y = 2;
int main(void) {
  int *p = &x, *q = 0;
  int n = __VERIFIER_nondet_int();
  while (n > 0) {
    n--;
    *p = 1;
    if (n == 7) q = p;
  }
  if (q != 0 && q != p) reach_error();
  if (*p != 1 || y != 2) reach_error();
  return 0;
}
