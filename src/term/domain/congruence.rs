//! The domain of congruences (\[Gra89\]): numbers with a common remainder. The
//! parity of a number, the template Mod2, is the case of modulus two.
//!
//! For a bit vector, the unsigned number has the remainder. A computation that wraps around subtracts a power of two, so only the
//! modulus's factor that is a power of two remains then.

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

/// Maximum modulus; larger ones are replaced by all numbers, so that products of moduli and residues fit.
const MAXIMUM_MODULUS: i128 = 1 << 64;

impl Congruence {
    /// All numbers.
    pub const ANY: Self = Self {
        modulus: 1,
        residue: 0,
    };

    /// The numbers that are congruent to the residue modulo the modulus; modulo zero, the residue alone.
    pub fn new(modulus: i128, residue: i128) -> Self {
        match modulus {
            // Numbers that large are not distinguished from infinity.
            0 if residue.unsigned_abs() >= INFINITY as u128 => Self::ANY,
            0 => Self { modulus, residue },
            1..=MAXIMUM_MODULUS => Self {
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

    /// Returns the weakest congruence modulo 2 that it implies.
    pub fn parity(self) -> Self {
        match self.modulus % 2 {
            0 => Self::new(2, self.residue),
            _ => Self::ANY,
        }
    }

    /// Checks whether the number is in the set.
    pub fn contains(self, number: i128) -> bool {
        match self.modulus {
            0 => number == self.residue,
            modulus => (number - self.residue) % modulus == 0,
        }
    }

    /// Coarsens the set to one that is closed under adding the other modulus.
    pub fn modulo(self, modulus: i128) -> Self {
        Self::new(self.modulus.gcd(&modulus), self.residue)
    }

    /// Returns the nonnegative remainders x mod m of the numbers x.
    pub fn remainder(self, m: i128) -> Self {
        match self.modulus {
            0 => Self::point(self.residue.rem_euclid(m)),
            modulus if modulus % m == 0 => Self::point(self.residue.rem_euclid(m)),
            _ => self.modulo(m),
        }
    }

    /// Returns the quotients x / m, rounded down, of the numbers x.
    pub fn quotient(self, m: i128) -> Self {
        match self.modulus {
            modulus if modulus % m == 0 => Self::new(modulus / m, self.residue.div_euclid(m)),
            _ => Self::ANY,
        }
    }

    /// Returns the least congruence that contains both sets.
    pub fn join(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        let apart = (self.residue - other.residue).abs();
        Self::new(self.modulus.gcd(&other.modulus).gcd(&apart), self.residue)
    }

    /// Returns a superset of the intersection; `None` if it is empty.
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
        let Some(product) = m
            .checked_mul(n)
            .filter(|&product| product <= MAXIMUM_MODULUS)
        else {
            return Some(fine);
        };
        let inverse = (m / common).extended_gcd(&n).x.rem_euclid(n);
        let steps = (-apart / common).rem_euclid(n).checked_mul(inverse);
        Some(match steps.and_then(|steps| (steps % n).checked_mul(m)) {
            Some(offset) => Self::new(product, fine.residue + offset),
            None => fine,
        })
    }

    /// Checks whether the set is a subset of the other one.
    pub fn is_subset(self, other: Self) -> bool {
        self.join(other) == other
    }

    /// Returns the sums.
    pub fn plus(self, other: Self) -> Self {
        let sum = self.residue.checked_add(other.residue);
        sum.map_or(Self::ANY, |sum| {
            Self::new(self.modulus.gcd(&other.modulus), sum)
        })
    }

    /// Returns the negated numbers.
    pub fn negated(self) -> Self {
        Self::new(self.modulus, -self.residue)
    }

    /// Returns the products.
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

    /// Returns the least number of the set that is at least `number`, if there is one.
    pub fn next(self, number: i128) -> Option<i128> {
        match self.modulus {
            0 => (self.residue >= number).then_some(self.residue),
            modulus => Some(number + (self.residue - number).rem_euclid(modulus)),
        }
    }

    /// Returns the greatest number of the set that is at most `number`, if there is one.
    pub fn previous(self, number: i128) -> Option<i128> {
        match self.modulus {
            0 => (self.residue <= number).then_some(self.residue),
            modulus => Some(number - (number - self.residue).rem_euclid(modulus)),
        }
    }

    /// The number of low bits that are the same in all numbers.
    pub fn low_bits(self) -> u32 {
        match self.modulus {
            0 => 64,
            modulus => modulus.trailing_zeros(),
        }
    }
}
