/* Typedefs of all kinds of types. */
#include "observe.h"

typedef unsigned char byte;
typedef int vector[3];
typedef vector matrix[2];
typedef int (*operation)(int, int), function(int);
typedef struct node { struct node *next; byte value; } node, *list;
typedef enum { NO, YES } answer;
typedef const char *text, letter;
typedef long long int wide;
typedef unsigned const int const_unsigned;
unsigned typedef backward;

static int add(int a, int b) { return a + b; }
static function negate;
static int negate(int x) { return -x; }

int main(void)
{
    byte b = 257;
    vector v = { 1, 2, 3 };
    matrix m = { { 1, 2, 3 }, { 4, 5, 6 } };
    operation op = add;
    node n = { 0, 300 };
    list l = &n;
    answer a = YES;
    text t = "typedef";
    letter c = 'x';
    wide w = 1ll << 40;
    const_unsigned cu = -1;
    backward bw = -2;
    OBSERVE(b);
    OBSERVE(v[2]);
    OBSERVE(m[1][2]);
    OBSERVE(sizeof(matrix));
    OBSERVE(op(3, 4));
    OBSERVE(negate(5));
    OBSERVE(l->value);
    OBSERVE(a);
    OBSERVE(t[4]);
    OBSERVE(c);
    OBSERVE(w);
    OBSERVE(cu);
    OBSERVE(bw);
    OBSERVE(sizeof(list) == sizeof(node *));
    return 0;
}
