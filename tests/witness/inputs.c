extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

#define LIMIT 100
#define check(condition) do { if (!(condition)) reach_error(); } while (0)

int add(int a) { return a + __VERIFIER_nondet_int(); }

int main(void) {
  int x = __VERIFIER_nondet_int();
  unsigned char c; c = __VERIFIER_nondet_uchar();
  if (x != 7 || c != 200)
    return 0;
  if (__VERIFIER_nondet_int() != -3)
    return 1;
  int y = add(x);
  for (int i = 0; i < 2; i++) {
    int z = __VERIFIER_nondet_int();
    if (z != i + LIMIT)
      return 2;
  }
  switch (y) {
    case 9: check(x != 7);
  }
  return 0;
}
