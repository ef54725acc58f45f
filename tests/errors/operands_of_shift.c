int main(void)
{
    float f = 1.0f;
    return 1 << f;
}
