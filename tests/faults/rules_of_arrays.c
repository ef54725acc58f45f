// Reads and writes that the rules of arrays are about.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
unsigned a[8], b[8];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint() % 7, j = __VERIFIER_nondet_uint() % 8;
    a[i] = 1;
    a[i + 1] = 2;
    a[i] = 3;
    a[j] = a[j];
    a[j] = a[i];
    b[j] = 0;
    unsigned sum = 0;
    sum += a[i];
    sum += a[i + 1];
    sum += a[j];
    sum += b[i];
    sum += b[j];
    if (sum != sum)
        reach_error();
    return sum;
}
