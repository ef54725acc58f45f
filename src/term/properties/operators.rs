//! The list of operators, and pairs of operators for which there are rules.

use crate::term::{FloatFormat, Op};

/// Every operator; the parameters do not matter here.
pub const OPERATORS: &[Op] = {
    use Op::*;
    const F: FloatFormat = FloatFormat::F32;
    &[
        Not,
        And,
        Or,
        Eq,
        Ite,
        BvNeg,
        BvNot,
        BvAdd,
        BvMul,
        BvUdiv,
        BvUrem,
        BvSdiv,
        BvSrem,
        BvAnd,
        BvOr,
        BvXor,
        BvShl,
        BvLshr,
        BvAshr,
        BvUlt,
        BvUle,
        BvSlt,
        BvSle,
        Concat,
        Extract { high: 0, low: 0 },
        ZeroExtend(0),
        SignExtend(0),
        IntNeg,
        IntAdd,
        IntMul,
        IntDiv,
        IntMod,
        IntLt,
        IntLe,
        BvToNat,
        BvToInt,
        IntToBv(1),
        FpNeg,
        FpAbs,
        FpAdd,
        FpSub,
        FpMul,
        FpDiv,
        FpFma,
        FpSqrt,
        FpRem,
        FpRoundToIntegral,
        FpLt,
        FpLe,
        FpEq,
        FpIsNan,
        FpIsInfinite,
        FpIsZero,
        FpIsNormal,
        FpIsSubnormal,
        FpIsNegative,
        FpToFp(F),
        SbvToFp(F),
        UbvToFp(F),
        IntToFp(F),
        FpToSbv(1),
        FpToUbv(1),
        FpToInt,
        FpToBits,
        FpFromBits(F),
        Select,
        Store,
        ConstArray,
        // Operators with many rules are repeated, so that they are chosen more often.
        Eq,
        Ite,
        BvAdd,
        BvAdd,
        BvMul,
        BvNeg,
        BvAnd,
        BvOr,
        Concat,
        Extract { high: 0, low: 0 },
        BvUlt,
        BvSle,
        Eq,
        Select,
        Store,
        Not,
        And,
        Or,
        IntAdd,
        IntMul,
        IntLt,
    ]
};

/// Checks whether there is a rule for the outer operator on applications of the inner one, so that this pair should occur often.
pub fn goes_with(outer: Op, inner: Op) -> bool {
    use Op::*;
    let extension = matches!(inner, ZeroExtend(_) | SignExtend(_));
    let arithmetic = matches!(inner, BvAdd | BvMul | BvNeg | BvNot);
    let bitwise = matches!(inner, BvAnd | BvOr | BvXor | BvNot);
    let comparison = matches!(
        inner,
        BvUlt | BvUle | BvSlt | BvSle | IntLt | IntLe | Eq | Not | FpLt | FpLe | FpEq
    );
    match outer {
        Not => comparison || matches!(inner, And | Or),
        And | Or => comparison || matches!(inner, And | Or),
        Eq => !matches!(inner, Select | FpIsNan),
        Ite => matches!(inner, Ite | Eq | Not),
        Extract { .. } => {
            extension || arithmetic || bitwise || matches!(inner, Extract { .. } | Concat | Ite)
        }
        Concat => extension || matches!(inner, Extract { .. } | Concat),
        ZeroExtend(_) | SignExtend(_) => extension || matches!(inner, Ite | Extract { .. }),
        BvUdiv | BvUrem | BvSdiv | BvSrem => extension || matches!(inner, BvMul | Ite),
        BvAnd | BvOr | BvXor => extension || bitwise || matches!(inner, BvMul | Ite),
        BvShl | BvLshr | BvAshr => {
            extension || matches!(inner, BvShl | BvLshr | BvAshr | BvMul | Concat | Ite)
        }
        BvAdd | BvMul | BvNeg | BvNot => arithmetic || matches!(inner, Ite),
        BvUlt | BvUle | BvSlt | BvSle => extension || arithmetic || matches!(inner, Ite),
        IntNeg | IntAdd | IntMul | IntDiv | IntMod | IntLt | IntLe => matches!(
            inner,
            IntNeg | IntAdd | IntMul | IntMod | IntDiv | Ite | BvToNat | BvToInt
        ),
        BvToNat | BvToInt => extension,
        IntToBv(_) => matches!(inner, BvToNat | BvToInt),
        FpNeg | FpAbs => matches!(inner, FpNeg | FpAbs),
        FpLt | FpLe | FpEq => matches!(inner, FpToFp(_) | SbvToFp(_) | UbvToFp(_) | Ite | FpNeg),
        FpIsNan | FpIsInfinite | FpIsZero | FpIsNormal | FpIsSubnormal | FpIsNegative => matches!(
            inner,
            FpNeg | FpAbs | FpToFp(_) | SbvToFp(_) | UbvToFp(_) | IntToFp(_)
        ),
        FpToFp(_) => matches!(inner, FpToFp(_)),
        FpToSbv(_) | FpToUbv(_) => matches!(inner, SbvToFp(_) | UbvToFp(_)),
        FpRoundToIntegral => matches!(inner, FpRoundToIntegral),
        FpFromBits(_) => matches!(inner, FpToBits),
        Select | Store => matches!(inner, Store | ConstArray),
        _ => false,
    }
}
