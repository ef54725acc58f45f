int main(void)
{
    int x = 1;
    switch (x) {
    case 1 ... 5: return 1;
    case 4 ... 9: return 2;
    }
    return 0;
}
