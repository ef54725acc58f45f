/* Beyer and Dangl, section 4.9, a path program: a number that is kept positive. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int balance = 1000, amount = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int()) {
        amount = __VERIFIER_nondet_int();
        if (amount < 0 || amount > 100)
            amount = 50;
        if (balance >= amount)
            balance -= amount;
        if (balance < 2000000)
            balance += 60;
        if (__VERIFIER_nondet_int() && balance < 0)
            reach_error();
    }
    return 0;
}
