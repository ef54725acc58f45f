//! Linear combinations of the numbers of a state, without any limit of their values.

use regatta_term::{BitVecValue, Build, Op, Pool, Sort, TermId, store};

/// How a bit pattern is read as a number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Reading {
    Unsigned,
    Signed,
}

/// A number that a linear combination is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Atom {
    /// A bit vector that is read as a number.
    Bits { bits: TermId, reading: Reading },
    /// One of two numbers, as a condition decides.
    Choice(Box<Choice>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Choice {
    condition: TermId,
    then: Linear,
    otherwise: Linear,
}

/// A number of a linear combination, as others see it.
pub(super) enum Part<'l> {
    /// A bit vector that is read as a number.
    Bits(TermId, Reading),
    /// The first number if the condition holds, or else the second.
    Choice(TermId, &'l Linear, &'l Linear),
}

/// A linear combination.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Linear {
    /// The factors, none of which is zero, and the numbers.
    parts: Vec<(i128, Atom)>,
    constant: i128,
}

/// Maximum width (bits) of a feature as a bit vector. Combinations and differences of features need a few more.
const MAXIMUM_WIDTH: u32 = 100;

/// Maximum magnitude of factors that are taken out of products.
const MAXIMUM_FACTOR: u128 = 1 << 32;

/// Maximum number of choices that a comparison is made for case by case.
const MAXIMUM_CASES: u32 = 2;

impl Linear {
    pub fn constant(constant: i128) -> Self {
        Self {
            parts: Vec::new(),
            constant,
        }
    }

    /// The bit vector as a number.
    pub fn of(bits: TermId, reading: Reading) -> Self {
        match constant(bits) {
            Some(value) if reading == Reading::Signed => Self::constant(value.signed()),
            Some(value) => Self::constant(value.bits().cast_signed()),
            None => Self::of_atom(Atom::Bits { bits, reading }),
        }
    }

    fn of_atom(atom: Atom) -> Self {
        Self {
            parts: vec![(1, atom)],
            constant: 0,
        }
    }

    /// The one number if the condition holds, or else the other.
    pub fn choice(condition: TermId, then: Self, otherwise: Self) -> Self {
        match condition {
            TermId::TRUE => then,
            TermId::FALSE => otherwise,
            _ => Self::of_atom(Atom::Choice(Box::new(Choice {
                condition,
                then,
                otherwise,
            }))),
        }
    }

    /// The signed bit vector as a number; its sums and products with constants as those of numbers.
    pub fn of_sum(bits: TermId) -> Self {
        match store().as_application(bits) {
            Some((Op::BvAdd, summands)) => {
                let summands = summands.iter().map(|&summand| Self::of_sum(summand));
                summands.fold(Self::default(), |sum, summand| sum.plus(1, &summand))
            }
            Some((Op::BvNeg, &[number])) => Self::default().plus(-1, &Self::of_sum(number)),
            Some((Op::BvMul, &[a, b])) => {
                let (factor, number) = match constant(a) {
                    Some(_) => (a, b),
                    None => (b, a),
                };
                let factor = constant(factor).map(BitVecValue::signed);
                match factor.filter(|factor| factor.unsigned_abs() <= MAXIMUM_FACTOR) {
                    Some(factor) => Self::default().plus(factor, &Self::of_sum(number)),
                    None => Self::of(bits, Reading::Signed),
                }
            }
            _ => Self::of(bits, Reading::Signed),
        }
    }

    /// The sum with a multiple of the other.
    pub fn plus(&self, factor: i128, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.constant += factor * other.constant;
        for (of_other, atom) in &other.parts {
            let position = sum.parts.iter().position(|(_, known)| known == atom);
            match position {
                Some(position) => sum.parts[position].0 += factor * of_other,
                None => sum.parts.push((factor * of_other, atom.clone())),
            }
        }
        sum.parts.retain(|&(factor, _)| factor != 0);
        sum
    }

    /// The difference to the other.
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(-1, other)
    }

    /// Whether it always has the same value, or values that need too many bits.
    pub fn is_useless(&self) -> bool {
        self.parts.is_empty() || self.needed() > MAXIMUM_WIDTH
    }

    /// Whether its constant is such that it may be the distance to the greatest number of a type. What a number has to the
    /// end of its type is no bound that the program gives.
    pub fn is_to_end_of_type(&self) -> bool {
        self.constant.unsigned_abs() >= u32::MAX.into()
    }

    /// The bit vectors and conditions of which it is made.
    pub fn atoms(&self) -> Vec<TermId> {
        let parts = self.parts.iter();
        let atoms = parts.flat_map(|(_, atom)| match atom {
            Atom::Bits { bits, .. } => vec![*bits],
            Atom::Choice(choice) => {
                let mut atoms = choice.then.atoms();
                atoms.extend(choice.otherwise.atoms());
                atoms.push(choice.condition);
                atoms
            }
        });
        atoms.collect()
    }

    /// The factors and the numbers, and the constant.
    pub fn parts(&self) -> (impl Iterator<Item = (i128, Part<'_>)>, i128) {
        let parts = self.parts.iter().map(|(factor, atom)| {
            let part = match atom {
                Atom::Bits { bits, reading } => Part::Bits(*bits, *reading),
                Atom::Choice(choice) => {
                    Part::Choice(choice.condition, &choice.then, &choice.otherwise)
                }
            };
            (*factor, part)
        });
        (parts, self.constant)
    }

    /// The combination of what the bit vectors and conditions are mapped to.
    pub fn map(&self, to: &mut impl FnMut(TermId) -> TermId) -> Self {
        let mut mapped = Self::constant(self.constant);
        for (factor, atom) in &self.parts {
            let atom = match atom {
                Atom::Bits { bits, reading } => Atom::Bits {
                    bits: to(*bits),
                    reading: *reading,
                },
                Atom::Choice(choice) => Atom::Choice(Box::new(Choice {
                    condition: to(choice.condition),
                    then: choice.then.map(to),
                    otherwise: choice.otherwise.map(to),
                })),
            };
            mapped.parts.push((*factor, atom));
        }
        mapped
    }

    /// The number of bits that its values need as signed bit vectors.
    fn needed(&self) -> u32 {
        let mut most = self.constant.unsigned_abs();
        for (factor, atom) in &self.parts {
            let values = 1u128.checked_shl(atom.needed());
            let values = values.and_then(|values| values.checked_mul(factor.unsigned_abs()));
            most = most.saturating_add(values.unwrap_or(u128::MAX));
        }
        u128::BITS - most.leading_zeros() + 1
    }

    /// The combination as a signed bit vector that has room for its values.
    pub fn term(&self) -> TermId {
        self.term_of(self.width())
    }

    fn width(&self) -> u8 {
        self.needed().min(u128::BITS) as u8
    }

    /// The combination as a signed bit vector of the width.
    fn term_of(&self, width: u8) -> TermId {
        let constant = store().bv_signed(width, self.constant);
        let parts = self.parts.iter();
        parts.fold(constant, |sum, (factor, atom)| {
            store().add(sum, scaled(width, *factor, atom.wide(width)))
        })
    }

    /// Both as signed bit vectors of one width.
    fn both(&self, other: &Self) -> (TermId, TermId) {
        let width = self.width().max(other.width());
        (self.term_of(width), other.term_of(width))
    }

    /// The first choice among its parts, and the combination as it is for one and the other.
    fn split(&self) -> Option<(TermId, Self, Self)> {
        let mut parts = self.parts.iter().enumerate();
        let (position, choice) = parts.find_map(|(position, (_, atom))| match atom {
            Atom::Choice(choice) => Some((position, choice)),
            Atom::Bits { .. } => None,
        })?;
        let mut rest = self.clone();
        let (factor, _) = rest.parts.remove(position);
        let [then, otherwise] =
            [&choice.then, &choice.otherwise].map(|chosen| rest.plus(factor, chosen));
        Some((choice.condition, then, otherwise))
    }

    /// Whether it is at least the number.
    pub fn is_at_least(&self, number: i128) -> TermId {
        self.reaches(number, MAXIMUM_CASES)
    }

    fn reaches(&self, number: i128, cases: u32) -> TermId {
        match self.split() {
            Some((condition, then, otherwise)) if cases > 0 => {
                let [then, otherwise] =
                    [then, otherwise].map(|chosen| chosen.reaches(number, cases - 1));
                store().ite(condition, then, otherwise)
            }
            _ => self.outweighs(number),
        }
    }

    /// [`Self::is_at_least`] without cases. What has a negative factor is on the other side of the comparison: solvers decide
    /// `x < y` far faster than a sign of `y - x`.
    fn outweighs(&self, number: i128) -> TermId {
        let mut more = self.minus(&Self::constant(number));
        if let Some(common) = self
            .parts
            .iter()
            .map(|part| part.0.unsigned_abs())
            .reduce(gcd)
        {
            let common = common.cast_signed();
            more.constant = more.constant.div_euclid(common);
            for (factor, _) in &mut more.parts {
                *factor /= common;
            }
        }
        let mut less = Self::constant(0.max(-more.constant));
        more.constant = more.constant.max(0);
        let (positive, negative) = more.parts.drain(..).partition(|&(factor, _)| factor > 0);
        more.parts = positive;
        less.parts = negative;
        for (factor, _) in &mut less.parts {
            *factor = -*factor;
        }
        if less.constant != 1 {
            let (less, more) = less.both(&more);
            return store().sle(less, more);
        }
        less.constant = 0;
        let (less, more) = less.both(&more);
        store().slt(less, more)
    }

    /// Whether it is by so much greater than the combination of other numbers, at least.
    pub fn is_above(&self, other: &Self, distance: i128) -> TermId {
        self.exceeds(other, distance, MAXIMUM_CASES)
    }

    fn exceeds(&self, other: &Self, distance: i128, cases: u32) -> TermId {
        if cases == 0 {
            return self.surpasses(other, distance);
        }
        let (condition, pairs) = match (self.split(), other.split()) {
            (None, None) => return self.surpasses(other, distance),
            (Some((condition, then, otherwise)), Some((same, of_then, of_otherwise)))
                if condition == same =>
            {
                (condition, [(then, of_then), (otherwise, of_otherwise)])
            }
            (Some((condition, then, otherwise)), _) => {
                let (first, second) = (other.clone(), other.clone());
                (condition, [(then, first), (otherwise, second)])
            }
            (None, Some((condition, then, otherwise))) => {
                let (first, second) = (self.clone(), self.clone());
                (condition, [(first, then), (second, otherwise)])
            }
        };
        let [then, otherwise] =
            pairs.map(|(own, others)| own.exceeds(&others, distance, cases - 1));
        store().ite(condition, then, otherwise)
    }

    /// [`Self::is_above`] without cases. Parts that correspond to each other are subtracted first, and where each of them has
    /// grown, their sum has: such comparisons are easier than those of sums.
    fn surpasses(&self, other: &Self, distance: i128) -> TermId {
        let factors = |of: &Self| of.parts.iter().map(|part| part.0).collect::<Vec<_>>();
        let difference = self.minus(other);
        let pairs = self.parts.iter().zip(&other.parts);
        let changed = pairs.filter(|((_, own), (_, others))| own != others);
        let changed: Vec<_> = changed.collect();
        if factors(self) != factors(other) || changed.len() < 2 {
            return difference.outweighs(distance);
        }
        let missing = distance - (self.constant - other.constant);
        let width = difference.width().max(Self::constant(missing).width());
        let mut sum = store().bv(width, 0);
        let (mut all, mut any) = (Vec::new(), Vec::new());
        for ((factor, own), (_, others)) in changed {
            let change = store().sub(own.wide(width), others.wide(width));
            sum = store().add(sum, scaled(width, *factor, change));
            let change = Self::of_atom(own.clone()).minus(&Self::of_atom(others.clone()));
            let change = Self::default().plus(factor.signum(), &change);
            all.push(change.outweighs(0));
            any.push(change.outweighs(1));
        }
        let whole = store().sle(store().bv_signed(width, missing), sum);
        match missing {
            ..=0 => store().or2(store().and(all), whole),
            1 => store().or2(store().and2(store().and(all), store().or(any)), whole),
            _ => whole,
        }
    }
}

impl Atom {
    /// The number of bits that its values need, without a sign.
    fn needed(&self) -> u32 {
        match self {
            Self::Bits { bits, .. } => width(*bits).into(),
            Self::Choice(choice) => choice.then.needed().max(choice.otherwise.needed()),
        }
    }

    fn wide(&self, width: u8) -> TermId {
        match self {
            Self::Bits { bits, reading } => match reading {
                Reading::Unsigned => store().zero_resize(*bits, width),
                Reading::Signed => store().sign_resize(*bits, width),
            },
            Self::Choice(choice) => store().ite(
                choice.condition,
                choice.then.term_of(width),
                choice.otherwise.term_of(width),
            ),
        }
    }
}

const fn gcd(a: u128, b: u128) -> u128 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

fn scaled(width: u8, factor: i128, number: TermId) -> TermId {
    match factor {
        1 => number,
        -1 => store().neg(number),
        _ => store().mul(store().bv_signed(width, factor), number),
    }
}

fn constant(bits: TermId) -> Option<BitVecValue> {
    store().bit_vec_constant(bits)
}

fn width(bits: TermId) -> u8 {
    match store().sort(bits) {
        Sort::BitVec(width) => width,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;
    use rand_xoshiro::SplitMix64;
    use rand_xoshiro::rand_core::SeedableRng;
    use regatta_term::{Symbol, Value, evaluate, substitute};

    fn variable(name: &str) -> TermId {
        store().variable(Symbol::new(name, Sort::BitVec(8)))
    }

    #[test]
    fn sums_are_taken_apart() {
        let (x, y) = (variable("linear x"), variable("linear y"));
        let sum = store().add(store().mul(store().bv(8, 3), x), store().neg(y));
        let expected = Linear::of(x, Reading::Signed).plus(2, &Linear::of(x, Reading::Signed));
        let expected = expected.minus(&Linear::of(y, Reading::Signed));
        assert!(Linear::of_sum(sum).minus(&expected).is_useless());
        assert_eq!(Linear::of(sum, Reading::Signed).atoms(), [sum]);
    }

    #[test]
    fn terms_have_room_for_all_values() {
        let x = Linear::of(variable("linear x"), Reading::Unsigned);
        let distance = Linear::constant(300).plus(-2, &x);
        // From -210 to 300.
        assert_eq!(store().sort(distance.term()), Sort::BitVec(11));
        assert!(distance.minus(&distance).is_useless());
        assert_eq!(Linear::constant(7).is_at_least(7), TermId::TRUE);
        assert_eq!(
            Linear::constant(7).is_above(&Linear::constant(3), 5),
            TermId::FALSE
        );
    }

    #[test]
    fn what_is_equal_is_not_compared() {
        let (x, y, z) = (
            variable("linear x"),
            variable("linear y"),
            variable("linear z"),
        );
        let read = |bits| Linear::of(bits, Reading::Signed);
        let (before, now) = (read(x).minus(&read(y)), read(z).minus(&read(y)));
        let mut uses_y = false;
        regatta_term::for_each_subterm(store(), [before.is_above(&now, 1)], |term, _| {
            uses_y |= term == y;
        });
        assert!(!uses_y);
        assert_eq!(before.is_above(&before, 0), TermId::TRUE);
        assert_eq!(before.is_above(&before, 1), TermId::FALSE);
    }

    /// A combination with its value.
    type Known = (Linear, i128);

    fn some_combination(random: &mut SplitMix64, values: &[(TermId, u8)], depth: u32) -> Known {
        let mut pick = |below: u64| random.next_u64() % below;
        let mut known = match pick(3) {
            0 => (Linear::default(), 0),
            _ => {
                let constant = i128::from(pick(9)) - 4;
                (Linear::constant(constant), constant)
            }
        };
        for _ in 0..=pick(3) {
            let factor = i128::from(pick(7)) - 3;
            let (bits, value) = values[pick(values.len() as u64) as usize];
            let (number, value): Known = match pick(2) {
                0 => (Linear::of(bits, Reading::Unsigned), value.into()),
                _ => (
                    Linear::of(bits, Reading::Signed),
                    value.cast_signed().into(),
                ),
            };
            known = (known.0.plus(factor, &number), known.1 + factor * value);
        }
        if depth > 0 && pick(2) == 0 {
            let [then, otherwise, decides] =
                [(); 3].map(|()| some_combination(random, values, depth - 1));
            let chosen = if decides.1 >= 1 { then.1 } else { otherwise.1 };
            let choice = Linear::choice(decides.0.is_at_least(1), then.0, otherwise.0);
            known = (known.0.plus(-2, &choice), known.1 - 2 * chosen);
        }
        known
    }

    #[test]
    fn comparisons_are_those_of_numbers() {
        let random = &mut SplitMix64::seed_from_u64(48);
        let names = ["linear a", "linear b", "linear c"];
        for _ in 0..500 {
            let values = names.map(|name| (variable(name), random.next_u64() as u8));
            let (left, left_value) = some_combination(random, &values, 2);
            // Sometimes the same combination of other numbers, as it is after a round.
            let (right, right_value) = match random.next_u64() % 2 {
                0 => some_combination(random, &values, 2),
                _ => {
                    let next = [values[1].0, values[0].0, values[2].0];
                    let present = values.map(|(bits, _)| bits);
                    let map = present.into_iter().zip(next).collect();
                    let right = left.map(&mut |term| substitute(store(), term, &map));
                    let value = value_of(&right, &values);
                    (right, value)
                }
            };
            assert_eq!(value_of(&left, &values), left_value);
            for distance in -2..=2 {
                let above = is_true(left.is_above(&right, distance), &values);
                assert_eq!(above, left_value - right_value >= distance);
                let at_least = is_true(left.is_at_least(distance), &values);
                assert_eq!(at_least, left_value >= distance);
            }
        }
    }

    fn value(term: TermId, values: &[(TermId, u8)]) -> Value {
        let known = |symbol, _| {
            let mut values = values.iter();
            let (_, value) =
                values.find(|(bits, _)| store().as_variable(*bits).unwrap().0 == symbol)?;
            Some(Value::BitVec(BitVecValue::new(8, (*value).into())))
        };
        evaluate(store(), term, &known).unwrap()
    }

    fn value_of(combination: &Linear, values: &[(TermId, u8)]) -> i128 {
        value(combination.term(), values)
            .as_bit_vec()
            .unwrap()
            .signed()
    }

    fn is_true(condition: TermId, values: &[(TermId, u8)]) -> bool {
        value(condition, values) == Value::Bool(true)
    }
}
