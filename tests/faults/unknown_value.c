// The error needs a value that the program does not choose: the sine of 1 is 0.84.
extern void reach_error(void);

extern double sin(double);
int main(void) {
    if (sin(1.0) > 0.9)
        reach_error();
    return 0;
}
