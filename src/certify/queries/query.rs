//! Questions of the checker to the solvers, as text.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::queries::alike::representatives;
use crate::queries::limits::{
    FIRST_TIME_OF_HARD_QUESTION, MAXIMUM_CONDITIONS_PER_INSTANTIATED_PART, MAXIMUM_MERGE_TIME,
    MAXIMUM_SIZE_AS_A_WHOLE, MAXIMUM_SIZE_FOR_STAGES, MAXIMUM_SWEEPING_TIME,
    MINIMUM_CONDITIONS_FOR_LIKENESS, MINIMUM_LIKENESS, MINIMUM_TARGETS_FOR_PARTS, PARTS_PER_THREAD,
    POWER_STAGE_TIME, TIME_BEFORE_STAGES, TIME_OF_MERGED_QUESTION, UNKNOWNS_STAGE_TIME,
    WHOLE_QUESTION_TIME,
};
use crate::queries::many;
use crate::walk::{GivenUp, Walk};
use regatta_entailment::unknowns::is_hard;
use regatta_entailment::{Core, Oracle, Premises, Stage};
use regatta_solver::linear_bits;
use regatta_solver::question::{Question, TextSolvers};
use regatta_solver::sweeping::swept;
use regatta_solver::z3::text::TextAnswer;
use regatta_term::{
    Arena, Build, CellVariables, Pool, Sort, Symbol, TermId, for_each_subterm, prefix_sums,
};

/// The answer to a list of conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// None of the conditions can hold.
    Impossible,
    /// One can hold; tells for each condition whether it holds in the model found.
    Possible(Vec<bool>),
}

/// Asks whether one of the conditions of the walk can hold.
pub(crate) fn ask(walk: &Walk<'_, '_>, conditions: &[TermId]) -> Result<Answer, GivenUp> {
    ask_within(walk, conditions, Duration::MAX)
}

/// [`ask`] for many conditions that may differ only in the names of variables: one of each kind is asked about first.
pub(crate) fn ask_alike(walk: &Walk<'_, '_>, conditions: &[TermId]) -> Result<Answer, GivenUp> {
    // The renamed conditions would have to be recorded.
    if conditions.len() >= MINIMUM_CONDITIONS_FOR_LIKENESS && !walk.arena.records() {
        let few = representatives(&walk.arena, conditions);
        if few.len() * MINIMUM_LIKENESS <= conditions.len()
            && ask_within(walk, &few, walk.left()? / 2) == Ok(Answer::Impossible)
        {
            return Ok(Answer::Impossible);
        }
    }
    ask(walk, conditions)
}

/// [`ask`] with a maximum wall time.
pub(crate) fn ask_within(
    walk: &Walk<'_, '_>,
    conditions: &[TermId],
    most: Duration,
) -> Result<Answer, GivenUp> {
    let answer = answer(walk, &mut conditions.to_vec(), most)?;
    note(walk, conditions, &answer)?;
    Ok(answer)
}

/// [`ask_within`]. Whatever the result is, each of the conditions that is found to be impossible is made false.
pub(crate) fn ask_each(
    walk: &Walk<'_, '_>,
    conditions: &mut [TermId],
    most: Duration,
) -> Result<Answer, GivenUp> {
    let asked = conditions.to_vec();
    let answer = answer(walk, conditions, most)?;
    note(walk, &asked, &answer)?;
    Ok(answer)
}

/// Asks for the second opinion on conditions that are impossible, and records them, as far as either is wanted.
fn note(walk: &Walk<'_, '_>, conditions: &[TermId], answer: &Answer) -> Result<(), GivenUp> {
    let mut solvers = walk.solver.borrow_mut();
    if let (Answer::Impossible, Some(second)) = (answer, &mut solvers.second) {
        // First, before building the second question records simplifications that the checker did not use.
        let simplified =
            second.simplifications(&walk.arena, walk.arena.take_recorded(), walk.end());
        let (all, _) = assertions(walk, conditions);
        if !simplified || !second.obligation(&walk.arena, &all, walk.end()) {
            return Err(GivenUp("the solvers do not agree".to_owned()));
        }
        // Simplifications in this question were not used for the proof.
        walk.arena.take_recorded();
    }
    if let (Answer::Impossible, Some(recorder)) = (answer, &mut solvers.recorder) {
        recorder.impossible(walk, conditions);
    }
    Ok(())
}

fn answer(
    walk: &Walk<'_, '_>,
    conditions: &mut [TermId],
    most: Duration,
) -> Result<Answer, GivenUp> {
    if none_is_open(conditions) {
        return Ok(Answer::Impossible);
    }
    let (mut all, names) = assertions(walk, conditions);
    if walk.lowered().program.errors.len() >= MINIMUM_TARGETS_FOR_PARTS
        && (conditions.len() >= MINIMUM_TARGETS_FOR_PARTS
            || size_of_all(&walk.arena, &all) > MAXIMUM_SIZE_FOR_STAGES)
    {
        if let Some(answer) = many::answer(walk, conditions, most)? {
            return Ok(answer);
        }
        (all, _) = assertions(walk, conditions);
    }
    // The merged terms would have to be recorded.
    if !walk.arena.records()
        && linear_bits::is_bitwise(&walk.arena, &all)
        && let Some(merged) = linear_bits::merged(&walk.arena, &plain(walk, &all))
    {
        all = merged;
        let most = most.min(TIME_OF_MERGED_QUESTION);
        if let Some(answer) = decided(check(walk, &all, &names, most)?, &names) {
            return Ok(answer);
        }
    }
    if is_hard(&walk.arena, &all) {
        // For the stages, a large question is hard; for a solver it often is not, products or not.
        if size_of_all(&walk.arena, &all) > MAXIMUM_SIZE_FOR_STAGES
            && let Some(answer) = decided(
                check(walk, &all, &names, most.min(TIME_BEFORE_STAGES))?,
                &names,
            )
        {
            return Ok(answer);
        }
        for condition in conditions.iter_mut() {
            if *condition != TermId::FALSE && is_excluded_early(walk, *condition)? {
                *condition = TermId::FALSE;
            }
        }
        if none_is_open(conditions) {
            return Ok(Answer::Impossible);
        }
        (all, _) = assertions(walk, conditions);
    }
    let parts = parts(walk, conditions);
    let in_parts = |most| by_parts(walk, conditions, &parts, most);
    let answer = match parts.is_empty() {
        true => {
            let whole = |most| check(walk, &all, &names, most);
            swept_if_hard(walk, (&all, &names), most, whole)?
        }
        // The whole question has failed already, before the case distinction.
        false if walk.cases > 1 => in_parts(most)?,
        // Solvers translate a large question for seconds before they look at the time.
        false if size_of_all(&walk.arena, &all) > MAXIMUM_SIZE_AS_A_WHOLE => {
            swept_if_hard(walk, (&all, &names), most, in_parts)?
        }
        false => match check(walk, &all, &names, most.min(WHOLE_QUESTION_TIME))? {
            TextAnswer::Unknown(_) => swept_if_hard(walk, (&all, &names), most, in_parts)?,
            answer => answer,
        },
    };
    let reason = match &answer {
        TextAnswer::Unknown(reason) => reason.clone(),
        _ => String::new(),
    };
    decided(answer, &names).ok_or_else(|| GivenUp(format!("the solver: {reason}")))
}

/// Whether all conditions are known to be false.
pub(super) fn none_is_open(conditions: &[TermId]) -> bool {
    conditions.iter().all(|&one| one == TermId::FALSE)
}

/// The number of different terms in the formulas.
pub(super) fn size_of_all(pool: &Arena, formulas: &[TermId]) -> usize {
    let mut count = 0;
    for_each_subterm(pool, formulas.iter().copied(), |_, _| count += 1);
    count
}

/// The answer to the conditions with the names; `None` if it is open.
pub(super) fn decided(answer: TextAnswer, names: &[String]) -> Option<Answer> {
    match answer {
        TextAnswer::Unsatisfiable => Some(Answer::Impossible),
        TextAnswer::Satisfiable(values) if names.is_empty() => {
            debug_assert!(values.is_empty());
            Some(Answer::Possible(vec![true]))
        }
        TextAnswer::Satisfiable(values) => Some(Answer::Possible(values)),
        TextAnswer::Unknown(_) => None,
    }
}

/// Returns the parts of a question (indices of conditions), if there are threads for them or if parts are easier than the
/// whole; none if the whole is to be asked about.
fn parts(walk: &Walk<'_, '_>, conditions: &[TermId]) -> Vec<Vec<usize>> {
    let open = (0..conditions.len()).filter(|&place| conditions[place] != TermId::FALSE);
    let open: Vec<usize> = open.collect();
    let mut parts = match walk.solver.borrow().workers.maximum_threads() {
        1 => 1,
        threads => PARTS_PER_THREAD * threads,
    };
    if walk.assumes_of_any_index() {
        parts = parts.max(
            open.len()
                .div_ceil(MAXIMUM_CONDITIONS_PER_INSTANTIATED_PART),
        );
    }
    if walk.cases > 1 {
        parts = parts.max(walk.cases);
    }
    if parts == 1 || open.len() < 2 {
        return Vec::new();
    }
    let parts = open.chunks(open.len().div_ceil(parts));
    parts.map(<[usize]>::to_vec).collect()
}

/// Asks about all parts in parallel and returns their common answer.
fn by_parts(
    walk: &Walk<'_, '_>,
    conditions: &[TermId],
    parts: &[Vec<usize>],
    most: Duration,
) -> Result<TextAnswer, GivenUp> {
    let deadline = walk.deadline();
    let of_part = |part: &Vec<usize>| {
        let part: Vec<TermId> = part.iter().map(|&place| conditions[place]).collect();
        let (assertions, names) = assertions(walk, &part);
        (question(walk, &assertions), names)
    };
    let questions: Vec<(Question, Vec<String>)> = parts.iter().map(of_part).collect();
    let solvers = &mut *walk.solver.borrow_mut();
    let is_settled = AtomicBool::new(false);
    let ask = |solver: &mut TextSolvers, (question, names): &(Question, Vec<String>)| {
        if is_settled.load(Ordering::Relaxed) {
            return None;
        }
        // The time is read for each part, since parts without a worker are asked one after the other.
        let answer = match deadline.left() {
            Ok(left) => solver.check(question, names, left.min(most)),
            Err(GivenUp(reason)) => TextAnswer::Unknown(reason),
        };
        let settles = answer != TextAnswer::Unsatisfiable;
        is_settled.fetch_or(settles, Ordering::Relaxed);
        Some(answer)
    };
    let first = &mut solvers.first;
    let answers = solvers
        .workers
        .map(&questions, first, TextSolvers::default, ask);
    let mut unknown = None;
    for (part, answer) in parts.iter().zip(answers) {
        match answer {
            Some(TextAnswer::Satisfiable(values)) => {
                let mut holds = vec![false; conditions.len()];
                // A single condition has no name.
                let values = if part.len() == 1 { vec![true] } else { values };
                for (&place, value) in part.iter().zip(values) {
                    holds[place] = value;
                }
                return Ok(TextAnswer::Satisfiable(holds));
            }
            Some(TextAnswer::Unknown(reason)) => unknown = Some(reason),
            Some(TextAnswer::Unsatisfiable) => {}
            // The answer to another part made this one irrelevant.
            None => {
                unknown.get_or_insert_with(|| "a part was not asked about".to_owned());
            }
        }
    }
    Ok(unknown.map_or(TextAnswer::Unsatisfiable, TextAnswer::Unknown))
}

/// Returns the assertions of a question, and the names of the conditions if there are several.
pub(crate) fn assertions(walk: &Walk<'_, '_>, conditions: &[TermId]) -> (Vec<TermId>, Vec<String>) {
    let mut facts = walk.instances(conditions);
    facts.extend_from_slice(conditions);
    let definitions = walk.definitions_for(&facts);
    facts.truncate(facts.len() - conditions.len());
    assertions_from(walk, conditions, definitions, facts)
}

/// The assertions with these definitions and these further facts.
pub(super) fn assertions_from(
    walk: &Walk<'_, '_>,
    conditions: &[TermId],
    definitions: Vec<TermId>,
    mut facts: Vec<TermId>,
) -> (Vec<TermId>, Vec<String>) {
    let arena = &*walk.arena;
    let symbol = Symbol::new("certified goal", Sort::Bool);
    let mut assertions = definitions;
    assertions.append(&mut facts);
    let mut names = Vec::new();
    if let [single] = conditions {
        assertions.push(*single);
    } else {
        let mut goals = Vec::with_capacity(conditions.len());
        for (&condition, number) in conditions.iter().zip(0..) {
            let goal = arena.variable_at(symbol, number);
            assertions.push(arena.eq(goal, condition));
            goals.push(goal);
            names.push(format!("|certified goal@{number}|"));
        }
        assertions.push(arena.or(goals));
    }
    assertions.extend(prefix_sums::facts(arena, assertions.clone()));
    (assertions, names)
}

/// The question whether the assertions have a model. Cells are replaced by variables, unless simplifications are recorded.
fn question(walk: &Walk<'_, '_>, assertions: &[TermId]) -> Question {
    match walk.arena.records() {
        true => Question::new(&*walk.arena, assertions),
        false => Question::new(&*walk.arena, &plain(walk, assertions)),
    }
}

/// The assertions with cells replaced by variables.
fn plain(walk: &Walk<'_, '_>, assertions: &[TermId]) -> Vec<TermId> {
    let arena = &*walk.arena;
    let mut cells = CellVariables::default();
    for &assertion in assertions {
        cells.look_at(arena, assertion);
    }
    let all = assertions.iter().map(|&one| cells.replaced(arena, one));
    all.collect()
}

/// Asks within the time. If the question is left open at first, it is asked with equal terms merged, where there are such.
fn swept_if_hard(
    walk: &Walk<'_, '_>,
    (assertions, names): (&[TermId], &[String]),
    most: Duration,
    asks: impl Fn(Duration) -> Result<TextAnswer, GivenUp>,
) -> Result<TextAnswer, GivenUp> {
    // The merged terms would have to be recorded.
    if most <= FIRST_TIME_OF_HARD_QUESTION || walk.arena.records() {
        return asks(most);
    }
    let answer = asks(FIRST_TIME_OF_HARD_QUESTION)?;
    if !matches!(answer, TextAnswer::Unknown(_)) {
        return Ok(answer);
    }
    let began = Instant::now();
    let mut refutes = |differ: TermId| {
        let is_time_left = began.elapsed() < MAXIMUM_SWEEPING_TIME;
        is_time_left
            && check(walk, &[differ], &[], MAXIMUM_MERGE_TIME) == Ok(TextAnswer::Unsatisfiable)
    };
    match swept(&walk.arena, &plain(walk, assertions), &mut refutes) {
        Some(merged) => check(walk, &merged, names, most),
        None => asks(most),
    }
}

pub(super) fn check(
    walk: &Walk<'_, '_>,
    assertions: &[TermId],
    names: &[String],
    most: Duration,
) -> Result<TextAnswer, GivenUp> {
    let question = question(walk, assertions);
    let time = walk.left()?.min(most);
    let first = &mut walk.solver.borrow_mut().first;
    Ok(first.check(&question, names, time))
}

/// Checks whether the condition is excluded before the last stage of the entailment.
fn is_excluded_early(walk: &Walk<'_, '_>, condition: TermId) -> Result<bool, GivenUp> {
    let (assertions, _) = assertions(walk, &[condition]);
    let premises = Premises::new(&walk.arena, &assertions);
    let core = premises.before_last_stage(TermId::FALSE, &mut Early(walk))?;
    Ok(core.is_some())
}

/// An oracle that asks the checker's solvers for a short time.
struct Early<'w, 'a, 'b>(&'w Walk<'a, 'b>);

impl Oracle for Early<'_, '_, '_> {
    type Stop = GivenUp;

    fn unsatisfiable_core(
        &mut self,
        assertions: &[TermId],
        stage: Stage,
    ) -> Result<Option<Core>, GivenUp> {
        let most = match stage {
            Stage::Power => POWER_STAGE_TIME,
            Stage::Unknowns => UNKNOWNS_STAGE_TIME,
        };
        let answer = check(self.0, assertions, &[], most)?;
        let excluded = answer == TextAnswer::Unsatisfiable;
        Ok(excluded.then(|| (0..assertions.len()).collect()))
    }
}
