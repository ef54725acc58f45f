extern int x;
extern double x;

int main(void)
{
    return x;
}
