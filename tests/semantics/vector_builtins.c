/* Shuffles and conversions of vectors. */
#include "observe.h"

typedef int v4si __attribute__((vector_size(16)));
typedef unsigned v4ui __attribute__((vector_size(16)));
typedef int v8si __attribute__((vector_size(32)));
typedef signed char v16qi __attribute__((vector_size(16)));
typedef signed char v4qi __attribute__((vector_size(4)));
typedef float v4sf __attribute__((vector_size(16)));
typedef long long v4di __attribute__((vector_size(32)));
typedef unsigned char v4uqi __attribute__((vector_size(4)));

#define ALL(v) do { for (unsigned i = 0; i < sizeof(v) / sizeof (v)[0]; i++) OBSERVE((v)[i]); } while (0)

int main(void)
{
    v4si a = {10, 11, 12, 13}, b = {20, 21, 22, 23}, mask = {3, 6, 1, 5};
    ALL(__builtin_shuffle(a, (v4si){3, 2, 1, 0}));
    ALL(__builtin_shuffle(a, mask));
    ALL(__builtin_shuffle(a, b, mask));
    ALL(__builtin_shuffle(a, b, (v4si){-1, 8, 9, 4}));
    v4sf f = {0.5f, 1.5f, 2.5f, -3.75f};
    v4sf g = __builtin_shuffle(f, mask);
    OBSERVE_FLOAT(g[0]);
    OBSERVE_FLOAT(g[1]);
    v16qi c, m;
    for (int i = 0; i < 16; i++) {
        c[i] = i * 3;
        m[i] = 15 - i;
    }
    ALL(__builtin_shuffle(c, m));
    ALL(__builtin_shuffle(c, m, m * 2));
    ALL(__builtin_shufflevector(a, b, 0, 4, 1, 5));
    v8si joined = __builtin_shufflevector(a, b, 7, 6, 5, 4, 3, 2, 1, 0);
    ALL(joined);
    OBSERVE(__builtin_shufflevector(a, a, 2, 3)[1]);
    ALL(__builtin_convertvector(f, v4si));
    v4sf back = __builtin_convertvector(a, v4sf);
    OBSERVE_FLOAT(back[3]);
    v4di wide = __builtin_convertvector((v4si){-1, 2, -3, 4}, v4di);
    ALL(wide);
    ALL(__builtin_convertvector(wide * 1000, v4qi));
    ALL(__builtin_convertvector((v4ui){1, 300, 0xffffffff, 4}, v4uqi));
    return 0;
}
