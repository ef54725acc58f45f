typedef int v3 __attribute__((vector_size(12)));

int main(void)
{
    return 0;
}
