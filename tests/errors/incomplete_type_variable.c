struct unknown;

int main(void)
{
    struct unknown u;
    return 0;
}
