extern void *malloc(unsigned long);
int main(void) {
  char *p = malloc(8);
  long *q = (long *)(p + 4);
  return q != 0;
}
