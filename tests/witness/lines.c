extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
#define ASK __VERIFIER_nondet_int()
int main(void) {
  int a = ASK; int b = 0;
  if (a == 5) { b = 1; reach_error(); }
  return b;
}
