/* The last cell is not written: no proof is possible, and the error is far away. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

#define LENGTH 2000000

static int a[LENGTH];

int main(void)
{
    int i, j;
    for (i = 0; i < LENGTH - 1; i++)
        a[i] = 1;
    j = __VERIFIER_nondet_int();
    if (j >= 0 && j < LENGTH && a[j] != 1)
        reach_error();
    return 0;
}
