struct s { int x; };
struct s { int y; };

int main(void)
{
    return 0;
}
