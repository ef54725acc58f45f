/* Only what is positive is pushed on the stack, so all of it is. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

struct item {
  struct item *below;
  int amount;
};

int main(void) {
  struct item *top = 0;
  while (__VERIFIER_nondet_int()) {
    int amount = __VERIFIER_nondet_int();
    if (amount > 0) {
      struct item *item = malloc(sizeof *item);
      item->amount = amount;
      item->below = top;
      top = item;
    }
  }
  for (struct item *item = top; item; item = item->below)
    __VERIFIER_assert(item->amount > 0);
  return 0;
}
