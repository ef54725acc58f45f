// What is not initialised, or is left by unknown code, and makes no difference.
extern void reach_error(void);
extern void change(int *);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int not_initialised, array[3], changed = 3;
    change(&changed);
    array[1] = __VERIFIER_nondet_int();
    if (array[1] == 321 && (not_initialised | 1) != 0 && (changed & 2) <= 2)
        reach_error();
    return 0;
}
