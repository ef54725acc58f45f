struct unknown;

int member(struct unknown *p)
{
    return p->x;
}

int main(void)
{
    return member(0);
}
