// The error needs a value that the program does not choose.
extern void reach_error(void);

extern double sin(double);
int main(void) {
    if (sin(1.0) > 5.0)
        reach_error();
    return 0;
}
