/* Structs in a union share their common initial sequence. */
#include "observe.h"

struct header { int kind; };
struct number { int kind; int value; };
struct text { int kind; char letters[8]; };
union message { struct header header; struct number number; struct text text; };

static int measure(const union message *m)
{
    int n = 0;
    switch (m->header.kind) {
    case 1: return m->number.value;
    case 2:
        while (m->text.letters[n])
            n++;
        return n;
    default: return -1;
    }
}

int main(void)
{
    union message m = { .number = { 1, 1234 } }, copy;
    OBSERVE(measure(&m));
    copy = m;
    m.text = (struct text){ 2, "letter" };
    OBSERVE(measure(&m));
    OBSERVE(measure(&copy));
    m.header.kind = 3;
    OBSERVE(measure(&m));
    OBSERVE(m.text.letters[3]);
    OBSERVE(m.number.value);
    OBSERVE(sizeof m);
    return 0;
}
