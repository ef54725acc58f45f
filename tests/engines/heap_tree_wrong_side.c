/* A search tree is gone down by the addresses of links; what was put in is looked for on the wrong side. */
#include <stdlib.h>

struct tree {
    int key;
    struct tree *left, *right;
};

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int keys[2];
    struct tree *root = NULL;
    for (int i = 0; i < 2; i++) {
        keys[i] = __VERIFIER_nondet_int();
        struct tree **at = &root;
        while (*at && (*at)->key != keys[i])
            at = keys[i] < (*at)->key ? &(*at)->left : &(*at)->right;
        if (!*at) {
            *at = calloc(1, sizeof **at);
            (*at)->key = keys[i];
        }
    }
    for (int i = 0; i < 2; i++) {
        struct tree *t = root;
        while (t && t->key != keys[i])
            t = keys[i] <= t->key + 1 ? t->left : t->right;
        if (!t)
            reach_error();
    }
    return 0;
}
