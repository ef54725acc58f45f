// -std=c99
/* In C99 and its kind there are trigraphs, and no extensions with plain names. */
#include "observe.h"

int main(void)
??<
    int typeof = 1, asm = 2, linux = 3;
    OBSERVE(typeof + asm + linux);
    OBSERVE(sizeof("??/n"));
    OBSERVE(__STDC_VERSION__);
#ifdef __STRICT_ANSI__
    OBSERVE(4);
#endif
    return 0;
??>
