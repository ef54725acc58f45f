/* Nobody writes the padding. */
extern void reach_error(void);
struct padded { char c; int i; };

int main(void)
{
    struct padded *p = &(struct padded){1, 2};
    if (((unsigned char *)p)[2] == 7)
        reach_error();
    return 0;
}
