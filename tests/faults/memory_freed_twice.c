extern void *malloc(unsigned long);
extern void free(void *);

int main(void)
{
    int *p = malloc(sizeof(int));
    free(p);
    free(p);
    return 0;
}
