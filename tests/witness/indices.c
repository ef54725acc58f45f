extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct pair { int x; int y; };
int main(void) {
  struct pair a[8];
  int n = __VERIFIER_nondet_int();
  unsigned k = __VERIFIER_nondet_int();
  if (k >= 8) return 0;
  a[k].y = 5;
  while (n > 0) {
    unsigned m = __VERIFIER_nondet_int();
    n--;
    a[n % 8].x = 1;
    if (m < 8 && m != k) a[m].y = n;
  }
  if (a[k].y != 5) reach_error();
  return 0;
}
