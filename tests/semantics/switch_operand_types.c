/* The operand is promoted; the labels are converted to its type. */
#include "observe.h"

static int on_char(char c) { switch (c) { case -1: return 1; case 255: return 2; case 'x': return 3; } return 0; }
static int on_uchar(unsigned char c) { switch (c) { case -1: return 1; case 255: return 2; } return 0; }
static int on_unsigned(unsigned u) { switch (u) { case -1: return 1; case 0x80000000: return 2; } return 0; }
static int on_long_long(long long l) { switch (l) { case 0x100000000ll: return 1; case 0: return 2; case -1: return 3; } return 0; }
static int on_int(int i) { switch (i) { case 0x100000005ll: return 1; case 0: return 2; } return 0; }
enum e { A = -3, B = 4 };
static int on_enum(enum e e) { switch (e) { case A: return 1; case B: return 2; } return 0; }

int main(void)
{
    OBSERVE(on_char(-1));
    OBSERVE(on_char(255));
    OBSERVE(on_char('x'));
    OBSERVE(on_uchar(255));
    OBSERVE(on_unsigned(-1));
    OBSERVE(on_unsigned(1u << 31));
    OBSERVE(on_long_long(1ll << 32));
    OBSERVE(on_long_long(0));
    OBSERVE(on_long_long(-1));
    OBSERVE(on_int(5));
    OBSERVE(on_int(0));
    OBSERVE(on_enum(A) * 10 + on_enum(B));
    return 0;
}
