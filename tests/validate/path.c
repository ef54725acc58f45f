extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int add(int a) {
  return a + 1;
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = __VERIFIER_nondet_int();
  if (x > 3)
    y = add(y);
  for (int i = 0; i < 3; i++)
    x = x > 0 ? x - 1 : x;
  if (x == 4 && y == 8)
    reach_error();
  return 0;
}
