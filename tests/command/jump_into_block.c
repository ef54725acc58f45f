/* On the second way into the block, the array's cells are not what they were at the end of the first. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    unsigned i = __VERIFIER_nondet_int() & 1;
    for (int k = 0; k < 2; k++) {
        if (k == 1)
            goto inside;
        {
            int cells[2];
            cells[0] = cells[1] = 0;
        inside:
            if (cells[i] == 9)
                reach_error();
        }
    }
    return 0;
}
