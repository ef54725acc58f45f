#include <stdlib.h>

int main(void) { return 0; }
int f(void) { return undeclared; }
