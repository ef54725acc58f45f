// A cell of a table changes.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int table[100];
void put(int index, int value) {
    table[index] = value;
}
int get(int index) {
    return table[index];
}
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 17)
        put(2, 9);
    if (get(2) == 9)
        reach_error();
    return 0;
}
