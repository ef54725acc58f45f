/* Volatile objects of the program's own, read and written in all forms: nothing but the program changes them. */
#include "observe.h"

struct inner { unsigned low : 3; int high : 5; unsigned long long wide : 40; };
struct device {
    unsigned char status;
    volatile short count;
    struct inner bits;
    int data[3];
    union { float real; unsigned word; } value;
    _Bool ready : 1;
};

static volatile struct device device;
static struct device plain = { 1, -2, { 3, -4, 1ull << 39 }, { 5, 6, 7 }, { 1.5f }, 1 };
static volatile unsigned char small;
static int *volatile where;
static volatile long cells[4];

static long sum(volatile long *cell, int count)
{
    long result = 0;
    while (count-- > 0)
        result += *cell++;
    return result;
}

static struct device copied(struct device by_value)
{
    by_value.count++;
    return by_value;
}

int main(void)
{
    int n = 0;
    volatile struct device *pointer = &device;

    OBSERVE(small = 0x1ff);
    OBSERVE(small++);
    OBSERVE(small);
    OBSERVE(--small);
    OBSERVE(small <<= 4);
    OBSERVE(device.bits.low = 13);
    OBSERVE(device.bits.high = 17);
    OBSERVE(pointer->bits.high += 1);
    OBSERVE(pointer->bits.wide = (1ull << 41) + 5);
    OBSERVE(pointer->bits.wide--);
    OBSERVE(device.bits.wide);
    OBSERVE(device.ready = 4);
    OBSERVE(pointer->bits.low++);
    OBSERVE(device.bits.low);

    device = plain;
    OBSERVE(pointer->count);
    OBSERVE(device.data[1]);
    OBSERVE(device.value.word);
    OBSERVE(device.bits.high);
    pointer->data[n = 2] = 9;
    plain = copied(*pointer);
    OBSERVE(plain.count);
    OBSERVE(plain.data[2]);
    OBSERVE(plain.bits.wide >> 32);
    *pointer = (struct device){ .status = 0x80, .value = { .word = 0x40000000 } };
    OBSERVE(device.status);
    OBSERVE_FLOAT(device.value.real);

    where = &n;
    *where = 4;
    OBSERVE(n);
    OBSERVE(*where++ == 4 && where == &n + 1);

    for (volatile int i = 0; i < 4; i++)
        cells[i] = i * i;
    OBSERVE(sum(cells, 4));
    OBSERVE(cells[1] = cells[2] = cells[3]);
    OBSERVE((cells[0] ? cells[1] : cells[2]) + (cells[0] || cells[3]));
    OBSERVE(*(volatile int *)&n);
    return 0;
}
