//! Congruences (Granger, Static Analysis of Arithmetical Congruences, 1989): numbers with a common remainder. The
//! parity of a number, the template Mod2, is the case of modulus two.
//!
//! Of a bit vector it is the unsigned number that has the remainder. A computation that wraps around takes away a power
//! of two, so that what a modulus has of powers of two is all that is left of it then.

use num_integer::Integer;

use super::intervals::INFINITY;

/// The numbers that are congruent to the residue.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Congruence {
    /// Zero for one number alone.
    modulus: i128,
    /// Not negative and below the modulus, unless that is zero.
    residue: i128,
}

/// Moduli beyond are given up.
const MOST: i128 = 1 << 64;

impl Congruence {
    /// All numbers.
    pub const ANY: Self = Self {
        modulus: 1,
        residue: 0,
    };

    /// The numbers that are congruent to the residue modulo the modulus; modulo zero, the residue alone.
    pub fn new(modulus: i128, residue: i128) -> Self {
        match modulus {
            // Of numbers that large, nothing is told apart.
            0 if residue.unsigned_abs() >= INFINITY as u128 => Self::ANY,
            0 => Self { modulus, residue },
            1..=MOST => Self {
                modulus,
                residue: residue.rem_euclid(modulus),
            },
            _ => Self::ANY,
        }
    }

    /// One number.
    pub fn point(number: i128) -> Self {
        Self::new(0, number)
    }

    /// The modulus.
    pub fn modulus(self) -> i128 {
        self.modulus
    }

    /// The residue.
    pub fn residue(self) -> i128 {
        self.residue
    }

    /// Whether the number is one of them.
    pub fn contains(self, number: i128) -> bool {
        match self.modulus {
            0 => number == self.residue,
            modulus => (number - self.residue) % modulus == 0,
        }
    }

    /// What is known modulo the other modulus.
    pub fn modulo(self, modulus: i128) -> Self {
        Self::new(self.modulus.gcd(&modulus), self.residue)
    }

    /// What is known of x mod m, the remainder not negative, of the numbers x.
    pub fn remainder(self, m: i128) -> Self {
        match self.modulus {
            0 => Self::point(self.residue.rem_euclid(m)),
            modulus if modulus % m == 0 => Self::point(self.residue.rem_euclid(m)),
            _ => self.modulo(m),
        }
    }

    /// What is known of x / m rounded down.
    pub fn quotient(self, m: i128) -> Self {
        match self.modulus {
            modulus if modulus % m == 0 => Self::new(modulus / m, self.residue.div_euclid(m)),
            _ => Self::ANY,
        }
    }

    /// What the numbers of both have in common.
    pub fn join(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        let apart = (self.residue - other.residue).abs();
        Self::new(self.modulus.gcd(&other.modulus).gcd(&apart), self.residue)
    }

    /// Numbers among which are all that are in both; `None` if there is none.
    pub fn meet(self, other: Self) -> Option<Self> {
        let (fine, coarse) =
            match self.modulus == 0 || (other.modulus != 0 && self.modulus >= other.modulus) {
                true => (self, other),
                false => (other, self),
            };
        let common = fine.modulus.gcd(&coarse.modulus);
        let apart = fine.residue - coarse.residue;
        if (common == 0 && apart != 0) || (common != 0 && apart % common != 0) {
            return None;
        }
        if fine.modulus == 0 || coarse.modulus == 0 || fine.modulus % coarse.modulus == 0 {
            return Some(fine);
        }
        // The Chinese remainder theorem.
        let (m, n) = (fine.modulus, coarse.modulus / common);
        let Some(product) = m.checked_mul(n).filter(|&product| product <= MOST) else {
            return Some(fine);
        };
        let inverse = (m / common).extended_gcd(&n).x.rem_euclid(n);
        let steps = (-apart / common).rem_euclid(n).checked_mul(inverse);
        Some(match steps.and_then(|steps| (steps % n).checked_mul(m)) {
            Some(offset) => Self::new(product, fine.residue + offset),
            None => fine,
        })
    }

    /// Whether all numbers are in the other set as well.
    pub fn is_subset(self, other: Self) -> bool {
        self.join(other) == other
    }

    /// The sums.
    pub fn plus(self, other: Self) -> Self {
        let sum = self.residue.checked_add(other.residue);
        sum.map_or(Self::ANY, |sum| {
            Self::new(self.modulus.gcd(&other.modulus), sum)
        })
    }

    /// The negated numbers.
    pub fn negated(self) -> Self {
        Self::new(self.modulus, -self.residue)
    }

    /// The products.
    pub fn times(self, other: Self) -> Self {
        let modulus = || {
            let both = self.modulus.checked_mul(other.modulus)?;
            let one = self.modulus.checked_mul(other.residue)?;
            let two = other.modulus.checked_mul(self.residue)?;
            Some(both.gcd(&one).gcd(&two))
        };
        let product = self.residue.checked_mul(other.residue);
        match (modulus(), product) {
            (Some(modulus), Some(product)) => Self::new(modulus, product),
            _ => Self::ANY,
        }
    }

    /// The least of the numbers that is not below this one, if there is one.
    pub fn next(self, number: i128) -> Option<i128> {
        match self.modulus {
            0 => (self.residue >= number).then_some(self.residue),
            modulus => Some(number + (self.residue - number).rem_euclid(modulus)),
        }
    }

    /// The greatest of the numbers that is not above this one, if there is one.
    pub fn previous(self, number: i128) -> Option<i128> {
        match self.modulus {
            0 => (self.residue <= number).then_some(self.residue),
            modulus => Some(number - (number - self.residue).rem_euclid(modulus)),
        }
    }

    /// How many low bits are the same in all numbers.
    pub fn low_bits(self) -> u32 {
        match self.modulus {
            0 => 64,
            modulus => modulus.trailing_zeros(),
        }
    }
}
