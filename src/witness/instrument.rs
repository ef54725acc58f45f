//! Instrumentation: combines a program and a witness into a program.
//!
//! Checks and ghost code are inserted into the program's text at the witness's places, on the same lines, so that line numbers do
//! not change. Inserted code has no side effects on the program: a run of the result is a run of the program.
//!
//! * Invariants become assertions: a proof of the result proves them and the property, each with the help of the
//!   others; a violation tells which one is wrong ([`VIOLATED_ASSERTION`]).
//! * A transition invariant becomes an assertion about the present visit of its point and an earlier one, which is chosen.
//! * The path of a violation becomes an automaton: [`SEGMENT`] counts the segments that have been passed. An error counts
//!   only in the statement of the target, and if all segments before have been passed
//!   ([`regatta_program::ghost::restrict`]). If the path does not end, [`LAP`] tells that its cycle was passed.

use std::collections::BTreeMap;

use super::points::{Extent, Point};
use regatta_frontend::property::VIOLATED;
use regatta_frontend::statements::{SourceText, StatementKind, TokenIndex};
use regatta_program::ghost::{AT_TARGET, CHECKING, LAP, SEGMENT, TextRange, VIOLATED_ASSERTION};

/// The value of the segment counter after a waypoint to avoid has been passed.
const PATH_LEFT: u32 = u32::MAX;

/// A transition of a violation's automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The segment, from zero.
    pub segment: u32,
    /// Whether passing the waypoint advances the automaton; otherwise the waypoint is to be avoided.
    pub advances: bool,
    /// A C expression; for a branching the value, for a call's return an expression over [`RESULT`]. `None` if the
    /// condition is true.
    pub condition: Option<String>,
    /// For the last segment of a cycle, its first one, which is the next.
    pub returns_to: Option<u32>,
}

/// An expression of a witness that holds whenever a point is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// Where it holds.
    pub point: Point,
    /// The C expression.
    pub expression: String,
    /// For a transition invariant, the expressions whose values at any earlier visit of the point are named
    /// [`previous`] in the expression.
    pub earlier: Option<Vec<String>>,
}

/// The name for the value of an expression at an earlier visit of a point, by its number.
pub fn previous(number: usize) -> String {
    format!("{PREVIOUS}{number}")
}

/// How these names begin.
pub(crate) const PREVIOUS: &str = "__regatta_previous_";

/// The function whose value chooses the earlier visit.
const CHOOSE: &str = "__VERIFIER_nondet_int";

/// The name for the result of a call in the conditions of steps.
pub const RESULT: &str = "__regatta_result";

/// Returns the program with the expressions evaluated and ignored at their points, to check whether they are valid there.
pub(crate) fn with_expressions(source: &SourceText, expressions: &[(Point, String)]) -> Vec<u8> {
    let mut edits = Edits::new(source);
    for (point, expression) in expressions {
        edits.expression(*point, expression);
    }
    edits.finish("")
}

/// Returns the program with the expressions as assertions.
pub fn with_assertions(source: &SourceText, assertions: &[Assertion]) -> Vec<u8> {
    let mut edits = Edits::new(source);
    for (assertion, number) in assertions.iter().zip(1u32..) {
        let value = watched(&assertion.expression, number);
        let check = format!("({value} || ({VIOLATED_ASSERTION} = {number}u, {VIOLATED}(), 0))");
        let check = match &assertion.earlier {
            Some(earlier) => between_visits(&check, earlier),
            None => check,
        };
        edits.expression(assertion.point, &check);
    }
    let chooses = assertions.iter().any(|one| one.earlier.is_some());
    let choose = match chooses {
        true => format!("extern int {CHOOSE}(void); "),
        false => String::new(),
    };
    edits.finish(&format!(
        "static unsigned {VIOLATED_ASSERTION}, {CHECKING}; extern void {VIOLATED}(void); {choose}"
    ))
}

/// Returns C code that makes the check for the present visit and an earlier one, which is chosen once, at any visit.
fn between_visits(check: &str, earlier: &[String]) -> String {
    const IS_CHOSEN: &str = "__regatta_is_chosen";
    let named = || earlier.iter().enumerate();
    // The sum has the type to which the expression's is promoted, without qualifiers.
    let declarations: Vec<String> = named()
        .map(|(number, text)| format!("static __typeof__(({text}) + 0) {};", previous(number)))
        .collect();
    let values = named().map(|(number, text)| format!("{} = ({text}), ", previous(number)));
    let values: String = values.collect();
    format!(
        "({{ static unsigned {IS_CHOSEN}; {} (void)(!{IS_CHOSEN} || {check}); \
         (void)(!{IS_CHOSEN} && {CHOOSE}() && ({values}{IS_CHOSEN} = 1u, 1)); 0; }})",
        declarations.join(" ")
    )
}

/// Returns C code for the truth of an expression, with [`CHECKING`] while it is evaluated, if it has an operator that is not
/// always defined.
fn watched(expression: &str, number: u32) -> String {
    const OPERATORS: [&str; 8] = ["/", "%", "<<", ">>", "*", "[", "+", "-"];
    let may_be_undefined = OPERATORS
        .iter()
        .any(|operator| expression.contains(operator));
    match may_be_undefined || has_cast(expression) {
        true => format!(
            "(({CHECKING} = {number}u, ({expression})) ? ({CHECKING} = 0u, 1) : ({CHECKING} = 0u, 0))"
        ),
        false => format!("({expression})"),
    }
}

/// Checks whether an expression may have a cast: words in parentheses before an operand without an operator.
fn has_cast(expression: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    expression.split('(').skip(1).any(|inner| {
        let (words, behind) = inner.split_once(')').unwrap_or((inner, ""));
        let behind = behind.trim_start();
        let is_nested = words.len() == inner.len();
        let is_named = words.chars().all(|c| is_word(c) || c.is_whitespace());
        let has_operand = behind.starts_with(|c| is_word(c) || c == '.');
        // What follows may be another parenthesis, which ends this piece.
        let has_more = behind.is_empty() && !words.trim().is_empty();
        !is_nested && is_named && (has_operand || has_more) || words.contains("typeof")
    })
}

/// Returns the program with the automaton of a path that does not end.
pub fn with_cycle(source: &SourceText, steps: &[(Point, Step)]) -> Vec<u8> {
    let (edits, functions) = automaton(source, steps);
    edits.finish(&format!("static unsigned {LAP}; {functions}"))
}

/// Returns the program with the automaton, and the range of the target's statement in it.
pub fn with_automaton(
    source: &SourceText,
    steps: &[(Point, Step)],
    target: Extent,
) -> (Vec<u8>, TextRange) {
    let (mut edits, functions) = automaton(source, steps);
    if let Some(statement) = target.statement {
        edits.mark(statement);
    }
    let range = |edits: &Edits<'_>| TextRange {
        file: source.name().to_owned(),
        function: source.function(target.first).unwrap_or_default().to_owned(),
        first: edits.place(source.range(target.first).0, &functions),
        last: edits.place(source.range(target.last).1.saturating_sub(1), &functions),
    };
    let range = range(&edits);
    (edits.finish(&functions), range)
}

/// Returns the insertions of the automaton, and its declarations.
fn automaton<'s>(source: &'s SourceText, steps: &[(Point, Step)]) -> (Edits<'s>, String) {
    let mut by_point: BTreeMap<Point, Vec<&Step>> = BTreeMap::new();
    for (point, step) in steps {
        by_point.entry(*point).or_default().push(step);
    }
    let mut edits = Edits::new(source);
    let mut functions = format!("static unsigned {SEGMENT}, {AT_TARGET}, {CHECKING}; ");
    for ((point, steps), number) in by_point.into_iter().zip(0u32..) {
        match point {
            Point::Statement(_)
            | Point::Expression(_)
            | Point::Loop(_)
            | Point::Enter(_)
            | Point::Body(_) => {
                edits.expression(point, &moves(&steps, |condition| condition.to_owned()));
            }
            Point::Return(_) => {
                edits.after_call(point, &moves(&steps, |condition| condition.to_owned()));
            }
            Point::Branch(_) | Point::Choice(_) => {
                let name = format!("__regatta_branch_{number}");
                edits.branch(point, &name, &moves(&steps, branch_condition));
                if is_switch(source, point) {
                    // The moves are inserted in the `switch`: its cases may be constants that are declared later.
                    continue;
                }
                let moves = moves(&steps, branch_condition);
                functions.push_str(&format!(
                    "static int {name}(int {CHOICE}) {{ {moves}; return {CHOICE}; }} "
                ));
            }
        }
    }
    (edits, functions)
}

fn is_switch(source: &SourceText, point: Point) -> bool {
    match point {
        Point::Branch(number) => {
            matches!(source.statements()[number].kind, StatementKind::Switch(_))
        }
        _ => false,
    }
}

/// The name for the value of a controlling expression.
const CHOICE: &str = "__regatta_choice";

/// Returns the value of a branching that is taken if the one with the value is not.
pub(crate) fn other_branch(value: &str) -> String {
    match value {
        "true" => "false".to_owned(),
        "false" => "true".to_owned(),
        value => format!("!({})", branch_condition(value)),
    }
}

fn branch_condition(value: &str) -> String {
    match value {
        "true" => CHOICE.to_owned(),
        "false" => format!("!{CHOICE}"),
        number if number.parse::<i128>().is_ok() => format!("{CHOICE} == {number}"),
        condition => condition.to_owned(),
    }
}

/// Returns the condition under which a `switch` with the cases, which are constants or ranges, goes to its default.
pub(crate) fn default_of(cases: &[String]) -> String {
    // Cases are converted to the type of the value.
    let value = |text: &str| format!("(__typeof__({CHOICE}))({text})");
    let is_case = |case: &String| match case.split_once("...") {
        Some((low, high)) => format!(
            "({CHOICE} >= {} && {CHOICE} <= {})",
            value(low),
            value(high)
        ),
        None => format!("{CHOICE} == {}", value(case)),
    };
    let cases: Vec<String> = cases.iter().map(is_case).collect();
    match cases.is_empty() {
        true => "1".to_owned(),
        false => format!("!({})", cases.join(" || ")),
    }
}

/// Returns the transitions of the automaton at a point, as an expression that takes at most one of them.
fn moves(steps: &[&Step], condition: impl Fn(&str) -> String) -> String {
    // Waypoints to avoid come first.
    let mut ordered: Vec<&Step> = steps.to_vec();
    ordered.sort_by_key(|step| (step.segment, step.advances));
    let moves: Vec<(u32, String)> = ordered
        .into_iter()
        .map(|step| {
            let here = step.segment;
            let next = match (step.advances, step.returns_to) {
                (true, Some(first)) => format!("{first}u, {LAP} = 1u"),
                (true, None) => format!("{}u", here + 1),
                (false, _) => format!("{PATH_LEFT}u"),
            };
            let condition = match &step.condition {
                Some(text) => format!("{} && ", watched(&condition(text), 1)),
                None => String::new(),
            };
            let text = format!("{SEGMENT} == {here}u && {condition}({SEGMENT} = {next}, 1)");
            (here, text)
        })
        .collect();
    format!("(void)({})", alternatives(&moves))
}

/// Maximum number of alternatives in a flat disjunction; more are split by a comparison, to limit the nesting of expressions.
const MAXIMUM_ALTERNATIVES: usize = 8;

/// Returns an expression that takes the first possible move; the moves are ordered by segment.
fn alternatives(moves: &[(u32, String)]) -> String {
    let middle = moves.get(moves.len() / 2).map_or(0, |one| one.0);
    let split = moves.partition_point(|one| one.0 < middle);
    if moves.len() <= MAXIMUM_ALTERNATIVES || split == 0 {
        let texts: Vec<&str> = moves.iter().map(|one| one.1.as_str()).collect();
        return texts.join(" || ");
    }
    let (left, right) = moves.split_at(split);
    let (left, right) = (alternatives(left), alternatives(right));
    format!("{SEGMENT} < {middle}u ? ({left}) : ({right})")
}

/// A text to insert.
struct Edit {
    offset: usize,
    /// Whether it closes what another edit opens.
    closes: bool,
    /// The offset of the other edit of the pair, by which pairs at the same place are nested.
    other: usize,
    text: String,
}

struct Edits<'s> {
    source: &'s SourceText,
    list: Vec<Edit>,
}

impl<'s> Edits<'s> {
    fn new(source: &'s SourceText) -> Self {
        Self {
            source,
            list: Vec::new(),
        }
    }

    /// Inserts a text before a token.
    fn before(&mut self, token: TokenIndex, text: String) {
        let (offset, _) = self.source.range(token);
        self.list.push(Edit {
            offset,
            closes: false,
            other: usize::MAX,
            text,
        });
    }

    /// Inserts texts around the tokens from the first to the last.
    fn around(&mut self, first: TokenIndex, last: TokenIndex, before: String, after: &str) {
        let (begin, _) = self.source.range(first);
        let (_, end) = self.source.range(last);
        self.list.push(Edit {
            offset: begin,
            closes: false,
            other: end,
            text: before,
        });
        self.list.push(Edit {
            offset: end,
            closes: true,
            other: begin,
            text: after.to_owned(),
        });
    }

    /// Inserts the evaluation of an expression at a point.
    fn expression(&mut self, point: Point, code: &str) {
        match point {
            Point::Statement(number) => self.statement(number, code),
            Point::Expression(token) | Point::Choice(token) => {
                self.before(token, format!("(void)({code}), "));
            }
            Point::Loop(number) | Point::Branch(number) => {
                let first = match self.source.statements()[number].kind {
                    StatementKind::For(_, [first, second]) if first + 1 == second => {
                        self.before(second, format!("(void)({code}), 1"));
                        return;
                    }
                    StatementKind::For(_, [first, _]) => first + 1,
                    kind => kind.header().map_or(0, |header| header.open + 1),
                };
                self.before(first, format!("(void)({code}), "));
            }
            Point::Body(open) => self.before(open + 1, format!("(void)({code}); ")),
            Point::Enter(close) | Point::Return(close) => {
                let first = self.source.callee_start(self.source.partner(close));
                self.around(first, close, format!("((void)({code}), "), ")");
            }
        }
    }

    /// Sets [`AT_TARGET`] to one while a statement, neither a branching nor a loop, is executed.
    fn mark(&mut self, number: usize) {
        let statement = &self.source.statements()[number];
        let (first, last) = (statement.first, statement.last);
        let (begin, end) = (format!("{AT_TARGET} = 1u; "), format!(" {AT_TARGET} = 0u;"));
        if !statement.is_item {
            let end = format!("{end} }}");
            self.around(first, last, format!("{{ {begin}"), &end);
        } else if statement.kind == StatementKind::Jump {
            self.before(first, begin);
        } else {
            self.around(first, last, begin, &end);
        }
    }

    /// Returns line and column, from one, in the resulting text for an offset in the original text.
    fn place(&self, offset: usize, declarations: &str) -> (u32, u32) {
        let text = self.source.text();
        let before = text.get(..offset).unwrap_or_default();
        let line = before.iter().filter(|&&byte| byte == b'\n').count();
        let start = before.iter().rposition(|&byte| byte == b'\n');
        let start = start.map_or(0, |newline| newline + 1);
        let put_in = self
            .list
            .iter()
            .filter(|edit| (start..=offset).contains(&edit.offset));
        let mut column = offset - start + put_in.map(|edit| edit.text.len()).sum::<usize>();
        let (begin, _) = self.source.range(0);
        if (start..=offset).contains(&begin) {
            column += declarations.len();
        }
        let number = |value: usize| u32::try_from(value + 1).unwrap_or(u32::MAX);
        (number(line), number(column))
    }

    fn statement(&mut self, number: usize, code: &str) {
        let statements = self.source.statements();
        let mut number = number;
        // A labelled statement follows its label; it is the next in the list.
        while statements[number].kind == StatementKind::Labelled {
            let end = statements[number].last;
            match statements.get(number + 1) {
                Some(inner) if inner.first <= end => number += 1,
                _ => {
                    self.before(end + 1, format!("(void)({code}); "));
                    return;
                }
            }
        }
        let statement = &statements[number];
        if statement.is_item {
            self.before(statement.first, format!("(void)({code}); "));
        } else {
            let (first, last) = (statement.first, statement.last);
            self.around(first, last, format!("{{ (void)({code}); "), " }");
        }
    }

    /// Inserts the evaluation of an expression after a call has returned; in it, [`RESULT`] is the result.
    fn after_call(&mut self, point: Point, code: &str) {
        let Point::Return(close) = point else {
            return;
        };
        let first = self.source.callee_start(self.source.partner(close));
        if code.contains(RESULT) {
            let call = self.source.words(first..close + 1);
            let before = format!("({{ __typeof__({call}) {RESULT} = ");
            let after = format!("; (void)({code}); {RESULT}; }})");
            self.around(first, close, before, &after);
        } else {
            self.around(first, close, "(".to_owned(), &format!(", (void)({code}))"));
        }
    }

    /// Passes a controlling expression's value through the function with the name, or for a `switch` through the moves
    /// themselves.
    fn branch(&mut self, point: Point, name: &str, moves: &str) {
        let around = match point {
            Point::Branch(number) => match self.source.statements()[number].kind {
                StatementKind::For(_, [first, second]) if first + 1 == second => {
                    self.before(second, format!("{name}(1)"));
                    return;
                }
                StatementKind::For(_, [first, second]) => Some((first + 1, second - 1)),
                StatementKind::Switch(header) => {
                    // The value must keep its type.
                    let (first, last) = (header.open + 1, header.close - 1);
                    let value = self.source.words(first..last + 1);
                    let before = format!("({{ __typeof__(+({value})) {CHOICE} = (");
                    let after = format!("); {moves}; {CHOICE}; }})");
                    self.around(first, last, before, &after);
                    return;
                }
                kind => kind
                    .header()
                    .map(|header| (header.open + 1, header.close - 1)),
            },
            Point::Choice(question) => Some((self.source.choice_start(question), question - 1)),
            _ => None,
        };
        if let Some((first, last)) = around {
            self.around(first, last, format!("{name}(!!("), "))");
        }
    }

    /// Returns the resulting text, with declarations before its first token.
    fn finish(self, declarations: &str) -> Vec<u8> {
        let text = self.source.text();
        // Of pairs around the same tokens, the first is outermost: it begins first and ends last.
        let mut list: Vec<(i64, Edit)> = (0..).zip(self.list).collect();
        list.sort_by_key(|(number, edit)| {
            let order = if edit.closes { -number } else { *number };
            let outer_first = std::cmp::Reverse(edit.other);
            (edit.offset, !edit.closes, outer_first, order)
        });
        let (begin, _) = self.source.range(0);
        let mut result = text[..begin].to_vec();
        result.extend_from_slice(declarations.as_bytes());
        let mut done = begin;
        for (_, edit) in &list {
            let offset = edit.offset.max(done);
            result.extend_from_slice(&text[done..offset]);
            result.extend_from_slice(edit.text.as_bytes());
            done = offset;
        }
        result.extend_from_slice(&text[done..]);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> SourceText {
        SourceText::new("a.c", text.into()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns the number of the statement that begins with the text.
    fn statement(source: &SourceText, begin: &str) -> usize {
        let text = source.text();
        let found = source.statements().iter().position(|statement| {
            let (start, _) = source.range(statement.first);
            text[start..].starts_with(begin.as_bytes())
        });
        found.expect("a statement")
    }

    fn checked(text: &str, points: &[(Point, &str)]) -> String {
        let source = source(text);
        let points: Vec<(Point, String)> = points
            .iter()
            .map(|(point, expression)| (*point, (*expression).to_owned()))
            .collect();
        String::from_utf8(with_expressions(&source, &points)).expect("text")
    }

    fn with_steps(source: &SourceText, steps: &[(Point, Step)]) -> String {
        let nowhere = Extent {
            first: 0,
            last: 0,
            statement: None,
        };
        String::from_utf8(with_automaton(source, steps, nowhere).0).expect("text")
    }

    #[test]
    fn the_target_is_found_again() {
        let text = "int f(void) {\n  if (x) h(g(1)); g(\n 2);\n}\n";
        let parsed = source(text);
        let first = parsed.at(2, 19).expect("a token");
        let number = statement(&parsed, "g(\n");
        let last = parsed.statements()[number].last;
        let step = Step {
            segment: 0,
            advances: true,
            condition: None,
            returns_to: None,
        };
        let close = parsed.at(2, 15).expect("a parenthesis");
        let target = Extent {
            first,
            last,
            statement: Some(number),
        };
        let steps = [
            (Point::Enter(close), step.clone()),
            (Point::Statement(number), step),
        ];
        let (text, range) = with_automaton(&parsed, &steps, target);
        let text = String::from_utf8(text).expect("text");
        let lines: Vec<&str> = text.lines().collect();
        let at = |(line, column): (u32, u32)| &lines[line as usize - 1][column as usize - 1..];
        assert_eq!(at(range.first), "g(", "{text}");
        assert_eq!(at(range.last), "; __regatta_at_target = 0u;", "{text}");
        assert!(
            lines[1].contains("1))); __regatta_at_target = 1u; g("),
            "{text}"
        );
    }

    #[test]
    fn expressions_are_put_where_they_are_evaluated() {
        let text = "int f(void) {\n  for (;;) if (x) x--; else g();\n  L: do y; while (z);\n}\n";
        let parsed = source(text);
        let number = |begin| statement(&parsed, begin);
        for (point, expected) in [
            (Point::Loop(number("for")), "for (;(void)(e), 1;) if"),
            (
                Point::Statement(number("x--")),
                "if (x) { (void)(e); x--; } else",
            ),
            (Point::Statement(number("for")), "  (void)(e); for (;;)"),
            (Point::Statement(number("L:")), "L: (void)(e); do y;"),
            (Point::Loop(number("do")), "do y; while ((void)(e), z);"),
        ] {
            let result = checked(text, &[(point, "e")]);
            assert!(result.contains(expected), "{point:?}: {result}");
            assert_eq!(result.lines().count(), text.lines().count());
        }
    }

    #[test]
    fn many_moves_do_not_nest_deeply() {
        let steps: Vec<Step> = (0..5000)
            .map(|segment| Step {
                segment,
                advances: true,
                condition: None,
                returns_to: None,
            })
            .collect();
        let steps: Vec<&Step> = steps.iter().collect();
        let text = moves(&steps, |condition| condition.to_owned());
        let mut depth = 0;
        let mut deepest = 0;
        for character in text.chars() {
            depth += i32::from(character == '(') - i32::from(character == ')');
            deepest = deepest.max(depth);
        }
        assert!(depth == 0 && deepest < 20, "{deepest}");
        let last = format!("{SEGMENT} == 4999u && ({SEGMENT} = 5000u, 1)");
        assert!(text.contains(&last));
    }

    #[test]
    fn what_is_put_around_the_same_place_is_nested() {
        let text = "#include <x.h>\nint f(void) { if (g(h(1))) k(); }\n";
        let parsed = source(text);
        let close = |column| parsed.at(2, column).expect("a parenthesis");
        let step = |segment, condition: Option<&str>| Step {
            segment,
            advances: true,
            condition: condition.map(str::to_owned),
            returns_to: None,
        };
        let steps = [
            (Point::Enter(close(25)), step(0, None)),
            (
                Point::Return(close(24)),
                step(1, Some("__regatta_result == 3")),
            ),
            (
                Point::Branch(statement(&parsed, "if")),
                step(2, Some("true")),
            ),
        ];
        let result = with_steps(&parsed, &steps);
        let lines: Vec<&str> = result.lines().collect();
        assert_eq!(lines[0], "#include <x.h>");
        let branch = lines[1].find("if (__regatta_branch_").expect("a branch");
        let rest = &lines[1][branch..];
        let enter = rest
            .find("((void)((void)(__regatta_segment == 0u")
            .expect("a call");
        let result = rest
            .find("g(({ __typeof__(h ( 1 )) __regatta_result = h(1); ")
            .expect("a result");
        assert!(enter < result, "{rest}");
    }

    #[test]
    fn a_branching_by_a_call_is_around_it() {
        let parsed = source("int f(void) { if (h(1)) k(); }\n");
        let step = |segment, condition: &str| Step {
            segment,
            advances: true,
            condition: Some(condition.to_owned()),
            returns_to: None,
        };
        let close = parsed.at(1, 22).expect("a parenthesis");
        let branch = Point::Branch(statement(&parsed, "if"));
        let steps = [
            (Point::Return(close), step(0, "__regatta_result == 3")),
            (branch, step(1, "true")),
        ];
        let text = with_steps(&parsed, &steps);
        let begin = "if (__regatta_branch_0(!!(({ __typeof__(h ( 1 )) __regatta_result = h(1); ";
        assert!(text.contains(begin), "{text}");
        assert!(text.contains("; __regatta_result; })))) k();"), "{text}");
    }
}
