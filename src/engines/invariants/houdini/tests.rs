//! Tests on random programs and candidates: the largest inductive subset does not depend on the helpers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHashSet;

use super::Houdini;
use crate::CancellationToken;
use crate::invariants::samples::Samples;
use crate::testing::{blocks, default_solver, lowered};
use crate::unrolling::inner_cut_points;
use regatta_base::workers::Workers;
use regatta_program::block::Blocks;
use regatta_sharing::{Candidate, Publisher, Snapshot};
use regatta_term::random::seeds;
use regatta_term::{Build, Sort, Symbol, TermId, store};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A program and candidates for it.
struct System {
    random: Xoshiro256PlusPlus,
    blocks: Arc<Blocks>,
    candidates: Vec<Candidate>,
}

impl System {
    fn new(seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let program = program(&mut random);
        let blocks = blocks(lowered(&program));
        let mut candidates = Vec::new();
        for at in inner_cut_points(&blocks) {
            for _ in 0..30 {
                let formula = formula(&mut random);
                candidates.push(Candidate { at, formula });
            }
        }
        Self {
            random,
            blocks,
            candidates,
        }
    }

    /// Returns the inductive candidates, and whether a helper has refuted some.
    fn inductive(
        &self,
        workers: &Workers,
        token: &CancellationToken,
        safe_point: &dyn Fn() -> Duration,
    ) -> (Option<FxHashSet<Candidate>>, bool) {
        let solver = default_solver().expect("a solver");
        let mut houdini = Houdini::new(&self.blocks, solver, token, workers);
        houdini.time_before_helpers = Duration::ZERO;
        let caller = std::thread::current().id();
        let helped = AtomicBool::new(false);
        let batch = houdini.inductive_subset(
            &self.candidates,
            &Snapshot::default(),
            &Samples::default(),
            &|_| Publisher::from("test"),
            safe_point,
            &mut |_| {
                helped.fetch_or(std::thread::current().id() != caller, Ordering::Relaxed);
            },
        );
        let left = batch.map(|batch| batch.invariants().iter().copied().collect());
        (left, helped.into_inner())
    }
}

/// Loops, one after another, over four variables, which all matter in the end.
fn program(random: &mut Xoshiro256PlusPlus) -> String {
    let mut body = String::new();
    for _ in 0..random.random_range(2..5) {
        let statements: String = (0..random.random_range(1..4))
            .map(|_| statement(random))
            .collect();
        body += &format!("while (__VERIFIER_nondet_int()) {{ {statements} }}\n");
    }
    let values = [0; 4].map(|_| random.random_range(0..6));
    let [a, b, c, d] = values;
    format!(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
        int main(void) {{
            unsigned char a = {a}, b = {b}, c = {c}, d = {d};
            {body}
            if (a + 2 * b + 3 * c + 5 * d == 7) reach_error();
            return 0;
        }}"
    )
}

fn statement(random: &mut Xoshiro256PlusPlus) -> String {
    let mut name = || NAMES[random.random_range(0..4)];
    let (x, y, z) = (name(), name(), name());
    let k = random.random_range(0..6);
    match random.random_range(0..7) {
        0 => format!("{x} = {y};"),
        1 => format!("{x} = {x} + {k};"),
        2 => format!("{x} = {y} + {z};"),
        3 => format!("if ({y} < {k}) {x} = {x} + 1; else {x} = {z};"),
        4 => format!("if (__VERIFIER_nondet_int()) {{ {x} = {x} + 2; {y} = {y} + 2; }}"),
        5 => format!("if ({x} <= {y}) {{ {z} = {x}; }}"),
        _ => format!("{{ unsigned char t = {x}; {x} = {y}; {y} = t; }}"),
    }
}

fn formula(random: &mut Xoshiro256PlusPlus) -> TermId {
    let s = store();
    let mut variable = || {
        let name = format!("main::{}", NAMES[random.random_range(0..4)]);
        s.variable(Symbol::new(&name, Sort::BitVec(8)))
    };
    let (x, y) = (variable(), variable());
    let k = s.bv(8, random.random_range(0..8));
    match random.random_range(0..7) {
        0 => s.eq(x, k),
        1 => s.not(s.eq(x, k)),
        2 => s.ule(x, k),
        3 => s.ule(x, y),
        4 => s.eq(x, y),
        5 => s.eq(s.bvand(x, s.bv(8, 1)), s.bvand(k, s.bv(8, 1))),
        _ => s.eq(s.add(x, y), k),
    }
}

/// The caller is slow, so that helpers get work.
fn slow() -> Duration {
    std::thread::sleep(Duration::from_millis(3));
    Duration::ZERO
}

#[test]
fn the_inductive_subset_does_not_depend_on_helpers() {
    let token = CancellationToken::new();
    let (mut has_helped, mut sizes) = (false, BTreeSet::new());
    for seed in 0..seeds(20) {
        let system = System::new(seed);
        let (alone, _) = system.inductive(&Workers::none(), &token, &|| Duration::ZERO);
        for helpers in [1, 3] {
            let workers = Workers::fixed(helpers);
            let (together, helped) = system.inductive(&workers, &token, &slow);
            assert_eq!(alone, together, "{seed}");
            has_helped |= helped;
        }
        sizes.insert(alone.map_or(0, |left| left.len()));
    }
    assert!(has_helped, "no helper has refuted candidates");
    assert!(sizes.len() > 3, "{sizes:?}");
}

/// No block leads to the entry, and any state may be there.
#[test]
fn nothing_is_proved_at_the_entry() {
    let mut system = System::new(1);
    let at = system.blocks.inlined().entry();
    system.candidates = vec![Candidate {
        at,
        formula: TermId::FALSE,
    }];
    let token = CancellationToken::new();
    let (left, _) = system.inductive(&Workers::none(), &token, &|| Duration::ZERO);
    assert_eq!(left, None);
}

#[test]
fn a_cancelled_computation_proves_nothing_wrong() {
    for seed in 0..seeds(20) {
        let mut system = System::new(seed);
        let after = system.random.random_range(0..12);
        let by_another = system.random.random_bool(0.5);
        let never = CancellationToken::new();
        let (whole, _) = system.inductive(&Workers::none(), &never, &|| Duration::ZERO);
        let token = CancellationToken::new();
        let points = AtomicU32::new(0);
        let safe_point = || {
            if !by_another && points.fetch_add(1, Ordering::Relaxed) == after {
                token.cancel();
            }
            slow()
        };
        let (left, _) = std::thread::scope(|scope| {
            if by_another {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(4 * u64::from(after)));
                    token.cancel();
                });
            }
            system.inductive(&Workers::fixed(2), &token, &safe_point)
        });
        assert!(left.is_none() || left == whole, "{seed}");
    }
}
