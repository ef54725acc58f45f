int main(void)
{
    void v[3];
    return 0;
}
