/* `die` is defined elsewhere and does not come back. */
extern void reach_error(void);
_Noreturn void die(int code);

int main(void)
{
    int x = 3;
    if (x == 3)
        die(1);
    reach_error();
}
