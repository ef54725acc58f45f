//! Proofs that hold, and such that do not.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use regatta_base::workers::Workers;
use regatta_frontend::preprocess::Preprocessed;
use regatta_frontend::{LoadOptions, load_preprocessed};
use regatta_program::testing::{Recursion, random_program, some_run_fails};
use regatta_program::*;
use regatta_term::{Build, Pool, ScalarSort, Sort, TermId, store};

const BUDGET: Duration = Duration::from_secs(20);
const INT: Sort = Sort::BitVec(32);

/// A C program whose property is that no assertion fails.
fn c(text: &str) -> Program {
    let declaration = "extern void __VERIFIER_assert(int);";
    let text = text
        .replace("assert(", "__VERIFIER_assert(")
        .replace("#include <assert.h>", declaration);
    let source = Preprocessed::from_text("t.c", text.as_str());
    let loaded = load_preprocessed(source, &LoadOptions::default());
    loaded.unwrap().program
}

/// The simplified program's own view of a task.
struct Task {
    lowered: Program,
    simplified: Simplified,
}

impl Task {
    fn new(lowered: Program) -> Self {
        Self {
            simplified: simplify(&lowered),
            lowered,
        }
    }

    fn with_loose_slice(lowered: Program) -> Self {
        Self {
            simplified: simplify_loosely(&lowered),
            lowered,
        }
    }

    /// Returns a task whose simplified program lacks assignments that matter: those of non-constants to the variables whose
    /// names have the suffix.
    fn with_wrong_slice(lowered: Program, suffix: &str) -> Self {
        let mut sliced = lowered.clone();
        let is_lost = |operation: &Operation| match operation {
            Operation::Assign { target, value } => {
                lowered.variable(*target).name.ends_with(suffix) && !store().is_constant(*value)
            }
            _ => false,
        };
        for edge in &mut sliced.edges {
            edge.operations.retain(|operation| !is_lost(operation));
        }
        Self {
            simplified: simplify(&sliced),
            lowered,
        }
    }

    /// The heads of its loops, which must be in the start function.
    fn heads(&self) -> Vec<InvariantLocation> {
        let program = &self.simplified.program;
        let cuts = CutPoints::new(program, &CallGraph::new(program));
        let head = |l: &Loop| InvariantLocation {
            location: l.head,
            calls: Vec::new(),
        };
        cuts.loops().iter().map(head).collect()
    }

    /// The simplified program's variable whose name ends so.
    fn value(&self, end: &str) -> TermId {
        let program = &self.simplified.program;
        let used = |variable: &&Variable| {
            let id = program
                .variables
                .iter()
                .position(|v| v.symbol == variable.symbol);
            let id = VariableId(id.unwrap() as u32);
            let mut operations = program.edges.iter().flat_map(|edge| &edge.operations);
            operations.any(|operation| operation.written(program).any(|written| written == id))
        };
        let mut variables = program.variables.iter();
        let variable = variables.find(|v| v.name.ends_with(end) && used(v));
        store().variable(
            variable
                .unwrap_or_else(|| panic!("{end}: {}", self.dump()))
                .symbol,
        )
    }

    /// Any index of the only array, and the cell there.
    fn any_cell(&self) -> (TermId, TermId) {
        let mut variables = self.simplified.program.variables.iter();
        let arrays = variables.find_map(|variable| match variable.sort {
            Sort::Array { index, .. } => Some((variable.symbol, index)),
            _ => None,
        });
        let (array, index) = arrays.expect("an array");
        let any = certificate::any_index(index.into());
        (any, store().select(store().variable(array), any))
    }

    fn dump(&self) -> String {
        to_dot(&self.simplified.program)
    }

    fn check(&self, steps: Vec<ProofStep>) -> Check {
        let certificate = Certificate::of_all(steps);
        let (lowered, simplified) = (&self.lowered, &self.simplified);
        // As `scripts/check-thoroughly.sh` has it.
        if std::env::var_os("REGATTA_CHECK_ALL").is_some() {
            let (result, opinion) =
                check_thoroughly(lowered, simplified, &certificate, Budget::of(BUDGET));
            assert_eq!(opinion.objection, None, "{opinion}");
            return result;
        }
        let alone = check(lowered, simplified, &certificate, Budget::of(BUDGET));
        let helped = Budget {
            workers: Workers::fixed(2),
            ..Budget::of(BUDGET)
        };
        let helped = check(lowered, simplified, &certificate, helped);
        assert_eq!(helped, alone, "who helps changes nothing");
        alone
    }

    fn confirms(&self, steps: Vec<ProofStep>) {
        assert_eq!(self.check(steps), Check::Confirmed, "{}", self.dump());
    }

    fn does_not_confirm(&self, steps: Vec<ProofStep>) -> Check {
        let result = self.check(steps);
        assert_ne!(result, Check::Confirmed, "{}", self.dump());
        result
    }

    /// None of the proofs without invariants is confirmed.
    fn confirms_no_step(&self) {
        for step in [
            ProofStep::Simplified,
            safety(1, &[]),
            safety(2, &[]),
            ProofStep::Unrolling { bound: 5 },
        ] {
            self.does_not_confirm(vec![step]);
        }
    }

    /// A batch for the only loop, and safety in k steps that relies on it.
    fn with_invariant(&self, k: u32, formula: TermId) -> Vec<ProofStep> {
        let heads = self.heads();
        assert_eq!(heads.len(), 1, "{}", self.dump());
        by_batch(k, vec![(heads[0].clone(), formula)])
    }
}

/// A batch that is inductive in k steps, and safety that relies on it.
fn by_batch(k: u32, batch: Vec<(InvariantLocation, TermId)>) -> Vec<ProofStep> {
    vec![
        ProofStep::Inductive {
            batch,
            k,
            relies_on: vec![],
        },
        safety(1, &[0]),
    ]
}

fn safety(k: u32, relies_on: &[usize]) -> ProofStep {
    ProofStep::Safety {
        k,
        relies_on: relies_on.to_vec(),
    }
}

fn number(value: u128) -> TermId {
    store().bv(32, value)
}

const COUNTERS: &str = "
    #include <assert.h>
    extern int __VERIFIER_nondet_int(void);
    int main(void) {
        unsigned x = 0, y = 0;
        while (__VERIFIER_nondet_int()) { x++; y++; }
        assert(x == y);
    }";

#[test]
fn an_invariant_of_a_loop() {
    let task = Task::new(c(COUNTERS));
    let (x, y) = (task.value("x"), task.value("y"));
    task.confirms(task.with_invariant(1, store().eq(x, y)));
    task.does_not_confirm(vec![safety(1, &[])]);
    task.does_not_confirm(vec![safety(3, &[])]);
    task.does_not_confirm(vec![ProofStep::Simplified]);
    task.does_not_confirm(vec![ProofStep::Unrolling { bound: 5 }]);
}

/// A variable that is one of forty numbers; a step leads to the next number, or from the last to the first.
fn counter_of_forty(is_closed: bool) -> Task {
    Task::new(c(&format!(
        "int main() {{
            unsigned x = 0, y = 3;
            while (__VERIFIER_nondet_int()) {{
                x = x < {} ? x + 1 : 0;
                y = x + 3;
            }}
            assert(x != 40 && y == x + 3);
        }}",
        if is_closed { 39 } else { 40 }
    )))
}

#[test]
fn a_claim_of_many_cases() {
    for is_closed in [true, false] {
        let task = counter_of_forty(is_closed);
        let (x, y) = (task.value("x"), task.value("y"));
        let case = |value: u128| {
            let difference = store().eq(store().sub(y, x), number(3));
            store().and2(store().eq(x, number(value)), difference)
        };
        let claim = task.with_invariant(1, store().or((0..40).map(case).collect::<Vec<_>>()));
        match is_closed {
            true => task.confirms(claim),
            false => _ = task.does_not_confirm(claim),
        }
    }
}

#[test]
fn invariants_that_do_not_hold() {
    let task = Task::new(c(COUNTERS));
    let (x, y) = (task.value("x"), task.value("y"));
    // The invariant holds initially but is not preserved.
    let first = task.with_invariant(1, store().and2(store().eq(x, y), store().ult(x, number(5))));
    assert!(matches!(
        task.does_not_confirm(first),
        Check::Refuted { .. }
    ));
    let never = task.with_invariant(1, store().and2(store().eq(x, y), store().ult(number(5), x)));
    assert!(matches!(
        task.does_not_confirm(never),
        Check::Refuted { .. }
    ));
    task.does_not_confirm(task.with_invariant(1, TermId::FALSE));
    // The invariant holds but does not imply the property.
    task.does_not_confirm(task.with_invariant(1, TermId::TRUE));
    // A step must not rely on itself or on a missing step.
    let invariant = |relies_on| ProofStep::Inductive {
        batch: vec![(task.heads()[0].clone(), TermId::FALSE)],
        k: 1,
        relies_on,
    };
    task.does_not_confirm(vec![invariant(vec![0]), safety(1, &[0])]);
    task.does_not_confirm(vec![invariant(vec![1]), safety(1, &[0])]);
    task.does_not_confirm(vec![invariant(vec![]), safety(1, &[7])]);
    let mut circular = task.with_invariant(1, store().eq(x, y));
    if let ProofStep::Inductive { relies_on, .. } = &mut circular[0] {
        relies_on.push(0);
    }
    task.does_not_confirm(circular);
    // k = 0 is taken as 1.
    task.does_not_confirm(vec![safety(0, &[])]);
    task.does_not_confirm(vec![invariant(vec![])]);
    task.does_not_confirm(vec![]);
}

#[test]
fn induction_over_several_steps() {
    let task = Task::new(c("
        #include <assert.h>
        extern int __VERIFIER_nondet_int(void);
        int main(void) {
            int c = __VERIFIER_nondet_int(), a = c, b = c;
            while (__VERIFIER_nondet_int()) {
                assert(a == c);
                int t = a; a = b; b = t;
            }
        }"));
    task.does_not_confirm(vec![safety(1, &[])]);
    task.confirms(vec![safety(2, &[])]);
    task.confirms(vec![safety(3, &[])]);
    let (a, c) = (task.value("a"), task.value("c"));
    // A batch that needs k = 2.
    task.confirms(task.with_invariant(2, store().eq(a, c)));
    task.does_not_confirm(task.with_invariant(1, store().eq(a, c)));
}

/// Only paths that skip a loop lead on; the steps from its head do not show that.
#[test]
fn the_first_steps_count_by_themselves() {
    let task = Task::new(c("
        #include <assert.h>
        extern int __VERIFIER_nondet_int(void);
        int main(void) {
            int x = __VERIFIER_nondet_int();
            while (x < 10) x += 20;
            assert(x != 50);
        }"));
    task.does_not_confirm(vec![safety(2, &[])]);
    let task = Task::new(c("
        #include <assert.h>
        extern int __VERIFIER_nondet_int(void);
        int main(void) {
            int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
            while (x < 10) x += 20;
            if (x != 50) return 0;
            while (y < x) y += 3;
            assert(y != 51);
        }"));
    let heads = task.heads();
    assert_eq!(heads.len(), 2, "{}", task.dump());
    for head in heads {
        let never = ProofStep::Inductive {
            batch: vec![(head, TermId::FALSE)],
            k: 2,
            relies_on: vec![],
        };
        task.does_not_confirm(vec![never, safety(1, &[0])]);
    }
}

#[test]
fn following_all_paths_to_their_ends() {
    let task = Task::new(c("
        #include <assert.h>
        extern unsigned __VERIFIER_nondet_uint(void);
        int main(void) {
            unsigned n = __VERIFIER_nondet_uint(), s = 0;
            if (n > 10) return 0;
            for (unsigned i = 0; i < n; i++) s += 2;
            assert(s != 7);
        }"));
    task.confirms(vec![ProofStep::Unrolling { bound: 12 }]);
    task.does_not_confirm(vec![ProofStep::Unrolling { bound: 3 }]);
    task.does_not_confirm(vec![ProofStep::Unrolling { bound: 0 }]);
}

#[test]
fn recursion_is_followed() {
    let text = |result: u32| {
        format!("
        #include <assert.h>
        extern int __VERIFIER_nondet_int(void);
        int fib(int n) {{ if (n < 1) return 0; if (n == 1) return 1; int a = fib(n - 1); return a + fib(n - 2); }}
        int main(void) {{ assert(fib(5) == {result} || __VERIFIER_nondet_int() == 77); }}")
    };
    let task = Task::new(c(&text(5)));
    task.confirms(vec![ProofStep::Unrolling { bound: 100 }]);
    task.does_not_confirm(vec![ProofStep::Unrolling { bound: 2 }]);
    task.does_not_confirm(vec![safety(1, &[])]);
    let task = Task::new(c(&text(6)));
    let check = task.does_not_confirm(vec![ProofStep::Unrolling { bound: 100 }]);
    assert!(matches!(check, Check::Refuted { .. }), "{check:?}");
}

#[test]
fn a_loop_that_a_called_function_cuts() {
    // The simplifier's loop head lies in what was the function.
    let task = Task::new(c("
        #include <assert.h>
        extern int __VERIFIER_nondet_int(void);
        int x, on;
        void step(void) {
            if (on) { x = x + 1; on = 0; } else { x = x - 1; on = 1; }
        }
        int main(void) {
            x = __VERIFIER_nondet_int();
            on = __VERIFIER_nondet_int() > 3;
            if (x == 2 || on && x == 1) return 0;
            if (x == 3 && !on) return 0;
            while (1) { step(); assert(x != 2); }
        }"));
    assert!(!task.simplified.is_safe());
    task.confirms(vec![safety(3, &[])]);
    task.does_not_confirm(vec![safety(1, &[])]);
}

#[test]
fn recursion_whose_depth_an_input_decides() {
    let task = Task::new(c("
        #include <assert.h>
        extern int __VERIFIER_nondet_int(void);
        int fib(int n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2); }
        int main(void) {
            int n = __VERIFIER_nondet_int();
            if (n < 0 || n > 4) return 0;
            int f = fib(n);
            assert(f <= 3 && f >= n - 1);
        }"));
    task.confirms(vec![ProofStep::Unrolling { bound: 200 }]);
    task.does_not_confirm(vec![ProofStep::Unrolling { bound: 4 }]);
    let task = Task::new(c("
        #include <assert.h>
        extern int __VERIFIER_nondet_int(void);
        int gcd(int a, int b) { if (b == 0) return a; return gcd(b, a % b); }
        int main(void) {
            int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
            if (a < 1 || a > 3 || b < 1 || b > 3) return 0;
            int d = gcd(a, b);
            assert(d >= 1 && d <= a && d <= b);
        }"));
    task.confirms(vec![ProofStep::Unrolling { bound: 200 }]);
}

#[test]
fn properties_that_the_simplifier_decides() {
    for text in [
        // Constants and ranges at loop heads.
        "int main(void) { int x = 0; while (x < 1000) { assert(x >= 0); x++; } assert(x == 1000); }",
        "int main(void) { int k = 7; for (int i = 0; i < 100; i++) { if (k != 7) assert(0); } assert(k == 7); }",
        // Through calls, which are expanded or not.
        "int g = 3; int f(int x) { for (int i = 0; i < x; i++) assert(g == 3); return x; }
         int main(void) { f(5); f(__VERIFIER_nondet_int()); assert(f(2) == 2 || g == 3); }",
        // An unreachable loop.
        "int main(void) { int x = 1; if (x == 2) { while (__VERIFIER_nondet_int()) x++; assert(x == 2); } }",
        // Memory.
        "int a[2]; int main(void) { int *p = a; p[1] = 4; while (__VERIFIER_nondet_int()) assert(a[1] == 4); }",
        // A condition on values that are known, but not in the first round.
        "void assume(int c) { __VERIFIER_assume(c); }
         int never; int main(void) { int x = __VERIFIER_nondet_int(); assume(0 <= x); assume(x <= 2);
         while (never) x += 2; if (x >= 4) assert(x < 4); }",
        // The facts depend on the call.
        "int g; void f(int k) { while (__VERIFIER_nondet_int()) assert(g == k); }
         int main(void) { g = 1; f(1); g = 2; f(2); }",
        // Recursion.
        "int id(int x) { if (x == 0) return 0; int r = id(x - 1) + 1; if (r > 3) return 3; return r; }
         int main(void) { assert(id(__VERIFIER_nondet_int()) != 5); }",
        "int g = 1; void f(int x) { assert(g == 1); if (x > 3) f(x - 1); }
         int main(void) { f(__VERIFIER_nondet_int()); assert(g == 1); }",
        // Loops within loops, some without effect.
        "int main(void) { int x = 5; for (int i = 0; i < 10; i++) { for (int j = 0; j < i; j++) { assert(j >= \
            0); } assert(x == 5); } }",
    ] {
        let text = format!("#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nextern void \
            __VERIFIER_assume(int);\n{text}");
        let task = Task::new(c(&text));
        assert!(task.simplified.is_safe(), "{}\n{}", text, task.dump());
        task.confirms(vec![ProofStep::Simplified]);
    }
}

#[test]
fn a_loop_that_was_taken_out() {
    let task = Task::new(c("
        #include <assert.h>
        extern unsigned __VERIFIER_nondet_uint(void);
        int main(void) {
            unsigned n = __VERIFIER_nondet_uint(), x = n, y = n, z = 0;
            for (unsigned i = 0; i < 10; i++) z += i;
            while (__VERIFIER_nondet_uint()) { x++; y++; }
            for (unsigned i = 0; i < 10; i++) z += i;
            assert(x == y);
        }"));
    let (x, y) = (task.value("x"), task.value("y"));
    task.confirms(task.with_invariant(1, store().eq(x, y)));
    let wrong = task.with_invariant(1, store().eq(x, number(0)));
    task.does_not_confirm(wrong);
}

#[test]
fn cells_of_a_region() {
    let task = Task::new(c("
        #include <assert.h>
        extern unsigned __VERIFIER_nondet_uint(void);
        unsigned a[4];
        int main(void) {
            unsigned *p = a;
            p[1] = 0; p[2] = 0;
            while (__VERIFIER_nondet_uint()) { p[1]++; p[2]++; }
            assert(a[1] == a[2]);
        }"));
    let cells: Vec<TermId> = {
        let mut cells: Vec<VariableId> = task.simplified.cells.keys().copied().collect();
        cells.sort();
        let symbol = |cell: &VariableId| task.simplified.program.variable(*cell).symbol;
        cells
            .iter()
            .map(|cell| store().variable(symbol(cell)))
            .collect()
    };
    assert_eq!(cells.len(), 2, "{}", task.dump());
    task.confirms(task.with_invariant(1, store().eq(cells[0], cells[1])));
    task.does_not_confirm(task.with_invariant(1, store().eq(cells[0], number(0))));
}

#[test]
fn a_product_with_a_power_of_two() {
    let task = |grown: &str| {
        Task::new(c(&format!(
            "#include <assert.h>
            extern unsigned __VERIFIER_nondet_uint(void);
            int main(void) {{
                unsigned a = __VERIFIER_nondet_uint(), b = 0x80000000u, q = 0, r = a;
                while (b != 1) {{
                    b = b / 2;
                    q = {grown};
                    if (r >= b) {{ q = q + 1; r = r - b; }}
                }}
                assert(a == q * b + r);
            }}"
        )))
    };
    let steps = |task: &Task| {
        let [a, b, q, r] = ["::a", "::b", "::q", "::r"].map(|name| task.value(name));
        let sum = store().add(store().mul(q, b), r);
        let common = store().bvand(b, store().sub(b, number(1)));
        let one_bit = store().eq(common, number(0));
        task.with_invariant(1, store().and2(store().eq(a, sum), one_bit))
    };
    let right = task("2 * q");
    right.confirms(steps(&right));
    let wrong = task("2 * q + 1");
    wrong.does_not_confirm(steps(&wrong));
}

#[test]
fn edges_that_are_not_modelled_count() {
    let mut b = ProgramBuilder::new();
    let x = b.global("x", INT);
    let input = b.input("nondet", INT);
    b.havoc(x, input);
    b.branch(
        store().eq(b.value(x), number(3)),
        |b| b.unsupported("what is not known"),
        |_| {},
    );
    let task = Task::new(b.finish());
    for step in [
        ProofStep::Simplified,
        safety(1, &[]),
        ProofStep::Unrolling { bound: 5 },
    ] {
        task.does_not_confirm(vec![step]);
    }
}

/// Both edges may be taken; only one of the values leads to the error.
fn choice_with_an_error_unless(expected: u128) {
    let mut b = ProgramBuilder::new();
    let x = b.global("x", INT);
    let (from, one, other, to) = (
        b.cursor(),
        b.new_location(),
        b.new_location(),
        b.new_location(),
    );
    let assign = |value| {
        vec![Operation::Assign {
            target: x,
            value: number(value),
        }]
    };
    b.edge(from, one, assign(1));
    b.edge(from, other, assign(2));
    b.edge(one, to, vec![]);
    b.edge(other, to, vec![]);
    b.at(to);
    b.error_unless(store().eq(b.value(x), number(expected)));
    no_step_is_confirmed(b.finish());
}

#[test]
fn a_choice_hides_no_path() {
    choice_with_an_error_unless(1);
    choice_with_an_error_unless(2);
}

/// None of the proofs without invariants is confirmed.
fn no_step_is_confirmed(program: Program) {
    Task::new(program).confirms_no_step();
}

#[test]
fn an_error_where_the_program_starts() {
    let mut b = ProgramBuilder::new();
    let start = b.cursor();
    b.assume(TermId::FALSE);
    let mut program = b.finish();
    program.add_error(start, Property::UnreachCall);
    no_step_is_confirmed(program);
}

#[test]
fn assumptions_after_an_assignment() {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", INT), b.global("y", INT));
    let input = b.input("nondet", INT);
    b.havoc(x, input);
    let assign = Operation::Assign {
        target: y,
        value: b.value(x),
    };
    let assume = Operation::Assume(store().eq(b.value(y), number(3)));
    b.operations(vec![assign, assume]);
    b.error_unless(store().ne(b.value(y), number(3)));
    no_step_is_confirmed(b.finish());
}

/// Two objects with symbolic addresses, which may be assumed to be disjoint.
fn written_at_two_addresses(are_apart: bool) -> Task {
    const ADDRESS: Sort = Sort::BitVec(64);
    let mut b = ProgramBuilder::new();
    let pool = store();
    let (at, byte) = (ScalarSort::BitVec(64), ScalarSort::BitVec(8));
    let memory = b.region("memory", at, byte);
    let [one, other] = ["one", "other"].map(|name| {
        let address = b.global(name, ADDRESS);
        let input = b.input(name, ADDRESS);
        b.havoc(address, input);
        address
    });
    let [one, other] = [one, other].map(|address| b.value(address));
    let end = |object| pool.add(object, pool.bv(64, 4));
    b.assume(pool.ule(one, end(one)));
    b.assume(pool.ule(other, end(other)));
    if are_apart {
        b.assume(pool.or2(pool.ule(end(one), other), pool.ule(end(other), one)));
    }
    for (object, value) in [(one, 1), (other, 2)] {
        b.write(memory, object, pool.bv(8, value));
    }
    let read = pool.select(b.contents(memory), one);
    b.error_unless(pool.eq(read, pool.bv(8, 1)));
    Task::new(b.finish())
}

#[test]
fn objects_may_overlap_unless_assumed_to_be_disjoint() {
    let one_by_one = || {
        vec![ProofStep::Unwinding {
            rounds: Vec::new(),
            merge: false,
        }]
    };
    written_at_two_addresses(true).confirms(one_by_one());
    written_at_two_addresses(false).does_not_confirm(one_by_one());
}

#[test]
fn a_local_that_is_not_assigned_may_differ_between_activations() {
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", INT), b.global("y", INT));
    let f = b.function("f", &[], &[("r", INT)]);
    b.call(f, vec![], vec![x]);
    b.call(f, vec![], vec![y]);
    b.error_unless(store().eq(b.value(x), b.value(y)));
    b.enter(f);
    let local = b.local(f, "local", INT);
    b.assign(b.result(f, 0), b.value(local));
    b.leave();
    let task = Task::new(b.finish());
    task.does_not_confirm(vec![safety(1, &[])]);
}

/// An error behind so many conditions that its guard gets a name.
#[test]
fn behind_many_conditions() {
    let mut b = ProgramBuilder::new();
    let x = b.global("x", INT);
    let input = b.input("nondet", INT);
    b.havoc(x, input);
    for value in 0..20 {
        b.assume(store().ne(b.value(x), number(value + 7)));
    }
    b.error_unless(store().ne(b.value(x), number(3)));
    no_step_is_confirmed(b.finish());
}

/// The second loop is not reached in one step from the start.
#[test]
fn places_that_are_reached_from_others() {
    let task = Task::new(c("
        #include <assert.h>
        extern int __VERIFIER_nondet_int(void);
        int main(void) {
            unsigned x = 0, y = 0;
            while (__VERIFIER_nondet_int()) y = y + 2;
            while (__VERIFIER_nondet_int()) x++;
            assert(x == 0 || y == 77);
        }"));
    let claim = store().eq(task.value("::x"), number(0));
    let batch = task.heads().into_iter().map(|head| (head, claim));
    task.does_not_confirm(by_batch(1, batch.collect()));
}

/// Two edges lead to a loop's head, with different values.
#[test]
fn paths_that_meet_at_a_cut_point() {
    for excluded in [1, 2] {
        let mut b = ProgramBuilder::new();
        let (x, y) = (b.global("x", INT), b.global("y", INT));
        let input = b.input("nondet", INT);
        b.assign(x, number(0));
        let (head, end) = (b.new_location(), b.new_location());
        b.jump(head);
        b.at(head);
        b.havoc(y, input);
        let choice = b.cursor();
        let operations = |way: u128| {
            let set = Operation::Assign {
                target: x,
                value: number(way),
            };
            vec![Operation::Assume(store().eq(b.value(y), number(way))), set]
        };
        let (one, other) = (operations(1), operations(2));
        let stop = store().eq(b.value(y), number(3));
        b.edge(choice, head, one);
        b.edge(choice, head, other);
        b.edge(choice, end, vec![Operation::Assume(stop)]);
        b.at(end);
        b.error_unless(store().ne(b.value(x), number(excluded)));
        let task = Task::new(b.finish());
        let claim = store().ne(task.value("x"), number(excluded));
        task.does_not_confirm(task.with_invariant(1, claim));
    }
}

/// The invariant of a function's loop depends on the call; each claim is used for its own call only.
#[test]
fn copies_are_told_apart() {
    let task = Task::new(c("
        #include <assert.h>
        extern int __VERIFIER_nondet_int(void);
        unsigned x, y;
        void both(void) { while (__VERIFIER_nondet_int()) { x++; y++; } }
        int main(void) {
            both();
            x++;
            both();
            assert(x == y + 1);
        }"));
    let heads = task.heads();
    let [first, second] = &heads[..] else {
        panic!("{}", task.dump())
    };
    let (x, y) = (task.value("x"), task.value("y"));
    let claims = [store().eq(x, y), store().eq(x, store().add(y, number(1)))];
    let steps = |order: [&InvariantLocation; 2]| {
        let batch = order.into_iter().cloned().zip(claims);
        by_batch(1, batch.collect())
    };
    let results = [[first, second], [second, first]].map(|order| task.check(steps(order)));
    let confirmed = results.iter().filter(|&result| *result == Check::Confirmed);
    assert_eq!(confirmed.count(), 1, "{results:?}");
}

#[test]
fn two_calls_may_return_different_values() {
    let task = Task::new(c("
        #include <assert.h>
        extern int __VERIFIER_nondet_int(void);
        int any(int n) { return n > 0 ? any(n - 1) : __VERIFIER_nondet_int(); }
        int main(void) { int x = any(1), y = any(1); assert(x == y); }"));
    task.confirms_no_step();
    // The number of returns on the paths to the assertion.
    task.does_not_confirm(vec![safety(3, &[])]);
}

/// A quantified claim about an unreachable location excludes no states elsewhere.
#[test]
fn an_absurd_claim_about_any_index() {
    let task = Task::new(c("
        #include <assert.h>
        extern int __VERIFIER_nondet_int(void);
        int a[1000];
        int main(void) {
            int x = 0;
            a[__VERIFIER_nondet_int() & 511] = 1;
            while (__VERIFIER_nondet_int()) x++;
            if (x == 5)
                while (__VERIFIER_nondet_int()) {
                    a[__VERIFIER_nondet_int() & 511] = 3;
                    x = 5 + a[__VERIFIER_nondet_int() & 511];
                }
            assert(x != 7);
        }"));
    let s = store();
    let (_, cell) = task.any_cell();
    let absurd = s.and2(s.ult(cell, number(3)), s.ult(number(5), cell));
    let none = s.eq(task.value("::x"), number(0));
    let heads = task.heads();
    let [first, second] = &heads[..] else {
        panic!("{}", task.dump())
    };
    for [one, other] in [[first, second], [second, first]] {
        let batch = vec![(one.clone(), none), (other.clone(), absurd)];
        task.does_not_confirm(by_batch(1, batch));
    }
}

/// A quantified claim about one cut point must not be used on paths from another.
#[test]
fn quantified_claims_about_an_earlier_cut_point() {
    let task = Task::new(c("
        extern int __VERIFIER_nondet_int(void);
        void assert(int);
        int a[1000];
        int main(void) {
            int i, j;
            for (i = 0; i < 1000; i++)
                if (a[i] == 5)
                    a[i] = 6;
            a[__VERIFIER_nondet_int() & 511] = 1;
            for (j = 0; j < 1000; j++)
                assert(a[j] == 0);
            return 0;
        }"));
    task.does_not_confirm(cells(&task, |_, _| TermId::TRUE, 0));
}

#[test]
fn a_wrong_slice_is_not_believed() {
    for text in [
        "int main(void) {
            int lost = 0;
            while (__VERIFIER_nondet_int()) lost = lost + 1;
            assert(lost != 7);
        }",
        // It is not the step back to the loop's head that changes it, or not this function.
        "int main(void) {
            int lost = 0, calls = 0;
            while (__VERIFIER_nondet_int()) {
                lost = lost + 1;
                if (__VERIFIER_nondet_int()) calls = calls + 1;
            }
            assert(lost != 7);
        }",
        "int lost;
        void more(void) { lost = lost + 1; }
        int main(void) {
            while (__VERIFIER_nondet_int()) more();
            assert(lost != 7);
        }",
        // A loop that begins in its middle.
        "int main(void) {
            int lost = 0;
            if (__VERIFIER_nondet_int()) goto middle;
            while (__VERIFIER_nondet_int()) {
                lost = lost + 2;
                middle: lost = lost + 1;
            }
            assert(lost != 7);
        }",
        // A recursive function of which nothing is left.
        "int lost;
        void down(int n) { if (n > 0) down(n - 1); else assert(lost != 7); }
        int main(void) {
            int input = __VERIFIER_nondet_int();
            if (input > 3) lost = input;
            down(__VERIFIER_nondet_int());
        }",
    ] {
        let declarations = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n";
        let task = Task::with_wrong_slice(c(&format!("{declarations}{text}")), "lost");
        assert!(task.simplified.is_safe(), "{}", task.dump());
        task.confirms_no_step();
        // Without the fault the program is not safe at all.
        assert!(!simplify(&task.lowered).is_safe());
    }
}

/// A solver whose translation takes `<` on signed bit vectors for `<=` would find the error unreachable.
#[test]
fn what_only_a_wrong_translation_proves_is_not_confirmed() {
    let task = Task::new(c("
        #include <assert.h>
        extern int __VERIFIER_nondet_int(void);
        int main(void) {
            int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
            int less = x < y;
            if (x == y) assert(less);
        }"));
    let check = task.does_not_confirm(vec![safety(1, &[])]);
    assert!(matches!(check, Check::Refuted { .. }), "{check:?}");
}

#[test]
fn an_unrolling_is_confirmed_with_a_sufficient_bound() {
    let task = Task::new(c("
        #include <assert.h>
        extern int __VERIFIER_nondet_int(void);
        int main(void) {
            int n = __VERIFIER_nondet_int(), s = 0;
            if (n > 6) return 0;
            for (int i = 0; i < n; i++) s += 2;
            assert(s != 12 || n == 6);
        }"));
    task.confirms(vec![ProofStep::Unrolling { bound: 8 }]);
    task.does_not_confirm(vec![ProofStep::Unrolling { bound: 3 }]);
}

proptest! {
    /// Confirmed proofs are not refuted by running the program.
    #[test]
    fn nothing_wrong_is_confirmed(
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        seed in 0u64..1000,
        recursion in any::<bool>(),
    ) {
        let recursion = if recursion { Recursion::Allowed } else { Recursion::Excluded };
        let task = Task::new(random_program(&bytes, recursion));
        let fails = some_run_fails(&task.lowered, seed);
        let steps = [ProofStep::Simplified, ProofStep::Unrolling { bound: 12 }, safety(1, &[]), safety(3, &[])];
        for step in steps {
            let result = task.check(vec![step.clone()]);
            prop_assert!(!(fails && result == Check::Confirmed), "{step:?}");
        }
    }

    /// The same where a loose slice was analysed.
    #[test]
    fn nothing_wrong_is_confirmed_by_a_loose_slice(
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        seed in 0u64..1000,
    ) {
        let task = Task::with_loose_slice(random_program(&bytes, Recursion::Allowed));
        let fails = some_run_fails(&task.lowered, seed);
        let covering = boxes::Covering { nodes: vec![boxes::CoveringNode::Leaf] };
        let unwinding = |merge| ProofStep::Unwinding { rounds: Vec::new(), merge };
        let steps = [
            ProofStep::Simplified, ProofStep::Unrolling { bound: 12 }, safety(1, &[]), unwinding(true), unwinding(false),
            ProofStep::Boxes { covering }, ProofStep::Summaries { batch: Vec::new() },
        ];
        for step in steps {
            let result = task.check(vec![step.clone()]);
            prop_assert!(!(fails && result == Check::Confirmed), "{step:?}");
        }
    }
}

/// What may not end comes before a check: a loop, and a call of a recursive function, which change these variables.
fn behind(looped: &str, called: &str) -> String {
    "
        extern unsigned __VERIFIER_nondet_uint(void);
        void assert(int);
        unsigned x, y;
        void again(unsigned n) {
            CALLED += n;
            if (n != 7)
                again(n + 2);
        }
        int main(void) {
            x = __VERIFIER_nondet_uint() % 8;
            while (__VERIFIER_nondet_uint() != y)
                LOOPED++;
            again(__VERIFIER_nondet_uint());
            assert(x < 8);
        }"
    .replace("LOOPED", looped)
    .replace("CALLED", called)
}

#[test]
fn what_a_loose_slice_leaves_out_is_passed_over() {
    let steps = || {
        let covering = boxes::Covering {
            nodes: vec![boxes::CoveringNode::Leaf],
        };
        let rounds = Vec::new();
        let merge = true;
        [
            ProofStep::Boxes { covering },
            ProofStep::Unwinding { rounds, merge },
            ProofStep::Unrolling { bound: 2 },
            safety(1, &[]),
            ProofStep::Summaries { batch: Vec::new() },
        ]
    };
    let task = Task::with_loose_slice(c(&behind("y", "y")));
    for step in steps() {
        task.confirms(vec![step]);
    }
    // In these programs, what is left out matters.
    let in_recursion = behind("y", "assert(x < 8); x");
    for text in [behind("x", "y"), behind("y", "x"), in_recursion] {
        let lowered = c(&text);
        let task = Task {
            simplified: Simplified {
                slicing: Slicing::Loose,
                ..Task::with_wrong_slice(lowered.clone(), "x").simplified
            },
            lowered,
        };
        for step in steps() {
            task.does_not_confirm(vec![step]);
        }
    }
}

const FILLED: &str = "
    extern int __VERIFIER_nondet_int(void);
    void assert(int);
    int main(void) {
        int a[1000], i, j;
        for (i = 0; i < 1000; i++)
            a[i] = 7;
        j = __VERIFIER_nondet_int();
        if (j >= 0 && j < 1000)
            assert(a[j] == 7);
        return 0;
    }";

/// For the loop's head: where `range` says so of any index and i, the cell is `value`; and 0 <= i <= 1000.
fn cells(task: &Task, range: impl Fn(TermId, TermId) -> TermId, value: u128) -> Vec<ProofStep> {
    let (any, cell) = task.any_cell();
    let width = store().width(any);
    let i = task.value("::i");
    let filled = store().implies(
        range(any, store().zero_resize(i, width)),
        store().eq(cell, number(value)),
    );
    let head = task.heads()[0].clone();
    by_batch(
        1,
        vec![(head.clone(), filled), (head, store().ule(i, number(1000)))],
    )
}

#[test]
fn quantified_claims_are_instantiated_with_the_index_of_a_read() {
    let task = Task::new(c(FILLED));
    task.confirms(cells(&task, |any, i| store().ult(any, i), 7));
}

#[test]
fn quantified_claims_that_do_not_hold_are_refuted() {
    let task = Task::new(c(FILLED));
    // The cell at i is not written yet.
    task.does_not_confirm(cells(&task, |any, i| store().ule(any, i), 7));
    // Another value.
    task.does_not_confirm(cells(&task, |any, i| store().ult(any, i), 8));
    // All cells.
    task.does_not_confirm(cells(&task, |_, _| TermId::TRUE, 7));
    // True, and not enough.
    task.does_not_confirm(cells(&task, |_, _| TermId::FALSE, 7));
}

#[test]
fn quantified_claims_of_one_cut_point_do_not_help_at_another() {
    // Nothing is claimed about the second loop; the first one's claim, false in some states, must not help.
    let task = Task::new(c("
        extern int __VERIFIER_nondet_int(void);
        void assert(int);
        int main(void) {
            int a[1000], i, j;
            for (i = 0; i < 1000; i++)
                a[i] = 7;
            for (j = 0; j < 1000; j++)
                assert(a[j] == 8);
            return 0;
        }"));
    let mut steps = cells(&task, |any, i| store().ult(any, i), 7);
    task.does_not_confirm(steps.clone());
    if let Some(ProofStep::Safety { relies_on, .. }) = steps.last_mut() {
        relies_on.clear();
    }
    task.does_not_confirm(steps);
}

/// Returns the targets with the numbers, from zero.
fn only(targets: &[u32]) -> Targets {
    Targets::Only(targets.iter().copied().map(TargetId).collect())
}

/// Checks whether every path of the program ends soon and none in one of the targets.
fn check_targets(lowered: &Program, targets: Targets) -> Check {
    let certificate = Certificate {
        targets,
        steps: vec![ProofStep::Unrolling { bound: 5 }],
    };
    check(
        lowered,
        &simplify(lowered),
        &certificate,
        Budget::of(BUDGET),
    )
}

#[test]
fn a_certificate_excludes_the_targets_that_it_names_and_no_others() {
    let lowered = c("
        #include <assert.h>
        extern unsigned __VERIFIER_nondet_uint(void);
        int main(void) {
            unsigned x = __VERIFIER_nondet_uint();
            x = x > 5 ? 5 : x;
            assert(x <= 5);
            assert(x != 3);
        }");
    assert_eq!(lowered.targets().len(), 2);
    assert_eq!(check_targets(&lowered, only(&[0])), Check::Confirmed);
    for wrong in [only(&[1]), only(&[0, 1]), Targets::All] {
        assert_ne!(check_targets(&lowered, wrong), Check::Confirmed);
    }
    let unknown = check_targets(&lowered, only(&[2]));
    assert!(matches!(unknown, Check::Undecided(_)), "{unknown:?}");
}

/// The second check holds since an execution ends at the first one.
#[test]
fn an_execution_ends_at_the_check_that_it_violates() {
    let lowered = c("
        extern void reach_error(void);
        extern unsigned __VERIFIER_nondet_uint(void);
        int main(void) {
            unsigned x = __VERIFIER_nondet_uint();
            if (x > 5)
                reach_error();
            if (x > 10)
                reach_error();
        }");
    assert_eq!(check_targets(&lowered, only(&[1])), Check::Confirmed);
    assert_ne!(check_targets(&lowered, only(&[0])), Check::Confirmed);
    assert_ne!(check_targets(&lowered, only(&[0, 1])), Check::Confirmed);
}

/// Calls of a function that asserts have targets of their own after the separation, and the program is well formed.
#[test]
fn checks_in_a_function_are_separated_by_its_calls() {
    let mut lowered = c("
        extern void reach_error(void);
        extern unsigned __VERIFIER_nondet_uint(void);
        void check(unsigned holds) {
            unsigned failed = !holds;
            if (failed)
                reach_error();
        }
        int main(void) {
            unsigned x = __VERIFIER_nondet_uint();
            x = x > 5 ? 5 : x;
            check(x <= 5);
            check(x != 3);
            check(x + 1 > x);
        }");
    assert_eq!(lowered.targets().len(), 1);
    lowered.separate_checks();
    assert_eq!(lowered.validate(), Ok(()));
    assert_eq!(lowered.targets().len(), 3);
    assert_eq!(check_targets(&lowered, only(&[0, 2])), Check::Confirmed);
    for wrong in [only(&[1]), only(&[0, 1]), Targets::All] {
        assert_ne!(check_targets(&lowered, wrong), Check::Confirmed);
    }
}

/// What is not modelled may have any effect, also the violation of a check that is not reached otherwise.
#[test]
fn a_certificate_for_some_targets_excludes_unsupported_operations() {
    let program = |is_reachable: bool| {
        let mut builder = ProgramBuilder::new();
        let entry = builder.cursor();
        let (error, after) = (builder.new_location(), builder.new_location());
        builder.edge(entry, error, vec![Operation::Assume(TermId::FALSE)]);
        let condition = store().boolean(is_reachable);
        let reason = UnsupportedReason("a construct".to_owned());
        let operations = vec![Operation::Assume(condition), Operation::Unsupported(reason)];
        builder.edge(entry, after, operations);
        let mut program = builder.program().clone();
        program.add_error(error, Property::UnreachCall);
        program
    };
    assert_eq!(check_targets(&program(false), only(&[0])), Check::Confirmed);
    assert_ne!(check_targets(&program(true), only(&[0])), Check::Confirmed);
}

/// Each check follows from the other by induction, for an execution ends at the one that it violates first. That excludes both
/// if each is proved with the other as it is, and neither by the other's proof.
#[test]
fn checks_that_lean_on_each_other_are_excluded_one_by_one() {
    let task = |start: &str| {
        c(&format!(
            "
            extern void reach_error(void);
            extern unsigned __VERIFIER_nondet_uint(void);
            int main(void) {{
                unsigned c = __VERIFIER_nondet_uint(), x = c, y = {start};
                while (__VERIFIER_nondet_uint()) {{
                    if (x != c)
                        reach_error();
                    x = y;
                    if (y != c)
                        reach_error();
                    y = x;
                }}
            }}"
        ))
    };
    let checked = |lowered: &Program, targets: Targets| {
        let certificate = Certificate {
            targets,
            steps: vec![safety(2, &[])],
        };
        check(
            lowered,
            &simplify(lowered),
            &certificate,
            Budget::of(BUDGET),
        )
    };
    let holding = task("c");
    for right in [only(&[0]), only(&[1]), Targets::All] {
        assert_eq!(checked(&holding, right), Check::Confirmed);
    }
    let violated = task("__VERIFIER_nondet_uint()");
    assert_eq!(checked(&violated, only(&[0])), Check::Confirmed);
    for wrong in [only(&[1]), Targets::All] {
        assert_ne!(checked(&violated, wrong), Check::Confirmed);
    }
}

/// Returns a program with the given number of checks, of which those with the given numbers fail.
fn program_of_checks(count: u32, failing: &[u32]) -> Program {
    let checks = (0..count).map(|number| {
        let most = number + 5;
        let bound = most - u32::from(failing.contains(&number));
        // The guards of the later ones have names.
        format!(
            "x = __VERIFIER_nondet_uint(); if (x > {most}) x = {most}; if (x > {bound}) reach_error();"
        )
    });
    c(&format!(
        "extern void reach_error(void);
        extern unsigned __VERIFIER_nondet_uint(void);
        int main(void) {{ unsigned x; {} }}",
        checks.collect::<String>()
    ))
}

/// Many checks, of which some fail: each is asked about by itself.
#[test]
fn many_checks_are_excluded_and_no_others() {
    let program = |failing: &[u32]| program_of_checks(40, failing);
    let checked = |lowered: &Program, targets: Targets| {
        let certificate = Certificate {
            targets,
            steps: vec![safety(1, &[])],
        };
        check_with_facts(
            lowered,
            &simplify(lowered),
            &certificate,
            Budget::of(BUDGET),
        )
        .check
    };
    assert_eq!(checked(&program(&[]), Targets::All), Check::Confirmed);
    for failing in [0, 13, 39] {
        let lowered = program(&[failing]);
        assert_ne!(checked(&lowered, Targets::All), Check::Confirmed);
        let others: Vec<u32> = (0..40).filter(|&number| number != failing).collect();
        assert_eq!(checked(&lowered, only(&others)), Check::Confirmed);
        let some: Vec<u32> = (failing / 2..failing / 2 + 20).collect();
        let expected = some.contains(&failing);
        let is_confirmed = checked(&lowered, only(&some)) == Check::Confirmed;
        assert_eq!(is_confirmed, !expected, "{failing}");
    }
}

/// A proof that does not hold of all its targets excludes those of which it does, each by itself.
#[test]
fn a_proof_that_fails_for_some_targets_excludes_the_others() {
    let excluded = |lowered: &Program, asked: Targets| {
        let certificate = Certificate {
            targets: asked,
            steps: vec![ProofStep::Simplified],
        };
        let budget = Budget::of(BUDGET);
        check_with_facts(lowered, &simplify(lowered), &certificate, budget)
    };
    for (count, failing) in [(4, vec![1]), (4, vec![0, 3]), (40, vec![7, 8, 39])] {
        let lowered = program_of_checks(count, &failing);
        let all: Vec<u32> = (0..count).collect();
        let right = all.iter().filter(|number| !failing.contains(number));
        let right: TargetSet = right.copied().map(TargetId).collect();
        let checked = excluded(&lowered, only(&all));
        assert!(matches!(checked.check, Check::Undecided(_)));
        assert_eq!(checked.excluded, right);
        assert!(excluded(&lowered, Targets::All).excluded.is_empty());
    }
}

/// Where something that is not modelled can be reached, no target is excluded.
#[test]
fn a_proof_that_fails_for_what_is_not_modelled_excludes_nothing() {
    let mut builder = ProgramBuilder::new();
    let entry = builder.cursor();
    let errors = [builder.new_location(), builder.new_location()];
    for error in errors {
        builder.edge(entry, error, vec![Operation::Assume(TermId::FALSE)]);
    }
    let after = builder.new_location();
    let reason = UnsupportedReason("a construct".to_owned());
    builder.edge(entry, after, vec![Operation::Unsupported(reason)]);
    let mut lowered = builder.program().clone();
    for error in errors {
        lowered.add_error(error, Property::UnreachCall);
    }
    let certificate = Certificate {
        targets: only(&[0, 1]),
        steps: vec![ProofStep::Simplified],
    };
    let budget = Budget::of(BUDGET);
    let checked = check_with_facts(&lowered, &simplify(&lowered), &certificate, budget);
    assert!(matches!(checked.check, Check::Undecided(_)));
    assert!(checked.excluded.is_empty());
}
