// Structs and unions that are returned by value, in registers and in memory, used in part or not at all.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct pair { int first, second; };
struct mixed { double d; char c; };
struct large { int numbers[9]; struct pair pair; float f; };
struct bits { unsigned low : 3; signed high : 7; unsigned char byte; long long wide : 40; };
union choice { float f; unsigned char bytes[4]; };
struct __attribute__((packed)) packed { char c; int i; };
extern struct pair unknown_pair(void);
extern struct mixed unknown_mixed(int);
extern struct large unknown_large(void);
extern struct bits unknown_bits(void);
extern union choice unknown_choice(void);
extern struct packed unknown_packed(void);
extern struct pair __VERIFIER_nondet_pair(void);

int main(void)
{
    struct pair p = unknown_pair();
    unknown_pair();
    struct pair q = unknown_pair();
    struct mixed m = unknown_mixed(1);
    struct large l = unknown_large();
    struct bits b = unknown_bits();
    union choice c = unknown_choice();
    struct packed k = unknown_packed();
    struct pair n = __VERIFIER_nondet_pair();
    int after = __VERIFIER_nondet_int();
    if (p.first != 1 || p.second != -2 || q.second != 3 || m.d != 0.5 || m.c != 'x')
        return 0;
    if (l.numbers[0] != 10 || l.numbers[8] != 18 || l.pair.second != 20 || l.f != 2.5f)
        return 0;
    if (b.low != 5 || b.high != -64 || b.byte != 9 || b.wide != -5000000000ll || c.bytes[1] != 0x80)
        return 0;
    if (k.i != 123456 || n.first != 8 || n.second != 9 || after != 6)
        return 0;
    reach_error();
}
