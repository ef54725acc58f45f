/* In iteration 200 one input matters. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int i = 0;
    while (1) {
        int input = __VERIFIER_nondet_int();
        if (i == 200 && input == 0x5EED)
            reach_error();
        if (input == -1)
            break;
        i++;
    }
    return 0;
}
