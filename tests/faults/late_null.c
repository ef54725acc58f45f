/* The loop seems to have no end, and comes to an access through a null pointer after 2^39 rounds. */
int *pointer, cell;

int main(void) {
  unsigned long n = 1;
  pointer = &cell;
  while (n != 0) {
    n += 2;
    *pointer = 1;
    if (n == (1ul << 40) + 1) pointer = 0;
  }
  return 0;
}
