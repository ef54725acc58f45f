/* Old C: a missing type is int, for main as well. */
#include "observe.h"

counter = 3;
static offset = 4, *where = &offset;
const limit = 10;
twice(n) { return 2 * n; }
static difference(a, b) { return a - b; }
extern late;

main()
{
    register i;
    auto total = 0;
    static calls = 7;
    const k = 5;
    for (i = 0; i < 4; i++)
        total += twice(i);
    OBSERVE(total);
    OBSERVE(counter + offset);
    OBSERVE(*where);
    OBSERVE(limit);
    OBSERVE(difference(3, 9));
    OBSERVE(++calls);
    OBSERVE(k + late);
    OBSERVE(sizeof counter);
    return 0;
}

late = 90;
