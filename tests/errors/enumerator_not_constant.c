int n = 3;
enum e { A = n };

int main(void)
{
    return A;
}
