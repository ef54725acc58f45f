int main(void) {
    unsigned long fits = 18446744073709551615u;
    return fits == 18446744073709551616u;
}
