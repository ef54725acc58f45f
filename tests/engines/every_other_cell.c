// Cells that a loop visits in steps of two are what it writes; those between are not.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int cells[10000];

int main(void)
{
    for (int i = 0; i < 10000; i += 2)
        cells[i] = (__VERIFIER_nondet_int() & 7) + 8;
    for (int i = 0; i < 10000; i += 2)
        if (cells[i] < 8)
            reach_error();
    return 0;
}
