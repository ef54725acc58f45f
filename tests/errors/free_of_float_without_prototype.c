void free();

int main(void)
{
    double x = 1;
    free(x);
    return 0;
}
