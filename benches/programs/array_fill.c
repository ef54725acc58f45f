/* An array of words is filled by a loop, and one of its elements is read. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned words[1000];
  unsigned size = __VERIFIER_nondet_uint(), at = __VERIFIER_nondet_uint();
  if (size > 1000 || at >= size)
    return 0;
  for (unsigned i = 0; i < size; i++)
    words[i] = 7;
  if (words[at] != 7)
    reach_error();
  return 0;
}
