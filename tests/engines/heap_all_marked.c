/* A first pass sets the colour of each node of a list, a second one finds it set. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

struct node {
  int colour;
  struct node *next;
};

int main(void) {
  struct node *first = 0, *node;
  while (__VERIFIER_nondet_int()) {
    node = malloc(sizeof *node);
    node->colour = 1;
    node->next = first;
    first = node;
  }
  for (node = first; node; node = node->next)
    node->colour = 7;
  for (node = first; node; node = node->next)
    __VERIFIER_assert(node->colour == 7);
  return 0;
}
