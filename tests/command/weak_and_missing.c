/* Nobody knows whether the weak function exists. */
extern void reach_error(void);
extern int optional(void) __attribute__((weak));

int main(void)
{
    if (!optional)
        reach_error();
    return 0;
}
