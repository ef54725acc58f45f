//! Invariants about all objects on the heap, such as the nodes of lists ([`guess::objects`]).

use std::sync::Arc;
use std::time::Duration;

use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::invariants::guess;
use super::invariants::guess::objects::Stages;
use super::invariants::rounds::{Rounds, find_reached_states, safe_states};
use super::{Answer, Context, Progress, SolverFactory};
use regatta_base::options;
use regatta_program::block::Blocks;
use regatta_sharing::Candidate;
use regatta_solver::SolverError;

options! {
    /// Options of the engine for objects on the heap.
    pub struct Options {}
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "objects",
            summary: "Where the pointers of objects on the heap lead, and what the program demands of one of these objects.",
            has_solver: true,
            recursion: Recursion::Excluded,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        run(subject.blocks, subject.solver, context).into()
    }
}

/// Runs the engine.
fn run(
    blocks: &Arc<Blocks>,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    // Candidates come from blocks; states of runs refute most of those that are wrong.
    find_reached_states(blocks, context);
    let mut rounds = Rounds::new(blocks, Duration::ZERO, solver, context)?;
    let stages = guess::objects::candidates(blocks, &safe_states(blocks));
    let Stages {
        lists,
        watched,
        behind,
        exceptions,
        structure,
        contents,
    } = stages;
    let has_records = guess::objects::has_records(blocks);
    let parts = match has_records {
        // Under a check of memory, where pointers lead is mostly enough.
        true => vec![
            ("lists", vec![lists]),
            ("watched objects", vec![watched]),
            ("objects behind watched ones", vec![behind]),
            ("lists with exceptions", vec![exceptions]),
            ("objects", vec![structure]),
            ("contents", vec![contents]),
        ],
        false => vec![("objects", vec![structure, contents])],
    };
    let mut open = Vec::new();
    Ok(rounds.run(parts, context, |rounds, stages, context| {
        let new = prove(stages, &mut open, rounds, context);
        if has_records && new > 0 {
            // Mostly little is missing for a proof then; another race would begin anew.
            (context.report)(Progress::Expectation { ends_soon: true });
        }
        new
    }))
}

/// Proves candidates of stages, and those that are still open from before; returns the number of new invariants.
fn prove(
    stages: Vec<Vec<Candidate>>,
    open: &mut Vec<Candidate>,
    rounds: &mut Rounds<'_>,
    context: &Context<'_>,
) -> usize {
    let mut new = 0;
    for mut stage in stages {
        open.append(&mut stage);
        let known = context.exchange.snapshot().candidates();
        open.retain(|one| !known.contains(one));
        new += rounds.publish(open, context);
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Setting, assert_program_proved, lowered_for};
    use regatta_frontend::property::{Check, Specification};

    /// Asserts that the check is proved, or not, of a program that builds a list of any length, does something with it, and
    /// frees it.
    fn assert_list(middle: &str, check: Check, is_proved: bool) {
        let text = format!(
            "void *malloc(unsigned long); void free(void *); extern int __VERIFIER_nondet_int(void);
             struct node {{ struct node *next; }};
             int main(void) {{
                 struct node *list = 0, *other, *node;
                 while (__VERIFIER_nondet_int()) {{
                     node = malloc(sizeof *node);
                     node->next = list;
                     list = node;
                 }}
                 {middle}
                 while (list) {{ node = list; list = list->next; free(node); }}
                 return 0;
             }}"
        );
        let property = Specification {
            checks: [check].into(),
            ..Specification::assertions_and_undefined()
        };
        let lowered = lowered_for(&text, property);
        assert_program_proved(&lowered, &Options {}, &Setting::default(), is_proved);
    }

    #[test]
    fn lists_of_any_length_are_valid() {
        assert_list("", Check::Pointers, true);
        assert_list("if (list) free(list);", Check::Pointers, false);
        let freed_twice =
            "other = list; if (other) { list = list->next; free(other); list = other; }";
        assert_list(freed_twice, Check::Free, false);
    }

    #[test]
    fn circular_lists_of_any_length_are_freed() {
        let text = "void *malloc(unsigned long); void free(void *); extern int __VERIFIER_nondet_int(void);
             struct node { struct node *next; };
             static struct node *make(void) { return malloc(sizeof(struct node)); }
             int main(void) {
                 struct node *list = make(), *node, *other;
                 list->next = list;
                 while (__VERIFIER_nondet_int()) {
                     node = make();
                     node->next = list->next;
                     list->next = node;
                 }
                 node = list->next;
                 while (node != list) { other = node; node = node->next; free(other); }
                 free(list);
                 return 0;
             }";
        for check in [Check::Pointers, Check::Free, Check::Leaks] {
            let property = Specification {
                checks: [check].into(),
                ..Specification::assertions_and_undefined()
            };
            let lowered = lowered_for(text, property);
            assert_program_proved(&lowered, &Options {}, &Setting::default(), true);
        }
    }

    #[test]
    fn lists_of_any_length_are_not_lost() {
        assert_list("", Check::Leaks, true);
        assert_list("if (list) list = list->next;", Check::Leaks, false);
        let second_taken_out = "if (list && list->next) {
            node = list->next; list->next = node->next; free(node);
        }";
        assert_list(second_taken_out, Check::Leaks, true);
        let reversed = "other = 0;
            while (list) { node = list->next; list->next = other; other = list; list = node; }
            list = other;";
        assert_list(reversed, Check::Leaks, true);
        let second_lost = "if (list && list->next) list->next = list->next->next;";
        assert_list(second_lost, Check::Leaks, false);
        // This is never the one that was made first.
        let third_left =
            "if (list && list->next && list->next->next) list->next = list->next->next;";
        assert_list(third_left, Check::Leaks, false);
    }
}
