//! Tests of invariants of small programs.

use std::sync::Arc;
use std::time::Duration;

use super::guess::{Round, Vocabulary, candidates};
use super::houdini::Houdini;
use super::prover::Prover;
use super::samples::Samples;
use super::views::View;
use crate::testing::{blocks, default_solver, lowered};
use crate::{CancellationToken, simulate};
use regatta_base::workers::Workers;
use regatta_program::block::Blocks;
use regatta_program::simplify::simplify;
use regatta_sharing::{Candidate, Exchange, InvariantStore, Publisher, Snapshot};
use regatta_term::{Build, to_smtlib};

#[test]
fn offered_candidates_are_proved_together_or_refuted() {
    let blocks = loaded(&format!(
        "{INPUTS} int main(void) {{
            int w = __VERIFIER_nondet_int(), x = w, y = w;
            while (__VERIFIER_nondet_int()) {{ int t = x; x = y; y = t; }}
            if (x != w) reach_error();
            return 0;
        }}"
    ));
    let invariants = InvariantStore::new();
    let token = CancellationToken::new();
    let mut prover = Prover::new(
        &invariants,
        &blocks,
        default_solver,
        &token,
        &Workers::none(),
    )
    .expect("a prover");
    assert!(!invariants.wait_for_offers(Duration::ZERO));
    let [head] = &crate::unrolling::inner_cut_points(&blocks)[..] else {
        panic!("one loop");
    };
    let pool = regatta_term::store();
    let named = |name: &str| {
        let mut variables = blocks.inlined().program().variables.iter();
        let variable = variables.find(|one| one.symbol.name() == name);
        pool.variable(variable.expect("a variable").symbol)
    };
    let [w, x, y] = ["main::w", "main::x", "main::y"].map(named);
    let offer = |formula| Candidate { at: *head, formula };
    // Neither is inductive by itself.
    let [one, other] = ["one", "other"].map(|name| Exchange::new(&invariants, name, &token));
    let next = pool.add(w, pool.bv(32, 1));
    one.offer([offer(pool.eq(x, w)), offer(pool.eq(x, next))]);
    assert!(invariants.wait_for_offers(Duration::ZERO));
    let round = prover.round(&|| Duration::ZERO);
    assert_eq!((round.tried, round.refuted, round.proved), (2, 1, 0));
    other.offer([offer(pool.eq(y, w))]);
    let round = prover.round(&|| Duration::ZERO);
    assert_eq!((round.tried, round.refuted, round.proved), (2, 0, 2));
    let of: Vec<usize> = invariants.snapshot().publishers().into_values().collect();
    assert_eq!(of, [1, 1]);
}

fn loaded(text: &str) -> Arc<Blocks> {
    blocks(simplify(&lowered(text)).program)
}

/// Returns the proved candidates of a round and of the round of values, as text; and all of these candidates.
fn proved(text: &str, round: Round) -> (Vec<String>, Vec<String>) {
    let blocks = loaded(text);
    let token = CancellationToken::new();
    let options = simulate::Options {
        time: Duration::from_millis(50),
        ..simulate::Options::default()
    };
    let samples = Samples::of_simulation(&blocks, &options, simulate::Control::new(&token), None);
    let vocabulary = Vocabulary::of(blocks.inlined().program());
    let mut proposed = Vec::new();
    let mut all = Vec::new();
    for (&at, place) in &samples.places {
        let of = |round| Candidate::each(at, candidates(round, place, &vocabulary));
        proposed.extend(of(round));
        all.extend(of(round).chain(of(Round::Values)));
    }
    let solver = default_solver().unwrap();
    let mut houdini = Houdini::new(&blocks, solver, &token, &Workers::none());
    let batch = houdini.inductive_subset(
        &all,
        &Snapshot::default(),
        &samples,
        &|_| Publisher::from("test"),
        &|| Duration::ZERO,
        &mut |_| {},
    );
    let text =
        |one: &Candidate| to_smtlib(regatta_term::store(), one.formula).replace("main::", "");
    let proved = batch
        .iter()
        .flat_map(|batch| batch.invariants().iter().map(text));
    (proved.collect(), all.iter().map(text).collect())
}

const INPUTS: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);";

#[test]
fn the_sum_of_two_counters_is_found_and_a_late_violation_refutes_it() {
    let program = format!(
        "{INPUTS} int main(void) {{
            unsigned x = 0, y = 0, z = 0;
            while (__VERIFIER_nondet_int()) {{
                if (__VERIFIER_nondet_int()) x++; else y++;
                z++;
                if (z == 3000000000u) x = 5;
            }}
            if (x + y != z) reach_error();
            return 0;
        }}"
    );
    let (proved, proposed) = proved(&program, Round::Linear);
    assert!(!proposed.is_empty());
    // No sample has so many steps, but the equation is false.
    assert!(proved.is_empty(), "{proved:?}");
    let (proved, _) = self::proved(
        &program.replace("if (z == 3000000000u) x = 5;", ""),
        Round::Linear,
    );
    assert_eq!(proved.len(), 1, "{proved:?}");
}

#[test]
fn an_inequality_of_three_variables_is_a_facet() {
    let (proved, _) = proved(
        &format!(
            "{INPUTS} int main(void) {{
                int n = __VERIFIER_nondet_int(), left = n, done = 0;
                if (n < 0 || n > 1000) return 0;
                while (left > 0) {{
                    left--;
                    if (__VERIFIER_nondet_int()) done++;
                }}
                if (done + left > n) reach_error();
                return 0;
            }}"
        ),
        Round::Inequalities,
    );
    let about_all = |text: &&String| {
        ["left", "done", "|n@0|"]
            .iter()
            .all(|name| text.contains(name))
    };
    assert!(proved.iter().any(|text| about_all(&text)), "{proved:?}");
}

#[test]
fn cells_before_the_index_are_known() {
    let (proved, _) = proved(
        &format!(
            "{INPUTS} int main(void) {{
                int a[1000], i;
                for (i = 0; i < 1000; i++) a[i] = 2 * i + 1;
                i = __VERIFIER_nondet_int();
                if (i >= 0 && i < 1000 && a[i] != 2 * i + 1) reach_error();
                return 0;
            }}"
        ),
        Round::Arrays,
    );
    let about_cells = |text: &String| text.contains("select") && text.contains("any index#");
    assert!(proved.iter().any(about_cells), "{proved:?}");
}

#[test]
fn a_product_with_a_power_of_two_is_a_shift_in_each_case() {
    let program = format!(
        "{INPUTS} int main(void) {{
            unsigned a = __VERIFIER_nondet_int(), b = 0x80000000u, q = 0, r = a;
            while (1) {{
                if (a != q * b + r) reach_error();
                if (b == 1) break;
                b = b / 2;
                q = 2 * q;
                if (r >= b) {{ q = q + 1; r = r - b; }}
            }}
            return 0;
        }}"
    );
    let equation = |text: &String| text.contains("bvmul") && !text.contains("bvult");
    let (proved, _) = proved(&program, Round::Values);
    assert!(proved.iter().any(equation), "{proved:?}");
    let (proved, _) = self::proved(&program.replace("2 * q;", "2 * q + 1;"), Round::Values);
    assert!(!proved.iter().any(equation), "{proved:?}");
}

/// A ring buffer whose cells are counted from its first one.
const RING: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
    void *malloc(unsigned long);
    struct ring { unsigned first, used; unsigned place[4]; };
    int main(void) {
        struct ring *r = malloc(sizeof *r);
        unsigned put = 0, got = 0;
        r->first = 0;
        r->used = 0;
        while (__VERIFIER_nondet_int()) {
            if (__VERIFIER_nondet_int()) {
                if (r->used < 4) { r->place[(r->first + r->used) % 4] = put++; r->used++; }
            } else if (r->used) {
                if (r->place[r->first] != got++) reach_error();
                r->first = (r->first + 1) % 4;
                r->used--;
            }
        }
        return 0;
    }";

#[test]
fn a_member_that_is_an_array_leaves_the_words_of_its_struct_whole() {
    let regions = lowered(RING).regions;
    let widths: Vec<u64> = regions.iter().map(|region| region.element_bytes).collect();
    assert_eq!(widths, [4]);
}

#[test]
fn rings_are_views_and_constant_cells_are_variables() {
    let blocks = loaded(RING);
    let rings = View::all(&blocks).into_iter().filter(View::is_ring);
    assert_eq!(
        rings.count(),
        2,
        "by the first and by the number of used ones"
    );
    let token = CancellationToken::new();
    let options = simulate::Options {
        time: Duration::from_millis(50),
        ..simulate::Options::default()
    };
    let samples = Samples::of_simulation(&blocks, &options, simulate::Control::new(&token), None);
    let place = samples.places.values().next().expect("a loop");
    let cells = place.variables.iter().filter(|one| one.cell.is_some());
    assert_eq!(cells.count(), 2);
    let vocabulary = Vocabulary::of(blocks.inlined().program());
    let formulas = candidates(Round::Fits, place, &vocabulary);
    let formulas = formulas
        .iter()
        .map(|&one| to_smtlib(regatta_term::store(), one));
    let formulas: Vec<String> = formulas.collect();
    let about = |text: &String, all: [&str; 3]| all.iter().all(|one| text.contains(one));
    // The number of used cells follows from the numbers of insertions and removals.
    assert!(
        formulas
            .iter()
            .any(|one| about(one, ["main::put", "main::got", "bvadd"])),
        "{formulas:#?}"
    );
    assert!(
        formulas
            .iter()
            .any(|one| about(one, ["main::got", "any index", "extract 1 0"])),
        "{formulas:#?}"
    );
}
