/* A field of three bits is zero after eight increments; its neighbour is signed. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct fields { unsigned a : 3; int b : 5; };

int main(void)
{
    struct fields f = { 0, 0 };
    int i;
    for (i = 0; i < 8; i++) {
        f.a++;
        f.b = __VERIFIER_nondet_int();
    }
    if (f.a == 0 && f.b == -16)
        reach_error();
    return 0;
}
