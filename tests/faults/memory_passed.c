struct pair {
    int first, second;
};

static int second(struct pair pair)
{
    return pair.second;
}

int main(void)
{
    struct pair *p = 0;
    return second(*p);
}
