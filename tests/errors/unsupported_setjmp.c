#include <setjmp.h>

extern void reach_error(void);
static jmp_buf buffer;

static int prepare(void)
{
    return setjmp(buffer);
}

int main(void)
{
    if (prepare())
        reach_error();
    longjmp(buffer, 1);
}
