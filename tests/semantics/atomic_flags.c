/* <stdatomic.h>: flags and counters. */
#include "observe.h"
#include <stdatomic.h>

static atomic_flag flag = ATOMIC_FLAG_INIT;

int main(void)
{
    atomic_uint count = 3;
    OBSERVE(atomic_flag_test_and_set(&flag));
    OBSERVE(atomic_flag_test_and_set_explicit(&flag, memory_order_acquire));
    atomic_flag_clear(&flag);
    OBSERVE(atomic_flag_test_and_set(&flag));
    OBSERVE(atomic_fetch_add(&count, 2));
    OBSERVE(atomic_exchange(&count, 9));
    OBSERVE(count);
    return 0;
}
