use super::schedule::{Rules, Step, finish};
use super::search::{cost, search};
use super::tree::Tree;
use super::*;
use regatta_program::features::Features;

const NEVER: f64 = f64::INFINITY;

fn portfolio() -> Portfolio {
    let text = "[schedule]\nfirst_slice = 0.1\ngrowth = 1.0\n\
                [[analysis]]\nname = \"a\"\nengine = \"bmc\"\n\
                [[analysis]]\nname = \"b\"\nengine = \"bmc\"\n\
                [[analysis]]\nname = \"c\"\nengine = \"bmc\"\n";
    Portfolio::parse("p.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

fn rules(cores: usize) -> Rules {
    let names = ["a", "b", "c"].map(str::to_owned);
    Rules::new(&portfolio(), &names, cores)
}

fn case(loops: u64, needs: [f64; 3]) -> Case {
    Case {
        category: format!("{loops}"),
        features: Features {
            loops,
            ..Features::default()
        },
        before: 0.01,
        needs: needs.to_vec(),
    }
}

fn step(analysis: usize, time: f64) -> Step {
    Step { analysis, time }
}

#[test]
fn a_schedule_is_simulated_as_it_is_run() {
    let ends = |opening: &[Step], needs: [f64; 3], cores: usize| {
        let end = finish(opening, &case(0, needs), &rules(cores));
        (end * 1000.0).round()
    };
    // In turns of 100 ms: a, b, c, a, b.
    assert_eq!(ends(&[], [NEVER, 0.15, NEVER], 1), 450.0);
    // a and b in parallel, then c in parallel to a.
    assert_eq!(ends(&[], [NEVER, NEVER, 0.05], 2), 150.0);
    // The first analysis of the opening runs first.
    assert_eq!(ends(&[step(2, 0.05)], [NEVER, NEVER, 0.05], 1), 50.0);
    // Work done in the opening is not done again.
    assert_eq!(ends(&[step(2, 0.04)], [NEVER, NEVER, 0.05], 1), 250.0);
    // A turn of a running analysis prolongs its present turn, on the same core.
    assert_eq!(
        ends(&[step(0, 0.1), step(0, 0.1)], [0.2, NEVER, NEVER], 2),
        200.0
    );
}

#[test]
fn the_fast_analysis_goes_first() {
    let (first, second) = (case(0, [NEVER, 0.02, NEVER]), case(0, [NEVER, 0.03, 0.3]));
    let cases = [&first, &second];
    let opening = search(&cases, &rules(1));
    assert_eq!(opening[0].analysis, 1);
    assert!(cost(&opening, &cases, &rules(1)) < 0.05, "{opening:?}");
}

#[test]
fn a_condition_separates_kinds_of_programs() {
    let all: Vec<Case> = (0..80)
        .map(|number| match number % 2 {
            0 => case(0, [0.02, NEVER, NEVER]),
            _ => case(3, [NEVER, NEVER, 0.02]),
        })
        .collect();
    let cases: Vec<&Case> = all.iter().collect();
    let tree = Tree::learn(&rules(1), &cases, 1);
    let leaves = tree.leaves();
    let conditions: Vec<String> = leaves.iter().map(|(when, _)| when[0].to_string()).collect();
    assert_eq!(conditions, ["loops >= 1", "loops <= 0"]);
    assert_eq!(leaves[0].1[0].analysis, 2);
    // The analysis that is first anyway needs no opening.
    assert!(leaves[1].1.first().is_none_or(|step| step.analysis == 0));
}
