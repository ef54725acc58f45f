//! Unwinding of small programs with known verdicts, and of random ones; each proof is checked.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{Options, Statistics, run};
use crate::Answer;
use crate::testing::{Setting, blocks, default_solver, lowered};
use regatta_certify::{Budget, Certificate, Check, ProofStep, check};
use regatta_program::testing::{Machine, Outcome, Recursion, random_program};
use regatta_program::{Program, simplify};

const DECLARED: &str = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);
    extern void *malloc(unsigned long); void reach_error(void) {}\n";

/// Returns the answer within the time, and the result of checking a proof.
fn unwind(
    program: &Program,
    options: &Options,
    time: Duration,
) -> (Answer, Statistics, Option<Check>) {
    let simplified = simplify(program);
    let blocks = blocks(simplified.program.clone());
    let mut statistics = Statistics::default();
    let answer = Setting::of(program).run_within(time, |context| {
        run(&blocks, options, &default_solver, context, &mut statistics)
    });
    let answer = answer.expect("a solver");
    let verdict = match &answer {
        Answer::Safe(certificate) => {
            // The program as lowered may have many more paths, which differ in irrelevant details.
            let most = match options.paths {
                0 => Duration::from_secs(60),
                _ => time,
            };
            let budget = Budget::of(most);
            Some(check(program, &simplified, certificate, budget))
        }
        _ => None,
    };
    (answer, statistics, verdict)
}

fn c(text: &str) -> Program {
    lowered(&format!("{DECLARED}{text}"))
}

fn proves(text: &str) -> Statistics {
    let (answer, statistics, check) =
        unwind(&c(text), &Options::default(), Duration::from_secs(60));
    assert_eq!(check, Some(Check::Confirmed), "{answer:?}\n{text}");
    statistics
}

fn refutes(text: &str) {
    let (answer, _, _) = unwind(&c(text), &Options::default(), Duration::from_secs(60));
    assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}\n{text}");
}

#[test]
fn loops_with_constant_bounds_unroll_by_themselves() {
    let done = proves(
        "int main(void) { int a[20], s = 0;
           for (int i = 0; i < 20; i++) a[i] = __VERIFIER_nondet_int() & 15;
           for (int i = 0; i < 20; i++) s += a[i];
           if (s < 0 || s > 300) reach_error(); return 0; }",
    );
    assert_eq!((done.walks, done.open_rounds, done.questions), (1, 0, 0));
    assert!(done.rounds >= 20, "{done:?}");
}

#[test]
fn loops_with_open_bounds_are_cut_off_by_the_solver() {
    let done = proves(
        "int main(void) { int n = __VERIFIER_nondet_int(), i = 0, s = 0; __VERIFIER_assume(n >= 0 && n < 9);
           while (i < n) { i++; s += 2; }
           if (s != 2 * n) reach_error(); return 0; }",
    );
    assert!(done.open_rounds >= 8, "{done:?}");
    refutes(
        "int main(void) { int n = __VERIFIER_nondet_int(), i = 0, s = 0;
           while (i < n) { i++; s += 2; }
           if (s == 22) reach_error(); return 0; }",
    );
}

#[test]
fn pointers_are_known_by_cases() {
    proves(
        "struct node { int value; struct node *next; };
         int main(void) { struct node *list = 0; int odd = 0;
           for (int i = 0; i < 4; i++) { if (__VERIFIER_nondet_int()) { struct node *one = malloc(sizeof *one);
             one->value = i; one->next = list; list = one; odd++; } }
           int count = 0; int last = 9;
           while (list) { if (list->value >= last) reach_error(); last = list->value; count++; list = list->next; }
           if (count != odd) reach_error(); return 0; }",
    );
    refutes(
        "int main(void) { int a[4] = {0}, i = __VERIFIER_nondet_int() & 3, j = __VERIFIER_nondet_int() & 3;
           a[i] = 1; a[j] = 2; if (a[0] == 1 && a[3] == 2) reach_error(); return 0; }",
    );
    proves(
        "int main(void) { int a[4] = {0}, i = __VERIFIER_nondet_int() & 3, j = __VERIFIER_nondet_int() & 3;
           a[i] = 1; a[j] = 2; int s = a[0] + a[1] + a[2] + a[3]; if (s != 2 && s != 3) reach_error(); return 0; }",
    );
}

#[test]
fn an_unknown_index_is_compared_with_all_cells() {
    let text = |last| {
        format!(
            "int main(void) {{ int a[9]; int i = __VERIFIER_nondet_int();
               for (int k = 0; k < 9; k++) a[k] = k;
               __VERIFIER_assume(i >= 0 && i < 9); a[i] = 50;
               int n = 0; for (int k = 0; k < 9; k++) n += a[k] == 50; if (n != {last}) reach_error(); return 0; }}"
        )
    };
    proves(&text(1));
    refutes(&text(2));
}

#[test]
fn objects_with_observed_addresses_are_separated() {
    let text = |last| {
        format!(
            "void put(char *to, int i, char what) {{ to[i] = what; }}
             int main(void) {{ char in[4], out[6]; unsigned long at = (unsigned long)in ^ (unsigned long)out;
               if (at == 0) reach_error();
               for (int i = 0; i < 4; i++) put(in, i, __VERIFIER_nondet_int());
               for (int i = 0; i < 4; i++) put(out, i, in[3 - i]);
               for (int i = 0; i < 4; i++) if (out[i] != in[3 - i]) reach_error();
               int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0 && n < 4);
               put(out, n, 1); if (out[3] == {last} && n == 3) reach_error(); return 0; }}"
        )
    };
    proves(&text(2));
    refutes(&text(1));
}

#[test]
fn writes_before_loop_exits_are_kept() {
    let text = |first| {
        format!(
            "int main(void) {{ int from[300], to[300], i;
               for (i = 0; i < 300; i++) from[i] = __VERIFIER_nondet_int();
               for (i = 0; i < 300 && from[i] != 0; i++) to[i] = from[i];
               for (i = {first}; i < 300 && from[i] != 0; i++) if (to[i] != from[i]) reach_error();
               return 0; }}"
        )
    };
    let done = proves(&text(0));
    assert!(done.open_rounds >= 299, "{done:?}");
    refutes(&text(1));
}

/// With `whole`, errors are not queried as long as rounds are cut off.
#[test]
fn errors_are_queried_after_whole_walks_only() {
    let program = c("int main(void) { int n = __VERIFIER_nondet_int(), i = 0;
           while (i < n) { i++; if (i == 3 && __VERIFIER_nondet_int()) reach_error(); } return 0; }");
    let options = Options {
        most: 24,
        whole: true,
        ..Options::default()
    };
    let (answer, done, _) = unwind(&program, &options, Duration::from_secs(60));
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    assert_eq!(done.question, 0);
    let program = c(
        "int main(void) { int n = __VERIFIER_nondet_int() & 7, i = 0;
           while (i < n) { i++; if (i == 3) reach_error(); } return 0; }",
    );
    let (answer, done, _) = unwind(&program, &options, Duration::from_secs(60));
    assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}");
    assert!(done.question > 0);
}

/// The engine gives up if its query exceeds its time limit.
#[test]
fn a_query_has_a_time_limit() {
    let program = c("extern long __VERIFIER_nondet_long(void);
           int main(void) {
           unsigned long a = __VERIFIER_nondet_long(), b = __VERIFIER_nondet_long();
           if (a > 1 && b > 1 && a < 1ul << 32 && b < 1ul << 32 && a * b == 4611685975477714963ul) reach_error();
           return 0; }");
    let options = Options {
        question: Duration::from_millis(1),
        ..Options::default()
    };
    let began = Instant::now();
    let (answer, _, _) = unwind(&program, &options, Duration::from_secs(60));
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    assert!(began.elapsed() < Duration::from_secs(30));
}

/// A step of a program that may end early.
#[derive(Copy, Clone, Debug)]
enum Step {
    /// Assigns the input plus a number to a cell.
    Set(usize, u8),
    /// Does so nondeterministically.
    MayBeSet(usize, u8),
    /// Ends nondeterministically; `true` sets a cell before.
    MayEnd(bool),
}

const LAST: (usize, u8) = (1, 9);

fn program_of(steps: &[Step], cell: usize, number: u8) -> String {
    let mut text =
        "int main(void) { int input = __VERIFIER_nondet_int(), a[3] = {input, input, input};\n"
            .to_owned();
    let set = |(cell, number): (usize, u8)| format!("a[{cell}] = input + {number};\n");
    for &step in steps {
        let maybe = "if (__VERIFIER_nondet_int())";
        text += &match step {
            Step::Set(cell, number) => set((cell, number)),
            Step::MayBeSet(cell, number) => format!("{maybe} {}", set((cell, number))),
            Step::MayEnd(false) => format!("{maybe} goto out;\n"),
            Step::MayEnd(true) => format!("{maybe} goto last;\n"),
        };
    }
    text += &format!(
        "goto out; last: {} out: if (a[{cell}] - input == {number}) reach_error(); return 0; }}",
        set(LAST)
    );
    text
}

/// Returns the possible values of the cells at the end, without the input.
fn ends(steps: &[Step]) -> BTreeSet<[u8; 3]> {
    let mut going: BTreeSet<[u8; 3]> = [[0; 3]].into();
    let mut ended = BTreeSet::new();
    let set = |mut cells: [u8; 3], (cell, number): (usize, u8)| {
        cells[cell] = number;
        cells
    };
    for &step in steps {
        match step {
            Step::Set(cell, number) => {
                going = going
                    .iter()
                    .map(|&cells| set(cells, (cell, number)))
                    .collect();
            }
            Step::MayBeSet(cell, number) => {
                let changed: Vec<_> = going
                    .iter()
                    .map(|&cells| set(cells, (cell, number)))
                    .collect();
                going.extend(changed);
            }
            Step::MayEnd(false) => ended.extend(going.iter().copied()),
            Step::MayEnd(true) => ended.extend(going.iter().map(|&cells| set(cells, LAST))),
        }
    }
    ended.extend(going);
    ended
}

#[test]
fn recursive_functions_are_cut_off_by_the_solver() {
    proves(
        "int sum(int n) { int own = n; if (n <= 0) return 0; int rest = sum(n - 1); return rest + own; }
         int main(void) { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0 && n < 5);
           if (sum(n) != n * (n + 1) / 2) reach_error(); return 0; }",
    );
    refutes(
        "int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); }
         int main(void) { if (f(__VERIFIER_nondet_int()) == 7) reach_error(); return 0; }",
    );
}

#[test]
fn wrong_numbers_of_rounds_are_not_confirmed() {
    let behind_loop = "int main(void) { int n = __VERIFIER_nondet_int(), i = 0;
        while (i < n) i++;
        if (i == 17) reach_error(); return 0; }";
    let in_recursion = "void f(int n) { if (n == 9) reach_error(); if (n >= 0) f(n + 1); }
        int main(void) { f(__VERIFIER_nondet_int()); return 0; }";
    let through_memory = "int a[8]; int main(void) { unsigned i = __VERIFIER_nondet_int();
        a[i % 8] = 1; if (a[(i + 1) % 8] == 0 && a[3]) reach_error(); return 0; }";
    for text in [behind_loop, in_recursion, through_memory] {
        for merge in [true, false] {
            let program = c(text);
            let steps = vec![ProofStep::Unwinding {
                rounds: Vec::new(),
                merge,
            }];
            let budget = Budget::of(Duration::from_secs(20));
            let check = check(
                &program,
                &simplify(&program),
                &Certificate::of_all(steps),
                budget,
            );
            assert_ne!(check, Check::Confirmed, "{text}");
        }
    }
}

/// Unwinds the program with each path walked separately.
fn by_path(text: &str) -> (Answer, Statistics, Option<Check>) {
    let options = Options {
        paths: 60,
        ..Options::default()
    };
    unwind(&c(text), &options, Duration::from_secs(60))
}

fn proves_by_path(text: &str) -> Statistics {
    let (answer, statistics, check) = by_path(text);
    assert_eq!(check, Some(Check::Confirmed), "{answer:?}\n{text}");
    statistics
}

fn refutes_by_path(text: &str) {
    let (answer, ..) = by_path(text);
    assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}\n{text}");
}

/// A tree of nodes in an array, whose pointers are compared as numbers and written bytewise.
fn tree(node: &str, wrong: &str) -> String {
    format!(
        "struct node {{ int key; struct node *child[2]; }};
         void *copy(void *to, const void *from, unsigned long n) {{ char *t = to; const char *f = from;
           for (unsigned long i = 0; i < n; i++) t[i] = f[i]; return to; }}
         int depth(struct node *n) {{ if (!n) return 0; int l = depth(n->child[0]), r = depth(n->child[1]);
           return 1 + (l > r ? l : r); }}
         int main(void) {{ struct node all[3], *root = 0;
           for (int i = 0; i < 3; i++) {{ struct node *own = {node}, **at = &root;
             own->key = __VERIFIER_nondet_int(); own->child[0] = own->child[1] = 0;
             while (*at) at = &(*at)->child[((*at)->key > own->key) - ((*at)->key < own->key) < 0];
             copy(at, &own, sizeof own); }}
           struct node *least = root; while (least->child[0]) least = least->child[0];
           if (least->key > root->key || depth(root) > 3 {wrong}) reach_error(); return 0; }}"
    )
}

#[test]
fn paths_that_are_walked_one_by_one_have_pointers_that_are_constant() {
    for node in ["&all[i]", "malloc(sizeof *own)"] {
        let done = proves_by_path(&tree(node, ""));
        assert!(done.parted >= 5, "{done:?}");
        refutes_by_path(&tree(
            node,
            "|| depth(root) == 3 && root->child[0] && root->child[0]->child[1]",
        ));
        refutes_by_path(&tree(node, "|| depth(root) > 2"));
    }
}

#[test]
fn an_index_is_one_number_on_each_path() {
    let text = |last: u32| {
        format!(
            "struct entry {{ int id; void *link[2]; }};
             int main(void) {{ struct entry e[3]; unsigned char k = __VERIFIER_nondet_int(); __VERIFIER_assume(k < 3);
               for (int i = 0; i < 3; i++) {{ e[i].id = i; e[i].link[0] = &e[i].link; }}
               *(void **)&e[k].link[0] = 0;
               int empty = 0; for (int i = 0; i < 3; i++) empty += !e[i].link[0];
               if (empty != {last} || e[k].id != k) reach_error(); return 0; }}"
        )
    };
    proves_by_path(&text(1));
    refutes_by_path(&text(2));
}

#[test]
fn calls_and_loops_end_on_each_path() {
    proves_by_path(
        "int sum(int n) { int own = n; if (n <= 0) return 0; int rest = sum(n - 1); return rest + own; }
         int main(void) { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0 && n < 9);
           if (sum(n) != n * (n + 1) / 2) reach_error(); return 0; }",
    );
    refutes_by_path(
        "int main(void) { unsigned n = __VERIFIER_nondet_int(), i = 0; while (i < n) i++;
           if (i == 13) reach_error(); return 0; }",
    );
}

#[test]
fn too_many_paths_are_unknown() {
    let text =
        "int main(void) { int s = 0; for (int i = 0; i < 40; i++) if (__VERIFIER_nondet_int()) s++;
        if (s > 40) reach_error(); return 0; }";
    let (answer, ..) = by_path(text);
    assert!(
        matches!(&answer, Answer::Unknown(reason) if reason.contains("paths")),
        "{answer:?}"
    );
    proves(text);
}

#[test]
fn a_loop_without_an_end_is_no_proof_and_hides_no_error() {
    let endless = "int main(void) { int x = 0; while (1) { x = x > 100 ? 0 : x + 1; int y = __VERIFIER_nondet_int();
        if (y == 77 && x == 9) reach_error(); } }";
    refutes(endless);
    let harmless = c(&endless.replace("x == 9", "x == 300"));
    let began = Instant::now();
    let (answer, _, _) = unwind(&harmless, &Options::default(), Duration::from_secs(2));
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    assert!(began.elapsed() < Duration::from_secs(20));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// All paths to the end have their own values there.
    #[test]
    fn each_way_to_the_end_has_its_values(
        steps in prop::collection::vec(
            prop_oneof![
                3 => (0usize..3, 1u8..9).prop_map(|(cell, number)| Step::Set(cell, number)),
                1 => (0usize..3, 1u8..9).prop_map(|(cell, number)| Step::MayBeSet(cell, number)),
                3 => any::<bool>().prop_map(Step::MayEnd),
            ],
            8..30,
        ),
        cell in 0usize..3,
        number in 0u8..10,
    ) {
        let is_met = ends(&steps).iter().any(|cells| cells[cell] == number);
        let text = program_of(&steps, cell, number);
        let (answer, _, check) = unwind(&c(&text), &Options::default(), Duration::from_secs(60));
        match is_met {
            true => prop_assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}\n{text}"),
            false => prop_assert_eq!(check, Some(Check::Confirmed), "{:?}\n{}", answer, text),
        }
    }

}

proptest! {
    // Of some programs each walk takes all of its time.
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_runs_without_recursion(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        agrees_with_runs(&bytes, Recursion::Excluded)?;
    }

    #[test]
    fn agrees_with_runs_that_may_recurse(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        agrees_with_runs(&bytes, Recursion::Allowed)?;
    }
}

/// Checks that no error of a run of the random program is denied, and that no proof is refuted.
fn agrees_with_runs(bytes: &[u8], recursion: Recursion) -> Result<(), TestCaseError> {
    let program = random_program(bytes, recursion);
    let mut outcomes = (0..24).map(|seed| Machine::new(&program, seed).run(3000));
    let fails = outcomes.any(|one| matches!(one, Outcome::Error(_) | Outcome::Unsupported(_)));
    for paths in [0, 60] {
        let options = Options {
            paths,
            ..Options::default()
        };
        let (answer, _, check) = unwind(&program, &options, Duration::from_secs(1));
        if let Answer::Safe(_) = answer {
            prop_assert!(!fails, "{:?}", answer);
            prop_assert!(!matches!(check, Some(Check::Refuted { .. })), "{:?}", check);
        }
    }
    Ok(())
}
