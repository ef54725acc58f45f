int main(void)
{
    default: return 1;
}
