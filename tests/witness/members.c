extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct inner { unsigned low : 5; _Bool odd; };
struct outer { int i; int j; struct inner in; };
int main(void) {
  struct outer s;
  int n = __VERIFIER_nondet_int();
  s.i = 0;
  s.j = 0;
  s.in.low = 0;
  s.in.odd = 0;
  while (s.i < n) {
    s.i++;
    s.j++;
    s.in.low = (s.in.low + 1) % 6;
    s.in.odd = !s.in.odd;
  }
  if (s.i != s.j || s.in.low > 5) reach_error();
  return 0;
}
