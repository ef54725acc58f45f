int main(void)
{
    return sizeof();
}
