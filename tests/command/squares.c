/* The property is 2-inductive if one = other is known: what data flow finds and k-induction does not, while data flow
   does not know that no square is 7. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned one = 0, other = 0, last = 0, next = 0;
  while (__VERIFIER_nondet_uint()) {
    unsigned root = __VERIFIER_nondet_uint(), step = __VERIFIER_nondet_uint();
    last = next;
    next = one != other && __VERIFIER_nondet_uint() ? 7 : root * root;
    one += step;
    other += step;
    if (last == 7)
      reach_error();
  }
}
