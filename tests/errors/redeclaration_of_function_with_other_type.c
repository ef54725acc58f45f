int f(int a);
double f(int a) { return a; }

int main(void)
{
    return 0;
}
