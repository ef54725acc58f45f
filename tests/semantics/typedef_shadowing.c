/* A variable, parameter or member may have a typedef's name. */
#include "observe.h"

typedef int T;
typedef char U;
struct s { T T; U U; };

static int parameter(int T) { return T + 1; }
static T result(T U) { return U * 2; }

int main(void)
{
    T x = 5;
    struct s s = { 1, 2 };
    OBSERVE(sizeof(U));
    {
        int T = 3, y = T * 4;
        OBSERVE(T);
        OBSERVE(y);
        OBSERVE((T) + 1);
        {
            typedef long long T;
            T z = 1ll << 35;
            OBSERVE(z);
            OBSERVE(sizeof(T));
        }
        OBSERVE(T * x);
    }
    {
        T U = 300;
        OBSERVE(U);
        OBSERVE(sizeof(U));
    }
    {
        typedef U V;
        typedef short U;
        OBSERVE(sizeof(V) * 10 + sizeof(U));
    }
    OBSERVE(s.T + s.U);
    OBSERVE(parameter(7));
    OBSERVE(result(8));
    T: x++;
    OBSERVE((T)3.7 + x);
    return 0;
}
