//! Runs on boxes against the interpreter, terms on sets against the evaluator.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHashMap;

use super::evaluate::Plan;
use super::value_sets::{Cells, Set};
use super::*;
use crate::{Budget, Certificate, Check, ProofStep, check};
use regatta_frontend::preprocess::Preprocessed;
use regatta_frontend::{LoadOptions, load_preprocessed};
use regatta_program::interpreter::{self, Executable, InputSource, Outcome};
use regatta_program::testing::{Recursion, random_program};
use regatta_program::{InputKind, Program, ProgramBuilder, VariableId, simplify};
use regatta_term::random::{Choices, Language, RandomTerms, corner, seeds};
use regatta_term::{Arena, Build, Constant, ScalarSort, Symbol, evaluate, free_variables, store};

const LIMITS: Limits<'_> = Limits {
    steps: 20_000,
    paths: 300,
    cancelled: None,
};

fn constant(value: &Value) -> Set {
    match value {
        Value::Bool(truth) => Set::constant(Constant::Bool(*truth)),
        Value::BitVec(bits) => Set::constant(Constant::BitVec(*bits)),
        Value::Int(integer) => Set::constant(Constant::Int(integer)),
        Value::Float(float) => Set::constant(Constant::Float(*float)),
        Value::Array(array) => {
            let Sort::Array { index, element } = value.sort() else {
                panic!("an array's sort");
            };
            let mut cells = Cells::constant(index, element, constant(array.default_value()));
            for (index, element) in array.entries() {
                cells.store(&constant(index), &constant(element));
            }
            Set::Array(std::rc::Rc::new(cells))
        }
    }
}

/// For values of variables in sets, the value of a random term is in the set computed for it.
#[test]
fn terms_on_sets_are_sound() {
    let bits = ScalarSort::BitVec;
    let float = FloatFormat::F32;
    for seed in 0..seeds(8_000) {
        let arena = Arena::new();
        let language = Language {
            widths: vec![1, 8, 16, 32, 100],
            formats: vec![FloatFormat::F16, float, FloatFormat::F64, FloatFormat::F80],
            integers: seed % 4 == 0,
            arrays: vec![(bits(8), bits(8)), (bits(8), ScalarSort::Float(float))],
        };
        let variables = |sort, choice: u64| {
            let name = ["boxes::x", "boxes::y"][choice as usize % 2];
            Some(arena.variable(Symbol::new(name, sort)))
        };
        let choices = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut random = RandomTerms::new(&arena, choices, language, variables);
        let sorts = [
            Sort::Bool,
            Sort::BitVec(32),
            Sort::Float(float),
            Sort::Float(FloatFormat::F64),
        ];
        let term = random.term(sorts[seed as usize % 4], 4);
        let mut random = random.choices;
        let mut ids: FxHashMap<Symbol, VariableId> = FxHashMap::default();
        let (mut values, mut sets) = (FxHashMap::default(), Vec::new());
        for (symbol, _) in free_variables(&arena, term) {
            ids.insert(symbol, VariableId(sets.len() as u32));
            let sort = symbol.sort();
            let value = match sort {
                // Others are too large to be indices of an array's model.
                Sort::Int => Value::int(random.random_range(-9..9)),
                _ => random.value(sort),
            };
            let mut set = constant(&value);
            for _ in 0..random.random_range(0..3) {
                set = set.join(&constant(&corner(sort, random.number())));
            }
            if random.random_range(0..12) == 0 {
                set = Set::top(sort);
            }
            sets.push(set);
            values.insert(symbol, value);
        }
        let plan = Plan::new(&arena, term, &ids).expect("known variables");
        let mut results = Vec::new();
        plan.evaluate(|id| &sets[id.index()], &mut results);
        let value = evaluate(&arena, term, &|symbol, _| values.get(&symbol).cloned());
        let value = value.expect("all variables have values");
        let result = results.last().expect("a value");
        assert!(
            result.contains(&value),
            "seed {seed}: {value:?} is not in {result:?}: {}",
            regatta_term::to_smtlib(&arena, term)
        );
    }
}

fn input(sort: Sort, c_type: Option<CScalar>) -> Input {
    Input {
        kind: InputKind::Nondet("x".to_owned()),
        sort,
        c_type,
        part: None,
        span: regatta_base::Span::default(),
    }
}

/// A code stands for one value, and an interval of codes for those with codes in it.
#[test]
fn codes_are_values() {
    let unsigned = CScalar::Integer {
        bits: 8,
        signed: false,
    };
    let inputs = [
        input(Sort::Bool, None),
        input(Sort::BitVec(8), None),
        input(Sort::BitVec(8), Some(unsigned)),
        input(Sort::BitVec(64), None),
        input(Sort::Float(FloatFormat::F16), None),
        input(Sort::Float(FloatFormat::F64), None),
        input(Sort::Float(FloatFormat::F128), None),
    ];
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    for input in &inputs {
        let codes = Codes::of(input).expect("codes");
        let greatest = codes.greatest();
        let mut code = || match random.random_range(0..4) {
            0 => u128::from(random.number()) % (greatest.min(9) + 1),
            1 => greatest - u128::from(random.number()) % (greatest.min(9) + 1),
            _ => codes
                .code(&random.value(input.sort))
                .expect("a value of the sort"),
        };
        for _ in 0..500 {
            let (a, b, one) = (code(), code(), code());
            let value = codes.value(one);
            assert_eq!(codes.code(&value), Some(one), "{value:?}");
            let set = codes.set((a.min(b), a.max(b)));
            let inside = (a.min(b)..=a.max(b)).contains(&one);
            assert_eq!(set.contains(&value), inside, "{a} {b} {one} {value:?}");
        }
    }
    assert_eq!(Codes::of(&input(Sort::Float(FloatFormat::F80), None)), None);
    assert_eq!(Codes::of(&input(Sort::Int, None)), None);
}

const DIMENSION: Dimension = Dimension {
    input: InputId(0),
    occurrence: 0,
};

#[test]
fn a_covering_is_a_whole_tree() {
    let inputs = [input(Sort::BitVec(8), None)];
    let split = |at| CoveringNode::Split {
        dimension: DIMENSION,
        at,
    };
    let leaf = CoveringNode::Leaf;
    let boxes = |nodes: &[CoveringNode]| {
        let covering = Covering {
            nodes: nodes.to_vec(),
        };
        let boxes = covering.boxes(&inputs)?;
        Some(
            boxes
                .into_iter()
                .map(|inner| inner.get(&DIMENSION).copied())
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(boxes(&[leaf]), Some(vec![None]));
    let parts = boxes(&[split(7), split(3), leaf, leaf, leaf]);
    assert_eq!(
        parts,
        Some(vec![Some((0, 2)), Some((3, 6)), Some((7, 255))])
    );
    let wrong: [&[CoveringNode]; 8] = [
        &[],
        &[split(7)],
        &[split(7), leaf],
        &[leaf, leaf],
        &[split(0), leaf, leaf],
        &[split(256), leaf, leaf],
        // The lower part has no 9.
        &[split(7), split(9), leaf, leaf, leaf],
        &[
            CoveringNode::Split {
                dimension: Dimension {
                    input: InputId(1),
                    occurrence: 0,
                },
                at: 3,
            },
            leaf,
            leaf,
        ],
    ];
    for nodes in wrong {
        assert_eq!(boxes(nodes), None, "{nodes:?}");
    }
}

/// A point in a box, chosen by the number.
struct Point<'b> {
    inner: &'b InputBox,
    occurrences: FxHashMap<InputId, u32>,
    random: Xoshiro256PlusPlus,
}

impl InputSource for Point<'_> {
    fn next(&mut self, id: InputId, input: &Input) -> Option<Value> {
        let occurrence = self.occurrences.entry(id).or_default();
        let dimension = Dimension {
            input: id,
            occurrence: *occurrence,
        };
        *occurrence += 1;
        Some(match (Codes::of(input), self.inner.get(&dimension)) {
            (Some(codes), Some(&(low, high))) => {
                let number =
                    u128::from(self.random.number()) << 64 | u128::from(self.random.number());
                let width = high - low;
                codes.value(low + number.checked_rem(width + 1).unwrap_or(0))
            }
            _ => self.random.value(input.sort),
        })
    }
}

/// Checks that no point of a safe box leads to an error. Returns the number of safe boxes.
fn safe_boxes_are_safe(program: &Program, random: &mut Xoshiro256PlusPlus) -> u32 {
    let executable = Executable::compile(program);
    let mut points = interpreter::Machine::new(&executable);
    let mut machine = Machine::new(program);
    let mut safe = 0;
    for _ in 0..12 {
        let mut inner = InputBox::default();
        for (number, input) in (0..).zip(&program.inputs) {
            let Some(codes) = Codes::of(input) else {
                continue;
            };
            for occurrence in 0..3 {
                let code = |random: &mut Xoshiro256PlusPlus| codes.code(&random.value(input.sort));
                let (a, b) = (code(random).unwrap_or(0), code(random).unwrap_or(0));
                let near = (a + u128::from(random.number() % 9)).min(codes.greatest());
                let range = match random.random_range(0..5) {
                    0 => continue,
                    1 => (a.min(b), a.max(b)),
                    2 => (a, a),
                    _ => (a, near),
                };
                let dimension = Dimension {
                    input: InputId(number),
                    occurrence,
                };
                inner.insert(dimension, range);
            }
        }
        if !matches!(machine.run(&inner, LIMITS).verdict, Verdict::Safe) {
            continue;
        }
        safe += 1;
        for _ in 0..12 {
            let mut point = Point {
                inner: &inner,
                occurrences: FxHashMap::default(),
                random: Xoshiro256PlusPlus::seed_from_u64(random.number()),
            };
            let limits = interpreter::Limits {
                steps: 100_000,
                ..interpreter::Limits::default()
            };
            let outcome = points.run(&mut point, limits).outcome;
            let is_bad = matches!(outcome, Outcome::Error { .. } | Outcome::Unsupported { .. });
            assert!(!is_bad, "{outcome:?} in {inner:?}");
        }
    }
    safe
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn safe_boxes_of_random_programs_are_safe(decisions in prop::collection::vec(any::<u8>(), 0..80), seed in any::<u64>()) {
        let program = random_program(&decisions, Recursion::Excluded);
        safe_boxes_are_safe(&program, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
    }
}

fn c(text: &str) -> Program {
    let declared = "extern int __VERIFIER_nondet_int(void); extern float __VERIFIER_nondet_float(void);
        extern double __VERIFIER_nondet_double(void); extern void __VERIFIER_assert(int);
        extern double sqrt(double); extern int fesetround(int); extern double fmod(double, double);\n";
    let source = Preprocessed::from_text("t.c", format!("{declared}{text}").as_str());
    load_preprocessed(source, &LoadOptions::default())
        .expect("a program")
        .program
}

/// The corners of floats in C.
#[test]
fn safe_boxes_of_programs_with_floats_are_safe() {
    let bodies = [
        "float x = __VERIFIER_nondet_float(); __VERIFIER_assert(x == x);",
        "float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float(); float z = x * y; __VERIFIER_assert(z == z);",
        "double x = __VERIFIER_nondet_double(); __VERIFIER_assert(1 / x > 0 || !(x >= 0));",
        "double x = __VERIFIER_nondet_double(); union { double d; long long i; } u; u.d = x;
         __VERIFIER_assert(u.i >= 0 || x < 0);",
        "double x = __VERIFIER_nondet_double(); int i = (int)x; __VERIFIER_assert(i <= x + 1);",
        "int i = __VERIFIER_nondet_int(); float f = i; __VERIFIER_assert((int)f == i);",
        "float x = __VERIFIER_nondet_float(); __VERIFIER_assert(!(x + 1.0f == x) || x > 1e7f);",
        "double x = __VERIFIER_nondet_double(); float f = x; __VERIFIER_assert(!(x > 0) || f > 0);",
        "double x = __VERIFIER_nondet_double(); __VERIFIER_assert(sqrt(x) >= 0 || x < 0);",
        "double x = __VERIFIER_nondet_double(); fesetround(0x800); double y = 1 / 3.0; fesetround(0x400);
         __VERIFIER_assert(!(x > 0 && x < 1) || x / 3 < y);",
        "float x = __VERIFIER_nondet_float(); int n = 0; while (x > 1 && n < 20) { x = x / 2; n++; }
         __VERIFIER_assert(n < 20);",
        "int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); __VERIFIER_assert((long long)a * b >= \
            0 || (a < 0) != (b < 0));",
        "double a[2]; for (int i = 0; i < 2; i++) a[i] = __VERIFIER_nondet_double(); __VERIFIER_assert(a[0] <= a[1]);",
        "int a[4] = {1, 2, 3, 4}; int i = __VERIFIER_nondet_int(); if (i >= 0 && i < 4) { a[i] = 7; \
            __VERIFIER_assert(a[0] != 1 || i); }",
    ];
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut safe = 0;
    for body in bodies {
        let program = c(&format!("int main(void) {{ {body} }}"));
        for _ in 0..seeds(60) {
            safe += safe_boxes_are_safe(&program, &mut random);
        }
    }
    assert!(safe > 500, "only {safe} boxes are safe");
}

/// A covering is accepted if each of its boxes is safe.
#[test]
fn a_proof_is_all_of_its_boxes() {
    let of = |limit: &str| {
        c(&format!(
            "int main(void) {{ float x = __VERIFIER_nondet_float(); if (x >= 1 && x <= 4) __VERIFIER_assert(1 / x <= {limit}); }}"
        ))
    };
    let (right, wrong) = (of("1"), of("0.9f"));
    let number = right
        .inputs
        .iter()
        .position(|input| matches!(input.sort, Sort::Float(_)));
    let dimension = Dimension {
        input: InputId(number.expect("an input") as u32),
        occurrence: 0,
    };
    let codes = Codes::of(&right.inputs[dimension.input.index()]).expect("codes");
    let code = |value: f32| {
        codes
            .code(&FloatValue::from_f32(value).into())
            .expect("a code")
    };
    let split = |at| CoveringNode::Split { dimension, at };
    let leaf = CoveringNode::Leaf;
    let result = |program: &Program, nodes: &[CoveringNode]| {
        let covering = Covering {
            nodes: nodes.to_vec(),
        };
        let certificate = Certificate::of_all(vec![ProofStep::Boxes { covering }]);
        let budget = Budget::of(std::time::Duration::from_secs(20));
        check(program, &simplify(program), &certificate, budget)
    };
    let nodes = [split(code(1.0)), leaf, split(code(4.0) + 1), leaf, leaf];
    assert_eq!(result(&right, &nodes), Check::Confirmed);
    assert!(matches!(result(&wrong, &nodes), Check::Undecided(_)));
    assert!(matches!(result(&right, &nodes[..4]), Check::Refuted { .. }));
    assert!(matches!(result(&right, &[leaf]), Check::Undecided(_)));
}

/// An unassigned local may have any value, independent of earlier activations.
#[test]
fn activations_do_not_share_their_locals() {
    let sort = Sort::BitVec(32);
    let mut b = ProgramBuilder::new();
    let (x, y) = (b.global("x", sort), b.global("y", sort));
    let f = b.function("f", &[], &[("r", sort)]);
    b.call(f, vec![], vec![x]);
    b.call(f, vec![], vec![y]);
    b.error_unless(store().eq(b.value(y), store().bv(32, 5)));
    b.enter(f);
    let local = b.local(f, "local", sort);
    b.assign(b.result(f, 0), b.value(local));
    b.assign(local, store().bv(32, 5));
    b.leave();
    let program = b.finish();
    let run = Machine::new(&program).run(&InputBox::default(), LIMITS);
    assert!(matches!(run.verdict, Verdict::Open(_)), "{:?}", run.verdict);
}
