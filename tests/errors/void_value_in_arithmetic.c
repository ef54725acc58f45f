static void f(void) { }

int main(void)
{
    return 1 + f();
}
