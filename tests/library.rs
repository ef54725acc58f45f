//! The C library where its results are not determined: what the standard permits can be reached, what it does not permit
//! cannot, and what is only an over-approximation gives no alarm. (What is determined is in `tests/semantics`.)

use std::process::Command;

use rayon::prelude::*;

/// What is answered (`true` is a proof, `false` an alarm, `open` neither), the statements of `main`, and options.
const PROGRAMS: &[(&str, &str, &[&str])] = &[
    // Results of output.
    (
        "true",
        "int r = puts(\"a\"); if (r < 0 && r != EOF) reach_error();",
        &[],
    ),
    ("false", "if (puts(\"a\") == EOF) reach_error();", &[]),
    (
        "true",
        "int r = printf(\"%d\", 10); if (r >= 0 && r != 2) reach_error();",
        &[],
    ),
    (
        "false",
        "int n = 0; printf(\"ab%n\", &n); if (n == 2) reach_error();",
        &[],
    ),
    (
        "true",
        "int n = 0; fprintf(stderr, \"ab%nc\", &n); if (n != 2) reach_error();",
        &[],
    ),
    (
        "false",
        "printf(\"a\"); if (ferror(stdout)) reach_error();",
        &[],
    ),
    // Conversions that fail leave their targets alone.
    (
        "true",
        "int x = 5, y = 6; int n = scanf(\"%d%d\", &x, &y); if (n < 2 && y != 6) reach_error();",
        &[],
    ),
    (
        "true",
        "int x; int n = scanf(\"%d\", &x); if (n > 1 || n < -1) reach_error();",
        &[],
    ),
    (
        "false",
        "int x = 0; if (scanf(\"%d\", &x) == 0) reach_error();",
        &[],
    ),
    (
        "true",
        "char s[4] = \"zz\"; if (scanf(\"%3s\", s) == 1 && s[0] == ' ') reach_error();",
        &[],
    ),
    (
        "false",
        "char s[4] = \"zz\"; if (scanf(\"%3s\", s) == 1 && s[3] == 0 && s[2] == 'c') reach_error();",
        &[],
    ),
    (
        "open",
        "int x; if (scanf(\"%d\", &x) == 0 && getchar() == '7') reach_error();",
        &[],
    ),
    (
        "open",
        "int x = 0; if (scanf(\"%d\", &x) == 0 && scanf(\"%d\", &x) == 1) reach_error();",
        &[],
    ),
    (
        "false",
        "int x; if (scanf(\"%d\", &x) == 1 && getchar() == '\\n') reach_error();",
        &[],
    ),
    (
        "open",
        "int x; char c; if (scanf(\"%d\", &x) == 1 && scanf(\"%c\", &c) == 1 && c == '7') reach_error();",
        &[],
    ),
    // Streams.
    (
        "true",
        "FILE *a = fopen(\"a\", \"r\"), *b = fopen(\"b\", \"r\"); if (a && a == b) reach_error();",
        &[],
    ),
    (
        "true",
        "if (stdin == stdout || stderr == 0) reach_error();",
        &[],
    ),
    (
        "true",
        "if (ungetc('x', stdin) == 'x' && getchar() != 'x') reach_error();",
        &[],
    ),
    (
        "true",
        "int c = getchar(); if (c == EOF && !feof(stdin) && !ferror(stdin)) reach_error();",
        &[],
    ),
    (
        "false",
        "if (getchar() == EOF && feof(stdin)) reach_error();",
        &[],
    ),
    (
        "open",
        "FILE *f = fopen(\"a\", \"w+\"); if (f) { rewind(f); if (getc(f) == 'x') reach_error(); }",
        &[],
    ),
    (
        "true",
        "FILE *f = fopen(\"a\", \"r\"); if (f && fclose(f) > 0) reach_error();",
        &[],
    ),
    // errno.
    (
        "false",
        "errno = 0; if (!fopen(\"a\", \"r\") && errno == ENOENT) reach_error();",
        &[],
    ),
    (
        "true",
        "errno = 0; if (open(\"a\", 0) < 0 && errno == 0) reach_error();",
        &[],
    ),
    ("true", "if (errno != 0) reach_error();", &[]),
    ("true", "if (close(-1) == 0) reach_error();", &[]),
    (
        "true",
        "int f = open(\"a\", 0), g = open(\"b\", 0); if (f >= 0 && f == g) reach_error();",
        &[],
    ),
    (
        "true",
        "if (close(7) > 0 || isatty(1) > 1) reach_error();",
        &[],
    ),
    // The environment.
    (
        "true",
        "if (getenv(\"A\") != getenv(\"A\")) reach_error();",
        &[],
    ),
    (
        "false",
        "if (getenv(\"A\") == 0 && getenv(\"B\") != 0) reach_error();",
        &[],
    ),
    ("false", "if (say(\"%d\", 1) < 0) reach_error();", &[]),
    ("true", "if (rand() < 0) reach_error();", &[]),
    (
        "open",
        "srand(1); int a = rand(); srand(1); if (rand() != a) reach_error();",
        &[],
    ),
    (
        "true",
        "if (getpid() != getpid() || getpid() <= 0) reach_error();",
        &[],
    ),
    (
        "true",
        "long a = clock(), b = clock(); if (a != -1 && b != -1 && b < a) reach_error();",
        &[],
    ),
    ("true", "if (sleep(0) != 0) reach_error();", &[]),
    (
        "true",
        "time_t t = time(0); struct tm *m = gmtime(&t); if (m && (m->tm_mon > 11 || m->tm_mday < 1)) reach_error();",
        &[],
    ),
    (
        "true",
        "time_t t = 86400; struct tm *m = gmtime(&t); if (m->tm_mday != 2 || m->tm_year != 70 || m->tm_wday != 5) reach_error();",
        &[],
    ),
    // Locales.
    (
        "false",
        "setlocale(LC_ALL, \"\"); if (isalpha(0xe9)) reach_error();",
        &[],
    ),
    (
        "true",
        "setlocale(LC_ALL, \"\"); if (!isalpha('a') || isdigit('x')) reach_error();",
        &[],
    ),
    ("true", "if (isalpha(0xe9)) reach_error();", &[]),
    // Callbacks, and what is not said about sorting.
    (
        "false",
        "int a[3] = {1, 2, 3}; qsort(a, 3, 4, count); if (calls != 2) reach_error();",
        &[],
    ),
    (
        "true",
        "int a[3] = {2, 3, 1}; qsort(a, 3, 4, plain); if (a[0] != 1 || a[2] != 3) reach_error();",
        &[],
    ),
    (
        "open",
        "int a[2] = {11, 12}; qsort(a, 2, 4, tens); if (a[0] == 12) reach_error();",
        &[],
    ),
    // Comparisons and memory.
    (
        "true",
        "char a[2] = \"c\", b[2] = \"a\"; if (strcmp(a, b) <= 0) reach_error();",
        &[],
    ),
    (
        "false",
        "char a[2] = \"c\", b[2] = \"a\"; if (strcmp(a, b) == 2) reach_error();",
        &[],
    ),
    (
        "false",
        "char a[2] = \"c\", b[2] = \"a\"; if (strcmp(a, b) == 1) reach_error();",
        &[],
    ),
    (
        "true",
        "void *p = malloc(3); if (malloc_usable_size(p) < 3) reach_error();",
        &[],
    ),
    (
        "false",
        "void *p = malloc(3); if (malloc_usable_size(p) > 3) reach_error();",
        &[],
    ),
    (
        "false",
        "errno = 0; if (!malloc(3) && errno == ENOMEM) reach_error();",
        &["--malloc-may-fail"],
    ),
    (
        "false",
        "if (!strdup(\"a\")) reach_error();",
        &["--malloc-may-fail"],
    ),
    // Values that are not modelled.
    ("open", "if (sin(1.0) > 0.5) reach_error();", &[]),
    (
        "true",
        "volatile double x = 1; if (sin(x) > 1.5) reach_error();",
        &[],
    ),
    (
        "true",
        "volatile double x = -1.5; x = lgamma(x); if (signgam != 1) reach_error();",
        &[],
    ),
    (
        "open",
        "volatile double x = -0.5; x = lgamma(x); if (signgam == -1) reach_error();",
        &[],
    ),
    // A lock that is held.
    (
        "true",
        "pthread_mutex_lock(&lock); pthread_mutex_lock(&lock); reach_error();",
        &[],
    ),
    (
        "false",
        "pthread_mutex_lock(&lock); if (pthread_mutex_trylock(&lock) == EBUSY) reach_error();",
        &[],
    ),
];

const HEAD: &str = "#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <stdarg.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
extern void reach_error(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int say(const char *f, ...) { va_list a; va_start(a, f); int r = vprintf(f, a); va_end(a); return r; }
int plain(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int tens(const void *a, const void *b) { return *(int *)a / 10 - *(int *)b / 10; }
";

/// A comparison that can be seen: only for the program that uses it, since the others are easier without.
const COUNT: &str = "int calls;
int count(const void *a, const void *b) { calls++; return *(int *)a - *(int *)b; }
";

#[test]
fn what_the_standard_permits() {
    let folder = tempfile::tempdir().expect("a folder");
    let complaints: Vec<String> = PROGRAMS
        .par_iter()
        .enumerate()
        .filter_map(|(number, (expected, body, options))| {
            let file = folder.path().join(format!("{number}.c"));
            let counting = if body.contains("calls") { COUNT } else { "" };
            let text =
                format!("{HEAD}{counting}int main(void)\n{{\n    {body}\n    return 0;\n}}\n");
            std::fs::write(&file, text).expect("the program is written");
            let limit = if *expected == "open" { "3" } else { "60" };
            let output = Command::new(env!("CARGO_BIN_EXE_regatta"))
                .args(["verify", "--time-limit", limit, "--unknown-calls=havoc"])
                .args(["--checks", "assertions"])
                .args(*options)
                .arg(&file)
                .output()
                .expect("the command runs");
            let text = String::from_utf8_lossy(&output.stdout);
            let answer = text.lines().last().unwrap_or_default();
            let found = match answer {
                "RESULT: TRUE" => "true",
                "RESULT: FALSE(unreach-call)" => "false",
                _ => "open",
            };
            let messages = String::from_utf8_lossy(&output.stderr);
            (found != *expected || output.status.code() == Some(3))
                .then(|| format!("{body}: {answer}, expected {expected}; {messages}"))
        })
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
