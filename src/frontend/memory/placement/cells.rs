//! Fields: the partition of a class of objects by its accesses.
//!
//! Accesses that overlap belong to one field. Where all accesses of a field have the same range, the field is
//! *uniform*: one value, stored in the form that the accesses use. Otherwise (unions, type punning, the bytes of
//! something larger) it is *mixed* and stored as bits. In a class with a period the fields repeat, and offsets are
//! modulo it.
//!
//! An object that is only ever accessed at constant offsets from its own start is cut into scalar variables, one for
//! each field; in memory each field is a region of its own, since no access to one can touch another.

use crate::memory::analysis::constraints::{Direction, View};
use crate::memory::analysis::points_to::gcd;
use regatta_term::FloatFormat;

/// The form in which a field's value is stored.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A truth value.
    Bool,
    /// Bits: an integer or a pointer.
    Bits,
    Float(FloatFormat),
}

impl From<View> for Form {
    fn from(view: View) -> Self {
        match view {
            View::Bool => Self::Bool,
            View::Float(format) => Self::Float(format),
            View::Integer | View::Pointer | View::Part => Self::Bits,
        }
    }
}

/// A part of a class that no access of another part touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// First bit in the frame of the class.
    pub start: i64,
    /// Number of bits.
    pub bits: u64,
    /// How it is stored.
    pub kind: FieldKind,
    /// Bytes of one element of its region, a power of two: every element starts at a multiple of it.
    pub granule: u64,
    /// Whether some access reads or writes a pointer here.
    pub pointer: bool,
}

/// How a field is stored.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// All accesses have the field's range.
    Uniform(Form),
    /// Stored as bits; in memory as elements of the granule's size.
    Mixed,
}

impl Field {
    /// The first bit after the field.
    pub const fn end(&self) -> i64 {
        self.start.saturating_add_unsigned(self.bits)
    }
}

/// The properties of a class that determine its fields, besides its accesses.
#[derive(Clone, Debug, Default)]
pub struct ClassShape {
    /// Offsets are modulo this number of bytes; zero: exact.
    pub period: u64,
    /// The offsets at which its objects start, in bytes in its frame.
    pub starts: Vec<i64>,
    /// The common alignment of its objects, in bytes.
    pub alignment: u64,
    /// Bits at which a copied or filled range begins or ends.
    pub cuts: Vec<i64>,
}

/// Maximum size of a granule (bytes).
const MAXIMUM_GRANULE: u64 = 16;

/// Returns the fields of a class, in ascending order. The accesses' offsets are in bits, modulo the period.
pub fn fields(
    shape: &ClassShape,
    accesses: impl IntoIterator<Item = (i64, u32, View, Direction)>,
) -> Vec<Field> {
    let mut sorted: Vec<(i64, u32, View)> = accesses
        .into_iter()
        .filter(|access| access.1 > 0)
        .map(|(start, bits, view, _)| (start, bits, view))
        .collect();
    sorted.sort_unstable();
    sorted.dedup();
    let period = i64::try_from(shape.period.saturating_mul(8)).unwrap_or(i64::MAX);
    let wraps = shape.period != 0
        && sorted
            .iter()
            .any(|&(start, bits, _)| start.saturating_add(bits.into()) > period);
    if wraps {
        // An access reaches into the next repetition: the class is one field.
        let lengths = sorted
            .iter()
            .flat_map(|&(start, bits, _)| byte_range(start, bits));
        let granule = granule(shape, 0, lengths, shape.cuts.iter().copied());
        return vec![Field {
            start: 0,
            bits: shape.period.saturating_mul(8),
            kind: FieldKind::Mixed,
            granule,
            pointer: sorted.iter().any(|access| access.2 == View::Pointer),
        }];
    }
    let mut result = Vec::new();
    let mut rest = &sorted[..];
    while let Some(&(start, bits, _)) = rest.first() {
        let mut end = start.saturating_add(bits.into());
        let mut count = 1;
        while let Some(&(next, bits, _)) = rest.get(count)
            && next < end
        {
            end = end.max(next.saturating_add(bits.into()));
            count += 1;
        }
        let (group, others) = rest.split_at(count);
        rest = others;
        result.push(field(shape, group, start, end));
    }
    result
}

fn field(shape: &ClassShape, group: &[(i64, u32, View)], start: i64, end: i64) -> Field {
    let bits = end.wrapping_sub(start).unsigned_abs();
    let pointer = group.iter().any(|access| access.2 == View::Pointer);
    let cuts = || {
        shape
            .cuts
            .iter()
            .copied()
            .filter(|&cut| start < cut && cut < end)
    };
    let same_range = group
        .iter()
        .all(|access| access.0 == start && u64::from(access.1) == bits);
    if same_range && cuts().next().is_none() {
        let first = Form::from(group[0].2);
        let same_form = group.iter().all(|access| Form::from(access.2) == first);
        let widest = bits.div_ceil(8).max(1);
        return Field {
            start,
            bits,
            kind: FieldKind::Uniform(if same_form { first } else { Form::Bits }),
            granule: granule(shape, start.div_euclid(8), [], []).min(1 << widest.ilog2()),
            pointer,
        };
    }
    let lengths = group
        .iter()
        .flat_map(|&(start, bits, _)| byte_range(start, bits));
    Field {
        start,
        bits,
        kind: FieldKind::Mixed,
        granule: granule(shape, start.div_euclid(8), lengths, cuts()),
        pointer,
    }
}

/// The first byte that a range of bits touches, and the byte after the last.
fn byte_range(start: i64, bits: u32) -> [i64; 2] {
    let end = start.saturating_add(bits.into());
    [start.div_euclid(8), end.saturating_add(7).div_euclid(8)]
}

/// The largest power of two that divides the addresses of all the boundaries, given in bytes and in bits.
fn granule(
    shape: &ClassShape,
    first: i64,
    bytes: impl IntoIterator<Item = i64>,
    cuts: impl IntoIterator<Item = i64>,
) -> u64 {
    let mut common = gcd(shape.period, shape.alignment.max(1));
    for &start in &shape.starts {
        common = gcd(common, first.wrapping_sub(start).unsigned_abs());
    }
    for byte in bytes {
        common = gcd(common, byte.wrapping_sub(first).unsigned_abs());
    }
    for cut in cuts {
        common = gcd(common, cut.div_euclid(8).wrapping_sub(first).unsigned_abs());
        common = gcd(
            common,
            cut.saturating_add(7)
                .div_euclid(8)
                .wrapping_sub(first)
                .unsigned_abs(),
        );
    }
    (1 << common.trailing_zeros().min(63)).min(MAXIMUM_GRANULE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(period: u64) -> ClassShape {
        ClassShape {
            period,
            starts: vec![0],
            alignment: 16,
            cuts: Vec::new(),
        }
    }

    fn cut(shape: &ClassShape, accesses: &[(i64, u32, View)]) -> Vec<(i64, u64, FieldKind, u64)> {
        fields(
            shape,
            accesses
                .iter()
                .map(|&(start, bits, view)| (start, bits, view, Direction::Load)),
        )
        .into_iter()
        .map(|field| (field.start, field.bits, field.kind, field.granule))
        .collect()
    }

    #[test]
    fn members_stay_apart() {
        let members = [
            (0, 32, View::Integer),
            (64, 64, View::Pointer),
            (32, 8, View::Bool),
        ];
        let expected = [
            (0, 32, FieldKind::Uniform(Form::Bits), 4),
            (32, 8, FieldKind::Uniform(Form::Bool), 1),
            (64, 64, FieldKind::Uniform(Form::Bits), 8),
        ];
        assert_eq!(cut(&shape(0), &members), expected);
        assert_eq!(cut(&shape(16), &members), expected);
    }

    #[test]
    fn overlapping_accesses_share_a_field() {
        let accesses = [
            (0, 64, View::Integer),
            (32, 32, View::Float(FloatFormat::F32)),
            (64, 8, View::Integer),
        ];
        assert_eq!(
            cut(&shape(0), &accesses),
            [
                (0, 64, FieldKind::Mixed, 4),
                (64, 8, FieldKind::Uniform(Form::Bits), 1)
            ]
        );
        let same = [
            (0, 32, View::Integer),
            (0, 32, View::Float(FloatFormat::F32)),
        ];
        assert_eq!(
            cut(&shape(0), &same),
            [(0, 32, FieldKind::Uniform(Form::Bits), 4)]
        );
    }

    #[test]
    fn what_wraps_around_is_one_field() {
        assert_eq!(
            cut(&shape(4), &[(0, 64, View::Integer)]),
            [(0, 32, FieldKind::Mixed, 4)]
        );
        assert_eq!(
            cut(&shape(1), &[(0, 32, View::Integer)]),
            [(0, 8, FieldKind::Mixed, 1)]
        );
    }

    #[test]
    fn bit_fields_are_fields() {
        let accesses = [
            (0, 3, View::Integer),
            (3, 5, View::Integer),
            (8, 1, View::Integer),
        ];
        assert_eq!(
            cut(&shape(0), &accesses),
            [
                (0, 3, FieldKind::Uniform(Form::Bits), 1),
                (3, 5, FieldKind::Uniform(Form::Bits), 1),
                (8, 1, FieldKind::Uniform(Form::Bits), 1)
            ]
        );
    }

    #[test]
    fn a_cut_makes_smaller_elements() {
        let shape = ClassShape {
            cuts: vec![16],
            ..shape(8)
        };
        assert_eq!(
            cut(&shape, &[(0, 32, View::Integer)]),
            [(0, 32, FieldKind::Mixed, 2)]
        );
    }

    #[test]
    fn shifted_objects_limit_the_granule() {
        let shape = ClassShape {
            starts: vec![0, 2],
            ..shape(0)
        };
        assert_eq!(cut(&shape, &[(32, 32, View::Integer)])[0].3, 2);
    }
}
