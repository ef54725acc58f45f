/* Once the way past the first statement is known to be none, the loop is cut elsewhere than before: at `body`, where the
   simplifier has used that a is zero. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a = 0, mode = 1;
    unsigned x = 0, y = 0;
    if (mode == 0)
        goto again;
    goto body;
again:
    if (!__VERIFIER_nondet_int()) {
        if (x != y)
            reach_error();
        return 0;
    }
    a = 0;
body:
    a = a + 1;
    x += a;
    y += 1;
    goto again;
}
