/* The call is one of `reach_error`, under another name. */
extern void reach_error(void);
void harmless(void) __asm__("reach_error");

int main(void)
{
    harmless();
    return 0;
}
