/* The number of moves doubles with each level, and a global counts them. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int moves;

static void tower(int height)
{
    if (height == 0)
        return;
    tower(height - 1);
    moves = moves + 1;
    tower(height - 1);
}

static int expected(int height)
{
    if (height == 0)
        return 0;
    return 1 + 2 * expected(height - 1);
}

int main(void)
{
    int height = __VERIFIER_nondet_int();
    if (height < 0 || height > 30)
        return 0;
    tower(height);
    if (moves != expected(height))
        reach_error();
    return 0;
}
