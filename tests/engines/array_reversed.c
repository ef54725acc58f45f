/* What a loop has written is read the other way round. */
extern void reach_error(void);

int main(void) {
    int from[5000], to[5000];
    int i;
    for (i = 0; i < 5000; i++) {
        to[4999 - i] = from[i];
    }
    for (i = 0; i < 5000; i++) {
        if (to[i] != from[4999 - i]) {
            reach_error();
        }
    }
    return 0;
}
