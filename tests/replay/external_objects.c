// Objects that are defined elsewhere.
extern void reach_error(void);
extern int number;
extern const char letters[4];
extern struct { short s; long l; } both;

int main(void)
{
    if (number == 17 && letters[0] == 'a' && letters[3] == 'd' && both.s == -3 && both.l == 1000000)
        reach_error();
    return 0;
}
