//! Gaussian elimination modulo a large prime.
//!
//! Rows that are independent may be dependent modulo the prime, which costs no more than a candidate that is refuted.
//! So a kernel vector is used only if its entries are those of small integers or, scaled, of small fractions.

/// The modulus: a Mersenne prime, whose products fit in 128 bits.
pub(super) const PRIME: i128 = (1 << 61) - 1;

/// Maximum absolute value of a coefficient.
const MAXIMUM_COEFFICIENT: i128 = 10_000;

/// The space that rows span, by its reduced echelon form, which does not depend on their order.
#[derive(Clone, Debug)]
pub struct Echelon {
    columns: usize,
    /// The rows, each with the column of its first non-zero entry, which is one, and zero in all other rows.
    rows: Vec<(usize, Vec<i128>)>,
}

impl Echelon {
    /// Creates the space of no rows.
    pub fn new(columns: usize) -> Self {
        Self {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row; `false` if it is in the space already.
    pub fn add(&mut self, row: impl IntoIterator<Item = i128>) -> bool {
        if self.rank() == self.columns {
            return false;
        }
        let mut row: Vec<i128> = row.into_iter().map(|one| one.rem_euclid(PRIME)).collect();
        for (pivot, known) in &self.rows {
            eliminate(&mut row, *pivot, known);
        }
        let Some(pivot) = row.iter().position(|&entry| entry != 0) else {
            return false;
        };
        let scale = inverse(row[pivot]);
        for entry in &mut row {
            *entry = *entry * scale % PRIME;
        }
        for (_, known) in &mut self.rows {
            eliminate(known, pivot, &row);
        }
        self.rows.push((pivot, row));
        true
    }

    /// The dimension of the space.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// Returns a basis of the vectors that are orthogonal to all rows.
    pub fn kernel(&self) -> Vec<Vec<i128>> {
        let is_free = |column: &usize| self.rows.iter().all(|(pivot, _)| pivot != column);
        let free = (0..self.columns).filter(is_free);
        free.map(|free| {
            let mut vector = vec![0; self.columns];
            vector[free] = 1;
            for (pivot, row) in &self.rows {
                vector[*pivot] = (PRIME - row[free]) % PRIME;
            }
            vector
        })
        .collect()
    }
}

/// Subtracts a multiple of the pivot's row, so that the entry in its column becomes zero.
fn eliminate(row: &mut [i128], pivot: usize, by: &[i128]) {
    let factor = row[pivot];
    if factor != 0 {
        for (entry, by) in row.iter_mut().zip(by) {
            *entry = (*entry - factor * by % PRIME).rem_euclid(PRIME);
        }
    }
}

/// Returns the inverse modulo the prime, by Fermat's little theorem.
fn inverse(value: i128) -> i128 {
    let (mut power, mut base, mut result) = (PRIME - 2, value, 1);
    while power > 0 {
        if power & 1 == 1 {
            result = result * base % PRIME;
        }
        base = base * base % PRIME;
        power >>= 1;
    }
    result
}

/// Scales the vector such that its entries are small integers.
pub fn integral(vector: &[i128]) -> Option<Vec<i128>> {
    let signed = |value: i128| {
        if value > PRIME / 2 {
            value - PRIME
        } else {
            value
        }
    };
    let small = |scale: i128| -> Option<Vec<i128>> {
        let scaled = vector.iter().map(|value| signed(value * scale % PRIME));
        let scaled: Vec<i128> = scaled.collect();
        scaled
            .iter()
            .all(|value| value.abs() <= MAXIMUM_COEFFICIENT)
            .then_some(scaled)
    };
    (1..=64).find_map(small)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kernel<const N: usize>(rows: impl IntoIterator<Item = [i128; N]>) -> Vec<Vec<i128>> {
        let mut echelon = Echelon::new(N);
        for row in rows {
            echelon.add(row);
        }
        echelon.kernel()
    }

    #[test]
    fn the_kernel_of_squares_is_their_equation() {
        // Columns: x², x, 1, y with y = x² + 2x + 3.
        let kernel = kernel((0..8).map(|x: i128| [x * x, x, 1, x * x + 2 * x + 3]));
        assert_eq!(kernel.len(), 1);
        assert_eq!(integral(&kernel[0]), Some(vec![-1, -2, -3, 1]));
    }

    #[test]
    fn fractions_are_scaled() {
        // 2 y = x (x + 1): y = x²/2 + x/2.
        let kernel = kernel((0..8).map(|x: i128| [x * x, x, x * (x + 1) / 2]));
        assert_eq!(integral(&kernel[0]), Some(vec![-1, -1, 2]));
    }

    proptest! {
        /// The kernel has the dimension that the rank leaves, is orthogonal to the rows, and ignores their order.
        #[test]
        fn kernels_are_orthogonal_to_rows(rows in prop::collection::vec([-3..4i128, -3..4, -3..4, -3..4], 0..6)) {
            let mut echelon = Echelon::new(4);
            let added = rows.iter().filter(|row| echelon.add(**row)).count();
            prop_assert_eq!(added, echelon.rank());
            let vectors = echelon.kernel();
            prop_assert_eq!(vectors.len(), 4 - echelon.rank());
            for (vector, row) in vectors.iter().flat_map(|vector| rows.iter().map(move |row| (vector, row))) {
                let product: i128 = vector.iter().zip(row).map(|(a, b)| a * b).sum();
                prop_assert_eq!(product.rem_euclid(PRIME), 0);
            }
            prop_assert_eq!(vectors, kernel(rows.into_iter().rev()));
        }
    }
}
