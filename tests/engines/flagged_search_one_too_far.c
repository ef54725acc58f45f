// A search that remembers where it has found something, and what is before that place, and one more.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = 10000;
    int cells[n];
    int wanted = __VERIFIER_nondet_int();
    int found = 0;
    int place;
    for (int i = 0; i < n && !found; i++) {
        if (cells[i] == wanted) {
            found = 1;
            place = i;
        }
    }
    if (found)
        for (int i = place; i < n - 1; i++)
            cells[i] = cells[i + 1];
    if (found)
        for (int i = 0; i <= place; i++)
            if (cells[i] == wanted)
                reach_error();
    return 0;
}
