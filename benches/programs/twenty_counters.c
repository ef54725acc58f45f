/* Twenty counters with nondeterministic inputs, branches and additions: what bounded model checking is measured on. The
   property holds, and to see it for one more step takes what was seen for the step before. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0, a8 = 0, a9 = 0;
  int b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0, b7 = 0, b8 = 0, b9 = 0;
  while (1) {
    int choice = __VERIFIER_nondet_int();
    int amount = __VERIFIER_nondet_int();
    if (choice == 0) {
      a0 += amount;
      b0 += amount;
    } else if (choice == 1) {
      a1 += amount;
      b1 += amount;
    } else if (choice == 2) {
      a2 += amount + 1;
      b2 += amount;
      b2++;
    } else {
      a3 += 3;
      b3 += 3;
    }
    if (amount > 0) {
      a4++;
      b4++;
    } else {
      a5 += a4;
      b5 += b4;
    }
    if (choice > amount) {
      a6 += choice;
      b6 += choice;
      a7--;
      b7--;
    }
    a8 += a7;
    b8 += b7;
    a9 += 2;
    b9 += 2;
    if (a0 != b0 || a1 != b1 || a2 != b2 || a3 != b3 || a4 != b4)
      reach_error();
    if (a5 != b5 || a6 != b6 || a7 != b7 || a8 != b8 || a9 != b9)
      reach_error();
  }
}
