extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[4];
int main(void) {
  int n = __VERIFIER_nondet_int();
  unsigned k = __VERIFIER_nondet_int();
  a[1] = 7;
  for (int i = 0; i < n; i++)
    a[2 + k % 2] = i;
  if (a[1] != 7) reach_error();
  return 0;
}
