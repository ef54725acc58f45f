/* Twenty counters with nondeterministic inputs, branches and additions, for measuring bounded model checking. The
   property holds. It is checked after each iteration, and the check for an iteration depends on the results for the
   iterations before it. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int sent = 0, received = 0, lost = 0, waiting = 0, most = 0;
  int head = 0, tail = 0, length = 0, full = 0, empty = 1;
  int even = 0, odd = 1, third = 0, up = 0, down = 1000;
  int low = 0, high = 100, total = 0, turn = 0, credit = 8;
  while (1) {
    int choice = __VERIFIER_nondet_int();
    int amount = __VERIFIER_nondet_int();

    if (choice == 0 && waiting < 64) {
      sent++;
      waiting++;
    } else if (choice == 1 && waiting > 0) {
      waiting--;
      if (amount & 1)
        received++;
      else
        lost++;
    }
    if (waiting > most)
      most = waiting;

    if (choice > 10 && length < 16) {
      head = head == 15 ? 0 : head + 1;
      length++;
    } else if (choice < -10 && length > 0) {
      tail = tail == 15 ? 0 : tail + 1;
      length--;
    }
    full = length == 16;
    empty = length == 0;

    even += amount + amount;
    odd += choice + choice + 4;
    third = third >= 2 ? 0 : third + 1;
    if (amount > 0 && up < 1000 && down > 0) {
      up++;
      down--;
    }
    if (amount > choice && high - low > 2) {
      low++;
      high--;
    } else if (low > 0 && high < 100) {
      low--;
      high++;
    }
    total += amount > 100 ? 4 : 2;
    turn = turn + third > 30 ? 0 : turn + third;
    if (choice == turn && credit > 0)
      credit--;
    else if (credit < 8)
      credit++;

    if (waiting < 0 || most < waiting || most > 64)
      reach_error();
    if (head < 0 || head > 15 || tail < 0 || tail > 15 || length < 0 || length > 16)
      reach_error();
    if (full && empty || ((head - tail - length) & 15) != 0)
      reach_error();
    if (even & 1 || !(odd & 1) || third < 0 || third > 2)
      reach_error();
    if (up < 0 || up > 1000 || down < 0 || down > 1000 || low < 0 || low > high || high > 100)
      reach_error();
    if (total & 1 || turn < 0 || turn > 30 || credit < 0 || credit > 8)
      reach_error();
  }
}
