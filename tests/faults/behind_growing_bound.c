// The bound of a loop moves away.
extern void reach_error(void);

int main(void) {
    unsigned i = 0, n = 10;
    while (i != n) {
        i = i + 1;
        n = n + 1;
    }
    reach_error();
}
