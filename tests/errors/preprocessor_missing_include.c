#include "no_such_header_of_ours.h"

int main(void)
{
    return 0;
}
