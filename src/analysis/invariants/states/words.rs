//! Evaluation of terms on machine words, in state after state, without building terms.
//!
//! States are partly unknown. A word is a multiple of an unknown plus a constant, so that terms that differ from one
//! unknown by constants can be compared and subtracted. A term with no such value is not decided here.

use rustc_hash::FxHashMap;

use crate::term::{
    BitVecValue, Constant, Op, Pool, Sort, TermId, TermKind, Value, apply_op, for_each_subterm,
};

/// Maximum depth of terms that are evaluated.
const MAXIMUM_DEPTH: u32 = 400;

/// The index of a term in the program.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Place(u32);

/// A value in a state: `factor` · unknown + `constant`, modulo 2ʷ; 0 or 1 for truth values.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Word {
    unknown: Place,
    factor: u64,
    constant: u64,
}

impl Word {
    fn constant(constant: u64) -> Self {
        Self {
            unknown: Place(0),
            factor: 0,
            constant,
        }
    }

    fn truth(truth: bool) -> Self {
        Self::constant(truth.into())
    }

    fn as_constant(self) -> Option<u64> {
        (self.factor == 0).then_some(self.constant)
    }
}

/// The kind of a term.
#[derive(Copy, Clone, Debug)]
enum Kind {
    Variable,
    Constant(u64),
    Apply {
        op: Op,
        first: u32,
        count: u32,
    },
    /// Never evaluated.
    Other,
}

#[derive(Copy, Clone, Debug)]
struct Node {
    kind: Kind,
    sort: Sort,
    depth: u32,
}

/// The terms, each after its arguments.
#[derive(Debug, Default)]
pub struct Words {
    nodes: Vec<Node>,
    arguments: Vec<Place>,
    places: FxHashMap<TermId, Place>,
}

/// The values of a program's terms in a state.
#[derive(Debug)]
pub struct Values {
    /// The value of unconstrained variables: this number, or an unknown for each.
    others: Option<u64>,
    /// The present round: entries of other rounds are stale.
    round: u32,
    known: Vec<(u32, Option<Word>)>,
}

fn mask(sort: Sort) -> u64 {
    match sort {
        Sort::BitVec(width) => u64::MAX >> (64 - u32::from(width)),
        _ => 1,
    }
}

fn is_word(sort: Sort) -> bool {
    matches!(sort, Sort::Bool | Sort::BitVec(1..=64))
}

impl Words {
    /// Adds a term to the program.
    pub fn place(&mut self, pool: &(impl Pool + ?Sized), term: TermId) -> Place {
        if !self.places.contains_key(&term) {
            for_each_subterm(pool, [term], |part, kind| {
                if !self.places.contains_key(&part) {
                    self.push(part, pool.sort(part), kind);
                }
            });
        }
        self.places[&term]
    }

    /// Adds a term whose arguments are in the program.
    fn push(&mut self, term: TermId, sort: Sort, kind: TermKind<'_>) {
        let mut depth = 0;
        let kind = match kind {
            _ if !is_word(sort) => Kind::Other,
            TermKind::Variable { .. } => Kind::Variable,
            TermKind::Constant(Constant::Bool(truth)) => Kind::Constant(truth.into()),
            TermKind::Constant(Constant::BitVec(bits)) => Kind::Constant(bits.bits() as u64),
            TermKind::Constant(_) => Kind::Other,
            TermKind::Apply { op, arguments } => {
                let first = self.arguments.len() as u32;
                for argument in arguments {
                    let place = self.places[argument];
                    self.arguments.push(place);
                    depth = depth.max(self.node(place).depth + 1);
                }
                let count = arguments.len() as u32;
                match depth {
                    0..=MAXIMUM_DEPTH => Kind::Apply { op, first, count },
                    _ => Kind::Other,
                }
            }
        };
        let place = Place(self.nodes.len() as u32);
        self.nodes.push(Node { kind, sort, depth });
        self.places.insert(term, place);
    }

    fn node(&self, place: Place) -> Node {
        self.nodes[place.0 as usize]
    }

    /// Returns the value as a number, bit vectors as signed ones; `None` if it is unknown.
    pub fn number(&self, values: &mut Values, place: Place) -> Option<i128> {
        let constant = self.value(values, place)?.as_constant()?;
        Some(match self.node(place).sort {
            Sort::BitVec(width) => BitVecValue::new(width, constant.into()).signed(),
            _ => constant.into(),
        })
    }

    fn value(&self, values: &mut Values, place: Place) -> Option<Word> {
        if let Some(&(round, word)) = values.known.get(place.0 as usize)
            && round == values.round
        {
            return word;
        }
        let node = self.node(place);
        let word = match node.kind {
            Kind::Constant(constant) => Some(Word::constant(constant)),
            Kind::Variable => Some(match values.others {
                Some(number) => Word::constant(number & mask(node.sort)),
                None => Word {
                    unknown: place,
                    factor: 1,
                    constant: 0,
                },
            }),
            Kind::Apply { op, first, count } => {
                let arguments = first as usize..(first + count) as usize;
                self.apply(values, op, node.sort, &self.arguments[arguments])
            }
            Kind::Other => None,
        };
        values.put(place, word);
        word
    }

    fn apply(&self, values: &mut Values, op: Op, sort: Sort, arguments: &[Place]) -> Option<Word> {
        let mask = mask(sort);
        match op {
            Op::And | Op::Or => {
                let decisive = u64::from(op == Op::Or);
                let mut is_known = true;
                for &argument in arguments {
                    match self.value(values, argument).and_then(Word::as_constant) {
                        Some(truth) if truth == decisive => return Some(Word::constant(truth)),
                        Some(_) => {}
                        None => is_known = false,
                    }
                }
                is_known.then_some(Word::constant(1 - decisive))
            }
            Op::Ite => {
                let condition = self.value(values, arguments[0]);
                match condition.and_then(Word::as_constant) {
                    Some(0) => self.value(values, arguments[2]),
                    Some(_) => self.value(values, arguments[1]),
                    None => {
                        let one = self.value(values, arguments[1])?;
                        (self.value(values, arguments[2])? == one).then_some(one)
                    }
                }
            }
            Op::Eq if is_word(self.node(arguments[0]).sort) => {
                let one = self.value(values, arguments[0])?;
                let other = self.value(values, arguments[1])?;
                // With the same multiple of one unknown, the constants decide.
                let is_related = (one.unknown, one.factor) == (other.unknown, other.factor);
                is_related.then_some(Word::truth(one.constant == other.constant))
            }
            Op::BvAdd => {
                let mut sum = self.value(values, arguments[0])?;
                for &argument in &arguments[1..] {
                    let word = self.value(values, argument)?;
                    sum = match (sum.factor, word.factor) {
                        (_, 0) => sum,
                        (0, _) => Word {
                            constant: sum.constant,
                            ..word
                        },
                        _ if sum.unknown == word.unknown => Word {
                            factor: sum.factor.wrapping_add(word.factor) & mask,
                            ..sum
                        },
                        _ => return None,
                    };
                    sum.constant = sum.constant.wrapping_add(word.constant) & mask;
                    if sum.factor == 0 {
                        sum.unknown = Place(0);
                    }
                }
                Some(sum)
            }
            Op::BvMul | Op::BvNeg => {
                let (factor, word) = match (op, arguments) {
                    (Op::BvNeg, &[argument]) => (mask, self.value(values, argument)?),
                    (_, &[one, other]) => {
                        let one = self.value(values, one)?;
                        let other = self.value(values, other)?;
                        match (one.as_constant(), other.as_constant()) {
                            (Some(factor), _) => (factor, other),
                            (_, Some(factor)) => (factor, one),
                            _ => return None,
                        }
                    }
                    _ => return None,
                };
                let scaled = word.factor.wrapping_mul(factor) & mask;
                Some(Word {
                    unknown: if scaled == 0 { Place(0) } else { word.unknown },
                    factor: scaled,
                    constant: word.constant.wrapping_mul(factor) & mask,
                })
            }
            _ => {
                let mut known = Vec::with_capacity(arguments.len());
                for &argument in arguments {
                    let sort = self.node(argument).sort;
                    let constant = self.value(values, argument)?.as_constant()?;
                    known.push(match sort {
                        Sort::BitVec(width) => Value::bit_vec(width, constant.into()),
                        _ => Value::Bool(constant != 0),
                    });
                }
                Some(Word::constant(match apply_op(op, sort, &known) {
                    Value::Bool(truth) => truth.into(),
                    Value::BitVec(bits) => bits.bits() as u64,
                    _ => return None,
                }))
            }
        }
    }

    /// Sets the value of a variable.
    pub fn set(&self, values: &mut Values, variable: Place, number: i128) {
        let number = number.cast_unsigned() as u64 & mask(self.node(variable).sort);
        values.put(variable, Some(Word::constant(number)));
    }

    /// Sets the difference of a variable from another one.
    pub fn set_difference(&self, values: &mut Values, variable: Place, from: Place, number: i128) {
        let mask = mask(self.node(variable).sort);
        let number = number.cast_unsigned() as u64;
        let word = self.value(values, from).map(|word| Word {
            constant: word.constant.wrapping_add(number) & mask,
            ..word
        });
        values.put(variable, word);
    }
}

impl Values {
    /// Creates the values of states whose unconstrained variables equal the number, or are unknown.
    pub fn new(others: Option<u64>) -> Self {
        Self {
            others,
            round: 0,
            known: Vec::new(),
        }
    }

    /// Discards the state, for another one.
    pub fn begin(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.known.clear();
            self.round = 1;
        }
    }

    fn put(&mut self, place: Place, word: Option<Word>) {
        let index = place.0 as usize;
        if index >= self.known.len() {
            self.known.resize(index + 1, (0, None));
        }
        self.known[index] = (self.round, word);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::term::{Build, Symbol, evaluate, store};

    const BYTE: Sort = Sort::BitVec(8);

    fn names() -> [Symbol; 4] {
        ["word a", "word b", "word c", "word d"].map(|name| Symbol::new(name, BYTE))
    }

    /// Makes a term over the variables from a list of numbers.
    fn term(code: &[u8]) -> TermId {
        let variables = names().map(|name| store().variable(name));
        let mut stack: Vec<TermId> = variables.to_vec();
        for (&op, &constant) in code.iter().zip(code.iter().skip(1)) {
            let pick = |number: u8| stack[usize::from(number) % stack.len()];
            let (one, other) = (pick(op / 11), pick(constant));
            let number = store().bv(8, (constant % 7).into());
            let next = match op % 11 {
                0 => store().add(one, number),
                1 => store().sub(one, other),
                2 => store().mul(one, number),
                3 => store().ite(store().eq(one, other), other, number),
                4 => store().ite(store().ult(one, number), one, other),
                5 => store().bvand(one, other),
                6 => store().add(one, other),
                7 => store().ite(
                    store().and2(store().eq(one, number), store().sle(number, other)),
                    one,
                    other,
                ),
                8 => store().neg(one),
                9 => store().udiv(one, number),
                _ => store().ite(
                    store().or([store().eq(other, number), store().eq(one, other)]),
                    number,
                    one,
                ),
            };
            stack.push(next);
        }
        *stack.last().expect("variables")
    }

    proptest! {
        #[test]
        fn a_known_word_is_the_value_of_the_term(
            code in prop::collection::vec(any::<u8>(), 0..14),
            difference in any::<i8>(),
            known in any::<i8>(),
            rest in prop::array::uniform2(any::<u8>()),
            others in prop::option::of(0_u64..3),
        ) {
            // `a` is known, `b` exceeds `c` by a known number, and `c` and `d` are unconstrained.
            let [a, b, c, d] = names().map(|name| store().variable(name));
            let _ = d;
            let term = term(&code);
            let mut words = Words::default();
            let places = [a, b, c, term].map(|one| words.place(store(), one));
            let mut values = Values::new(others);
            for round in 0..2_i128 {
                values.begin();
                words.set(&mut values, places[0], i128::from(known) + round);
                words.set_difference(&mut values, places[1], places[2], difference.into());
                let found = words.number(&mut values, places[3]);
                let rest = others.map_or(rest, |number| [number as u8; 2]);
                let state = [
                    (i128::from(known) + round).cast_unsigned() as u8,
                    rest[0].wrapping_add(difference.cast_unsigned()),
                    rest[0],
                    rest[1],
                ];
                let assignment = |symbol: Symbol, _: u32| {
                    let number = names().iter().position(|&one| one == symbol)?;
                    Some(Value::bit_vec(8, state[number].into()))
                };
                let expected = evaluate(store(), term, &assignment).expect("a value");
                match found {
                    Some(number) => prop_assert_eq!(Value::bit_vec(8, number.cast_unsigned()), expected),
                    None => prop_assert!(others.is_none()),
                }
            }
        }
    }

    #[test]
    fn differences_of_unknowns_are_known() {
        let [a, b, c, _] = names().map(|name| store().variable(name));
        let mut words = Words::default();
        let places = [a, b, c].map(|one| words.place(store(), one));
        let terms = [
            store().sub(store().add(a, store().bv(8, 1)), b),
            store().ite(store().eq(a, b), c, store().bv(8, 7)),
            store().add(a, c),
            store().ult(a, b),
        ];
        let terms = terms.map(|one| words.place(store(), one));
        let mut values = Values::new(None);
        values.begin();
        words.set_difference(&mut values, places[0], places[1], 3);
        let found = terms.map(|one| words.number(&mut values, one));
        assert_eq!(found, [Some(4), Some(7), None, None]);
        // In the next state, values are recomputed.
        values.begin();
        words.set(&mut values, places[0], -1);
        words.set(&mut values, places[1], -1);
        let found = terms.map(|one| words.number(&mut values, one));
        assert_eq!(found, [Some(1), None, None, Some(0)]);
    }
}
