int main(void) { return f(1); }
