// The program's own error function is static and does nothing; and it has functions of the system's names.
extern int __VERIFIER_nondet_int(void);
int calls;
static void reach_error(void) { calls++; }
long write(int descriptor, const void *bytes, unsigned long size) { return descriptor + (long)size + (bytes != 0); }
void _exit(int status) { calls += status; for (;;) { } }
int puts(const char *text) { return text != 0; }

int main(void)
{
    if (__VERIFIER_nondet_int() == 4711)
        reach_error();
    return calls;
}
