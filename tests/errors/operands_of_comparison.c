struct s { int x; };

int main(void)
{
    struct s a = { 1 }, b = { 1 };
    return a == b;
}
