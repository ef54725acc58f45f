// Cells that are filled at once.
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
        put(1, 5);
    if (get(0) + get(3) * get(1) != 0)
        reach_error();
    return get(1);
}
