typedef int vector[3];
vector f(void);

int main(void)
{
    return 0;
}
