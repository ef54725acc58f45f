// Expressions that the rules of conditions and choices are about.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
    unsigned u = __VERIFIER_nondet_uint(), v = __VERIFIER_nondet_uint();
    _Bool a = __VERIFIER_nondet_int() > 3, b = __VERIFIER_nondet_int() > 4, c = __VERIFIER_nondet_int() > 5;
    unsigned sum = 0;
    sum += !!a;
    sum += a && 0;
    sum += a && b && !a;
    sum += a && (a || b);
    sum += a && (!a || b);
    sum += a || (!a && b);
    sum += x < y && y <= x;
    sum += u < v && u <= v;
    sum += x < 5 && x > 3;
    sum += u < 5 && u > 3;
    sum += u < 5 || u > 3;
    sum += x < 5 || x > 4;
    sum += (x == 1 && x == 2);
    sum += a ? 5 : 6;
    sum += !a ? x : y;
    sum += a ? (a ? x : y) : z;
    sum += a ? z : (a ? x : y);
    sum += x == y ? x : y;
    sum += x == y ? y : x;
    sum += a ? b : 1;
    sum += a ? b : 0;
    sum += a ? 1 : b;
    sum += a ? 0 : b;
    sum += a ? a : b;
    sum += a ? b : a;
    sum += a ? b : !b;
    sum += a ? x : (b ? x : y);
    sum += a ? x : (b ? y : x);
    sum += a ? (b ? x : y) : y;
    sum += a ? (b ? y : x) : y;
    sum += 0 ? x : y;
    sum += (a ? x < 3 : 1);
    sum += (a ? 1 : x < 3);
    sum += (a ? 0 : x < 3);
    sum += (a ? x < 3 : 0);
    sum += (a ? x < 3 : x >= 3);
    sum += a && b && c && x == 1 && y == 2 && z == 3 && u == 4 && v == 5 && !(x == y) && !(y == z);
    sum += !(x < y);
    sum += !(x <= y);
    sum += !(u < v);
    sum += !(u <= v);
    sum += (a ? 3 : 5) + 7;
    sum += 7 - (a ? 3 : 5);
    sum += (unsigned char)(a ? 3 : 500);
    if (sum != sum)
        reach_error();
    return sum;
}
