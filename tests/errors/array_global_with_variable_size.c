int n = 3;
int v[n];

int main(void)
{
    return 0;
}
