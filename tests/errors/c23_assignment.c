int main(void) { constexpr int m = 1; m = 2; }
