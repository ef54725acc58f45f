//! Witnesses of termination: what is written is validated, and what is wrong is not confirmed.

mod running;

use std::path::Path;

use regatta::base::digest::sha256;
use running::{run, said};
use serde_json::Value;

/// Seconds for each run; the machine may be busy.
const TIME_LIMIT: &str = "60";

const UP: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  int i = 0;
  while (i < n) {
    i++;
  }
  return 0;
}
";

const NESTED: &str = "extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  while (n > 0) {
    unsigned char k = 10;
    while (k != 0) {
      k--;
    }
    n--;
  }
  return 0;
}
";

const ROUND: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = 3;
  if (x == 7) {
    while (x != 0) {
      x = 8 - y;
      y = x == 5 ? 3 : 5;
    }
  }
  return 0;
}
";

const INPUTS: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int k = __VERIFIER_nondet_int();
  while (k == 3) {
    k = __VERIFIER_nondet_int();
    if (k == 4) {
      return 1;
    }
  }
  return 0;
}
";

fn result(text: &str) -> &str {
    let mut results = text.lines().filter(|line| line.starts_with("RESULT:"));
    results.next_back().unwrap_or_default()
}

/// Writes a witness for the program and returns what the command says and the elements of the witness, in short.
fn written(folder: &Path, text: &str) -> (String, Option<Vec<String>>) {
    std::fs::write(folder.join("p.c"), text).expect("the program is written");
    let limits = ["--time-limit", TIME_LIMIT, "--checks", "termination"];
    let arguments = [&["verify", "p.c", "--witness", "w.yml"][..], &limits].concat();
    let text = said(&run(folder, &arguments));
    let Ok(witness) = std::fs::read_to_string(folder.join("w.yml")) else {
        return (text, None);
    };
    let witness: Value = serde_json::from_str(&witness).expect("JSON");
    let content = witness[0]["content"].as_array().expect("a list");
    let describe = |element: &Value| {
        let of = match element.get("invariant") {
            Some(invariant) => invariant,
            None => &element["segment"][0]["waypoint"],
        };
        let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let value = [&of["value"], &of["constraint"]["value"]];
        let value = value.into_iter().find(|value| value.is_string());
        let value = value.map_or_else(String::new, word);
        let (action, kind) = (word(&of["action"]), word(&of["type"]));
        format!("{action} {kind} {} {value}", of["location"]["line"])
    };
    (text, Some(content.iter().map(describe).collect()))
}

fn confirmed(folder: &Path) -> String {
    let limits = ["--time-limit", TIME_LIMIT];
    let arguments = [&["validate", "p.c", "--witness", "w.yml"][..], &limits].concat();
    said(&run(folder, &arguments))
}

#[test]
fn written_witnesses_are_confirmed() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            UP,
            "RESULT: TRUE",
            &[
                r"- loop_transition_invariant 5 (long long)\at(n, AnyPrev) - (long long)\at(i, AnyPrev) > (long long)n - (long long)i && (long long)\at(n, AnyPrev) - (long long)\at(i, AnyPrev) >= 0",
            ],
        ),
        (
            NESTED,
            "RESULT: TRUE",
            &[
                r"- loop_transition_invariant 4 (long long)\at(n, AnyPrev) > (long long)n && (long long)\at(n, AnyPrev) >= 0",
                r"- loop_transition_invariant 6 ((long long)\at(k, AnyPrev) > (long long)k && (long long)\at(k, AnyPrev) >= 0) || ((long long)\at(n, AnyPrev) > (long long)n && (long long)\at(n, AnyPrev) >= 0)",
            ],
        ),
        (
            ROUND,
            "RESULT: FALSE(termination)",
            &[
                "follow assumption 4 x == 7",
                "follow branching 5 true",
                "follow branching 6 true",
                "cycle branching 6 true",
            ],
        ),
        (
            "int f(int n) { return n == 3 ? 0 : f(4); }\nint main(void) { return f(1); }\n",
            "RESULT: FALSE(termination)",
            &["follow branching 1 false", "cycle branching 1 false"],
        ),
        (
            "int main(void) {\n  for (;;) {\n  }\n}\n",
            "RESULT: FALSE(termination)",
            &["cycle branching 2 true"],
        ),
    ];
    for (program, expected, elements) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        let (text, found) = written(folder.path(), program);
        assert_eq!(result(&text), *expected, "{program}: {text}");
        let found = found.expect("a witness");
        assert_eq!(found, *elements, "{program}: {text}");
        let text = confirmed(folder.path());
        assert_eq!(result(&text), *expected, "{program}: {text}");
    }
}

/// After a signed overflow, anything may happen.
#[test]
fn invariants_hold_up_to_an_overflow() {
    let program = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
  while (i > j) {
    j = j + 3;
  }
  return 0;
}
";
    one_invariant_is_confirmed(program);
}

/// What decreases first is that a condition holds.
#[test]
fn measures_with_conditions_are_told() {
    let program = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
  while (a > b) {
    a--;
    b = c;
  }
  return 0;
}
";
    one_invariant_is_confirmed(program);
}

fn one_invariant_is_confirmed(program: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let (text, found) = written(folder.path(), program);
    assert_eq!(result(&text), "RESULT: TRUE", "{text}");
    assert_eq!(found.map(|found| found.len()), Some(1), "{text}");
    let text = confirmed(folder.path());
    assert_eq!(result(&text), "RESULT: TRUE", "{text}");
}

/// A loop in a function that unknown code may call, one in a function that is called several times, one whose condition is at its end, and one whose measure is of memory.
#[test]
fn what_cannot_be_told_is_left_out() {
    for program in [
        "void g(void);\nvoid f(int n) { while (n > 0) { n--; } }\nint main(void) { f(3); g(); return 0; }\n",
        "static void f(int n) { while (n > 0) { n--; } }\nint main(void) { f(3); f(7); return 0; }\n",
        "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int n = __VERIFIER_nondet_int();\n  do {\n    n--;\n  } while (n > 0);\n}\n",
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let (text, found) = written(folder.path(), program);
        assert_eq!(result(&text), "RESULT: TRUE", "{program}: {text}");
        assert_eq!(found, Some(Vec::new()), "{program}");
        let text = confirmed(folder.path());
        assert_eq!(result(&text), "RESULT: TRUE", "{program}: {text}");
    }
}

/// Has a witness of the program validated whose content is given.
fn validated(program: &str, version: &str, kind: &str, content: &str) -> String {
    validated_for("F end", program, version, kind, content)
}

fn validated_for(formula: &str, program: &str, version: &str, kind: &str, content: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.c"), program).expect("the program is written");
    let hash = sha256(program.as_bytes());
    let text = format!(
        "- entry_type: {kind}
  metadata:
    format_version: '{version}'
    uuid: 91023a0f-9f45-4385-88c4-1152ade45537
    creation_time: '2026-11-22T15:00:00Z'
    producer: {{name: x, version: '1'}}
    task:
      input_files: [p.c]
      input_file_hashes: {{p.c: {hash}}}
      specification: CHECK( init(main()), LTL({formula}) )
      data_model: LP64
      language: C
  content:
{content}"
    );
    std::fs::write(folder.path().join("w.yml"), text).expect("the witness is written");
    confirmed(folder.path())
}

fn invariants(program: &str, list: &[(u32, &str)]) -> String {
    let one = |(line, value): &(u32, &str)| {
        format!(
            "  - invariant:
      type: loop_transition_invariant
      location: {{file_name: p.c, line: {line}}}
      value: {value:?}
      format: ext_c_expression
"
        )
    };
    let content: String = list.iter().map(one).collect();
    let content = match list {
        [] => "    []\n",
        _ => &content,
    };
    validated(program, "2.1", "invariant_set", content)
}

/// A segment: the action, the kind, the line and the constraint.
type Segment<'s> = (&'s str, &'s str, u32, &'s str);

fn path(program: &str, segments: &[Segment<'_>]) -> String {
    let one = |(action, kind, line, value): &Segment<'_>| {
        let constraint = match *kind {
            "branching" => format!("{{value: '{value}'}}"),
            _ => format!("{{value: '{value}', format: ext_c_expression}}"),
        };
        format!(
            "  - segment:
    - waypoint:
        type: {kind}
        action: {action}
        location: {{file_name: p.c, line: {line}}}
        constraint: {constraint}
"
        )
    };
    let content: String = segments.iter().map(one).collect();
    validated(program, "2.1", "violation_sequence", &content)
}

#[test]
fn transition_invariants_are_checked() {
    const TWO: &str = "int main(void) {
  int x = 9;
  while (x > 0) x--;
  while (x == 0) ;
  return 0;
}
";
    let unfounded = "is not seen to be well-founded";
    let does_not_hold = "does not hold between two visits of this place";
    for (program, list, expected, message) in [
        (
            UP,
            &[(5, r"\at(i, AnyPrev) < i")][..],
            "TRUE",
            "all invariants hold",
        ),
        (UP, &[(5, r"\at(i, AnyPrev) <= i")], "UNKNOWN", unfounded),
        (UP, &[(5, r"1")], "UNKNOWN", unfounded),
        (UP, &[(5, r"\at(i, AnyPrev) > i")], "UNKNOWN", does_not_hold),
        (UP, &[(5, r"0")], "UNKNOWN", does_not_hold),
        // Not for each earlier visit, only for the last one.
        (
            UP,
            &[(5, r"\at(i, AnyPrev) == i - 1")],
            "UNKNOWN",
            does_not_hold,
        ),
        (
            UP,
            &[(5, r"\at(i, LastPrev) < i")],
            "UNKNOWN",
            "not checked",
        ),
        (
            UP,
            &[(5, r"10 / \at(i, AnyPrev) > 10 / i")],
            "UNKNOWN",
            "has no defined value",
        ),
        (
            UP,
            &[(5, r"\at(i, AnyPrev) + 2147483647 < i + 2147483647")],
            "UNKNOWN",
            "has no defined value",
        ),
        // The inner loop's variable alone begins anew.
        (
            NESTED,
            &[(6, r"\at(k, AnyPrev) > k")],
            "UNKNOWN",
            does_not_hold,
        ),
        (
            NESTED,
            &[(6, r"\at(n, AnyPrev) > n || \at(k, AnyPrev) > k")],
            "TRUE",
            "all invariants hold",
        ),
        // What is said of one loop is right, and the other one does not end.
        (
            TWO,
            &[(3, r"\at(x, AnyPrev) > x")],
            "FALSE(termination)",
            "refuted: an execution goes on for ever",
        ),
        (UP, &[], "TRUE", "no invariants"),
    ] {
        let text = invariants(program, list);
        let result = result(&text);
        assert!(
            result.starts_with(&format!("RESULT: {expected}")),
            "{list:?}: {text}"
        );
        assert!(text.contains(message), "{list:?}: {text}");
    }
}

/// Where the program's arithmetic is checked, that of a witness has to be defined all the same.
#[test]
fn invariants_may_not_overflow_where_overflow_is_checked() {
    for (value, expected) in [
        ("i + 2147483647 != 7", "RESULT: UNKNOWN"),
        ("i / (i - i) != 7 || 1", "RESULT: UNKNOWN"),
        ("i >= 0", "RESULT: TRUE"),
    ] {
        let content = format!(
            "  - invariant:
      type: loop_invariant
      location: {{file_name: p.c, line: 5}}
      value: {value:?}
      format: c_expression
"
        );
        let text = validated_for("G ! overflow", UP, "2.0", "invariant_set", &content);
        assert!(result(&text).starts_with(expected), "{value}: {text}");
    }
}

#[test]
fn cycles_are_checked() {
    const FLIP: &str = "int main(void) {
  int x = 0;
  while (1) {
    x = !x;
    if (x == 5) break;
  }
}
";
    const CYCLE: Segment<'_> = ("cycle", "branching", 6, "true");
    let refused = "error: the witness w.yml is refused";
    for (program, segments, expected, message) in [
        (ROUND, &[CYCLE][..], "FALSE(termination)", "confirmed"),
        (
            ROUND,
            &[("follow", "assumption", 4, "x == 7"), CYCLE],
            "FALSE(termination)",
            "confirmed",
        ),
        // The stem is that of executions that end.
        (
            ROUND,
            &[("follow", "assumption", 4, "x == 6"), CYCLE],
            "UNKNOWN",
            "",
        ),
        (
            ROUND,
            &[("follow", "branching", 5, "false"), CYCLE],
            "UNKNOWN",
            "",
        ),
        // The cycle leaves the loop, or has a condition that holds once.
        (ROUND, &[("cycle", "branching", 6, "false")], "UNKNOWN", ""),
        (
            ROUND,
            &[("cycle", "assumption", 7, "x == 7")],
            "UNKNOWN",
            "",
        ),
        (
            ROUND,
            &[("cycle", "assumption", 7, "x == 1 / (x - x)")],
            "UNKNOWN",
            "",
        ),
        // It passes the statement with both values.
        (FLIP, &[("cycle", "assumption", 5, "x == 1")], "UNKNOWN", ""),
        (
            FLIP,
            &[
                ("cycle", "assumption", 5, "x == 1"),
                ("cycle", "assumption", 5, "x == 0"),
            ],
            "FALSE(termination)",
            "confirmed",
        ),
        (
            INPUTS,
            &[("cycle", "assumption", 6, "k == 3")],
            "FALSE(termination)",
            "confirmed",
        ),
        (
            INPUTS,
            &[("cycle", "assumption", 6, "k == 4")],
            "UNKNOWN",
            "",
        ),
        (
            UP,
            &[("cycle", "branching", 5, "true")],
            "UNKNOWN(the witness is refuted: no run along its path goes on for ever)",
            "",
        ),
        (
            ROUND,
            &[("follow", "branching", 6, "true")],
            "",
            "the cycle is missing",
        ),
        (
            ROUND,
            &[CYCLE, ("follow", "branching", 6, "true")],
            "",
            refused,
        ),
        (ROUND, &[("avoid", "branching", 6, "true")], "", refused),
    ] {
        let text = path(program, segments);
        match expected {
            "" => assert_eq!(result(&text), "", "{segments:?}: {text}"),
            _ => {
                let begin = format!("RESULT: {expected}");
                assert!(result(&text).starts_with(&begin), "{segments:?}: {text}");
            }
        }
        assert!(text.contains(message), "{segments:?}: {text}");
    }
    let target = "  - segment:
    - waypoint:
        type: target
        action: follow
        location: {file_name: p.c, line: 6}
";
    let text = validated(ROUND, "2.1", "violation_sequence", target);
    assert!(text.contains("the cycle is missing"), "{text}");
}

/// A waypoint that is to be avoided is on each way around.
#[test]
fn a_cycle_does_not_pass_what_it_avoids() {
    let segment = |avoided: u32| {
        format!(
            "  - segment:
    - waypoint:
        type: assumption
        action: avoid
        location: {{file_name: p.c, line: {avoided}}}
        constraint: {{value: '1', format: ext_c_expression}}
    - waypoint:
        type: assumption
        action: cycle
        location: {{file_name: p.c, line: 7}}
        constraint: {{value: '1', format: ext_c_expression}}
"
        )
    };
    for (avoided, expected) in [(8, "RESULT: UNKNOWN"), (11, "RESULT: FALSE(termination)")] {
        let text = validated(ROUND, "2.1", "violation_sequence", &segment(avoided));
        assert!(result(&text).starts_with(expected), "{text}");
    }
}

#[test]
fn the_older_format_has_neither() {
    let content = "  - invariant:
      type: loop_transition_invariant
      location: {file_name: p.c, line: 5}
      value: '\\at(i, AnyPrev) < i'
      format: ext_c_expression
";
    let text = validated(UP, "2.0", "invariant_set", content);
    assert!(text.contains("came with format 2.1"), "{text}");
}
