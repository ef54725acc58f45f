/* C23's `[[…]]` says the same as `__attribute__((…))`. */
#include "observe.h"

[[gnu::aligned(32)]] static int wide;
struct [[gnu::packed]] packed { char c; int i; };
struct member { char c; [[gnu::aligned(16)]] int i; };
typedef int vague [[gnu::aligned(8)]];
[[maybe_unused]] static int unused;

[[nodiscard, gnu::noinline]] static int value([[maybe_unused]] int x)
{
    switch (x) {
    case 1:
        x = 2;
        [[fallthrough]];
    default:
        return x;
    }
}

int main(void)
{
    observe_value(__alignof__(wide));
    observe_value(sizeof(struct packed));
    observe_value(sizeof(struct member));
    observe_value(__alignof__(vague));
    observe_value(value(1));
    return 0;
}
