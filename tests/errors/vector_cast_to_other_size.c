typedef int v4 __attribute__((vector_size(16)));
typedef int v2 __attribute__((vector_size(8)));

int main(void)
{
    v4 v = {1, 2, 3, 4};
    v2 w = (v2)v;
    return w[0];
}
