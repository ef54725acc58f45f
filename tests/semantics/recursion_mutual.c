/* Functions that call one another. */
#include "observe.h"

static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }

static const char *input;
static int expression(void);
static int number(void) { int n = 0; while (*input >= '0' && *input <= '9') n = n * 10 + *input++ - '0'; return n; }
static int factor(void)
{
    int v;
    if (*input == '-') { input++; return -factor(); }
    if (*input != '(') return number();
    input++;
    v = expression();
    input++;
    return v;
}
static int term(void)
{
    int v = factor();
    while (*input == '*' || *input == '/') {
        char op = *input++;
        int w = factor();
        v = op == '*' ? v * w : v / w;
    }
    return v;
}
static int expression(void)
{
    int v = term();
    while (*input == '+' || *input == '-') {
        char op = *input++;
        int w = term();
        v = op == '+' ? v + w : v - w;
    }
    return v;
}
static int evaluate(const char *text) { input = text; return expression(); }

int main(void)
{
    OBSERVE(even(10));
    OBSERVE(even(7));
    OBSERVE(odd(13));
    OBSERVE(evaluate("1+2*3"));
    OBSERVE(evaluate("(1+2)*3"));
    OBSERVE(evaluate("100/7/2"));
    OBSERVE(evaluate("-(4-10)*-2"));
    OBSERVE(evaluate("2*(3+(4-1)*5)-6"));
    return 0;
}
