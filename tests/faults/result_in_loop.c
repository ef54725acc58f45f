// The result of the second call counts.
extern void reach_error(void);

int next(int x) {
    return x * x + 1;
}
int main(void) {
    int y = 0;
    for (int i = 0; i < 2; i++)
        y = next(i);
    if (y == 2)
        reach_error();
    return 0;
}
