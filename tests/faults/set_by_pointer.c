int main(void) {
  int x, *p = &x;
  *p = 1;
  return x;
}
