/* The pointer is at the error function after two right inputs. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void (*next)(int);
static void third(int x) { if (x < 0) reach_error(); }
static void second(int x) { if (x == 77) next = third; }
static void first(int x) { if (x == 66) next = second; }

int main(void)
{
    next = first;
    while (1)
        next(__VERIFIER_nondet_int());
}
