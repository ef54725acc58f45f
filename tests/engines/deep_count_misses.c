/* The loops run some 10^9 iterations, all alike. */
extern void reach_error(void);

static unsigned next(unsigned x) {
    return x + 3;
}

int main(void) {
    unsigned x = 0, y = 0;
    while (x < 0x3ffffffe) {
        for (y = 0; y < 9; y++) {
        }
        x = next(x);
    }
    if (x != 0x3ffffffe) {
        reach_error();
    }
    return 0;
}
