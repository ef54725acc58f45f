// Functions without a definition: values that are used or not, in loops, through prototypes with parameters, none at all.
extern void reach_error(void);
extern int unknown(int, const char *);
extern void without_result(int);
extern unsigned char old_style();
extern int never_called(void);
extern int *null_pointer(void);
enum color { RED, GREEN, BLUE };
extern enum color unknown_color(void);
extern int variadic(const char *, ...);
static const int wanted[4] = {7, -7, 0, 2147483647};

int main(void)
{
    int count = 0;
    without_result(3);
    for (int i = 0; i < 4; i++) {
        unknown(i, "not used");
        if (unknown(i, "used") == wanted[i])
            count++;
    }
    if (count == 5)
        never_called();
    if (old_style(1, 2.0) == 200)
        count++;
    if (unknown_color() == BLUE)
        count++;
    if (variadic("%d", 1) == -1)
        count++;
    if (null_pointer() == 0)
        count++;
    if (count == 8)
        reach_error();
    return 0;
}
