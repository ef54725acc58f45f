/* strcmp, strncmp, strchr, strrchr, strstr, strspn, strcspn, strpbrk. */
#include "observe.h"
#include <string.h>

int main(void)
{
    const char *s = "abracadabra";
    OBSERVE(strcmp(s, "abracadabra"));
    OBSERVE(strcmp("abc", "abd") < 0);
    OBSERVE(strcmp("b", "abc") > 0);
    OBSERVE(strcmp("ab", "abc") < 0);
    OBSERVE(strcmp("\xff", "a") > 0);
    OBSERVE(strncmp("abcx", "abcy", 3));
    OBSERVE(strncmp("abcx", "abcy", 4) < 0);
    OBSERVE(strncmp("ab", "ab", 10));
    OBSERVE(strchr(s, 'c') - s);
    OBSERVE(strrchr(s, 'b') - s);
    OBSERVE(strchr(s, 'x') == NULL);
    OBSERVE(strchr(s, 0) - s);
    OBSERVE(strstr(s, "dab") - s);
    OBSERVE(strstr(s, "") == s);
    OBSERVE(strstr(s, "abx") == NULL);
    OBSERVE(strspn(s, "abr"));
    OBSERVE(strcspn(s, "cd"));
    OBSERVE(strpbrk(s, "dr") - s);
    return 0;
}
