/* _Float16: operators compute in float, and the result is rounded when it is assigned or cast. */
#include "observe.h"

_Float16 constant = 1.0f16 / 3.0f16;
float unrounded = 1.0f16 / 3.0f16;

static _Float16 same(_Float16 x) { return x; }
static _Float16 product(_Float16 x, _Float16 y) { return x * y; }

int main(void)
{
    volatile _Float16 a = 0.1f16, b = 0.3f16, c;
    volatile _Float16 tiny = 0x1p-24f16, large = 65504.0f16;
    OBSERVE_FLOAT(constant);
    OBSERVE_FLOAT(unrounded);
    OBSERVE_FLOAT(a * b);
    OBSERVE_FLOAT((_Float16)(a * b));
    OBSERVE_DOUBLE(a * b);
    OBSERVE_FLOAT(-(a * b));
    OBSERVE_FLOAT((0, a * b));
    OBSERVE_FLOAT(({ a * b; }));
    OBSERVE_FLOAT(c = a * b);
    OBSERVE(a * b == c);
    OBSERVE((_Float16)(a * b) == c);
    OBSERVE_FLOAT(a * b + 1.0f);
    OBSERVE_FLOAT(a * b + a);
    OBSERVE((int)(a * b * 1000));
    OBSERVE((int)(a * b * 4096 * 8));
    OBSERVE_FLOAT(same(a * b));
    OBSERVE_FLOAT(product(a, b));
    OBSERVE_FLOAT(a / b - b / a);
    OBSERVE(sizeof(a * b));
    OBSERVE(!(tiny * tiny));
    OBSERVE((_Bool)(tiny * tiny));
    OBSERVE(tiny * tiny && 1);
    c = tiny * tiny;
    OBSERVE_FLOAT(c);
    c = large + large;
    OBSERVE_FLOAT(c);
    OBSERVE_FLOAT(large + large - large);
    c = a;
    c *= b;
    OBSERVE_FLOAT(c);
    c = 1;
    c++;
    c -= 4;
    OBSERVE_FLOAT(c);
    c = 2049;
    OBSERVE_FLOAT(c);
    c = 70000LL;
    OBSERVE_FLOAT(c);
    c = 0x1.002p0 + 0x1p-40;
    OBSERVE_FLOAT(c);
    OBSERVE((long long)(a * 1000000));
    OBSERVE(a < 1000000);
    unsigned char byte = 200;
    c = 1.5f16;
    OBSERVE_FLOAT(byte * c);
    float sum = 0;
    sum += a * b;
    OBSERVE_FLOAT(sum);
    _Float16 elements[3] = { 1, 0.5f16, a };
    c = 0;
    for (int i = 0; i < 3; i++)
        c += elements[i] * elements[i];
    OBSERVE_FLOAT(c);
    OBSERVE(c < 1.5f16);
    OBSERVE(a < b);
    return 0;
}
