struct unknown;
struct s { int x; struct unknown u; };

int main(void)
{
    return 0;
}
