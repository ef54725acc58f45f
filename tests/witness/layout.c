extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct cell { char tag; short v[3]; unsigned f : 4, g : 12; };
struct cell grid[2][3];
union { int whole; unsigned short half[2]; } u;
int b[3], c[3];
int main(void) {
  unsigned n = __VERIFIER_nondet_int();
  int *p = n % 2 ? b : c;
  grid[1][2].g = 9;
  grid[1][1].v[2] = 4;
  u.half[1] = 3;
  b[1] = 1;
  c[2] = 2;
  while (n > 0) {
    n--;
    p[0] = n;
    grid[0][n % 3].f = n;
    grid[0][n % 3].g = n;
    grid[0][n % 3].v[n % 2] = n;
    u.half[0] = n;
  }
  if (grid[1][2].g != 9 || grid[1][1].v[2] != 4) reach_error();
  if (b[1] != 1 || c[2] != 2 || u.half[1] != 3) reach_error();
  return 0;
}
