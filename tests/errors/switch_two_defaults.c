int main(void)
{
    int x = 1;
    switch (x) {
    default: return 1;
    default: return 2;
    }
}
