/* What the assembly does is not known: neither verdict can be given. */
extern void reach_error(void);
static int hidden;

int main(void)
{
    int cells[2] = {0, 0}, result;
    __asm__ volatile("movl $5, 4(%0)" : : "r"((unsigned long)cells) : "memory");
    __asm__("movl $6, %0" : "=r"(result));
    if (cells[1] == 5 && result == 6 && hidden == 0)
        reach_error();
    return 0;
}
