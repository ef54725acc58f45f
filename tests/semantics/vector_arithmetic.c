/* GNU vectors: operators work element by element, and elements are not promoted. */
#include "observe.h"

typedef int v4si __attribute__((vector_size(16)));
typedef unsigned v4ui __attribute__((vector_size(16)));
typedef signed char v16qi __attribute__((vector_size(16)));
typedef unsigned char v8uqi __attribute__((vector_size(8)));
typedef short v8hi __attribute__((vector_size(16)));
typedef unsigned short v2uhi __attribute__((vector_size(4)));
typedef long long v2di __attribute__((vector_size(16)));
typedef float v4sf __attribute__((vector_size(16)));
typedef double v2df __attribute__((vector_size(16)));

static void observe_v4si(v4si v)
{
    for (int i = 0; i < 4; i++)
        OBSERVE(v[i]);
}

static void observe_v16qi(v16qi v)
{
    for (int i = 0; i < 16; i++)
        OBSERVE(v[i]);
}

int main(void)
{
    v4si a = {1, -2, 3, 40}, b = {7, 5, -3, 6};
    observe_v4si(a + b);
    observe_v4si(a - b);
    observe_v4si(a * b);
    observe_v4si(a / b);
    observe_v4si(a % b);
    observe_v4si(a & b);
    observe_v4si(a | b);
    observe_v4si(a ^ b);
    observe_v4si(-a);
    observe_v4si(~a);
    observe_v4si(+a);
    observe_v4si(a << 2);
    observe_v4si(a >> 1);
    observe_v4si(a << (v4si){1, 2, 3, 4});
    observe_v4si(1 << (v4si){1, 2, 3, 4});
    observe_v4si(a + 10);
    observe_v4si(10 - a);
    observe_v4si(100 / b);
    v4ui u = {1, 0xfffffffe, 3, 4}, w = {2, 2, 2, 0x80000000};
    observe_v4si((v4si)(u / w));
    observe_v4si((v4si)(u >> 1));
    observe_v4si((v4si)(u * w));
    v16qi c = {100, -100, 127, -128, 1, 2, 3, 4}, d = {100, -100, 1, -1, 2, 3, 4, 5};
    observe_v16qi(c + d);
    observe_v16qi(c - d);
    observe_v16qi(c * d);
    observe_v16qi(-c);
    observe_v16qi(c << 3);
    observe_v16qi(c >> 2);
    observe_v16qi(c / 3);
    v8uqi e = {255, 200, 1, 0, 128}, f = {1, 100, 255, 1, 128};
    for (int i = 0; i < 8; i++) {
        OBSERVE((e + f)[i]);
        OBSERVE((e * f)[i]);
        OBSERVE((e >> 1)[i]);
        OBSERVE((~e)[i]);
    }
    v2uhi h = {65535, 2};
    OBSERVE((h * h)[0]);
    OBSERVE((h + h)[0]);
    v8hi s = {32767, -32768, 5};
    OBSERVE((s + 1)[0]);
    OBSERVE((s - 1)[1]);
    v2di l = {0x7fffffffffffffffLL, -5};
    OBSERVE((l ^ 1)[0]);
    OBSERVE((l % 3)[1]);
    OBSERVE((l * 3)[1]);
    v4sf x = {0.1f, 1.5f, -2.0f, 1e30f}, y = {0.2f, 3.0f, 0.5f, 1e30f};
    for (int i = 0; i < 4; i++) {
        OBSERVE_FLOAT((x + y)[i]);
        OBSERVE_FLOAT((x - y)[i]);
        OBSERVE_FLOAT((x * y)[i]);
        OBSERVE_FLOAT((x / y)[i]);
        OBSERVE_FLOAT((-x)[i]);
        OBSERVE_FLOAT((2 * x)[i]);
        OBSERVE_FLOAT((x + 0.5f)[i]);
    }
    v2df z = {0.1, 3}, t = {0.2, -7};
    OBSERVE_DOUBLE((z + t)[0]);
    OBSERVE_DOUBLE((z / t)[1]);
    OBSERVE_DOUBLE((1.0 / t)[1]);
    return 0;
}
