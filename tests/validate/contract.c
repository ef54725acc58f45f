extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct Pair { int first, second; };
int steps;
static int
sum(int n, int (*next)(int), const int limits[2])
{
  int rest;
  if (n <= limits[0]) return 0;
  rest = sum(next(n), next, limits);
  return rest + 1;
}
static int before(int n) { return n - 1; }
int main(void) {
  int limits[2] = {0, 1000};
  int n = __VERIFIER_nondet_int();
  if (n < limits[0] || n > limits[1]) return 0;
  if (sum(n, before, limits) < 0) reach_error();
  return 0;
}
