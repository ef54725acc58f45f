/* The other byte order is not modelled, and that is said. */
extern void reach_error(void);
struct __attribute__((scalar_storage_order("big-endian"))) big { int x; };

int main(void)
{
    struct big b;
    b.x = 1;
    if (((unsigned char *)&b)[3] == 1)
        reach_error();
    return 0;
}
