/* Orders that C fixes: &&, ||, ?:, comma, full expressions, calls. */
#include "observe.h"

static int log_, x;
static int note(int n) { log_ = log_ * 10 + n; return n; }
static int set(int n) { x = n; return n; }
static int get(int n) { return x + n; }

int main(void)
{
    int i = 1, v[3] = { 0 };
    note(1), note(2), note(3);
    OBSERVE(log_);
    log_ = 0;
    note(1) && note(0) && note(2) || note(3);
    OBSERVE(log_);
    log_ = 0;
    note(0) ? note(1) : note(2);
    OBSERVE(log_);
    log_ = 0;
    note(note(note(2) + 1) + 1);
    OBSERVE(log_);
    OBSERVE((set(5), get(1)));
    OBSERVE(get(set(7)));
    i = i++ && i++;
    OBSERVE(i);
    i = (i = 3, i + 1);
    OBSERVE(i);
    for (i = set(0); get(0) < 3; set(get(1)))
        v[x] = i++;
    OBSERVE(v[2]);
    {
        int a = set(9), b = get(1), c = set(b);
        OBSERVE(a + b + c + x);
    }
    return 0;
}
