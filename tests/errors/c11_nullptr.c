int *p = nullptr;
int main(void) { return 0; }
