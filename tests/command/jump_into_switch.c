/* The declaration of `y` is passed: it may be 5. */
extern void reach_error(void);

int main(void)
{
    switch (1) {
        int y;
    case 1:
        if (y == 5)
            reach_error();
    }
    return 0;
}
