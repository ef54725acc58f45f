extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct pair { int x; int y; };
int main(void) {
  struct pair a[8];
  int n = __VERIFIER_nondet_int();
  unsigned k = __VERIFIER_nondet_int();
  if (k >= 8) return 0;
  a[k].x = 1;
  a[k].y = 5;
  while (n > 0) {
    n--;
    a[k].x = 1;
  }
  if (a[k].y != 5) reach_error();
  return 0;
}
