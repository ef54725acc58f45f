static x;
int main(void) { return x; }
