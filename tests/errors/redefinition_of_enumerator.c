enum a { ONE, TWO };
enum b { ONE };

int main(void)
{
    return ONE;
}
