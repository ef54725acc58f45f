/* Every cell is twice its index, whatever the length; a copy has the same. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

#define LENGTH 100000

int main(void)
{
    unsigned a[LENGTH], b[LENGTH], n = __VERIFIER_nondet_uint(), i;
    if (n > LENGTH)
        return 0;
    for (i = 0; i < n; i++)
        a[i] = 2 * i;
    for (i = 0; i < n; i++)
        b[i] = a[i];
    for (i = 0; i < n; i++)
        if (b[i] != i + i)
            reach_error();
    return 0;
}
