static int one(void) { return 1; }

int main(void)
{
    return one(2);
}
