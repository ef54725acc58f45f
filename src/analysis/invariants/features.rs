//! What of a program's states has few values, whatever values its variables have.

use rustc_hash::FxHashSet;

use super::guess::{Column, Vocabulary, constant};
use super::samples::{PlaceSamples, Samples};
use crate::program::block::Blocks;
use crate::term::{Build, Op, Pool, Sort, Symbol, TermId, TermKind, free_variables, store};

/// So many values in samples make it hopeful that there are few.
const FEW: usize = 16;

/// So many samples are enough to tell that a difference has few values.
const ENOUGH: usize = 8;

/// The most conditions that are looked at.
const MOST_CONDITIONS: usize = 8;

/// Something of a state that has few values: a variable, a difference of two, or whether a condition holds.
#[derive(Copy, Clone, Debug)]
pub struct Feature {
    /// What it is.
    pub kind: Kind,
    /// Over the variables, in the shared store.
    pub term: TermId,
    /// Of the term.
    pub sort: Sort,
}

/// What a feature is.
#[derive(Copy, Clone, Debug)]
pub enum Kind {
    Variable,
    /// How much larger one variable is than another, modulo 2ⁿ.
    Difference {
        /// The one.
        of: TermId,
        /// The other.
        from: TermId,
    },
    /// Whether a condition of the program holds.
    Condition,
}

impl Feature {
    /// That it has the value in a state where its term is another one's.
    pub fn is(self, pool: &impl Build, term: TermId, value: i128) -> TermId {
        match self.sort {
            Sort::Bool if value != 0 => term,
            Sort::Bool => pool.not(term),
            _ => pool.eq(term, constant(self.sort, value)),
        }
    }
}

/// Tells what has few values.
pub struct Features<'v> {
    conditions: &'v Vocabulary,
    /// Variables whose values come from outside.
    wild: FxHashSet<Symbol>,
    classes: Vec<Vec<TermId>>,
}

impl<'v> Features<'v> {
    /// For the program of the blocks and samples of it.
    pub fn new(blocks: &Blocks, samples: &Samples, conditions: &'v Vocabulary) -> Self {
        let wild = wild(blocks);
        let places = samples.places.values();
        let classes = classes(places, |column| is_other(&wild, column));
        Self {
            conditions,
            classes,
            wild,
        }
    }

    /// Those of a place, with their values in the samples: variables with few values, differences, and whether the
    /// program's conditions on other variables hold.
    pub fn of(&self, place: &PlaceSamples) -> Vec<(Feature, Vec<i128>)> {
        let columns = Column::all(place).filter(|column| column.variable.cell.is_none());
        let columns: Vec<Column> = columns.collect();
        let (others, few): (Vec<&Column>, Vec<&Column>) = columns
            .iter()
            .partition(|column| is_other(&self.wild, column));
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
        all.extend(truths(&columns, &others, self.conditions));
        all
    }
}

/// Whether the variable has many values, as far as can be seen.
fn is_other(wild: &FxHashSet<Symbol>, column: &Column) -> bool {
    let is_wild = || symbol(column.variable.term).is_some_and(|symbol| wild.contains(&symbol));
    column.variable.sort != Sort::Bool && (distinct(&column.signed) > FEW || is_wild())
}

fn symbol(term: TermId) -> Option<Symbol> {
    match store().kind(term) {
        TermKind::Variable { symbol, .. } => Some(symbol),
        _ => None,
    }
}

/// The variables that are assigned inputs, cells of arrays, or what is computed of such.
fn wild(blocks: &Blocks) -> FxHashSet<Symbol> {
    let program = blocks.inlined().program();
    let mut wild = FxHashSet::default();
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
                                wild.insert(target);
                            }
                        }
                        TermKind::Apply {
                            op: Op::Select | Op::Store,
                            ..
                        } => _ = wild.insert(target),
                        TermKind::Apply { arguments, .. } => work.extend_from_slice(arguments),
                    }
                }
            }
        }
    }
    let mut work: Vec<Symbol> = wild.iter().copied().collect();
    while let Some(symbol) = work.pop() {
        for &(from, to) in &sources {
            if from == symbol && wild.insert(to) {
                work.push(to);
            }
        }
    }
    wild
}

/// How many different values there are.
pub fn distinct(values: &[i128]) -> usize {
    values.iter().collect::<FxHashSet<_>>().len()
}

/// Variables whose differences have few values at some place though they themselves have many: classes of them.
fn classes<'p>(
    places: impl Iterator<Item = &'p PlaceSamples>,
    is_other: impl Fn(&Column) -> bool,
) -> Vec<Vec<TermId>> {
    let mut classes: Vec<Vec<TermId>> = Vec::new();
    for place in places.filter(|place| place.rows.len() >= ENOUGH) {
        let others: Vec<Column> = Column::all(place).filter(&is_other).collect();
        for (first, one) in others.iter().enumerate() {
            for other in &others[first + 1..] {
                let Some(differences) = differences(one, other) else {
                    continue;
                };
                let count = distinct(&differences);
                if count <= FEW && count < distinct(&one.signed).min(distinct(&other.signed)) {
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

/// By how much the other is larger, modulo 2ⁿ.
fn differences(one: &Column, other: &Column) -> Option<Vec<i128>> {
    let Sort::BitVec(width) = one.variable.sort else {
        return None;
    };
    let shift = 128 - u32::from(width);
    let wrapped = |(a, b): (&i128, &i128)| ((a - b) << shift) >> shift;
    let pairs = other.signed.iter().zip(&one.signed);
    (one.variable.sort == other.variable.sort).then(|| pairs.map(wrapped).collect())
}

/// Conditions of the program that speak of a variable with many values.
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
    let found = about_others.filter_map(|condition| {
        let truths = conditions.truths(condition, columns)?;
        let feature = Feature {
            kind: Kind::Condition,
            term: condition,
            sort: Sort::Bool,
        };
        Some((feature, truths.into_iter().map(i128::from).collect()))
    });
    found.take(MOST_CONDITIONS).collect()
}
