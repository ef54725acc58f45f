#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int cells[4] = {0, 0, 0, 0};
    int n = __VERIFIER_nondet_int();
    int *cell = malloc(sizeof *cell);
    if (n >= 0 && n < 4)
        cells[n] = 100 / (n + 1);
    int above = n + 1;
    if (n > 3 && n < 2)
        cell = malloc(n / (n - 1));
    *cell = 1 << n;
    if (above == 7 && n != 6)
        reach_error();
    free(malloc(1));
    return 0;
}
