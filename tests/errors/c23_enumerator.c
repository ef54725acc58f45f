enum e : unsigned char { A = 256 };
int main(void) { return A; }
