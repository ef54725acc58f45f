int n = 3;
int m = n + 1;

int main(void)
{
    return m;
}
