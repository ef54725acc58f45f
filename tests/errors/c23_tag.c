struct s { int a; };
struct s { long a; };
int *p = nullptr;
int main(void) { return 0; }
