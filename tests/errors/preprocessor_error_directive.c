#error stop here

int main(void)
{
    return 0;
}
