// Three values go round. That the first two differ is no inductive invariant: from any state it takes three rounds
// without an error to know it of the next.
//
//   regatta examples/rotation.c         prints RESULT: TRUE
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int first = 1, second = 2, third = 3;
  while (__VERIFIER_nondet_int()) {
    if (first == second)
      reach_error();
    int last = third;
    third = second;
    second = first;
    first = last;
  }
}
