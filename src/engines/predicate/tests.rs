//! The rows of Table 1, and all combinations of its columns.

use super::*;
use crate::testing::{Setting, default_solver, lowered};
use crate::{impact, predicate_abstraction};
use regatta_certify::{Budget, Check, check};
use regatta_program::simplify;

/// The options of bounded model checking.
fn never() -> Options {
    Options {
        blocks: BlockOperator::Never,
        abstraction: Computation::None,
        refinement: Refinement::None,
        ..Options::default()
    }
}

/// The options of IMPACT.
fn of_impact() -> Options {
    Options {
        representation: Representation::Formula,
        abstraction: Computation::None,
        refinement: Refinement::Impact,
        coverage: Coverage::Forced,
        covering: Covering::Single,
        ..Options::default()
    }
}

/// The rows of Table 1 give the engines with their own defaults, except for options that go beyond the paper.
#[test]
fn named_engines_are_settings() {
    assert_eq!(
        never().approach(),
        Ok(Approach::Bmc(bmc::Options::default()))
    );
    let induction = Options {
        induction: true,
        ..never()
    };
    let expected = Approach::KInduction(k_induction::Options::default());
    assert_eq!(induction.approach(), Ok(expected));
    let predicates = predicate_abstraction::Options {
        path_invariants: Duration::ZERO,
        ..predicate_abstraction::Options::default()
    };
    let expected = Approach::Refinement(predicates.configuration());
    assert_eq!(Options::default().approach(), Ok(expected));
    let impact = impact::Options {
        path_invariants: Duration::ZERO,
        ..impact::Options::default()
    };
    let expected = Approach::Refinement(impact.configuration());
    assert_eq!(of_impact().approach(), Ok(expected));
    let ufo = Options {
        abstraction: Computation::Cartesian,
        refinement: Refinement::Both,
        ..of_impact()
    };
    let expected = impact::Options {
        abstraction: impact::NewStates::Cartesian,
        ..impact
    };
    let expected = Approach::Refinement(expected.configuration());
    assert_eq!(ufo.approach(), Ok(expected));
}

#[test]
fn what_does_not_go_together_is_refused_with_the_reason() {
    let refused = [
        (
            Options {
                coverage: Coverage::Forced,
                ..Options::default()
            },
            "covering",
        ),
        (
            Options {
                representation: Representation::Formula,
                ..Options::default()
            },
            "union of states",
        ),
        (
            Options {
                refinement: Refinement::None,
                ..Options::default()
            },
            "first counterexample",
        ),
        (
            Options {
                abstraction: Computation::None,
                ..Options::default()
            },
            "changes nothing",
        ),
        (
            Options {
                abstraction: Computation::Boolean,
                ..of_impact()
            },
            "\"both\" does",
        ),
        (
            Options {
                precision: Scope::Local,
                ..of_impact()
            },
            "explored again",
        ),
        (
            Options {
                refinement: Refinement::Predicates,
                ..never()
            },
            "nothing to abstract",
        ),
        (
            Options {
                merge: Merging::Separate,
                ..never()
            },
            "at once",
        ),
        (
            Options {
                max_bound: 3,
                ..Options::default()
            },
            "never end",
        ),
    ];
    for (options, expected) in refused {
        let reason = options.approach().expect_err("a reason");
        assert!(reason.contains(expected), "{reason}");
    }
}

/// All combinations of the columns, covering by a single state.
fn combinations() -> Vec<Options> {
    use {BlockOperator as B, Computation as C, Refinement as R};
    let mut all = vec![Options {
        covering: Covering::Single,
        ..Options::default()
    }];
    let mut vary = |values: &[&dyn Fn(&mut Options)]| {
        all = all
            .iter()
            .flat_map(|options| {
                values.iter().map(move |set| {
                    let mut options = options.clone();
                    set(&mut options);
                    options
                })
            })
            .collect();
    };
    vary(&[
        &|one| one.blocks = B::Never,
        &|one| one.blocks = B::Loops,
        &|one| one.blocks = B::LoopsAndFunctions,
    ]);
    vary(&[&|_| (), &|one| one.merge = Merging::Separate]);
    vary(&[&|_| (), &|one| {
        one.representation = Representation::Formula;
    }]);
    vary(&[
        &|one| one.abstraction = C::None,
        &|one| one.abstraction = C::Cartesian,
        &|one| one.abstraction = C::Boolean,
    ]);
    vary(&[
        &|one| one.refinement = R::None,
        &|one| one.refinement = R::Predicates,
        &|one| one.refinement = R::Impact,
        &|one| one.refinement = R::Both,
    ]);
    vary(&[&|_| (), &|one| one.coverage = Coverage::Forced]);
    all
}

/// Two programs, each with a fault that can be left out: two modes that alternate; counters that are equal.
fn program(number: u32, is_wrong: bool) -> String {
    let (held, offset) = if is_wrong { ("1", "0") } else { ("2", "1") };
    let body = match number {
        0 => format!(
            "unsigned mode = 0, held = 0;
            while (__VERIFIER_nondet_int()) {{
                if (mode == 0) {{ held = next(held); mode = 1; }} else {{ held = 0; mode = 0; }}
                if (held != mode || held == {held}) reach_error();
            }}"
        ),
        _ => format!(
            "unsigned x = 0, y = 0, n = 0;
            while (n < 3) {{
                n = next(n);
                if (__VERIFIER_nondet_int()) {{ x++; y++; }} else {{ x = y; }}
                if (x != y || x + {offset} == 3 + 2 * {offset}) reach_error();
            }}"
        ),
    };
    format!(
        "extern void reach_error(void);
        extern int __VERIFIER_nondet_int(void);
        unsigned next(unsigned x) {{ return x + 1; }}
        int main(void) {{ {body} return 0; }}"
    )
}

/// Runs the options on a program; returns a complaint unless the answer is right. Interpolants depend on the time that their
/// choice takes, so a program that stays open is tried again.
fn complaint(options: &Options, number: u32, is_wrong: bool) -> Option<String> {
    const TRIES: usize = 3;
    let mut complaint = None;
    for _ in 0..TRIES {
        let answer;
        (answer, complaint) = run(options, number, is_wrong);
        if complaint.is_none() || !matches!(answer, Answer::Unknown(_)) {
            break;
        }
    }
    complaint
}

/// Runs the options on a program; returns the answer, and a complaint unless it is right.
fn run(options: &Options, number: u32, is_wrong: bool) -> (Answer, Option<String>) {
    let lowered = lowered(&program(number, is_wrong));
    let simplified = simplify(&lowered);
    let blocks = crate::testing::blocks(simplified.program.clone());
    let subject = Subject::of(&blocks, &default_solver);
    let setting = Setting::of(&simplified.program);
    let limit = Duration::from_secs(60);
    // Without the step case, the unrolling of a safe program need not end.
    let time = match options.blocks {
        BlockOperator::Never if !is_wrong => Duration::from_secs(1),
        _ => limit,
    };
    let answer = setting.run_within(time, |context| options.run(&subject, context).answer);
    let is_right = match &answer {
        Answer::Safe(certificate) => {
            let outcome = check(&lowered, &simplified, certificate, Budget::of(limit));
            !is_wrong && outcome == Check::Confirmed
        }
        Answer::Explored(_) => !is_wrong,
        Answer::Unsafe(_) => is_wrong,
        Answer::Unknown(_) => !is_wrong && options.blocks == BlockOperator::Never,
    };
    let complaint = || format!("program {number}, {is_wrong}, {options:?}: {answer:?}");
    let complaint = (!is_right).then(complaint);
    (answer, complaint)
}

/// Of the combinations of columns, those that make sense run and are right, and the others say why they do not.
#[test]
fn every_combination_runs_or_says_why_not() {
    let (accepted, refused): (Vec<Options>, Vec<Options>) = combinations()
        .into_iter()
        .partition(|options| options.approach().is_ok());
    for options in refused {
        assert!(options.approach().is_err_and(|reason| !reason.is_empty()));
    }
    // Where blocks never end, there are two representations of no formula. For each operator blk, merge, representation and
    // fcover: two abstractions with predicates, two with predicates and strengthened states, and none with strengthened states.
    assert_eq!(accepted.len(), 2 + 2 * 2 * 2 * 2 * (2 + 2 + 1));
    // Each has one of the programs, and a third of them have no query where there are no predicates, such that no column decides
    // which.
    let runs = (0usize..).zip(accepted);
    let complaints: Vec<String> = runs
        .flat_map(|(index, options)| {
            let options = Options {
                block_queries: index % 3 != 0,
                ..options
            };
            let number = index.count_ones() % 2;
            [false, true].map(|is_wrong| complaint(&options, number, is_wrong))
        })
        .flatten()
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
