// The error needs what unknown code leaves in memory.
extern void reach_error(void);
extern void fill(int *);

int main(void)
{
    int x = 0;
    fill(&x);
    if (x == 99)
        reach_error();
    return 0;
}
