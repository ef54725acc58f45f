_Static_assert(sizeof(int) == 3, "this cannot be");

int main(void)
{
    return 0;
}
