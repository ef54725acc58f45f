// The error needs a pointer to an object of the program from outside.
extern void reach_error(void);
extern int *unknown_pointer(void);
int object;

int main(void)
{
    if (unknown_pointer() == &object)
        reach_error();
    return 0;
}
