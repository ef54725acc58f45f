static int unused(void)
{
    return missing;
}

int main(void)
{
    return 0;
}
