extern int n;
constexpr int m = n;
int main(void) { return m; }
