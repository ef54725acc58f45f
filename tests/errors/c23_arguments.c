int f() { return 1; }
int main(void) { return f(2); }
