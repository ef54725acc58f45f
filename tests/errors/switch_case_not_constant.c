int main(void)
{
    int x = 1, y = 2;
    switch (x) {
    case y: return 1;
    }
    return 0;
}
