#include <setjmp.h>

extern void reach_error(void);
extern jmp_buf buffer;

int main(void)
{
    longjmp(buffer, 1);
    reach_error();
    return 0;
}
