// Two cells of a table differ.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int table[4];
int main(void) {
    int i = __VERIFIER_nondet_int() & 3;
    table[1] = 5;
    table[2] = 9;
    if (table[1] == 5 && i == 2)
        reach_error();
    return table[i];
}
