/* One variable follows another by one step: their difference is known at the head of the loop. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int ahead = 1, behind = 0, limit = __VERIFIER_nondet_int();
    while (ahead < limit) {
        behind = ahead;
        ahead++;
    }
    if (behind + 1 != ahead)
        reach_error();
    return 0;
}
