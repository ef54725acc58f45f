//! The forms of terms.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::bits::{Bit, Bits};
use super::sums::Sum;
use regatta_term::{
    Arena, BitVecValue, Build, Constant, Op, Pool, Sort, TermId, TermKind, for_each_unknown_subterm,
};

/// What terms with equal values may have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    Bits(Sort, Rc<[Bit]>),
    Sum(Rc<Sum>),
}

/// The forms of a word; a Boolean is a word of one bit.
#[derive(Clone, Default)]
struct Word {
    /// Its bits, the lowest first, where they follow from those of the operands.
    bits: Option<Rc<[Bit]>>,
    /// Its sum, where it follows from those of the operands.
    sum: Option<Rc<Sum>>,
    /// The bits made of the sum.
    bits_of_sum: Option<Rc<[Bit]>>,
    /// The sum made of the bits.
    sum_of_bits: Option<Rc<Sum>>,
}

impl Word {
    fn of_bits(bits: Vec<Bit>) -> Self {
        Self {
            bits: Some(bits.into()),
            ..Self::default()
        }
    }

    fn of_sum(sum: Sum) -> Self {
        Self {
            sum: Some(Rc::new(sum)),
            ..Self::default()
        }
    }
}

/// The forms of all terms that were asked about.
pub(super) struct Forms<'f> {
    arena: &'f Arena,
    bits: Bits,
    words: FxHashMap<TermId, Word>,
}

impl<'f> Forms<'f> {
    pub(super) fn new(arena: &'f Arena) -> Self {
        Self {
            arena,
            bits: Bits::new(),
            words: FxHashMap::default(),
        }
    }

    /// A measure of the work done.
    pub(super) const fn steps(&self) -> usize {
        self.bits.steps
    }

    /// The forms of the term by which it is looked up.
    pub(super) fn of(&mut self, term: TermId) -> SmallVec<[Form; 2]> {
        self.look_at(term);
        let word = &self.words[&term];
        let sort = self.arena.sort(term);
        let bits = word
            .bits
            .iter()
            .map(|bits| Form::Bits(sort, Rc::clone(bits)));
        bits.chain(word.sum.iter().map(|sum| Form::Sum(Rc::clone(sum))))
            .collect()
    }

    /// The constant that the term is by its form.
    pub(super) fn constant(&mut self, term: TermId) -> Option<TermId> {
        self.look_at(term);
        let word = &self.words[&term];
        let of_bits = word.bits.as_ref().and_then(|bits| {
            let bits = bits.iter().rev();
            bits.map(|bit| bit.as_constant())
                .try_fold(0, |value: u128, bit| Some(value << 1 | u128::from(bit?)))
        });
        let of_sum = || Some(word.sum.as_ref()?.as_constant()? as u128);
        let value = of_bits.or_else(of_sum)?;
        Some(match self.arena.sort(term) {
            Sort::BitVec(width) => self.arena.bv(width, value),
            _ => TermId::from_bool(value == 1),
        })
    }

    /// Computes the forms of the term and of its subterms.
    fn look_at(&mut self, term: TermId) {
        let arena = self.arena;
        let knows = |forms: &Self, term| forms.words.contains_key(&term);
        let learn = |forms: &mut Self, term, kind: TermKind<'_>| {
            let word = forms.word(term, kind);
            forms.words.insert(term, word);
            Ok::<(), std::convert::Infallible>(())
        };
        let Ok(()) = for_each_unknown_subterm(arena, term, self, knows, learn);
    }

    /// The number of bits; 0 for other sorts.
    fn width(&self, term: TermId) -> u8 {
        match self.arena.sort(term) {
            Sort::Bool => 1,
            Sort::BitVec(width) => width,
            _ => 0,
        }
    }

    fn word(&mut self, term: TermId, kind: TermKind<'_>) -> Word {
        if self.width(term) == 0 {
            return Word::default();
        }
        let word = match kind {
            TermKind::Constant(Constant::Bool(value)) => {
                Some(Word::of_bits(vec![Bit::constant(value)]))
            }
            TermKind::Constant(Constant::BitVec(value)) => Some(Word::of_bits(bits_of(value))),
            TermKind::Apply { op, arguments } => self.application(op, arguments, self.width(term)),
            TermKind::Constant(_) | TermKind::Variable { .. } => None,
        };
        word.unwrap_or_else(|| {
            let bits = (0..self.width(term)).map(|_| self.bits.fresh());
            Word::of_bits(bits.collect())
        })
    }

    /// The bits of a term with a word.
    fn bits(&mut self, term: TermId) -> Rc<[Bit]> {
        let word = &self.words[&term];
        if let Some(bits) = word.bits.as_ref().or(word.bits_of_sum.as_ref()) {
            return Rc::clone(bits);
        }
        let of_sum = match word.sum.clone() {
            Some(sum) => sum.bits(&mut self.bits),
            None => Vec::new(),
        };
        let fresh = |bit: Option<Bit>| bit.unwrap_or_else(|| self.bits.fresh());
        let bits: Rc<[Bit]> = of_sum.into_iter().map(fresh).collect();
        if let Some(word) = self.words.get_mut(&term) {
            word.bits_of_sum = Some(Rc::clone(&bits));
        }
        bits
    }

    /// The sum of a term with a word; `None` if it is too large.
    fn sum(&mut self, term: TermId) -> Option<Rc<Sum>> {
        let word = &self.words[&term];
        if let Some(sum) = word.sum.as_ref().or(word.sum_of_bits.as_ref()) {
            return Some(Rc::clone(sum));
        }
        let bits = word.bits.clone()?;
        let sum = Rc::new(Sum::of_bits(&mut self.bits, &bits)?);
        self.words.get_mut(&term)?.sum_of_bits = Some(Rc::clone(&sum));
        Some(sum)
    }

    /// The sum of a term whose operator is arithmetic.
    fn own_sum(&self, term: TermId) -> Option<Rc<Sum>> {
        self.words[&term].sum.clone()
    }

    /// Whether the term has bits of its own.
    fn has_bits(&self, term: TermId) -> bool {
        self.words[&term].bits.is_some()
    }

    /// The word whose bits are computed from those of the terms, and whose sum from their sums if one of them has one of its own.
    fn both(
        &mut self,
        terms: &[TermId],
        of_bits: impl FnOnce(&[Rc<[Bit]>]) -> Vec<Bit>,
        of_sums: impl FnOnce(&mut Bits, &[Rc<Sum>]) -> Option<Sum>,
    ) -> Word {
        let mut word = Word::default();
        if terms.iter().any(|&term| self.own_sum(term).is_some()) {
            let sums: Option<SmallVec<[Rc<Sum>; 2]>> =
                terms.iter().map(|&term| self.sum(term)).collect();
            if let Some(sum) = sums.and_then(|sums| of_sums(&mut self.bits, &sums)) {
                word = self.of_arithmetic(sum);
            }
        }
        let have_bits = terms.iter().all(|&term| self.has_bits(term));
        if have_bits || word.sum.is_none() {
            let bits: SmallVec<[Rc<[Bit]>; 2]> =
                terms.iter().map(|&term| self.bits(term)).collect();
            word.bits = Some(of_bits(&bits).into());
        }
        word
    }

    /// The word of the application; `None` if it has no form.
    fn application(&mut self, op: Op, arguments: &[TermId], width: u8) -> Option<Word> {
        Some(match (op, arguments) {
            (Op::Not | Op::BvNot, &[inner]) => {
                let ones = vec![Bit::ONE; width.into()];
                match self.own_sum(inner) {
                    // -1 - x
                    Some(sum) if !self.has_bits(inner) => {
                        let ones = Sum::of_bits(&mut self.bits, &ones)?;
                        let sum = ones.plus(&mut self.bits, &sum, -1)?;
                        self.of_arithmetic(sum)
                    }
                    _ => {
                        let operands = [self.bits(inner), ones.into()];
                        self.bitwise(&operands, Bits::xor)
                    }
                }
            }
            (Op::BvXor, &[left, right]) => {
                let operands = [self.bits(left), self.bits(right)];
                self.bitwise(&operands, Bits::xor)
            }
            (Op::BvOr, &[left, right]) => {
                let operands = [self.bits(left), self.bits(right)];
                self.bitwise(&operands, Bits::or)
            }
            (Op::BvAnd, &[left, right]) => self.conjunction(left, right),
            (Op::BvNeg, &[inner]) => {
                let sum = self.sum(inner)?.times(&mut self.bits, -1)?;
                self.of_arithmetic(sum)
            }
            (Op::BvAdd, &[left, right]) => {
                let (left, right) = (self.sum(left)?, self.sum(right)?);
                let sum = left.plus(&mut self.bits, &right, 1)?;
                self.of_arithmetic(sum)
            }
            (Op::BvMul, &[left, right]) => {
                let factor = self.arena.bit_vec_constant(right)?.signed();
                let sum = self.sum(left)?.times(&mut self.bits, factor)?;
                self.of_arithmetic(sum)
            }
            (Op::Concat, &[high, low]) => self.both(
                &[high, low],
                |words| [&*words[1], &*words[0]].concat(),
                |bits, sums| {
                    let high = sums[0].above(bits, width)?;
                    sums[1].extended(bits, width)?.plus(bits, &high, 1)
                },
            ),
            (Op::Extract { high, low }, &[inner]) => self.both(
                &[inner],
                |words| words[0][low.into()..=high.into()].to_vec(),
                |bits, sums| sums[0].part(bits, high, low),
            ),
            (Op::ZeroExtend(_), &[inner]) => self.both(
                &[inner],
                |words| padded(&words[0], Bit::ZERO, width),
                |bits, sums| sums[0].extended(bits, width),
            ),
            (Op::SignExtend(_), &[inner]) => self.both(
                &[inner],
                |words| padded(&words[0], words[0][words[0].len() - 1], width),
                |bits, sums| {
                    let sign = sums[0].width() - 1;
                    let is_positive = sums[0].part(bits, sign, sign)?.as_constant() == Some(0);
                    is_positive.then(|| sums[0].extended(bits, width))?
                },
            ),
            (Op::Ite, &[condition, then, otherwise]) => self.choice(condition, then, otherwise),
            _ => Word::of_bits(vec![self.condition(op, arguments)?]),
        })
    }

    fn bitwise(
        &mut self,
        operands: &[Rc<[Bit]>; 2],
        combine: impl Fn(&mut Bits, Bit, Bit) -> Bit,
    ) -> Word {
        let [left, right] = operands;
        let pairs = left.iter().zip(right.iter());
        let bits = pairs.map(|(&left, &right)| combine(&mut self.bits, left, right));
        Word::of_bits(bits.collect())
    }

    /// The word of a sum; it has bits if nothing is carried between them.
    fn of_arithmetic(&mut self, sum: Sum) -> Word {
        let bits: Option<Vec<Bit>> = match sum.is_apart() || sum.width() == 1 {
            true => sum.bits(&mut self.bits).into_iter().collect(),
            false => None,
        };
        Word {
            bits: bits.map(Rc::from),
            ..Word::of_sum(sum)
        }
    }

    fn conjunction(&mut self, left: TermId, right: TermId) -> Word {
        let masked = match self.arena.bit_vec_constant(right) {
            Some(mask) => self
                .own_sum(left)
                .and_then(|sum| sum.masked(&mut self.bits, mask.bits() as i128)),
            None => None,
        };
        match masked {
            Some(sum) => self.of_arithmetic(sum),
            None => {
                let operands = [self.bits(left), self.bits(right)];
                self.bitwise(&operands, Bits::and)
            }
        }
    }

    fn choice(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> Word {
        let condition = self.bits(condition)[0];
        let mut word = Word::default();
        if self.width(then) > 1
            && let (Some(then), Some(otherwise)) = (self.sum(then), self.sum(otherwise))
        {
            let difference = then.plus(&mut self.bits, &otherwise, -1);
            let difference = difference.and_then(|difference| difference.as_constant());
            let sum = difference.and_then(|difference| {
                otherwise.with_choice(&mut self.bits, condition, difference)
            });
            word.sum = sum.map(Rc::new);
        }
        if word.sum.is_none() || (self.has_bits(then) && self.has_bits(otherwise)) {
            let operands = [self.bits(then), self.bits(otherwise)];
            let choose = |bits: &mut Bits, then, otherwise| bits.choice(condition, then, otherwise);
            word.bits = self.bitwise(&operands, choose).bits;
        }
        word
    }

    /// The bit of a comparison that depends on one bit only.
    fn condition(&mut self, op: Op, arguments: &[TermId]) -> Option<Bit> {
        let &[left, right] = arguments else {
            return None;
        };
        let is_zero =
            |term| matches!(self.arena.bit_vec_constant(term), Some(value) if value.bits() == 0);
        match op {
            Op::Eq if self.width(left) > 0 => self.equality(left, right),
            Op::BvSlt if is_zero(right) => self.bits(left).last().copied(),
            Op::BvSle if is_zero(left) => {
                let sign = *self.bits(right).last()?;
                Some(self.bits.not(sign))
            }
            _ => None,
        }
    }

    fn equality(&mut self, left: TermId, right: TermId) -> Option<Bit> {
        if !self.has_bits(left) || !self.has_bits(right) {
            let (left, right) = (self.sum(left)?, self.sum(right)?);
            let difference = left.plus(&mut self.bits, &right, -1)?.as_constant()?;
            return Some(Bit::constant(difference == 0));
        }
        let (left, right) = (self.bits(left), self.bits(right));
        let mut only = Bit::ZERO;
        for (&left, &right) in left.iter().zip(right.iter()) {
            match self.bits.xor(left, right) {
                Bit::ZERO => {}
                Bit::ONE => return Some(Bit::ZERO),
                bit if only == Bit::ZERO || only == bit => only = bit,
                _ => return None,
            }
        }
        Some(self.bits.not(only))
    }
}

/// The bits of a constant, the lowest first.
fn bits_of(value: BitVecValue) -> Vec<Bit> {
    let bits = 0..value.width();
    bits.map(|place| Bit::constant(value.bits() >> place & 1 == 1))
        .collect()
}

/// The bits, and others above them.
fn padded(bits: &[Bit], above: Bit, width: u8) -> Vec<Bit> {
    let mut padded = bits.to_vec();
    padded.resize(width.into(), above);
    padded
}
