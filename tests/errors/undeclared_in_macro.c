#define ADD(a) ((a) + missing)

int main(void)
{
    return ADD(1);
}
