/* Insertion keeps a list in descending order. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

struct node {
  struct node *next;
  int key;
};

static void insert(struct node **first, int key) {
  struct node *new = malloc(sizeof *new), **at = first;
  new->key = key;
  while (*at && (*at)->key > key)
    at = &(*at)->next;
  new->next = *at;
  *at = new;
}

int main(void) {
  struct node *first = 0;
  while (__VERIFIER_nondet_int())
    insert(&first, __VERIFIER_nondet_int());
  for (struct node *node = first; node && node->next; node = node->next)
    __VERIFIER_assert(node->key >= node->next->key);
  return 0;
}
