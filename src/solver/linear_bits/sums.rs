//! Words as sums of bits times factors, modulo 2^width.

use super::bits::{Bit, Bits};
use crate::limits::{MAXIMUM_SUM_BITS, MAXIMUM_SUM_WIDTH};

/// A sum modulo 2^width. Factors are from 1 to 2^width - 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sum {
    width: u8,
    /// Bits that have no constant, ascending, with their factors.
    addends: Vec<(Bit, i128)>,
    constant: i128,
}

/// The number modulo 2^width.
const fn modulo(number: i128, width: u8) -> i128 {
    number & ((1 << width) - 1)
}

/// The number modulo 2^width that is from -2^(width - 1) to 2^(width - 1) - 1.
const fn signed_modulo(number: i128, width: u8) -> i128 {
    let number = modulo(number, width);
    match width > 0 && number >> (width - 1) != 0 {
        true => number - (1 << width),
        false => number,
    }
}

impl Sum {
    /// The word with the bits, the lowest first.
    pub(super) fn of_bits(all: &mut Bits, word: &[Bit]) -> Option<Self> {
        let width = word.len() as u8;
        if width > MAXIMUM_SUM_WIDTH {
            return None;
        }
        let mut sum = Self {
            width,
            addends: Vec::with_capacity(word.len()),
            constant: 0,
        };
        for (place, &bit) in word.iter().enumerate() {
            let (bit, is_denied) = all.split(bit);
            let factor = 1 << place;
            if is_denied {
                sum.constant += factor;
            }
            if bit != Bit::ZERO {
                sum.addends
                    .push((bit, if is_denied { -factor } else { factor }));
            }
        }
        sum.normalised(all)
    }

    /// Sorts the addends and reduces the numbers; `None` if there are too many addends.
    fn normalised(mut self, all: &mut Bits) -> Option<Self> {
        all.steps += 1 + self.addends.len();
        self.addends.sort_unstable_by_key(|addend| addend.0);
        self.addends.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 = modulo(kept.1 + next.1, self.width);
            }
            is_same
        });
        for addend in &mut self.addends {
            addend.1 = modulo(addend.1, self.width);
        }
        self.addends.retain(|addend| addend.1 != 0);
        self.constant = modulo(self.constant, self.width);
        (self.addends.len() <= MAXIMUM_SUM_BITS).then_some(self)
    }

    /// The sum of this and another one times a factor.
    pub(super) fn plus(&self, all: &mut Bits, other: &Self, factor: i128) -> Option<Self> {
        debug_assert_eq!(self.width, other.width);
        let factor = signed_modulo(factor, self.width);
        let mut sum = self.clone();
        let scaled = other.addends.iter();
        let scaled = scaled.map(|&(bit, own)| (bit, self.product(own, factor)));
        sum.addends.extend(scaled);
        sum.constant += self.product(other.constant, factor);
        sum.normalised(all)
    }

    /// The product modulo 2^width.
    fn product(&self, a: i128, b: i128) -> i128 {
        modulo(a.wrapping_mul(b), self.width)
    }

    /// The sum times a factor.
    pub(super) fn times(&self, all: &mut Bits, factor: i128) -> Option<Self> {
        let zero = Self {
            width: self.width,
            addends: Vec::new(),
            constant: 0,
        };
        zero.plus(all, self, factor)
    }

    pub(super) const fn width(&self) -> u8 {
        self.width
    }

    /// The word of the width whose upper bits are this one, with zeros below.
    pub(super) fn above(&self, all: &mut Bits, width: u8) -> Option<Self> {
        if width > MAXIMUM_SUM_WIDTH {
            return None;
        }
        let places = width - self.width;
        let addends = self.addends.iter();
        let addends = addends.map(|&(bit, factor)| (bit, factor << places));
        let sum = Self {
            width,
            addends: addends.collect(),
            constant: self.constant << places,
        };
        sum.normalised(all)
    }

    /// The value, if it is constant.
    pub(super) fn as_constant(&self) -> Option<i128> {
        self.addends.is_empty().then_some(self.constant)
    }

    /// The sum of the choice: where the condition holds, `difference` is added.
    pub(super) fn with_choice(
        &self,
        all: &mut Bits,
        condition: Bit,
        difference: i128,
    ) -> Option<Self> {
        let (bit, is_denied) = all.split(condition);
        let mut sum = self.clone();
        if is_denied {
            sum.constant += difference;
        }
        if bit != Bit::ZERO {
            let factor = if is_denied { -difference } else { difference };
            sum.addends.push((bit, factor));
        }
        sum.normalised(all)
    }

    /// Divides the numbers by 2^low, if what remains of them together is always from 0 to 2^low - 1: then nothing is carried.
    /// The results are to be understood modulo 2^(width - low).
    fn divided(&self, low: u8) -> Option<(Vec<(Bit, i128)>, i128)> {
        [modulo, signed_modulo].into_iter().find_map(|rest| {
            let rests = self.addends.iter().map(|addend| rest(addend.1, low));
            let (mut least, mut greatest) =
                (modulo(self.constant, low), modulo(self.constant, low));
            for rest in rests {
                least += rest.min(0);
                greatest += rest.max(0);
            }
            let is_exact = least >= 0 && greatest < 1 << low;
            let quotient = |number: i128, rest: i128| (number - rest) >> low;
            is_exact.then(|| {
                let addends = self.addends.iter();
                let addends =
                    addends.map(|&(bit, factor)| (bit, quotient(factor, rest(factor, low))));
                (addends.collect(), self.constant >> low)
            })
        })
    }

    /// The bits from `low` to `high`, if those below carry nothing.
    pub(super) fn part(&self, all: &mut Bits, high: u8, low: u8) -> Option<Self> {
        let (addends, constant) = self.divided(low)?;
        let part = Self {
            width: high - low + 1,
            addends,
            constant,
        };
        part.normalised(all)
    }

    /// The zero extension, if the sum never wraps around.
    pub(super) fn extended(&self, all: &mut Bits, width: u8) -> Option<Self> {
        if width > MAXIMUM_SUM_WIDTH {
            return None;
        }
        let interpretation = [modulo, signed_modulo].into_iter().find(|interpretation| {
            let (mut least, mut greatest) = (self.constant, self.constant);
            for addend in &self.addends {
                let factor = interpretation(addend.1, self.width);
                least += factor.min(0);
                greatest += factor.max(0);
            }
            least >= 0 && greatest < 1 << self.width
        })?;
        let addends = self.addends.iter();
        let addends = addends.map(|&(bit, factor)| (bit, interpretation(factor, self.width)));
        let extended = Self {
            width,
            addends: addends.collect(),
            constant: self.constant,
        };
        extended.normalised(all)
    }

    /// The bitwise conjunction with a mask: the parts under its runs of ones.
    pub(super) fn masked(&self, all: &mut Bits, mask: i128) -> Option<Self> {
        let mut sum = self.times(all, 0)?;
        let mut low = 0;
        while low < self.width {
            if mask >> low & 1 == 0 {
                low += 1;
                continue;
            }
            let ones = (mask >> low).trailing_ones() as u8;
            let high = (low + ones).min(self.width) - 1;
            let run = self.part(all, high, low)?.extended(all, self.width)?;
            sum = sum.plus(all, &run, 1 << low)?;
            low = high + 1;
        }
        Some(sum)
    }

    /// The bits, the lowest first; `None` for those to which others may carry.
    pub(super) fn bits(&self, all: &mut Bits) -> Vec<Option<Bit>> {
        let bit = |place| {
            let (addends, constant) = self.divided(place)?;
            all.steps += addends.len();
            let odd = addends.into_iter().filter(|addend| addend.1 & 1 == 1);
            let start = Bit::constant(constant & 1 == 1);
            Some(odd.fold(start, |bit, addend| all.xor(bit, addend.0)))
        };
        (0..self.width).map(bit).collect()
    }

    /// Whether each bit has a place of its own: the word's bits are the addends.
    pub(super) fn is_apart(&self) -> bool {
        let mut used = self.constant;
        self.addends.iter().all(|&(_, factor)| {
            let is_apart = factor.count_ones() == 1 && used & factor == 0;
            used |= factor;
            is_apart
        })
    }
}
