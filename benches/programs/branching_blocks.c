/* A state machine with several variables: in each iteration the environment chooses among branches, most of which are
   irrelevant to the property. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int locked = 0, count = 0, state = 0, load = 0, peak = 0, errors = 0, mode = 1, ticks = 0;
  while (1) {
    int choice = __VERIFIER_nondet_int();
    int amount = __VERIFIER_nondet_int();
    ticks++;
    if (choice == 0 && !locked) {
      locked = 1;
      count++;
    } else if (choice == 1 && locked) {
      locked = 0;
      count--;
    } else if (choice == 2) {
      state = state == 3 ? 0 : state + 1;
    } else if (choice == 3 && amount > 0 && amount < 100) {
      load += amount;
      if (load > 1000)
        load = 0;
    }
    if (load > peak)
      peak = load;
    if (amount == 7)
      errors++;
    if (errors > 3)
      mode = 2;
    if (mode == 2 && choice > 10)
      mode = 1;
    if (count != locked)
      reach_error();
  }
}
