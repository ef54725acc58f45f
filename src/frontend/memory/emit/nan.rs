//! The observable properties of a NaN: its sign and its payload.
//!
//! Terms have a single NaN. Which one a real execution has depends on the machine and on the compiler's choice of
//! instructions (on x86 `0.0 / 0.0` is negative, and the first operand's payload survives). So a program that reads the
//! sign, or the bytes in memory, gets those of any NaN: an unknown value. Only paths on which the float is a NaN have
//! this input; alarms on other paths can be confirmed.

use super::*;
use regatta_term::{FloatFormat, FloatValue};

impl Body<'_, '_> {
    /// A float's bits in memory.
    pub fn float_bits(&mut self, float: TermId, format: FloatFormat) -> TermId {
        let bits = pool().fp_to_bits(float);
        self.unless_nan(float, bits, |any| nan_of(any, format))
    }

    /// Whether a float's sign is set.
    pub fn float_sign(&mut self, float: TermId) -> TermId {
        let sign = pool().fp_is_negative(float);
        self.unless_nan(float, sign, |any| any)
    }

    /// The observed property of a float: the term `observed`, but for a NaN the result of `of_nan` on an unknown value.
    fn unless_nan(
        &mut self,
        float: TermId,
        observed: TermId,
        of_nan: impl FnOnce(TermId) -> TermId,
    ) -> TermId {
        let is_nan = pool().fp_is_nan(float);
        self.unknown_where(is_nan, observed, "the sign and payload of a NaN", of_nan)
    }

    /// The term `known`, but where the condition holds the result of `made` on an unknown value of its sort.
    pub fn unknown_where(
        &mut self,
        condition: TermId,
        known: TermId,
        what: &str,
        made: impl FnOnce(TermId) -> TermId,
    ) -> TermId {
        if condition == TermId::FALSE {
            return known;
        }
        let Some(fork) = self.cut() else {
            return known;
        };
        let sort = regatta_term::Pool::sort(pool(), known);
        let target = self.temporary(sort);
        let result = self.builder.term(target);
        let (unknown, join) = (self.location(), self.location());
        self.branch(fork, unknown, condition);
        self.continue_at(unknown);
        let input = self.input(InputKind::Unknown(what.to_owned()), sort, None);
        self.push(Operation::Havoc { target, input });
        self.assign(target, made(result));
        self.finish(join);
        if condition != TermId::TRUE {
            let otherwise = self.location();
            self.branch(fork, otherwise, pool().not(condition));
            self.continue_at(otherwise);
            self.assign(target, known);
            self.finish(join);
        }
        self.continue_at(join);
        result
    }
}

/// The bits of a NaN with the sign and the payload of the given bits; the bits of a NaN give themselves.
fn nan_of(bits: TermId, format: FloatFormat) -> TermId {
    let width = format.storage_bits() as u8;
    let infinity = FloatValue::infinity(format, false).bits();
    let quiet = FloatValue::nan(format).bits();
    let payload = (1 << (format.significand_bits() - 1)) - 1;
    let special = pool().bvor(bits, pool().bv(width, infinity));
    let is_infinity = pool().eq(
        pool().bvand(bits, pool().bv(width, payload)),
        pool().bv(width, 0),
    );
    let made_quiet = pool().bvor(bits, pool().bv(width, quiet));
    pool().ite(is_infinity, made_quiet, special)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nan_and_nothing_else() {
        use FloatFormat::{F16, F32, F64, F80, F128};
        for format in [F16, F32, F64, F80, F128] {
            let width = format.storage_bits() as u8;
            let infinity = FloatValue::infinity(format, true).bits();
            let made = |bits| {
                let term = nan_of(pool().bv(width, bits), format);
                let value = regatta_term::Pool::bit_vec_constant(pool(), term);
                value.expect("a constant").bits()
            };
            for bits in [0, 1, infinity, infinity - 1, u128::MAX, 0xABCD << 3] {
                let nan = FloatValue::from_bits(format, made(bits));
                assert!(nan.is_nan(), "{format:?} {bits:x} becomes {nan}");
            }
            for nan in [infinity | 1, infinity | 3, FloatValue::nan(format).bits()] {
                assert_eq!(made(nan), nan, "{format:?}");
            }
        }
    }
}
