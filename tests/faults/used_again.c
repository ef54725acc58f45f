/* What was freed may be where the next object is. */
#include <stdlib.h>
void reach_error(void) {}

int main(void) {
  char *first = malloc(8), *second;
  free(first);
  second = malloc(8);
  if (first == second)
    reach_error();
  return 0;
}
