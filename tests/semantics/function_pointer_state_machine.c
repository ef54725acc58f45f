/* A state machine whose states are functions. */
#include "observe.h"

struct machine;
typedef void (*state)(struct machine *, char);
struct machine { state current; int digits, words; };

static void outside(struct machine *m, char c);
static void in_word(struct machine *m, char c);
static void in_number(struct machine *m, char c)
{
    if (c >= '0' && c <= '9')
        m->digits++;
    else
        m->current = outside;
}
static void in_word(struct machine *m, char c) { if (c == ' ') m->current = outside; }
static void outside(struct machine *m, char c)
{
    if (c >= '0' && c <= '9') {
        m->current = in_number;
        m->current(m, c);
    } else if (c != ' ') {
        m->words++;
        m->current = in_word;
    }
}

int main(void)
{
    struct machine m = { outside, 0, 0 };
    const char *p;
    for (p = "ab 12 c3 456 x"; *p; p++)
        m.current(&m, *p);
    OBSERVE(m.digits);
    OBSERVE(m.words);
    OBSERVE(m.current == in_word);
    m.current(&m, ' ');
    OBSERVE(m.current == outside);
    OBSERVE(sizeof m.current == sizeof(void *));
    return 0;
}
