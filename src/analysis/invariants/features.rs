//! Features: parts of a program's states that have few values.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::guess::{Column, Vocabulary, constant};
use super::samples::{PlaceSamples, SampledVariable, Samples, number};
use crate::program::VariableId;
use crate::program::block::Blocks;
use crate::term::{
    Build, Op, Pool, Sort, Symbol, TermId, TermKind, for_each_subterm, free_variables, store,
};

/// Maximum number of values in samples of a feature that is expected to have few.
const MAXIMUM_SAMPLED_VALUES: usize = 16;

/// Minimum number of samples for finding differences with few values.
const MINIMUM_SAMPLES: usize = 8;

/// Maximum number of constants of a variable whose choice among them is a feature.
const MAXIMUM_CONSTANTS: usize = 64;

/// Maximum number of conditions on variables with many values.
const MAXIMUM_CONDITIONS: usize = 8;

/// A part of a state that has few values: a variable, a difference of two, or the truth of a condition.
#[derive(Copy, Clone, Debug)]
pub struct Feature {
    /// Its kind.
    pub kind: Kind,
    /// The feature as a term of the shared store over the variables.
    pub term: TermId,
    /// The sort of the term.
    pub sort: Sort,
}

/// The kind of a feature.
#[derive(Copy, Clone, Debug)]
pub enum Kind {
    Variable,
    /// The difference of two variables, modulo 2ⁿ.
    Difference {
        /// The minuend.
        of: TermId,
        /// The subtrahend.
        from: TermId,
    },
    /// The truth of a condition of the program.
    Condition,
    /// The constant that a variable equals, of some constants, or that it equals none.
    Choice {
        /// The variable.
        of: TermId,
        /// The value that stands for all others.
        other: i128,
    },
}

impl Feature {
    /// Returns the formula that the feature has the value, where `term` is its term.
    pub fn is(self, pool: &impl Build, term: TermId, value: i128) -> TermId {
        match self.sort {
            Sort::Bool if value != 0 => term,
            Sort::Bool => pool.not(term),
            _ => pool.eq(term, constant(self.sort, value)),
        }
    }
}

/// The features of a precision.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Parts with few values, the constants that other variables are assigned, and the truth of some conditions on
    /// others: a bit for each condition, in the order of how often the program checks them.
    Chosen(u32),
    /// Also the values that others are assigned from variables with few values.
    Values,
    /// Also differences of variables with many values, and the truth of all conditions.
    Conditions,
}

/// Number of conditions that are tried one by one, and of those that are tried in pairs.
const SINGLE_CONDITIONS: u32 = 16;
const PAIRED_CONDITIONS: u32 = 8;

impl Precision {
    /// Returns the precisions that are tried, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        let single = (0..SINGLE_CONDITIONS).map(|one| 1 << one);
        let pairs =
            (0..PAIRED_CONDITIONS).flat_map(|one| (0..one).map(move |other| 1 << one | 1 << other));
        let chosen = std::iter::once(0).chain(single).chain(pairs);
        chosen
            .map(Self::Chosen)
            .chain([Self::Values, Self::Conditions])
    }
}

/// The conditions whose truth is a feature.
enum Conditions {
    These(Vec<TermId>),
    All,
}

/// Finds features.
pub struct Features<'v> {
    vocabulary: &'v Vocabulary,
    conditions: Conditions,
    /// Variables whose values come from inputs or arrays.
    unbounded: FxHashSet<Symbol>,
    /// The constants of variables that have both constant and arbitrary values.
    choices: FxHashMap<Symbol, BTreeSet<i128>>,
    classes: Vec<Vec<TermId>>,
}

impl<'v> Features<'v> {
    /// Creates the search from samples of a program; `None` if it has too few conditions for the precision.
    pub fn new(
        blocks: &Blocks,
        samples: &Samples,
        vocabulary: &'v Vocabulary,
        precision: Precision,
    ) -> Option<Self> {
        let unbounded = unbounded(blocks);
        let classes = match precision {
            Precision::Chosen(_) | Precision::Values => Vec::new(),
            Precision::Conditions => classes(samples.places.values(), |one| {
                has_many_values(&unbounded, one)
            }),
        };
        let mut choices = choices(blocks, samples, &unbounded, precision);
        let related: FxHashSet<TermId> = classes.iter().flatten().copied().collect();
        choices.retain(|&symbol, _| !related.contains(&store().variable(symbol)));
        let conditions = match precision {
            Precision::Values => Conditions::These(Vec::new()),
            Precision::Chosen(chosen) => {
                let is_open =
                    |symbol| unbounded.contains(&symbol) && !choices.contains_key(&symbol);
                let numbers = (0..u32::BITS as usize).filter(|number| chosen >> number & 1 == 1);
                let all = by_frequency(blocks, is_open);
                let these = numbers.map(|number| all.get(number).copied());
                Conditions::These(these.collect::<Option<_>>()?)
            }
            Precision::Conditions => Conditions::All,
        };
        Some(Self {
            vocabulary,
            conditions,
            choices,
            classes,
            unbounded,
        })
    }

    /// Returns the features of a location, with their values in the samples: variables with few values, differences,
    /// and the truth of the program's conditions on other variables.
    pub fn of(&self, place: &PlaceSamples) -> Vec<(Feature, Vec<i128>)> {
        let columns = Column::all(place).filter(|column| column.variable.cell.is_none());
        let columns: Vec<Column> = columns.collect();
        let (others, few): (Vec<&Column>, Vec<&Column>) = columns
            .iter()
            .partition(|column| has_many_values(&self.unbounded, column));
        let mut all: Vec<(Feature, Vec<i128>)> = few
            .into_iter()
            .map(|column| {
                let feature = Feature {
                    kind: Kind::Variable,
                    term: column.variable.term,
                    sort: column.variable.sort,
                };
                (feature, column.signed.clone())
            })
            .collect();
        let choices: Vec<_> = others.iter().map(|column| self.choice(column)).collect();
        let others: Vec<&Column> = others
            .into_iter()
            .zip(&choices)
            .filter_map(|(column, choice)| choice.is_none().then_some(column))
            .collect();
        for class in &self.classes {
            let members = others.iter();
            let mut members = members.filter(|column| class.contains(&column.variable.term));
            let Some(from) = members.next() else {
                continue;
            };
            for of in members {
                let Some(differences) = differences(from, of) else {
                    continue;
                };
                let (of, from) = (of.variable, from.variable.term);
                let feature = Feature {
                    kind: Kind::Difference { of: of.term, from },
                    term: store().sub(of.term, from),
                    sort: of.sort,
                };
                all.push((feature, differences));
            }
        }
        all.extend(choices.into_iter().flatten());
        match &self.conditions {
            Conditions::These(these) => all.extend(
                these
                    .iter()
                    .filter_map(|&one| truth(self.vocabulary, one, &columns)),
            ),
            Conditions::All => all.extend(truths(&columns, &others, self.vocabulary)),
        }
        all
    }

    /// Returns the choice among constants of a variable that has both constant and arbitrary values.
    fn choice(&self, column: &Column) -> Option<(Feature, Vec<i128>)> {
        let SampledVariable { term, sort, .. } = column.variable;
        let constants = self.choices.get(&symbol(term)?)?;
        if sort == Sort::Bool {
            return None;
        }
        let is_in_sort = |number: i128| match sort {
            Sort::BitVec(width) => number >> (width - 1).min(126) == 0,
            _ => true,
        };
        let other = (0..).find(|number| !constants.contains(number))?;
        if !is_in_sort(other) {
            return None;
        }
        let is_one = constants.iter();
        let is_one = is_one.map(|&number| store().eq(term, constant(sort, number)));
        let is_one = store().or(is_one.collect::<Vec<_>>());
        let feature = Feature {
            kind: Kind::Choice { of: term, other },
            term: store().ite(is_one, term, constant(sort, other)),
            sort,
        };
        let value = |value: &i128| match constants.contains(value) {
            true => *value,
            false => other,
        };
        Some((feature, column.signed.iter().map(value).collect()))
    }
}

/// Checks whether the variable has many values, as far as samples and assignments show.
fn has_many_values(unbounded: &FxHashSet<Symbol>, column: &Column) -> bool {
    let is_unbounded =
        || symbol(column.variable.term).is_some_and(|symbol| unbounded.contains(&symbol));
    column.variable.sort != Sort::Bool
        && (distinct(&column.signed) > MAXIMUM_SAMPLED_VALUES || is_unbounded())
}

fn symbol(term: TermId) -> Option<Symbol> {
    match store().kind(term) {
        TermKind::Variable { symbol, .. } => Some(symbol),
        _ => None,
    }
}

/// Returns the variables that are uninitialised, or assigned inputs, cells of arrays, or values computed from such.
fn unbounded(blocks: &Blocks) -> FxHashSet<Symbol> {
    let program = blocks.inlined().program();
    let mut unbounded = FxHashSet::default();
    let mut sources: Vec<(Symbol, Symbol)> = Vec::new();
    for at in blocks.cut_points() {
        for block in blocks.from(at).iter() {
            for &(variable, value) in &block.updates {
                let target = program.variable(variable).symbol;
                let mut work = vec![value];
                while let Some(term) = work.pop() {
                    if store().sort(term) == Sort::Bool {
                        continue;
                    }
                    match store().kind(term) {
                        TermKind::Constant(_) => {}
                        TermKind::Variable { symbol, instance } => {
                            if instance == 0 && blocks.variable(symbol).is_some() {
                                sources.push((symbol, target));
                            } else {
                                unbounded.insert(target);
                            }
                        }
                        TermKind::Apply {
                            op: Op::Select | Op::Store,
                            ..
                        } => _ = unbounded.insert(target),
                        TermKind::Apply { arguments, .. } => work.extend_from_slice(arguments),
                    }
                }
            }
        }
    }
    for block in blocks.from(blocks.inlined().entry()).iter() {
        let at_end = block.target().map(|target| blocks.state(target));
        let is_kept = |id: &VariableId| block.updates.iter().all(|(updated, _)| updated != id);
        let kept = at_end.into_iter().flatten().filter(is_kept);
        unbounded.extend(kept.map(|id| program.variable(id).symbol));
    }
    let mut work: Vec<Symbol> = unbounded.iter().copied().collect();
    while let Some(symbol) = work.pop() {
        for &(from, to) in &sources {
            if from == symbol && unbounded.insert(to) {
                work.push(to);
            }
        }
    }
    unbounded
}

/// Returns, for variables that are assigned both arbitrary values and constants or variables with few values, these
/// constants and values, and those with which the program compares them.
fn choices(
    blocks: &Blocks,
    samples: &Samples,
    unbounded: &FxHashSet<Symbol>,
    precision: Precision,
) -> FxHashMap<Symbol, BTreeSet<i128>> {
    let program = blocks.inlined().program();
    let is_chosen = matches!(precision, Precision::Chosen(_));
    let mut constants: FxHashMap<Symbol, BTreeSet<i128>> = FxHashMap::default();
    let mut compared: FxHashMap<Symbol, BTreeSet<i128>> = FxHashMap::default();
    let mut copies: FxHashMap<Symbol, FxHashSet<Symbol>> = FxHashMap::default();
    // Not used if only constants are chosen.
    let mut sampled: FxHashMap<Symbol, BTreeSet<i128>> = FxHashMap::default();
    let places = samples.places.values().filter(|_| !is_chosen);
    for column in places.flat_map(Column::all) {
        if let Some(symbol) = symbol(column.variable.term) {
            sampled.entry(symbol).or_default().extend(&column.signed);
        }
    }
    let points = blocks.cut_points();
    let blocks: Vec<_> = points.iter().map(|&at| blocks.from(at)).collect();
    for block in blocks.iter().flat_map(|blocks| blocks.iter()) {
        for &(variable, value) in &block.updates {
            let target = program.variable(variable).symbol;
            for leaf in leaves(value) {
                match store().kind(leaf) {
                    TermKind::Constant(value) => {
                        let value = number(&value.to_value());
                        constants.entry(target).or_default().extend(value);
                    }
                    TermKind::Variable { symbol, .. } if !unbounded.contains(&symbol) => {
                        let values = sampled
                            .get(&symbol)
                            .filter(|values| values.len() <= MAXIMUM_SAMPLED_VALUES);
                        if let Some(values) = values {
                            constants.entry(target).or_default().extend(values);
                        }
                    }
                    TermKind::Variable { symbol, .. } if symbol != target => {
                        copies.entry(symbol).or_default().insert(target);
                    }
                    _ => {}
                }
            }
        }
        for_each_subterm(store(), [block.guard], |_, kind| {
            if let Some((symbol, value)) = equated(kind) {
                compared.entry(symbol).or_default().insert(value);
            }
        });
    }
    for (symbol, values) in &mut constants {
        values.extend(compared.get(symbol).into_iter().flatten());
    }
    let mut work: Vec<Symbol> = constants.keys().copied().collect();
    while let Some(from) = work.pop() {
        for &to in copies.get(&from).into_iter().flatten() {
            let more = constants[&from].clone();
            let is_known = constants.contains_key(&to);
            let known = constants.entry(to).or_default();
            let before = known.len();
            known.extend(more);
            if known.len() > before || !is_known {
                work.push(to);
            }
        }
    }
    constants
        .retain(|symbol, values| unbounded.contains(symbol) && values.len() <= MAXIMUM_CONSTANTS);
    constants
}

/// Returns the terms among which a conditional term chooses.
fn leaves(term: TermId) -> Vec<TermId> {
    let mut leaves = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![term];
    while let Some(term) = work.pop() {
        match store().kind(term) {
            _ if !seen.insert(term) => {}
            TermKind::Apply {
                op: Op::Ite,
                arguments,
            } => work.extend_from_slice(&arguments[1..]),
            _ => leaves.push(term),
        }
    }
    leaves
}

/// Returns the variable and the constant of an equation of two such.
fn equated(kind: TermKind<'_>) -> Option<(Symbol, i128)> {
    let TermKind::Apply {
        op: Op::Eq,
        arguments,
    } = kind
    else {
        return None;
    };
    let sides = [(arguments[0], arguments[1]), (arguments[1], arguments[0])];
    sides.into_iter().find_map(|(variable, value)| {
        let value = store().constant(value)?;
        Some((symbol(variable)?, number(&value.to_value())?))
    })
}

/// Returns the number of different values.
pub fn distinct(values: &[i128]) -> usize {
    values.iter().collect::<FxHashSet<_>>().len()
}

/// Returns classes of variables that have many values but whose differences have few at some location.
fn classes<'p>(
    places: impl Iterator<Item = &'p PlaceSamples>,
    has_many_values: impl Fn(&Column) -> bool,
) -> Vec<Vec<TermId>> {
    let mut classes: Vec<Vec<TermId>> = Vec::new();
    for place in places.filter(|place| place.rows.len() >= MINIMUM_SAMPLES) {
        let others: Vec<Column> = Column::all(place).filter(&has_many_values).collect();
        for (first, one) in others.iter().enumerate() {
            for other in &others[first + 1..] {
                let Some(differences) = differences(one, other) else {
                    continue;
                };
                let count = distinct(&differences);
                if count <= MAXIMUM_SAMPLED_VALUES
                    && count < distinct(&one.signed).min(distinct(&other.signed))
                {
                    join(&mut classes, one.variable.term, other.variable.term);
                }
            }
        }
    }
    classes
}

fn join(classes: &mut Vec<Vec<TermId>>, one: TermId, other: TermId) {
    let find = |classes: &[Vec<TermId>], term| classes.iter().position(|all| all.contains(&term));
    match (find(classes, one), find(classes, other)) {
        (Some(a), Some(b)) if a == b => {}
        (Some(a), Some(b)) => {
            let moved = classes.swap_remove(a.max(b));
            classes[a.min(b)].extend(moved);
        }
        (Some(a), None) => classes[a].push(other),
        (None, Some(b)) => classes[b].push(one),
        (None, None) => classes.push(vec![one, other]),
    }
}

/// Returns the differences of two columns, modulo 2ⁿ.
fn differences(one: &Column, other: &Column) -> Option<Vec<i128>> {
    let Sort::BitVec(width) = one.variable.sort else {
        return None;
    };
    let shift = 128 - u32::from(width);
    let wrapped = |(a, b): (&i128, &i128)| ((a - b) << shift) >> shift;
    let pairs = other.signed.iter().zip(&one.signed);
    (one.variable.sort == other.variable.sort).then(|| pairs.map(wrapped).collect())
}

/// Returns conditions of the program about a variable with many values.
fn truths(
    columns: &[Column],
    others: &[&Column],
    conditions: &Vocabulary,
) -> Vec<(Feature, Vec<i128>)> {
    let of_others = others.iter();
    let of_others: FxHashSet<Symbol> = of_others
        .filter_map(|column| symbol(column.variable.term))
        .collect();
    let all = conditions.conditions_over(columns.iter().map(|column| column.variable.term));
    let about_others = all.into_iter().filter(|&condition| {
        let about = free_variables(store(), condition);
        about.iter().any(|(symbol, _)| of_others.contains(symbol))
    });
    let found = about_others.filter_map(|condition| truth(conditions, condition, columns));
    found.take(MAXIMUM_CONDITIONS).collect()
}

/// Returns the truth of the condition in the samples, if it is about these variables only.
fn truth(
    vocabulary: &Vocabulary,
    condition: TermId,
    columns: &[Column],
) -> Option<(Feature, Vec<i128>)> {
    let known: FxHashSet<Symbol> = columns
        .iter()
        .filter_map(|column| symbol(column.variable.term))
        .collect();
    let about = free_variables(store(), condition);
    if about.iter().any(|(symbol, _)| !known.contains(symbol)) {
        return None;
    }
    let truths = vocabulary.truths(condition, columns)?;
    let feature = Feature {
        kind: Kind::Condition,
        term: condition,
        sort: Sort::Bool,
    };
    Some((feature, truths.into_iter().map(i128::from).collect()))
}

/// Returns conditions that several blocks check and whose variables all satisfy `is_open`, the most frequent first.
fn by_frequency(blocks: &Blocks, is_open: impl Fn(Symbol) -> bool) -> Vec<TermId> {
    let mut counts: FxHashMap<TermId, usize> = FxHashMap::default();
    for at in blocks.cut_points() {
        for block in blocks.from(at).iter() {
            for_each_subterm(store(), [block.guard], |term, kind| {
                let is_comparison =
                    matches!(kind, TermKind::Apply { op, .. } if op.is_comparison());
                let is_over_open_variables = || {
                    let variables = free_variables(store(), term);
                    variables.iter().all(|&(symbol, _)| is_open(symbol))
                };
                if is_comparison && is_over_open_variables() {
                    *counts.entry(term).or_default() += 1;
                }
            });
        }
    }
    let mut all: Vec<(TermId, usize)> =
        counts.into_iter().filter(|&(_, count)| count > 1).collect();
    all.sort_unstable_by_key(|&(term, count)| (std::cmp::Reverse(count), term));
    all.into_iter().map(|(term, _)| term).collect()
}
