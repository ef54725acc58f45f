/* Vectors as objects: initialisers, members, arrays, unions, parameters, results, subscripts, casts. */
#include "observe.h"
#include <string.h>

typedef int v4si __attribute__((vector_size(16)));
typedef unsigned char v16uqi __attribute__((vector_size(16)));
typedef short v4hi __attribute__((vector_size(8)));
typedef int v2si __attribute__((vector_size(8)));
typedef float v4sf __attribute__((vector_size(16)));
typedef double v2df __attribute__((mode(V2DF)));

int plain __attribute__((vector_size(8))) = {5, 6};
static v4si table[3] = {{1, 2, 3, 4}, {5, 6}};
static v4si flat[2] = {1, 2, 3, 4, 5, 6, 7, 8};
const v4si constant = {9, 8, 7, 6};
union view { v4si v; int a[4]; v16uqi bytes; };
struct holder { char c; v4si v; v2si w; };
struct declared { int x __attribute__((vector_size(16))); float y[2] __attribute__((vector_size(8))); __attribute__((vector_size(8))) short z, w; };

static void observe_v4si(v4si v)
{
    OBSERVE(v[0]);
    OBSERVE(v[1]);
    OBSERVE(v[2]);
    OBSERVE(v[3]);
}

static v4si sum(v4si a, v4si b)
{
    a[0] += 100;
    return a + b;
}

static v4si *pointed(v4si *p)
{
    *p = *p * 2;
    return p;
}

static int *__attribute__((vector_size(16))) behind(int *p __attribute__((vector_size(16))))
{
    (*p)[1]++;
    return p;
}

static struct holder held(v4si v)
{
    struct holder result = {1, v, {2, 3}};
    return result;
}

int main(void)
{
    v4si a = {1, 2, 3, 4}, part = {7}, copy;
    copy = a;
    copy[2] = 30;
    observe_v4si(a);
    observe_v4si(copy);
    observe_v4si(part);
    OBSERVE(plain[0] + 10 * plain[1]);
    observe_v4si(table[1]);
    observe_v4si(table[2]);
    observe_v4si(flat[1]);
    observe_v4si(constant);
    observe_v4si(sum(a, copy));
    observe_v4si(*pointed(&copy));
    observe_v4si(*behind(&copy));
    OBSERVE(sizeof(struct holder));
    OBSERVE(sizeof(v4si) + 100 * _Alignof(v4si));
    OBSERVE(__alignof__(a));
    struct holder h = held(a);
    observe_v4si(h.v);
    OBSERVE(h.w[1]);
    h.v += 1;
    h.v -= (v4si){0, 1, 2, 3};
    h.v *= h.v;
    h.v <<= 1;
    h.v |= 1;
    observe_v4si(h.v);
    a++;
    observe_v4si(a++);
    observe_v4si(++a);
    observe_v4si(a--);
    observe_v4si(--a);
    int i = 1;
    a[i++] = 50;
    a[i] += 3;
    OBSERVE(a[i]++);
    OBSERVE(--a[i + 1]);
    observe_v4si(a);
    OBSERVE(sum(a, a)[i]);
    OBSERVE((a + a)[i + 1]);
    int *element = (int *)&a;
    element[3] = -1;
    observe_v4si(a);
    union view u;
    for (int k = 0; k < 4; k++)
        u.a[k] = k * 0x01010101;
    u.v = u.v + (v4si){1, 1, 1, 1};
    OBSERVE(u.a[3]);
    OBSERVE(u.bytes[4]);
    v16uqi bytes = (v16uqi)u.v;
    OBSERVE(bytes[8]);
    OBSERVE(bytes[12]);
    v4hi shorts = (v4hi)0x0001000200030004LL;
    OBSERVE(shorts[0]);
    OBSERVE(shorts[3]);
    OBSERVE((long long)shorts);
    OBSERVE((long long)(v2si){1, 2});
    OBSERVE(((v4si)(v4sf){1.0f, -2.0f})[1]);
    v4si moved;
    memcpy(&moved, &a, sizeof a);
    observe_v4si(moved);
    v4si old = a;
    v4si swapped = (a = moved + 1, old);
    observe_v4si(swapped);
    __typeof__(a) chosen = i ? a : moved;
    observe_v4si(chosen);
    observe_v4si(({ v4si inner = a; inner[0] = 77; inner; }));
    volatile v4si vol = {1, 2, 3, 4};
    vol[1] = vol[0] + 4;
    OBSERVE(vol[1]);
    v2df doubles = {1.5, 2.5};
    OBSERVE_DOUBLE((doubles * doubles)[1]);
    struct declared d = {{1, 2, 3, 4}, {{1.5f, 2}, {3, 4}}, {1, 2}, {5}};
    OBSERVE(sizeof d);
    OBSERVE(d.x[3] + d.w[0]);
    OBSERVE_FLOAT(d.y[1][0]);
    OBSERVE((a = (v4si){})[0]);
    const v4si *read = &constant;
    OBSERVE((*read)[2]);
    OBSERVE(read[0][3]);
    return 0;
}
