/* Two members of each struct are related; one struct in two is written. */
extern void reach_error(void);

struct pair {
    unsigned first;
    unsigned second;
};

struct pair pairs[4000];

int main(void) {
    unsigned i;
    for (i = 0; i < 4000; i += 2) {
        pairs[i].first = i;
        pairs[i].second = i + 7;
    }
    for (i = 0; i < 4000; i += 2) {
        if (pairs[i].second - pairs[i].first != 7) {
            reach_error();
        }
    }
    return 0;
}
