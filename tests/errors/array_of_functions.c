int v[3](void);

int main(void)
{
    return 0;
}
