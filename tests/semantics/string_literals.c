/* Adjacent literals join; sizes count the null byte; each is an array. */
#include "observe.h"
#include <string.h>

int main(void)
{
    const char *joined = "one" " " "two" "";
    const char *p = "pointer", *q = p + 3;
    char copy[] = "ab" "cd";
    OBSERVE(strlen(joined));
    OBSERVE(joined[4]);
    OBSERVE(sizeof "abc" "def");
    OBSERVE(sizeof "");
    OBSERVE(sizeof "a\0b");
    OBSERVE(strlen("a\0b"));
    OBSERVE(*q);
    OBSERVE(sizeof copy);
    OBSERVE("literal"[3]);
    OBSERVE(*("xyz" + 1));
    OBSERVE(*"");
    OBSERVE((&"abc")[0][1]);
    OBSERVE("\x41" "B"[0]);
    OBSERVE(sizeof(char *) == sizeof(joined));
    return 0;
}
