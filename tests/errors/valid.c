/* Nothing is wrong here: for errors in options and in other files. */
int main(void)
{
    return 0;
}
