int f(a) int a; { return a; }
int main(void) { return f(1); }
